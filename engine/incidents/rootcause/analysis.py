"""Root-cause analysis of a stored incident: reads what happened around it, scores it, keeps the run."""

from collections.abc import Iterator
from dataclasses import asdict
from datetime import datetime
from typing import TypedDict

from engine.incidents.families.proposals import FamilyProposal, propose
from engine.incidents.rootcause.rca import Analysis, analyse
from engine.incidents.rootcause.rca_reads import Surroundings
from engine.model.errors import NotFound
from engine.model.thresholds import Thresholds
from engine.model.vocabulary import Json
from engine.render.plain_values import plain_value
from engine.store import Reader, Revision
from engine.store.ids import new_id
from engine.store.queries.accounts.settings import threshold
from engine.store.rows import first, one, pick
from engine.store.schema.services import incident_timeline, incidents, rca_runs

KEPT = 50  # candidates that a run keeps, the best


class StoredRun(TypedDict):
    """A run of the analysis as its row keeps it; ``candidates`` holds the rest of the analysis too."""

    id: str
    incident_id: str
    run_at: datetime
    actor: str
    model_version: str
    hypothesis: str
    confidence: float
    candidates: dict[str, Json]


def explain(connection: Reader, org_id: str, incident_id: str, now: datetime) -> Analysis:
    """The analysis of an incident as things stand; NotFound when the organization has none of that id."""
    row = one(connection, incidents, org_id, id=incident_id)
    surroundings = Surroundings(connection, org_id, row)
    return analyse(
        surroundings.incident,
        surroundings.suspects,
        surroundings.estate,
        surroundings.past,
        now,
        _limits(connection, org_id),
    )


def _limits(connection: Reader, org_id: str) -> Thresholds:
    names = ("rca_confident", "rca_gap")
    return Thresholds(overrides={name: threshold(connection, org_id, name) for name in names})


def keep(revision: Revision, analysis: Analysis) -> dict[str, object]:
    """Store a run with its line in the timeline and its audit event; returns it as ``shown``."""
    one(revision.connection, incidents, revision.org_id, id=analysis.incident_id)
    kept = plain_value(asdict(analysis), "analysis")
    run: StoredRun = {
        "id": new_id("rca"),
        "incident_id": analysis.incident_id,
        "run_at": revision.now,
        "actor": revision.actor,
        "model_version": analysis.model_version,
        "hypothesis": analysis.hypothesis,
        "confidence": analysis.confidence,
        "candidates": {
            "onset_at": kept["onset_at"],
            "band": analysis.band,
            "conclusive": analysis.conclusive,
            "reason": analysis.reason,
            "found": len(analysis.candidates),
            "candidates": kept["candidates"][:KEPT],
            "next_checks": kept["next_checks"],
            "similar_incident_ids": kept["similar_incident_ids"][:KEPT],
        },
    }
    revision.insert(rca_runs, [run])
    revision.insert(incident_timeline, [_line(revision, run)])
    propose(revision, _family(analysis))
    best = analysis.candidates[0] if analysis.candidates else None
    revision.record(
        "rca.completed" if analysis.conclusive else "rca.inconclusive",
        object_type="incident",
        object_id=analysis.incident_id,
        details={
            "run": run["id"],
            "model_version": analysis.model_version,
            "kind": best.kind if best else None,
            "confidence": analysis.confidence,
            "conclusive": analysis.conclusive,
        },
    )
    return as_answer(run)


def _family(analysis: Analysis) -> list[FamilyProposal]:
    """The parent that the best candidate is, where it is an incident and the analysis is conclusive."""
    best = analysis.candidates[0] if analysis.candidates else None
    if best is None or not analysis.conclusive:
        return []
    named = [key.partition(":")[2] for key in best.evidence_ids if key.startswith("incidents:")]
    reason = f"root cause, confidence {best.confidence:.3f}: {best.hypothesis}"
    return [FamilyProposal(analysis.incident_id, parent, reason) for parent in named[:1]]


def _line(revision: Revision, run: StoredRun) -> dict[str, object]:
    kept = run["candidates"]
    verdict = run["hypothesis"] if kept["conclusive"] else f"Inconclusive. {kept['reason']}"
    return {
        "id": new_id("tl"),
        "incident_id": run["incident_id"],
        "happened_at": revision.now,
        "heard_at": revision.now,
        "kind": "rca",
        "actor": revision.actor,
        "body": f"Root-cause analysis {run['id']}: {verdict} Best confidence {run['confidence']:.3f}.",
    }


def latest(connection: Reader, org_id: str, incident_id: str) -> dict[str, object]:
    """The run that was kept last; NotFound without an incident or without a run."""
    one(connection, incidents, org_id, id=incident_id)
    run = first(connection, rca_runs, org_id, order=("-run_at", "-revision"), incident_id=incident_id)
    if run is None:
        raise NotFound(f"No root-cause analysis of {incident_id[:200]} was run yet.", word="no_rca_run")
    return as_answer(run)


def as_answer(run: StoredRun) -> dict[str, object]:
    """A run as the interface shows it: the columns and the analysis side by side.

    ``rca-1`` kept no ``supports``, ``rca-2`` no grounds.
    """
    columns = [name for name in StoredRun.__annotations__ if name != "candidates"]
    kept = run["candidates"]
    lacking: dict[str, Json] = {"supports": [], "grounds_for": [], "grounds_against": []}
    candidates = [{**lacking, **each} for each in _objects(kept["candidates"])]
    return {**pick(run, columns), **kept, "candidates": candidates}


def _objects(kept: Json) -> Iterator[dict[str, Json]]:
    yield from (each for each in (kept if isinstance(kept, list) else ()) if isinstance(each, dict))
