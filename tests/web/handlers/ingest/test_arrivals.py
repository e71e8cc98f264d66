"""What came and what did not is known from the audit log; a bad message and a heartbeat leave the chain to the job."""

# ruff: noqa: F811 - parameters take the names of the fixtures that are imported

from datetime import timedelta

import pytest

from engine.incidents.alerts.arrivals import note_arrivals
from engine.store.schema.audit import audit_log
from engine.store.schema.risk import systems
from engine.store.schema.services import incidents, service_senders
from tests.conftest import NOW
from tests.intake.bodies import alertmanager, alertmanager_alert
from tests.web.handlers.ingest.test_ingest import ALERTS, send, token  # noqa: F401 - fixtures
from tests.web.handlers.ingest.test_whole_alerts import read_again, stored_rows
from tests.whole_checks import assert_provable

HEARTBEAT = {"title": "Heartbeat", "status": "heartbeat", "source": "nagios"}
WATCHDOG = alertmanager(alertmanager_alert(labels={"alertname": "Watchdog", "severity": "none"}))
CONNECTIONS = "/api/integrations/connections"


def events(store, action):
    rows = stored_rows(store, audit_log, action=action)
    return [(row["actor"], row["occurred_at"], row["details"]) for row in rows]


def test_a_heartbeat_opens_nothing_and_is_noted_once(send, with_people):
    for body in (HEARTBEAT, WATCHDOG):
        answer = send(ALERTS, body)
        assert (answer.status, answer.json["ignored"]) == (200, 1)
    head = with_people.head("acme")
    assert stored_rows(with_people, incidents) == []
    assert note_arrivals(with_people, "acme", now=NOW) == 2
    assert events(with_people, "message.arrived") == [
        ("token:monitor", NOW, {"messages": 1, "source": "alertmanager"}),
        ("token:monitor", NOW, {"messages": 1, "source": "nagios"}),
    ]
    assert note_arrivals(with_people, "acme", now=NOW + timedelta(minutes=15)) == 0
    assert with_people.head("acme").seq == head.seq + 2
    assert_provable(with_people)


def test_a_dead_letter_is_noted_when_it_came_and_when_it_was_read(send, with_people):
    two = {"alerts": [{"title": "a"}, {"title": "b"}]}
    head = with_people.head("acme")
    for body in ("<html>", "<html>"):
        assert send(ALERTS, body, content_type="text/plain").status == 400
    assert with_people.head("acme") == head
    assert note_arrivals(with_people, "acme", now=NOW + timedelta(minutes=5)) == 1
    ((actor, at, details),) = events(with_people, "message.refused")
    assert (actor, at, details["route"]) == ("token:monitor", NOW, "alerts")
    assert details["reason"].startswith("The body is no alert that is known here.")
    (letter,) = stored_rows(with_people, audit_log, action="message.refused")
    assert read_again(with_people, letter["object_id"]).problem is not None
    assert events(with_people, "message.replayed") == []
    assert send(ALERTS, two).status == 200
    assert note_arrivals(with_people, "acme", now=NOW + timedelta(minutes=20)) == 1


def test_that_nothing_came_for_a_day_is_noted_once_and_only_where_something_came(send, with_people):
    later = NOW + timedelta(hours=24)
    assert note_arrivals(with_people, "acme", now=later) == 0
    send(ALERTS, HEARTBEAT)
    assert note_arrivals(with_people, "acme", now=NOW) == 1
    assert note_arrivals(with_people, "acme", now=later - timedelta(seconds=1)) == 0
    assert note_arrivals(with_people, "acme", now=later) == 1
    assert events(with_people, "messages.absent") == [("arrivals", later, {"since": "2026-11-20T08:30:00.000000Z"})]
    assert note_arrivals(with_people, "acme", now=later + timedelta(days=3)) == 0


@pytest.mark.real
def test_connections_say_what_arrived(send, with_people, sign_in):
    def arrivals():
        return sign_in("member@acme.example").get(CONNECTIONS).json["arrivals"]

    nothing = arrivals()
    assert (nothing["monitoring_coverage_pct"], nothing["senders"], nothing["arrivals"]) == (None, [], [])
    with with_people.revision("acme", "setup", now=NOW) as revision:
        row = {"id": "sys-db", "name": "Database", "service_id": "svc-db", "boundary": "inside", "frameworks": "soc2"}
        revision.insert(systems, [row])
        revision.insert(service_senders, [{"service_id": "svc-db", "token": "monitor", "source": "nagios"}])
        revision.record("import.completed")
    unheard = arrivals()
    assert (unheard["monitoring_coverage_pct"], unheard["senders_not_heard"]) == (0.0, 1)
    assert [row["kind"] for row in unheard["arrivals"]] == ["sender_not_heard"]
    send(ALERTS, HEARTBEAT)
    send(ALERTS, {"title": "Slow", "service": "shop"})
    assert send(ALERTS, {"title": 7, "status": []}).status == 400
    note_arrivals(with_people, "acme", now=NOW)
    known = arrivals()
    assert (known["monitoring_coverage_pct"], known["senders_live"], known["messages_unread"]) == (100.0, 2, 1)
    kinds = [row["kind"] for row in known["arrivals"]]
    assert kinds == ["dead_letter", "unknown_service", "alert_without_owner"]
    assert [row["watch"] for row in known["monitoring"]] == ["live"]
