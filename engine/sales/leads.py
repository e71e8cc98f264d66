"""Working on leads: changes, conversion to a pilot, and how a lead is shown."""

from collections.abc import Mapping, Sequence

from engine.model.errors import Conflict
from engine.model.records import LeadRow
from engine.sales import pilots
from engine.sales.history import Changes, differences, from_to, note
from engine.sales.parts import as_row
from engine.sales.stages import LEAD_STEPS, check_reason, check_step, exit_criterion
from engine.store import Reader, Revision
from engine.store.queries.sales.commerce import history_of
from engine.store.rows import first, one
from engine.store.schema import commerce as tables


def detail(connection: Reader, org_id: str, lead_id: str) -> dict[str, object]:
    """A lead with its pilot, what its stage still asks for, and its whole history; NotFound without one."""
    lead = one(connection, tables.leads, org_id, id=lead_id)
    pilot = first(connection, tables.pilots, org_id, lead_id=lead_id)
    return {
        "lead": as_row(lead),
        "exit": exit_criterion(lead),
        "pilot": None if pilot is None else as_row(pilot),
        "history": [as_row(row) for row in history_of(connection, org_id, "lead", lead_id)],
    }


def change(revision: Revision, lead_id: str, wanted: Mapping[str, object]) -> dict[str, object]:
    """Set columns of a lead and return it; the same values again change nothing.

    Conflict for a step that the stages do not have, BadRequest for a lost lead without a reason.
    """
    lead = one(revision.connection, tables.leads, revision.org_id, id=lead_id)
    changes = differences(lead, wanted)
    if "stage" in changes:
        _check_stage(lead, changes)
    elif "lost_reason" in wanted:
        check_reason(lead["stage"], wanted["lost_reason"])
    if not changes:
        return as_row(lead)
    after: dict[str, object] = {**lead, **{name: new for name, (_, new) in changes.items()}}
    if "stage" in changes:
        after |= _stage_changes(revision, lead, after["stage"])
    _store(revision, lead, after)
    _note_changes(revision, lead_id, changes)
    return as_row(after)


def change_all(revision: Revision, lead_ids: Sequence[str], wanted: Mapping[str, object]) -> list[dict[str, object]]:
    """The same change to several leads: all of them, or none when one refuses."""
    return [change(revision, lead_id, wanted) for lead_id in lead_ids]


def convert(revision: Revision, lead_id: str, fields: Mapping[str, object]) -> dict[str, object]:
    """Make the lead's pilot and return it. Conflict when it has one, when it is lost, and when it is spam."""
    lead = one(revision.connection, tables.leads, revision.org_id, id=lead_id)
    pilot = first(revision.connection, tables.pilots, revision.org_id, lead_id=lead_id)
    if pilot is not None:
        raise Conflict(
            f"The lead {lead['reference_id']} was converted already, to the pilot {pilot['id']}.",
            word="already_converted",
            details=[{"field": "lead_id", "pilot_id": pilot["id"]}],
        )
    check_reachable(lead)
    if lead["stage"] == "lost":
        raise Conflict(f"The lead {lead['reference_id']} is lost; take it up again first.", word="lead_is_lost")
    made = pilots.create(revision, lead, fields)
    note(revision, "lead", lead_id, "lead.converted", {"pilot_id": made["id"]}, chained={"pilot_id": made["id"]})
    return made


def check_reachable(lead: LeadRow) -> None:
    """Conflict for a lead that was judged to be spam: nobody is to be contacted."""
    if lead["spam"]:
        raise Conflict(
            f"The enquiry {lead['reference_id']} was taken for spam; set spam to false first if a person sent it.",
            word="lead_is_spam",
        )


def note_response(revision: Revision, lead: LeadRow) -> None:
    """The first answer that the sender of an enquiry got; later ones leave it as it is."""
    if lead["first_response_at"] is None:
        revision.update(tables.leads, {"id": lead["id"]}, {"first_response_at": revision.now})


def _check_stage(lead: LeadRow, changes: Changes) -> None:
    stage = str(changes["stage"][1])
    check_step("lead", LEAD_STEPS, lead["stage"], stage)
    check_reason(stage, changes["lost_reason"][1] if "lost_reason" in changes else None)


def _stage_changes(revision: Revision, lead: LeadRow, stage: object) -> dict[str, object]:
    """What a change of stage brings with it: its time, the first response, no reason once it is lost no more."""
    answered = lead["first_response_at"] or (revision.now if stage == "contacted" else None)
    brought: dict[str, object] = {"stage_changed_at": revision.now, "first_response_at": answered}
    return brought if stage == "lost" else {**brought, "lost_reason": None}


def _store(revision: Revision, before: LeadRow, after: Mapping[str, object]) -> None:
    values = {name: new for name, (_, new) in differences(before, after).items()}
    revision.update(tables.leads, {"id": before["id"]}, values)


def _note_changes(revision: Revision, lead_id: str, changes: Changes) -> None:
    """A change of stage is a line of its own: the dashboard measures by those."""
    others = dict(changes)
    if "stage" in others:
        old, new = others.pop("stage")
        step = {"from": old, "to": new}
        reason = {"reason": others.pop("lost_reason")[1]} if "lost_reason" in others else {}
        note(revision, "lead", lead_id, "lead.stage.changed", {**step, **reason}, chained=step)
    if others:
        chained = {"fields": sorted(others)}
        note(revision, "lead", lead_id, "lead.changed", from_to(others), chained=chained)
