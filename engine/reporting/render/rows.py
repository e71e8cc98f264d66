"""The body of a table as HTML: escaped and joined by Polars, because a template call for each cell is too slow.

This is the only markup that the page's template does not escape itself; ``escape`` does what markupsafe does.
"""

from dataclasses import dataclass
from itertools import zip_longest

import polars as pl
from markupsafe import Markup

from engine.model.document import Table
from engine.reporting.render import cells, words

SHORT_CELL = 16  # columns whose longest cell has no more characters never break a line
PROSE = 90  # characters: sentences, which want a broad column on a screen
SHORT_TABLE = 12
COUNT_BOUNDS = (0.0, 2.0, 5.0, 9.0)
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
    frame = cells.display_cells(table)
    widths = frame.select(pl.all().str.len_chars().max()).row(0) if frame.height else ()
    kinds = {name: _kind(name, table, width or 0) for name, width in zip_longest(frame.columns, widths)}
    bounds = _bounds(table)
    columns = [
        SheetColumn(words.heading(table, name), words.meaning(table, name), kinds[name]) for name in frame.columns
    ]
    body = ""
    if frame.width and frame.height:
        row = [
            _cell(name, kinds[name], table, bounds, tag="td" if index else 'th scope="row"')
            for index, name in enumerate(frame.columns)
        ]
        raw = table.frame.select(pl.col(name).alias(f"heat {name}") for name in table.heat)
        joined = frame.hstack(raw).select(pl.concat_str(row).str.join("</tr>\n<tr>"))
        body = f"<tr>{joined.item()}</tr>"
    safe = Markup(body)  # noqa: S704 - every cell went through escape
    return TableSheet(key, table, columns, safe, frame.height, _legend(bounds) if table.heat else [])


def escape(text: pl.Expr) -> pl.Expr:
    """Text as HTML, as markupsafe.escape writes it."""
    return text.str.replace_many(["&", "<", ">", '"', "'"], ["&amp;", "&lt;", "&gt;", "&#34;", "&#39;"])


def _cell(name: str, kind: str, table: Table, bounds: tuple[float, ...], *, tag: str) -> pl.Expr:
    text = escape(pl.col(name))
    close = pl.lit(f"</{tag[:2]}>")
    if name in table.heat:
        hot = pl.sum_horizontal((pl.col(f"heat {name}") > bound).fill_null(False).cast(pl.Int32) for bound in bounds)
        shade = pl.when(pl.col(f"heat {name}").is_null()).then(pl.lit("")).otherwise(pl.concat_str(pl.lit(" h"), hot))
        return pl.concat_str(pl.lit(f'<{tag} class="{kind}'), shade, pl.lit('">'), text, close)
    opening = pl.lit(f'<{tag} class="{kind}">' if kind else f"<{tag}>")
    if name in table.state:
        tone = pl.col(name).str.to_lowercase().replace_strict(_spaced_tones(), default="neutral")
        badge = pl.concat_str(pl.lit('<span class="state '), tone, pl.lit('">'), text, pl.lit("</span>"))
        text = pl.when(pl.col(name) == "").then(pl.lit("")).otherwise(badge)
    return pl.concat_str(opening, text, close)


def _spaced_tones() -> dict[str, str]:
    return {word.replace("_", " "): tone for word, tone in words.TONES.items()}


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
