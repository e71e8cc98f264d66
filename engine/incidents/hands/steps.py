"""A person's step about an incident: checked, written as a line of its history and an audit event, and followed."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from engine.incidents.alerts.episodes import A_MOMENT, Episode, KeyMessage, MessageKind
from engine.incidents.alerts.key_history import KeyHistory
from engine.model.errors import BadRequest, Conflict, NotFound
from engine.model.records import IncidentRow
from engine.model.vocabulary import LIVE_INCIDENTS, IncidentLaw, StepKind
from engine.store import Reader, Revision
from engine.store.ids import new_id
from engine.store.queries.operations.ingest import as_last, last_incidents
from engine.store.rows import first
from engine.store.schema.services import incident_timeline, incidents

ACTIONS: Mapping[StepKind, str] = {
    "acknowledge": "incident.acknowledged",
    "assign": "incident.assigned",
    "note": "incident.annotated",
    "cause": "incident.cause.established",
    "relate": "incident.related",
    "unrelate": "incident.unrelated",
    "close": "incident.closed",
    "reopen": "incident.reopened",
    "assess": "incident.assessed",
}
MESSAGES: Mapping[StepKind, MessageKind] = {"acknowledge": "acknowledged", "close": "close", "reopen": "reopen"}
TEXTS: Mapping[StepKind, str] = {
    "acknowledge": "Acknowledged",
    "assign": "Assigned to {to}",
    "note": "Note",
    "cause": "Cause",
    "relate": "Related to {parent}",
    "unrelate": "Not related to {parent}",
    "close": "Closed by hand",
    "reopen": "Opened again by hand",
    "assess": "Assessed under {law}: aware since {aware_at}",
}
LONGEST = 4000
SETTLED = ("already_acknowledged", "already_closed", "already_open")


@dataclass(frozen=True)
class PersonStep:
    """What a person does, when it happened, and why. ``to`` is an address, ``parent`` an incident.

    Of an assessment ``aware_at`` is when the organization became aware, ``classified_at`` when it classified.
    """

    kind: StepKind
    at: datetime
    why: str | None = None
    to: str | None = None
    parent: str | None = None
    law: IncidentLaw | None = None
    aware_at: datetime | None = None
    classified_at: datetime | None = None

    @property
    def payload(self) -> dict[str, str]:
        """What it says beyond its kind and its time, as the history keeps it."""
        values: Mapping[str, str | datetime | None] = {
            "to": self.to,
            "parent": self.parent,
            "law": self.law,
            "aware_at": self.aware_at,
            "classified_at": self.classified_at,
            "why": self.why,
        }
        return {
            name: value.isoformat() if isinstance(value, datetime) else value
            for name, value in values.items()
            if value is not None
        }


def take_step(revision: Revision, incident_id: str, step: PersonStep, way: str) -> dict[str, object]:
    """Do it by the revision's actor; returns the line of the history. ``way`` says how, such as by command line.

    NotFound for an unknown incident, BadRequest for what cannot be, Conflict for what is so already.
    """
    incident = _incident(revision.records, revision.org_id, incident_id)
    step = _complete(step, incident)
    _check(revision, incident, step)
    _follow(revision, incident, step)
    why = f": {step.why}" if step.why else ""
    line = {
        "id": new_id("tl"),
        "incident_id": incident_id,
        "happened_at": step.at,
        "heard_at": revision.now,
        "kind": step.kind,
        "actor": revision.actor,
        "body": f"{_words(step)} {way}{why}",
        "payload": step.payload,
    }
    revision.insert(incident_timeline, [line])
    record_step(revision, incident_id, step, way, revision.actor)
    return line


def _words(step: PersonStep) -> str:
    moments = {"aware_at": step.aware_at, "classified_at": step.classified_at}
    said = {name: f"{at.astimezone(UTC):%Y-%m-%d %H:%M} UTC" for name, at in moments.items() if at is not None}
    words = TEXTS[step.kind].format(**step.payload | said)
    return f"{words}, classified {said['classified_at']}" if step.kind == "assess" and step.classified_at else words


def record_step(revision: Revision, incident_id: str, step: PersonStep, way: str, actor: str) -> None:
    """The audit event of a step, with both clocks."""
    revision.record(
        ACTIONS[step.kind],
        object_type="incident",
        object_id=incident_id,
        details={
            **step.payload,
            "happened_at": step.at.isoformat(),
            "heard_at": revision.now.isoformat(),
            "way": way,
            **({"actor": actor} if actor != revision.actor else {}),
        },
    )


def follow_line(revision: Revision, line: Mapping[str, Any], step: PersonStep) -> None:
    """What a step brings about whose line of the history is there already: one that was imported."""
    incident = _incident(revision.records, revision.org_id, line["incident_id"])
    step = _complete(step, incident)
    _check(revision, incident, step)
    try:
        _follow(revision, incident, step, by=line["actor"])
    except Conflict as conflict:
        if conflict.word not in SETTLED or _is_second_close(incident, step, line["actor"]):
            raise  # but for the row of an incident that says already what its line says
    record_step(revision, line["incident_id"], step, "by import", line["actor"])


def _is_second_close(incident: IncidentRow, step: PersonStep, actor: str) -> bool:
    """Whether somebody closes what another had closed by then."""
    closed_at, closed_by = incident["closed_at"], incident["closed_by"]
    if step.kind != "close" or closed_at is None or closed_by in (None, actor):
        return False
    return step.at > closed_at


def _incident(connection: Reader, org_id: str, incident_id: str) -> IncidentRow:
    incident_row = first(connection, incidents, org_id, id=incident_id)
    if incident_row is None:
        raise NotFound(f"There is no incident {incident_id[:80]!r} in {org_id}.")
    return incident_row


def _complete(step: PersonStep, incident: IncidentRow) -> PersonStep:
    if step.kind == "unrelate" and step.parent is None:
        return PersonStep(step.kind, step.at, step.why, parent=incident["parent_id"])
    if step.kind == "assess" and step.aware_at is None:
        return PersonStep(step.kind, step.at, step.why, None, None, step.law, step.at, step.classified_at)
    return step


def _check(revision: Revision, incident: IncidentRow, step: PersonStep) -> None:
    """BadRequest for a time that cannot be, and for what a kind of step needs or cannot have."""
    began = min(at for at in (incident["started_at"], incident["opened_at"]) if at is not None)
    for name, at in (("at", step.at), ("aware_at", step.aware_at), ("classified_at", step.classified_at)):
        if at is None:
            continue
        if at > revision.now:
            raise _wrong(name, f"no later than now, {revision.now:%Y-%m-%d %H:%M:%S} UTC", at)
        if at < began:
            raise _wrong(name, f"no earlier than the incident began, {began:%Y-%m-%d %H:%M:%S} UTC", at)
    if step.kind in ("note", "cause") and not (step.why or "").strip():
        raise BadRequest(f"A {step.kind} needs its text: say it with why.", word="invalid_step")
    if step.why is not None and len(step.why) > LONGEST:
        raise BadRequest(f"why must have at most {LONGEST} characters; got {len(step.why):,}.", word="invalid_step")
    match step.kind:
        case "assign" if not _is_address(step.to):
            raise BadRequest(f"to must be an e-mail address; got {step.to!r}.", word="invalid_step")
        case "relate":
            _check_parent(revision.records, revision.org_id, incident["id"], step.parent)
        case "unrelate" if incident["parent_id"] is None or step.parent != incident["parent_id"]:
            raise Conflict(f"{incident['id']} is not related to {step.parent or 'any incident'}.", word="not_related")
        case "assess" if step.law is None:
            raise BadRequest("An assessment needs its law: gdpr, nis2, dora or hipaa.", word="invalid_step")


def _is_address(value: str | None) -> bool:
    name, at, place = (value or "").partition("@")
    return bool(name and at and place) and not any(letter.isspace() for letter in value or "")


def _wrong(name: str, expected: str, got: datetime) -> BadRequest:
    return BadRequest(f"{name} must be {expected}; got {got:%Y-%m-%d %H:%M:%S} UTC.", word="invalid_step")


def _check_parent(connection: Reader, org_id: str, incident_id: str, parent: str | None) -> None:
    """An incident of the organization that this one is no ancestor of."""
    if parent is None:
        raise BadRequest("To relate needs the parent.", word="invalid_step")
    way, above = [incident_id], _incident(connection, org_id, parent)
    while True:
        way.append(above["id"])
        if above["id"] == incident_id:
            raise BadRequest(f"That would be a cycle: {' is related to '.join(way)}.", word="cycle")
        if above["parent_id"] is None or above["parent_id"] in way[1:]:
            return
        further = first(connection, incidents, org_id, id=above["parent_id"])
        if further is None:
            return
        above = further


def _follow(revision: Revision, incident: IncidentRow, step: PersonStep, by: str | None = None) -> None:
    """What the step changes of the incident."""
    actor = by or revision.actor
    if step.kind in MESSAGES:
        _follow_message(revision, incident, step, actor)
        return
    changes: Mapping[StepKind, Mapping[str, object]] = {
        "assign": {"owner": step.to},
        "cause": {"root_cause": step.why},
        "relate": {
            "parent_id": step.parent,
            "parent_state": "confirmed",
            "parent_reason": step.why or f"confirmed by {actor}",
        },
        "unrelate": {"parent_id": None, "parent_state": None, "parent_reason": None},
    }
    if step.kind in changes:
        revision.update(incidents, {"id": incident["id"]}, changes[step.kind])


def _follow_message(revision: Revision, incident: IncidentRow, step: PersonStep, actor: str) -> None:
    """The same of a step that decides on states and durations, among all that was heard of the incident's key."""
    history = _history(revision, incident)
    sent = max((one.sent_at + A_MOMENT for one in history.messages if one.at == step.at), default=step.at)
    message = KeyMessage(MESSAGES[step.kind], step.at, sent, revision.now, incident_id=incident["id"], by=actor)
    change = history.take(message)
    was, now = (_of(episodes, incident["id"]) for episodes in (change.before, change.after))
    if was is None or now is None or incident["id"] != now.id:
        raise Conflict(
            f"{incident['id']} is a part of {now.id if now else incident['parent_id']}; say it of that.", word="part_of"
        )
    _check_effect(step, was, now, change.after)
    for identifier, values in history.differences(change).items():
        history.update(identifier, values)
    history.save()


def _history(revision: Revision, incident: IncidentRow) -> KeyHistory:
    """All of the incident's key where it is kept and knows the incident, else what its row says."""
    key = incident["dedupe_key"]
    if key is not None and not key.startswith("finding:"):
        last = revision.look_up(last_incidents, [key])[key]
        history = KeyHistory(revision, key, last)
        if _of(history.episodes(), incident["id"]) is not None:
            return history
    return KeyHistory(revision, key or incident["id"], as_last(dict(incident)), kept=False)


def _of(episodes: Iterable[Episode], incident_id: str) -> Episode | None:
    return next((one for one in episodes if incident_id in one.ids), None)


def _check_effect(step: PersonStep, was: Episode, now: Episode, episodes: Sequence[Episode]) -> None:
    """Conflict where the step says what is so already, or what what was heard since contradicts."""
    name, at = now.id, f"{step.at:%Y-%m-%d %H:%M:%S} UTC"
    goes_on = any(one.id is None for one in episodes)  # an alert after it would be an incident of its own
    later = episodes[-1].id if episodes[-1] is not now else None
    if step.kind == "acknowledge" and was.taken is not None and now.taken is was.taken and was.is_taken:
        by = f" by {was.taken.by}" if was.taken.by else ""
        since = f"{was.taken.at:%Y-%m-%d %H:%M:%S} UTC"
        raise Conflict(f"{name} was acknowledged already at {since}{by}.", word="already_acknowledged")
    if step.kind == "acknowledge" and now.taken is None:
        raise Conflict(f"{name} was {now.status} by then; there was nothing to acknowledge.", word="not_open")
    if step.kind == "close" and was.closed is not None:
        raise Conflict(f"{name} is closed since {was.closed.at:%Y-%m-%d %H:%M:%S} UTC.", word="already_closed")
    if step.kind == "close" and was.end is not None and step.at < was.end.at:
        raise Conflict(f"{name} ended at {was.end.at:%Y-%m-%d %H:%M:%S} UTC, after that.", word="ended_later")
    if step.kind == "close" and (now.status != "closed" or goes_on):
        raise Conflict(f"{name} went on after {at}: an alert came.", word="went_on")
    if step.kind == "reopen" and was.status in LIVE_INCIDENTS:
        raise Conflict(f"{name} is {was.status}; it needs no opening.", word="already_open")
    if step.kind == "reopen" and now.status not in LIVE_INCIDENTS and later is not None:
        raise Conflict(f"{later} of the same key came after {name}; say it of that.", word="later_incident")
    if step.kind == "reopen" and now.status not in LIVE_INCIDENTS:
        raise Conflict(f"{name} ended after {at}.", word="ended_later")
