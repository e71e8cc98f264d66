"""Readiness as a plan promises it, with its band: of ten ways in which its hours may go, eight lie inside."""

from collections.abc import Sequence
from datetime import date

import numpy as np
import polars as pl

from engine.facts.expressions import pct
from engine.planning.likelihood import DRAWS, ReadyDays, steps_by_control
from engine.planning.plan import GoalPlan, ReadinessPlan

LOW, HIGH = 0.1, 0.9


def band(plan: ReadinessPlan, goal: GoalPlan, ready: ReadyDays, days: Sequence[date]) -> pl.DataFrame:
    """Strict readiness of a goal on each of the days that one draw of its hours in ten is below, and above.

    A control is effective in a draw where it is with nothing done; where it is with the plan, once the steps that were
    to be done by then are; and from the day on which all of its steps are.
    """
    steps = steps_by_control(plan, goal)
    rows = []
    for day in days:
        alone, planned = _effective(goal.projection.on(day)), _effective(goal.with_plan.on(day))
        counts = np.full(DRAWS, float(len(alone)))
        for control, mine in sorted(steps.items()):
            name = control.partition(":")[2]
            if name in alone:
                continue
            drawn = [(step.ready_on <= day, ready[step.action.id, step.part] <= day.toordinal()) for step in mine]
            there = np.all([done for _, done in drawn], axis=0)
            if name in planned:
                there |= np.all([np.ones(DRAWS, dtype=bool), *(done for due, done in drawn if due)], axis=0)
            counts += there
        low, high = np.quantile(counts, [LOW, HIGH], method="inverted_cdf")
        rows.append((day, float(low), float(high)))
    frame = pl.DataFrame(rows, {"on": pl.Date, "low": pl.Float64, "high": pl.Float64}, orient="row")
    whole = pl.lit(goal.applicable)
    return frame.select("on", low_strict_pct=pct("low", whole), high_strict_pct=pct("high", whole))


def _effective(controls: pl.DataFrame) -> set[str]:
    return set(controls.filter(pl.col("state") == "effective")["control_id"])
