"""What a plan costs and moves: days with lapsed evidence, agreed work, prices of promises, hours as a question."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any

import polars as pl

from engine.planning.plan import ReadinessPlan, WorkStep
from engine.planning.verdict.prices import PromisePrice
from engine.planning.verdict.reasons import open_reasons


def holes(plan: ReadinessPlan) -> pl.DataFrame:
    """The days on which a control that is effective today would not be although the plan is done, with the hours that
    renewing its evidence in time takes beside those of the plan."""
    rows = []
    for goal in plan.goals:
        last = goal.goal.by
        days = [plan.as_of + timedelta(days=number) for number in range((last - plan.as_of).days + 1)]
        today = goal.projection.effective([plan.as_of])[plan.as_of]
        lapsed: dict[str, list[date]] = {}
        for day, control in goal.with_plan.failing(days).select("on", "control_id").iter_rows():
            if control in today:
                lapsed.setdefault(control, []).append(day)
        for control, found in lapsed.items():
            one = plan.work_by_control.get(f"{goal.goal.framework}:{control}")
            if one is None:
                continue
            chosen = next((action for action in plan.chosen if action.name == one.id), None)
            price = sum(part.hours for part in one.early) - (chosen.hours if chosen else 0.0) if one.early else None
            owner = one.owners[0] if one.owners else None
            lasting = None if price is None else round(max(price, 0.0), 2)
            rows.append((goal.goal.framework, control, one.title, owner, found[0], found[-1], len(found), lasting))
    schema = {
        "framework": pl.String,
        "control_id": pl.String,
        "title": pl.String,
        "owner": pl.String,
        "lapses_on": pl.Date,
        "lapsed_until": pl.Date,
        "lapsed_days": pl.Int64,
        "price_hours": pl.Float64,
    }
    return pl.DataFrame(rows, schema=schema, orient="row").sort("lapses_on", "framework", "control_id")


def moves(plan: ReadinessPlan, accepted: pl.DataFrame) -> pl.DataFrame:
    """What is other than it was agreed upon, and why."""
    known = {row["id"]: row for row in accepted.iter_rows(named=True)}
    whys = {one.id: why for one, why in open_reasons(plan)}
    rows = []
    for name in sorted(plan.agreed):
        steps = _steps_of(plan, name)
        for one, step in plan.beside_agreed(name, steps):
            if one is None:
                continue
            row = known[one.remediation_id]
            why = _why_dropped(plan, name, steps, whys) if step is None else _why_moved(plan, step, one.owner, row)
            now = (None, None) if step is None else (step.owner, step.done_on)
            if why:
                rows.append((name, row["title"], one.owner, now[0], row["planned_due_on"], now[1], why))
    schema = {
        "control": pl.String,
        "title": pl.String,
        "planned_owner": pl.String,
        "owner": pl.String,
        "planned_due_on": pl.Date,
        "done_by": pl.Date,
        "why": pl.String,
    }
    return pl.DataFrame(rows, schema=schema, orient="row").sort("control", "planned_due_on")


def _steps_of(plan: ReadinessPlan, name: str) -> list[WorkStep]:
    """The steps on a control that take remediations."""
    mine = sorted((step for step in plan.steps if step.work.id == name), key=lambda step: step.part)
    return [step for step in mine if step.duty is None] or mine[:1]


def _why_dropped(plan: ReadinessPlan, name: str, steps: Sequence[WorkStep], whys: Mapping[str, str]) -> str:
    if name in whys:
        return whys[name]
    return "what else is done suffices" if steps or name in plan.work_by_control else "it will be effective without"


def _why_moved(plan: ReadinessPlan, step: WorkStep, owner: str, row: Mapping[str, Any]) -> str:
    """Why a step is somebody else's, or in other weeks than those that were planned; nothing where it is neither."""
    due_on = row["planned_due_on"]
    if step.owner != owner:
        return "a target asks for it" if owner in plan.people else f"{owner} has no hours on record any more"
    if due_on is None or step.done_on == due_on or step.owner != row["planned_owner"]:
        return ""
    if due_on < plan.as_of:
        return "it is late"
    if step.done_on > due_on:
        return "its hours do not fit where they were"
    return "its owner's weeks are laid anew, as not all fits where it was"


def price_rows(promise_prices: Sequence[PromisePrice]) -> pl.DataFrame:
    """What each promise costs, the dearest first."""
    rows = [(one.framework, one.change, one.saved_hours, one.plan_hours, one.reached) for one in promise_prices]
    schema = {
        "framework": pl.String,
        "change": pl.String,
        "saved_hours": pl.Float64,
        "plan_hours": pl.Float64,
        "reached": pl.Boolean,
    }
    return pl.DataFrame(rows, schema=schema, orient="row")


def comparison(before: ReadinessPlan, after: ReadinessPlan) -> pl.DataFrame:
    """A plan with the people that there are, and with the hours that were asked about: what these buy may be days on
    which evidence has not lapsed, at the price of more hours."""
    more = ", ".join(f"{hours:g} more hours a week of {name}" for name, hours in after.question.more_hours)
    rows = [
        (people, plan.effective_with, plan.choice.hours, sum(holes(plan)["lapsed_days"].to_list()), plan.is_reached)
        for people, plan in (("the people there are", before), (more, after))
    ]
    schema: dict[str, type[pl.DataType]] = {
        **{"people": pl.String, "effective": pl.Int64, "plan_hours": pl.Float64, "lapsed_days": pl.Int64},
        "reached": pl.Boolean,
    }
    return pl.DataFrame(rows, schema=schema, orient="row")
