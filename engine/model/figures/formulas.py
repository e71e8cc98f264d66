"""Formulas that several reports share, each with its source. Pure functions of numbers; examples in the tests."""

import math
from collections.abc import Sequence
from datetime import date, timedelta

from engine.model.documents.document import Coverage
from engine.model.thresholds import Thresholds

# Multi-window burn-rate alerting after the SRE workbook, chapter 5: (long window h, short window h, burn rate).
BURN_CRITICAL_30D = ((1.0, 1 / 12, 14.4), (6.0, 0.5, 6.0))
BURN_WARNING_30D = ((24.0, 2.0, 3.0), (72.0, 6.0, 1.0))


def largest_remainder(values: Sequence[float], total: float, step: float = 0.1) -> list[float]:
    """``values`` rounded to ``step`` so that they sum to ``total`` (R4); ties go to the earlier value.

    ``total`` is a multiple of ``step`` within half a step per value of their sum.
    """
    units = [value / step for value in values]
    floors = [math.floor(unit + 1e-9) for unit in units]
    missing = round(total / step) - sum(floors)
    by_remainder = sorted(range(len(units)), key=lambda i: (-round(units[i] - floors[i], 9), i))
    for i in by_remainder[: max(missing, 0)]:
        floors[i] += 1
    for i in list(reversed(by_remainder))[: max(-missing, 0)]:
        floors[i] -= 1
    digits = max(0, -math.floor(math.log10(step)))
    return [round(unit * step, digits) for unit in floors]


def nearest_rank(values: Sequence[float], pct: float) -> float | None:
    """The ``pct`` percentile by nearest rank: a value that occurred; None without values."""
    if not values:
        return None
    ordered = sorted(values)
    return ordered[max(math.ceil(pct / 100 * len(ordered)), 1) - 1]


def gini(values: Sequence[float]) -> float | None:
    """Gini coefficient of non-negative values, 0 (equal) to 1; None when their sum is 0."""
    ordered, total = sorted(values), sum(values)
    if not total:
        return None
    n = len(ordered)
    return sum((2 * i - n + 1) * value for i, value in enumerate(ordered)) / (n * total)


def odds(pct: float) -> str:
    """``62``, ``over 99``, ``under 1``: percent of draws; nothing that rests on draws is certain or impossible."""
    whole = round(pct)
    return "over 99" if whole >= 100 else "under 1" if whole <= 0 else str(whole)


def percentile_rank(cohort: Sequence[float], value: float, least: int = 5) -> float | None:
    """Percentile rank F10: (below + half of equal) / n in percent; None for a cohort below ``least`` members."""
    if len(cohort) < least:
        return None
    below = sum(member < value for member in cohort)
    equal = sum(member == value for member in cohort)
    return (below + 0.5 * equal) / len(cohort) * 100


def grade(score: float | None, coverage: Coverage, settings: Thresholds) -> str:
    """A to F at 90, 80, 70, 60; ``insufficient_data`` below the least coverage (R3)."""
    if score is None or not has_coverage(coverage, settings):
        return "insufficient_data"
    return next((letter for letter, least in (("A", 90), ("B", 80), ("C", 70), ("D", 60)) if score >= least), "F")


def rag(pct: float | None, coverage: Coverage, settings: Thresholds) -> str:
    """green, amber or red by the organization's thresholds; ``insufficient_data`` below the least coverage."""
    if pct is None or not has_coverage(coverage, settings):
        return "insufficient_data"
    if pct >= settings["rag_green"]:
        return "green"
    return "amber" if pct >= settings["rag_amber"] else "red"


def has_coverage(coverage: Coverage, settings: Thresholds) -> bool:
    """Whether enough was assessed to grade at all."""
    return coverage.total > 0 and 100 * coverage.assessed >= settings["coverage_min_pct"] * coverage.total


NOT_RATED = "not_rated"  # what people read in place of the level of a cell of which a rating is missing


def risk_level(cell: int) -> str:
    """Level of a risk cell, likelihood times impact (F11)."""
    return "low" if cell <= 4 else "moderate" if cell <= 9 else "high" if cell <= 16 else "critical"


def iso_week(day: date) -> str:
    """ISO 8601 week of a day: ``2026-W47``."""
    year, week, _ = day.isocalendar()
    return f"{year}-W{week:02d}"


def week_start(week: str) -> date:
    """The Monday of an ISO week."""
    return date.fromisocalendar(int(week[:4]), int(week[6:]), 1)


def business_days_after(day: date, days: int) -> date:
    """The day that is ``days`` business days (Monday to Friday) after ``day``."""
    weeks, rest = divmod(days, 5)
    result = day + timedelta(weeks=weeks)
    while result.weekday() > 4:
        result += timedelta(days=1)
    for _ in range(rest):
        result += timedelta(days=3 if result.weekday() == 4 else 1)
    return result


def budget_used_pct(bad: int, total: int, objective_pct: float) -> float | None:
    """Part of the error budget that is used, in percent; None without events (REPORTS 14)."""
    budget = total * (100 - objective_pct) / 100
    return bad / budget * 100 if budget else None


def burn_rate(bad: int, total: int, objective_pct: float) -> float | None:
    """How many times faster than allowed the budget burns; 1 uses it up exactly at the window's end."""
    budget = (100 - objective_pct) / 100
    return bad / total / budget if total and budget else None


def burn_threshold(budget_part: float, long_hours: float, window_days: float) -> float:
    """Burn rate that uses ``budget_part`` of a window's budget in ``long_hours`` (SRE workbook, chapter 5)."""
    return round(budget_part * window_days * 24 / long_hours, 6)


def days_to_exhaustion(used: float, burn: float, window_days: float, *, rolling: bool = True) -> float | None:
    """Days until the budget is gone (REPORTS 14): ``used`` is a fraction, ``burn`` recent; None: it will not be.

    In a rolling window old errors roll off linearly, so a burn below 1 never exhausts it.
    """
    if used >= 1:
        return 0.0
    if not rolling:
        return window_days * (1 - used) / burn if burn > 0 else None
    return window_days * (1 - used) / (burn - used) if burn >= 1 else None


def crossover_hours(efforts: Sequence[float]) -> tuple[float, float]:
    """Hours alone and together for obligations that share evidence: the largest plus a quarter of the rest.

    Together to the quarter of an hour, an eighth up: no estimate is finer, and what pages show of each adds up.
    """
    alone = sum(efforts)
    largest = max(efforts, default=0.0)
    rest = 0.25 * (alone - largest)
    return alone, largest + math.floor(round(rest * 4, 6) + 0.5) / 4


def is_full(relation: str, strength: float) -> bool:
    """Whether an edge covers its target fully (F9)."""
    return relation in ("equal", "superset") and strength >= 0.8 - 1e-9


def sprs_score(points_lost: Sequence[int]) -> int:
    """NIST SP 800-171 DoD assessment score: 110 less the points of requirements that are not met."""
    return 110 - sum(points_lost)
