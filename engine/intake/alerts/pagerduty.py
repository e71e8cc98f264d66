"""PagerDuty webhooks v3: one event a request, about an incident, something on it, or a service.

The key is the incident's id, since events about notes, tasks and responders carry nothing else. What happens on an
incident annotates ours; only ``triggered`` and ``reopened`` open one.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime

from engine.intake.alerts.alert import Alert, compose
from engine.intake.keys import join_key
from engine.intake.refusals import MalformedRecord
from engine.intake.severity import severity
from engine.intake.values import first, line, mapping, plain
from engine.model.vocabulary import AlertState, Severity

SHAPE = "PagerDuty v3: {event: {id, event_type, resource_type, occurred_at, data}}"

STATES: Mapping[str, AlertState] = {
    "incident.triggered": "firing",
    "incident.reopened": "firing",
    "incident.resolved": "resolved",
}
ACKNOWLEDGED, PRIORITY = "incident.acknowledged", "incident.priority_updated"

# Events whose ``data`` is the incident itself; in all others it is something that hangs on one.
ABOUT_INCIDENT = (
    *STATES,
    ACKNOWLEDGED,
    "incident.unacknowledged",
    "incident.escalated",
    "incident.reassigned",
    "incident.delegated",
    PRIORITY,
    "incident.service_updated",
    "incident.incident_type.changed",
)
FAMILIES = ("incident.", "service.", "pagey.")
SAID = ("content", "message", "summary", "name", "title")
URGENCIES: Mapping[str, Severity] = {"high": "high", "low": "low"}


def matches(body: Mapping[str, object]) -> bool:
    event = body.get("event")
    if not isinstance(event, dict):
        return False
    kind = plain(event.get("event_type")) or ""
    if kind.startswith(FAMILIES):
        return "resource_type" in event or "data" in event
    return "." in kind and "resource_type" in event and "data" in event  # of a family that came after this was written


def records(body: Mapping[str, object]) -> Iterator[tuple[str, Mapping[str, object]]]:
    yield "event", mapping(body["event"])


def read(event: Mapping[str, object], received_at: datetime) -> Alert:
    kind = plain(event.get("event_type")) or ""
    incident = _incident(kind, event)
    identity = plain(incident.get("id"))
    if identity is None:
        return _ignored_alert(kind, event, received_at)
    state = STATES.get(kind, "update")
    ranked = severity(mapping(incident.get("priority")).get("summary"))
    if not ranked.given:
        urgency = severity(incident.get("urgency"), words=URGENCIES)
        ranked = urgency if urgency.given else ranked
    return compose(
        source="pagerduty",
        key=join_key("pagerduty", identity),
        state=state,
        title=incident.get("title") or incident.get("summary") or f"Incident {identity}",
        received_at=received_at,
        severity=ranked,
        description=mapping(incident.get("body")).get("details"),
        tags={"incident_key": incident.get("incident_key"), "incident_number": incident.get("number")},
        service=mapping(incident.get("service")).get("summary"),
        started_at=incident.get("created_at"),
        ended_at=event.get("occurred_at"),
        occurred_at=event.get("occurred_at"),
        links={
            "source": incident.get("html_url"),
            "conference": mapping(incident.get("conference_bridge")).get("conference_url"),
        },
        event_id=event.get("id"),
        acknowledged=kind == ACKNOWLEDGED,
        note=_note(kind, event, incident),
    )


def _incident(kind: str, event: Mapping[str, object]) -> Mapping[str, object]:
    """The incident that an event is about; empty for events about something else."""
    data = event.get("data")
    if kind in ABOUT_INCIDENT:
        if not isinstance(data, dict):
            raise MalformedRecord("data", "the incident", data)
        if plain(data.get("id")) is None:
            raise MalformedRecord("data.id", "the identifier of the incident", data.get("id"))
        return data
    return mapping(mapping(data).get("incident")) if kind.startswith("incident.") else {}


def _ignored_alert(kind: str, event: Mapping[str, object], received_at: datetime) -> Alert:
    return compose(
        source="pagerduty",
        key=join_key("pagerduty", "event", event.get("id")),
        state="ignored",
        title=kind,
        received_at=received_at,
        occurred_at=event.get("occurred_at"),
        event_id=event.get("id"),
        note=f"{kind} is not about an incident",
    )


def _note(kind: str, event: Mapping[str, object], incident: Mapping[str, object]) -> str:
    who = line(mapping(event.get("agent")).get("summary"))
    text = f"{kind} by {who}" if who else kind
    reason = mapping(incident.get("resolve_reason")) if kind == "incident.resolved" else {}
    if plain(reason.get("type")) == "merge_resolve_reason":
        into = first(mapping(reason.get("incident")), ("summary", "id"))
        return f"{text}; merged into {into or 'another incident'}"
    if kind == PRIORITY:
        return f"{text}: {line(mapping(incident.get('priority')).get('summary')) or 'no priority'}"
    said = None if kind in ABOUT_INCIDENT else first(mapping(event.get("data")), SAID)
    return f"{text}: {said}" if said else text
