"""The body of a table as HTML: joined here, those of large tables by Polars; a template call for each cell is too slow.

This is the only markup that the page's template does not escape itself; ``escape`` does what markupsafe does.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl
from markupsafe import Markup

from engine.model.document import Table
from engine.reporting.render import cells, words
from engine.reporting.render.cell_texts import CellTexts, cell_texts

SHORT_CELL = 16  # columns whose longest cell has no more characters never break a line
PROSE = 90  # characters: sentences, which want a broad column on a screen
SHORT_TABLE = 12
COUNT_BOUNDS = (0.0, 2.0, 5.0, 9.0)
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&#34;", "'": "&#39;"}
_TRANSLATION = str.maketrans(_ENTITIES)
_MARKUP = re.compile("[&<>\"']")
PERCENT_BOUNDS = (20.0, 40.0, 60.0, 80.0)


@dataclass(frozen=True)
class SheetColumn:
    """The heading of a column, what it means and the class of its cells."""

    heading: str
    meaning: str
    kind: str


@dataclass(frozen=True)
class TableSheet:
    """A table ready for the page. ``legend`` explains the five shades of its heat columns."""

    key: str
    table: Table
    columns: list[SheetColumn]
    body: Markup
    height: int
    legend: list[str]

    @property
    def layout(self) -> str:
        """How the table goes on paper: short ones stay in one piece, wide ones get a landscape page when it pays."""
        width = len(self.columns)
        wide = self.height > 0 and (width > 11 or (width > 8 and self.height > SHORT_TABLE))
        small = width > 14 if wide else width > 8
        names = {"short": self.height <= SHORT_TABLE, "wide": wide, "dense": small}
        return " ".join(name for name, holds in names.items() if holds)


def sheet(table: Table, key: str) -> TableSheet:
    """What people see of a table."""
    texts = cell_texts(table)
    bounds = _bounds(table)
    if texts is not None:
        widths = [max(map(len, column), default=0) for column in texts.shown.values()]
        kinds = {name: _kind(name, table, width) for name, width in zip(texts.shown, widths, strict=True)}
        body = _small_body(texts, kinds, bounds)
    else:
        frame = cells.display_cells(table)
        kinds = {name: _kind(name, table, width or 0) for name, width in _widths(frame).items()}
        body = _large_body(frame, table, kinds, bounds)
    columns = [SheetColumn(words.heading(table, name), words.meaning(table, name), kinds[name]) for name in kinds]
    safe = Markup(body)  # noqa: S704 - every cell went through escape
    return TableSheet(key, table, columns, safe, table.frame.height, _legend(bounds) if table.heat else [])


def escape(text: pl.Expr) -> pl.Expr:
    """Text as HTML, as markupsafe.escape writes it."""
    return text.str.replace_many(list(_ENTITIES), list(_ENTITIES.values()))


def _escaped(text: str) -> str:
    return text.translate(_TRANSLATION) if _MARKUP.search(text) else text


def _widths(frame: pl.DataFrame) -> dict[str, int | None]:
    return frame.select(pl.all().str.len_chars().max()).row(0, named=True) if frame.width else {}


def _small_body(texts: CellTexts, kinds: Mapping[str, str], bounds: tuple[float, ...]) -> str:
    columns = []
    for index, (name, shown) in enumerate(texts.shown.items()):
        tag = "td" if index else 'th scope="row"'
        columns.append(_small_cells(texts, name, shown, kinds[name], bounds, tag))
    if not columns or not texts.height:
        return ""
    rows = "</tr>\n<tr>".join(map("".join, zip(*columns, strict=True)))
    return f"<tr>{rows}</tr>"


def _small_cells(
    texts: CellTexts, name: str, shown: Sequence[str], kind: str, bounds: tuple[float, ...], tag: str
) -> list[str]:
    table, close = texts.table, f"</{tag[:2]}>"
    safe = [_escaped(cell) for cell in shown]
    if name in table.heat:
        shades = ["" if value is None else f" h{sum(value > bound for bound in bounds)}" for value in texts.plain[name]]
        return [f'<{tag} class="{kind}{shade}">{cell}{close}' for shade, cell in zip(shades, safe, strict=True)]
    opening = f'<{tag} class="{kind}">' if kind else f"<{tag}>"
    if name in table.state:
        tones = [_SPACED_TONES.get(cell.lower(), "neutral") for cell in shown]
        safe = [cell and f'<span class="state {tone}">{cell}</span>' for tone, cell in zip(tones, safe, strict=True)]
    return [f"{opening}{cell}{close}" for cell in safe]


def _large_body(frame: pl.DataFrame, table: Table, kinds: Mapping[str, str], bounds: tuple[float, ...]) -> str:
    if not frame.width or not frame.height:
        return ""
    row = [
        _cell(name, kinds[name], table, bounds, tag="td" if index else 'th scope="row"')
        for index, name in enumerate(frame.columns)
    ]
    raw = table.frame.select(pl.col(name).alias(f"heat {name}") for name in table.heat)
    joined = frame.hstack(raw).select(pl.concat_str(row).str.join("</tr>\n<tr>"))
    return f"<tr>{joined.item()}</tr>"


def _cell(name: str, kind: str, table: Table, bounds: tuple[float, ...], *, tag: str) -> pl.Expr:
    text = escape(pl.col(name))
    close = pl.lit(f"</{tag[:2]}>")
    if name in table.heat:
        hot = pl.sum_horizontal((pl.col(f"heat {name}") > bound).fill_null(False).cast(pl.Int32) for bound in bounds)
        shade = pl.when(pl.col(f"heat {name}").is_null()).then(pl.lit("")).otherwise(pl.concat_str(pl.lit(" h"), hot))
        return pl.concat_str(pl.lit(f'<{tag} class="{kind}'), shade, pl.lit('">'), text, close)
    opening = pl.lit(f'<{tag} class="{kind}">' if kind else f"<{tag}>")
    if name in table.state:
        tone = pl.col(name).str.to_lowercase().replace_strict(_SPACED_TONES, default="neutral")
        badge = pl.concat_str(pl.lit('<span class="state '), tone, pl.lit('">'), text, pl.lit("</span>"))
        text = pl.when(pl.col(name) == "").then(pl.lit("")).otherwise(badge)
    return pl.concat_str(opening, text, close)


_SPACED_TONES = {words.spell(word): tone for word, tone in words.TONES.items()}


def _kind(name: str, table: Table, longest: int) -> str:
    if name in table.heat:
        return "heat"
    if table.schema[name].is_numeric():
        return "n"
    return "s" if longest <= SHORT_CELL else "p" if longest > PROSE else ""


def _bounds(table: Table) -> tuple[float, ...]:
    """The upper ends of the four lower shades, one scale for all heat columns of a table.

    Counts always have the same shades, so that two months can be compared; percentages are cut in fifths;
    other figures in fifths of the largest.
    """
    if not table.heat or all(table.schema[name].is_integer() for name in table.heat):
        return COUNT_BOUNDS
    if all(name.endswith("_pct") for name in table.heat):
        return PERCENT_BOUNDS
    largest = table.frame.select(pl.max_horizontal(pl.col(name).max().cast(pl.Float64) for name in table.heat)).item()
    return tuple(float(f"{(largest or 1.0) * part:.2g}") for part in (0.2, 0.4, 0.6, 0.8))


def _legend(bounds: tuple[float, ...]) -> list[str]:
    if bounds == COUNT_BOUNDS:
        return ["0", "1–2", "3–5", "6–9", "10 or more"]
    if bounds == PERCENT_BOUNDS:
        return ["to 20\u00a0%", "to 40\u00a0%", "to 60\u00a0%", "to 80\u00a0%", "over 80\u00a0%"]
    return [*(f"to {bound:g}" for bound in bounds), f"over {bounds[-1]:g}"]
