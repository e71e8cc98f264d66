"""Burn-rate rules of the SRE workbook, chapter 5, and the budget of one window held against them."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from engine.incidents.slo.slo_sums import BUCKET_MINUTES, DAY_MINUTES, EventCount
from engine.model.figures.formulas import (
    BURN_CRITICAL_30D,
    BURN_WARNING_30D,
    budget_used_pct,
    burn_rate,
    burn_threshold,
    days_to_exhaustion,
)
from engine.model.vocabulary import BudgetState, SloWindow

WINDOWS = (7, 30)
LEAST_BUCKETS_PCT = 10.0
USED_PCT: tuple[tuple[BudgetState, float], ...] = (("critical", 100.0), ("warning", 75.0))
LONGEST_MONTH = 31
BURN_7D_ONLY: Mapping[BudgetState, float] = {"critical": 2.0, "warning": 1.0}


@dataclass(frozen=True)
class Objective:
    """What a service promises. ``calendar`` changes when a 30-day budget runs out, not what is summed."""

    service_id: str
    objective_pct: float
    window_kind: SloWindow = "rolling"
    name: str | None = None


@dataclass(frozen=True)
class BurnRule:
    """``level`` holds when the burn of both spans reaches ``burn``; the short span ends the alarm early."""

    name: str
    level: BudgetState
    long_minutes: int
    short_minutes: int
    burn: float


@dataclass(frozen=True)
class Burn:
    """A rule held against the figures. A burn is None when its span has no events."""

    rule: BurnRule
    long_burn: float | None
    short_burn: float | None
    fired: bool


@dataclass(frozen=True)
class BudgetWindow:
    """The budget of one window. Percentages and burns are None while ``insufficient_history`` holds.

    ``budget`` is the number of bad events that the objective allows; ``used_pct`` + ``remaining_pct`` is 100.
    ``exhaustion_days`` is None when the budget does not run out at ``recent_burn``, 0 when it is gone.
    """

    days: int
    severity: BudgetState
    rule: str | None
    total: int
    bad: int
    budget: float
    used_pct: float | None
    remaining_pct: float | None
    burn: float | None
    recent_burn: float | None
    exhaustion_days: float | None
    buckets: int | None
    buckets_expected: int
    buckets_pct: float | None
    burns: tuple[Burn, ...]


def _rule(level: BudgetState, long_hours: float, short_hours: float, burn: float) -> BurnRule:
    long, short = round(long_hours * 60), round(short_hours * 60)
    return BurnRule(f"burn_{span_name(long)}_{span_name(short)}", level, long, short, burn)


def span_name(minutes: int) -> str:
    """5 → 5m, 360 → 6h, 4320 → 3d."""
    for unit, size in (("d", DAY_MINUTES), ("h", 60)):
        if minutes % size == 0:
            return f"{minutes // size}{unit}"
    return f"{minutes}m"


RULES: Mapping[int, tuple[BurnRule, ...]] = MappingProxyType(
    {
        30: tuple(_rule("critical", *rule) for rule in BURN_CRITICAL_30D)
        + tuple(_rule("warning", *rule) for rule in BURN_WARNING_30D),
        7: (
            _rule("critical", 1, 1 / 12, burn_threshold(0.08, 1, 7)),
            _rule("critical", 6, 0.5, burn_threshold(0.125, 6, 7)),
            _rule("warning", 24, 2, burn_threshold(0.20, 24, 7)),
            _rule("warning", 72, 6, burn_threshold(0.42, 72, 7)),
        ),
    }
)


def budget_window(
    days: int, objective: Objective, spans: Mapping[int, EventCount], recent: float | None, complete: bool
) -> BudgetWindow:
    """The budget of the last ``days``. ``complete`` says that every span is there; else the fallback rule judges.

    ``recent`` is the burn that exhaustion is reckoned with.
    """
    count = spans[days * DAY_MINUTES]
    known = _sufficient(count, days * DAY_MINUTES)
    used = budget_used_pct(count.bad, count.total, objective.objective_pct) if known else None
    burn = burn_rate(count.bad, count.total, objective.objective_pct) if known else None
    burns = tuple(_burn(rule, objective, spans) for rule in RULES[days]) if known and complete else ()
    severity: BudgetState = "insufficient_history"
    rule: str | None = None
    if known:
        severity, rule = _severity(days, objective, count, used, burn, burns, complete)
    used_pct = _round(used, 1)
    rolling = objective.window_kind != "calendar" or days != 30
    pace = recent if recent is not None else burn
    left = None if used is None or pace is None else _exhaustion(used, pace, days, rolling)
    expected = days * DAY_MINUTES // BUCKET_MINUTES
    return BudgetWindow(
        days=days,
        severity=severity,
        rule=rule,
        total=count.total,
        bad=count.bad,
        budget=round(count.total * (100 - objective.objective_pct) / 100, 1),
        used_pct=used_pct,
        remaining_pct=None if used_pct is None else round(100 - used_pct, 1),
        burn=_round(burn, 2),
        recent_burn=None if used is None or pace is None else round(pace, 2),
        exhaustion_days=_round(left, 1),
        buckets=count.buckets,
        buckets_expected=expected,
        buckets_pct=None if count.buckets is None else round(100 * count.buckets / expected, 1),
        burns=burns,
    )


def _exhaustion(used: float, pace: float, days: int, rolling: bool) -> float | None:
    left = days_to_exhaustion(round(used / 100, 9), pace, days, rolling=rolling)
    return left if rolling or left is None or left <= LONGEST_MONTH else None


def _severity(
    days: int,
    objective: Objective,
    count: EventCount,
    used: float | None,
    burn: float | None,
    burns: tuple[Burn, ...],
    complete: bool,
) -> tuple[BudgetState, str | None]:
    if used is None:
        return ("critical", "no_budget") if count.bad else ("ok", None)
    for level, used_limit in USED_PCT:
        for held in burns:
            if held.fired and held.rule.level == level:
                return level, held.rule.name
        if not complete and days == 7:
            if _reaches(burn, BURN_7D_ONLY[level]):
                return level, "burn_7d"
        elif _reaches(used, used_limit):
            return level, f"used_{used_limit:g}"
    return "ok", None


def _burn(rule: BurnRule, objective: Objective, spans: Mapping[int, EventCount]) -> Burn:
    long, short = spans[rule.long_minutes], spans[rule.short_minutes]
    long_burn = burn_rate(long.bad, long.total, objective.objective_pct)
    short_burn = burn_rate(short.bad, short.total, objective.objective_pct)
    # A short span without a single bucket is not a recovery: the service may be too broken to report.
    fired = _reaches(long_burn, rule.burn) and (short.buckets == 0 or _reaches(short_burn, rule.burn))
    return Burn(rule, _round(long_burn, 2), _round(short_burn, 2), fired)


def recent_burn(objective: Objective, spans: Mapping[int, EventCount]) -> float | None:
    """The burn of the last 24 hours, of 7 days where those are not known; None without events."""
    for minutes in (DAY_MINUTES, 7 * DAY_MINUTES):
        if minutes in spans and _sufficient(spans[minutes], minutes):
            burn = burn_rate(spans[minutes].bad, spans[minutes].total, objective.objective_pct)
            return _round(burn, 9)
    return None


def _sufficient(count: EventCount, minutes: int) -> bool:
    least = LEAST_BUCKETS_PCT / 100 * minutes / BUCKET_MINUTES
    return count.total > 0 and (count.buckets is None or count.buckets >= least - 1e-9)


def _reaches(value: float | None, limit: float) -> bool:
    return value is not None and value >= limit * (1 - 1e-9)


def _round(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)
