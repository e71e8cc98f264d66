"""The change log of one write: each row that it changes, stored in parts beside what else the write holds back."""

from sqlalchemy import Table

from engine.store.log.log_lines import Erasure
from engine.store.log.row_log import RowLog
from engine.store.schema.audit import change_log
from engine.store.writing.statements import Values
from engine.store.writing.write_buffer import WriteBuffer


class LogWriter:
    """What the write ``revision`` of an organization logs. Tables that the log does without are left out."""

    def __init__(self, held: WriteBuffer, org_id: str, revision: int) -> None:
        self.tables: set[str] = set()  # that had a row changed
        self._held = held
        self._org_id = org_id
        self._revision = revision
        self._rows = RowLog()
        self._parts = 0

    def put(self, table: Table, row: Values, *, earlier: bool = False) -> None:
        """A row as it is now, whole. ``earlier``: it was written before there was a log."""
        if table.info["unlogged"] is None:
            self.tables.add(table.name)
            self._rows.put(table, row, earlier=earlier)
            self._store_full_part()

    def log_delete(self, table: Table, key: tuple[object, ...]) -> None:
        """A row that is not there any more."""
        if table.info["unlogged"] is None:
            self.tables.add(table.name)
            self._rows.log_delete(table, key)
            self._store_full_part()

    def log_erasure(self, erasure: Erasure) -> None:
        """Lines that an earlier write logged, and that are gone from the log."""
        self._rows.log_erasure(erasure)
        self._store_full_part()

    def finish(self) -> str | None:
        """Store what waits; the root over all that was logged, None where nothing was."""
        self._store_part()
        return self._rows.root()

    def _store_full_part(self) -> None:
        if self._rows.full and self._store_part():
            self._held.store_rows()

    def _store_part(self) -> bool:
        part = self._rows.take(self._org_id, self._revision)
        if part is None:
            return False
        place = {"org_id": self._org_id, "revision": self._revision, "part": self._parts}
        self._held.insert(change_log, {**place, "rows": part.rows, "body": part.body})
        self._parts += 1
        return True
