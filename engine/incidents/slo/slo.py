"""Error budgets of services over 7 and 30 days, and the overview across services."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from engine.incidents.slo.slo_rules import (
    RULES,
    WINDOWS,
    BudgetWindow,
    Objective,
    budget_window,
    recent_burn,
    span_name,
)
from engine.incidents.slo.slo_sums import DAY_MINUTES, EventCount, SpanSums, service_sums
from engine.model.documents.document import Coverage
from engine.model.vocabulary import BUDGET_STATES, BudgetState, SloWindow

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class ServiceBudget:
    """Both windows of a service; its severity and rule are those of the worse one, on a tie of the longer."""

    service_id: str
    name: str
    objective_pct: float
    window_kind: SloWindow
    severity: BudgetState
    rule: str | None
    method: str
    windows: tuple[BudgetWindow, ...]
    last_bucket_at: datetime | None
    sentence: str

    def window(self, days: int) -> BudgetWindow:
        """The window of 7 or 30 days."""
        return next(window for window in self.windows if window.days == days)


def service_budget(objective: Objective, buckets: "pl.DataFrame", now: datetime) -> ServiceBudget:
    """The budgets of one service from its buckets (bucket_at, total, bad); a bucket counts once it is complete."""
    return budget(objective, service_sums(buckets, now))


def budget(objective: Objective, sums: SpanSums) -> ServiceBudget:
    """The budgets of one service from sums: of every span, or of 7 and 30 days alone (fallback rule)."""
    # Closer to 100 % than a millionth of a percent is rounding noise, not a budget.
    objective = replace(objective, objective_pct=round(objective.objective_pct, 6))
    spans = {days * DAY_MINUTES: EventCount(0, 0) for days in WINDOWS} | dict(sums.spans)
    complete = all(rule.long_minutes in spans and rule.short_minutes in spans for rule in RULES[30])
    recent = recent_burn(objective, spans)
    windows = tuple(budget_window(days, objective, spans, recent, complete) for days in WINDOWS)
    worst = min(reversed(windows), key=lambda window: BUDGET_STATES.index(window.severity))
    name = objective.name or objective.service_id
    return ServiceBudget(
        objective.service_id,
        name,
        objective.objective_pct,
        objective.window_kind,
        worst.severity,
        worst.rule,
        "burn_rates" if complete else "windows_only",
        windows,
        sums.last_bucket_at,
        _sentence(name, objective, worst),
    )


@dataclass(frozen=True)
class Overview:
    """Error budgets across services. Means are over the services whose 30-day budget is known (``coverage``)."""

    services: int
    counts: dict[str, int]
    mean_used_pct: float | None
    weighted_used_pct: float | None
    coverage: Coverage
    worst: tuple[ServiceBudget, ...]
    without_objective: tuple[str, ...]
    sentence: str


def overview(budgets: Iterable[ServiceBudget], service_ids: Sequence[str], worst: int = 5) -> Overview:
    """Counts by severity, used budget (plain mean, and weighted by events), the worst, services without objective."""
    ranked = sorted(budgets, key=_rank)
    counts: dict[str, int] = {severity: sum(one.severity == severity for one in ranked) for severity in BUDGET_STATES}
    known = [(window.used_pct, window.total) for one in ranked if (window := one.window(30)).used_pct is not None]
    used = [pct for pct, _ in known if pct is not None]
    events = sum(total for _, total in known)
    mean = round(sum(used) / len(used), 1) if used else None
    weighted = round(sum(pct * total for pct, total in known if pct is not None) / events, 1) if events else None
    without = tuple(sorted(set(service_ids) - {one.service_id for one in ranked}))
    services = len(ranked) + len(without)
    return Overview(
        services,
        counts,
        mean,
        weighted,
        Coverage(len(used), services),
        tuple(one for one in ranked if one.severity != "insufficient_history")[:worst],
        without,
        _overview_sentence(counts, mean, len(without), services),
    )


def _rank(one: ServiceBudget) -> tuple[int, float, str]:
    highest = max((window.used_pct for window in one.windows if window.used_pct is not None), default=math.inf)
    return BUDGET_STATES.index(one.severity), -highest, one.service_id


def _overview_sentence(counts: dict[str, int], mean: float | None, without: int, services: int) -> str:
    if not services:
        return "There are no services."
    if mean is None:
        return f"No 30-day error budget can be judged yet: {without} of {_many(services)} have no objective."
    return (
        f"Of {_many(services)}, {counts['critical']} burn critically and {counts['warning']} need watching; on "
        f"average {mean:.1f} % of the 30-day error budget is used; {counts['insufficient_history']} have too little "
        f"history and {without} no objective."
    )


def _many(services: int) -> str:
    return "1 service" if services == 1 else f"{services} services"


def _sentence(name: str, objective: Objective, window: BudgetWindow) -> str:
    which = f"{window.days}-day error budget"
    if window.severity == "insufficient_history":
        if window.total == 0:
            return f"{name} has no events in {window.days} days, so its error budget cannot be judged."
        return (
            f"{name} has too little history for a {which}: {window.buckets_pct:.1f} % of the five-minute buckets are "
            "there, 10 % are needed."
        )
    if window.used_pct is None:
        return (
            f"{name} promises {objective.objective_pct:g} %, which leaves no error budget; {window.bad:,} of "
            f"{window.total:,} events were bad in {window.days} days."
        )
    used = (
        f"{name} has used {window.used_pct:.1f} % of its {which} ({window.bad:,} of {window.budget:,.15g} bad events)"
    )
    fired = next((held for held in window.burns if held.rule.name == window.rule), None)
    if fired:
        used += (
            f" and is at {window.severity} level: over {span_name(fired.rule.long_minutes)} it burns "
            f"{fired.long_burn:g} times the allowed rate (limit {fired.rule.burn:g})"
        )
    elif window.severity != "ok":
        used += f" and is at {window.severity} level"
    if window.exhaustion_days == 0:
        return f"{used}: the budget is gone."
    if window.exhaustion_days is None:
        return f"{used}; at the recent rate the budget does not run out."
    return f"{used}; at the recent rate it is gone in {window.exhaustion_days:g} days."
