"""The rows of a query in their order, and how many of them a superlative takes."""

from collections.abc import Sequence

import polars as pl

from engine.copilot.answers.library import Library
from engine.copilot.answers.sentences import ROWS
from engine.copilot.grammar.query import Order, Query


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
        by = moment if moment in rows.columns else order.column
        ties = [entity.scale] if entity.scale in rows.columns and by == entity.size != entity.scale else []
        ends = [order.down, *(order.down for _ in ties), False]
        kept = rows.drop_nulls(order.column).sort(by, *ties, entity.key, descending=ends, nulls_last=True)
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
