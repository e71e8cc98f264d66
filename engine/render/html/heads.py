"""The head of a table, and what its cells are called where rows are cards and a heading cannot stand above them.

Both are made once for each table, however many pages show some of its rows.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256

from markupsafe import Markup

from engine.render.html.escaping import css_string, escape_text


@dataclass(frozen=True)
class SheetColumn:
    """The heading of a column, what it means, the class of its cells and its width in percent."""

    heading: str
    meaning: str
    kind: str
    width: float


@dataclass(frozen=True)
class SheetHead:
    """``markup`` are the columns and headings of a table; ``card`` the class of a table whose cells ``labels`` name."""

    markup: Markup
    card: str
    labels: Markup


def head(columns: Sequence[SheetColumn]) -> SheetHead:
    """The head of a table with these columns side by side."""
    widths = "".join(f'<col style="width:{column.width}%">' for column in columns)
    headings = "".join(map(_heading, columns))
    markup = f"<colgroup>{widths}</colgroup>\n<thead><tr>{headings}</tr></thead>"
    names = [str(css_string(column.heading)) for column in columns]
    card = f"c{sha256(chr(0).join(names).encode()).hexdigest()[:8]}"
    labels = (
        f".{card} td:nth-child({place}):not([colspan])::before {{ content: {name}; }}"
        for place, name in enumerate(names[1:], 2)
    )
    return SheetHead(Markup(markup), card, Markup("\n".join(labels)))  # noqa: S704 - every text in it is escaped


def card_labels(heads: Iterable[SheetHead]) -> Markup:
    """The style that names the cells of all tables of a page, each set of headings once."""
    return Markup("\n").join({head.card: head.labels for head in heads}.values())


def _heading(column: SheetColumn) -> str:
    kind = f' class="{column.kind}"' if column.kind else ""
    title = f' title="{escape_text(column.meaning)}"' if column.meaning else ""
    return f'<th scope="col"{kind}{title}>{escape_text(column.heading)}</th>'
