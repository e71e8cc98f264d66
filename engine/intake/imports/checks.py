"""What rows must satisfy together: one row for a key, rows that references point to, columns that new rows need."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import polars as pl
from sqlalchemy import Connection

from engine.intake.imports.files.headers import ROW
from engine.intake.imports.files.spool import RowSpool
from engine.intake.imports.problems import Problems
from engine.intake.imports.tables import Importable
from engine.intake.imports.values.expectations import expectation
from engine.intake.imports.values.names import closest_name
from engine.store.schema import metadata

CHUNK = 10_000

FIXED = {"poam_items": "weakness_key"}
"""What a row stands for, where its number is never used again for anything else."""


@dataclass(frozen=True)
class CheckResult:
    """A file whose cells hold: its rows wait in ``spool``. ``missing`` are columns that only new rows need.

    ``ignored``: headers that were left out, each with the column that is nearest in name. ``folder``: where it lies.
    """

    table: Importable
    file: str
    sha256: str | None
    columns: tuple[str, ...]
    missing: tuple[str, ...]
    spool: RowSpool
    ignored: Mapping[str, str | None] = field(default_factory=dict)
    folder: Path | None = None


class Keys:
    """The keys of one file as 64-bit hashes: 16 bytes a row, however long the keys are."""

    def __init__(self, key: Sequence[str]) -> None:
        self._key = list(key)
        self._hashes: list[pl.Series] = []

    def add(self, rows: pl.DataFrame) -> None:
        """The keys of one batch; rows whose key is bad do not count."""
        if set(self._key) <= set(rows.columns):
            whole = rows.drop_nulls(self._key)
            self._hashes.append(whole.select(pl.struct(self._key).hash()).to_series())

    def report(self, file: str, spool: RowSpool, problems: Problems) -> None:
        """Each later row of a key that came before. Equal hashes are confirmed by the keys themselves."""
        hashes = pl.concat(self._hashes) if self._hashes else pl.Series(dtype=pl.UInt64)
        twice = hashes.filter(hashes.is_duplicated()).unique()
        if twice.is_empty():
            return
        first: dict[tuple[object, ...], int] = {}
        for rows in spool:
            suspects = rows.drop_nulls(self._key).filter(pl.struct(self._key).hash().is_in(twice.implode()))
            for row, *key in suspects.select(ROW, *self._key).iter_rows():
                before = first.setdefault(tuple(key), row)
                if before != row:
                    text = ", ".join(str(part) for part in key)
                    wanted = f"each {', '.join(self._key)} once; row {before} has it already"
                    problems.add(file, row, ", ".join(self._key), wanted, text)


def check_references(connection: Connection, org_id: str, files: Mapping[str, CheckResult], problems: Problems) -> None:
    """Every reference names a row of the files or of the store."""
    for checked in files.values():
        for name in checked.columns:
            target = checked.table.fields[name].references
            if target is None:
                continue
            wanted = _distinct(checked.spool, name)
            arriving = _distinct(files[target].spool, "id") if target in files else set()
            left = sorted(wanted - arriving)
            lost = set(left) - existing_ids(connection, org_id, target, left)
            if lost:
                _report_missing(checked, name, target, lost, sorted(arriving), problems)


def _report_missing(
    checked: CheckResult, name: str, target: str, lost: set[str], known: Sequence[str], problems: Problems
) -> None:
    near = {text: closest_name(text, known) for text in sorted(lost)[:100]}
    for rows in checked.spool:
        bad = rows.filter(pl.col(name).is_in(list(lost)))
        for row, found in bad.select(ROW, name).iter_rows():
            meant = near.get(found)
            wanted = f"the id of a row of {target}" + (f", probably {meant}" if meant else "")
            problems.add(checked.file, row, name, wanted, found)


def check_new_rows(connection: Connection, org_id: str, checked: CheckResult, problems: Problems) -> None:
    """A file that lacks columns may change rows that exist; rows that do not need all of them."""
    if not checked.missing or not set(checked.table.key) <= set(checked.columns):
        return
    table = metadata.tables[checked.table.name]
    key = checked.table.key
    if table.info["primary"]:
        columns = [table.c[name] for name in key]
        query = table.select().with_only_columns(*columns).where(table.c.org_id == org_id)
        known = {tuple(row) for row in connection.execute(query)}
    else:
        known = {(org_id,)} if existing_ids(connection, org_id, checked.table.name, [org_id]) else set()
    cells = (row for rows in checked.spool for row in rows.drop_nulls(key).select(ROW, *key).iter_rows())
    new = next((row for row in cells if row[1:] not in known), None)
    if new is not None:
        name = f"{', '.join(str(part) for part in new[1:])} is not on record, and a new row needs it"
        for column in checked.missing:
            wanted = f"a column {column}, as {name}: {expectation(checked.table.fields[column])}"
            problems.add(checked.file, new[0], column, wanted, f"columns {', '.join(checked.columns)}")


def check_fixed(connection: Connection, org_id: str, checked: CheckResult, problems: Problems) -> None:
    """A row that exists keeps what it stands for."""
    name = FIXED.get(checked.table.name)
    if name is None or not {"id", name} <= set(checked.columns):
        return
    table = metadata.tables[checked.table.name]
    query = table.select().with_only_columns(table.c.id, table.c[name]).where(table.c.org_id == org_id)
    held = {row[0]: row[1] for row in connection.execute(query)}
    for rows in checked.spool:
        for row, key, found in rows.drop_nulls(["id", name]).select(ROW, "id", name).iter_rows():
            if held.get(key, found) != found:
                wanted = f"{held[key]}: {key} stands for it, and a number is never used again"
                problems.add(checked.file, row, name, wanted, found)


def report_missing(
    table: Importable, file: str, missing: Iterable[str], given: Sequence[str], problems: Problems
) -> None:
    """One error for each column that the file needs and has not."""
    for name in missing:
        wanted = f"a column {name}: {expectation(table.fields[name])}"
        problems.add(file, 1, name, wanted, f"columns {', '.join(given)}" if given else None)


def existing_ids(connection: Connection, org_id: str, name: str, ids: Sequence[str]) -> set[str]:
    """Those of ``ids`` that the organization has in the table."""
    table = metadata.tables[name]
    owner = table.c.id if name == "organizations" else table.c.org_id
    found: set[str] = set()
    rest = iter(ids)
    while chunk := list(islice(rest, CHUNK)):
        query = table.select().with_only_columns(table.c.id).where(owner == org_id, table.c.id.in_(chunk))
        found.update(row[0] for row in connection.execute(query))
    return found


def _distinct(spool: RowSpool, name: str) -> set[str]:
    return {text for rows in spool if name in rows.columns for text in rows[name].drop_nulls().unique()}
