"""The tests that a change can reach: ``python -m tests.changed [--base REF] [--list]``; ``make test-changed``.

By the import graph a changed module reaches every test that imports it, over whatever lies between. A changed report would
reach all of them that way, for the catalogue imports every report: through the catalogue no step leads on. Instead the report
brings its own cases of the tests that ask each report in turn, and those of its route.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest

from tests.import_graph import ROOT, ImportGraph, module_name

CATALOGUES = ("reports", "reports.figures", "reports.digests", "api")
# what asks every report in turn, wherever it lies: only the cases of the changed reports run
EACH_REPORT = ("reports/test_columns.py", "reports/test_index.py", "reports/test_words.py", "web/changed_reports.py")
# what is written from the declarations of reports
OTHERS = {"settings", "tables", "options", "http"}  # parts of the reference that no report is in
OF_REPORTS = "tests/test_docs.py::test_what_is_generated_is_up_to_date"
# what reads files rather than imports them
READERS = {
    "docs": ("tests/test_docs.py", "tests/test_promises.py"),
    "README.md": ("tests/test_docs.py",),
    "CONTRIBUTING.md": ("tests/test_docs.py",),
    "CHANGELOG.md": ("tests/test_docs.py", "tests/test_release.py"),
    "Makefile": ("tests/test_docs.py",),
    "setup.cfg": ("tests/test_release.py",),
    "requirements.lock": ("tests/test_release.py",),
}
OF_THE_PRODUCT = ("tests/test_layers.py",)
# for the workers of a run, too: the reports that changed, and whether no others are tested
REPORTS, LIMITED = "TESTS_OF_REPORTS", "TESTS_OF_NO_OTHERS"
SLOW = ("real",)  # the mark of tests that take long
FEW = 4  # test files that one process runs before others have started


@dataclass(frozen=True)
class Selection:
    """Test files, the reports that changed, and whether cases about others are left out."""

    files: tuple[str, ...] = ()
    reports: frozenset[str] = frozenset()
    limited: bool = False


def select(graph: ImportGraph, changed: Collection[str]) -> Selection:
    """What ``changed``, files below the root, can reach."""
    modules = {name for place in changed if place.endswith(".py") and (name := module_name(place)) in graph.files}
    of_reports = {name for name in modules if name.startswith("reports.") and name not in CATALOGUES}
    readers = {name for place in changed if not place.endswith(".py") for name in _readers(graph, place)}
    reached = set(graph.reach((modules - of_reports) | readers))
    named: set[str] = set()
    for module in sorted(of_reports):
        of_one = graph.reach([module], CATALOGUES)
        reached |= set(of_one)
        named |= _reports(graph, of_one, module)
    files = {graph.files[name].relative_to(graph.root).as_posix() for name in reached if is_test(name)}
    files |= {
        test for place in changed for test in READERS.get(place.split("/")[0], ()) if (graph.root / test).exists()
    }
    limited = bool(named) and not (modules - of_reports - {name for name in modules if is_test(name)}) and not readers
    if modules - of_reports:
        files |= {place for place in OF_THE_PRODUCT if (graph.root / place).exists()}
    if named:
        files |= {path.relative_to(graph.root).as_posix() for path in _each_report(graph.root)}
        files |= {OF_REPORTS} if (graph.root / OF_REPORTS.partition("::")[0]).exists() else set()
    return Selection(tuple(sorted(files)), frozenset(named), limited)


def is_test(name: str) -> bool:
    """Whether a module is one that pytest collects."""
    return name.startswith("tests.") and name.rpartition(".")[2].startswith("test_")


def _each_report(root: Path) -> Iterable[Path]:
    return (path for path in (root / "tests").rglob("*.py") if path.as_posix().endswith(EACH_REPORT))


def _reports(graph: ImportGraph, reached: Collection[str], module: str) -> set[str]:
    """The reports that are declared in a reached module, and those that show a figure of the changed one."""
    index = msgspec.json.decode((graph.root / "reports" / "index.json").read_bytes())
    text = graph.files[module].read_text()
    shown = module.endswith("figures")
    return {
        report["name"]
        for report in index["reports"]
        if report["module"] in reached or (shown and any(f'"{figure}"' in text for figure in report["figures"]))
    }


def _readers(graph: ImportGraph, place: str) -> set[str]:
    """The modules that name a file which is no module: the file itself, or the folder that it is in."""
    path = Path(place)
    folder = () if path.parent.name in ("", "tests", "engine") else (f'"{path.parent.name}"',)
    for words in ((f'"{path.name}"', f"/{path.name}"), folder):
        named = {name for name, file in graph.files.items() if any(word in file.read_text() for word in words)}
        if named:
            return named - {"tests.changed"}
    return set()


def changed_files(base: str | None, root: Path = ROOT) -> set[str]:
    """What differs from ``base``: without one from where origin/main was left, or from the commit before this one."""
    if base is None:
        left, head = _git(root, "merge-base", "HEAD", "origin/main"), _git(root, "rev-parse", "HEAD")
        base = left[0] if left and left != head else "HEAD~1"
    if not _git(root, "rev-parse", "--verify", base):
        raise SystemExit(f"There is no commit {base!r} to compare with: name one with BASE=.")
    new = _git(root, "ls-files", "--others", "--exclude-standard")
    return {*_git(root, "diff", "--name-only", base), *new}


def quick(root: Path = ROOT) -> str:
    """The tests that do not take long, as pytest selects them."""
    settings = (root / "setup.cfg").read_text()
    return " and ".join(f"not {mark}" for mark in SLOW if f"\n    {mark}:" in settings)


def _git(root: Path, *arguments: str) -> list[str]:
    done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True)
    return done.stdout.splitlines() if done.returncode == 0 else []


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the cases that are about other reports: pytest calls this where the module is one of its plugins."""
    if not os.environ.get(LIMITED):
        return
    index = msgspec.json.decode((ROOT / "reports" / "index.json").read_bytes())
    others = OTHERS | {report["name"] for report in index["reports"]} - set(os.environ[REPORTS].split(","))
    left = [item for item in items if others & {_name(value) for value in _parameters(item)}]
    config.hook.pytest_deselected(items=left)
    items[:] = [item for item in items if item not in left]


def _parameters(item: pytest.Item) -> Iterable[object]:
    called = getattr(item, "callspec", None)
    return called.params.values() if called else ()


def _name(value: object) -> object:
    return value if isinstance(value, str) else getattr(value, "name", None)


def main() -> int:
    """Run them, or list them; 0 where there are none."""
    arguments = argparse.ArgumentParser(prog="python -m tests.changed", description=__doc__)
    arguments.add_argument("--base", metavar="REF", help="compare with this commit")
    arguments.add_argument("--list", action="store_true", help="print the tests instead of running them")
    asked, further = arguments.parse_known_args()
    selection = select(ImportGraph(), changed_files(asked.base or None))
    if asked.list or not selection.files:
        print("\n".join(selection.files) or "The change reaches no test.")
        return 0
    reports, limited = ",".join(sorted(selection.reports)), selection.limited
    print(f"{len(selection.files)} test files{f', cases of {reports}' if limited else ''}", flush=True)
    workers = [] if len(selection.files) <= FEW or limited else ["--numprocesses", "auto", "--dist", "worksteal"]
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "tests.changed",
        "-m",
        quick(ROOT),
        *workers,
        *further,
        *selection.files,
    ]
    environment = {**os.environ, REPORTS: reports, LIMITED: "1" if limited else ""}
    return subprocess.run(command, cwd=ROOT, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
