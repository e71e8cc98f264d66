"""The change log: every row that a write changes, whole, as it became, under one root that the chain commits to.

A line for each row: ``<salt as 32 hex digits> <JSON>``, where JSON is ``["table", [key values], {column: value}]`` in
canonical form (sorted, no white space, nulls left out), and ``null`` in place of the columns for a row that went. A row
from before there was a log has the revision that had written it as a fourth member. Its
leaf is ``SHA-256(0x00 || salt || JSON)``; the RFC 6962 root over the leaves in their order is the member ``changes`` of
the write's last event. A row that is erased leaves its leaf, ``<64 hex digits>``, so that the others are still proved;
who erases says so: ``["change_log", [revision, part], [places]]``, or nobody could tell it from a row that was hidden.
Of a row that named a person who was erased, the line that it is read as from then on stands behind that leaf:
``<64 hex digits> <salt> <JSON>``. Its own leaf is what the erasing write says at that place of a fourth member.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from functools import cache
from hashlib import sha256
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Boolean, Column, Date, Float, Table

from engine.model import merkle
from engine.store.log.log_lines import SALT_BYTES, Erasure, erasure_json, pack
from engine.store.types import Instant, instant_text
from engine.store.writing.statements import Values

SEED: bytes | None = None  # set, salts follow from it: the same writes have the same bytes, and anybody can guess them
PART_ROWS = 2_000

_encode = msgspec.json.Encoder(order="sorted").encode


class _Shape:
    def __init__(self, table: Table) -> None:
        self.table = str(table.name)  # of a type of its own, which no encoder knows
        self.key = [(name, _form(table.c[name])) for name in table.info["primary"]]
        self.columns = [(str(column.name), _form(column)) for column in logged_columns(table)]


_shape = cache(_Shape)


def logged_columns(table: Table) -> list[Column[object]]:
    """The columns of which the log says something, but for those of the key."""
    left_out = {"id" if table.name == "organizations" else "org_id", "revision", *table.info["primary"]}
    return [c for c in table.columns if c.name not in left_out and not c.info.get("unlogged")]


def _form(column: Column[object]) -> Callable[[Any], object] | None:  # a value of the column's type
    if isinstance(column.type, Float):
        return float
    if isinstance(column.type, Boolean):
        return bool
    if isinstance(column.type, Instant):
        return instant_text
    if isinstance(column.type, Date):
        return date.isoformat
    return None


def _key(shape: _Shape, values: Sequence[object]) -> list[object]:
    return [value if form is None else form(value) for (_, form), value in zip(shape.key, values, strict=True)]


def row_json(table: Table, row: Values) -> bytes:
    """The canonical form of a row that is there."""
    shape = _shape(table)
    values = {}
    for name, form in shape.columns:
        value = row.get(name)
        if value is not None:
            values[name] = value if form is None else form(value)
    return _encode([shape.table, _key(shape, [row[name] for name, _ in shape.key]), values])


def earlier_json(table: Table, row: Values) -> bytes:
    """The same of a row that was there before there was a log, with the revision that wrote it."""
    return row_json(table, row)[:-1] + b"," + _encode(row["revision"]) + b"]"


def delete_json(table: Table, key: tuple[object, ...]) -> bytes:
    """The canonical form of a row that went."""
    shape = _shape(table)
    return _encode([shape.table, _key(shape, key), None])


def key_json(table: Table, row: Values) -> bytes:
    """The canonical form of a row's key."""
    shape = _shape(table)
    return _encode(_key(shape, [row[name] for name, _ in shape.key]))


class LogPart(NamedTuple):
    """Lines of the log as they are stored."""

    rows: int
    body: bytes


class RowLog:
    """What one write changed. Of a row that it changed twice only the last version counts, unless much lies between."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[str, tuple[object, ...]], tuple[Table, Values | None, bool]] = {}
        self._erased: list[bytes] = []
        self._leaves: list[bytes] = []

    def put(self, table: Table, row: Values, *, earlier: bool = False) -> None:
        """A row as it is now. ``earlier``: it was written before there was a log."""
        self._waiting[table.name, tuple(row[name] for name in table.info["primary"])] = (table, row, earlier)

    def log_delete(self, table: Table, key: tuple[object, ...]) -> None:
        """A row that is not there any more."""
        self._waiting[table.name, key] = (table, None, False)

    def log_erasure(self, erasure: Erasure) -> None:
        """Lines of an earlier write of which the leaf alone is left."""
        self._erased.append(erasure_json(erasure))

    @property
    def full(self) -> bool:
        """Whether enough waits for a part."""
        return len(self._waiting) + len(self._erased) >= PART_ROWS

    def take(self, org_id: str, revision: int) -> LogPart | None:
        """What waits, as a part; None where nothing does."""
        texts = [*self._texts(), *self._erased]
        if not texts:
            return None
        lines = []
        for salt, text in zip(_salts(len(texts), org_id, revision, len(self._leaves)), texts, strict=True):
            self._leaves.append(merkle.leaf_hash(salt + text))
            lines.append(b"%s %s" % (salt.hex().encode(), text))
        self._waiting, self._erased = {}, []
        return LogPart(len(lines), pack(lines))

    def _texts(self) -> Iterator[bytes]:
        for (_, key), (table, row, earlier) in self._waiting.items():
            if row is None:
                yield delete_json(table, key)
            else:
                yield earlier_json(table, row) if earlier else row_json(table, row)

    def root(self) -> str | None:
        """The root over all that was taken, in hex; None where nothing was."""
        return merkle.root(self._leaves).hex() if self._leaves else None


@contextmanager
def salts_from(seed: bytes) -> Iterator[None]:
    """In the block, salts of this process follow from ``seed``: for invented records, which have nothing to hide."""
    global SEED
    before, SEED = SEED, seed
    try:
        yield
    finally:
        SEED = before


def _salts(count: int, org_id: str, revision: int, first: int) -> Iterator[bytes]:
    if SEED is None:
        drawn = os.urandom(count * SALT_BYTES)
        yield from (drawn[start : start + SALT_BYTES] for start in range(0, len(drawn), SALT_BYTES))
    else:
        for place in range(first, first + count):
            yield sha256(b"%s %s %d %d" % (SEED, org_id.encode(), revision, place)).digest()[:SALT_BYTES]
