"""Answers by name out of what a report says: which decisions, whose hours, which causes."""

from datetime import date

import polars as pl

from engine.model.days import quarters, spelled_day
from engine.model.documents.document import Document, Edition
from engine.reporting.site.named_answers import FEW, called_by, short_day
from engine.reporting.snapshot.snapshot import Snapshot


def decisions(snapshot: Snapshot, document: Document) -> list[str]:
    """What is asked of the board, with whom and by when."""
    rows = _rows(document, "decisions")
    names = called_by(snapshot)
    said = [
        f"{row['decision']} ({names(row['owner'])}{_by(row['due_on'])})"
        for row in rows.head(FEW - 1).iter_rows(named=True)
    ]
    more = [f"and {rows.height - len(said)} more."] if rows.height > len(said) else []
    return [*(f"To decide: {one}." if not number else f"{one}." for number, one in enumerate(said)), *more]


def freed_hours(snapshot: Snapshot, document: Document) -> list[str]:
    """Whose work falls away, the most hours first."""
    rows = _rows(document, "descoped")
    if rows.is_empty():
        return []
    owners = rows.group_by("owner").agg(pl.col("effort_hours").sum(), pl.len().alias("duties"))
    most = owners.sort("effort_hours", "owner", descending=[True, False], nulls_last=True).head(FEW)
    names = called_by(snapshot)
    said = [
        f"{names(owner)} {quarters(hours or 0)} h ({duties} {'duty' if duties == 1 else 'duties'})."
        for owner, hours, duties in most.iter_rows()
    ]
    last = rows.get_column("due_on").max()
    until = f" until {spelled_day(last)}" if last is not None else ""  # type: ignore[arg-type]  # a column of days
    return [f"Hours that come free{until}, most of:", *said]


def what_moved(_snapshot: Snapshot, document: Document) -> list[str]:
    """What did it, as far as the records say."""
    if not any(table.name == "movements" for table in document.tables):
        return ["The records are younger than a month: there is nothing yet to compare with."]
    rows = _rows(document, "movements")
    return [f"{row['what']}." for row in rows.head(FEW).iter_rows(named=True)]


def exceptions(edition: Edition) -> dict[str, str]:
    """What the period of a Type II report notes against each control, whatever its state is today."""
    rows = _rows(edition.document, "deviations")
    days = edition.parameters["periodDays"]
    return {
        f"soc2:{row['control_id']}": f"Type II over {days} days: {row['why']}." for row in rows.iter_rows(named=True)
    }


def _by(day: date | None) -> str:
    return f", by {short_day(day)}" if day else ""


def _rows(document: Document, table: str) -> pl.DataFrame:
    """The rows of a table; none where the document has no such table."""
    return next((one.frame for one in document.tables if one.name == table), pl.DataFrame())
