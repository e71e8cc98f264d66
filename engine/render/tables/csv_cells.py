"""The cells of a CSV file: what a spreadsheet would take for a formula, and what needs quotes. Without Polars."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

_INVISIBLE = (  # Unicode's categories Cc and Cf, which Python's expressions have no word for
    r"\s\x00-\x1f\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f\u202a-\u202e"
    r"\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3"
    r"\U0001d173-\U0001d17a\U000e0001\U000e0020-\U000e007f"
)
EMPTY = '""'  # the only cell of a line: an empty line would be skipped
_FORMULA = re.compile(rf"[{_INVISIBLE}]*[=+\-@|`\\＝＋－＠｜｀＼\t\r\n\x00]")
_NUMBER = re.compile(r"-[0-9]+(\.[0-9]+)?")
_QUOTED = re.compile(r'[,"\r\n]')
# bytes that a cell may not begin with to be taken as it stands: those of formulas, blanks and of what is invisible
_UNSURE = (*range(0x21), *b"=+-@|`\\\x7f\xc2", *range(0xD8, 0xDD), *range(0xE0, 0xE4), *range(0xEF, 0xF5))
_MARKS = {each: ord("?") for each in _UNSURE} | {ord("\r"): ord("\r"), ord("\n"): ord(",")}
_FIRST = bytes(_MARKS.get(each, each) for each in range(256))
_UNSURE_FIRST = re.compile(rb",\?")  # found in half of the time that ``in`` takes


class JoinedRows(Protocol):
    """Rows as one text: cells joined by commas, CR LF after each row.

    Some cells are quoted already; ``commas`` and ``quotes`` are how many there are in those. No other cell is empty
    text, unless the text has a control character in its place.
    """

    @property
    def text(self) -> str: ...
    @property
    def rows(self) -> int: ...
    @property
    def commas(self) -> int: ...
    @property
    def quotes(self) -> int: ...
    def cells(self) -> Iterable[Sequence[object]]:
        """The same cell by cell: text, whole numbers and None."""


def safe_cell(text: str) -> str:
    """Text that no spreadsheet takes for a formula, whatever blank or invisible characters come first.

    A negative number is none, in a column of texts, either.
    """
    return text if text[:1].isalnum() or not _FORMULA.match(text) or _NUMBER.fullmatch(text) else f"'{text}"


def lines(rows: Iterable[Sequence[str | None]]) -> bytes:
    """Lines as Polars writes them: nothing where there is null, quotes around an empty text."""
    return "".join([f"{_line(row)}\r\n" for row in rows]).encode()


def joined_chunks(columns: Sequence[str], pages: Iterable[JoinedRows]) -> Iterator[bytes]:
    """Pages of rows as one CSV with a header, a chunk for each."""
    header = lines([columns])
    for page in pages:
        yield header + joined_lines(page, len(columns))
        header = b""


def joined_lines(page: JoinedRows, width: int) -> bytes:
    """The lines of a page of rows of so many cells."""
    data = page.text.encode()
    return data if _is_csv(page, data, width) else lines(map(_cells, page.cells()))


def _is_csv(page: JoinedRows, data: bytes, width: int) -> bool:
    """Whether the text of a page is its CSV, as no cell of it needs quotes or an apostrophe."""
    found = data.count(b","), data.count(b'"'), data.count(b"\r"), data.count(b"\n")
    if found != (page.rows * (width - 1) + page.commas, page.quotes, page.rows, page.rows):
        return False
    begins = data.translate(_FIRST)
    return not begins.startswith(b"?") and _UNSURE_FIRST.search(begins) is None


def _cells(row: Sequence[object]) -> list[str | None]:
    return [safe_cell(cell) if isinstance(cell, str) else None if cell is None else str(cell) for cell in row]


def _line(row: Sequence[str | None]) -> str:
    return ",".join(map(line_cell, row)) if len(row) != 1 else line_cell(row[0]) or EMPTY


def line_cell(text: str | None) -> str:
    """A cell as it stands in a line: nothing for null, quotes where they are needed and around an empty text."""
    if text is None:
        return ""
    if not text or _QUOTED.search(text):
        return '"' + text.replace('"', '""') + '"'
    return text
