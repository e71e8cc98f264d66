"""What an artifact is named by: everything that its bytes follow from."""

import os
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
    for top in _SOURCES:
        for folder, folders, files in os.walk(ROOT / top):
            folders.sort()
            for name in sorted(files):
                if name.endswith((".py", ".html", ".css", ".csv", ".toml")):
                    path = f"{folder}/{name}"
                    digest.update(f"{path.removeprefix(str(ROOT))}\0".encode())
                    with open(path, "rb", buffering=0) as file:  # noqa: PTH123 - paths as objects take twice as long
                        digest.update(file.read())
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
