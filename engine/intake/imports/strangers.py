"""Owners whom nobody here goes by: an import takes them, and says so."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, select

from engine.intake.imports.checks import CheckResult
from engine.intake.imports.values.names import closest_name
from engine.model.rights import DUTIES, NO_DUTY
from engine.store.schema.organizations import memberships, users

LISTED = 20
PEOPLE = ("memberships", "users")


@dataclass(frozen=True)
class Stranger:
    """An address that a column names as an owner and that is nobody's of the organization, with the nearest that is."""

    file: str
    column: str
    address: str
    rows: int
    near: str | None

    @property
    def sentence(self) -> str:
        """It in words."""
        meant = f"; nearest: {self.near}" if self.near else ""
        many = "1 row" if self.rows == 1 else f"{self.rows:,} rows"
        return f"{self.file}: {self.column} {self.address} is nobody of this organization ({many}){meant}"


def strangers(connection: Connection, org_id: str, files: Mapping[str, CheckResult]) -> Sequence[Stranger]:
    """The owners of the files whom neither the organization's people nor the files' own know, at most ``LISTED``.

    Where nobody is recorded at all, everybody would be one: then there are none.
    """
    known = _people(connection, org_id) | _arriving(files)
    if not known:
        return ()
    found = []
    for name, checked in files.items():
        if name in PEOPLE:
            continue
        for column in DUTIES.get(name, NO_DUTY).owners:
            for address, rows in _addresses(checked, column).items():
                if address not in known:
                    near = closest_name(address, sorted(known))
                    found.append(Stranger(checked.file, column, address, rows, near))
    return sorted(found, key=lambda one: (one.file, one.column, one.address))[:LISTED]


def _people(connection: Connection, org_id: str) -> set[str]:
    return {
        email.lower()
        for table in (memberships, users)
        for email in connection.execute(select(table.c.email).where(table.c.org_id == org_id)).scalars()
    }


def _arriving(files: Mapping[str, CheckResult]) -> set[str]:
    return {address for name in PEOPLE if name in files for address in _addresses(files[name], "email")}


def _addresses(checked: CheckResult, column: str) -> dict[str, int]:
    """The addresses of a column, each with how many rows name it."""
    counts: dict[str, int] = {}
    if column not in checked.columns:
        return counts
    for rows in checked.spool:
        for text, number in rows[column].drop_nulls().value_counts().iter_rows():
            for address in (part.strip().lower() for part in text.split(";")):
                if "@" in address:
                    counts[address] = counts.get(address, 0) + number
    return counts
