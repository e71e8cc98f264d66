"""How large a compressed file may become, found out before it is: a small file can hold more than any memory.

A workbook is a ZIP of XML, and is read through once in small pieces. What counts is what the reader would make of it: a
rectangle from the first cell to the last one, however few are filled, with each shared text as often as it is used.
"""

import lzma
import re
import zipfile
import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple
from xml.parsers import expat

from engine.model.errors import InvalidData

MOST_ROWS = 5_000_000
MOST_CELLS = 50_000_000
MOST_EXPANDED = 2 * 1024**3  # bytes
MOST_PARTS = 10_000
PIECE = 1 << 18
# what the readers of ZIP and XML say of bytes that are none, or of a compression or an encoding that they do not know
UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    NotImplementedError,
    RuntimeError,
    OSError,
    ValueError,
    LookupError,
    expat.ExpatError,
)
_PLACE = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")
INSTEAD = "split it, or import CSV, which has no such limit"


class SizeBounds(NamedTuple):
    """How many bytes a workbook or a Parquet file may have when it is unpacked, and what else to do."""

    expanded: int
    instead: str


def bounds_or_own(bounds: SizeBounds | None) -> SizeBounds:
    """The bounds, or those of an import."""
    return bounds or SizeBounds(MOST_EXPANDED, INSTEAD)


class _PartSize:
    """The cells of one XML part, if it is a sheet; the lengths of its texts, if it is the list of shared ones.

    Who wants to know which shared text each cell uses, and how often, says ``exactly``: it takes three times as long.
    """

    def __init__(self, *, exactly: bool) -> None:
        self.rows = self.columns = self.shared_cells = 0
        self.shared: list[int] = []
        self.used: dict[int, int] = {}  # how often each shared text is used
        self._row = self._column = 0
        self._is_shared = False
        self._exactly = exactly
        self._text: list[str] = []
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._begin
        self.parser.StartDoctypeDeclHandler = self._refuse

    def _refuse(self, *_: object) -> None:
        raise InvalidData("a document type is declared in it, which no spreadsheet does")

    def _begin(self, name: str, attributes: dict[str, str]) -> None:
        element = name if ":" not in name else name.rpartition(":")[2]
        if element == "c":
            self._is_shared = attributes.get("t") == "s"
            place = _PLACE.fullmatch(attributes.get("r", ""))
            self._column = _number(place[1]) if place else self._column + 1
            if place:
                self._row = int(place[2])
        elif element == "v" or element == "is" or element == "f":
            if self._row > self.rows:
                self.rows = self._row
            if self._column > self.columns:
                self.columns = self._column
            if element == "v" and self._is_shared:
                self.shared_cells += 1
                if self._exactly:
                    self.parser.CharacterDataHandler = self._text.append
                    self.parser.EndElementHandler = self._use
        elif element == "row":
            number = attributes.get("r", "")
            known = number.isascii() and number.isdigit() and len(number) < 10
            self._row = int(number) if known else self._row + 1
            self._column = 0
        elif element == "si":
            self.shared.append(0)
        elif element == "t" and self.shared:
            self.parser.CharacterDataHandler = self._lengthen
            self.parser.EndElementHandler = self._stop

    def _lengthen(self, text: str) -> None:
        self.shared[-1] += len(text)

    def _use(self, name: str) -> None:
        index = "".join(self._text).strip()
        if index.isascii() and index.isdigit() and len(index) < 10:
            self.used[int(index)] = self.used.get(int(index), 0) + 1
        self._text.clear()
        self._stop(name)

    def _stop(self, name: str) -> None:
        self.parser.CharacterDataHandler = self.parser.EndElementHandler = None


def check_workbook(path: Path, bounds: SizeBounds | None = None) -> None:
    """InvalidData for a workbook that would become larger than ``bounds``, those of an import without."""
    bounds = bounds_or_own(bounds)
    try:
        sizes = _sizes(path, bounds, exactly=False)
        shared = next((size.shared for size in sizes if size.shared), [0])
        if max(shared) * sum(size.shared_cells for size in sizes) <= bounds.expanded:
            return
        used = [one for size in _sizes(path, bounds, exactly=True) for one in size.used.items()]
    except UNREADABLE as error:
        raise InvalidData(f"{path.name} is not an XLSX workbook that can be read: {error}") from error
    texts = sum(shared[index] * count for index, count in used if index < len(shared))
    hold(path.name, "characters in its cells", texts, bounds.expanded, bounds.instead)


def _sizes(path: Path, bounds: SizeBounds, *, exactly: bool) -> list[_PartSize]:
    """The size of every part; InvalidData as soon as they are too large together."""
    sizes: list[_PartSize] = []
    cells = expanded = 0
    with zipfile.ZipFile(path) as workbook:
        parts = workbook.infolist()
        hold(path.name, "parts", len(parts), MOST_PARTS)
        for part in parts:
            size = _PartSize(exactly=exactly)
            for count in _read(workbook, part, size, bounds.expanded):
                expanded += count
                hold(path.name, "bytes when unpacked", expanded, bounds.expanded, bounds.instead)
                hold(path.name, "rows in a sheet", size.rows, MOST_ROWS)
                hold(path.name, "cells", cells + size.rows * size.columns, MOST_CELLS)
            cells += size.rows * size.columns
            sizes.append(size)
    return sizes


def _read(workbook: zipfile.ZipFile, part: zipfile.ZipInfo, size: _PartSize, most: int) -> Iterator[int]:
    """The bytes of each piece of a part once it was looked at, whatever the part says of its own length."""
    part.file_size = most + 2 * PIECE  # at its end the sum is held against the bytes, and they are too many before it
    with workbook.open(part) as source:
        piece = source.read(PIECE)
        is_xml = piece.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<")
        while piece:
            if is_xml:
                try:
                    size.parser.Parse(piece, False)
                except InvalidData as refused:
                    raise zipfile.BadZipFile(refused.message) from refused
            yield len(piece)
            piece = source.read(PIECE)


@cache
def _number(letters: str) -> int:
    """The number of a column: A is 1, AA is 27."""
    total = 0
    for letter in letters:
        total = total * 26 + ord(letter) - 64
    return total


def hold(file: str, what: str, found: int, most: int, instead: str = INSTEAD) -> None:
    """InvalidData beyond ``most``, with what to do instead."""
    if found > most:
        raise InvalidData(f"{file} has more than {most:,} {what}: {instead}.")
