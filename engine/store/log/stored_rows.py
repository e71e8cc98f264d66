"""Rows as the log would say them, made of what the database has: no cell becomes a date or a moment on its way.

Whoever compares millions of rows needs their canonical form alone, and the driver's values are nearly that.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from hashlib import sha256
from typing import Any, TypeAlias

import msgspec
from sqlalchemy import Boolean, Column, Connection, Date, Float, Table

from engine.store.database.dialects import canonical_column
from engine.store.log.row_log import logged_columns
from engine.store.types import Instant, Json

PAGE = 2_000  # rows in memory
Cell: TypeAlias = Any  # a value as a driver has it
RowHash: TypeAlias = tuple[str, str, bytes]
"""A table, the canonical form of a row's key, and the hash of the row with the revision that wrote it."""

_encode = msgspec.json.Encoder().encode
_check_json = msgspec.json.Decoder(msgspec.Raw).decode
_FLAGS = {0: False, 1: True}


def row_hash(text: bytes, revision: object) -> bytes:
    """The hash of a row with the revision that wrote it."""
    return sha256(b"%s %s" % (text, str(revision).encode())).digest()


def row_hashes(connection: Connection, org_id: str, table: Table) -> Iterator[list[RowHash]]:
    """The rows that an organization has in a table, a page at a time."""
    form = _form(table, connection.dialect.name)
    for page in _pages(connection, org_id, form):
        yield [form.hash(cells) for cells in page]


def stored_row(connection: Connection, org_id: str, table: Table, key: str) -> tuple[bytes, dict[str, Cell]]:
    """A row of an organization as the log would say it, and its cells by name. KeyError for one that is not there."""
    form = _form(table, connection.dialect.name)
    for page in _pages(connection, org_id, form):
        for cells in page:
            if form.hash(cells)[1] == key:
                return form.text(form.values(cells)), dict(zip(form.names, cells, strict=True))
    raise KeyError(key)


def _pages(connection: Connection, org_id: str, form: "_Form") -> Iterator[Sequence[Sequence[Cell]]]:
    with connection.exec_driver_sql(form.query, (org_id,)) as result:
        while page := result.cursor.fetchmany(PAGE):
            yield page


class _Form:
    def __init__(self, table: Table, dialect: str) -> None:
        keys = [table.c[name] for name in table.info["primary"]]
        columns = sorted(logged_columns(table), key=lambda column: column.name)
        every = [table.c.revision, *keys, *columns]
        owner = table.c.id if table.name == "organizations" else table.c.org_id
        mark, cells = "?" if dialect == "sqlite" else "%s", ", ".join(_query_form(each, dialect) for each in every)
        order = ", ".join(column.name for column in table.primary_key.columns)
        self.query = f"SELECT {cells} FROM {table.name} WHERE {owner.name} = {mark} ORDER BY {order}"  # noqa: S608 - ours
        self.names = [str(column.name) for column in every]
        self._name, self._key = str(table.name), slice(1, 1 + len(keys))
        fields = [(f"column_{place}", Cell, None) for place in range(len(columns))]
        names = {field[0]: str(column.name) for field, column in zip(fields, columns, strict=True)}
        self._columns = msgspec.defstruct("Columns", fields, rename=names, omit_defaults=True)
        self._readers = [(place, reader) for place, each in enumerate(every) if (reader := _reader(each)) is not None]

    def values(self, cells: Sequence[Cell]) -> Sequence[Cell]:
        """Cells as JSON has them."""
        if not self._readers:
            return cells
        values = list(cells)
        for place, reader in self._readers:
            if values[place] is not None:
                values[place] = reader(values[place])
        return values

    def text(self, values: Sequence[Cell]) -> bytes:
        return _encode((self._name, values[self._key], self._columns(*values[self._key.stop :])))

    def hash(self, cells: Sequence[Cell]) -> RowHash:
        values = self.values(cells)
        return self._name, _encode(values[self._key]).decode(), row_hash(self.text(values), cells[0])


_form = cache(_Form)


def _query_form(column: Column[object], dialect: str) -> str:
    kind = "instant" if isinstance(column.type, Instant) else "day" if isinstance(column.type, Date) else "other"
    return str(column.name) if dialect == "sqlite" else canonical_column(column.name, kind)


def _reader(column: Column[object]) -> Callable[[Cell], Cell] | None:
    if isinstance(column.type, Boolean):
        return lambda flag: _FLAGS.get(flag, flag)
    if isinstance(column.type, Float):
        return lambda number: float(number) if isinstance(number, int) else number
    return _raw_json if isinstance(column.type, Json) else None


def _raw_json(text: str) -> msgspec.Raw:
    """JSON as it stands; behind a sign that begins no JSON where it is none, as no line of the log has it."""
    try:
        _check_json(text)
    except (ValueError, TypeError):  # SQLite keeps whatever it is given
        return msgspec.Raw(f"?{text}")
    return msgspec.Raw(text)
