"""Who works how much for a plan: owners, and their weeks."""

import polars as pl

from engine.model.days import spelled_day
from engine.model.declarations.ask import Ask
from engine.planning.plan import ReadinessPlan
from reports.shared.packs import control

MOST_NAMED = 5


def people(plan: ReadinessPlan) -> pl.DataFrame:
    """Who works how much for the plan, of the hours that duties and overdue work leave in the weeks until the day.

    Available hours, duties and overdue work are those of the capacity budget, of the same weeks.
    """
    rows = []
    for owner in _everybody(plan):
        hours = _hours_by_week(plan, owner)
        free, mine = plan.problem.capacity[owner], plan.people[owner]
        used = [100 * worked / there for worked, there in zip(hours, free, strict=True) if worked > 0 and there > 0]
        needed = sum(one.hours for one in plan.mine if one.owners and plan.doer(one) == owner)
        rows.append(
            (
                owner,
                sum(step.owner == owner for step in plan.steps),
                round(sum(hours), 2),
                round(sum(mine.available), 2),
                round(sum(mine.due), 2),
                round(mine.overdue, 2),
                round(mine.remainder, 2),
                round(max(used), 1) if used else None,
                round(max(needed - sum(free), 0.0), 2),
            )
        )
    schema = {
        "owner": pl.String,
        "actions": pl.Int64,
        "planned_hours": pl.Float64,
        "capacity_hours": pl.Float64,
        "duty_hours": pl.Float64,
        "overdue_hours": pl.Float64,
        "available_hours": pl.Float64,
        "utilisation_pct": pl.Float64,
        "missing_hours": pl.Float64,
    }
    return pl.DataFrame(rows, schema=schema, orient="row").sort("planned_hours", "owner", descending=[True, False])


def _everybody(plan: ReadinessPlan) -> list[str]:
    """Who has work of the plan, hours beside the signatures of others included, or could have some."""
    return sorted({*plan.choice.done.values(), *plan.owners, *(item.owner for item in plan.items)})


def _hours_by_week(plan: ReadinessPlan, owner: str) -> list[float]:
    week = [0.0] * len(plan.weeks.mondays)
    for item in plan.items:
        if item.owner == owner:
            week[item.week] += item.hours
    return week


def messages(plan: ReadinessPlan, ask: Ask) -> pl.DataFrame:
    """One line for each owner that can be sent: what to do by when, in how many hours."""
    rows = []
    for owner in sorted({step.owner for step in plan.steps}):
        mine = [step for step in plan.steps if step.owner == owner]
        controls = list(dict.fromkeys(control(f"{step.work.framework}:{step.work.control_id}", ask) for step in mine))
        named = ", ".join(controls[:MOST_NAMED])
        more = f" and {len(controls) - MOST_NAMED} more" if len(controls) > MOST_NAMED else ""
        first = mine[0]
        worked = round(sum(step.hours for step in mine), 2)
        takes = f"{worked:g} h" if worked else "signatures that are due"
        text = (
            f"{owner}: {takes} for {named}{more} until {spelled_day(mine[-1].done_on)}; "
            f"first {controls[0]} {first.work.title} by {spelled_day(first.done_on)}."
        )
        rows.append((owner, len(controls), text))
    schema = {"owner": pl.String, "controls": pl.Int64, "message": pl.String}
    return pl.DataFrame(rows, schema=schema, orient="row")


def load_by_week(plan: ReadinessPlan) -> pl.DataFrame:
    """The hours of each owner of the plan in each week: there, due, left when overdue work is done, and planned."""
    rows = []
    for owner in _everybody(plan):
        mine, free, worked = plan.people[owner], plan.problem.capacity[owner], _hours_by_week(plan, owner)
        for number, monday in enumerate(plan.weeks.mondays):
            figures = (mine.available[number], mine.due[number], free[number], worked[number])
            rows.append((f"{monday:%G-W%V}", monday, owner, *(round(hours, 2) for hours in figures)))
    hours = ("capacity_hours", "duty_hours", "free_hours", "planned_hours")
    schema = {"week": pl.String, "week_start_on": pl.Date, "owner": pl.String, **dict.fromkeys(hours, pl.Float64)}
    return pl.DataFrame(rows, schema=schema, orient="row").sort("week_start_on", "owner")
