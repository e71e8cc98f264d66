"""Pilot projects: made once from a lead, moved from stage to stage, three meetings each."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

from engine.sales.history import (
    Changes,
    differences,
    from_to,
    note,
    plain,
)
from engine.sales.stages import PILOT_STEPS, check_step
from engine.sales.texts import invalid
from engine.store import Reader, Revision
from engine.store.ids import new_id
from engine.store.queries.commerce import Row, history_of
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
HIDDEN = ("org_id", "revision")


def as_row(pilot: Mapping[str, Any]) -> Row:
    """A pilot as lists show it."""
    return {name: value for name, value in pilot.items() if name not in HIDDEN}


def detail(connection: Reader, org_id: str, pilot_id: str) -> Row:
    """A pilot with its lead, what may follow its stage, and its whole history; NotFound without one."""
    pilot = one(connection, tables.pilots, org_id, id=pilot_id)
    lead = one(connection, tables.leads, org_id, id=pilot["lead_id"])
    return {
        "pilot": as_row(pilot),
        "next": list(PILOT_STEPS[pilot["stage"]]),
        "lead": as_row(lead),
        "history": [as_row(row) for row in history_of(connection, org_id, "pilot", pilot_id)],
    }


def create(revision: Revision, lead: Mapping[str, Any], fields: Mapping[str, Any]) -> Row:
    """A planned pilot of a lead; who owns the lead runs it unless ``fields`` say otherwise."""
    row: Row = {
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
    told = {name: plain(row[name]) for name in DATES if row[name] is not None}
    note(
        revision, "pilot", row["id"], "pilot.created", {"lead_id": lead["id"], **told}, chained={"lead_id": lead["id"]}
    )
    return row


def change(revision: Revision, pilot_id: str, wanted: Mapping[str, Any]) -> Row:
    """Set columns of a pilot and return it; Conflict for a step that the stages do not have."""
    pilot = one(revision.connection, tables.pilots, revision.org_id, id=pilot_id)
    changes = differences(pilot, wanted)
    if not changes:
        return as_row(pilot)
    if "stage" in changes:
        check_step("pilot", PILOT_STEPS, *changes["stage"])
    after = {**pilot, **wanted}
    check_dates(after)
    revision.update(tables.pilots, {"id": pilot_id}, {name: new for name, (_, new) in changes.items()})
    _note_changes(revision, pilot_id, changes)
    return as_row(after)


def check_dates(pilot: Mapping[str, Any]) -> None:
    """Discovery comes before the kickoff, the kickoff before the review."""
    known: list[tuple[str, datetime]] = [(name, pilot[name]) for name in DATES if pilot[name] is not None]
    for (earlier, begin), (later, end) in pairwise(known):
        if end <= begin:
            raise invalid(later, f"after {earlier} ({plain(begin)})", plain(end))


def meetings(history: list[Row]) -> list[Row]:
    """The meetings that are or were agreed: when, how often each moved, when that was last, whether it is off.

    All of it comes from the history, so that a calendar that did not change has the same bytes. A meeting is off when
    its date was taken away, or the pilot closed before it.
    """
    closed = [row["happened_at"] for row in history if (row["details"] or {}).get("to") == "closed"]
    found = []
    for meeting in MEETINGS:
        held = _agreed(history, f"{meeting}_at")
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


def _agreed(history: list[Row], name: str) -> list[tuple[str | None, datetime]]:
    """Each date that a meeting had, None where it was taken away, with the time of that change."""
    held = []
    for row in history:
        told = (row["details"] or {}).get(name)
        if told is not None:
            held.append((told["to"] if isinstance(told, dict) else told, row["happened_at"]))
    return held


def _note_changes(revision: Revision, pilot_id: str, changes: Changes) -> None:
    others = dict(changes)
    if "stage" in others:
        old, new = others.pop("stage")
        step = {"from": old, "to": new}
        note(revision, "pilot", pilot_id, "pilot.stage.changed", step, chained=step)
    if others:
        note(revision, "pilot", pilot_id, "pilot.changed", from_to(others), chained={"fields": sorted(others)})
