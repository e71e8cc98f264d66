"""A report laid out for a terminal: its Markdown, with tables whose columns fit."""

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from html import unescape
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.text import Text

MOST_ROWS = 25
WIDEST = 48  # of a cell before it is broken
GAP = "  "
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_BAR = re.compile(r"(?<!\\)\|")


def printable(text: str) -> str:
    """The text with its control characters spelled out: what somebody sent must not steer a terminal."""
    return "".join(sign if sign.isprintable() or sign in "\n\t" else ascii(sign)[1:-1] for sign in text)


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
            for line in _table([_cells(line) for line in lines], console.width):
                console.print(line, soft_wrap=True)
            console.print()
        else:
            console.print(Markdown("\n".join(lines), hyperlinks=False))


def _cells(line: str) -> list[str]:
    inner = _BAR.split(line.strip())[1:-1]
    return [unescape(_ESCAPED.sub(r"\1", cell.replace("<br>", " ").strip())) for cell in inner]


def _table(lines: Sequence[Sequence[str]], width: int) -> "Iterator[Text]":
    """Heading and rows; a ruler says which columns are numbers."""
    from rich.text import Text

    headings, rule, *rows = lines
    shown = rows[:MOST_ROWS]
    widths = [_width([headings[place], *(row[place] for row in shown)]) for place in range(len(headings))]
    fitting = _fitting(widths, width)
    right = [mark.endswith(":") for mark in rule]

    def line(cells: Sequence[str], style: str = "") -> "Iterator[Text]":
        wrapped = [_broken(cells[place], widths[place]) for place in fitting]
        for part in range(max(map(len, wrapped))):
            found = [texts[part] if part < len(texts) else "" for texts in wrapped]
            placed = [_align(text, widths[place], right[place]) for text, place in zip(found, fitting, strict=True)]
            yield Text(GAP.join(placed).rstrip(), style)

    yield from line(headings, "bold")
    yield Text(GAP.join("─" * widths[place] for place in fitting), "dim")
    rest = [place for place in range(len(headings)) if place not in fitting]
    for row in shown:
        yield from line(row)
        below = " · ".join(f"{headings[place]}: {row[place]}" for place in rest if row[place])
        yield from (Text(f"{GAP}{text}", "dim") for text in _broken(below, width - len(GAP)) if text)
    if len(rows) > MOST_ROWS:
        yield Text(f"and {len(rows) - MOST_ROWS:,} more rows: --format csv has all of them", "italic")


def _width(cells: Sequence[str]) -> int:
    from rich.cells import cell_len

    return max(1, min(WIDEST, max(map(cell_len, cells))))


def _fitting(widths: Sequence[int], width: int) -> list[int]:
    """The columns that stand beside one another: the first, and of the others as many as fit, in their order."""
    fitting, used = [0], widths[0]
    for place, own in enumerate(widths[1:], start=1):
        if used + len(GAP) + own <= width:
            fitting.append(place)
            used += len(GAP) + own
    return fitting


def _broken(text: str, width: int) -> list[str]:
    from rich.console import Console
    from rich.text import Text

    return [part.plain.rstrip() for part in Text(text).wrap(Console(width=width), width)] or [""]


def _align(text: str, width: int, right: bool) -> str:
    from rich.cells import cell_len

    space = " " * max(0, width - cell_len(text))
    return space + text if right else text + space
