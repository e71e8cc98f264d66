"""Contributing factors of an incident: the established cause, the analysis, changes before it, and its likes."""

from collections.abc import Iterator, Sequence

import msgspec

from engine.incidents.review.markdown import FILL_IN, deploys_table, table
from engine.incidents.review.records import IncidentRecord
from engine.model.records import RcaRunRow
from engine.render.text.prose import inline, paragraph

BEST = 3


class StoredGround(msgspec.Struct, frozen=True):
    """What speaks for or against a candidate, with its rows and what it multiplies the confidence by."""

    sentence: str
    evidence_ids: list[str]
    factor: float


class StoredCandidate(msgspec.Struct, frozen=True):
    """Of a candidate in a stored run, what a reader of the review wants to know."""

    rank: int
    hypothesis: str
    confidence: float
    band: str
    evidence_ids: list[str]
    grounds_for: list[StoredGround] = []
    grounds_against: list[StoredGround] = []


class StoredAnalysis(msgspec.Struct, frozen=True):
    """The verdict of a stored run, and its candidates, the best first."""

    band: str
    conclusive: bool
    reason: str
    candidates: list[StoredCandidate]


def factors(record: IncidentRecord) -> Iterator[str]:
    """The blocks of the section, the prompt last."""
    cause = record.incident["root_cause"]
    yield f"**Established cause:** {inline(cause)}" if cause else "**Established cause:** blank: none is recorded"
    yield from _analysis(record.rca_runs)
    yield "**Changes in the 24 hours before, of the service and of those that it needs:**"
    yield deploys_table(record)
    if record.earlier:
        rows = [(row["opened_at"], row["id"], row["title"], row["root_cause"]) for row in record.earlier]
        yield "**Earlier incidents with the same key, within a year:**"
        yield table(("Detected at", "Id", "Title", "Established cause"), rows, nothing="")
    if record.findings:
        known = [(row["id"], row["title"], row["severity"], row["status"]) for row in record.findings]
        yield "**Findings of this incident:**"
        yield table(("Id", "Finding", "Severity", "Status"), known, nothing="")
    yield f"{FILL_IN} what made it possible, what made it worse, what hid it?"


def _analysis(runs: list[RcaRunRow]) -> Iterator[str]:
    if not runs:
        yield "No root-cause analysis was run."
        return
    run = runs[-1]
    kept = msgspec.convert(run["candidates"], StoredAnalysis)
    yield (
        f"**Root-cause analysis** {inline(run['id'])} ({inline(run['model_version'])}): "
        f"{inline(run['hypothesis'])} Confidence {run['confidence']:.3f} ({kept.band}). A hypothesis, not a finding."
    )
    if not kept.conclusive:
        yield paragraph(kept.reason)
    best = [
        (one.rank, one.hypothesis, f"{one.confidence:.3f} ({one.band})", "; ".join(one.evidence_ids[:5]))
        for one in kept.candidates[:BEST]
    ]
    yield table(("Rank", "Candidate", "Confidence", "Evidence"), best, nothing="It found no candidate.")
    if grounds := [*_grounds(kept.candidates[:BEST])]:
        yield "**What speaks for and against the candidates, with the rows:**"
        yield table(("Candidate", "Speaks", "What", "Rows", "Times"), grounds, nothing="")


def best_grounds(run: RcaRunRow) -> Iterator[tuple[str, str]]:
    """What speaks ``for`` and ``against`` the best candidate of a run, each sentence with its rows; nothing without."""
    kept = msgspec.convert(run["candidates"], StoredAnalysis)
    for best in kept.candidates[:1]:
        for speaks, grounds in (("for", best.grounds_for), ("against", best.grounds_against)):
            if grounds:
                yield speaks, " ".join(f"{one.sentence} ({'; '.join(one.evidence_ids[:5])})" for one in grounds)


def _grounds(candidates: Sequence[StoredCandidate]) -> Iterator[tuple[int, str, str, str, str]]:
    for one in candidates:
        for speaks, grounds in (("against", one.grounds_against), ("for", one.grounds_for)):
            for each in grounds:
                yield one.rank, speaks, each.sentence, "; ".join(each.evidence_ids[:5]), f"{each.factor:.3f}"
