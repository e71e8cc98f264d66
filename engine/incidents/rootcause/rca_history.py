"""What people found to be the cause of the same problem before."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from engine.incidents.review.durations import span
from engine.incidents.rootcause.rca_chain import Chain, Step, decay
from engine.incidents.rootcause.rca_estate import Suspect, Trouble
from engine.incidents.rootcause.rca_reading import cause_kind, plain
from engine.incidents.rootcause.rca_weights import HALF_LIVES, worth

PRESENT = 0.25  # from this score on a chain of today stands for the kind of an earlier cause
RECORDED = ("deploy", "vendor_outage")  # kinds that leave records where they happen
EACH = 0.08  # what each further incident with the same cause adds
MOST = 0.7


@dataclass(frozen=True)
class PastIncident:
    """An earlier incident of the same key, or with the same symptom on the same service.

    ``root_cause`` is the cause that people established, in words; None while there is none.
    """

    id: str
    title: str
    ended_at: datetime
    root_cause: str | None = None
    same_key: bool = False
    began_at: datetime | None = None


def with_history(chain: Chain, past: Sequence[PastIncident]) -> Chain:
    """A chain, with a step more where its kind of cause was the established one before."""
    kind = "deploy" if chain.suspect.kind == "change" else chain.suspect.kind
    alike = [one.id for one in past if one.root_cause and cause_kind(one.root_cause) == kind]
    if not alike:
        return chain
    text = f"Its like was the established cause of {', '.join(alike[:3])}."
    rows = tuple(f"incidents:{one}" for one in alike[:3])
    return chain.with_step(Step("history", worth("known_cause"), text, rows=rows))


def recurrences(past: Sequence[PastIncident], chains: Sequence[Chain], trouble: Trouble) -> Iterator[Chain]:
    """A chain for each cause that was established before and that no chain of today stands for."""
    known = [one for one in past if one.root_cause]
    today = {one.suspect.kind for one in chains if one.score >= PRESENT}
    causes: dict[str, list[PastIncident]] = {}
    for one in known:
        causes.setdefault(plain(one.root_cause), []).append(one)
    for group in causes.values():
        kind = cause_kind(group[0].root_cause or "")
        if kind not in today:
            yield _recurrence(group, len(known), kind, trouble)


def _recurrence(group: Sequence[PastIncident], known: int, kind: str | None, trouble: Trouble) -> Chain:
    newest = max(group, key=lambda one: (one.ended_at, one.id))
    begins = "recurrence" if any(one.same_key for one in group) else "recurrence_alike"
    text = f"{newest.id}, {(newest.root_cause or '').rstrip('.')}"
    suspect = Suspect("recurrence", f"incidents:{newest.id}", newest.ended_at, text, trouble.place, begins)
    ago = trouble.at - newest.ended_at
    steps = [
        Step("origin", round(min(worth(begins) + EACH * (len(group) - 1), MOST), 3)),
        Step("temporal", decay(ago, HALF_LIVES["recurrence"]), f"It ended {span(ago)} before the onset."),
        Step("history", round(len(group) / known, 3), f"{len(group)} of {known} like it had this established cause."),
    ]
    if kind in RECORDED:
        sentence = "That would have left a record, and there is none this time."
        steps.append(Step("alternative", worth("cause_missing"), sentence, True))
    return Chain(suspect, (trouble.place,), tuple(steps), ())
