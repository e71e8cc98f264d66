"""Whether every row is as the change log says, in memory that stays flat.

What the log says of each row is held as a hash in a temporary database on disk, where each row that is there is ticked
off.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

from sqlalchemy import Connection, Table, select

from engine.store.log.log_check import TABLES, Counting, UnsoundLogError, read_log
from engine.store.log.log_lines import read_json, read_part
from engine.store.log.part_check import wrong_part
from engine.store.log.stored_rows import RowHash, row_hashes, stored_row
from engine.store.schema import LOGGED
from engine.store.schema.audit import change_log
from engine.store.types import Json, canonical_json, read_json_text

_LEDGER_KIB = 32_000  # in memory; what it has beyond lies on disk
_SHOWN = 200  # characters of a value


class RowDifference(NamedTuple):
    """The first row that is not as the log says. ``column`` None for a row that is missing or was added; ``revision``
    is the one that last wrote it, None where no revision did."""

    table: str
    key: str
    column: str | None
    revision: int | None
    problem: str


@dataclass(frozen=True)
class RowCheck:
    """What a check of an organization's rows found. ``problem`` is None when all of them are as logged."""

    org_id: str
    rows: int
    revisions: int
    problem: str | None
    difference: RowDifference | None = None

    @property
    def ok(self) -> bool:
        return self.problem is None


class _DifferentRow(Exception):
    def __init__(self, table: str, key: str, revision: int | None, problem: str, column: str | None = None) -> None:
        self.difference = RowDifference(table, key, column, revision, f"{table} {key} {problem}")


def check_rows(connection: Connection, org_id: str, progress: Counting = lambda done, total: None) -> RowCheck:
    """Compare the rows of an organization with what the change log says of them.

    ``connection`` sees one state of the store for as long as that takes.
    """
    with _ledger() as ledger:
        try:
            revisions = read_log(connection, org_id, ledger, progress)
            rows = sum(_tick_off(connection, org_id, table, ledger) for table in LOGGED.values())
            _check_missing(ledger)
        except UnsoundLogError as error:
            return RowCheck(org_id, 0, 0, str(error))
        except _DifferentRow as error:
            difference = error.difference
            by = (
                "no revision wrote it"
                if difference.revision is None
                else f"revision {difference.revision} wrote it last"
            )
            return RowCheck(org_id, 0, 0, f"{difference.problem}; {by}", difference)
        newest = dict(ledger.execute("SELECT name, max(revision) FROM logged GROUP BY name").fetchall())
    return RowCheck(org_id, rows, revisions, wrong_part(connection, org_id, newest))


@contextmanager
def _ledger() -> Iterator[sqlite3.Connection]:
    """A database without a name, which SQLite puts into a file where it grows, and drops in the end."""
    with closing(sqlite3.connect("", isolation_level=None)) as ledger:
        ledger.execute("PRAGMA journal_mode = OFF")
        ledger.execute(f"PRAGMA cache_size = {-_LEDGER_KIB}")
        for statement in TABLES:
            ledger.execute(statement)
        ledger.execute("BEGIN")
        yield ledger


_TICK = "UPDATE logged SET present = 1 WHERE name = ? AND key = ? AND hash = ? AND present = 0"


def _tick_off(connection: Connection, org_id: str, table: Table, ledger: sqlite3.Connection) -> int:
    count = 0
    for page in row_hashes(connection, org_id, table):
        if ledger.executemany(_TICK, page).rowcount != len(page):
            _name_difference(connection, org_id, page, ledger)
            raise UnsoundLogError(f"{table.name} has one row twice: its primary key is gone")
        count += len(page)
    return count


def _check_missing(ledger: sqlite3.Connection) -> None:
    query = "SELECT name, key, revision FROM logged WHERE hash IS NOT NULL AND present = 0 ORDER BY 1, 2 LIMIT 1"
    row = ledger.execute(query).fetchone()
    if row is not None:
        name, key, revision = row
        raise _DifferentRow(name, key, revision, "is missing")


# -- what differs ------------------------------------------------------------------------------------------------------


def _name_difference(connection: Connection, org_id: str, page: Sequence[RowHash], ledger: sqlite3.Connection) -> None:
    for name, key, digest in page:
        query = "SELECT revision, hash FROM logged WHERE name = ? AND key = ?"
        row: tuple[Any, Any] = ledger.execute(query, (name, key)).fetchone() or (None, None)
        revision, logged = row
        if logged is None:
            raise _DifferentRow(name, key, revision, "is there and the log has no such row")
        if logged != digest:
            _name_column(connection, org_id, LOGGED[name], key, revision)


def _name_column(connection: Connection, org_id: str, table: Table, key: str, revision: int) -> NoReturn:
    text, cells = stored_row(connection, org_id, table, key)
    for column in table.columns:
        cell = cells.get(column.name)
        if isinstance(column.type, Json) and cell is not None and not _is_canonical(cell):
            problem = f"has in {column.name} what is no JSON in its one form: found {str(cell)[:_SHOWN]!r}"
            raise _DifferentRow(table.name, key, revision, problem, column.name)
    was, now = _logged_row(connection, org_id, revision, table.name, key), read_json(text).values or {}
    for name in sorted({*was, *now}):
        if canonical_json(was.get(name)) != canonical_json(now.get(name)):
            problem = f"differs in {name}: logged {was.get(name)!r}, found {now.get(name)!r}"
            raise _DifferentRow(table.name, key, revision, problem, name)
    raise _DifferentRow(table.name, key, revision, "differs in revision: it is not that of its write", "revision")


def _is_canonical(text: str) -> bool:
    """Whether a text is JSON as it is written here: two members of one name are one to a reader here, and another one
    to a reader elsewhere."""
    try:
        return canonical_json(read_json_text(text)) == text
    except (ValueError, TypeError):
        return False


def _logged_row(connection: Connection, org_id: str, revision: int, name: str, key: str) -> dict[str, object]:
    query = select(change_log.c.body).where(change_log.c.org_id == org_id, change_log.c.revision == revision)
    found: dict[str, object] = {}
    start = f'["{name}",{key},'.encode()
    for body in connection.execute(query.order_by(change_log.c.part)).scalars():
        for line in read_part(body):
            if line.text is not None and line.text.startswith(start):
                found = read_json(line.text).values or {}
    return found
