"""The words of the root-cause analysis: hypotheses, explanations, next checks."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from engine.incidents.rootcause.rca_chain import Chain
from engine.incidents.rootcause.rca_estate import Estate, Suspect

# kind: (the hypothesis in words, the next check, what to look at when there was no such record)
KINDS: Mapping[str, tuple[str, str, str]] = MappingProxyType(
    {
        "deploy": (
            "A change went live: {text}",
            "Compare errors before and after {text}, and rehearse its rollback with a dry-run.",
            "No deploy events on the way in the 24 hours before; check that deploys are reported.",
        ),
        "change": (
            "Something was changed: {text}",
            "Compare errors before and after {text}, and find out how to undo it.",
            "No automation or change of settings on the way is recorded.",
        ),
        "upstream": (
            "A service that it needs was in trouble: {text}",
            "Check whether the failing calls are those to {place}.",
            "No incident on a service that it needs; check that its dependencies are recorded.",
        ),
        "capacity": (
            "A resource ran out: {text}",
            "Compare load and limits of {place} at the onset with the same hour a week earlier.",
            "No capacity or saturation signal; look at processor, memory, connections and queues by hand.",
        ),
        "certificate": (
            "A certificate is at its end: {text}",
            "Ask {place} for the certificate that it serves, and look at its last day.",
            "No certificate near its end is recorded; look at those of the services on the way.",
        ),
        "vendor_outage": (
            "A vendor was down: {text}",
            "Compare the times of the status page of {place} with the onset.",
            "No vendor outage is recorded; look at the status pages of the vendors in use.",
        ),
        "common_need": (
            "Something that several failing services need: {text}",
            "Look at {place} by hand: nothing is recorded of it, and several that need it fail.",
            "No need in common of several that fail is recorded; check that dependencies are recorded.",
        ),
        "policy_block": (
            "A policy kept an automation from running: {text}",
            "Find out what it would have done to {place}, and whether it was due when the trouble began.",
            "No automation for a service on the way was blocked.",
        ),
        "recurrence": (
            "A known problem came back: {text}",
            "Read the review of {id} and check whether its actions were done.",
            "No earlier incident with the same key or symptom has an established cause.",
        ),
    }
)


def hypothesis(suspect: Suspect) -> str:
    """What is supposed to have happened, in a sentence."""
    return KINDS[suspect.kind][0].format(text=suspect.text.rstrip(".")) + "."


def supports(chain: Chain) -> tuple[str, ...]:
    """What speaks for a chain, in sentences."""
    return tuple(step.said for step in chain.steps if step.said and not step.against)


def contradictions(chain: Chain) -> tuple[str, ...]:
    """What speaks against a chain, in sentences."""
    return tuple(step.said for step in chain.steps if step.said and step.against)


def explanation(chain: Chain, confidence: float, band: str) -> str:
    """Why the hypothesis has its confidence: what speaks for it, then what speaks against it."""
    said = [f"Confidence {confidence:.3f} ({band}).", *supports(chain)]
    if against := contradictions(chain):
        said.append(f"Against it: {' '.join(against)}")
    return " ".join(said)


def next_checks(chains: Sequence[Chain], conclusive: bool, estate: Estate) -> tuple[str, ...]:
    """What to look at: the best two hypotheses; without a conclusion the best three, and what nothing was heard of."""
    checks = [_check(one.suspect, estate) for one in chains[: 2 if conclusive else 3]]
    if not conclusive:
        heard = {one.suspect.kind for one in chains}
        checks.extend(hint for kind, (_, _, hint) in KINDS.items() if kind not in heard)
    return tuple(dict.fromkeys(checks))


def _check(suspect: Suspect, estate: Estate) -> str:
    _, _, identifier = suspect.id.partition(":")
    return KINDS[suspect.kind][1].format(text=suspect.text, place=estate.name(suspect.place), id=identifier)
