"""What a follow-up asks of the rows before it: of one of them, of what belongs to it, of what was counted for it."""

from dataclasses import replace

import polars as pl

from engine.copilot.answers.library import Library
from engine.copilot.answers.relations import belonging
from engine.copilot.answers.sentences import ROWS, sort_rows
from engine.copilot.grammar.planner import Planner
from engine.copilot.grammar.proof import NOT_SAID
from engine.copilot.grammar.query import Constraint, Query, is_the_one
from engine.copilot.grammar.reading import CopilotQuestion


def of_the_one(asked: CopilotQuestion, before: Query, planner: Planner, library: Library) -> Query | None:
    """What is asked of the one row before, or of what belongs to it: "is the fix overdue" of a finding; of what was
    counted for the first things before: "which framework has the most gaps, how many of those are blocked"."""
    if before.tally is not None and asked.matches(r"\b(?:of|are) (?:those|them|these)\b"):
        return _of_the_counted(asked, before, planner)
    if (of_first := _of_the_first(asked, before, planner, library)) is not None:
        return of_first
    plans = planner.plans(asked)
    alone = before.lookup or (before.order is not None and before.order.count == 1)
    if not alone or len(plans) != 1 or any(planner.names(asked)) or not plans[0].named:
        return None
    rows = sort_rows(before, library.rows(before.entity).filter(before.where), library)
    its = not is_the_one(planner.reading(asked, plans[0].entity))  # "when does it meet next", of a committee
    reading = planner.reading(asked, before.entity)
    if not 0 < rows.height <= ROWS or (its and not (reading.unknown and asked.matches(r"\bits?\b"))):
        return None
    keys = rows[before.entity.key]
    row = Constraint("own:rows", " and ".join(keys), pl.col(before.entity.key).is_in(keys.implode()), after=True)
    one = replace(before, constraints=(row,), order=None, presumed=False, lookup=True, unknown=())
    if plans[0].entity is before.entity and not reading.unknown:
        return planner.query(reading, one)
    kept = plans[0].constraints[plans[0].presumed :]
    told = tuple(doubt for doubt in plans[0].assumed if doubt != NOT_SAID)
    of_it = belonging(replace(plans[0], constraints=kept, presumed=False, assumed=told), one, library, without=False)
    return of_it if of_it is not None or reading.unknown else planner.query(reading, one)


def _of_the_first(asked: CopilotQuestion, before: Query, planner: Planner, library: Library) -> Query | None:
    """What is asked of the first rows before, in another order: "which of them has the lowest residual", of two."""
    order = before.order
    if order is None or order.count < 2 or not asked.matches(r"\bof (?:those|them|these|the 2)\b"):
        return None
    rows = sort_rows(before, library.rows(before.entity).filter(before.where), library).drop_nulls(order.column)
    rows = rows.filter(pl.col(order.column).is_in(rows.head(order.count)[order.column].implode()))
    label = f"of the first {rows.height} before"
    kept = Constraint("own:rows", label, pl.col(before.entity.key).is_in(rows[before.entity.key].implode()), after=True)
    first = replace(before, constraints=(kept,), order=None, presumed=False, columns=(), unknown=())
    query = planner.query(planner.reading(asked, before.entity), first)
    return None if query.order is None or query.order.column == order.column else query


def _of_the_counted(asked: CopilotQuestion, before: Query, planner: Planner) -> Query | None:
    """What is asked of the rows that were counted; None where it is asked of the things themselves, or of no column."""
    of = before.tally.of if before.tally is not None else before
    links = {**of.entity.links, "person": next(iter(of.entity.people), "")}
    reading, things = planner.reading(asked, of.entity), planner.reading(asked, before.entity)
    column = links.get(before.entity.name)
    if before.tally is None or not column or reading.unknown or not things.unknown:
        return None
    keys = before.tally.rows["key"].implode()
    label = f"of the {before.entity.name if before.tally.rows.height == 1 else before.entity.plural} before"
    held = Constraint(f"own:{column}", label, pl.col(column).is_in(keys), after=True)
    several = () if before.tally.rows.height == 1 else (f"of all {before.tally.rows.height}",)
    return planner.query(reading, replace(of, constraints=(*of.constraints, held), assumed=(*of.assumed, *several)))
