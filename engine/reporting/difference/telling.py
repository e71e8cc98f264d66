"""A difference as a document of its own, so that every renderer can show it: a sentence, figures, causes, rows."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, TypeAlias

import polars as pl

from engine.model.columns import COLUMNS
from engine.model.days import spelled_day
from engine.model.document import Document, FrameRow, Table
from engine.model.movement import Movement, in_groups, most_told
from engine.model.vocabulary import FRAMEWORK_NAMES
from engine.reporting.difference.causes import Cause, sentence_of
from engine.reporting.difference.documents import DocumentDifference, FigureChange, NamedDifference
from engine.reporting.difference.figure_rows import FigureWhy
from engine.reporting.difference.tables import ChangedCell, TableDifference
from engine.reporting.render import words
from engine.reporting.render.cells import plain_value

_Columns: TypeAlias = Mapping[str, pl.DataType | type[pl.DataType]]
_TEXTS = pl.List(pl.String)
FIGURES: _Columns = {
    "figure": pl.String, "title": pl.String, "before": pl.String, "after": pl.String, "change": pl.Float64,
    "unit": pl.String, "direction": pl.String, "why": pl.String,
}  # fmt: skip
MOVEMENTS: _Columns = {
    "what": pl.String,
    "number": pl.Int64,
    "things": _TEXTS,
    "first_on": pl.Date,
    "last_on": pl.Date,
}
WRITES: _Columns = {
    "on": pl.Date, "actor": pl.String, "what": pl.String, "rows": pl.Int64, "at": pl.Datetime("us", "UTC"),
    "revision": pl.Int64, "event_id": pl.String,
}  # fmt: skip
ROWS: _Columns = {
    "change": pl.String, "row": pl.String, "what": pl.String, "why": pl.String, "key": _TEXTS, "columns": _TEXTS,
    "before": _TEXTS, "after": _TEXTS, "revisions": pl.List(pl.Int64), "event_ids": _TEXTS,
}  # fmt: skip
_TITLES = {
    "since_on": "Compared with",
    "since_revision": "Revision then",
    "figures_changed": "Figures that changed",
    "rows_came": "Rows that came",
    "rows_went": "Rows that went",
    "rows_changed": "Rows that changed",
}
_NAMES = ("control", "title", "name", "vendor", "what", "figure")  # what people call a row, beside its key
_CELLS = 4  # of a row without a state that came or went
_LARGE = 1e5  # from there on g leaves digits out
_DEFINITIONS = {
    "Time passed": "No write did it: a day that the record names lies between the two days.",
    "No write between the two touches it": "Nothing that was written names the record behind the row: it was computed "
    "anew, from other records or for another day.",
}

CausesOf = Callable[[FrameRow, Iterable[str]], list[Cause]]


@dataclass(frozen=True)
class Telling:
    """What a difference is told with. ``movements`` are of what the rows and figures are about; ``whys`` of figures."""

    days: tuple[date, date]
    since_revision: int | None
    difference: DocumentDifference
    causes_of: CausesOf
    computed_from: tuple[str, ...]
    movements: Sequence[Movement] = ()
    whys: Mapping[str, FigureWhy] = field(default_factory=dict)


@dataclass(frozen=True)
class _Row:
    change: str
    row: FrameRow
    key: tuple[str, ...]
    cells: tuple[ChangedCell, ...]
    causes: list[Cause]


def tell(told: Telling) -> Document:
    """The document of a difference."""
    rows = {named.table.name: _rows(named, told) for named in told.difference.tables}
    counts = {kind: sum(row.change == kind for found in rows.values() for row in found) for kind in _KINDS}
    summary = {
        "since_on": told.days[0],
        **({} if told.since_revision is None else {"since_revision": told.since_revision}),
        "figures_changed": len(told.difference.figures),
        **{f"rows_{kind}": number for kind, number in counts.items()},
    }
    return Document(
        headline=_headline(told, counts),
        summary=summary,
        titles=_TITLES,
        tables=(
            _figures(told),
            *([_movements(told.movements)] if told.movements else []),
            _writes([cause for found in rows.values() for row in found for cause in row.causes]),
            *(_table(named, rows[named.table.name], told) for named in told.difference.tables),
        ),
        definitions=_DEFINITIONS,
        footnotes=(f"Then: {told.difference.headlines[0]}", f"Now: {told.difference.headlines[1]}"),
    )


_KINDS = ("came", "went", "changed")


def _headline(told: Telling, counts: Mapping[str, int]) -> str:
    between = f"From {spelled_day(told.days[0])} to {spelled_day(told.days[1])}"
    moved = [figure for figure in told.difference.figures if figure.change]
    lead = next((figure for figure in moved if figure.direction), moved[0] if moved else None)
    reason = _reason(lead, told) if lead else most_told(told.movements, None)
    if lead is not None:
        return f"{between}, {_moved(lead)}{f': {reason}' if reason else ''}."
    if told.difference.is_empty:
        return f"{between}, nothing changed."
    rows = ", ".join(f"{number:,} {kind}" for kind, number in counts.items())
    return f"{between}, no number of the summary moved; of the rows {rows}{f': {reason}' if reason else ''}."


def _reason(figure: FigureChange, told: Telling) -> str:
    """What moved of that which the figure counts, in the direction in which it went."""
    better = None if figure.direction is None else figure.direction == "better"
    return most_told(in_groups(told.whys[figure.id].moved), better) if figure.id in told.whys else ""


def _moved(figure: FigureChange) -> str:
    change = figure.change or 0
    unit = {"percent": " points", "count": "", "number": "", None: ""}.get(figure.unit, f" {figure.unit}")
    way = "up" if change > 0 else "down"
    title = figure.title or words.label(figure.id)
    return f"{title} went {way} by {abs(change):,g}{unit}, from {_text(figure.before)} to {_text(figure.after)}"


def _figures(told: Telling) -> Table:
    rows = [
        (
            figure.id, figure.title or words.label(figure.id), _text(figure.before), _text(figure.after),
            None if figure.change is None else float(figure.change),
            None if figure.unit in ("count", "word", "text", "date") else figure.unit, figure.direction,
            _because(figure, told),
        )
        for figure in told.difference.figures
    ]  # fmt: skip
    labels = {"title": "Figure", "change": "Change", "direction": "For the", "why": "Why"}
    frame = pl.DataFrame(rows, schema=dict(FIGURES), orient="row")
    return Table("figures", "Figures", frame, labels=labels, hidden=("figure",))


def _because(figure: FigureChange, told: Telling) -> str | None:
    if figure.id not in told.whys:
        return None
    rows, reason = told.whys[figure.id].rows, _reason(figure, told)
    return f"{_sentence(reason)}. Rows: {rows}" if reason and rows else _sentence(reason) or rows or None


def _movements(found: Sequence[Movement]) -> Table:
    rows = [
        (_sentence(one.words), len(one.things), list(one.things),
         *(one.days[:1] or (None,)), *(one.days[-1:] or (None,)))
        for one in found
    ]  # fmt: skip
    labels = {"what": "What", "things": "Which"}
    frame = pl.DataFrame(rows, schema=dict(MOVEMENTS), orient="row")
    return Table("movements", "What happened", frame, labels=labels, hidden=("number", "first_on", "last_on"))


def _writes(causes: Sequence[Cause]) -> Table:
    """Each write and each piece of evidence with how many rows it touched; what touched most comes first."""
    counted: dict[Cause, int] = defaultdict(int)
    for cause in causes:
        if cause.revision is not None:
            counted[cause] += 1
    rows = [
        (one.on, one.actor, one.words, number, one.at, one.revision, one.event_id) for one, number in counted.items()
    ]
    frame = pl.DataFrame(rows, schema=dict(WRITES), orient="row").sort(
        "rows", "revision", "event_id", "what", descending=[True, False, False, False], nulls_last=True
    )
    labels = {"on": "Day", "actor": "Who", "what": "What", "rows": "Rows it touched", "event_id": "Event"}
    note = "Writes of records and audit events between the two days that rows of this report are about."
    return Table("writes", "Who did what", frame, note=note, labels=labels, hidden=("at",))


def _table(named: NamedDifference, found: Sequence[_Row], told: Telling) -> Table:
    table = named.table
    rows = [
        (
            one.change, _label(table, named.rows.key, one.row), _what(table, named.rows.key, one, _days(told)),
            sentence_of(one.causes, one.row, told.computed_from), list(one.key), [cell.column for cell in one.cells],
            [_plain(cell.before) for cell in one.cells], [_plain(cell.after) for cell in one.cells],
            sorted({cause.revision for cause in one.causes if cause.revision is not None}),
            sorted({cause.event_id for cause in one.causes if cause.event_id is not None}),
        )
        for one in found
    ]  # fmt: skip
    ticking = len(named.rows.changed) - sum(one.change == "changed" for one in found)
    counts = [f"{number:,} {kind}" for kind in _KINDS if (number := sum(one.change == kind for one in found))]
    return Table(
        f"{table.name}_rows",
        f"{table.title}: {', '.join(counts) or 'only older'}",
        pl.DataFrame(rows, schema=dict(ROWS), orient="row"),
        note=_ticking(ticking) if ticking else "",
        labels={"change": "Row", "row": "Which", "what": "What", "why": "Why"},
        hidden=("key", "columns", "before", "after", "revisions", "event_ids"),
    )


def _ticking(number: int) -> str:
    rows = "1 more row differs" if number == 1 else f"{number:,} more rows differ"
    return f"{rows} only in what each day changes: ages and days left."


def _rows(named: NamedDifference, told: Telling) -> list[_Row]:
    """Rows that came or changed in the order of the table, then those that went; not those that merely got older."""
    difference, days = named.rows, _days(told)
    changed = {row.key: row for row in difference.changed}
    found = []
    for key in difference.order or tuple(changed):
        if key in difference.came:
            found.append(_row("came", difference, difference.came[key], (), told))
        elif key in changed and not all(_ticks(cell, days) for cell in changed[key].cells):
            found.append(_row("changed", difference, changed[key].after, changed[key].cells, told))
    return found + [_row("went", difference, row, (), told) for row in difference.went.values()]


def _row(
    change: str, difference: TableDifference, row: FrameRow, cells: tuple[ChangedCell, ...], told: Telling
) -> _Row:
    causes = told.causes_of(row, [cell.column for cell in cells])
    return _Row(change, row, tuple(_plain(row.get(name)) for name in difference.key), cells, causes)


def _days(told: Telling) -> int:
    return (told.days[1] - told.days[0]).days


def _ticks(cell: ChangedCell, days: int) -> bool:
    """Whether a cell differs only because so many days went by."""
    if cell.column == "age_ratio":
        return True
    unit = COLUMNS[cell.column].unit if cell.column in COLUMNS else ""
    before, after = cell.before, cell.after
    return unit == "days" and isinstance(before, int) and isinstance(after, int) and abs(after - before) == days


def _label(table: Table, key: Sequence[str], row: FrameRow) -> str:
    """What people call the row: its visible key, and its name."""
    visible = [name for name in key if name not in table.hidden] or list(key)
    names = [name for name in _NAMES if name in row and name not in table.hidden and name not in visible]
    told = [*visible, *names[:1]] if "control" not in names else ["control", *visible]
    return ", ".join(text for name in dict.fromkeys(told) if (text := _shown(table, name, row.get(name))) != "–")


def _what(table: Table, key: Sequence[str], one: _Row, days: int) -> str:
    if one.change != "changed":
        visible = [name for name in one.row if name not in table.hidden and name not in (*key, *_NAMES)]
        shown = [name for name in visible if name in table.state] or visible[:_CELLS]
        return "; ".join(f"{words.heading(table, name)}: {_shown(table, name, one.row[name])}" for name in shown)
    cells = [cell for cell in one.cells if cell.column not in table.hidden and not _ticks(cell, days)]
    return "; ".join(
        f"{words.heading(table, cell.column)}: {_shown(table, cell.column, cell.before)} → "
        f"{_shown(table, cell.column, cell.after)}"
        for cell in cells
    )


def _shown(table: Table, name: str, value: Any) -> str:
    """A cell as people read it."""
    if name == "framework" and value in FRAMEWORK_NAMES:
        return FRAMEWORK_NAMES[value]
    text = words.value(name, plain_value(value, name))
    return words.spell(text) if name in table.state or name in table.words else text


def _text(value: object) -> str:
    """A figure as people read it; its unit stands beside it."""
    return f"{value:,g}" if isinstance(value, float) and abs(value) < _LARGE else words.value("", value)


def _plain(value: object) -> str:
    """A cell as text for machines; empty where there is nothing."""
    plain = plain_value(value, "cell")
    if isinstance(plain, list):
        return "; ".join("" if part is None else str(part) for part in plain)
    return "" if plain is None else str(plain).lower() if isinstance(plain, bool) else str(plain)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"
