"""Whether every row is as the change log says: the tables are rebuilt from it and compared, in memory that stays flat.

What the log says of each row is held as a hash in a temporary database on disk, and so is what the tables say.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import Connection, Table, Text, select, type_coerce

from engine.store.log.log_check import TABLES, Counting, UnsoundLogError, read_log, row_hash
from engine.store.log.log_lines import read_json, read_part
from engine.store.log.part_check import wrong_part
from engine.store.log.row_log import key_json, row_json
from engine.store.rows import FEW_THOUSAND
from engine.store.schema import LOGGED
from engine.store.schema.audit import change_log
from engine.store.types import Json, canonical_json, read_json_text
from engine.store.writing.batches import in_batches

BATCH = 2_000
_SHOWN = 200  # characters of a value
_PRESENT = "CREATE TABLE present (name, key, hash, PRIMARY KEY (name, key)) WITHOUT ROWID"


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


def check_rows(connection: Connection, org_id: str, progress: Counting = lambda done, total: None) -> RowCheck:
    """Rebuild the rows of an organization from the change log and compare them with those that are there.

    ``connection`` sees one state of the store for as long as that takes.
    """
    with closing(sqlite3.connect("")) as ledger:  # no name: SQLite puts it into a file where it grows
        for statement in (*TABLES, _PRESENT):
            ledger.execute(statement)
        try:
            revisions = read_log(connection, org_id, ledger, progress)
            rows = sum(_read_table(connection, org_id, table, ledger) for table in LOGGED.values())
        except UnsoundLogError as error:
            return RowCheck(org_id, 0, 0, str(error))
        found = _first_difference(connection, org_id, ledger)
        newest = dict(ledger.execute("SELECT name, max(revision) FROM logged GROUP BY name").fetchall())
    if found is None:
        return RowCheck(org_id, rows, revisions, wrong_part(connection, org_id, newest))
    return RowCheck(org_id, rows, revisions, f"{found.problem}; {_by(found.revision)}", found)


# -- the tables --------------------------------------------------------------------------------------------------------


def _read_table(connection: Connection, org_id: str, table: Table, ledger: sqlite3.Connection) -> int:
    """How many rows of the organization a table has; their hashes go into the ledger."""
    count = 0
    try:
        for batch in in_batches(_rows(connection, org_id, table, ledger), BATCH):
            found = [
                (table.name, key_json(table, row).decode(), row_hash(row_json(table, row), row["revision"]))
                for row in batch
            ]
            ledger.executemany("INSERT INTO present VALUES (?, ?, ?)", found)
            count += len(found)
    except sqlite3.IntegrityError:
        raise UnsoundLogError(f"{table.name} has one row twice: its primary key is gone") from None
    except (ValueError, TypeError, AttributeError) as error:  # SQLite keeps whatever it is given
        raise UnsoundLogError(f"{table.name} has a value that is none of its column: {error}") from error
    return count


def _rows(
    connection: Connection, org_id: str, table: Table, ledger: sqlite3.Connection | None = None
) -> Iterator[dict[str, object]]:
    """Every row of an organization. JSON is taken as it stands: two members of one name are one to a reader here, and
    another one to a reader elsewhere."""
    documents = [column.name for column in table.columns if isinstance(column.type, Json)]
    columns = [
        type_coerce(column, Text).label(column.name) if column.name in documents else column for column in table.columns
    ]
    query = select(*columns).where((table.c.id if table.name == "organizations" else table.c.org_id) == org_id)
    with connection.execute(query.execution_options(yield_per=FEW_THOUSAND)) as found:
        for mapping in found.mappings():
            row = dict(mapping)
            for name in documents:
                text = row[name]
                row[name] = _of_json(text)
                if ledger is not None and text is not None and canonical_json(row[name]) != text:
                    raise UnsoundLogError(_problem_text(table, row, name, text, ledger))
            yield row


def _of_json(text: Any) -> Any:
    """What a text says; None where it says nothing."""
    try:
        return None if text is None else read_json_text(text)
    except ValueError:
        return None


def _problem_text(table: Table, row: dict[str, object], column: str, text: object, ledger: sqlite3.Connection) -> str:
    key = key_json(table, row).decode()
    by = ledger.execute("SELECT revision FROM logged WHERE name = ? AND key = ?", (table.name, key)).fetchone()
    said = f"{table.name} {key} has in {column} what is no JSON in its one form: found {str(text)[:_SHOWN]!r}"
    return f"{said}; {_by(by[0] if by else None)}"


def _by(revision: int | None) -> str:
    return "no revision wrote it" if revision is None else f"revision {revision} wrote it last"


# -- what differs ------------------------------------------------------------------------------------------------------

_DIFFERENCES = """
    SELECT name, key, l.revision, l.hash IS NOT NULL, p.hash IS NOT NULL
    FROM logged l LEFT JOIN present p USING (name, key) WHERE l.hash IS NOT p.hash
    UNION ALL
    SELECT name, key, NULL, 0, 1 FROM present p
    WHERE NOT EXISTS (SELECT 1 FROM logged l WHERE l.name = p.name AND l.key = p.key)
    ORDER BY 1, 2 LIMIT 1
"""


def _first_difference(connection: Connection, org_id: str, ledger: sqlite3.Connection) -> RowDifference | None:
    row = ledger.execute(_DIFFERENCES).fetchone()
    if row is None:
        return None
    name, key, revision, logged, present = row
    said = f"{name} {key}"
    if not logged:
        return RowDifference(name, key, None, revision, f"{said} is there and the log has no such row")
    if not present:
        return RowDifference(name, key, None, revision, f"{said} is missing")
    was = _logged_row(connection, org_id, revision, name, key)
    now = _present_row(connection, org_id, LOGGED[name], key)
    columns = sorted(name for name in {**was, **now} if canonical_json(was.get(name)) != canonical_json(now.get(name)))
    if not columns:
        return RowDifference(
            name, key, "revision", revision, f"{said} differs in revision: it is not that of its write"
        )
    shown = f"{said} differs in {columns[0]}: logged {was.get(columns[0])!r}, found {now.get(columns[0])!r}"
    return RowDifference(name, key, columns[0], revision, shown)


def _logged_row(connection: Connection, org_id: str, revision: int, name: str, key: str) -> dict[str, object]:
    query = select(change_log.c.body).where(change_log.c.org_id == org_id, change_log.c.revision == revision)
    found: dict[str, object] = {}
    start = f'["{name}",{key},'.encode()
    for body in connection.execute(query.order_by(change_log.c.part)).scalars():
        for line in read_part(body):
            if line.text is not None and line.text.startswith(start):
                found = read_json(line.text).values or {}
    return found


def _present_row(connection: Connection, org_id: str, table: Table, key: str) -> dict[str, object]:
    for row in _rows(connection, org_id, table):
        if key_json(table, row).decode() == key:
            return read_json(row_json(table, row)).values or {}
    return {}
