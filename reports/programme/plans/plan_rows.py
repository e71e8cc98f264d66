"""The rows of a readiness plan: what to do, what stays open, who works how much, how readiness goes on."""

from datetime import date

import polars as pl

from engine.planning.plan import ReadinessPlan, WorkStep
from reports.shared import formula_breaks, ledger
from reports.shared.wording import all_of

_VERBS = {"no_data": "Begin to operate it and provide", "stale": "Renew"}
_KINDS = {
    "operation": "evidence of operation",
    "test": "a passed test",
    "policy": "a reviewed policy",
    "attestation": "an attestation",
}


def actions(plan: ReadinessPlan) -> pl.DataFrame:
    """The work of the plan in the order in which it is done."""
    rows = []
    for step in plan.steps:
        one, other = step.work, sorted(step.action.closes - {step.action.id})
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
        "buys": pl.List(pl.String),
        "waits_for": pl.String,
    }
    return pl.DataFrame(rows, schema=schema, orient="row").sort(
        "done_by", "owner", "framework", "control_id", "action", maintain_order=True
    )


def what(step: WorkStep) -> str:
    """What is to be done for a control."""
    one, lacks = step.work, all_of([_KINDS[kind] for kind in step.kinds])
    if one.opposed_by and not step.part:
        mend = f"Mend what the {one.opposed_by} shows"
        return f"{mend}; then provide {lacks}" if lacks else mend
    verb = "Renew" if one.is_renewal or step.part else _VERBS.get(one.state, "Provide")
    return f"{verb} {lacks}"


def open_controls(plan: ReadinessPlan) -> pl.DataFrame:
    """The controls that will not be effective whatever the plan does, with why."""
    rows = [
        (one.framework, one.control_id, one.title, one.state, one.owners[0] if one.owners else None, one.hours, why)
        for one, why in plan.open
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


def people(plan: ReadinessPlan) -> pl.DataFrame:
    """Who works how much for the plan, of the hours that other duties leave until the day."""
    rows = []
    for owner in sorted({*plan.choice.done.values(), *plan.owners}):
        hours = [
            sum(item.hours for item in plan.items if item.owner == owner and item.week == week)
            for week in range(len(plan.weeks.mondays))
        ]
        free = plan.problem.capacity[owner]
        used = [100 * worked / there for worked, there in zip(hours, free, strict=True) if worked > 0 and there > 0]
        needed = sum(one.hours for one in plan.mine if one.owners and one.owners[0] == owner)
        rows.append(
            (
                owner,
                sum(step.owner == owner for step in plan.steps),
                round(sum(hours), 2),
                round(sum(free), 2),
                round(max(used), 1) if used else None,
                round(max(needed - sum(free), 0.0), 2),
            )
        )
    schema = {
        "owner": pl.String,
        "actions": pl.Int64,
        "planned_hours": pl.Float64,
        "available_hours": pl.Float64,
        "utilisation_pct": pl.Float64,
        "missing_hours": pl.Float64,
    }
    return pl.DataFrame(rows, schema=schema, orient="row").sort("planned_hours", "owner", descending=[True, False])


def weeks(plan: ReadinessPlan) -> pl.DataFrame:
    """Readiness at the end of each week if nothing is done, and if the plan is; and the hours that are planned."""
    days = plan.projection.days
    planned = plan.with_plan.readiness(days).select(
        "on", planned_strict_pct="strict_pct", planned_weighted_pct="weighted_pct"
    )
    hours = [
        (f"{monday:%G-W%V}", round(sum(item.hours for item in plan.items if item.week == number), 2))
        for number, monday in enumerate(plan.weeks.mondays)
    ]
    worked = pl.DataFrame(hours, schema={"week": pl.String, "planned_hours": pl.Float64}, orient="row")
    is_last = pl.col("on") == pl.col("on").max().over("week")  # the present week has today's row as well
    return (
        plan.projection.readiness(days)
        .join(planned, on="on")
        .join(worked, on="week", how="left")
        .with_columns(planned_hours=pl.when(is_last).then("planned_hours").otherwise(0.0))
        .select(
            *("week", "on", "effective", "strict_pct", "weighted_pct"),
            *("planned_strict_pct", "planned_weighted_pct", "planned_hours"),
        )
        .sort("on")
    )


def lapses(plan: ReadinessPlan, vendors: pl.DataFrame, exceptions: pl.DataFrame) -> pl.DataFrame:
    """What lapses until the day if nobody renews it: evidence, assurance of vendors, exceptions of the framework."""
    framework, first, last = plan.question.framework, plan.as_of, plan.question.by
    day = pl.duration(days=1)
    evidence = plan.projection.lapses.with_columns(framework=pl.lit(framework))
    assured = vendors.filter(pl.col("assured_until").is_between(first, last, closed="left")).select(
        "owner", lapses_on=pl.col("assured_until") + day, title="name", evidence=pl.lit("vendor assurance")
    )
    excepted = exceptions.filter(
        pl.col("framework") == framework,
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


def work_of_plans(plans: pl.DataFrame, framework: str) -> pl.DataFrame:
    """The work of plans for the framework that were accepted, with how each piece stands."""
    return plans.filter(plan_framework=framework).select(
        *("plan_id", "framework", "control_id", "title", "standing", "planned_due_on", "due_on", "closed_on"),
        *("planned_owner", "owner", "effort_hours"),
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
    then. Requests, vendor reviews, exceptions that end, tests, attestations, policy reviews."""
    mine = pl.col("frameworks").list.contains(plan.question.framework) | (pl.col("frameworks").list.len() == 0)
    return (
        obligations.filter(pl.col("state").is_in(ledger.PENDING), mine, pl.col("due_on") <= plan.question.by)
        .sort("due_on", "obligation_id")
        .select("due_on", "title", ledger.kind_name().alias("duty"), "owner", "effort_hours", "obligation_id")
    )
