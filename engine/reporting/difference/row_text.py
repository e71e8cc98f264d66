"""The rows of a table that came, went or changed, each with what did it: in words for people, in lists for machines."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import polars as pl

from engine.model.columns import COLUMNS
from engine.model.documents.document import FrameRow, Table
from engine.model.vocabulary import FRAMEWORK_NAMES
from engine.render import words
from engine.render.plain_values import plain_value
from engine.reporting.difference.causes import Cause, sentence_of
from engine.reporting.difference.documents import NamedDifference
from engine.reporting.difference.tables import ChangedCell

_TEXTS = pl.List(pl.String)
ROWS: Mapping[str, pl.DataType | type[pl.DataType]] = {
    "change": pl.String,
    "row": pl.String,
    "what": pl.String,
    "why": pl.String,
    "key": _TEXTS,
    "columns": _TEXTS,
    "before": _TEXTS,
    "after": _TEXTS,
    "revisions": pl.List(pl.Int64),
    "event_ids": _TEXTS,
}
_NAMES = ("control", "title", "name", "vendor", "what", "figure")  # what people call a row, beside its key
_CELLS = 4  # of a row without a state that came or went
KINDS = ("came", "went", "changed")
CellText = Callable[[Table, str, Any], str]
CausesOf = Callable[[FrameRow, Iterable[str]], list[Cause]]


@dataclass(frozen=True)
class RowChange:
    """A row with its key as text, the cells that differ, and the causes that were found."""

    change: str
    row: FrameRow
    key: tuple[str, ...]
    cells: tuple[ChangedCell, ...]
    causes: list[Cause]


def rows_table(
    named: NamedDifference,
    changes: Sequence[RowChange],
    days: int,
    computed_from: Sequence[str],
    framework_names: Mapping[str, str] = FRAMEWORK_NAMES,
) -> Table:
    """What changed in a table, for people and for machines."""
    table, cell_text = named.table, partial(_cell_text, framework_names)
    rows = [
        (
            one.change,
            _label(table, named.rows.key, one.row, cell_text),
            _what(table, named.rows.key, one, days, cell_text),
            sentence_of(one.causes, one.row, computed_from),
            list(one.key),
            [cell.column for cell in one.cells],
            [_plain(cell.before) for cell in one.cells],
            [_plain(cell.after) for cell in one.cells],
            sorted({cause.revision for cause in one.causes if cause.revision is not None}),
            sorted({cause.event_id for cause in one.causes if cause.event_id is not None}),
        )
        for one in changes
    ]
    ticking = len(named.rows.changed) - sum(one.change == "changed" for one in changes)
    counts = [f"{number:,} {kind}" for kind in KINDS if (number := sum(one.change == kind for one in changes))]
    return Table(
        f"{table.name}_rows",
        f"{table.title}: {', '.join(counts) or 'only older'}",
        pl.DataFrame(rows, schema=dict(ROWS), orient="row"),
        note=_ticking(ticking, " more" if rows else "") if ticking else "",
        labels={"change": "Row", "row": "Which", "what": "What", "why": "Why"},
        hidden=("key", "columns", "before", "after", "revisions", "event_ids"),
    )


def _ticking(number: int, more: str) -> str:
    rows = f"1{more} row differs" if number == 1 else f"{number:,}{more} rows differ"
    return f"{rows} only in what each day changes: ages and days left."


def row_changes(named: NamedDifference, days: int, causes_of: CausesOf) -> list[RowChange]:
    """Rows that came or changed in the order of the table, then those that went; not those that merely got older."""
    difference = named.rows
    changed = {row.key: row for row in difference.changed}

    def row_change(kind: str, row: FrameRow, cells: tuple[ChangedCell, ...] = ()) -> RowChange:
        key = tuple(_plain(row.get(name)) for name in difference.key)
        return RowChange(kind, row, key, cells, causes_of(row, [cell.column for cell in cells]))

    changes = []
    for key in difference.order or tuple(changed):
        if key in difference.came:
            changes.append(row_change("came", difference.came[key]))
        elif key in changed and not all(_ticks(cell, days) for cell in changed[key].cells):
            changes.append(row_change("changed", changed[key].after, changed[key].cells))
    return changes + [row_change("went", row) for row in difference.went.values()]


def _ticks(cell: ChangedCell, days: int) -> bool:
    """Whether a cell differs only because so many days went by."""
    if cell.column == "age_ratio":
        return True
    unit = COLUMNS[cell.column].unit if cell.column in COLUMNS else ""
    before, after = cell.before, cell.after
    return unit == "days" and isinstance(before, int) and isinstance(after, int) and abs(after - before) == days


def _label(table: Table, key: Sequence[str], row: FrameRow, cell_text: CellText) -> str:
    """What people call the row: its visible key, and its name."""
    told_apart = [*key, "control_id"] if "framework" in key and "control_id" in row else key
    visible = [name for name in told_apart if name not in table.hidden] or list(key)
    names = [name for name in _NAMES if name in row and name not in table.hidden and name not in visible]
    told = [*visible, *names[:1]] if "control" not in names else ["control", *visible]
    return ", ".join(text for name in dict.fromkeys(told) if (text := cell_text(table, name, row.get(name))) != "–")


def _what(table: Table, key: Sequence[str], one: RowChange, days: int, cell_text: CellText) -> str:
    if one.change != "changed":
        visible = [name for name in one.row if name not in table.hidden and name not in (*key, *_NAMES)]
        names = [name for name in visible if name in table.state] or visible[:_CELLS]
        return "; ".join(f"{words.heading(table, name)}: {cell_text(table, name, one.row[name])}" for name in names)
    cells = [cell for cell in one.cells if cell.column not in table.hidden and not _ticks(cell, days)]
    return "; ".join(
        f"{words.heading(table, cell.column)}: {cell_text(table, cell.column, cell.before)} → "
        f"{cell_text(table, cell.column, cell.after)}"
        for cell in cells
    )


def _cell_text(framework_names: Mapping[str, str], table: Table, name: str, value: Any) -> str:
    """A cell as people read it."""
    if name == "framework" and value in framework_names:
        return framework_names[value]
    text = words.value(name, plain_value(value, name))
    return words.spell(text, name) if name in table.state or name in table.words else text


def _plain(value: object) -> str:
    """A cell as text for machines; empty where there is nothing."""
    plain = plain_value(value, "cell")
    if isinstance(plain, list):
        return "; ".join("" if part is None else str(part) for part in plain)
    return "" if plain is None else str(plain).lower() if isinstance(plain, bool) else str(plain)
