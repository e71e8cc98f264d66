"""Figures of the pipeline, computed from the leads and pilots as they are now.

Durations are those of stays that ended; what is still open is counted beside them. A probability is that of our own
history once enough leads that were in the stage are decided, and a stated default before.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from statistics import median
from typing import TypeAlias, TypedDict

from engine.model.figures.formulas import nearest_rank
from engine.model.vocabulary import PRIORITIES, LeadStage
from engine.sales.parts import part_of
from engine.sales.stages import ENDED_LEADS, EXIT_CRITERIA, OPEN_LEADS, OPEN_PILOTS, PILOT_STEPS, PROBABILITY_PCT
from engine.sales.stays import PipelineLead, StageMove, Stays, stage_spans

ENOUGH = 30  # decided leads that make our own history count
STALE = timedelta(days=14)
MOST_LISTED = 50
DAY = 86_400.0
Figures: TypeAlias = dict[str, object]  # a part of the dashboard, as it is shown


@dataclass(frozen=True)
class Pipeline:
    """What the figures are computed from: leads that are no spam, their moves, when each was last touched."""

    leads: Sequence[Mapping[str, object]]
    moves: Sequence[Mapping[str, object]]
    touched: Mapping[str, datetime]
    pilots: Mapping[str, int]
    now: datetime
    today: date
    period_days: int


def figures(pipeline: Pipeline) -> Figures:
    """Everything that the dashboard shows."""
    leads = [part_of(row, PipelineLead) for row in pipeline.leads]
    stays = stage_spans(leads, [part_of(row, StageMove) for row in pipeline.moves])
    received = [lead for lead in leads if _in_period(pipeline, lead.created_at)]
    return {
        "as_of": pipeline.now,
        "period_days": pipeline.period_days,
        "leads": {
            "total": len(leads),
            "open": sum(lead.stage in OPEN_LEADS for lead in leads),
            "received_in_period": len(received),
            "by_stage": _counts(EXIT_CRITERIA, (lead.stage for lead in leads)),
            "by_priority": _counts(reversed(PRIORITIES), (lead.priority for lead in leads)),
            "unassigned": sum(lead.owner is None and lead.stage in OPEN_LEADS for lead in leads),
        },
        "funnel": _funnel(stays, {lead.id for lead in received}),
        "conversion": _conversion(leads),
        "stages": _durations(stays, pipeline.now),
        "response_times": _responses(received, pipeline.now),
        "follow_ups": _follow_ups(pipeline, leads),
        "pipeline": _weighted_values(leads, stays),
        "stale": _stale(pipeline, leads),
        "pilots": _pilots(pipeline.pilots),
    }


def _funnel(stays: Stays, cohort: set[str]) -> list[Figures]:
    """Of the leads that came in the period: how many ever reached each stage, and the share of the one before."""
    rows: list[Figures] = []
    before: int | None = None
    for stage in (*OPEN_LEADS, "won"):
        reached = len({stay.lead_id for stay in stays[stage]} & cohort)
        rows.append({"stage": stage, "reached": reached, "of_previous_pct": _pct(reached, before)})
        before = reached
    return rows


def _conversion(leads: list[PipelineLead]) -> Figures:
    won = sum(lead.stage == "won" for lead in leads)
    lost = sum(lead.stage == "lost" for lead in leads)
    return {
        "won": won,
        "lost": lost,
        "decided": won + lost,
        "won_of_decided_pct": _pct(won, won + lost),
        "won_of_all_pct": _pct(won, len(leads)),
    }


def _durations(stays: Stays, now: datetime) -> list[Figures]:
    rows: list[Figures] = []
    for stage in EXIT_CRITERIA:
        ended = [_days(stay.until - stay.since) for stay in stays[stage] if stay.until is not None]
        lasting = [_days(now - stay.since) for stay in stays[stage] if stay.until is None]
        final = stage in ENDED_LEADS
        rows.append(
            {
                "stage": stage,
                "median_days": _round(median(ended)) if ended else None,
                "stays_ended": len(ended),
                "in_stage_now": len(lasting),
                "median_days_so_far": _round(median(lasting)) if lasting and not final else None,
                "exit_criterion": EXIT_CRITERIA[stage][0],
            }
        )
    return rows


def _responses(received: list[PipelineLead], now: datetime) -> Figures:
    """Hours from enquiry to first answer, of those that came in the period."""
    hours = [
        (lead.first_response_at - lead.created_at).total_seconds() / 3600
        for lead in received
        if lead.first_response_at is not None
    ]
    waiting = [lead for lead in received if lead.first_response_at is None and lead.stage in OPEN_LEADS]
    oldest = max((now - lead.created_at for lead in waiting), default=None)
    return {
        "answered": len(hours),
        "p50_hours": _round(nearest_rank(hours, 50)),
        "p90_hours": _round(nearest_rank(hours, 90)),
        "waiting": len(waiting),
        "longest_wait_hours": None if oldest is None else _round(oldest.total_seconds() / 3600),
    }


def _follow_ups(pipeline: Pipeline, leads: list[PipelineLead]) -> Figures:
    owed = [
        ((lead.follow_up_on - pipeline.today).days, lead)
        for lead in leads
        if lead.follow_up_on is not None and lead.stage not in ENDED_LEADS
    ]
    overdue = sorted(((days, lead) for days, lead in owed if days < 0), key=lambda pair: (pair[0], pair[1].id))
    return {
        "overdue": len(overdue),
        "due_today": sum(days == 0 for days, _ in owed),
        "due_within_7_days": sum(0 < days <= 7 for days, _ in owed),
        "listed": [
            {**_lead_names(lead), "follow_up_on": lead.follow_up_on, "days_overdue": -days}
            for days, lead in overdue[:MOST_LISTED]
        ],
    }


class WeightedStage(TypedDict):
    """What the leads in a stage are worth, and what that is worth by the probability of the stage."""

    stage: LeadStage
    leads: int
    without_value: int
    value: float
    probability_pct: float
    probability_from: str
    decided_leads: int
    weighted_value: float


def _weighted_values(leads: list[PipelineLead], stays: Stays) -> Figures:
    """Yearly value times the probability of the stage; leads without a value are counted, never guessed."""
    outcome = {lead.id: lead.stage for lead in leads if lead.stage in ENDED_LEADS}
    rows: list[WeightedStage] = []
    for stage in OPEN_LEADS:
        decided = [outcome[lead_id] for lead_id in {stay.lead_id for stay in stays[stage]} & set(outcome)]
        own = len(decided) >= ENOUGH
        probability = 100 * decided.count("won") / len(decided) if own else PROBABILITY_PCT[stage]
        here = [lead for lead in leads if lead.stage == stage]
        value = sum(lead.value or 0.0 for lead in here)
        rows.append(
            {
                "stage": stage,
                "leads": len(here),
                "without_value": sum(lead.value is None for lead in here),
                "value": round(value, 2),
                "probability_pct": round(probability, 1),
                "probability_from": "own_history" if own else "default",
                "decided_leads": len(decided),
                "weighted_value": round(value * probability / 100, 2),
            }
        )
    return {
        "value": round(sum(row["value"] for row in rows), 2),
        "weighted_value": round(sum(row["weighted_value"] for row in rows), 2),
        "without_value": sum(row["without_value"] for row in rows),
        "by_stage": rows,
    }


def _stale(pipeline: Pipeline, leads: list[PipelineLead]) -> Figures:
    """Open leads on which nothing happened for more than a fortnight."""
    idle = [
        (pipeline.now - pipeline.touched.get(lead.id, lead.created_at), lead)
        for lead in leads
        if lead.stage in OPEN_LEADS
    ]
    stale = sorted(((span, lead) for span, lead in idle if span > STALE), key=lambda pair: (-pair[0], pair[1].id))
    return {
        "after_days": STALE.days,
        "count": len(stale),
        "listed": [{**_lead_names(lead), "idle_days": span.days} for span, lead in stale[:MOST_LISTED]],
    }


def _pilots(counts: Mapping[str, int]) -> Figures:
    ended = sum(counts.get(stage, 0) for stage in ("converted", "closed"))
    return {
        "total": sum(counts.values()),
        "open": sum(counts.get(stage, 0) for stage in OPEN_PILOTS),
        "by_stage": {stage: counts.get(stage, 0) for stage in PILOT_STEPS},
        "converted_of_ended_pct": _pct(counts.get("converted", 0), ended),
    }


def _in_period(pipeline: Pipeline, moment: datetime) -> bool:
    return moment > pipeline.now - timedelta(days=pipeline.period_days)


def _counts(names: Iterable[str], values: Iterable[str]) -> dict[str, int]:
    counts = Counter(values)
    return {name: counts[name] for name in names}


def _lead_names(lead: PipelineLead) -> Figures:
    return {"id": lead.id, "reference_id": lead.reference_id, "stage": lead.stage, "owner": lead.owner}


def _days(span: timedelta) -> float:
    return span.total_seconds() / DAY


def _pct(part: int, whole: int | None) -> float | None:
    return round(100 * part / whole, 1) if whole else None


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, 1)
