"""What the revisions of one transaction hold back, so that it reaches the database in few statements: each statement
lets other threads in, and under load that costs more than the statement itself."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

from sqlalchemy import Connection, Table

from engine.model.errors import Problem
from engine.store.chain.events import EventBuffer
from engine.store.log.part_heads import move_parts
from engine.store.writing.statements import Values, insert_rows, update_rows

MOST_KNOWN = 2_000
_Key = tuple[object, ...]

V = TypeVar("V")
Lookup: TypeAlias = Callable[[Connection, str, Sequence[str]], Mapping[str, V]]
"""A look-up by key within an organization; keys without a value are absent from the answer."""
Read = Lookup[object]


class LookupCache:
    """Look-ups of one organization. They hold as long as its head stands where it stood: recorded writes move it.

    Within a transaction they end whenever somebody is handed the connection, who must use it before he asks again.
    """

    def __init__(self) -> None:
        self._values: dict[tuple[Read, str], Any] = {}  # each look-up has values of its own type

    def clear(self) -> None:
        """Forget all: the database may say something else by now."""
        self._values = {}

    def missing(self, read: Read, keys: Sequence[str]) -> list[str]:
        """Those of the keys that were not looked up yet, each once."""
        return [key for key in dict.fromkeys(keys) if (read, key) not in self._values]

    def get(self, read: Lookup[V], key: str) -> V | None:
        """What a key was found to have; None for nothing."""
        value: V | None = self._values[read, key]
        return value

    def put(self, read: Lookup[V], key: str, value: V | None) -> None:
        """Remember one answer."""
        self._values[read, key] = value

    def trim(self) -> None:
        """Forget all when it is too much to keep beyond the transaction."""
        if len(self._values) > MOST_KNOWN:
            self.clear()


class WriteBuffer:
    """Events, rows and look-ups of one organization within one transaction."""

    def __init__(self, connection: Connection, org_id: str, known: LookupCache | None = None) -> None:
        self.connection = connection
        self.events = EventBuffer(connection)
        self._org_id = org_id
        self.known = known or LookupCache()
        self._rows: dict[Table, dict[_Key, _Row]] = {}
        self._parts: dict[str, tuple[int, str]] = {}

    def look_up(self, read: Lookup[V], keys: Sequence[str]) -> dict[str, V | None]:
        """The values of keys, from memory where they are known; None for what there is not."""
        missing = self.known.missing(read, keys)
        if missing:
            self.store_rows()
            content = read(self.connection, self._org_id, missing)
            for key in missing:
                self.known.put(read, key, content.get(key))
        return {key: self.known.get(read, key) for key in keys}

    def cache_lookup(self, read: Lookup[V], key: str, value: V | None) -> None:
        """What ``read`` would find under a key after the writes that wait."""
        self.known.put(read, key, value)

    def insert(self, table: Table, row: Values) -> None:
        """Keep a complete new row."""
        key = _key(table, row)
        if key in self._of(table):
            self.store_rows()  # there may be two of a key: the database says so
        self._of(table)[key] = _Row(True, dict(row))

    def update(self, table: Table, key: Values, values: Values) -> None:
        """Keep changed values of a row, whose primary key is ``key``."""
        rows = self._of(table)
        held = rows.setdefault(_key(table, key), _Row(False, dict(key)))
        held.values.update(values)

    def move_parts(self, parts: Iterable[str], head: tuple[int, str]) -> None:
        """Keep that a write which ended at ``head`` changed these parts of the records."""
        self._parts.update(dict.fromkeys(parts, head))

    def _of(self, table: Table) -> "dict[_Key, _Row]":
        return self._rows.setdefault(table, {})

    def settle(self) -> None:
        """Somebody is about to use the database itself: rows are written, and look-ups are not known any more."""
        self.store_rows()
        self.known.clear()

    def store_rows(self) -> None:
        """Write the rows that wait; Problem when one to be changed is gone. They wait on when that fails: whoever made
        them hears of it even if whoever asked swallows it."""
        for table, rows in self._rows.items():
            shapes: dict[tuple[bool, tuple[str, ...]], list[Values]] = {}
            for row in rows.values():
                shapes.setdefault((row.new, tuple(row.values)), []).append(row.values)
            for (new, names), values in shapes.items():
                if new:
                    insert_rows(self.connection, table, names, values)
                elif update_rows(self.connection, table, names, values) != len(values):
                    raise Problem(f"A row of {table.name} was gone before it could be changed; nothing was.")
        self._rows = {}

    def store(self) -> None:
        """Write everything that waits."""
        self.store_rows()
        self.events.store()
        move_parts(self.connection, self._org_id, self._parts)
        self._parts = {}

    def drop(self) -> None:
        """Forget everything: what it belonged to is undone."""
        self._rows = {}
        self._parts = {}
        self.known.clear()
        self.events.drop()


class _Row:
    __slots__ = ("new", "values")

    def __init__(self, new: bool, values: dict[str, object]) -> None:
        self.new = new
        self.values = values


def _key(table: Table, row: Values) -> _Key:
    return tuple(row[name] for name in ("org_id", *table.info["primary"]))
