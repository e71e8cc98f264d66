"""How a query and its rows are said: the noun with what narrows it, a row, the mark of its source; their order."""

import re
from collections.abc import Iterator, Sequence

import polars as pl

from engine.copilot.answers.answers import CitationList
from engine.copilot.answers.cells import cell, cells, heading, value_with_unit
from engine.copilot.answers.library import Library
from engine.copilot.answers.routes import route_of_row
from engine.copilot.grammar.query import Order, Query

ROWS = 10


def noun(plan: Query, number: int) -> str:
    """The things with their constraints around them."""
    before = " ".join(each.label for each in plan.constraints if not each.after)
    after = ", ".join(each.label for each in plan.constraints if each.after)
    name = plan.entity.name if number == 1 else plan.entity.plural
    return " ".join(part for part in (before, name, after) if part)


def row_lines(plan: Query, rows: pl.DataFrame, library: Library, citations: CitationList) -> Iterator[str]:
    """The first rows as lines, each with its citation, and how many more there are."""
    by = plan.order.column if plan.order is not None and f"{{{plan.order.column}}}" not in plan.entity.line else None
    for row in rows.head(ROWS).iter_rows(named=True):
        shown = by is not None and by in row and by != "rank" and not by.endswith("_at")
        first = f"{value_with_unit(by or '', row[by or ''])} {heading(by or '')}: " if shown else ""
        yield f"- {first}{line(plan, row)}{beside(plan, row)} {mark(plan, row, library, citations)}"
    if rows.height > ROWS:
        yield f"{rows.height - ROWS:,} more."


def beside(plan: Query, row: dict[str, object]) -> str:
    """What is asked for of each row and its line does not say."""
    if plan.intent not in ("list", "count", "who"):
        return ""
    asked = [column for column in plan.columns if column in row and f"{{{column}}}" not in plan.entity.line]
    return "".join(f"; {heading(column)}: {value_with_unit(column, row[column])}" for column in asked)


def line(plan: Query, row: dict[str, object]) -> str:
    """A row as it reads, without what is not recorded of it."""
    text = plan.entity.line.format_map(cells(row))
    return re.sub(r",(?: [\w ()%]+)? – ?%?(?=[,;]|$)| \(next –\)", "", text)


def mark(plan: Query, row: dict[str, object], library: Library, citations: CitationList) -> str:
    """The citation of a row: the route that shows it, or its identifier."""
    return citations.cite(
        plan.entity.report or plan.entity.plural, route_of_row(plan.entity, row, library), cell(row[plan.entity.key])
    )


def title(plan: Query, row: dict[str, object]) -> str:
    """How a row is called: its name, else its identifier with its title."""
    key = cell(row[plan.entity.key])
    name = row.get("called") if plan.entity.name == "framework" else row.get("name")
    if name:
        return cell(name)
    title = row.get("title")
    return f"{key} ({cell(title)})" if title else key


def sort_rows(plan: Query, rows: pl.DataFrame, library: Library) -> pl.DataFrame:
    """The rows in the order asked for, else the most urgent first, the newest first, the largest first."""
    order, entity = plan.order, plan.entity
    if order is not None and plan.intent not in ("group", "measure"):
        if order.column == entity.due and not order.down and entity.done is not None:
            rows = rows.filter(pl.col(entity.done).is_null())  # what is done is no more the next
        if order.column == entity.due and not order.down:
            ahead = rows.filter(pl.col(order.column) >= library.today)
            one = plan.lookup or any(each.dimension == "choice:title" for each in plan.constraints)
            # what is due first may be late; the next review of what is late is the one that was missed
            late = order.words.endswith("first") or (ahead.is_empty() and one)
            rows = rows if late else ahead
            if "status" in rows.columns and entity.name == "meeting":
                rows = rows.filter(pl.col("status") != "cancelled")
        gone = order.column != entity.due or entity.done is None or plan.intent != "when"
        dated = order.column in entity.dates and rows.schema[order.column] == pl.Date
        if order.down and dated and plan.window is None and gone:
            rows = rows.filter(pl.col(order.column) <= library.today)
            if entity.name == "meeting":
                rows = rows.filter(pl.col("status") == "held")
        moment = f"{order.column.removesuffix('_on')}_at"
        dated_rows = rows.drop_nulls(order.column)
        by = moment if moment in rows.columns and not dated_rows[moment].null_count() else order.column
        ties = [entity.scale] if entity.scale in rows.columns and by == entity.size != entity.scale else []
        ends = [order.down, *(order.down for _ in ties), False]
        kept = dated_rows.sort(by, *ties, entity.key, descending=ends, nulls_last=True)
        return kept.head(_with_ties(kept, order, [by, *ties]))
    usual = entity.due if plan.window is not None and plan.window[0] == entity.due else entity.size
    column = usual or entity.due or next(iter(entity.dates), None)
    if column is None or column not in rows.columns:
        return rows
    down = column != entity.due
    return rows.sort(column, entity.key, descending=[down, False], nulls_last=True)


def _with_ties(rows: pl.DataFrame, order: Order, by: Sequence[str]) -> int:
    """How many rows an order takes: those that are equal to the last one, too, unless more were asked for by day."""
    if order.count >= rows.height or (rows.schema[by[0]].is_temporal() and order.count > 1):
        return order.count
    last = pl.all_horizontal(pl.col(one).eq_missing(rows[one][order.count - 1]) for one in by)
    tied = rows.filter(last).height
    better = rows.head(order.count).filter(~last).height
    return better + tied if better + tied <= ROWS else order.count
