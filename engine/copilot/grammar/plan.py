"""From a reading to a query: constraints, what is asked, and what is meant without being said."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

import polars as pl

from engine.copilot.grammar.accounting import account_for
from engine.copilot.grammar.constraints import choices_of, names_of, rows_of, states_of, titles_of, verbs_of
from engine.copilot.grammar.negation import alternatives, missing_of, turned_of, turned_spans
from engine.copilot.grammar.pieces import Piece
from engine.copilot.grammar.projection import project, unmet
from engine.copilot.grammar.query import Constraint, Query, dates_of, intent_of, order_of
from engine.copilot.grammar.reading import Reading
from engine.copilot.grammar.spans import bound_of, clock_of, equal_of, only_window, spans_of
from engine.copilot.grammar.windows import TimeWindow

_PAST = r"\b(?:did|had|were|was|ever|in total|altogether|overall|history|have we had|so far|happened|all time)\b"


# columns that say how far a thing is
_FAR = frozenset(("status", "state", "standing", "outcome", "clock"))
_EVERY = r"^(?:so |and )?(?:is|are|was|were|has|have|did|does|do)\b.*\b(?:all|every|each)\b"


_POLAR = (
    r"^(?:so |and |but )?(?:is|are|was|were|has|have|had|did|does|do|any|anything|anyone|anybody|can)\b"
    r"(?!.*\bhow many\b)"
)


_CHECK = r"^(?:so |and )?(?:is|are|was|were|has|have|did|does|do)\b"


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
    found = _row_query(reading, frame, today, asker)
    if before is not None:
        found = _follow_up(found, _other(before) if follows and not reading.asked.matches(_THEM) else before)
    found = unmet(project(found, reading, frame, found.lookup), reading)
    if before is not None and found.intent == "when" and not dates_of(reading) and before.verbs:
        found = replace(found, columns=before.verbs[-1:])
    found = account_for(_with_claims(found, reading, before), reading, frame)
    if found.order is not None:  # "the 3 newest": the number is how many it takes
        found = replace(found, unknown=tuple(word for word in found.unknown if word != f"{found.order.count}"))
    meant = _with_presumed_state(found, reading, today, before is not None or _names_state(found))
    return found if meant.intent == "share" else meant  # a share is one of all that there were


def _row_query(reading: Reading, frame: pl.DataFrame, today: date, asker: str) -> Query:
    """Which rows are meant, and in which order."""
    entity, asked = reading.entity, reading.asked
    dates = dates_of(reading)
    spans, halves, lost = spans_of(reading, dates, today, frame)
    turned = turned_spans(reading, today, frame)
    if turned is not None:
        spans, lost = turned, ()
    names, orphans = names_of(reading, reading.pieces, frame, asker)
    rows, own = rows_of(reading), any(one.dimension.startswith("own") for one in names)
    negated, unturned = turned_of(reading, frame, today, asker)
    missing, used = missing_of(reading, frame)
    equal, numbers = equal_of(reading, frame)
    made = [
        *states_of(reading, _stating(reading, bool(rows) or own), today),
        *choices_of(reading, reading.pieces),
        *names,
        *negated,
        *missing,
        *equal,
        *titles_of(reading, reading.pieces, frame),
        *rows,
    ]
    constraints = [*alternatives(made, asked.words), *spans, *verbs_of(reading, frame, today)]
    bound, clock = bound_of(reading, frame), clock_of(reading, frame)
    limits = ((asked.bound, bound), (asked.clock, clock))
    unbound = tuple(said.words for said, made_of in limits if said is not None and made_of is None)
    constraints += [each for each in (bound, clock) if each is not None]
    unknown = [word for word in reading.unknown if word not in (*used, *numbers)]
    return Query(
        entity,
        intent_of(reading),
        tuple(constraints),
        halves=halves,
        order=order_of(reading, frame),
        unknown=(*unknown, *unbound, *lost, *orphans, *unturned),
        corrections=reading.corrections,
        named=reading.noun > 0 or reading.has_own_measure,
        verbs=tuple(dates),
        polar=asked.matches(_POLAR),
        noun=max((piece.at for piece in reading.pieces if piece.sense("noun")), default=-1),
        lookup=bool(rows) or own,
        window=only_window(reading, dates, spans, today) if turned is None else None,
    )


def _stating(reading: Reading, lookup: bool) -> Sequence[Piece]:
    """The pieces that say how the rows stand: of one row that is asked about, a word of a column asks for its value."""
    asked = reading.asked
    if not lookup or asked.matches(_CHECK):
        return reading.pieces
    if asked.matches(r"\bhow long\b"):
        return [piece for piece in reading.pieces if piece.words not in ("open", "unresolved")]
    return [piece for piece in reading.pieces if not piece.sense("attribute") or asked.matches(r"\b(?:why|which)\b")]


def _with_claims(found: Query, reading: Reading, before: Query | None) -> Query:
    """The query with what a yes-or-no question claims of its rows: of all of them, or of the one that it names."""
    if before is not None:
        return found
    if found.intent == "list" and reading.asked.matches(_EVERY) and found.constraints and not found.halves:
        *subjects, claim = sorted(found.constraints, key=lambda each: each.at)
        return replace(found, intent="every", constraints=tuple(subjects), checks=(claim,))
    if (found.lookup or reading.title_words) and found.intent in ("list", "what") and reading.asked.matches(_CHECK):
        checks = tuple(each for each in found.constraints if each.dimension.startswith(("state", "choice", "not:")))
        if checks:
            kept = tuple(each for each in found.constraints if each not in checks)
            return replace(found, intent="check", constraints=kept, checks=checks)
    return found


def _names_state(found: Query) -> bool:
    """Whether the question says how far the things are."""
    entity = found.entity
    made = found.constraints if found.intent == "share" else (*found.constraints, *found.checks)
    plain = [each.dimension.removeprefix("not:") for each in made]
    if any(each.dimension.split(":")[-1] in _FAR and "choice" in each.dimension for each in made):
        return True
    labels = [one.removeprefix("state:").partition(":")[0] for one in plain if one.startswith("state")]
    known = {state.label: state.aside for state in entity.states}
    return any(not known.get(label, False) for label in labels)


def _with_presumed_state(found: Query, reading: Reading, today: date, stated: bool) -> Query:
    """The plan with the state that is meant where none is said: open incidents, active policies."""
    entity = found.entity
    measured = found.order is not None and found.order.column in entity.measures
    recent = found.order is not None and found.order.down and found.order.column in entity.dates
    ahead = found.window is not None and found.window[0] == entity.due
    ahead = ahead and (reading.asked.matches(r"\bdue\b") or found.window is None or _is_future(found.window[1], today))
    timed = any(not window.age for window in reading.asked.windows) and not ahead
    if found.group in ("hour", "weekday", "root_cause") or (
        found.group is not None and ":" in found.group
    ):  # by month: all that there were
        return found
    if found.group in [*entity.people][1:]:
        return found  # who did something, and not whom it is with
    if entity.presumed is None or stated or recent or measured or found.halves or timed:
        return found
    if any(each.dimension.removeprefix("bound:") in entity.measures for each in found.constraints):
        return found  # how long it took, how many it hit: of all that there were
    if any(
        each.dimension.startswith(("own:", "dated:", "choice:weekday", "state:at a weekend"))
        for each in found.constraints
    ) or reading.asked.matches(_PAST):
        return found
    born = next(iter(entity.dates), None)
    if any(
        (one := piece.sense("date")) and one.column == born and piece.words.endswith("ed") for piece in reading.pieces
    ):
        return found  # "raised by the backup monitor": all that were
    if (
        found.order is not None
        and found.order.column == entity.due
        and not found.order.down
        and entity.until is not None
    ):
        return found  # the next one is not the one that lasts now
    if found.intent in ("why", "measure") or (found.intent == "when" and not reading.title_words and not ahead):
        return found
    state = entity.state(entity.presumed)
    meant = Constraint(f"state:{state.label}", state.label, state.where(today), state.after)
    if any(each.dimension.startswith("empty:") for each in found.constraints) and entity.name not in (
        "incident",
        "finding",
    ):
        return found  # what lacks something need not be in force
    return replace(found, constraints=(meant, *found.constraints), presumed=True)


def _is_future(window: TimeWindow, today: date) -> bool:
    """Whether a span has no day that is gone, as "this year" has."""
    return window.first is None or window.first >= today


_THEM = r"\b(?:them|those|these|they|that|it|its|their)\b"


def _other(before: Query) -> Query:
    """The query before without what it said behind its noun: the later part says that anew."""
    kept = tuple(
        each
        for each in before.constraints
        if each.at <= before.noun or not each.dimension.startswith(("state", "choice", "not:"))
    )
    return replace(before, constraints=kept)


def _follow_up(found: Query, before: Query) -> Query:
    """The plan of a follow-up: what was asked before, with what is said now in its place or added."""
    said = {_dimension(each) for each in found.constraints}
    kept = tuple(each for each in before.constraints if _dimension(each) not in said)
    return replace(
        found,
        constraints=(*kept, *found.constraints),
        order=found.order or (before.order if found.intent in ("who", "when", "what", "why") else None),
        named=True,
        unknown=tuple(dict.fromkeys((*before.unknown, *found.unknown))),
        verbs=found.verbs or before.verbs,
        lookup=found.lookup or before.lookup,
        window=found.window or (before.window if not found.window else None),
    )


def _dimension(constraint: Constraint) -> str:
    """What a constraint is about: a later one about the same takes its place, but states add up."""
    return constraint.dimension if constraint.dimension.startswith("state") else constraint.dimension.split("/")[0]
