"""Readiness as a plan promises it, with its band: what nine of ten ways in which its hours may go reach."""

from collections.abc import Sequence
from datetime import date

import numpy as np
import polars as pl

from engine.facts.expressions import pct
from engine.planning.plan import GoalPlan, ReadinessPlan
from engine.planning.verdict.likelihood import DRAWS, ReadyDays, steps_by_control

BELOW = 0.1


def band(plan: ReadinessPlan, goal: GoalPlan, ready: ReadyDays, days: Sequence[date]) -> pl.DataFrame:
    """Strict readiness of a goal on each of the days that one draw of its hours in ten is below.

    Nothing is done earlier than planned: of what the plan makes effective on a day, a draw lacks the controls with a
    step that was to be done by then and is not.
    """
    steps = steps_by_control(plan, goal)
    rows = []
    each_alone, each_planned = goal.projection.effective(days), goal.with_plan.effective(days)
    for day in days:
        alone, planned = each_alone[day], each_planned[day]
        counts = np.full(DRAWS, float(len(planned)))
        for control, mine in sorted(steps.items()):
            name = control.partition(":")[2]
            due = [ready[step.action.id, step.part] > day.toordinal() for step in mine if step.ready_on <= day]
            if name in planned and name not in alone and due:
                counts -= np.any(due, axis=0)
        rows.append((day, float(np.quantile(counts, BELOW, method="inverted_cdf"))))
    frame = pl.DataFrame(rows, {"on": pl.Date, "low": pl.Float64}, orient="row")
    return frame.select("on", low_strict_pct=pct("low", pl.lit(goal.applicable)))
