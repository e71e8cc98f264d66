"""A query carried out and said: one sentence with the number, then the rows, each with its citation."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from itertools import combinations

import polars as pl

from engine.copilot.answers.answers import AnswerPart, CitationList
from engine.copilot.answers.cells import cell, cells, count_of, heading, measure_name, value_with_unit
from engine.copilot.answers.library import Library
from engine.copilot.answers.routes import figure_of
from engine.copilot.answers.sentences import ROWS, line, mark, noun, row_lines, sort_rows, title
from engine.copilot.answers.sums import MOST_GROUPS, group_lines, measure_lines, share_lines, tally_lines
from engine.copilot.grammar.plan import as_they_stand, however_they_stand
from engine.copilot.grammar.proof import no_rows
from engine.copilot.grammar.query import Query
from engine.model.vocabulary import Confidence

_STANDING = ("state:", "window", "dated:")  # what says how a thing stands, or when it came to
MOST_COLUMNS = 6  # of a kind of thing, where it is said what can be asked of it


def answer_text(plan: Query, library: Library, citations: CitationList) -> AnswerPart:
    """What the records say to a query."""
    frame = library.rows(plan.entity)
    if frame.is_empty():
        return AnswerPart((f"I have no data on {plan.entity.plural}: none is on record.",), "none")
    if plan.unknown:
        return _decline(plan)
    plan = as_they_stand(plan, frame)
    rows = sort_rows(plan, frame.filter(plan.where), library)
    if rows.is_empty() and plan.window is not None and (first := _before_record(plan, frame)):
        return AnswerPart((f"I have no data on {noun(plan, 2)}: the first day on record is {first}.",), "none")
    searched = any(each.dimension.startswith("title:") for each in plan.constraints)
    if searched and rows.is_empty() and any(each.dimension.startswith("own:name") for each in plan.constraints):
        return AnswerPart((f"I have no data on {noun(plan, 1)}: nothing on record says it.",), "none")
    lines = list(_TELLERS[plan.intent](plan, rows, library, citations))
    if not lines and any(each.dimension.startswith("own") for each in plan.constraints):
        lines = list(_not_so(plan, frame, library, citations))
    if rows.is_empty() and not plan.entity.closed:
        return AnswerPart((f"I have no data on {noun(plan, 2)}: no pair of it is in the crosswalk.",), "none")
    if not lines and plan.lookup:
        return AnswerPart((f"I have no data on {noun(plan, 1)}: nothing on record fits.",), "none")
    if not lines and plan.measure is not None and rows.height:
        lines = [f"No {noun(plan, 1)} has a {measure_name(plan.measure[0])} on record."]
    if not lines:
        ahead = plan.order is not None and plan.order.column == plan.entity.due and not plan.order.down
        lacks = plan.order is not None and not ahead and rows.is_empty() and frame.filter(plan.where).height
        of = "" if plan.order is None else heading(plan.order.column)
        none = f"has '{of}' on record" if lacks else "lies ahead" if ahead else "is on record"
        lines = [f"None: no {noun(plan, 1)} {none}."]
    if any(each.dimension.startswith("not:state:caused") for each in plan.constraints):
        unknown = rows["root_cause"].null_count()
        lines += [f"{unknown:,} of them have no established cause."] if unknown else []
    confidence, reason = _confidence(plan, frame, rows)
    lines += [f"I read '{text}' as '{meant}'." for text, meant in plan.corrections]
    return AnswerPart(tuple(lines), confidence, reason)


def _decline(plan: Query) -> AnswerPart:
    """No number where a word was not understood: which word, and what of the question is on record."""
    entity = plan.entity
    words = ", ".join(f"'{word}'" for word in plan.unknown)
    columns = dict.fromkeys((*entity.choices, *entity.dates, *entity.people, *entity.attributes))
    known = ", ".join(heading(column) for column in list(columns)[:MOST_COLUMNS])
    by = f", by {known}" if known else ""
    return AnswerPart(
        (
            f"I have no data on {noun(plan, 2)} with {words}: no record of {entity.plural} says it, and without it the "
            f"answer would be to another question. I can answer for {noun(plan, 2)}{by}.",
        ),
        "none",
    )


def _not_so(plan: Query, frame: pl.DataFrame, library: Library, citations: CitationList) -> Iterator[str]:
    """What is named and is not as the question has it."""
    own = [each for each in plan.constraints if each.dimension.startswith("own")]
    others = [each.label for each in plan.constraints if each not in own]
    if any(each.dimension.startswith("title") for each in plan.constraints):
        return
    rows = frame.filter(pl.all_horizontal(each.where for each in own))
    if rows.height:
        yield f"Not so ({', '.join(others)}):" if others else "Not so:"
        yield from row_lines(plan, rows, library, citations)


def _confidence(plan: Query, frame: pl.DataFrame, rows: pl.DataFrame) -> tuple[Confidence, str]:
    """High is what is left where nothing was taken for granted, and every word of the question found its place."""
    if plan.unused:
        return "low", f"{', '.join(plan.unused)} did not choose rows"
    if searched := [each for each in plan.constraints if each.dimension.startswith(("title:", "not:title:"))]:
        has = rows.height and not any(each.dimension.startswith("not:") for each in searched)
        return ("medium" if has else "low"), "searched for in names and titles"
    standing = [each for each in plan.constraints if each.dimension.removeprefix("not:").startswith(_STANDING)]
    if rows.is_empty() and any(frame.filter(one.where, two.where).is_empty() for one, two in combinations(standing, 2)):
        return "low", "nothing is both at once"
    assumed = list(dict.fromkeys(_assumptions(plan, frame, rows)))
    return ("low" if len(assumed) > 1 else "medium", "; ".join(assumed)) if assumed else ("high", "")


def _before_record(plan: Query, frame: pl.DataFrame) -> date | None:
    """The first day on record of what was asked of a span before it; None where the span reaches into the record."""
    column, window = plan.window or ("", None)
    lasts = plan.entity.until is not None and frame.schema.get(column) == pl.Date  # what happened began at some time
    first = frame[column].min() if lasts else None
    return first if isinstance(first, date) and window and window.last is not None and window.last < first else None


def _beyond(plan: Query, frame: pl.DataFrame) -> Iterator[str]:
    """Why nothing fits where nothing ever could: a limit or a span beyond all that is on record."""
    for each in plan.constraints:
        kind, _, column = each.dimension.partition(":")
        if kind == "empty" and frame.filter(each.where).is_empty():
            yield f"no record is {each.label}"
        if kind == "bound" and column in frame.columns and frame.filter(each.where).is_empty():
            low, high = frame[column].min(), frame[column].max()
            yield f"{heading(column)} lies between {cell(low)} and {cell(high)} on record"
    if plan.window is not None and frame.schema.get(plan.window[0]) == pl.Date:
        column, window = plan.window
        days = frame[column].drop_nulls()
        first, last = days.min(), days.max()
        if isinstance(first, date) and isinstance(last, date):
            gone = window.last is not None and window.last < first
            if gone or (window.first is not None and window.first > last):
                yield f"days of '{heading(column)}' lie between {first} and {last} on record"


def _assumptions(plan: Query, frame: pl.DataFrame, rows: pl.DataFrame) -> Iterator[str]:
    """What was taken for granted in answering."""
    yield from plan.assumed
    if rows.is_empty():
        yield from _beyond(plan, frame)
        yield from filter(None, [no_rows(plan)])
    order, flag = plan.order, plan.entity.unrated
    used = {each.dimension.removeprefix("bound:") for each in plan.constraints} | {order.column if order else ""}
    if flag is not None and plan.entity.size in used and (guessed := rows.filter(flag).height):
        yield f"{guessed:,} of them nobody rated, which counts as the worst"
    of_none = 0 if order is None or flag is None else frame.filter(plan.where)[order.column].null_count()
    if order is not None and of_none and order.column not in plan.entity.dates:
        yield f"{of_none:,} without {heading(order.column)} left aside"
    if flag is not None and any(each.dimension == f"empty:{plan.entity.size}" for each in plan.constraints):
        yield "those that are rated in part among them"
    texts = all(rows.schema[one] == pl.String for one in plan.columns if one in rows.columns)
    if plan.intent == "what" and order is not None and plan.columns and texts:
        yield f"taken as the {order.words} {plan.entity.name}"
    if not plan.named and not plan.lookup:
        yield f"nothing said what it is about; taken as {plan.entity.plural}"
    if plan.tally is not None:
        yield from plan.tally.of.assumed
        if plan.tally.of.presumed:
            yield f"taken as {noun(plan.tally.of, 2)}"
    if order is not None and order.down and order.column == plan.entity.due and rows.height:
        last = frame.filter(plan.where)[order.column].max()
        yield from ("what is to come is left aside",) if last != rows[order.column].max() else ()
    if plan.absent:
        yield f"none is {plan.absent}; taken as all that there are"
    if plan.presumed and plan.intent not in ("count", "list", "group"):
        yield "a state that nobody named"
    elif plan.presumed:
        meant = next(each for each in plan.constraints if each.dimension.startswith("state:"))
        others = [each.where for each in plan.constraints if each is not meant]
        if frame.filter(pl.all_horizontal(pl.lit(True), *others)).height != rows.height:
            yield f"taken as those that are {meant.label}"


def _list(plan: Query, rows: pl.DataFrame, library: Library, citations: CitationList) -> Iterator[str]:
    number = rows.height
    if plan.order is not None:
        words = plan.order.words
        if plan.order.count > 1:
            words = f"first {words[6:]}" if words.startswith("first by") else f"{words} {min(plan.order.count, number)}"
        if number == 0:
            return
        yield f"The {words} of {_total(plan, library)}:"
    else:
        figure = figure_of(plan, library, number, citations)
        if plan.lookup and number and not plan.entity.figures.get(frozenset(_labels(plan))):
            named = [each for each in plan.constraints if each.dimension.startswith("own")]
            if len(named) == len(plan.constraints):
                yield from row_lines(plan, rows, library, citations)
                return
        none = f", none of them {plan.absent}" if plan.absent else ""
        words = figure or f"{count_of(number, noun(plan, 1), noun(plan, 2))}{none}{_of_each(plan, rows)}."
        yield f"Yes: {words}" if plan.polar and number else words
        if plan.presumed and not number:
            height = library.rows(plan.entity).filter(however_they_stand(plan)).height
            yield from (f"However they stand, there {'is' if height == 1 else 'are'} {height:,}.",) if height else ()
    yield from row_lines(plan, rows, library, citations)


def _of_each(plan: Query, rows: pl.DataFrame) -> str:
    """How many of the rows have each of the values that the question names side by side."""
    several = next((one for one in plan.constraints if one.parts and one.dimension.startswith("choice:")), None)
    if several is None or rows.is_empty():
        return ""
    parts = sorted(several.parts, key=lambda one: one.at)
    return f": {', '.join(f'{rows.filter(one.where).height:,} {one.label}' for one in parts)}"


def _total(plan: Query, library: Library) -> str:
    number = library.rows(plan.entity).filter(plan.where).height
    return count_of(number, noun(plan, 1), noun(plan, 2))


def _labels(plan: Query) -> Sequence[str]:
    return [each.label for each in plan.constraints]


def _who(plan: Query, rows: pl.DataFrame, library: Library, citations: CitationList) -> Iterator[str]:
    if not plan.columns or plan.columns[0] not in rows.columns:
        yield from _list(plan, rows, library, citations)
        return
    for column in plan.columns:
        yield from _holder(replace(plan, columns=(column,)), rows, library, citations)


def _holder(plan: Query, rows: pl.DataFrame, library: Library, citations: CitationList) -> Iterator[str]:
    (column,) = plan.columns
    role = heading(column).removesuffix(" by")
    if rows.is_empty():
        if not plan.lookup:
            yield f"{count_of(0, noun(plan, 1), noun(plan, 2))}, so nobody."
        return
    if rows.height == 1:
        row = rows.row(0, named=True)
        who = row.get(f"{column}_all") or row[column]  # everybody who has the role, where several may
        text = f"{cell(who)} ({role})" if who else f"Nobody: '{heading(column)}' is not recorded"
        yield f"{text}: {title(plan, row)}. {mark(plan, row, library, citations)}"
        return
    held = rows[column].explode() if rows.schema[column] == pl.List(pl.String) else rows[column]
    frame = held.drop_nulls().value_counts(sort=True).sort("count", column, descending=[True, False])
    missing = rows[column].null_count()
    text = ", ".join(f"{who} ({number})" for who, number in frame.head(MOST_GROUPS).iter_rows())
    nobody = f"; {missing} without" if missing else ""
    yield f"{role.capitalize()} of {count_of(rows.height, noun(plan, 1), noun(plan, 2))}: {text or 'nobody'}{nobody}."
    yield from row_lines(plan, rows, library, citations)


def _when(plan: Query, rows: pl.DataFrame, library: Library, citations: CitationList) -> Iterator[str]:
    if not plan.columns or plan.columns[0] not in rows.columns or rows.is_empty():
        return
    (column,) = plan.columns
    word = heading(column)
    dated = rows.drop_nulls(column)
    if dated.is_empty():
        row = rows.row(0, named=True)
        yield f"No date: {title(plan, row)} has no day for '{word}'. {mark(plan, row, library, citations)}"
        return
    if plan.order is None and dated.height > 1:
        dated = dated.sort(column)
        ahead = dated.filter(pl.col(column) >= library.today)
        dated = pl.concat([ahead, dated.filter(pl.col(column) < library.today).reverse()])
    for row in dated.head(ROWS).iter_rows(named=True):
        at = row.get(column.replace("_on", "_at"))
        moment = f" ({cell(at)})" if at is not None and column.endswith("_on") else ""
        lead = "" if dated.height == 1 else "- "
        away = (row[column] - library.today).days
        apart = "today" if not away else f"in {away:,} days" if away > 0 else f"{-away:,} days ago"
        apart = f", {apart}" if dated.height == 1 else ""
        yield (
            f"{lead}{cell(row[column])}{moment}{apart}: {word}, {title(plan, row)}. "
            f"{mark(plan, row, library, citations)}"
        )


def _why(plan: Query, rows: pl.DataFrame, library: Library, citations: CitationList) -> Iterator[str]:
    reason = plan.entity.reason
    if reason is None or rows.is_empty():
        yield from _list(plan, rows, library, citations) if reason is None else ()
        return
    for row in rows.head(ROWS).iter_rows(named=True):
        said = reason.format_map(cells(row)) if "{" in reason else row[reason]
        text = cell(said) if said else "no cause is recorded"
        yield f"{title(plan, row)}: {text}. {mark(plan, row, library, citations)}"


def _check(plan: Query, rows: pl.DataFrame, library: Library, citations: CitationList) -> Iterator[str]:
    for row in rows.head(ROWS).iter_rows(named=True):
        one = rows.filter(pl.col(plan.entity.key) == row[plan.entity.key])
        holds = one.filter(pl.all_horizontal(each.where for each in plan.checks)).height == one.height
        text = " and ".join(each.label for each in plan.checks)
        verdict = f"Yes: {title(plan, row)} is {text}" if holds else f"No: {title(plan, row)} is not {text}"
        yield f"{verdict}. {mark(plan, row, library, citations)}"
        yield f"  {line(plan, row)}"


def _every(plan: Query, rows: pl.DataFrame, library: Library, citations: CitationList) -> Iterator[str]:
    (claim,) = plan.checks
    others = rows.filter(~claim.where)
    held = rows.height - others.height
    yes = "Yes" if others.is_empty() and rows.height else "No"
    all_of = count_of(rows.height, noun(plan, 1), noun(plan, 2))
    yield f"{yes}: {held:,} of {all_of} {claim.label}, {others.height:,} not."
    yield from row_lines(plan, others, library, citations)


def _what(plan: Query, rows: pl.DataFrame, library: Library, citations: CitationList) -> Iterator[str]:
    for row in rows.head(ROWS).iter_rows(named=True):
        text = "; ".join(
            value_with_unit(column, row[column])
            if row[column] is None
            else f"{value_with_unit(column, row[column])} ({heading(column)})"
            for column in plan.columns
        )
        yield f"{text}: {title(plan, row)}. {mark(plan, row, library, citations)}"
        yield f"  {line(plan, row)}"


def _compare(plan: Query, rows: pl.DataFrame, library: Library, citations: CitationList) -> Iterator[str]:
    numbers = [rows.filter(half.where).height for half in plan.halves]
    if len(numbers) > 2:
        told = ", ".join(f"{number:,} {half.label}" for number, half in zip(numbers, plan.halves, strict=True))
        yield f"{told}: of {count_of(rows.height, noun(plan, 1), noun(plan, 2))}."
        return
    first, second = numbers
    word = "as many" if first == second else "more" if first > second else "fewer"
    than = "as" if first == second else "than"
    labels = [half.label for half in plan.halves]
    yield f"{first:,} against {second:,}: {word} {noun(plan, 2)} {labels[0]} {than} {labels[1]}."


_TELLERS = {
    "count": _list, "list": _list, "who": _who, "when": _when, "why": _why, "what": _what, "check": _check,
        "every": _every, "group": group_lines,
    "measure": measure_lines, "compare": _compare, "share": share_lines, "tally": tally_lines,
}  # fmt: skip
