"""A query carried out and said: one sentence with the number, then the rows, each with its citation."""

from collections.abc import Iterator, Sequence

import polars as pl

from engine.copilot.answers import AnswerPart, CitationList
from engine.copilot.cells import cell, cells, count_of, heading, value_with_unit
from engine.copilot.library import Library
from engine.copilot.query import Order, Query
from engine.copilot.routes import figure_of, route_of_row
from engine.model.vocabulary import Confidence

ROWS = 10
MOST_GROUPS = 12


def tell(plan: Query, library: Library, citations: CitationList) -> AnswerPart:
    """What the records say to a query."""
    frame = library.rows(plan.entity)
    if frame.is_empty():
        return AnswerPart((f"I have no data on {plan.entity.plural}: none is on record.",), "none")
    rows = _ordered(plan, frame.filter(plan.where), library)
    lines = list(_TELLERS[plan.intent](plan, rows, library, citations))
    if not lines:
        return AnswerPart((f"I have no data on {_noun(plan, 1)}: nothing on record fits.",), "none")
    confidence, reason = _confidence(plan, frame, rows)
    lines += [
        f"I could not apply '{word}': nothing on record says it of {plan.entity.plural}." for word in plan.unknown
    ]
    lines += [f"I read '{said}' as '{meant}'." for said, meant in plan.corrections]
    return AnswerPart(tuple(lines), confidence, reason)


def _confidence(plan: Query, frame: pl.DataFrame, rows: pl.DataFrame) -> tuple[Confidence, str]:
    if plan.unknown:
        return "low", f"{', '.join(plan.unknown)} not applied"
    if plan.unused:
        return "medium", f"{', '.join(plan.unused)} did not choose rows"
    if not plan.named and not plan.lookup:
        return "medium", f"nothing said what it is about; taken as {plan.entity.plural}"
    if any(len(said) >= 8 and said[:-1] != meant for said, meant in plan.corrections) and len(plan.corrections) > 1:
        return "medium", "several words were misspelt"
    if plan.presumed and plan.intent in ("count", "list", "group"):
        meant = next(each for each in plan.constraints if each.dimension.startswith("state:"))
        others = [each.where for each in plan.constraints if each is not meant]
        if frame.filter(pl.all_horizontal(pl.lit(True), *others)).height != rows.height:
            return "medium", f"taken as those that are {meant.label}"
    return "high", ""


def _ordered(plan: Query, rows: pl.DataFrame, library: Library) -> pl.DataFrame:
    """The rows in the order asked for, else the most urgent first, the newest first, the largest first."""
    order, entity = plan.order, plan.entity
    if order is not None and plan.intent != "group":
        if order.column == entity.due and not order.down:
            rows = rows.filter(pl.col(order.column) >= library.today)
            if "status" in rows.columns and entity.name == "meeting":
                rows = rows.filter(pl.col("status") != "cancelled")
        if order.down and order.column in entity.dates and rows.schema[order.column] == pl.Date and plan.window is None:
            rows = rows.filter(pl.col(order.column) <= library.today)
            if entity.name == "meeting":
                rows = rows.filter(pl.col("status") == "held")
        kept = rows.drop_nulls(order.column).sort(order.column, entity.key, descending=[order.down, False])
        return kept.head(_with_ties(kept, order))
    usual = entity.due if plan.window is not None and plan.window[0] == entity.due else entity.size
    column = usual or entity.due or next(iter(entity.dates), None)
    if column is None or column not in rows.columns:
        return rows
    down = column != entity.due
    return rows.sort(column, entity.key, descending=[down, False], nulls_last=True)


def _with_ties(rows: pl.DataFrame, order: Order) -> int:
    """How many rows an order takes: those that are equal to the last one, too, where a size is asked for."""
    if order.count >= rows.height or rows.schema[order.column].is_temporal():
        return order.count
    last = rows[order.column][order.count - 1]
    tied = rows.filter(pl.col(order.column) == last)[order.column].len()
    better = rows.head(order.count).filter(pl.col(order.column) != last).height
    return better + tied if better + tied <= ROWS else order.count


def _noun(plan: Query, number: int) -> str:
    """The things with their constraints around them."""
    before = " ".join(each.label for each in plan.constraints if not each.after)
    after = ", ".join(each.label for each in plan.constraints if each.after)
    name = plan.entity.name if number == 1 else plan.entity.plural
    return " ".join(part for part in (before, name, after) if part)


def _list(plan: Query, rows: pl.DataFrame, library: Library, citations: CitationList) -> Iterator[str]:
    number = rows.height
    if plan.order is not None:
        said = f"{plan.order.words} {'first' if plan.order.count > 1 else ''}".strip()
        if number == 0:
            return
        yield f"The {said} of {_total(plan, library)}:"
    else:
        figure = figure_of(plan, library, number, citations)
        if plan.lookup and number and not plan.entity.figures.get(frozenset(_labels(plan))):
            named = [each for each in plan.constraints if each.dimension.startswith("own")]
            if len(named) == len(plan.constraints):
                yield from _rows(plan, rows, library, citations)
                return
        yield figure or f"{count_of(number, _noun(plan, 1), _noun(plan, 2))}."
    yield from _rows(plan, rows, library, citations)


def _total(plan: Query, library: Library) -> str:
    number = library.rows(plan.entity).filter(plan.where).height
    return count_of(number, _noun(plan, 1), _noun(plan, 2))


def _labels(plan: Query) -> Sequence[str]:
    return [each.label for each in plan.constraints]


def _rows(plan: Query, rows: pl.DataFrame, library: Library, citations: CitationList) -> Iterator[str]:
    """The first rows as lines, each with its citation, and how many more there are."""
    for row in rows.head(ROWS).iter_rows(named=True):
        yield f"- {plan.entity.line.format_map(cells(row))} {_mark(plan, row, library, citations)}"
    if rows.height > ROWS:
        yield f"{rows.height - ROWS:,} more."


def _mark(plan: Query, row: dict[str, object], library: Library, citations: CitationList) -> str:
    return citations.cite(plan.entity.report or plan.entity.plural, route_of_row(plan.entity, row, library),
                          cell(row[plan.entity.key]))  # fmt: skip


def _title(plan: Query, row: dict[str, object]) -> str:
    """How a row is called: its name, else its identifier with its title."""
    key = cell(row[plan.entity.key])
    name = row.get("called") if plan.entity.name == "framework" else row.get("name")
    if name:
        return cell(name)
    title = row.get("title")
    return f"{key} ({cell(title)})" if title else key


def _who(plan: Query, rows: pl.DataFrame, library: Library, citations: CitationList) -> Iterator[str]:
    if not plan.columns or plan.columns[0] not in rows.columns:
        yield from _list(plan, rows, library, citations)
        return
    (column,) = plan.columns
    role = heading(column).removesuffix(" by")
    if rows.is_empty():
        if not plan.lookup:
            yield f"{count_of(0, _noun(plan, 1), _noun(plan, 2))}, so nobody."
        return
    if rows.height == 1:
        row = rows.row(0, named=True)
        who = row[column]
        told = f"{cell(who)} ({role})" if who else f"Nobody: no {role} is recorded"
        yield f"{told}: {_title(plan, row)}. {_mark(plan, row, library, citations)}"
        return
    found = rows[column].drop_nulls().value_counts(sort=True).sort("count", column, descending=[True, False])
    missing = rows[column].null_count()
    told = ", ".join(f"{who} ({number})" for who, number in found.head(MOST_GROUPS).iter_rows())
    nobody = f"; {missing} without" if missing else ""
    yield f"{role.capitalize()} of {count_of(rows.height, _noun(plan, 1), _noun(plan, 2))}: {told or 'nobody'}{nobody}."
    yield from _rows(plan, rows, library, citations)


def _when(plan: Query, rows: pl.DataFrame, library: Library, citations: CitationList) -> Iterator[str]:
    if not plan.columns or plan.columns[0] not in rows.columns or rows.is_empty():
        return
    (column,) = plan.columns
    word = heading(column)
    dated = rows.drop_nulls(column)
    if dated.is_empty():
        row = rows.row(0, named=True)
        yield f"No date: {_title(plan, row)} has no day for '{word}'. {_mark(plan, row, library, citations)}"
        return
    if plan.order is None and dated.height > 1:
        dated = dated.sort(column)
        ahead = dated.filter(pl.col(column) >= library.today)
        dated = pl.concat([ahead, dated.filter(pl.col(column) < library.today)])
    for row in dated.head(ROWS).iter_rows(named=True):
        at = row.get(column.replace("_on", "_at"))
        moment = f" ({cell(at)})" if at is not None and column.endswith("_on") else ""
        lead = "" if dated.height == 1 else "- "
        yield f"{lead}{cell(row[column])}{moment}: {word}, {_title(plan, row)}. {_mark(plan, row, library, citations)}"


def _why(plan: Query, rows: pl.DataFrame, library: Library, citations: CitationList) -> Iterator[str]:
    reason = plan.entity.reason
    if reason is None or rows.is_empty():
        yield from _list(plan, rows, library, citations) if reason is None else ()
        return
    for row in rows.head(ROWS).iter_rows(named=True):
        said = reason.format_map(cells(row)) if "{" in reason else row[reason]
        told = cell(said) if said else "no cause is recorded"
        yield f"{_title(plan, row)}: {told}. {_mark(plan, row, library, citations)}"


def _check(plan: Query, rows: pl.DataFrame, library: Library, citations: CitationList) -> Iterator[str]:
    for row in rows.head(ROWS).iter_rows(named=True):
        one = rows.filter(pl.col(plan.entity.key) == row[plan.entity.key])
        holds = one.filter(pl.all_horizontal(each.where for each in plan.checks)).height == one.height
        said = " and ".join(each.label for each in plan.checks)
        verdict = f"Yes: {_title(plan, row)} is {said}" if holds else f"No: {_title(plan, row)} is not {said}"
        yield f"{verdict}. {_mark(plan, row, library, citations)}"
        yield f"  {plan.entity.line.format_map(cells(row))}"


def _every(plan: Query, rows: pl.DataFrame, library: Library, citations: CitationList) -> Iterator[str]:
    (claim,) = plan.checks
    others = rows.filter(~claim.where)
    held = rows.height - others.height
    yes = "Yes" if others.is_empty() and rows.height else "No"
    all_of = count_of(rows.height, _noun(plan, 1), _noun(plan, 2))
    yield f"{yes}: {held:,} of {all_of} {claim.label}, {others.height:,} not."
    yield from _rows(plan, others, library, citations)


def _what(plan: Query, rows: pl.DataFrame, library: Library, citations: CitationList) -> Iterator[str]:
    for row in rows.head(ROWS).iter_rows(named=True):
        told = "; ".join(
            value_with_unit(column, row[column])
            if row[column] is None
            else f"{value_with_unit(column, row[column])} ({heading(column)})"
            for column in plan.columns
        )
        yield f"{told}: {_title(plan, row)}. {_mark(plan, row, library, citations)}"
        yield f"  {plan.entity.line.format_map(cells(row))}"


def _group(plan: Query, rows: pl.DataFrame, library: Library, citations: CitationList) -> Iterator[str]:
    column = plan.group or plan.entity.key
    if rows.is_empty():
        yield f"{count_of(0, _noun(plan, 1), _noun(plan, 2))}."
        return
    found = rows.group_by(column).len().sort("len", column, descending=[True, False], nulls_last=True)
    top = found.drop_nulls(column).head(1)
    told = f"{count_of(rows.height, _noun(plan, 1), _noun(plan, 2))}, by {heading(column)}"
    if top.height:
        tied = found.drop_nulls(column).filter(pl.col("len") == top["len"][0])[column].to_list()
        told += f"; the most: {', '.join(cell(one) for one in tied[:5])} with {top['len'][0]:,}"
    yield f"{told}."
    for value, number in found.head(MOST_GROUPS).iter_rows():
        yield f"- {'without' if value is None else cell(value)}: {number:,}"
    if found.height > MOST_GROUPS:
        yield f"{found.height - MOST_GROUPS:,} more."


def _measure(plan: Query, rows: pl.DataFrame, library: Library, citations: CitationList) -> Iterator[str]:
    column, how = plan.measure or ("", "sum")
    values = rows[column].drop_nulls() if column in rows.columns else pl.Series([])
    if values.is_empty():
        return
    number = float({"sum": pl.sum, "mean": pl.mean, "median": pl.median}[how](column).pipe(rows.select).item() or 0)
    word = column.removeprefix("hours_").replace("_", " ")
    yield f"{number:,.1f} hours: {how} of '{word}' over {count_of(len(values), _noun(plan, 1), _noun(plan, 2))}."
    if len(values) < rows.height:
        yield f"{rows.height - len(values):,} of {rows.height:,} have no such time yet."
    yield from _rows(plan, rows.drop_nulls(column).sort(column, descending=True), library, citations)


def _compare(plan: Query, rows: pl.DataFrame, library: Library, citations: CitationList) -> Iterator[str]:
    numbers = [(half, rows.filter(half.where).height) for half in plan.halves]
    first, second = numbers[0][1], numbers[1][1]
    word = "as many" if first == second else "more" if first > second else "fewer"
    than = "as" if first == second else "than"
    labels = [half.label for half in plan.halves]
    yield f"{first:,} against {second:,}: {word} {_noun(plan, 2)} {labels[0]} {than} {labels[1]}."


_TELLERS = {
    "count": _list, "list": _list, "who": _who, "when": _when, "why": _why, "what": _what, "check": _check,
        "every": _every, "group": _group,
    "measure": _measure, "compare": _compare,
}  # fmt: skip
