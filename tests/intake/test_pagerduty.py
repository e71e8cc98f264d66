"""PagerDuty webhooks v3."""

import pytest

from engine.intake.alerts import Alert, read_alerts
from engine.model.errors import BadRequest
from tests.intake.bodies import RECEIVED, at, pagerduty, pagerduty_incident

KEY = "pagerduty:PGR0VU2"


def read(body):
    (alert,) = read_alerts(body, received_at=RECEIVED)
    return alert


def test_a_triggered_incident():
    assert read(pagerduty("incident.triggered")) == Alert(
        source="pagerduty",
        dedupe_key=KEY,
        state="firing",
        title="A little bump in the road",
        severity="critical",
        severity_text="P1",
        severity_given=True,
        service="API Service",
        started_at=at(8, 10),
        occurred_at=at(8, 20).replace(microsecond=512000),
        link="https://acme.pagerduty.com/incidents/PGR0VU2",
        links={"source": "https://acme.pagerduty.com/incidents/PGR0VU2"},
        labels={"incident_key": "d3640fbd41094207a1c11e58e46b1662", "incident_number": "2"},
        event_id="pagerduty:5ac64822-4adc-4fda-ade0-410becf0de4f",
        origin="pagerduty",
        note="incident.triggered by Tenex Engineer",
    )


@pytest.mark.parametrize(
    ("kind", "state", "acknowledged"),
    [
        ("incident.reopened", "firing", False),
        ("incident.resolved", "resolved", False),
        ("incident.acknowledged", "update", True),
        ("incident.unacknowledged", "update", False),
        ("incident.escalated", "update", False),
        ("incident.priority_updated", "update", False),
        ("incident.incident_type.changed", "update", False),
    ],
)
def test_events_about_the_incident(kind, state, acknowledged):
    alert = read(pagerduty(kind))
    assert (alert.dedupe_key, alert.state, alert.acknowledged) == (KEY, state, acknowledged)


def test_a_resolved_incident_ends_when_the_event_occurred():
    alert = read(pagerduty("incident.resolved"))
    assert (alert.started_at, alert.ended_at) == (at(8, 10), at(8, 20).replace(microsecond=512000))
    assert (alert.severity, alert.severity_given) == ("info", False)


@pytest.mark.parametrize(
    ("priority", "word"), [({"id": "P", "summary": "P1"}, "P1"), (None, "no priority"), ({"id": "P"}, "no priority")]
)
def test_a_new_priority_is_told(priority, word):
    alert = read(pagerduty("incident.priority_updated", pagerduty_incident(priority=priority)))
    assert alert.note == f"incident.priority_updated by Tenex Engineer: {word}"


def test_a_merged_incident_says_into_which():
    reason = {"type": "merge_resolve_reason", "incident": {"id": "PNEW", "summary": "[#3] The real one"}}
    alert = read(pagerduty("incident.resolved", pagerduty_incident(resolve_reason=reason)))
    assert alert.note == "incident.resolved by Tenex Engineer; merged into [#3] The real one"


@pytest.mark.parametrize(
    ("kind", "data", "note"),
    [
        ("incident.annotated", {"id": "N1", "type": "incident_note", "content": "On it"}, "incident.annotated: On it"),
        ("incident.task.created", {"id": "T1"}, "incident.task.created"),
        ("incident.responder.added", {"id": "R1", "message": "Please help"}, "incident.responder.added: Please help"),
        ("incident.something_new", {"id": "X"}, "incident.something_new"),
    ],
)
def test_other_things_on_an_incident_annotate_it(kind, data, note):
    reference = {"id": "PGR0VU2", "summary": "A little bump in the road", "type": "incident_reference"}
    alert = read(pagerduty(kind, {**data, "incident": reference}, agent=None))
    assert (alert.dedupe_key, alert.state, alert.note) == (KEY, "update", note)


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("service.updated", {"id": "PF9KMXH", "type": "service"}),
        ("pagey.ping", {"message": "Hello from your friend Pagey!"}),
        ("incident.annotated", {"id": "N1"}),
        ("template.created", {"id": "T1"}),  # of a family that nobody has heard of
    ],
)
def test_events_about_nothing_of_ours_are_ignored(kind, data):
    alert = read(pagerduty(kind, data, resource_type="pagey"))
    assert (alert.state, alert.title, alert.severity_given) == ("ignored", kind, False)
    assert alert.event_id == "pagerduty:5ac64822-4adc-4fda-ade0-410becf0de4f"


@pytest.mark.parametrize(
    ("priority", "urgency", "level", "given"),
    [
        ({"summary": "P3"}, "high", "medium", True),
        ({"summary": "Very bad"}, "high", "high", True),
        (None, "low", "low", True),
        (None, None, "medium", False),
        ({"summary": "Very bad"}, None, "medium", False),
    ],
)
def test_priority_before_urgency(priority, urgency, level, given):
    alert = read(pagerduty("incident.triggered", pagerduty_incident(priority=priority, urgency=urgency)))
    assert (alert.severity, alert.severity_given) == (level, given)


def test_the_conference_of_an_incident_is_one_of_its_links():
    bridge = {"conference_number": "+1 555", "conference_url": "https://meet.example.com/bridge"}
    alert = read(pagerduty("incident.triggered", pagerduty_incident(conference_bridge=bridge)))
    assert alert.links == {"source": alert.link, "conference": "https://meet.example.com/bridge"}


def test_optional_fields_may_be_missing():
    alert = read({"event": {"event_type": "incident.triggered", "data": {"id": "P1"}}})
    assert alert == Alert(
        "pagerduty", "pagerduty:P1", "firing", "Incident P1", origin="pagerduty", note="incident.triggered"
    )


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], "event.data must be the incident; got a list of 0"),
        ({"id": ""}, "event.data.id must be the identifier of the incident; got ''"),
    ],
)
def test_a_broken_event_names_the_field(data, message):
    with pytest.raises(BadRequest, match=message):
        read(pagerduty("incident.triggered", data))
