"""How good a check is: its rows are broken in known ways, one at a time, and what its answer makes of it is counted.

Seeded by the query, so that the same rows are broken again, and bounded. Rows that the population names are broken
first, others after them: what a check never looks at can only be found out where it could have looked.
"""

import hashlib
import json
import time
from collections.abc import Iterator, Mapping, Set
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta

import duckdb

from engine.evidence.pulls.check_run import CheckAnswer, CheckQueries, answer, loaded_tables, time_limit
from engine.evidence.pulls.declarations import DaySpan
from engine.evidence.pulls.queries import query_shape
from engine.evidence.pulls.tables import EMPTY, SourceTable, identifier, literal

ROWS = 6  # that are broken in each way
EXCHANGED = 5  # values of a column that are tried in other rows
SECONDS = 60.0  # for all breaks of a check
WHOLE_ROW = "*"
_FAR = 4_000  # days
_LARGE = 1_000_000


class _TimeUpError(Exception):
    """What came after it is not counted: the query may have been interrupted."""


@dataclass(frozen=True)
class ProofSubject:
    """A check with the rows that are broken."""

    check_id: str
    query_sha256: str
    queries: CheckQueries
    tables: Mapping[str, SourceTable]
    span: DaySpan


@dataclass(frozen=True)
class BreakCount:
    """One way to break one column (``*``: whole rows), and what became of it."""

    source: str
    field: str
    change: str
    tried: int
    exceptions_changed: int
    outcomes_changed: int
    failures: int
    looked_at: bool


@dataclass(frozen=True)
class CheckProof:
    """What a check notices. ``complete`` is false where the time was up before all was tried."""

    subject: ProofSubject
    before: CheckAnswer
    counts: tuple[BreakCount, ...]
    complete: bool

    @property
    def is_blind(self) -> bool:
        """Whether no break changed an exception."""
        return not any(one.exceptions_changed for one in self.counts)

    @property
    def can_fail(self) -> bool:
        """Whether the check fails, or a break made it fail."""
        return self.before.outcome == "failed" or any(one.failures for one in self.counts)

    @property
    def unseen(self) -> list[str]:
        """Columns, as source.column, whose breaks changed no exception."""
        seen = {(one.source, one.field) for one in self.counts if one.exceptions_changed}
        fields = {(one.source, one.field) for one in self.counts if one.field != WHOLE_ROW}
        return sorted(f"{source}.{field}" for source, field in fields - seen)


def prove(subject: ProofSubject) -> CheckProof:
    """Break copies of the rows of a check, per column, and count what it notices."""
    columns = query_shape(subject.queries.population, "population").columns
    columns |= query_shape(subject.queries.exceptions, "exceptions").columns
    until, counts = time.monotonic() + SECONDS, []
    with loaded_tables(subject.tables) as connection, time_limit(connection):
        before = answer(connection, subject.queries, subject.span)
        with suppress(_TimeUpError):
            for one in _counts(connection, subject, before, columns, until):
                counts.append(one)
            return CheckProof(subject, before, tuple(counts), complete=True)
    return CheckProof(subject, before, tuple(counts), complete=False)


def _counts(
    connection: duckdb.DuckDBPyConnection, subject: ProofSubject, before: CheckAnswer, columns: Set[str], until: float
) -> Iterator[BreakCount]:
    """Each way to break each column; _TimeUpError after ``until``."""
    named = _texts(before.population)
    for source, table in sorted(subject.tables.items()):
        rows = _chosen(subject, source, table, named)
        for field, kind, change, values in _ways(table, subject.span):
            results = [_broken(connection, subject, source, field, kind, values, row, until) for row in rows]
            tried = [result for one in results if (result := [each for each in one if each is not None])]
            yield BreakCount(
                source,
                field,
                change,
                len(tried),
                sum(any(_is_noticed(each, before) for each in one) for one in tried),
                sum(any(each.outcome != before.outcome for each in one) for one in tried),
                sum(before.outcome != "failed" and any(each.outcome == "failed" for each in one) for one in tried),
                field == WHOLE_ROW or field.lower() in columns,
            )


def _is_noticed(after: CheckAnswer, before: CheckAnswer) -> bool:
    """Whether exceptions changed while there was something to test: an emptied population alone is no notice."""
    return after.outcome != "not_tested" and after.exceptions.sha256 != before.exceptions.sha256


def _ways(table: SourceTable, span: DaySpan) -> Iterator[tuple[str, str, str, tuple[str, ...]]]:
    """(column, its type, the name of the change, the SQL of its new values) for whatever can be broken in a table."""
    for change in ("dropped", "doubled"):
        yield WHOLE_ROW, "", change, (change,)
    others = _values(table)
    for field, kind in table.columns:
        cell = identifier(field)
        if kind == EMPTY:  # of no type: a value of each is tried
            yield field, kind, "rekeyed", ("'~'", f"DATE {literal(span.since.isoformat())}", "TRUE", str(_LARGE))
            continue
        yield field, kind, "emptied", ("NULL",)
        if kind == "BOOLEAN":
            yield field, kind, "turned", (f"NOT coalesce({cell}, FALSE)",)
        elif kind in ("BIGINT", "DOUBLE") or kind.startswith("DECIMAL"):
            yield field, kind, "moved", (f"coalesce({cell}, 0) + {_LARGE}", f"coalesce({cell}, 0) - {_LARGE}", "0", "1")
        elif kind in ("DATE", "TIMESTAMP"):
            days = (span.until - timedelta(days=_FAR), span.since, span.until, _later(span.until))
            yield field, kind, "moved", tuple(f"CAST({literal(day.isoformat())} AS {kind})" for day in days)
        elif kind in ("VARCHAR", "JSON"):
            value = f"coalesce({cell}::VARCHAR, '') || '~'"
            yield field, kind, "rekeyed", (value if kind == "VARCHAR" else f"to_json({value})",)
        if kind in ("VARCHAR", "BIGINT") and len(others[field]) > 1:
            yield field, kind, "exchanged", tuple(others[field])


def _values(table: SourceTable) -> dict[str, list[str]]:
    """Some values of each column as SQL: what one row says could stand in another."""
    found: dict[str, dict[object, None]] = {name: {} for name, _ in table.columns}
    for line in table.lines.splitlines():
        for name, cell in json.loads(line).items():
            if isinstance(cell, str | int) and not isinstance(cell, bool) and len(found[name]) < EXCHANGED:
                found[name][cell] = None
    return {name: [literal(str(cell)) for cell in cells] for name, cells in found.items()}


def _later(day: date) -> date:
    return day + timedelta(days=_FAR)


def _broken(
    connection: duckdb.DuckDBPyConnection,
    subject: ProofSubject,
    source: str,
    field: str,
    kind: str,
    values: tuple[str, ...],
    row: int,
    until: float,
) -> list[CheckAnswer | None]:
    """What the check answers when a row is broken, for each of the values; None where the row was so before.

    Each break is a transaction that is undone, after which the rows are in their old order and places.
    """
    table = identifier(source)
    results: list[CheckAnswer | None] = []
    for value in values:
        if field == WHOLE_ROW:
            change = (
                f"DELETE FROM {table} WHERE rowid = {row}"  # noqa: S608 - quoted
                if value == "dropped"
                else f"INSERT INTO {table} SELECT * FROM {table} WHERE rowid = {row}"  # noqa: S608 - quoted
            )
        elif kind == EMPTY:
            filled = f"CASE WHEN rowid = {row} THEN {value} END AS {identifier(field)}"
            change = f"CREATE OR REPLACE TABLE {table} AS SELECT * REPLACE ({filled}) FROM {table} ORDER BY rowid"  # noqa: S608 - quoted
        else:
            new = f"CAST({value} AS {kind})"
            cell = identifier(field)
            change = f"UPDATE {table} SET {cell} = {new} WHERE rowid = {row} AND {cell} IS DISTINCT FROM {new}"  # noqa: S608 - quoted
        connection.begin()
        try:
            changed = connection.execute(change).fetchone()
            is_broken = bool(changed and changed[0])
            results.append(answer(connection, subject.queries, subject.span, counted=True) if is_broken else None)
        finally:
            connection.rollback()
        if time.monotonic() > until:
            raise _TimeUpError
    return results


def _chosen(subject: ProofSubject, source: str, table: SourceTable, named: frozenset[str]) -> list[int]:
    """The rows of a table to break, by their place: half of those that the population names, the rest of all others."""
    near: list[tuple[bytes, int]] = []
    far: list[tuple[bytes, int]] = []
    for number, line in enumerate(table.lines.splitlines()):
        cells = json.loads(line).values()
        digest = hashlib.sha256(f"{subject.query_sha256} {source} {number}".encode()).digest()
        (near if any(isinstance(cell, str) and cell in named for cell in cells) else far).append((digest, number))
    first = sorted(near)[: ROWS if len(far) == 0 else max(ROWS // 2, ROWS - len(far))]
    return [number for _, number in [*first, *sorted(far)[: ROWS - len(first)]]]


def _texts(table: SourceTable) -> frozenset[str]:
    """Every text in a table."""
    cells = (cell for line in table.lines.splitlines() for cell in json.loads(line).values())
    return frozenset(cell for cell in cells if isinstance(cell, str))
