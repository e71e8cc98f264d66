"""The mutants that have a name, from ``mutants.toml``."""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.import_graph import ROOT
from tests.mutants.trial import Trial, copy_of

FILE = Path(__file__).with_name("mutants.toml")
PRODUCT = ("engine", "reports", "data")


@dataclass(frozen=True)
class NamedMutant:
    """``replaced`` stands once in the product; with ``by`` in its place a test of ``tests`` must fail."""

    what: str
    file: str
    replaced: str
    by: str
    tests: tuple[str, ...]

    def place(self, root: Path = ROOT) -> Path:
        """The file, wherever it was moved; LookupError where none has the text, or several, or one twice."""
        named = root / self.file
        if named.exists() and named.read_text().count(self.replaced) == 1:
            return named
        paths = [path for folder in PRODUCT for path in (root / folder).rglob("*.py")]
        counts = {path: count for path in paths if (count := path.read_text().count(self.replaced))}
        if list(counts.values()) != [1]:
            raise LookupError(
                f"{self.replaced!r} must stand once in the product; it stands {sum(counts.values())} times."
            )
        return next(iter(counts))

    def test_files(self, root: Path = ROOT) -> list[str]:
        """Its tests that are there, wherever they were moved."""
        found = []
        for name in map(Path, self.tests):
            moved = sorted((root / "tests").rglob(name.name))
            beside = [path for path in moved if path.parent.name == name.parent.name]
            found += [root / name] if (root / name).exists() else (beside or moved)[:1]
        return [path.relative_to(root).as_posix() for path in found]


def settings() -> dict[str, Any]:
    """What the file says of the drawn ones."""
    drawn: dict[str, Any] = tomllib.loads(FILE.read_text())["drawn"]
    return drawn


def named_mutants() -> list[NamedMutant]:
    """Those of the file, in its order."""
    rows = tomllib.loads(FILE.read_text())["named"]
    return [NamedMutant(row["what"], row["file"], row["from"], row["to"], tuple(row["tests"])) for row in rows]


def trial(only: str = "") -> Iterator[tuple[NamedMutant, bool]]:
    """Each whose sentence has ``only`` in it, and whether it is noticed."""
    with copy_of() as copy:
        trial = Trial(copy, settings()["seconds"])
        for mutant in named_mutants():
            if only in mutant.what:
                file = mutant.place(copy)
                text = file.read_text().replace(mutant.replaced, mutant.by)
                yield mutant, trial.is_noticed(file, text, mutant.test_files(copy))
