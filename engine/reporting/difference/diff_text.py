"""A difference as a document of its own, so that every renderer can show it: a sentence, figures, causes, rows."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from typing import TypeAlias

import polars as pl

from engine.model.days import quarters, spelled_day
from engine.model.documents.document import Document, Table, at_most
from engine.model.documents.movement import Movement, in_groups, main_movements
from engine.model.vocabulary import FRAMEWORK_NAMES
from engine.render import words
from engine.reporting.difference.causes import Cause
from engine.reporting.difference.documents import DocumentDifference, FigureChange
from engine.reporting.difference.figure_rows import FigureWhy
from engine.reporting.difference.row_text import KINDS, CausesOf, row_changes, rows_table

_Columns: TypeAlias = Mapping[str, pl.DataType | type[pl.DataType]]
_TEXTS = pl.List(pl.String)
FIGURES: _Columns = {
    "figure": pl.String,
    "title": pl.String,
    "before": pl.String,
    "after": pl.String,
    "change": pl.String,
    "unit": pl.String,
    "direction": pl.String,
    "why": pl.String,
}
MOVEMENTS: _Columns = {"what": pl.String, "number": pl.Int64, "things": _TEXTS, "first_on": pl.Date, "last_on": pl.Date}
WRITES: _Columns = {
    "on": pl.Date,
    "actor": pl.String,
    "what": pl.String,
    "rows": pl.Int64,
    "at": pl.Datetime("us", "UTC"),
    "revision": pl.Int64,
    "event_id": pl.String,
}
_TITLES = {
    "since_on": "Compared with",
    "since_revision": "Revision then",
    "figures_changed": "Figures that changed",
    "figures_worse": "Figures that got worse",
    "figures_better": "Figures that got better",
    "rows_came": "Rows that came",
    "rows_went": "Rows that went",
    "rows_changed": "Rows that changed",
}
WAYS = ("worse", "better")
FOREMOST = ("figures_worse", "figures_better", "figures_changed", "since_on")
_DUTY = re.compile(r"([a-z]+(?:_[a-z]+)+):(.+)")  # a duty by its kind and what it is about
_DEFINITIONS = {
    "Time passed": "No write did it: a day that the record names lies between the two days.",
    "No write between the two touches it": "Nothing that was written names the record behind the row: it was computed "
    "anew, from other records or for another day.",
}


@dataclass(frozen=True)
class DiffContext:
    """What a difference is told with. ``movements`` are of what the rows and figures are about; ``whys`` of figures."""

    days: tuple[date, date]
    since_revision: int | None
    difference: DocumentDifference
    causes_of: CausesOf
    computed_from: tuple[str, ...]
    movements: Sequence[Movement] = ()
    whys: Mapping[str, FigureWhy] = field(default_factory=dict)
    framework_names: Mapping[str, str] = field(default_factory=lambda: FRAMEWORK_NAMES)


def diff_document(diff_context: DiffContext) -> Document:
    """The document of a difference."""
    rows = {
        named.table.name: row_changes(named, _days(diff_context), diff_context.causes_of)
        for named in diff_context.difference.tables
    }
    counts = {kind: sum(row.change == kind for changes in rows.values() for row in changes) for kind in KINDS}
    summary = {
        "since_on": diff_context.days[0],
        **({} if diff_context.since_revision is None else {"since_revision": diff_context.since_revision}),
        "figures_changed": len(diff_context.difference.figures),
        **{f"figures_{way}": sum(one.direction == way for one in diff_context.difference.figures) for way in WAYS},
        **{f"rows_{kind}": number for kind, number in counts.items()},
    }
    tables = (
        rows_table(
            named, rows[named.table.name], _days(diff_context), diff_context.computed_from, diff_context.framework_names
        )
        for named in diff_context.difference.tables
    )
    headline, why = _headline(diff_context, counts)
    return Document(
        headline=headline,
        next_step=diff_context.difference.next_step,
        summary=summary,
        titles=_TITLES,
        better={"figures_worse": "less"},
        foremost=FOREMOST,
        tables=(
            _figures(diff_context),
            *([_movements(diff_context.movements)] if diff_context.movements else []),
            *tables,
            _writes([cause for found in rows.values() for row in found for cause in row.causes]),
        ),
        definitions={**_DEFINITIONS, "It follows from several records": _several(diff_context.computed_from)},
        footnotes=(
            *why,
            f"Then: {diff_context.difference.headlines[0]}",
            f"Now: {diff_context.difference.headlines[1]}",
        ),
    )


def _several(computed_from: Sequence[str]) -> str:
    return f"The row names no single record: it was computed anew from {', '.join(computed_from)}."


def _headline(diff_context: DiffContext, counts: Mapping[str, int]) -> tuple[str, list[str]]:
    """What moved, and why where that is too much for a headline."""
    between = f"From {spelled_day(diff_context.days[0])} to {spelled_day(diff_context.days[1])}"
    moved = [figure for figure in diff_context.difference.figures if figure.change]
    lead = next((figure for figure in moved if figure.direction), moved[0] if moved else None)
    reason = (
        _reason(lead, diff_context)
        if lead
        else _without_year(main_movements(diff_context.movements, None), diff_context)
    )
    if lead is not None:
        parts = diff_context.whys[lead.id].parts if lead.id in diff_context.whys else ""
        return _short(
            f"{between}, {_move_text(lead)}", f"{f' ({parts})' if parts else ''}{f': {reason}' if reason else ''}"
        )
    if diff_context.difference.is_empty:
        return f"{between}, nothing changed.", []
    rows = ", ".join(f"{number:,} {kind}" for kind, number in counts.items())
    return _short(f"{between}, no number of the summary moved; of the rows {rows}", f": {reason}" if reason else "")


def _short(text: str, why: str) -> tuple[str, list[str]]:
    """The reason behind what is said, or as a note where both are more than a headline."""
    most = at_most(text, why)
    return f"{most}.", [] if most.endswith(why) else [f"Why: {why.removeprefix(':').strip()}."]


def _reason(figure: FigureChange, diff_context: DiffContext) -> str:
    """What moved of that which the figure counts, in the direction in which it went."""
    better = None if figure.direction is None else figure.direction == "better"
    if figure.id not in diff_context.whys:
        return ""
    return _without_year(main_movements(in_groups(diff_context.whys[figure.id].moved), better), diff_context)


def _without_year(reason: str, diff_context: DiffContext) -> str:
    """Days without the year where both days that are compared are of one."""
    first, last = diff_context.days
    return reason.replace(f" {last.year}", "") if first.year == last.year else reason


def _move_text(figure: FigureChange) -> str:
    change = figure.change or 0
    unit = {"percent": " points", "count": "", "number": "", None: ""}.get(figure.unit, f" {figure.unit}")
    way = "up" if change > 0 else "down"
    title = figure.title or words.label(figure.id)
    spell = _hours if figure.unit == "hours" else partial(_text, unit=figure.unit)
    return f"{title} went {way} by {spell(abs(change))}{unit}, from {spell(figure.before)} to {spell(figure.after)}"


def _figures(diff_context: DiffContext) -> Table:
    rows = [
        (
            figure.id,
            figure.title or words.label(figure.id),
            _text(figure.before, figure.unit),
            _text(figure.after, figure.unit),
            None if figure.change is None else f"{'+' if figure.change > 0 else ''}{_text(figure.change, figure.unit)}",
            None if figure.unit in ("count", "word", "text", "date") else figure.unit,
            figure.direction,
            _because(figure, diff_context),
        )
        for figure in diff_context.difference.figures
    ]
    labels = {"title": "Figure", "change": "Change", "direction": "Better or worse", "why": "Why"}
    frame = pl.DataFrame(rows, schema=dict(FIGURES), orient="row")
    units = {figure.id: figure.unit or "" for figure in diff_context.difference.figures}
    return Table(
        "figures",
        "Figures that changed",
        frame,
        labels=labels,
        hidden=("figure", "unit"),
        state=("direction",),
        units=units,
    )


def _because(figure: FigureChange, diff_context: DiffContext) -> str | None:
    if figure.id not in diff_context.whys or figure.change is None:
        return None
    rows, reason = diff_context.whys[figure.id].rows, _reason(figure, diff_context)
    return f"{_sentence(reason)}. Rows: {rows}" if reason and rows else _sentence(reason) or rows or None


def _movements(movements: Sequence[Movement]) -> Table:
    rows = [
        (
            _sentence(one.words),
            len(one.things),
            [_DUTY.sub(lambda match: f"{words.spell(match[1])} {match[2]}", thing) for thing in one.things],
            *(one.days[:1] or (None,)),
            *(one.days[-1:] or (None,)),
        )
        for one in movements
    ]
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
    return Table("writes", "Who did what", frame, note=note, labels=labels, hidden=("at", "revision", "event_id"))


def _days(diff_context: DiffContext) -> int:
    return (diff_context.days[1] - diff_context.days[0]).days


def _text(value: object, unit: str | None) -> str:
    """A figure as people read it, with the decimals that it has on its own page; its unit stands beside it."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return words.value("", value)
    return f"{int(value) if unit == 'count' and value == int(value) else value:,}"


def _hours(value: object) -> str:
    return quarters(value) if isinstance(value, int | float) else words.value("", value)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"
