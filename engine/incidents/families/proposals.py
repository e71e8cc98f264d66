"""Proposals of a parent: by root cause at each run, and by the job after a storm of incidents.

A proposal is no relation: figures count the incident by itself until a person confirms it with ``hq incident relate``.
What a person took apart is not proposed again.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from engine.model.records import IncidentRow
from engine.store import Note, Reader, Revision, Store
from engine.store.ids import new_id
from engine.store.queries.operations.incidents import opened_since, refused_parents
from engine.store.rows import first
from engine.store.schema.services import incident_timeline, incidents

ACTOR = "families"
STORM_SIZE = 20  # incidents within STORM_SPAN that make a storm
STORM_SPAN = timedelta(minutes=10)
LOOK_BACK = timedelta(hours=24)


class FamilyProposal(NamedTuple):
    """That an incident may be of the family of another, and why."""

    incident_id: str
    parent_id: str
    reason: str


def storms(opened: Sequence[IncidentRow]) -> Iterator[list[IncidentRow]]:
    """Runs of incidents of which any ``STORM_SIZE`` in a row began within ``STORM_SPAN``, each in order of time."""
    ordered = sorted(opened, key=lambda row: (row["opened_at"], row["id"]))
    inside: set[int] = set()
    for end in range(STORM_SIZE - 1, len(ordered)):
        begin = end - STORM_SIZE + 1
        if ordered[end]["opened_at"] - ordered[begin]["opened_at"] <= STORM_SPAN:
            inside.update(range(begin, end + 1))
    storm: list[IncidentRow] = []
    for number, row in enumerate(ordered):
        if number in inside:
            storm.append(row)
        elif storm:
            yield storm
            storm = []
    if storm:
        yield storm


def storm_proposals(opened: Sequence[IncidentRow]) -> list[FamilyProposal]:
    """Of each storm the first incident is proposed as the parent of the others."""
    proposals = []
    for storm in storms(opened):
        first = storm[0]
        minutes = max(1, round((storm[-1]["opened_at"] - first["opened_at"]).total_seconds() / 60))
        reason = f"storm: {len(storm)} incidents in {minutes} min, of which {first['id']} began first"
        proposals += [FamilyProposal(row["id"], first["id"], reason) for row in storm[1:]]
    return proposals


def propose(revision: Revision, proposals: Sequence[FamilyProposal]) -> int:
    """Write those proposals that say something new; returns how many. No event where there is none."""
    wanted = {one.incident_id: one for one in proposals if one.incident_id != one.parent_id}
    refused = refused_parents(revision.records, revision.org_id, list(wanted))
    changed = 0
    for one in wanted.values():
        if (one.incident_id, one.parent_id) in refused or _is_below(revision, one.parent_id, one.incident_id):
            continue
        values = {"parent_id": one.parent_id, "parent_state": "proposed", "parent_reason": one.reason}
        free = incidents.c.id == one.incident_id, incidents.c.parent_id.is_(None)
        if not revision.update_where(incidents, values, *free):
            continue
        changed += 1
        line = {
            "id": new_id("tl"),
            "incident_id": one.incident_id,
            "happened_at": revision.now,
            "heard_at": revision.now,
            "kind": "rca",
            "actor": revision.actor,
            "body": f"Proposed for the family of {one.parent_id}: {one.reason}",
        }
        revision.insert(incident_timeline, [line])
        details = {"parent": one.parent_id, "reason": one.reason}
        revision.record_all([Note("incident.family.proposed", "incident", one.incident_id, details=details)])
    return changed


def _is_below(revision: Revision, identifier: str, ancestor: str) -> bool:
    """Whether an incident is of the family of another already, confirmed or proposed: the reverse would be a cycle."""
    seen: set[str] = set()
    at: str | None = identifier
    while at is not None and at not in seen:
        if at == ancestor:
            return True
        seen.add(at)
        row = first(revision.records, incidents, revision.org_id, id=at)
        at = row["parent_id"] if row is not None else None
    return False


def propose_families(store: Store, org_id: str, *, now: datetime) -> int:
    """Propose families among the incidents of the last day, in one revision; returns how many proposals are new."""
    with store.reader() as connection:
        if not _new_proposals(connection, org_id, now):
            return 0
    return store.write(
        org_id, ACTOR, lambda revision: propose(revision, _new_proposals(revision.connection, org_id, now)), now=now
    )


def _new_proposals(connection: Reader, org_id: str, now: datetime) -> list[FamilyProposal]:
    opened = opened_since(connection, org_id, now - LOOK_BACK)
    free = {row["id"] for row in opened if row["parent_id"] is None}
    proposals = [one for one in storm_proposals(opened) if one.incident_id in free]
    refused = refused_parents(connection, org_id, [one.incident_id for one in proposals])
    return [one for one in proposals if (one.incident_id, one.parent_id) not in refused]
