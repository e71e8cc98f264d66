"""What speaks for and against a signal as the cause of an incident."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from engine.incidents.durations import similarity, tokens

HALF_LIFE_MINUTES = 30.0
WEIGHTS: Mapping[str, float] = {
    "temporal": 0.35,
    "topological": 0.25,
    "signal_match": 0.20,
    "historical_prior": 0.15,
    "severity": 0.05,
}
CONTRADICTION = 0.1
SEVERITY: Mapping[str, float] = {"critical": 1.0, "high": 0.75, "medium": 0.5, "low": 0.25, "info": 0.0}
SIMILAR = 0.3
# Words of established causes, by the kind of signal that would have announced them; the first kind that fits counts.
CAUSE_WORDS: Mapping[str, frozenset[str]] = {
    "vendor_outage": frozenset({"vendor", "provider", "supplier", "carrier"}),
    "policy_block": frozenset({"policy", "guardrail", "blocked"}),
    "deploy": frozenset(
        {"deploy", "deployed", "deployment", "release", "released", "rollout", "change", "config", "configuration"}
        | {"migration", "regression"}
    ),
    "capacity": frozenset(
        {"capacity", "saturation", "saturated", "exhausted", "exhaustion", "memory", "disk", "load", "connections"}
        | {"traffic", "quota", "full"}
    ),
    "upstream": frozenset({"upstream", "dependency", "downstream", "database", "timeout", "timeouts"}),
}
ENVIRONMENTS: Mapping[str, str] = {"prod": "production", "live": "production", "stage": "staging", "dev": "development"}
GOES_ON = timedelta(minutes=30)


@dataclass(frozen=True)
class Signal:
    """Something that happened before or around an incident and may have caused it.

    ``kind`` is one of ``rca_words.KINDS``, ``id`` the evidence id. ``ended_at`` is when it was rolled back,
    resolved or over; ``subject`` tells causes without a service apart (a vendor, a playbook, a known problem).
    """

    kind: str
    id: str
    at: datetime
    text: str
    service_id: str | None = None
    subject: str | None = None
    severity: str = "medium"
    ended_at: datetime | None = None
    environment: str | None = None
    host: str | None = None
    failed: bool = False


@dataclass(frozen=True)
class Incident:
    """The incident to explain. ``onset_at`` is when the trouble began, else when it was detected."""

    id: str
    title: str
    onset_at: datetime
    service_id: str | None = None
    summary: str | None = None
    environment: str = "production"
    host: str | None = None
    ended_at: datetime | None = None
    dedupe_key: str | None = None


@dataclass(frozen=True)
class PastIncident:
    """An earlier incident; ``root_cause`` is the established cause in words, None while there is none."""

    id: str
    title: str
    ended_at: datetime
    root_cause: str | None = None
    service_id: str | None = None
    summary: str | None = None
    dedupe_key: str | None = None


@dataclass(frozen=True)
class Features:
    """Each 0 to 1."""

    temporal: float
    topological: float
    signal_match: float
    historical_prior: float
    severity: float


def confidence(features: Features, contradictions: int) -> float:
    """Weighted sum of the features less 0.1 for each contradiction, 0 to 1 with three decimals."""
    weighted: float = sum(weight * float(getattr(features, name)) for name, weight in WEIGHTS.items()) / sum(
        WEIGHTS.values()
    )
    return round(min(max(weighted - CONTRADICTION * contradictions, 0.0), 1.0), 3)


def temporal(at: datetime, onset_at: datetime) -> float:
    """1 at onset, halved for every 30 minutes before it, 0 after it."""
    minutes = (onset_at - at).total_seconds() / 60
    return 0.0 if minutes < 0 else round(0.5 ** (minutes / HALF_LIFE_MINUTES), 3)


def features(signal: Signal, incident: Incident, hops: Mapping[str, int], similar: Sequence[PastIncident]) -> Features:
    """``hops`` counts dependencies from the incident's service, itself 0; ``similar`` are alike past incidents."""
    away = hops.get(signal.service_id) if signal.service_id is not None else None
    return Features(
        temporal(signal.at, incident.onset_at),
        0.0 if away is None else round(1 / (1 + away), 3),
        _signal_match(signal, incident),
        prior(signal, similar),
        SEVERITY[signal.severity],
    )


def prior(signal: Signal, similar: Sequence[PastIncident]) -> float:
    """Share of similar incidents with an established cause that had this kind, or this very, cause."""
    causes = [past.root_cause for past in similar if past.root_cause]
    if signal.kind == "recurrence":
        matching = sum(cause == signal.subject for cause in causes)
    else:
        matching = sum(cause_kind(cause) == signal.kind for cause in causes)
    return round(matching / len(causes), 3) if causes else 0.0


def cause_kind(root_cause: str) -> str | None:
    """The kind of signal that fits an established cause, by its words; None when none does."""
    words = tokens(root_cause)
    return next((kind for kind, known in CAUSE_WORDS.items() if words & known), None)


def likeness(past: PastIncident, incident: Incident) -> float:
    """1 for the same alert, else how alike the words are; from ``SIMILAR`` on the two count as similar."""
    if past.dedupe_key is not None and past.dedupe_key == incident.dedupe_key:
        return 1.0
    return similarity(tokens(past.title, past.summary), tokens(incident.title, incident.summary))


def contradictions(signal: Signal, incident: Incident, now: datetime) -> tuple[str, ...]:
    """Facts that speak against the signal, in sentences."""
    said = []
    if signal.at > incident.onset_at:
        said.append(f"It began {span(signal.at - incident.onset_at)} after the incident did.")
    if signal.kind != "recurrence" and signal.ended_at is not None:
        if signal.ended_at < incident.onset_at:
            said.append(f"It was over {span(incident.onset_at - signal.ended_at)} before the incident began.")
        elif (still := (incident.ended_at or now) - signal.ended_at) > GOES_ON:
            said.append(f"The incident went on for {span(still)} after it was over.")
    if signal.environment is not None and _environment(signal.environment) != _environment(incident.environment):
        said.append(f"It concerns {signal.environment}, the incident {incident.environment}.")
    if signal.failed:
        said.append("It failed, so it may never have been live.")
    return tuple(said)


def _environment(name: str) -> str:
    return ENVIRONMENTS.get(name.strip().casefold(), name.strip().casefold())


def _signal_match(signal: Signal, incident: Incident) -> float:
    """Half for the same service or host, half for the likeness of the words."""
    same_service = signal.service_id is not None and signal.service_id == incident.service_id
    same_host = signal.host is not None and signal.host == incident.host
    alike = similarity(tokens(signal.text), tokens(incident.title, incident.summary))
    return round(0.5 * (same_service or same_host) + 0.5 * alike, 3)


def span(length: timedelta) -> str:
    """A length of time for people: 12 min, 3.5 h, 10.2 days."""
    minutes = round(length.total_seconds() / 60)
    if minutes < 1:
        return "less than a minute"
    if minutes < 120:
        return f"{minutes} min"
    return f"{minutes / 60:.1f} h" if minutes < 2880 else f"{minutes / 1440:.1f} days"
