"""For how long evidence is good, when it lapses, and how far hours may be off."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date
from typing import Any

from engine.facts.expressions import SIGNED_DAYS
from engine.planning.problem import WorkPart
from engine.planning.question import Goal
from engine.planning.weeks import PlanWeeks


def is_due(row: Mapping[str, Any], kind: str, day: date) -> bool:
    """Whether evidence of a kind is missing, or past its window on a day."""
    until = row[f"{kind}_until"]
    return until is None or (until < day and not row.get(f"{kind}_recurs"))


def window_days(row: Mapping[str, Any], kind: str) -> int:
    """For how many days evidence of a kind is good: what is tested or operated for the window of the control's cadence,
    what is reviewed or signed for as long as facts count it. A signature ends earlier where a later duty is overdue."""
    return int(row["cadence_window"]) if kind in ("operation", "test") else SIGNED_DAYS


def hours_range(gap: Mapping[str, Any] | None) -> tuple[float, float]:
    """The least and most hours beside those that are planned, as factors; 1 and 1 where nobody recorded any."""
    if gap is None or not gap["effort_hours"] or (gap.get("low_hours") is None and gap.get("high_hours") is None):
        return 1.0, 1.0
    hours = float(gap["effort_hours"])
    low, high = (gap["low_hours"] or hours) / hours, (gap["high_hours"] or hours) / hours
    return min(low, 1.0), max(high, 1.0)


def days_lapsed(
    row: Mapping[str, Any], kinds: Collection[str], parts: Sequence[WorkPart], goal: Goal, weeks: PlanWeeks
) -> int:
    """Days on which a control that is effective would not be, if what renews it is done as late as it may be."""
    first = min((row[f"{kind}_until"] for kind in kinds if row[f"{kind}_until"] is not None), default=goal.by)
    ends = [weeks.ends[min(part.last, len(weeks.mondays) - 1)] for part in parts if part.last >= 0]
    return max((max(ends, default=goal.by) - first).days - 1, 0)
