"""The words of the root-cause analysis: hypotheses, explanations, next checks."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from engine.incidents.rca_features import (
    Features,
    Incident,
    Signal,
    span,
)

# kind: (the hypothesis in words, the next check, what to look at when there was no such signal)
KINDS: Mapping[str, tuple[str, str, str]] = MappingProxyType(
    {
        "deploy": (
            "A change went live: {text}",
            "Compare errors before and after {text}, and rehearse its rollback with a dry-run.",
            "No deploy events in the 24 hours before; check that deploys are reported.",
        ),
        "upstream": (
            "A service that it needs was in trouble: {text}",
            "Check whether the failing calls are those to {subject}.",
            "No incident on a service that it needs; check that its dependencies are recorded.",
        ),
        "capacity": (
            "A resource ran out: {text}",
            "Compare load and limits of {subject} at the onset with the same hour a week earlier.",
            "No capacity or saturation signal; look at processor, memory, connections and queues by hand.",
        ),
        "policy_block": (
            "A policy kept an automation from running: {text}",
            "Find out what {subject} would have done, and whether it was due when the trouble began.",
            "No automation was blocked.",
        ),
        "vendor_outage": (
            "A vendor was down: {text}",
            "Compare the times of {subject}'s status page with the onset.",
            "No vendor outage is recorded; look at the status pages of the vendors in use.",
        ),
        "recurrence": (
            "A known problem came back: {text}",
            "Read the review of {id} and check whether its actions were done.",
            "No similar incident with an established cause.",
        ),
    }
)


class ScoredSignal(NamedTuple):
    """A hypothesis before it is put into words: its confidence, its strongest signal and all its evidence."""

    confidence: float
    signal: Signal
    features: Features
    contradictions: tuple[str, ...]
    evidence_ids: tuple[str, ...]


def hypothesis(signal: Signal) -> str:
    """What is supposed to have happened, in a sentence."""
    return KINDS[signal.kind][0].format(text=signal.text) + "."


def explanation(scored: ScoredSignal, incident: Incident, band: str) -> str:
    """Why the hypothesis has its confidence: what speaks for it, then what speaks against it."""
    signal, found = scored.signal, scored.features
    if signal.at > incident.onset_at:
        time = f"began {span(signal.at - incident.onset_at)} after the onset"
    else:
        time = f"began {span(incident.onset_at - signal.at)} before the onset"
    said = (
        f"Confidence {scored.confidence:.3f} ({band}): it {time} ({found.temporal:.3f}), {_place(found)} "
        f"({found.topological:.3f}), place and words match by {found.signal_match:.3f}, "
        f"{100 * found.historical_prior:.0f} % of similar incidents had this cause, "
        f"severity {signal.severity} ({found.severity:.2f})."
    )
    return " ".join((said, *scored.contradictions))


def next_checks(scored: Sequence[ScoredSignal], conclusive: bool) -> tuple[str, ...]:
    """What to look at: the best two hypotheses; without a conclusion the best three, and what nothing was heard of."""
    checks = [_check(one.signal) for one in scored[: 2 if conclusive else 3]]
    if not conclusive:
        heard = {one.signal.kind for one in scored}
        checks.extend(hint for kind, (_, _, hint) in KINDS.items() if kind not in heard)
    return tuple(dict.fromkeys(checks))


def _check(signal: Signal) -> str:
    return KINDS[signal.kind][1].format(
        text=signal.text, subject=signal.subject or signal.service_id or signal.text, id=signal.id
    )


def _place(found: Features) -> str:
    if not found.topological:
        return "on no recorded dependency"
    away = round(1 / found.topological) - 1
    if not away:
        return "on the service itself"
    return "1 dependency away" if away == 1 else f"{away} dependencies away"
