"""How many rows the replica has of each organization in each table, and a digest of them: what it was given.

They are changed in the transaction that changes the rows, and sealed together with the watermark. A file that holds
other rows than its syncs wrote, or stands elsewhere than they left it, is found by reading each column once. The digest
is the sum of the rows' hashes modulo 2^64, so that it knows no order, and a row that is there twice counts twice. It
tells damage and strange hands, not somebody who changes rows and digests together.
"""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from hashlib import sha256
from typing import NamedTuple, TypeAlias

import duckdb

from engine.replica.replica_tables import TALLIED
from engine.store.schema import REPLICATED
from engine.store.types import canonical_json

# ruff: noqa: S608 -- names of tables and columns are ours

_MODULUS = 1 << 64
_MOST_HASHES = 10_000  # that are objects at once
Cell: TypeAlias = str | int | float | bool | date | datetime | None


class RowCount(NamedTuple):
    """The rows of one organization in one table."""

    rows: int
    digest: int


_NONE = RowCount(0, 0)


class RowTally:
    """The counts of one organization while a transaction changes its rows."""

    def __init__(
        self, cursor: duckdb.DuckDBPyConnection, org_id: str, counts: Mapping[str, RowCount] | None = None
    ) -> None:
        self._cursor = cursor
        self._org_id = org_id
        self._stored = stored_counts(cursor, org_id).get(org_id, {}) if counts is None else counts
        self._counts = dict(self._stored)

    @property
    def counts(self) -> dict[str, RowCount]:
        """The counts as they are now; tables without rows are left out."""
        return {name: count for name, count in self._counts.items() if count != _NONE}

    def insert(self, name: str, query: str, parameters: Sequence[Cell] = ()) -> None:
        """Insert the rows of a query into a table."""
        self._run(name, f"INSERT INTO {name} {query} RETURNING {_hash(name)}", parameters, 1)

    def delete(self, name: str, rest: str, parameters: Sequence[Cell] = ()) -> None:
        """Delete rows of a table, which ``rest`` of the statement calls ``kept``."""
        self._run(name, f"DELETE FROM {name} AS kept {rest} RETURNING {_hash(name, 'kept.')}", parameters, -1)

    def clear(self, name: str) -> None:
        """Delete all rows that the organization has in a table."""
        self._cursor.execute(f"DELETE FROM {name} WHERE {TALLIED[name][0]} = ?", [self._org_id])
        self._counts[name] = _NONE

    def save(self, seq: int, digest: str, has_past: bool) -> None:
        """Write down what changed, and where the copy of the organization stands with it."""
        counts = self.counts
        names = sorted(n for n in counts.keys() | self._stored.keys() if counts.get(n) != self._stored.get(n))
        if names:
            marks = ", ".join("?" * len(names))
            self._cursor.execute(f"DELETE FROM tallies WHERE org_id = ? AND name IN ({marks})", [self._org_id, *names])
            there = [(name, *counts[name]) for name in names if name in counts]
            if there:
                values = ", ".join(["(?, ?, ?, ?)"] * len(there))
                flat = [value for row in there for value in (self._org_id, *row)]
                self._cursor.execute(f"INSERT INTO tallies VALUES {values}", flat)
        mark = [self._org_id, seq, digest, has_past]
        self._cursor.execute("DELETE FROM watermarks WHERE org_id = ?", [self._org_id])
        self._cursor.execute("INSERT INTO watermarks VALUES (?, ?, ?, ?, ?)", [*mark, _seal(mark, counts)])

    def _run(self, name: str, statement: str, parameters: Sequence[Cell], sign: int) -> None:
        self._cursor.execute(statement, parameters)
        rows, digest = self._counts.get(name, _NONE)
        while hashes := self._cursor.fetchmany(_MOST_HASHES):
            rows += sign * len(hashes)
            digest += sign * sum(value for (value,) in hashes)
        self._counts[name] = RowCount(rows, digest % _MODULUS)


def stored_counts(cursor: duckdb.DuckDBPyConnection, org_id: str | None = None) -> dict[str, dict[str, RowCount]]:
    """What syncs wrote down, by organization and table."""
    where, given = ("", []) if org_id is None else (" WHERE org_id = ?", [org_id])
    counts: dict[str, dict[str, RowCount]] = {}
    rows = cursor.execute(f"SELECT org_id, name, row_count, digest FROM tallies{where}", given).fetchall()
    for owner, name, count, digest in rows:
        counts.setdefault(owner, {})[name] = RowCount(count, digest)
    return counts


def stored_rows(cursor: duckdb.DuckDBPyConnection, org_id: str) -> dict[str, int]:
    """How many rows of the present syncs wrote down for an organization, by table; those without any are left out."""
    counts = stored_counts(cursor, org_id).get(org_id, {})
    return {name: count.rows for name, count in counts.items() if name in REPLICATED}


def row_counts(cursor: duckdb.DuckDBPyConnection) -> dict[str, dict[str, RowCount]]:
    """What the tables hold, by organization and table: each column of each table is read once."""
    counts: dict[str, dict[str, RowCount]] = {}
    for name, (owner, _) in TALLIED.items():
        query = f"SELECT {owner}, count(*), sum({_hash(name)}) FROM {name} GROUP BY {owner}"
        for org_id, count, total in cursor.execute(query).fetchall():
            counts.setdefault(org_id, {})[name] = RowCount(count, int(total) % _MODULUS)
    return counts


def strange_rows(cursor: duckdb.DuckDBPyConnection) -> str | None:
    """What a copy holds that no sync wrote, in words; None where it is whole."""
    known, there = stored_counts(cursor), row_counts(cursor)
    for org_id in sorted(known.keys() | there.keys(), key=str):
        if difference := _difference(known.get(org_id, {}), there.get(org_id, {})):
            return f"its rows of {org_id} in {difference} are not those that were copied"
    marks = cursor.execute("SELECT org_id, seq, hash, has_past, seal FROM watermarks ORDER BY org_id").fetchall()
    owners = [mark[0] for mark in marks]
    if len(set(owners)) < len(owners) or known.keys() - set(owners):
        return "it does not say once for each organization where it stands"
    for *mark, seal in marks:
        if _seal(mark, known.get(mark[0], {})) != seal:
            return f"it stands elsewhere in the chain of {mark[0]} than it was brought to"
    return None


def _difference(known: dict[str, RowCount], there: dict[str, RowCount]) -> str:
    return ", ".join(sorted(name for name in known.keys() | there.keys() if known.get(name) != there.get(name)))


def _seal(mark: Sequence[object], counts: dict[str, RowCount]) -> str:
    rows = [[name, *counts[name]] for name in sorted(counts)]
    return sha256(canonical_json([list(mark), [[str(cell) for cell in row] for row in rows]]).encode()).hexdigest()


def _hash(name: str, prefix: str = "") -> str:
    return f"hash({', '.join(prefix + column for column in TALLIED[name][1])})"
