"""The rows of a readiness plan: what to do, what stays open, who works how much, how readiness goes on."""

from collections.abc import Mapping, Sequence
from datetime import date

import polars as pl

from engine.model.documents.document import FrameRow
from engine.planning.plan import GoalPlan, ReadinessPlan, WorkStep
from engine.planning.verdict.bands import band
from engine.planning.verdict.likelihood import ReadyDays
from engine.planning.verdict.reasons import open_reasons
from reports.shared import formula_breaks, ledger
from reports.shared.wording import all_of

_VERBS = {"no_data": "Begin to operate it and provide", "stale": "Renew"}
_KINDS = {
    "operation": "evidence of operation",
    "test": "a passed test",
    "policy": "a reviewed policy",
    "attestation": "an attestation",
}


def due_days(gaps: pl.DataFrame, signature_duties: pl.DataFrame) -> dict[str, date]:
    """The days on record of remediations, by their controls, and of signatures, by their duties."""
    remediations = gaps.filter(pl.col("due_on").is_not_null()).select(
        pl.format("{}:{}", "framework", "control_id"), "due_on"
    )
    return dict([*remediations.iter_rows(), *signature_duties.select("id", "due_on").iter_rows()])


def actions(plan: ReadinessPlan, due: Mapping[str, date]) -> pl.DataFrame:
    """The work of the plan in the order in which it is done, beside the days on which it is due whatever is planned."""
    rows = []
    for step in plan.steps:
        one, other = step.work, _bought(step)
        due_on = due.get(step.duty or one.id)
        rows.append(
            (
                step.done_on,
                f"{step.done_on:%G-W%V}",
                step.owner,
                one.framework,
                one.control_id,
                one.title,
                what(step),
                step.hours,
                step.ready_on,
                step.due_on,
                due_on,
                "late" if due_on and step.done_on > due_on else None,
                other or None,
                one.waits_for,
            )
        )
    schema: dict[str, pl.DataType | type[pl.DataType]] = {
        "done_by": pl.Date,
        "week": pl.String,
        "owner": pl.String,
        "framework": pl.String,
        "control_id": pl.String,
        "title": pl.String,
        "action": pl.String,
        "hours": pl.Float64,
        "ready_on": pl.Date,
        "latest_on": pl.Date,
        "due_on": pl.Date,
        "against_due": pl.String,
        "buys": pl.List(pl.String),
        "waits_for": pl.String,
    }
    return pl.DataFrame(rows, schema=schema, orient="row").sort(
        "done_by", "owner", "framework", "control_id", "action", maintain_order=True
    )


def first_work(work: pl.DataFrame) -> FrameRow | None:
    """What to begin with of the work of a plan: the first that waits for nothing, else the first; None without any."""
    free = work.filter(pl.col("waits_for").is_null())
    rows = free if free.height else work
    return rows.row(0, named=True) if rows.height else None


def _bought(step: WorkStep) -> list[str]:
    """The controls that the evidence of a step is to be linked to as well."""
    needs = (need.rpartition("/") for need in sorted(step.action.closes))
    return [control for control, _, kind in needs if control != step.work.id and kind in step.kinds]


def what(step: WorkStep) -> str:
    """What is to be done for a control."""
    one, lacks = step.work, all_of([_KINDS[kind] for kind in step.kinds])
    if one.opposed_by and step.duty is None:
        mend = f"Mend what the {one.opposed_by} shows"
        return f"{mend}; then provide {lacks}" if lacks else mend
    if not step.kinds:
        return "Do what is waited for" if not one.is_wanted else "Do the work"
    if step.kinds == ("attestation",):
        return "Sign"
    verb = "Renew" if one.is_renewal else _VERBS.get(one.state, "Provide")
    return f"{verb} {lacks}"


def open_controls(plan: ReadinessPlan) -> pl.DataFrame:
    """The controls that will not be effective whatever the plan does, with why."""
    rows = [
        (one.framework, one.control_id, one.title, one.state, one.owners[0] if one.owners else None, one.hours, why)
        for one, why in open_reasons(plan)
    ]
    schema = {
        "framework": pl.String,
        "control_id": pl.String,
        "title": pl.String,
        "state": pl.String,
        "owner": pl.String,
        "hours": pl.Float64,
        "why": pl.String,
    }
    return pl.DataFrame(rows, schema=schema, orient="row")


def weeks(plan: ReadinessPlan, ready: ReadyDays) -> pl.DataFrame:
    """Readiness of each framework at the end of each week if nothing is done, and if the plan is, with its band; and
    the hours that are planned."""
    return pl.concat([_weeks_of(plan, goal, ready) for goal in plan.goals])


def _weeks_of(plan: ReadinessPlan, goal: GoalPlan, ready: ReadyDays) -> pl.DataFrame:
    days = goal.projection.days
    planned = goal.with_plan.readiness(days).select(
        "on", planned_strict_pct="strict_pct", planned_weighted_pct="weighted_pct"
    )
    mine = {step.action.id for step in plan.steps if step.work.goal == goal.goal}
    worked = [item for item in plan.items if item.action in mine and item.part >= 0]
    hours = [
        (f"{monday:%G-W%V}", round(sum(item.hours for item in worked if item.week == number), 2))
        for number, monday in enumerate(plan.weeks.mondays)
    ]
    by_week = pl.DataFrame(hours, schema={"week": pl.String, "planned_hours": pl.Float64}, orient="row")
    is_last = pl.col("on") == pl.col("on").max().over("week")  # the present week has today's row as well
    return (
        goal.projection.readiness(days)
        .join(planned, on="on")
        .join(band(plan, goal, ready, days), on="on")
        .join(by_week, on="week", how="left")
        .with_columns(
            planned_hours=pl.when(is_last).then("planned_hours").otherwise(0.0), framework=pl.lit(goal.goal.framework)
        )
        .select(
            *("framework", "week", "on", "effective", "strict_pct", "weighted_pct"),
            *("planned_strict_pct", "low_strict_pct", "planned_weighted_pct", "planned_hours"),
        )
        .sort("on")
    )


def goals(plan: ReadinessPlan) -> pl.DataFrame:
    """Each framework with its day and its target: what will be, what the plan makes of it, and what that takes."""
    rows = []
    for goal in plan.goals:
        mine = [step for step in plan.steps if step.work.goal == goal.goal]
        rows.append(
            (
                goal.goal.framework,
                goal.goal.by,
                goal.goal.target,
                _strict(goal.effective, goal.applicable),
                _strict(goal.effective_with, goal.applicable),
                len(goal.mine),
                round(sum(step.hours for step in mine), 2),
                goal.is_reached and not plan.overload,
            )
        )
    schema = {
        "framework": pl.String,
        "by_on": pl.Date,
        "target_pct": pl.Int64,
        "strict_pct": pl.Float64,
        "planned_strict_pct": pl.Float64,
        "not_effective": pl.Int64,
        "plan_hours": pl.Float64,
        "reached": pl.Boolean,
    }
    return pl.DataFrame(rows, schema=schema, orient="row")


def _strict(effective: int, applicable: int) -> float | None:
    return round(100 * effective / applicable, 1) if applicable else None


def lapses(plan: ReadinessPlan, vendors: pl.DataFrame, exceptions: pl.DataFrame) -> pl.DataFrame:
    """What lapses until the day if nobody renews it: evidence, assurance of vendors, exceptions of the framework."""
    frameworks, first, last = [goal.framework for goal in plan.question.goals], plan.as_of, plan.question.by
    day = pl.duration(days=1)
    evidence = pl.concat(
        [goal.projection.lapses.with_columns(framework=pl.lit(goal.goal.framework)) for goal in plan.goals]
    )
    assured = vendors.filter(pl.col("assured_until").is_between(first, last, closed="left")).select(
        "owner", lapses_on=pl.col("assured_until") + day, title="name", evidence=pl.lit("vendor assurance")
    )
    excepted = exceptions.filter(
        pl.col("framework").is_in(frameworks),
        pl.col("standing") == "approved",
        pl.col("expires_on").is_between(first, last, closed="left"),
    ).select(
        "framework",
        "control_id",
        lapses_on=pl.col("expires_on") + day,
        title="title",
        evidence=pl.lit("exception"),
        owner="approver",
    )
    names = ("lapses_on", "framework", "control_id", "title", "evidence", "owner")
    return (
        pl.concat([evidence, assured, excepted], how="diagonal_relaxed")
        .select(names)
        .sort("lapses_on", maintain_order=True)
    )


def work_of_plans(plans: pl.DataFrame, frameworks: Sequence[str]) -> pl.DataFrame:
    """The work of plans for the frameworks that were accepted, with how each piece stands."""
    return plans.filter(pl.col("plan_framework").is_in(frameworks)).select(
        *("plan_id", "framework", "control_id", "title", "standing", "planned_due_on", "due_on", "closed_on"),
        *("planned_owner", "owner", "effort_hours", "done_hours", "left_hours"),
    )


def progress(plans: pl.DataFrame, readiness_days: pl.DataFrame, framework: str, as_of: date) -> pl.DataFrame:
    """For each day that the newest accepted plan has work due on: how much was planned by then and how much is done,
    the strict readiness that it saw for the day and the last that was kept by then."""
    mine = plans.filter(plan_framework=framework)
    last = mine.sort("made_on", "plan_id").select(pl.col("plan_id").last()).to_series().to_list()
    newest = mine.filter(pl.col("plan_id").is_in(last))
    kept = formula_breaks.comparable(readiness_days).filter(framework=framework).sort("taken_on")
    rows = []
    for (day,), part in newest.sort("planned_due_on").group_by("planned_due_on", maintain_order=True):
        if not isinstance(day, date):
            continue
        past = kept.filter(pl.col("taken_on") <= day)["strict_pct"] if day <= as_of else pl.Series([], dtype=pl.Float64)
        done = newest.filter(pl.col("closed_on") <= day).height if day <= as_of else None
        planned = newest.filter(pl.col("planned_due_on") <= day).height
        rows.append((day, planned, done, part["planned_strict_pct"].max(), past[-1] if past.len() else None))
    measured = dict.fromkeys(("planned_strict_pct", "strict_pct"), pl.Float64)
    schema = {"on": pl.Date, "planned": pl.Int64, "done": pl.Int64, **measured}
    return pl.DataFrame(rows, schema=schema, orient="row")


def falls_due(obligations: pl.DataFrame, plan: ReadinessPlan) -> pl.DataFrame:
    """The duties of the framework, and those of none, that are pending and due by the day: what nobody does is overdue
    then. Requests, vendor reviews, exceptions that end, tests, attestations, policy reviews; without those signatures
    that came with the plan once it was accepted, and are its work."""
    frameworks = [goal.framework for goal in plan.question.goals]
    own = [f"attestation:{step.duty}" for step in plan.steps if step.duty and step.hours]
    mine = pl.col("frameworks").list.set_intersection(frameworks).list.len() > 0
    mine = mine | (pl.col("frameworks").list.len() == 0)
    return (
        obligations.filter(pl.col("state").is_in(ledger.PENDING), mine, pl.col("due_on") <= plan.question.by)
        .filter(~pl.col("obligation_id").is_in(own))
        .sort("due_on", "obligation_id")
        .select("due_on", "title", ledger.kind_name().alias("duty"), "owner", "effort_hours", "obligation_id")
    )
