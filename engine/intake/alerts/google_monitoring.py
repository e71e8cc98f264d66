"""Google Cloud Monitoring: the incident that a webhook of a notification channel posts, versions 1.1 and 1.2."""

from collections.abc import Iterator, Mapping
from datetime import datetime

from engine.intake.alerts.alert import Alert, compose
from engine.intake.keys import join_key
from engine.intake.refusals import MalformedRecord
from engine.intake.severity import severity
from engine.intake.values import as_list, mapping, plain
from engine.model.vocabulary import AlertState, Severity

SHAPE = "Google Cloud Monitoring: {incident: {incident_id, policy_name, state: open|closed, started_at, …}, version}"

STATES: Mapping[str, AlertState] = {"open": "firing", "closed": "resolved"}
SEVERITIES: Mapping[str, Severity] = {"critical": "critical", "error": "high", "warning": "medium"}
GENERATED = ("[ALERT", "[RESOLVED", "[CLOSED")  # how the subjects begin that nobody wrote
HOSTS = ("instance_name", "instance_id", "host", "hostname", "node_name")


def matches(body: Mapping[str, object]) -> bool:
    incident = body.get("incident")
    return isinstance(incident, dict) and "incident_id" in incident and "state" in incident


def records(body: Mapping[str, object]) -> Iterator[tuple[str, Mapping[str, object]]]:
    yield "incident", mapping(body["incident"])


def read(incident: Mapping[str, object], received_at: datetime) -> Alert:
    identity = plain(incident.get("incident_id"))
    if identity is None:
        raise MalformedRecord("incident_id", "the identifier of the incident", incident.get("incident_id"))
    word = (plain(incident.get("state")) or "").lower()
    if word not in STATES:
        raise MalformedRecord("state", "open or closed", incident.get("state"))
    state = STATES[word]
    resource = mapping(incident.get("resource"))
    metric, notes = mapping(incident.get("metric")), mapping(incident.get("documentation"))
    of_resource = mapping(mapping(incident.get("metadata")).get("user_labels"))
    labels = {**mapping(metric.get("labels")), **of_resource, **mapping(resource.get("labels"))}
    host = next((labels[name] for name in HOSTS if plain(labels.get(name))), None)
    subject = plain(notes.get("subject")) or ""
    written = None if subject.startswith(GENERATED) else subject
    further = [mapping(one) for one in as_list(notes.get("links"))]
    return compose(
        source="google",
        key=join_key("google", identity),
        state=state,
        title=written or incident.get("condition_name") or incident.get("policy_name") or identity,
        received_at=received_at,
        severity=severity(incident.get("severity"), words=SEVERITIES),
        description=incident.get("summary"),
        tags={
            "policy": incident.get("policy_name"),
            "condition": incident.get("condition_name"),
            "project": incident.get("scoping_project_id"),
            "resource_type": resource.get("type") or incident.get("resource_type_display_name"),
            "metric": metric.get("type"),
            **labels,
            **mapping(incident.get("policy_user_labels")),
        },
        annotations={"documentation": notes.get("content") or plain(incident.get("documentation"))},
        host=host,
        started_at=incident.get("started_at"),
        ended_at=incident.get("ended_at"),
        occurred_at=incident.get("ended_at" if state == "resolved" else "started_at"),
        links={
            "source": incident.get("url"),
            **{name: one.get("url") for one in further if (name := plain(one.get("displayName"))) is not None},
        },
        value=incident.get("observed_value"),
    )
