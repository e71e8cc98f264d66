"""Root-cause analysis: hypotheses from what happened around an incident, scored, explained, allowed to fail."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from engine.incidents.rca_features import (
    CONTRADICTION,
    SIMILAR,
    WEIGHTS,
    Features,
    Incident,
    PastIncident,
    Signal,
    confidence,
    contradictions,
    features,
    likeness,
)
from engine.incidents.rca_words import (
    ScoredSignal,
    explanation,
    hypothesis,
    next_checks,
)
from engine.model.formulas import largest_remainder
from engine.model.thresholds import Thresholds

MODEL_VERSION = "rca-1"
INCONCLUSIVE = "inconclusive"
BANDS = (("high", 0.7), ("medium", 0.4), ("low", 0.0))
LOOKBACK, LOOKAHEAD = timedelta(hours=24), timedelta(minutes=30)


@dataclass(frozen=True)
class Contribution:
    """A feature's part of the confidence: weight × value."""

    feature: str
    weight: float
    value: float
    contribution: float


@dataclass(frozen=True)
class Candidate:
    """A hypothesis with all its evidence; features and contradictions are those of the strongest signal."""

    rank: int
    kind: str
    hypothesis: str
    confidence: float
    band: str
    features: Features
    contributions: tuple[Contribution, ...]
    contradictions: tuple[str, ...]
    evidence_ids: tuple[str, ...]
    explanation: str


@dataclass(frozen=True)
class Analysis:
    """A run, ready to be kept: ``hypothesis`` is the best candidate's or ``inconclusive``, ``reason`` says why."""

    incident_id: str
    model_version: str
    onset_at: datetime
    hypothesis: str
    confidence: float
    band: str
    conclusive: bool
    reason: str
    candidates: tuple[Candidate, ...]
    next_checks: tuple[str, ...]
    similar_incident_ids: tuple[str, ...]


def analyse(
    incident: Incident,
    signals: Iterable[Signal],
    past: Iterable[PastIncident],
    hops: Mapping[str, int],
    now: datetime,
    settings: Thresholds | None = None,
) -> Analysis:
    """Candidates of an incident, best first.

    Signals count from 24 hours before onset to 30 minutes after it. ``hops`` is ``Graph.hops_from`` the incident's
    service; ``past`` holds incidents that ended before onset, of which similar ones become recurrences.
    """
    limits = settings or Thresholds()
    similar = _similar(incident, past)
    around = [signal for signal in signals if _counts(signal, incident)]
    around.extend(_recurrence(one) for one in similar if one.root_cause)
    groups: defaultdict[tuple[str, str], list[Signal]] = defaultdict(list)
    for signal in sorted(around, key=lambda one: (one.kind, one.id)):
        groups[signal.kind, _cause(signal)].append(signal)
    scored = sorted(
        (_strongest(group, incident, hops, similar, now) for group in groups.values()),
        key=lambda one: (-one.confidence, one.signal.kind, one.signal.id),
    )
    candidates = tuple(_candidate(rank, one, incident) for rank, one in enumerate(scored, 1))
    conclusive, reason = _verdict(candidates, limits)
    best = candidates[0].confidence if candidates else 0.0
    return Analysis(
        incident.id,
        MODEL_VERSION,
        incident.onset_at,
        candidates[0].hypothesis if conclusive else INCONCLUSIVE,
        best,
        band(best),
        conclusive,
        reason,
        candidates,
        next_checks(scored, conclusive),
        tuple(one.id for one in similar),
    )


def band(value: float) -> str:
    """high from 0.7, medium from 0.4, else low."""
    return next(name for name, least in BANDS if value >= least)


def _counts(signal: Signal, incident: Incident) -> bool:
    if incident.onset_at - LOOKBACK <= signal.at <= incident.onset_at + LOOKAHEAD:
        return True
    lasting = signal.kind in ("upstream", "capacity", "vendor_outage") and signal.at < incident.onset_at
    return lasting and (signal.ended_at is None or signal.ended_at >= incident.onset_at)


def _similar(incident: Incident, past: Iterable[PastIncident]) -> tuple[PastIncident, ...]:
    alike = [
        (-round(likeness(one, incident), 6), one.id, one)
        for one in past
        if one.id != incident.id and one.ended_at <= incident.onset_at
    ]
    return tuple(one for negative, _, one in sorted(alike, key=lambda each: each[:2]) if -negative >= SIMILAR)


def _recurrence(past: PastIncident) -> Signal:
    return Signal("recurrence", f"incidents:{past.id}", past.ended_at, past.title, past.service_id, past.root_cause)


def _cause(signal: Signal) -> str:
    """What tells one cause of a kind from another: each deploy is its own, alerts of one service are one."""
    if signal.kind == "deploy":
        return signal.id
    return signal.subject or signal.service_id or signal.id


def _strongest(
    group: Sequence[Signal],
    incident: Incident,
    hops: Mapping[str, int],
    similar: Sequence[PastIncident],
    now: datetime,
) -> ScoredSignal:
    evidence = tuple(dict.fromkeys(signal.id for signal in group))
    scored = []
    for signal in group:
        against = contradictions(signal, incident, now)
        found = features(signal, incident, hops, similar)
        scored.append(ScoredSignal(confidence(found, len(against)), signal, found, against, evidence))
    return max(scored, key=lambda one: (one.confidence, one.signal.at))


def _candidate(rank: int, scored: ScoredSignal, incident: Incident) -> Candidate:
    level = band(scored.confidence)
    return Candidate(
        rank,
        scored.signal.kind,
        hypothesis(scored.signal),
        scored.confidence,
        level,
        scored.features,
        _contributions(scored),
        scored.contradictions,
        scored.evidence_ids,
        explanation(scored, incident, level),
    )


def _contributions(scored: ScoredSignal) -> tuple[Contribution, ...]:
    values = [getattr(scored.features, name) for name in WEIGHTS]
    parts = [weight * value for weight, value in zip(WEIGHTS.values(), values, strict=True)]
    rounded = largest_remainder(parts, round(sum(parts), 3), 0.001)
    lines = [
        Contribution(name, weight, value, part)
        for (name, weight), value, part in zip(WEIGHTS.items(), values, rounded, strict=True)
    ]
    if scored.contradictions:
        count = len(scored.contradictions)
        lost = round(scored.confidence - sum(rounded), 3)
        lines.append(Contribution("contradictions", -CONTRADICTION, count, lost))
    return tuple(lines)


def _verdict(candidates: Sequence[Candidate], limits: Thresholds) -> tuple[bool, str]:
    if not candidates:
        return False, "Nothing that could explain it was recorded around the onset."
    best = candidates[0].confidence
    if best < limits["rca_confident"]:
        return False, f"The best hypothesis reaches {best:.3f}; {limits['rca_confident']:.2f} is needed."
    if len(candidates) > 1 and (gap := round(best - candidates[1].confidence, 3)) < limits["rca_gap"]:
        return False, f"The best two hypotheses are {gap:.3f} apart; {limits['rca_gap']:.2f} is needed."
    return True, candidates[0].explanation
