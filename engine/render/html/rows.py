"""The rows of a table as HTML, joined here: a template call for each cell is too slow.

This is the only markup that the page's template does not escape itself; ``escape`` does what markupsafe does. What does
not fit side by side stands below its row (``fold``).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from engine.model.days import spelled_days
from engine.model.documents.document import Table
from engine.render import words
from engine.render.cell_texts import CellTexts, DictionaryColumn, cell_texts, is_inert, is_word_column, readable
from engine.render.html.escaping import escape_text
from engine.render.html.fold import ROOM, ColumnText, Fold, fold
from engine.render.html.heads import SheetColumn, SheetHead, head
from engine.render.html.heat import Shades, shades
from engine.render.html.measures import size_of
from engine.render.html.names import is_naming, named_cells, named_texts, title_columns
from engine.render.html.phrases import with_links
from engine.render.links import Links

SHORT_CELL = 16  # columns whose longest cell has no more characters never break a line
PROSE = 90  # characters: sentences, which want a broad column on a screen
SHORT_TABLE = 8  # rows, those below a row counted
FIRST_ROWS = 25  # the others are behind a disclosure
MONDAY = "week_start_on"  # what a column of weeks says itself
MANY_TEXTS, LONG_TEXT = 3, 40  # so many texts in a cell, one of them of more characters, are a list
SAME_ROWS = 3  # from so many on, what is the same in each of them is said once below them
NOTHING = ("", "–", "0", "0.0", "no")  # cells that say nothing where every row has them


@dataclass(frozen=True)
class TableSheet:
    """A table ready for the page; ``rows`` are its rows as HTML, each with what stands below it.

    ``same`` is what every row has in common, said once; ``legend`` has the five shades of its heat columns with their
    bands.
    """

    key: str
    table: Table
    columns: Sequence[SheetColumn]
    head: SheetHead
    rows: Sequence[str]
    is_wide: bool
    legend: Sequence[tuple[str, str]]
    same: Markup
    visible: int = FIRST_ROWS  # rows that are not behind the disclosure
    folded: int = 0  # columns told below their row

    @property
    def height(self) -> int:
        """How many rows there are."""
        return len(self.rows)

    @property
    def has_rows(self) -> bool:
        """Whether there is anything to see of it."""
        return bool(self.rows and self.columns)

    @property
    def layout(self) -> str:
        """How the table goes on paper: short ones stay in one piece, broad ones get a landscape sheet."""
        lines = sum(1 + row.count("<tr class=") for row in self.rows[: SHORT_TABLE + 1])
        names = {"short": lines <= SHORT_TABLE, "wide": self.is_wide and self.height > 0}
        return " ".join(name for name, holds in names.items() if holds)

    def of(self, numbers: Sequence[int], key: str, visible: int) -> "TableSheet":
        """The same table with some of its rows."""
        return replace(self, key=key, rows=[self.rows[number] for number in numbers], visible=visible)

    @property
    def first(self) -> Markup:
        """The rows that a reader sees at once."""
        return _safe(self.rows[: self.visible])

    @property
    def rest(self) -> Markup:
        """The rows behind the disclosure."""
        return _safe(self.rows[self.visible :])


def sheet(table: Table, key: str, links: Links, room: float = ROOM) -> TableSheet:
    """What people see of a table, at most ``room`` pixels broad."""
    texts = cell_texts(table)
    heat = shades(table)
    sizes = {name: size_of(column.values) for name, column in texts.display_columns.items()}
    titles = title_columns(table)
    beside = {*titles.values(), *(MONDAY for name in sizes if name == "week")}
    sizes = {name: size for name, size in sizes.items() if name not in beside}
    naming = [name for name in sizes if is_naming(table, name, titles, links)]
    sizes |= {name: size_of(named_texts(table, name, links)) for name in naming}
    columns = {
        name: ColumnText(
            _heading(table, name, name in naming),
            size,
            _kind(name, table, size.longest, name in titles),
            name in table.state,
        )
        for name, size in sizes.items()
    }
    same = [name for name in list(columns)[1:] if _is_same(name, table, texts)]
    folded = fold(table, {name: column for name, column in columns.items() if name not in same}, room)
    frame = _Frame(table, columns, folded, heat, links)
    told = [name for name in same if texts.display_columns[name].values[0] not in NOTHING]
    side = [
        SheetColumn(columns[name].heading, words.meaning(table, name), columns[name].kind, width)
        for name, width in folded.shown.items()
    ]
    return TableSheet(
        key,
        table,
        side,
        head(side),
        frame.rows(texts),
        folded.is_wide,
        heat.legend,
        frame.line(told, texts),
        folded=len(folded.below),
    )


@dataclass(frozen=True)
class _Frame:
    """What the cells of a table are put into."""

    table: Table
    columns: Mapping[str, ColumnText]
    folded: Fold
    heat: Shades
    links: Links

    def rows(self, texts: CellTexts) -> list[str]:
        """Each row of the table, with what stands below it."""
        if not self.columns or not texts.height:
            return []
        content = self._contents([*self.folded.shown, *self.folded.below], texts)
        side = [self._side(index, name, content[name]) for index, name in enumerate(self.folded.shown)]
        below = [self._below(name, content[name]) for name in self.folded.below]
        return self._join(zip(*side, strict=True), zip(*below, strict=True) if below else None)

    def line(self, names: Sequence[str], texts: CellTexts) -> Markup:
        """What every row has in these columns, each with its heading."""
        contents = self._contents(names, texts)
        return _safe([self._card_cell(name, next(iter(contents[name])) or "–") for name in names])

    def _contents(self, names: Sequence[str], texts: CellTexts) -> Mapping[str, DictionaryColumn]:
        named = named_cells(self.table, names, self.links)
        return {name: named.get(name) or self._content(name, texts) for name in names}

    def _join(self, side: Iterable[Sequence[str]], below: Iterable[Sequence[str]] | None) -> list[str]:
        rows = [f"<tr>{''.join(row)}</tr>" for row in side]
        if below is None:
            return rows
        opening = f'<tr class="more"><td colspan="{len(self.folded.shown)}">'
        more = (" ".join(filter(None, told)) for told in below)
        return [f"{row}{opening}{text}</td></tr>" if text else row for row, text in zip(rows, more, strict=True)]

    def _content(self, name: str, texts: CellTexts) -> DictionaryColumn:
        column = texts.display_columns[name]
        if self.table.schema[name].is_nested() and name not in self.table.state and name not in self.table.words:
            cells = zip(column.values, texts.values[name].values, strict=True)
            return DictionaryColumn([self._list_cell(text, parts) for text, parts in cells], column.rows)
        if name in self.table.state:
            return column.map(lambda cell: _badge(cell, name))
        if self._is_prose(name):
            return column.map(lambda text: str(with_links(text, self.links)))
        return column if is_inert(self.table.schema[name]) else column.map(escape_text)

    def _list_cell(self, text: str, parts: Sequence[object] | None) -> str:
        """Several long texts of a cell: the first stands there, the others are a list behind a disclosure."""
        items = [spelled_days(readable(str(part))) for part in parts or () if part is not None]
        if len(items) < MANY_TEXTS or len(text) <= PROSE or max(map(len, items)) <= LONG_TEXT:
            return str(with_links(text, self.links))
        first, *others = [with_links(item, self.links) for item in items]
        rest = "".join(f"<i>; </i><span>{item}</span>" for item in others)
        more = f"and {len(others)} more"
        opener = escape_text(first.striptags())  # no link within what opens a list
        return f'<details class="several"><summary data-more="{more}">{opener}</summary>{rest}</details>'

    def _is_prose(self, name: str) -> bool:
        """Whether cells may name things within sentences."""
        table = self.table
        words_of_ours = name in table.words or name in table.state
        return is_word_column(table.schema[name]) and not words_of_ours and self.columns[name].kind in ("", "p")

    def _side(self, index: int, name: str, content: DictionaryColumn) -> DictionaryColumn:
        tag, kind = _tag(index), self.columns[name].kind
        close = f"</{tag[:2]}>"
        if name in self.table.heat:
            shaded = zip(self.heat.of(name), content, strict=True)
            cells = [f'<{tag} class="{kind}{shade}">{cell}{close}' for shade, cell in shaded]
            return DictionaryColumn(cells, range(len(cells)))
        opening = f'<{tag} class="{kind}">' if kind else f"<{tag}>"
        return content.map(lambda cell: f"{opening}{cell}{close}")

    def _below(self, name: str, content: DictionaryColumn) -> DictionaryColumn:
        return content.map(lambda cell: self._card_cell(name, cell))

    def _card_cell(self, name: str, cell: str) -> str:
        return cell and f"<span><b>{escape_text(self.columns[name].heading)}</b> {cell}</span>"


def _is_same(name: str, table: Table, texts: CellTexts) -> bool:
    """Whether a column tells no row from another; shades do, by their place on a scale."""
    return texts.height >= SAME_ROWS and name not in table.heat and len(set(texts.display_columns[name].values)) == 1


def _heading(table: Table, name: str, is_naming: bool) -> str:
    """The heading of a column; of one whose cells are called by name, without the identifier that stands for them."""
    said = words.heading(table, name)
    if not is_naming or name in table.labels:
        return said
    return "Name" if said == "ID" else said.removesuffix(" ID")


def _tag(index: int) -> str:
    return "td" if index else 'th scope="row"'


def _safe(rows: Sequence[str]) -> Markup:
    return Markup("\n".join(rows))  # noqa: S704 - every cell went through escape


def _badge(cell: str, name: str) -> str:
    return cell and f'<span class="state {_tone(cell, name)}">{escape_text(cell)}</span>'


def _tone(cell: str, name: str) -> str:
    return words.tone(cell, name) or "neutral"


def _kind(name: str, table: Table, longest: int, has_title: bool) -> str:
    if name in table.heat:
        return "heat"
    if table.schema[name].is_numeric() and not has_title:
        return "n"
    return "s" if longest <= SHORT_CELL else "p" if longest > PROSE and not has_title else ""
