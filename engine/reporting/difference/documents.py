"""The difference of two documents of one report: its figures before and after, and each of its tables."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from engine.model.documents.document import Document, Table
from engine.model.figures.figure import Figure
from engine.model.vocabulary import Better, Unit
from engine.render.plain_values import flat, plain_value
from engine.reporting.difference.tables import TableDifference, diff


@dataclass(frozen=True)
class FigureChange:
    """A scalar of the summary that is not what it was. ``unit`` and ``better`` are those of a declared figure."""

    id: str
    title: str
    unit: Unit | None
    better: Better
    before: Any
    after: Any

    @property
    def change(self) -> float | int | None:
        """By how much a number moved, in the digits that both have."""
        if not _is_number(self.before) or not _is_number(self.after):
            return None
        moved = self.after - self.before
        return round(moved, 6) if isinstance(moved, float) else moved

    @property
    def direction(self) -> str | None:
        """``better`` or ``worse``; None for what has no direction."""
        if not self.change or self.better == "neither":
            return None
        return "better" if (self.change > 0) == (self.better == "more") else "worse"


@dataclass(frozen=True)
class NamedDifference:
    """The difference of a table, with the table as it is (as it was where it is gone)."""

    table: Table
    rows: TableDifference


@dataclass(frozen=True)
class DocumentDifference:
    """What differs between two documents of one report."""

    figures: tuple[FigureChange, ...]
    tables: tuple[NamedDifference, ...]
    headlines: tuple[str, str]
    next_step: str = ""  # of the report as it is

    @property
    def is_empty(self) -> bool:
        """Whether both say the same."""
        return not self.figures and not self.tables and self.headlines[0] == self.headlines[1]


def diff_documents(before: Document, after: Document, declared: Sequence[Figure]) -> DocumentDifference:
    """What makes ``after`` of ``before``. Left out are tables that are the same, and what compares two days itself."""
    old = {table.name: table for table in before.tables if not table.comparison}
    new = {table.name: table for table in after.tables if not table.comparison}
    differences = [_table(old.get(name), new.get(name)) for name in dict.fromkeys((*new, *old))]
    return DocumentDifference(
        _figures(before, after, declared),
        tuple(each for each in differences if not each.rows.is_empty),
        (before.headline, after.headline),
        after.next_step,
    )


def _table(before: Table | None, after: Table | None) -> NamedDifference:
    table = after or before
    if table is None:
        raise ValueError("a table that is on neither side has no difference")
    empty = pl.DataFrame(schema=table.frame.schema)
    return NamedDifference(table, diff(before.frame if before else empty, after.frame if after else empty))


def _figures(before: Document, after: Document, declared: Sequence[Figure]) -> tuple[FigureChange, ...]:
    old, new = _scalars(before), _scalars(after)
    known = {figure.id: figure for figure in declared}
    changes = []
    for name in dict.fromkeys((*new, *old)):
        figure = known.get(name)
        if old.get(name) == new.get(name) or (figure is not None and figure.comparison):
            continue
        title = after.titles.get(name) or before.titles.get(name) or ""
        better: Better = "neither" if figure is None else figure.better
        changes.append(FigureChange(name, title, figure.unit if figure else None, better, old.get(name), new.get(name)))
    return tuple(changes)


def _scalars(document: Document) -> dict[str, Any]:
    return dict(flat("", plain_value(document.summary, "summary")))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
