"""A report laid out for a terminal: its Markdown, with tables whose columns fit."""

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from html import unescape
from itertools import groupby
from typing import TYPE_CHECKING
from unicodedata import category

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

MOST_ROWS = 25
WIDEST = 48  # of a cell before it is broken
GAP = 2  # between columns: a border of one, and padding
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_BAR = re.compile(r"(?<!\\)\|")


def printable(text: str) -> str:
    """The text with its control characters spelled out: what somebody sent must not steer a terminal.

    Spaces of every kind, such as the one that keeps a number and its unit together, are spaces.
    """
    return text if text.isprintable() else "".join(map(_sign, text))


def _sign(sign: str) -> str:
    if sign.isprintable() or sign in "\n\t":
        return sign
    return " " if category(sign) == "Zs" else ascii(sign)[1:-1]


def print_report(form: str | None, read: Callable[[str | None], bytes]) -> None:
    """Print what ``read`` gives in a format; laid out where a terminal asked for none."""
    if form is None and sys.stdout.isatty():
        show_markdown(read("md").decode())
        return
    sys.stdout.buffer.write(read(form))
    sys.stdout.flush()


def show_markdown(text: str, width: int | None = None) -> None:
    """Print Markdown of a report. Of a table its first rows; columns that do not fit stand below their row."""
    from rich.console import Console
    from rich.markdown import Markdown

    console = Console(highlight=False, width=width)
    for is_table, lines in groupby(printable(text).splitlines(), key=lambda line: line.startswith("|")):
        if is_table:
            console.print(*_table([_cells(line) for line in lines], console.width), "", sep="\n")
        else:
            console.print(Markdown("\n".join(lines), hyperlinks=False))


def _cells(line: str) -> list[str]:
    inner = _BAR.split(line.strip())[1:-1]
    return [unescape(_ESCAPED.sub(r"\1", cell.replace("<br>", " ").strip())) for cell in inner]


def _table(lines: Sequence[Sequence[str]], width: int) -> "Iterator[RenderableType]":
    """Heading and rows; a ruler says which columns are numbers."""
    from rich.padding import Padding
    from rich.text import Text

    headings, rule, *rows = lines
    shown = rows[:MOST_ROWS]
    widths = [_width([headings[place], *(row[place] for row in shown)]) for place in range(len(headings))]
    fitting = _fitting(widths, width)
    rest = [place for place in range(len(headings)) if place not in fitting]
    columns = [(headings[place], rule[place].endswith(":"), widths[place]) for place in fitting]
    placed = [[row[place] for place in fitting] for row in shown]
    yield _grid(columns, [] if rest else placed, has_head=True)
    for row, cells in zip(shown, placed, strict=True) if rest else ():
        yield _grid(columns, [cells], has_head=False)
        below = " · ".join(f"{headings[place]}: {row[place]}" for place in rest if row[place])
        if below:
            yield Padding(Text(below, "dim"), (0, 0, 0, GAP))
    if len(rows) > MOST_ROWS:
        yield Text(f"and {len(rows) - MOST_ROWS:,} more rows: --format csv has all of them", "italic")


def _grid(columns: Sequence[tuple[str, bool, int]], rows: Sequence[Sequence[str]], has_head: bool) -> "Table":
    """Rows under headings; of each column whether it is of numbers, and its width."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, show_header=has_head, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    table.header_style, table.border_style = "bold", "dim"
    for heading, is_number, width in columns:
        table.add_column(Text(heading), justify="right" if is_number else "left", width=width)
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def _width(cells: Sequence[str]) -> int:
    from rich.cells import cell_len

    return max(1, min(WIDEST, max(map(cell_len, cells))))


def _fitting(widths: Sequence[int], width: int) -> list[int]:
    """The columns that stand beside one another: the first, and of the others as many as fit, in their order."""
    fitting, used = [0], widths[0]
    for place, own in enumerate(widths[1:], start=1):
        if used + GAP + own <= width:
            fitting.append(place)
            used += GAP + own
    return fitting
