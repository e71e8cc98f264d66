"""What rows come to, said: groups, the groups that have so many, shares, and numbers over a column."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import polars as pl

from engine.copilot.answers.answers import CitationList
from engine.copilot.answers.cells import BETWEEN, cell, count_of, heading, measure_name, plural_of
from engine.copilot.answers.library import Library
from engine.copilot.answers.sentences import ROWS, mark, noun, row_lines, title
from engine.copilot.entities import ENTITIES
from engine.copilot.grammar.projection import PERIODS
from engine.copilot.grammar.query import Query

MOST_GROUPS = 12
# the kinds of things that a column holds: those that have no rows at all are among them
_HOLDERS = {"service": ("service", "name"), "vendor": ("vendor", "name"), "called": ("framework", "called")}
_HOWS = {"sum": "total", "mean": "average", "median": "median"}
SHORT_HOURS = 3  # a time that is said in minutes, too


def group_lines(plan: Query, rows: pl.DataFrame, library: Library, citations: CitationList) -> Iterator[str]:
    """The rows by a column, the largest group first."""
    column = plan.group or plan.entity.key
    if plan.having is not None:
        yield from _having(plan, rows, library)
        return
    if rows.is_empty():
        yield f"{count_of(0, noun(plan, 1), noun(plan, 2))}."
        return
    rows, column = _by_period(rows, column)
    frame = rows.group_by(column).len().sort(pl.col(column).is_null(), "len", column, descending=[False, True, False])
    fewest = plan.order is not None and not plan.order.down
    named = frame.drop_nulls(column)
    top = named.tail(1) if fewest else named.head(1)
    text = f"{count_of(rows.height, noun(plan, 1), noun(plan, 2))}, by {heading(column)}"
    if top.height:
        tied = named.filter(pl.col("len") == top["len"][0])[column].to_list()
        end = "fewest" if fewest else "most"
        text += f"; the {end}: {', '.join(cell(one) for one in tied[:5])} with {top['len'][0]:,}"
    yield f"{text}."
    count = plan.order.count if plan.order is not None and plan.order.count > 1 else MOST_GROUPS
    if column in PERIODS:
        frame = frame.sort(column, descending=True, nulls_last=True)
    for value, number in frame.head(count).iter_rows():
        yield f"- {'without' if value is None else cell(value)}: {number:,}"
    if frame.height > count:
        yield f"{frame.height - count:,} more."


def _by_period(rows: pl.DataFrame, group: str) -> tuple[pl.DataFrame, str]:
    """The rows with the span of their day, where they are counted by spans."""
    period, _, day = group.partition(":")
    if not day:
        return rows, group
    spelt = pl.col(day).dt.strftime(PERIODS[period])
    if period == "quarter":
        spelt = pl.format("{}{}", spelt, pl.col(day).dt.quarter())
    return rows.with_columns(spelt.alias(period)), period


def _having(plan: Query, rows: pl.DataFrame, library: Library) -> Iterator[str]:
    """The groups that have so many rows; those of a known kind that have none where none is asked for."""
    having = plan.having
    if having is None:
        return
    rows, column = _by_period(rows, plan.group or "")
    word = heading(column)
    frame = rows.drop_nulls(column).group_by(column).len().sort("len", column, descending=[True, False])
    if having.sign == "=" and having.number == 0:
        yield from _without(plan, column, frame, library)
        return
    kept = frame.filter(having.within(pl.col("len")))
    many = f"{having.words} " if having.words else ""
    verb = "has" if kept.height == 1 else "have"
    yield f"{count_of(kept.height, word, plural_of(word))} {verb} {many}{noun(plan, 2)}."
    for value, number in kept.head(MOST_GROUPS).iter_rows():
        yield f"- {cell(value)}: {number:,}"
    if kept.height > MOST_GROUPS:
        yield f"{kept.height - MOST_GROUPS:,} more."


def _without(plan: Query, column: str, frame: pl.DataFrame, library: Library) -> Iterator[str]:
    if column not in _HOLDERS:
        return
    kind, name = _HOLDERS[column]
    everything = library.rows(next(one for one in ENTITIES if one.name == kind))
    others = everything.filter(~pl.col(name).is_in(frame[column].to_list()))[name].sort().to_list()
    word = heading(column)
    yield f"{count_of(len(others), word, plural_of(word))} {'has' if len(others) == 1 else 'have'} no {noun(plan, 1)}."
    yield from (f"- {one}" for one in others[:ROWS])
    if len(others) > ROWS:
        yield f"{len(others) - ROWS:,} more."


def tally_lines(plan: Query, rows: pl.DataFrame, library: Library, citations: CitationList) -> Iterator[str]:
    """How many rows of another kind each thing has: the first and the last, or those with so many."""
    tally = plan.tally
    if tally is None:
        return
    of = tally.of
    held = {row[plan.entity.key]: row for row in rows.iter_rows(named=True)}
    among = count_of(tally.among, plan.entity.name, plan.entity.plural)
    if tally.ranked and tally.rows.is_empty():
        yield f"None of {among} has any {noun(of, 1)}."
        return
    if tally.ranked:
        first = tally.rows["number"][0]
        if tally.quantity == "last":
            names = ", ".join(title(plan, held[key]) for key, days in tally.rows.iter_rows() if days == first)
            yield f"{names}: {count_of(first, 'day', 'days')} since the last {noun(of, 1)}, the most of {among}."
            for key, days in tally.rows.head(ROWS).iter_rows():
                yield (
                    f"- {title(plan, held[key])}: last on {library.today - timedelta(days=days)} "
                    f"{mark(plan, held[key], library, citations)}"
                )
            return
        tied = [title(plan, held[key]) for key, number in tally.rows.iter_rows() if number == first]
        yield f"{', '.join(tied[:5])}: {count_of(first, noun(of, 1), noun(of, 2))}, the {tally.quantity} of {among}."
    else:
        yield f"{count_of(rows.height, noun(plan, 1), noun(plan, 2))}."
    for key, number in tally.rows.head(ROWS).iter_rows():
        yield f"- {title(plan, held[key])}: {number:,} {mark(plan, held[key], library, citations)}"
    if tally.rows.height > ROWS:
        yield f"{tally.rows.height - ROWS:,} more."


def share_lines(plan: Query, rows: pl.DataFrame, library: Library, citations: CitationList) -> Iterator[str]:
    """How many of the rows are what the question claims, in percent."""
    if rows.is_empty():
        return
    held = rows.filter(pl.all_horizontal(pl.lit(True), *(each.where for each in plan.checks)))
    claim = " and ".join(each.label for each in plan.checks)
    of, verb = count_of(rows.height, noun(plan, 1), noun(plan, 2)), "is" if held.height == 1 else "are"
    yield f"{100 * held.height / rows.height:.1f} %: {held.height:,} of {of} {verb} {claim}."
    yield from row_lines(replace(plan, intent="list"), held, library, citations)


def measure_lines(plan: Query, rows: pl.DataFrame, library: Library, citations: CitationList) -> Iterator[str]:
    """The mean, the median or the sum of a column, over all rows or by group."""
    column, how = plan.measure or ("", "sum")
    start, _, end = column.removesuffix("_days").partition(BETWEEN)
    if end:
        rows = rows.with_columns((pl.col(end) - pl.col(start)).dt.total_days().alias(column))
    values = rows[column].drop_nulls() if column in rows.columns else pl.Series([])
    if values.is_empty():
        return
    unit = (
        " hours"
        if "hours" in column
        else " %"
        if column.endswith("_pct")
        else " days"
        if column.endswith("_days") or column.startswith("days_")
        else ""
    )
    if plan.halves:
        for half in plan.halves:
            part = replace(plan, halves=(), constraints=(*plan.constraints, half))
            held = rows.filter(half.where)
            first = next(measure_lines(part, held, library, citations), None)
            yield first or f"No {noun(part, 1)} has a {measure_name(column)}."
        return
    over = count_of(len(values), noun(plan, 1), noun(plan, 2))
    number = _number(values, how)
    minutes = f" ({60 * number:,.1f} minutes)" if column.startswith("hours_to") and number < SHORT_HOURS else ""
    if plan.minutes and " hours" in unit:
        number, unit, minutes = 60 * number, " minutes", ""
    text = f"{number:,.1f}{unit}{minutes}: {_HOWS[how]} {measure_name(column)} of {over}."
    if plan.group is None:
        yield text
    else:
        rows, group = _by_period(rows, plan.group)
        by = rows.drop_nulls(column).group_by(group).agg(pl.col(column))
        if plan.order is not None and by.height:
            sums = pl.col(column).list.median() if how == "median" else pl.col(column).list.sum()
            best = by.drop_nulls(group).with_columns(sums).sort(column, descending=plan.order.down)
            yield (
                f"{cell(best[group][0])}: {best[column][0]:,.1f}{unit}, the {plan.order.words} {measure_name(column)} "
                f"of {over} by {heading(group)}."
            )
        elif how == "sum" and group in PERIODS and by.height:
            spans = count_of(by.height, group, f"{group}s")
            yield f"{number / by.height:,.1f}{unit} a {group}, over {spans}; in all {text}"
        else:
            yield text
        by = by.sort(group, descending=group in PERIODS, nulls_last=True)
        each = [(value, _number(pl.Series(numbers), how)) for value, numbers in by.iter_rows()]
        if plan.order is not None:
            each.sort(key=lambda one: -one[1] if plan.order and plan.order.down else one[1])
        for value, number in each[:MOST_GROUPS]:
            yield f"- {'without' if value is None else cell(value)}: {number:,.1f}{unit}"
        return
    if len(values) < rows.height:
        yield f"{rows.height - len(values):,} of {rows.height:,} have no such value yet."
    yield from row_lines(plan, rows.drop_nulls(column).sort(column, descending=True), library, citations)


def _number(values: pl.Series, how: str) -> float:
    mean = values.sum() if how == "sum" else values.mean() if how == "mean" else values.median()
    return float(mean) if isinstance(mean, int | float) else 0.0
