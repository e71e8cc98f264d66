"""Where the copy of each organization stands in its chain: read from the replica once, as nobody else moves it."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import duckdb

from engine.replica.tallies import RowCount

MOST = 256  # organizations whose place is known beyond a sync


class Mark(NamedTuple):
    """Where the copy of an organization stands, whether its past is there, and its counts where they were read."""

    seq: int
    hash: str
    has_past: bool
    counts: Mapping[str, RowCount] | None = None


NOTHING = Mark(0, "", False)


class Watermarks:
    """The marks of a replica that is open, for the one who writes to it."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection
        self._known: dict[str, Mark] = {}

    def read(self, org_ids: Sequence[str]) -> dict[str, Mark]:
        """Where the copy of each organization stands."""
        if not all(org_id in self._known for org_id in org_ids):
            with self._connection.cursor() as cursor:
                rows = cursor.execute("SELECT org_id, seq, hash, has_past FROM watermarks").fetchall()
            stored = {org_id: Mark(*mark) for org_id, *mark in rows}
            for org_id in org_ids:
                self._known.setdefault(org_id, stored.get(org_id, NOTHING))
        return {org_id: self._known[org_id] for org_id in org_ids}

    def put(self, org_id: str, mark: Mark) -> None:
        """Keep where a sync that is committed has left the organization."""
        if len(self._known) >= MOST:
            self._known.clear()
        self._known[org_id] = mark
