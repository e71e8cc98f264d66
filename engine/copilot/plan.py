"""From a reading to a query: constraints, what is asked, and what is meant without being said."""

from dataclasses import replace
from datetime import date

import polars as pl

from engine.copilot.asking import asked_of, order_of, unmet
from engine.copilot.constraints import (
    bound_of,
    choices_of,
    names_of,
    only_window,
    rows_of,
    spans_of,
    states_of,
    verbs_of,
)
from engine.copilot.query import Constraint, Query, dates_of, intent_of
from engine.copilot.reading import Reading, title_has

_PAST = r"\b(?:did|had|were|was|ever|in total|altogether|overall|history|have we had|so far|happened|all time)\b"


_EVERY = r"^(?:so |and )?(?:is|are|was|were|has|have|did|does|do)\b.*\b(?:all|every|each)\b"


_CHECK = r"^(?:so |and )?(?:is|are|was|were|has|have|did|does|do)\b"


def plan(reading: Reading, frame: pl.DataFrame, today: date, asker: str, before: Query | None = None) -> Query:
    """The query of a reading; ``before`` is that of the question which it follows up on."""
    entity, asked = reading.entity, reading.asked
    dates = dates_of(reading)
    spans, halves, lost = spans_of(reading, dates)
    names, orphans = names_of(reading, frame, asker)
    lookup = bool(reading.rows) or any(one.dimension.startswith("own") for one in names)
    stated = states_of(reading, today)
    constraints = [
        *stated, *choices_of(reading), *names, *spans, *rows_of(reading),
        *(Constraint(f"title:{word}", f"with '{word}' in its name", title_has(entity, frame, word), after=True)
          for word in reading.titled),
    ]  # fmt: skip
    constraints += verbs_of(reading, frame, today)
    order = order_of(reading, frame)
    bound = bound_of(reading, frame)
    unbound = (asked.bound.words,) if asked.bound is not None and bound is None else ()
    if bound is not None:
        constraints.append(bound)
    found = Query(
        entity, intent_of(reading), tuple(constraints), halves=halves, order=order,
        unknown=(*reading.unknown, *unbound, *lost, *orphans), corrections=reading.corrections,
            named=reading.noun > 0, lookup=lookup,
        window=only_window(reading, dates, spans),
    )  # fmt: skip
    if before is not None:
        found = _followed(found, before)
    found = unmet(asked_of(found, reading, frame, lookup), reading)
    if found.intent == "list" and asked.says(_EVERY) and found.constraints and before is None:
        *subjects, claim = sorted(found.constraints, key=lambda each: each.after)
        return replace(found, intent="every", constraints=tuple(subjects), checks=(claim,))
    if found.lookup and found.intent in ("list", "what") and asked.says(_CHECK) and before is None:
        checks = tuple(each for each in found.constraints if each.dimension.startswith(("state", "choice")))
        if checks:
            kept = tuple(each for each in found.constraints if each not in checks)
            return replace(found, intent="check", constraints=kept, checks=checks)
    told = any(
        not entity.state(each.dimension.removeprefix("state:")).aside for each in stated if each.dimension != "state"
    )
    return _presumed(
        found, reading, today, told or any(each.dimension == "state" for each in stated) or before is not None
    )


def _presumed(found: Query, reading: Reading, today: date, stated: bool) -> Query:
    """The plan with the state that is meant where none is said: open incidents, active policies."""
    entity = found.entity
    recent = found.order is not None and found.order.down and found.order.column in entity.dates
    ahead = found.window is not None and found.window[0] == entity.due
    if entity.presumed is None or stated or recent or found.halves or (found.window is not None and not ahead):
        return found
    if any(each.dimension.startswith("own:") for each in found.constraints) or reading.asked.says(_PAST):
        return found
    if found.intent in ("why", "measure") or (found.intent == "when" and not reading.titled and not ahead):
        return found
    state = entity.state(entity.presumed)
    meant = Constraint(f"state:{state.label}", state.label, state.where(today), state.after)
    return replace(found, constraints=(meant, *found.constraints), presumed=True)


def _followed(found: Query, before: Query) -> Query:
    """The plan of a follow-up: what was asked before, with what is said now in its place or added."""
    said = {_dimension(each) for each in found.constraints}
    kept = tuple(each for each in before.constraints if _dimension(each) not in said)
    return replace(
        found,
        constraints=(*kept, *found.constraints),
        order=found.order or (before.order if found.intent in ("who", "when", "what", "why") else None),
        named=True,
        lookup=found.lookup or before.lookup,
        window=found.window or (before.window if not found.window else None),
    )


def _dimension(constraint: Constraint) -> str:
    """What a constraint is about: a later one about the same takes its place, but states add up."""
    return constraint.dimension if constraint.dimension.startswith("state") else constraint.dimension.split("/")[0]
