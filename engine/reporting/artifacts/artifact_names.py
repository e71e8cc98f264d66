"""What an artifact is named by: everything that its bytes follow from."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

from engine.model.documents.document import Position
from engine.store.canonical import canonical_json

ROOT = Path(__file__).resolve().parents[3]
_SOURCES = ("engine", "reports", "templates", "data")
_LIBRARIES = ("polars", "duckdb", "jinja2", "icalendar", "xlsxwriter")


@cache
def code_fingerprint() -> str:
    """A hash of everything but data that a report is a function of: our sources and the libraries that compute."""
    digest = sha256()
    for folder in _SOURCES:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".py", ".html", ".css", ".csv", ".toml") and path.is_file():
                digest.update(f"{path.relative_to(ROOT)}\0".encode())
                digest.update(path.read_bytes())
    for name in _LIBRARIES:
        digest.update(f"{name} {version(name)}\0".encode())
    return digest.hexdigest()


@dataclass(frozen=True)
class Name:
    """What an artifact is a function of. Equal names have equal bytes."""

    org_id: str
    report: str
    format: str
    as_of: date
    position: Position
    parameters: tuple[tuple[str, Any], ...]  # what a report declares
    erased: int = 0  # the newest erasure of a person: the past reads otherwise after it

    @classmethod
    def of(
        cls,
        org_id: str,
        report: str,
        format: str,
        as_of: date,
        position: Position,
        parameters: Mapping[str, object],
        erased: int = 0,
    ) -> "Name":
        return cls(org_id, report, format, as_of, position, tuple(parameters.items()), erased)

    @property
    def key(self) -> str:
        """40 hex digits; also the ETag."""
        parts = [
            code_fingerprint(),
            self.org_id,
            self.report,
            self.format,
            self.as_of.isoformat(),
            self.position.seq,
            self.position.hash,
            canonical_json([list(pair) for pair in self.parameters]),
            *([self.erased] if self.erased else []),
        ]
        return sha256(canonical_json(parts).encode()).hexdigest()[:40]


def artifact_name(
    org_id: str, report: str, form: str, as_of: date, revision: Position, parameters: Mapping[str, object], erased: int
) -> tuple[Name, str]:
    """The name of an artifact and its key."""
    name = Name.of(org_id, report, form, as_of, revision, parameters, erased)
    return name, name.key
