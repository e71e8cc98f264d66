"""The lines of the change log as they are stored, read and written; ``row_log`` says what they mean."""

import os
import zlib
from binascii import unhexlify
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from engine.model import merkle

SALT_BYTES, LEAF_BYTES = 16, 32
ERASED = "change_log"  # in place of a table: lines of the log itself
_MOST_PLACES = 1 << 53
_LEVEL = 1  # of compression: more takes longer than the write

_encode = msgspec.json.Encoder(order="sorted").encode
_decode = msgspec.json.Decoder().decode
_ERASED = b'["%s",' % ERASED.encode()
_DELETION = b"],null]"  # how the line of a row that went ends


class LoggedRow(NamedTuple):
    """A row as a write left it; ``values`` None where it went, without its key and nulls where it is there.

    ``written`` is the revision that wrote it, where that was before there was a log.
    """

    table: str
    key: tuple[object, ...]
    values: dict[str, object] | None
    written: int | None = None


def read_json(line: bytes) -> LoggedRow:
    """A row of the log. ValueError for what is none."""
    match _decode(line):
        case [str(table), [*key], dict() | None as values]:
            return LoggedRow(table, tuple(key), values)
        case [str(table), [*key], dict(values), int(written)]:
            return LoggedRow(table, tuple(key), values, written)
    raise ValueError(f"expected a table, a key and columns, found {line[:80]!r}")


class RawRow(NamedTuple):
    """A row of the log of which the key stays as it was written, and of its columns whether there are any."""

    table: str
    key: bytes
    is_gone: bool
    written: int | None


class _Row(msgspec.Struct, array_like=True, forbid_unknown_fields=True, gc=False):
    table: str
    key: msgspec.Raw
    values: msgspec.Raw
    written: int | None = None


_decode_row = msgspec.json.Decoder(_Row).decode


def read_raw(line: bytes) -> RawRow:
    """A row of the log to be compared, not looked into. ValueError for what is none."""
    row = _decode_row(line.decode())
    key, start = bytes(row.key), bytes(row.values)[:1]
    if key[:1] != b"[" or start not in (b"{", b"n"):
        raise ValueError(f"expected a table, a key and columns, found {line[:80]!r}")
    return RawRow(row.table, key, start == b"n", row.written)


class Erasure(NamedTuple):
    """Lines of a part of the log, by their places in it, of which the leaf alone is left.

    ``instead`` has for each place the leaf of the line that is read in its place, in hex; it is empty where none is.
    """

    revision: int
    part: int
    places: list[int]
    instead: list[str] = []  # noqa: RUF012 - never changed


def erasure_json(erasure: Erasure) -> bytes:
    """The canonical form of what is said of lines that are erased."""
    said = [ERASED, [erasure.revision, erasure.part], erasure.places]
    return _encode([*said, erasure.instead] if erasure.instead else said)


def read_erased(line: bytes) -> Erasure | None:
    """What a line says of lines that are erased; None for one of a row. ValueError."""
    if not line.startswith(_ERASED):
        return None
    match _decode(line):
        case [_, [int(revision), int(part)], [*places]] if all(map(_is_place, [revision, part, *places])):
            return Erasure(revision, part, places)
        case [_, [int(revision), int(part)], [*places], [*instead]] if all(
            map(_is_place, [revision, part, *places])
        ) and len(instead) == len(places):
            for leaf in instead:
                _of_hex(str(leaf).encode(), LEAF_BYTES)
            return Erasure(revision, part, places, instead)
    raise ValueError(f"expected a revision, a part and places, found {line[:80]!r}")


def _is_place(value: object) -> bool:
    return isinstance(value, int) and 0 <= value < _MOST_PLACES


def logged_json(row: LoggedRow) -> bytes:
    """The canonical form of a row that was read from the log."""
    values = row.values if row.values is None else {name: v for name, v in row.values.items() if v is not None}
    said = [row.table, list(row.key), values]
    return _encode(said if row.written is None else [*said, row.written])


def as_logged(line: bytes, row: LoggedRow | RawRow) -> bytes:
    """What the log would say of a row, had it been written by the revision that logged it."""
    return line if row.written is None else line[: line.rindex(b",")] + b"]"


class LogLine(NamedTuple):
    """A line of the log as it is stored; ``text`` is the row as it was hashed, None for one that was erased.

    ``instead`` is the leaf of ``text`` where that is read in place of what was hashed.
    """

    stored: bytes
    leaf: bytes
    text: bytes | None
    instead: bytes | None = None

    @property
    def is_erased(self) -> bool:
        """Whether what was hashed is gone."""
        return self.text is None or self.instead is not None


def read_part(body: bytes) -> Iterator[LogLine]:
    """The lines of a part. ValueError for what is none, as from all that read one here."""
    for line in _inflate(body).splitlines():
        if line[32:33] == b" ":
            yield LogLine(line, _leaf(line), line[33:])
        elif line[64:65] == b" ":
            yield LogLine(line, _of_hex(line[:64], LEAF_BYTES), line[98:], _leaf(line[65:]))
        else:
            yield LogLine(line, _of_hex(line, LEAF_BYTES), None)


def _inflate(body: bytes) -> bytes:
    try:
        inflate = zlib.decompressobj()
        content = inflate.decompress(body)
    except (zlib.error, TypeError) as error:  # SQLite may have a text there
        raise ValueError(str(error)) from error
    if not inflate.eof or inflate.unused_data:
        raise ValueError("it breaks off" if not inflate.eof else f"{len(inflate.unused_data)} bytes come after its end")
    return content


def _leaf(line: bytes) -> bytes:
    if line[32:33] != b" ":
        raise ValueError(f"expected a salt and a text, found {line[:80]!r}")
    return merkle.leaf_hash(_of_hex(line[:32], SALT_BYTES) + line[33:])


def _of_hex(digits: bytes, size: int) -> bytes:
    content = unhexlify(digits)
    if len(content) != size or digits != digits.lower():
        raise ValueError(f"expected {2 * size} hex digits, found {digits[:80]!r}")
    return content


def line_instead(line: LogLine, row: LoggedRow) -> LogLine:
    """A line to be read in place of another, of which the leaf stays."""
    text, salt = logged_json(row), os.urandom(SALT_BYTES)
    stored = b"%s %s %s" % (line.leaf.hex().encode(), salt.hex().encode(), text)
    return LogLine(stored, line.leaf, text, merkle.leaf_hash(salt + text))


def logged_rows(body: bytes) -> Iterator[LoggedRow]:
    """The rows of a part that are not erased, without a look at their leaves."""
    return _rows(_inflate(body))


def logged_texts(body: bytes) -> Iterator[bytes]:
    """The texts of those rows, not parsed."""
    return _texts(_inflate(body))


def key_json(key: Sequence[object]) -> bytes:
    """A key as a line of the log has it."""
    return _encode(list(key))


def row_deletions(body: bytes) -> Iterator[LoggedRow]:
    """Those of them that went. Nearly no part has any: of the others nothing is parsed."""
    content = _inflate(body)
    if _DELETION in content:
        yield from (row for row in _rows(content) if row.values is None)


def _rows(content: bytes) -> Iterator[LoggedRow]:
    return map(read_json, _texts(content))


def _texts(content: bytes) -> Iterator[bytes]:
    for line in content.splitlines():
        if line[32:33] == b" ":
            if not line.startswith(_ERASED, 33):
                yield line[33:]
        elif line[64:65] == b" ":
            yield line[98:]


def pack(lines: Iterable[bytes]) -> bytes:
    """Lines as they are stored."""
    return zlib.compress(b"".join(line + b"\n" for line in lines), _LEVEL)
