"""Pilot projects: made once from a lead, moved from stage to stage, three meetings each."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import TypedDict

import msgspec

from engine.model.records import LeadRow
from engine.sales.history import Changes, differences, from_to, note, plain
from engine.sales.parts import as_row, part_of
from engine.sales.stages import PILOT_STEPS, check_step
from engine.sales.texts import invalid
from engine.store import Reader, Revision
from engine.store.ids import new_id
from engine.store.queries.sales.commerce import history_of
from engine.store.rows import one
from engine.store.schema import commerce as tables

MEETINGS = ("discovery", "kickoff", "review")
DATES = tuple(f"{meeting}_at" for meeting in MEETINGS)
DURATIONS: Mapping[str, timedelta] = {
    "discovery": timedelta(minutes=30),
    "kickoff": timedelta(minutes=60),
    "review": timedelta(minutes=60),
}
ABOUT: Mapping[str, str] = {
    "discovery": "Scope, systems and success criteria",
    "kickoff": "Roles, access, and which records come from where",
    "review": "Results against the success criteria",
}


class HistoryEntry(msgspec.Struct, frozen=True):
    """What the history of a pilot says of its dates and its stage."""

    happened_at: datetime
    details: Mapping[str, object] | None


class AgreedMeeting(TypedDict):
    """A meeting of a pilot as its calendar shows it."""

    meeting: str
    at: datetime
    sequence: int
    changed_at: datetime
    cancelled: bool


def detail(connection: Reader, org_id: str, pilot_id: str) -> dict[str, object]:
    """A pilot with its lead, what may follow its stage, and its whole history; NotFound without one."""
    pilot = one(connection, tables.pilots, org_id, id=pilot_id)
    lead = one(connection, tables.leads, org_id, id=pilot["lead_id"])
    return {
        "pilot": as_row(pilot),
        "next": list(PILOT_STEPS[pilot["stage"]]),
        "lead": as_row(lead),
        "history": [as_row(row) for row in history_of(connection, org_id, "pilot", pilot_id)],
    }


def create(revision: Revision, lead: LeadRow, fields: Mapping[str, object]) -> dict[str, object]:
    """A planned pilot of a lead; who owns the lead runs it unless ``fields`` say otherwise."""
    row: dict[str, object] = {
        "id": new_id("pilot"),
        "lead_id": lead["id"],
        "name": f"Pilot for {lead['company'] or lead['name']}",
        "stage": "planned",
        "owner": lead["owner"] or revision.actor,
        "scope": None,
        **dict.fromkeys(DATES),
        "notes": None,
        **fields,
        "created_at": revision.now,
    }
    check_dates(row)
    revision.insert(tables.pilots, [row])
    plains = {name: plain(row[name]) for name in DATES if row[name] is not None}
    origin = {"lead_id": lead["id"]}
    note(revision, "pilot", str(row["id"]), "pilot.created", {**origin, **plains}, chained=origin)
    return row


def change(revision: Revision, pilot_id: str, wanted: Mapping[str, object]) -> dict[str, object]:
    """Set columns of a pilot and return it; Conflict for a step that the stages do not have."""
    pilot = one(revision.connection, tables.pilots, revision.org_id, id=pilot_id)
    changes = differences(pilot, wanted)
    if not changes:
        return as_row(pilot)
    if "stage" in changes:
        check_step("pilot", PILOT_STEPS, pilot["stage"], str(changes["stage"][1]))
    after: dict[str, object] = {**pilot, **wanted}
    check_dates(after)
    revision.update(tables.pilots, {"id": pilot_id}, {name: new for name, (_, new) in changes.items()})
    _note_changes(revision, pilot_id, changes)
    return as_row(after)


def check_dates(pilot: Mapping[str, object]) -> None:
    """Discovery comes before the kickoff, the kickoff before the review."""
    known = [(name, at) for name in DATES if isinstance(at := pilot[name], datetime)]
    for (earlier, begin), (later, end) in pairwise(known):
        if end <= begin:
            raise invalid(later, f"after {earlier} ({plain(begin)})", plain(end))


def meetings(history: Sequence[Mapping[str, object]]) -> list[AgreedMeeting]:
    """The meetings that are or were agreed: when, how often each moved, when that was last, whether it is off.

    All of it comes from the history, so that a calendar that did not change has the same bytes. A meeting is off when
    its date was taken away, or the pilot closed before it.
    """
    entries = [part_of(row, HistoryEntry) for row in history]
    closed = [entry.happened_at for entry in entries if (entry.details or {}).get("to") == "closed"]
    found: list[AgreedMeeting] = []
    for meeting in MEETINGS:
        held = _meeting_dates(entries, f"{meeting}_at")
        dates = [at for at, _ in held if at is not None]
        if not dates:
            continue
        at, cancelled, changed_at = datetime.fromisoformat(dates[-1]), held[-1][0] is None, held[-1][1]
        sequence = len(held) - 1
        if closed and not cancelled and at > closed[-1]:
            cancelled, changed_at, sequence = True, max(closed[-1], changed_at), sequence + 1
        found.append(
            {"meeting": meeting, "at": at, "sequence": sequence, "changed_at": changed_at, "cancelled": cancelled}
        )
    return found


def _meeting_dates(entries: Sequence[HistoryEntry], name: str) -> list[tuple[str | None, datetime]]:
    """Each date that a meeting had, None where it was taken away, with the time of that change."""
    held: list[tuple[str | None, datetime]] = []
    for entry in entries:
        told = (entry.details or {}).get(name)
        if told is not None:
            date = told["to"] if isinstance(told, dict) else told
            held.append((None if date is None else str(date), entry.happened_at))
    return held


def _note_changes(revision: Revision, pilot_id: str, changes: Changes) -> None:
    others = dict(changes)
    if "stage" in others:
        old, new = others.pop("stage")
        step = {"from": old, "to": new}
        note(revision, "pilot", pilot_id, "pilot.stage.changed", step, chained=step)
    if others:
        note(revision, "pilot", pilot_id, "pilot.changed", from_to(others), chained={"fields": sorted(others)})
