"""Root-cause analysis: chains from what happened to the incident, scored step by step, explained, allowed to fail."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from engine.incidents.rootcause.rca_against import Circumstances, more_chains, with_counterweights
from engine.incidents.rootcause.rca_chain import Chain, Step, chain
from engine.incidents.rootcause.rca_estate import Estate, Suspect, Trouble, Walk
from engine.incidents.rootcause.rca_history import PastIncident, recurrences, with_history
from engine.incidents.rootcause.rca_rivals import against_rivals
from engine.incidents.rootcause.rca_weights import LEAST, STEPS, SURE
from engine.incidents.rootcause.rca_words import contradictions, explanation, hypothesis, next_checks, supports
from engine.model.figures.formulas import largest_remainder
from engine.model.thresholds import Thresholds
from engine.model.vocabulary import Severity

MODEL_VERSION = "rca-3"
INCONCLUSIVE = "inconclusive"
BANDS = (("high", 0.7), ("medium", 0.4), ("low", 0.0))


@dataclass(frozen=True)
class Incident:
    """The incident to explain; ``onset_at`` is when the trouble began, else when it was detected.

    ``told`` has its title and summary as ``plain`` gives them.
    """

    id: str
    title: str
    onset_at: datetime
    service_id: str | None = None
    told: str = ""
    severity: Severity = "high"
    ended_at: datetime | None = None
    dedupe_key: str | None = None
    host: str | None = None

    @property
    def trouble(self) -> Trouble:
        """The symptom that is to be explained."""
        return Trouble(
            f"incidents:{self.id}", self.service_id or "", self.onset_at, self.told, self.severity, self.ended_at
        )


@dataclass(frozen=True)
class Contribution:
    """A step's part of the confidence: what multiplying by value ^ weight added (the first) or took away."""

    feature: str
    weight: float
    value: float
    contribution: float


@dataclass(frozen=True)
class Ground:
    """A sentence that speaks for or against a candidate, with the evidence ids of the rows that it was read from.

    ``factor`` is what it multiplies the confidence by: below 1 it lowers.
    """

    sentence: str
    evidence_ids: tuple[str, ...]
    factor: float


@dataclass(frozen=True)
class Candidate:
    """A hypothesis with its evidence, the cause first; ``features`` are the values of its steps.

    ``grounds_for`` and ``grounds_against`` say what ``supports`` and ``contradictions`` say, with rows.
    """

    rank: int
    kind: str
    hypothesis: str
    confidence: float
    band: str
    features: Mapping[str, float]
    contributions: tuple[Contribution, ...]
    supports: tuple[str, ...]
    contradictions: tuple[str, ...]
    evidence_ids: tuple[str, ...]
    explanation: str
    grounds_for: tuple[Ground, ...] = ()
    grounds_against: tuple[Ground, ...] = ()


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
    suspects: Iterable[Suspect],
    estate: Estate,
    past: Iterable[PastIncident],
    now: datetime,
    settings: Thresholds | None = None,
) -> Analysis:
    """Candidates of an incident, best first; ``past`` holds incidents like it that ended before its onset."""
    trouble, walk = incident.trouble, Walk(estate, incident.service_id)
    similar = tuple(past)
    chains = [one for suspect in suspects if (one := chain(suspect, trouble, walk, now)) is not None]
    chains = against_rivals(sorted(chains, key=_order), walk, trouble, now)
    around = Circumstances(walk, trouble, similar, now)
    chains = [with_history(one, similar) for one in with_counterweights(chains, around)]
    chains.extend(recurrences(similar, chains, trouble))
    chains.extend(more_chains(chains, around))
    groups: dict[tuple[str, str], list[Chain]] = {}
    for one in sorted(chains, key=_order):
        if one.score >= LEAST:
            groups.setdefault(_cause(one.suspect), []).append(one)
    best = [group[0] for group in groups.values()]
    candidates = tuple(_candidate(rank, group, trouble) for rank, group in enumerate(groups.values(), 1))
    conclusive, reason = _verdict(candidates, trouble, settings or Thresholds())
    confidence = candidates[0].confidence if candidates else 0.0
    return Analysis(
        incident.id,
        MODEL_VERSION,
        incident.onset_at,
        candidates[0].hypothesis if conclusive else INCONCLUSIVE,
        confidence,
        band(confidence),
        conclusive,
        reason,
        candidates,
        next_checks(best, conclusive, estate),
        tuple(one.id for one in similar),
    )


def band(value: float) -> str:
    """high from 0.7, medium from 0.4, else low."""
    return next(name for name, least in BANDS if value >= least)


def _order(one: Chain) -> tuple[float, str, str]:
    return -round(one.score, 6), one.suspect.kind, one.suspect.id


def _cause(suspect: Suspect) -> tuple[str, str]:
    """What tells one cause from another: each change is its own, alerts of one nature at one place are one."""
    if suspect.is_change or suspect.kind in ("recurrence", "common_need"):
        return suspect.kind, suspect.same_as or suspect.id
    return suspect.kind, suspect.place or suspect.id


def _candidate(rank: int, group: Sequence[Chain], trouble: Trouble) -> Candidate:
    strongest = group[0]
    confidence = round(min(strongest.score, SURE), 3)
    level = band(confidence)
    evidence = [*(one.suspect.id for one in group), *(one.id for one in strongest.seen)]
    vendor = strongest.suspect.place if (strongest.suspect.place or "").startswith("vendors:") else None
    return Candidate(
        rank,
        strongest.suspect.kind,
        hypothesis(strongest.suspect),
        confidence,
        level,
        {step.name: step.value for step in strongest.steps},
        _contributions(strongest, confidence),
        supports(strongest),
        contradictions(strongest),
        tuple(dict.fromkeys((*evidence, *([vendor] if vendor else []), *strongest.dependencies))),
        explanation(strongest, confidence, level),
        tuple(_ground(strongest, step) for step in strongest.steps if step.said and not step.against),
        tuple(_ground(strongest, step) for step in strongest.steps if step.said and step.against),
    )


def _ground(found: Chain, step: Step) -> Ground:
    return Ground(step.said, step.rows or (found.suspect.id,), round(step.factor, 3))


def _contributions(found: Chain, confidence: float) -> tuple[Contribution, ...]:
    """Each step's part, by the order of the chain; together they are the confidence."""
    parts, product = [], 0.0
    for number, step in enumerate(found.steps):
        after = step.factor if not number else product * step.factor
        parts.append(after - product)
        product = after
    rounded = largest_remainder(parts, round(product, 3), 0.001)
    lines = [
        Contribution(step.name, STEPS[step.name].exponent, step.value, part)
        for step, part in zip(found.steps, rounded, strict=True)
    ]
    if (over := round(confidence - round(product, 3), 3)) != 0:
        lines.append(Contribution("sure", 1.0, SURE, over))
    return tuple(lines)


def _verdict(candidates: Sequence[Candidate], trouble: Trouble, limits: Thresholds) -> tuple[bool, str]:
    if not candidates:
        return False, "Nothing that could explain it was recorded around the onset."
    best = candidates[0]
    if best.confidence < limits["rca_confident"]:
        return False, f"The best hypothesis reaches {best.confidence:.3f}; {limits['rca_confident']:.2f} is needed."
    # what the best chain goes over, and what the incident says of itself, is part of the same story, not another one
    told = {*best.evidence_ids, trouble.id}
    rival = next((one for one in candidates[1:] if one.evidence_ids[0] not in told), None)
    if rival is not None and (gap := round(best.confidence - rival.confidence, 3)) < limits["rca_gap"]:
        return False, f"The best two hypotheses are {gap:.3f} apart; {limits['rca_gap']:.2f} is needed."
    return True, best.explanation
