"""A report as it speaks of one control, person, framework or vendor, or one of its tables: a document of a document.

A table that has no column for it is left out rather than shown whole, and so are charts. Figures, coverage and
definitions stay those of the whole report, and the document says so.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce

import polars as pl

from engine.model.declarations.filters import NAMING, TABLE, Filters
from engine.model.documents.document import CalendarEvent, Document, Table
from engine.model.entities import NAMING_COLUMNS, EntityKind, framework_column
from engine.model.errors import BadRequest
from engine.render.links import framework_of
from engine.reporting.snapshot.filter_names import Fact, check_name, control_of

ENTRY = "ics_uid"  # of the row that a calendar entry is made of


def excerpt(document: Document, filters: Filters, report: str, fact: Fact) -> Document:
    """The document of the rows that are asked for of a report; ``fact`` is read where no row is left.

    BadRequest: no such table, no table with columns for the filters, or nothing of that name in the organization.
    """
    framework = framework_of(report)
    tables = _tables(document, filters)
    taken = [table for table in tables if all(naming(kind, table.schema) for kind in filters.named)]
    if not taken:
        raise _inapplicable(tables, filters)
    kept = [replace(table, frame=_rows(table, filters, framework)) for table in taken]
    if not any(table.frame.height for table in kept):
        for kind, value in filters.named.items():
            check_name(kind, value, framework, fact)
    entries = [table for table in kept if ENTRY in table.schema]
    return replace(
        document,
        headline=_headline(kept, taken, filters) if filters.named else document.headline,
        next_step="" if filters.named else document.next_step,  # it speaks of the whole
        tables=[_with_note(table, whole, filters) for table, whole in zip(kept, taken, strict=True)],
        charts=(),
        events=_events(document.events, entries),
        warnings=(*_excerpt_note(document, kept, filters), *document.warnings),
    )


def naming(kind: EntityKind, columns: Mapping[str, pl.DataType]) -> list[str]:
    """The columns that name things of a kind; one of numbers or moments counts and names nothing."""
    names = [
        name
        for name in NAMING_COLUMNS[kind]
        if name in columns and not columns[name].is_numeric() and not columns[name].is_temporal()
    ]
    return names[:1] if kind == "vendor" else names  # its identifier, or where there is none its name


def _tables(document: Document, filters: Filters) -> Sequence[Table]:
    if filters.table is None:
        return document.tables
    tables = [table for table in document.tables if table.name == filters.table]
    if not tables:
        names = ", ".join(table.name for table in document.tables)
        raise TABLE.refusal(filters.table, f"one of {names}" if names else "left out, as the report has no table")
    return tables


def _inapplicable(tables: Sequence[Table], filters: Filters) -> BadRequest:
    """What is said of filters that no table has columns for, or none for all of them."""
    takes = [kind for kind in NAMING if any(naming(kind, table.schema) for table in tables)]
    missing = [kind for kind in filters.named if kind not in takes]
    where = "This report" if filters.table is None else f"The table {filters.table}"
    allowed = f"{where} can be filtered by {', '.join(takes)}" if takes else f"{where} cannot be filtered"
    why = f"nothing in it names any {missing[0]}" if missing else f"no table has {' and '.join(filters.named)} together"
    parameter = missing[0] if missing else list(filters.named)[-1]
    return BadRequest(
        f"{allowed}: {why}.",
        word="invalid_parameter",
        details=[{"parameter": parameter, "expected": ", ".join(takes) or "nothing", "got": filters.named[parameter]}],
    )


def _rows(table: Table, filters: Filters, framework: str) -> pl.DataFrame:
    frame = table.frame
    for kind, value in filters.named.items():
        tests = [
            _control(table, name, value, framework) if kind == "control" else _cell(table, name, [value])
            for name in naming(kind, table.schema)
        ]
        frame = frame.filter(reduce(pl.Expr.__or__, tests))
    return frame


def _cell(table: Table, name: str, texts: Sequence[str], ending: str = "") -> pl.Expr:
    """Whether a cell, or one of those in it, is one of the texts or has the ending."""

    def test(cell: pl.Expr) -> pl.Expr:
        text = cell.cast(pl.String)
        return text.is_in(texts) | text.str.ends_with(ending) if ending else text.is_in(texts)

    column = pl.col(name)
    cell = column.list.eval(test(pl.element())).list.any() if table.schema[name].is_nested() else test(column)
    return cell.fill_null(value=False)


def _control(table: Table, name: str, value: str, of_report: str) -> pl.Expr:
    """Whether a cell names the control, by itself beside its framework or by both in one text."""
    framework, control = control_of(value, of_report)
    if not framework:  # whichever framework has it
        return _cell(table, name, [control], ending=f":{control}")
    whole = _cell(table, name, [f"{framework}:{control}"])
    beside = framework_column(name)
    if beside in table.schema and not table.schema[beside].is_nested():
        return whole | (_cell(table, name, [control]) & _cell(table, beside, [framework]))
    return whole | _cell(table, name, [control]) if framework == of_report else whole


def _events(events: Sequence[CalendarEvent], entries: Sequence[Table]) -> Sequence[CalendarEvent]:
    """The calendar entries of the rows that are left."""
    left = {uid for table in entries for uid in table.frame.get_column(ENTRY)}
    return tuple(event for event in events if event.uid in left)


def _with_note(table: Table, whole: Table, filters: Filters) -> Table:
    if not filters.named:
        return table
    note = f"{_count_text(table.frame.height, whole.frame.height, filters)}."
    return replace(table, note=f"{note} {table.note}" if table.note else note)


def _headline(kept: Sequence[Table], taken: Sequence[Table], filters: Filters) -> str:
    rows, every = (sum(table.frame.height for table in tables) for tables in (kept, taken))
    return f"{_count_text(rows, every, filters)}."


def _count_text(rows: int, every: int, filters: Filters) -> str:
    return f"{rows:,} of {every:,} rows {'names' if rows == 1 else 'name'} {filters.words}"


def _excerpt_note(document: Document, kept: Sequence[Table], filters: Filters) -> list[str]:
    """What keeps an excerpt from being read as the whole."""
    names = {table.name for table in kept}
    others = [table.title for table in document.tables if table.name not in names]
    note = []
    if filters.named:
        about = "Figures, coverage and definitions are those of the whole report"
        note.append(f"{about}, which says: {document.headline.rstrip()}")
    if others:
        why = "as one table is asked for" if filters.table is not None else "as no row of them can name that"
        note.append(f"Left out, {why}: {', '.join(others)}.")
    if document.charts:
        note.append("Charts are left out: they draw the whole report.")
    return note
