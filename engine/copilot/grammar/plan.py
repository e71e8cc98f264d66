"""From a reading to a query: constraints, what is asked, and what is meant without being said."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

import polars as pl

from engine.copilot.grammar.accounting import account_for, is_counted, unmet
from engine.copilot.grammar.constraints import (
    CHECK,
    choices_of,
    clock_of,
    names_of,
    rows_of,
    states_of,
    titles_of,
    verbs_of,
    with_claims,
)
from engine.copilot.grammar.holders import days_between
from engine.copilot.grammar.moments import TimeWindow
from engine.copilot.grammar.negation import alternatives, missing_of, turned_of, turned_spans
from engine.copilot.grammar.pieces import Piece
from engine.copilot.grammar.projection import project
from engine.copilot.grammar.proof import conditions
from engine.copilot.grammar.query import Constraint, Query, columns_of, dates_of, intent_of, order_of
from engine.copilot.grammar.reading import Reading
from engine.copilot.grammar.spans import bound_of, columns_apart, equal_of, only_window, spans_of
from engine.copilot.grammar.text import root, stem

_PAST = (
    r"\b(?:did|had|were|was|ever|in total|altogether|overall|history|have we had|so far|happened|all time)\b|"
    r"^(?:which|what) \w+ (?:\w+ed|found|turned|brought|saw|threw|gave|came|got|caught|made|took)\b|"
    r"^who (?:\w+ed|found|made|took|got|caught)\b|\b(?:reported|raised|found|opened|created|blamed|caused) (?:by|on)\b"
)


# columns that say how far a thing is
_FAR = frozenset(("status", "state", "standing", "outcome", "clock"))
_MOST_VERSIONS = 3
_EVENTS = ("incident", "finding")


_POLAR = (
    r"^(?:so |and |but )?(?:is|are|was|were|has|have|had|did|does|do|any|anything|anyone|anybody|can)\b"
    r"(?!.*\bhow many\b)"
)


_STANDS = r"\b(?:is|are|still|now|currently|yet)\b"


def plan(
    reading: Reading,
    frame: pl.DataFrame,
    today: date,
    asker: str,
    before: Query | None = None,
    *,
    follows: bool = False,
) -> Query:
    """The query of a reading; ``before`` is that of the question which it follows up on.

    ``follows`` where it is a later part of the same message: "how many failed and how many were rolled back".
    """
    query = _row_query(reading, frame, today, asker)
    if before is not None:
        anew = follows and not reading.asked.matches(_THEM) and any(map(_is_condition, query.constraints))
        query = _follow_up(query, _other(before, query) if anew else before)
        it = reading.asked.matches(r"\bit\b")
        one = before.order if (follows or it) and before.order is not None and before.order.count == 1 else None
        if it or columns_of(reading, "measure", frame):  # "who is worst, how many hours are missing" is of that one
            query = replace(query, order=query.order or one)
        if it and one is not None and reading.asked.matches(CHECK):
            query = _claims_of_one(query, before)
    query = unmet(project(query, reading, frame, query.lookup), reading)
    if before is not None and query.intent == "when" and not dates_of(reading) and before.verbs:
        query = replace(query, columns=before.verbs[-1:])
    query = account_for(query if before is not None else with_claims(query, reading), reading, frame)
    if before is not None and before.intent == "group" and reading.asked.matches(r"\b(?:it|its|that one)\b"):
        query = replace(query, unknown=(*query.unknown, "it"))  # which of the groups is no condition of these rows
    known = _column_words(query)
    query = replace(query, unknown=tuple(word for word in query.unknown if root(stem(word)) not in known))
    if query.order is not None:  # "the 3 newest": the number is how many it takes
        query = replace(query, unknown=tuple(word for word in query.unknown if word != f"{query.order.count}"))
    meant = _with_presumed_state(query, reading, today, before is not None or _names_state(query))
    return query if meant.intent == "share" else meant  # a share is one of all that there were


def _column_words(query: Query) -> set[str]:
    """The words of the columns that are asked of the rows: "blocked" of purges_blocked."""
    order = "" if query.order is None else query.order.column
    columns = (*query.columns, query.group or "", order, query.measure[0] if query.measure else "")
    return {root(stem(word)) for column in columns if "_" in column for word in column.split("_") if len(word) > 3}


def _row_query(reading: Reading, frame: pl.DataFrame, today: date, asker: str) -> Query:
    """Which rows are meant, and in which order."""
    entity, asked = reading.entity, reading.asked
    apart, between = columns_apart(reading, frame)
    ends = [one.dimension.partition(":")[2] for one in apart]
    dates = [column for column in dates_of(reading) if column not in ends]
    spans, halves, lost = spans_of(reading, dates, today, frame)
    turned = turned_spans(reading, today, frame)
    if turned is not None:
        spans, lost = turned, ()
    names, orphans = names_of(reading, reading.pieces, frame, asker)
    rows, own = rows_of(reading), any(one.dimension.startswith("own") for one in names)
    negated, unturned = turned_of(reading, frame, today, asker)
    missing, used = missing_of(reading, frame)
    equal, numbers = equal_of(reading, frame)
    steps = days_between(reading, frame)
    ats = {part.at for one in apart for part in (one, *one.parts)} | {*(() if steps is None else steps[1])}
    plain = replace(reading, pieces=tuple(piece for piece in reading.pieces if piece.at not in ats))
    made = [
        *apart,
        *states_of(plain, _stating(plain, bool(rows) or own), today),
        *choices_of(plain, plain.pieces),
        *names,
        *negated,
        *missing,
        *equal,
        *titles_of(reading, reading.pieces, frame),
        *rows,
    ]
    bound, clock = bound_of(reading, frame), clock_of(reading, frame, today)
    limits = ((asked.bound, bound), (asked.clock, clock))
    unbound = tuple(said.words for said, made_of in limits if said is not None and made_of is None)
    if bound is not None:  # a column that is held against a number is there: "with an EPSS above 0.1"
        there = [one for one in made if one.dimension == bound.dimension.replace("bound:", "empty:")]
        made = [*(one for one in made if one not in there), *(replace(bound, at=one.at) for one in there[:1])]
        bound = None if there else bound
    constraints = [*alternatives(made, asked.words), *spans, *verbs_of(plain, frame, today)]
    constraints += [each for each in (bound, clock) if each is not None]
    unknown = [word for word in reading.unknown if word not in (*used, *numbers, *between)]
    return Query(
        entity,
        "count" if is_counted(entity, asked) else intent_of(reading),
        tuple(constraints),
        halves=halves,
        order=order_of(reading, frame),
        unknown=(*unknown, *unbound, *lost, *orphans, *unturned),
        corrections=reading.corrections,
        named=reading.noun > 0 or reading.has_own_measure,
        verbs=tuple(dates),
        polar=asked.matches(_POLAR),
        topic=_topic(reading),
        lookup=bool(rows) or own or any(each.dimension == "choice:title" and _is_one(each, frame) for each in made),
        window=only_window(reading, dates, spans, today) if turned is None else None,
    )


def _topic(reading: Reading) -> int:
    """The place of the last noun, or of the question word that stands behind it."""
    asked = reading.asked.words
    noun = max((piece.at for piece in reading.pieces if piece.sense("noun")), default=-1)
    ahead = [at for at in range(1, len(asked)) if asked[at - 1 : at + 1] == ("how", "many")]
    return max([noun, *ahead[:1]]) if asked[:1] == ("of",) else noun


def _is_one(named: Constraint, frame: pl.DataFrame) -> bool:
    """Whether a title names one thing, in all its versions."""
    return not named.parts and frame.filter(named.where).height <= _MOST_VERSIONS


def _stating(reading: Reading, lookup: bool) -> Sequence[Piece]:
    """The pieces that say how the rows stand: of one row that is asked about, a word of a column asks for its value."""
    asked = reading.asked
    if not lookup or asked.matches(CHECK):
        return reading.pieces
    if asked.matches(r"\bhow long\b"):
        return [piece for piece in reading.pieces if piece.words not in ("open", "unresolved")]
    return [piece for piece in reading.pieces if not piece.sense("attribute") or asked.matches(r"\b(?:why|which)\b")]


def _claims_of_one(query: Query, before: Query) -> Query:
    """The query with what is asked of the one row before held against it: "who shipped it last, and did it work"."""
    kept = tuple(each for each in query.constraints if any(each is one for one in before.constraints))
    claims = tuple(each for each in query.constraints if _is_condition(each) and not any(each is one for one in kept))
    return replace(query, intent="check", constraints=kept, checks=claims) if claims else query


def _names_state(query: Query) -> bool:
    """Whether the question says how far the things are."""
    entity = query.entity
    made = query.constraints if query.intent == "share" else conditions(query)
    plain = [each.dimension.removeprefix("not:") for each in made]
    if any("choice" in each.dimension and not _FAR.isdisjoint(each.dimension.split(":")) for each in made):
        return True
    if any(each.dimension in (f"not:{entity.done}", "not:closed_on") for each in made):
        return True
    labels = [one.removeprefix("state:").partition(":")[0] for one in plain if one.startswith("state")]
    known = {state.label: state.aside for state in entity.states}
    return any(not known.get(label, False) for label in labels)


def _with_presumed_state(query: Query, reading: Reading, today: date, stated: bool) -> Query:
    """The plan with the state that is meant where none is said: open incidents, active policies."""
    entity = query.entity
    first = min((window.first for window in reading.asked.windows if window.first is not None), default=today)
    if entity.until is not None and (reading.asked.clock is not None or first > today):
        return query  # when it lasts is said
    measured = query.order is not None and query.order.column in entity.measures
    recent = query.order is not None and query.order.down and query.order.column in entity.dates
    ahead = query.window is not None and query.window[0] == entity.due
    ahead = ahead and (reading.asked.matches(r"\bdue\b") or query.window is None or _is_future(query.window[1], today))
    timed = any(not window.age for window in reading.asked.windows) and not ahead
    told = query.group is not None and entity.name == "incident" and query.intent == "group"
    if (
        (told and not reading.asked.matches(_STANDS))
        or query.group in ("hour", "weekday", "root_cause")
        or (query.group is not None and ":" in query.group)
    ):  # by month: all that there were
        return query
    did = query.intent == "who" and any(one.endswith("_by") for one in query.columns)
    if did or query.group in [*entity.people][1:] or (query.group == "person" and query.having is not None):
        return query  # who did something, and not whom it is with
    # more than last month, and what happened at two places: all that there were
    spans = query.halves and (entity.name in _EVENTS or any(each.dimension == "window" for each in query.halves))
    if entity.presumed is None or stated or recent or measured or spans or timed:
        return query
    if any(each.dimension.removeprefix("bound:") in entity.measures for each in query.constraints):
        return query  # how long it took, how many it hit: of all that there were
    if any(
        each.dimension.startswith(("own:", "dated:", "choice:weekday", "state:at a weekend"))
        for each in conditions(query)
    ) or reading.asked.matches(_PAST):
        return query
    born = next(iter(entity.dates), None)
    if any(
        (one := piece.sense("date")) and one.column == born and piece.words.endswith("ed") for piece in reading.pieces
    ):
        return query  # "raised by the backup monitor": all that were
    if (
        query.order is not None
        and query.order.column == entity.due
        and not query.order.down
        and entity.until is not None
    ):
        return query  # the next one is not the one that lasts now
    timed = query.measure is not None and (query.measure[1] != "sum" or "to_" in query.measure[0])
    if query.intent == "why" or timed or (query.intent == "when" and not reading.title_words and not ahead):
        return query
    state = entity.state(entity.presumed)
    meant = Constraint(f"state:{state.label}", state.label, state.where(today), state.after)
    if any(each.dimension.startswith("empty:") for each in query.constraints) and entity.name not in _EVENTS:
        return query  # what lacks something need not be in force
    stands = reading.asked.matches(_STANDS) or any(window.age for window in reading.asked.windows)
    return replace(query, constraints=(meant, *query.constraints), presumed=True, stands=stands)


def however_they_stand(plan: Query) -> pl.Expr:
    """Which rows there are without the state that was presumed."""
    where = [each.where for each in plan.constraints if not each.dimension.startswith("state:")]
    return pl.all_horizontal(pl.lit(True), *where)


def as_they_stand(plan: Query, frame: pl.DataFrame) -> Query:
    """The query without a state that nobody said, where that state is all that keeps it from an answer."""
    kept = tuple(each for each in plan.constraints if not each.dimension.startswith("state:"))
    if (
        not plan.presumed
        or plan.polar
        or plan.stands
        or plan.intent not in ("list", "count")
        or not kept
        or plan.order is not None
    ):
        return plan
    if len(plan.constraints) - len(kept) != 1 or not frame.filter(plan.where).is_empty():
        return plan
    state = plan.entity.presumed or ""
    wider = replace(plan, constraints=kept, presumed=False, absent=state)
    return plan if frame.filter(wider.where).is_empty() else wider


def _is_future(window: TimeWindow, today: date) -> bool:
    """Whether a span has no day that is gone, as "this year" has."""
    return window.first is None or window.first >= today


_THEM = r"\b(?:them|those|these|they|that|it|its|their)\b"


def _other(before: Query, query: Query) -> Query:
    """The query before without what it said behind its noun of the same columns: the later part says that anew."""
    said = {name for each in query.constraints if _is_condition(each) for name in each.where.meta.root_names()}
    kept = tuple(
        each
        for each in before.constraints
        if each.at <= before.topic or not _is_condition(each) or said.isdisjoint(each.where.meta.root_names())
    )
    return replace(before, constraints=kept)


def _is_condition(constraint: Constraint) -> bool:
    """Whether it says what the rows are like, and not whose they are nor when they came to be."""
    return constraint.dimension.startswith(("state", "choice", "not:"))


def _follow_up(query: Query, before: Query) -> Query:
    """The plan of a follow-up: what was asked before, with what is said now in its place or added."""
    dimensions = {_dimension(each) for each in query.constraints}
    next_one = (
        query.order is not None and query.order.column == query.entity.due and before.presumed
    )  # not the present one
    kept = tuple(each for each in before.constraints[next_one:] if _dimension(each) not in dimensions)
    return replace(
        query,
        constraints=(*kept, *query.constraints),
        order=query.order or (before.order if query.intent in ("who", "when", "what", "why") else None),
        named=True,
        unknown=tuple(dict.fromkeys((*before.unknown, *query.unknown))),
        assumed=before.assumed if kept else (),  # what was unsure of the rows is so still
        verbs=query.verbs or before.verbs,
        lookup=query.lookup or before.lookup,
        window=query.window or (before.window if not query.window else None),
    )


def _dimension(constraint: Constraint) -> str:
    """What a constraint is about: a later one about the same takes its place, but states add up."""
    return constraint.dimension if constraint.dimension.startswith("state") else constraint.dimension.split("/")[0]
