"""The key figures of a plan: what the day brings with it and without it, and the hours that there are."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from engine.model.vocabulary import Better
from engine.planning.plan import ReadinessPlan

TITLES = {
    "planned_strict_pct": "Effective on the day with the plan",
    "strict_pct": "Effective on the day if nothing is done",
    "not_effective": "Not effective then if nothing is done",
    "needed_hours": "Hours to close each gap by the day",
    "plan_hours": "Hours of the plan",
    "available_hours": "Hours that duties leave the owners",
    "likely_pct": "Likely with the plan by the day",
    "reached": "Reached if work takes as long as estimated",
    "first_short_week": "First week in which hours are missing",
    "by": "Ready by",
    "target_pct": "Target, strict",
    "capacity_hours": "Hours that their owners have",
    "duty_hours": "Hours of duties on record",
    "overdue_hours": "Hours of overdue work",
    "plan_bound_hours": "No plan takes fewer hours than",
}
UNITS: Mapping[str, str] = {
    name: "hours" if name.endswith("_hours") else "percent" for name in TITLES if name.endswith(("_hours", "_pct"))
}
BETTER: Mapping[str, Better] = {
    "planned_strict_pct": "more",
    "strict_pct": "more",
    "likely_pct": "more",
    "not_effective": "less",
}


def summary(plan: ReadinessPlan, goals: pl.DataFrame, owners: pl.DataFrame) -> dict[str, Any]:
    """The figures of a plan; of several frameworks the day and readiness are those of the first."""
    short = None if plan.is_reached else plan.first_short
    return {
        "planned_strict_pct": goals["planned_strict_pct"][0],
        "strict_pct": goals["strict_pct"][0],
        "not_effective": len(plan.mine),
        "needed_hours": plan.needed_hours,
        "plan_hours": plan.choice.hours,
        "available_hours": plan.available_hours,
        "likely_pct": goals["likely_pct"].min(),
        "reached": plan.is_reached,
        "first_short_week": short.week if short else None,
        "by": plan.question.by,
        "target_pct": plan.question.first.target,
        "capacity_hours": round(owners["capacity_hours"].sum(), 2),
        "duty_hours": round(owners["duty_hours"].sum(), 2),
        "overdue_hours": round(owners["overdue_hours"].sum(), 2),
        "plan_bound_hours": plan.choice.bound,
    }
