"""The headers of the pages of a Parquet file: how many bytes each has once it is unpacked.

Headers are structures in Thrift's compact protocol; three numbers of them matter, the rest is passed over.
See parquet.apache.org/docs/file-format/data-pages, and the specification of that protocol in apache/thrift.
"""

from collections.abc import Iterator
from typing import BinaryIO

MOST_PAGES = 100_000
HEADER_BYTES = 1 << 16  # a header has statistics of two values at most
_UNPACKED, _PACKED, _DATA, _DATA_2 = 2, 3, 5, 8  # fields of a page header
_VALUES = 1  # of what it says of a page of data
_BOOLEANS, _BYTE, _NUMBERS, _DOUBLE, _BINARY, _LISTS, _STRUCT = (1, 2), 3, (4, 5, 6), 7, 8, (9, 10), 12
DEEPEST = 8


def page_sizes(raw: BinaryIO, start: int, length: int, values: int) -> Iterator[int]:
    """The unpacked bytes of each page of a column, until as many values came as it has. ValueError for no page."""
    position, seen, pages = start, 0, 0
    while position < start + length and seen < values:
        raw.seek(position)
        header = _Header(raw.read(min(HEADER_BYTES, start + length - position)))
        fields = header.fields(DEEPEST)
        unpacked, packed, pages = fields.get((_UNPACKED,), -1), fields.get((_PACKED,), -1), pages + 1
        if unpacked < 0 or packed < 0 or pages > MOST_PAGES:
            raise ValueError(f"page {pages} of a column has no size, or there are more than {MOST_PAGES:,}")
        yield unpacked
        seen += fields.get((_DATA, _VALUES), 0) + fields.get((_DATA_2, _VALUES), 0)
        position += header.position + packed


class _Header:
    """Reads a structure from its bytes. ValueError where they end or are none."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self.position = 0

    def fields(self, depth: int) -> dict[tuple[int, ...], int]:
        """The numbers of the structure, and of those in it, by the path of their fields."""
        if not depth:
            raise ValueError("a page header is too deep")
        found: dict[tuple[int, ...], int] = {}
        field = 0
        while head := self._byte():
            field = field + (head >> 4) if head >> 4 else self._number()
            kind = head & 15
            if kind in _NUMBERS:
                found[(field,)] = self._number()
            elif kind == _STRUCT:
                found |= {(field, *path): number for path, number in self.fields(depth - 1).items()}
            elif kind not in _BOOLEANS:
                self._skip(kind, depth)
        return found

    def _skip(self, kind: int, depth: int) -> None:
        if kind in (_BYTE, *_BOOLEANS):  # in a list a boolean has a byte
            self._pass(1)
        elif kind in _NUMBERS:
            self._varint()
        elif kind == _DOUBLE:
            self._pass(8)
        elif kind == _BINARY:
            self._pass(self._varint())
        elif kind in _LISTS:
            head = self._byte()
            for _ in range(head >> 4 if head >> 4 < 15 else self._varint()):
                self._skip(head & 15, depth)
        elif kind == _STRUCT:
            self.fields(depth - 1)
        else:  # no page header has a map
            raise ValueError(f"{kind} is no kind of a field of a page header")

    def _pass(self, count: int) -> None:
        self.position += count
        if self.position > len(self._content):
            raise ValueError("a page header ends too early")

    def _byte(self) -> int:
        self._pass(1)
        return self._content[self.position - 1]

    def _varint(self) -> int:
        number = shift = 0
        while True:
            byte = self._byte()
            number |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return number
            if shift > 63:
                raise ValueError("a number of a page header is too long")

    def _number(self) -> int:
        zigzag = self._varint()
        return (zigzag >> 1) ^ -(zigzag & 1)
