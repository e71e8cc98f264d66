"""What monitors send is kept whole: as it came, in incidents and their documents, and as a dead letter."""

# ruff: noqa: F811 - parameters take the names of the fixtures that are imported

import json
import random
import sqlite3
from datetime import timedelta

import pytest

from engine.incidents.alerts.replay import replay
from engine.intake.payloads import unpack_body
from engine.store.database import patience
from engine.store.queries.operations.payloads import dead_letter, dead_letters, purge_payloads
from engine.store.rows import many
from engine.store.schema.audit import audit_log, legal_holds
from engine.store.schema.ingest import ingest_payloads
from engine.store.schema.services import incident_timeline, incidents
from tests.conftest import NOW
from tests.databases import raw_transaction
from tests.intake.bodies import alertmanager, alertmanager_alert, grafana, grafana_alert
from tests.web.client import Client
from tests.web.handlers.ingest.test_ingest import send, token  # noqa: F401 - fixtures

ALERTS = "/api/integrations/alerts"
VULNERABILITIES = "/api/integrations/vulnerabilities"
ALERT = {"title": "Disk full on db1", "status": "firing", "labels": {"team": "storage", "password": "hunter2"}}


def stored_rows(store, table, **where):
    with store.reader() as connection:
        return many(connection, table, "acme", **where)


def letters(store):
    with store.reader() as connection:
        return dead_letters(connection, "acme")


def read_again(store, identifier, most=20_000, now=NOW):
    with store.reader() as connection:
        row = dead_letter(connection, identifier, "acme")
    return replay(store, row, now=now, most_alerts=most, most_findings=most)


def test_the_timeline_and_the_audit_event_name_the_body_that_came(send, with_people):
    send(ALERTS, ALERT, content_type="application/json")
    (payload,) = stored_rows(with_people, ingest_payloads)
    assert (payload["state"], payload["records"], payload["applied"], payload["actor"]) == (
        "read",
        1,
        1,
        "token:monitor",
    )
    assert (payload["received_at"], payload["size_bytes"]) == (NOW, len(json.dumps(ALERT, separators=(",", ":"))))
    assert json.loads(unpack_body(payload["body"]))["labels"] == {"team": "storage", "password": "[redacted]"}
    assert [row["payload_id"] for row in stored_rows(with_people, incident_timeline)] == [payload["id"]]
    details = [row["details"] for row in stored_rows(with_people, audit_log, action="alert.ingested")]
    assert details == [{"outcome": "created", "payload": payload["id"]}]


def test_labels_links_runbook_value_and_graph_reach_the_documents(send, with_people, sign_in):
    body = grafana(
        grafana_alert(
            values={"A": 11},
            imageURL="https://grafana.example/1.png",
            annotations={"summary": "Slow | very", "runbook_url": "https://wiki.example/slow"},
        )
    )
    assert send(ALERTS, body).json["created"] == 1
    (incident,) = stored_rows(with_people, incidents)
    assert (incident["host"], incident["value"], incident["image_url"], incident["runbook_url"]) == (
        "web1",
        "A=11",
        "https://grafana.example/1.png",
        "https://wiki.example/slow",
    )
    person = sign_in()
    exported = person.get(f"/api/incidents/{incident['id']}/export").body.decode()
    reviewed = person.get(f"/api/incidents/{incident['id']}/review").body.decode()
    for text in (exported, reviewed):
        assert all(name in text for name in ("web1", "A=11", "wiki.example/slow", "grafana.example/1.png"))
        assert "| severity | critical |" in text
        assert "Slow &#124; very" in text
    pack = person.get(f"/api/incidents/{incident['id']}/evidence").json
    assert pack["incident"]["labels"]["alertname"] == "HighErrorRate"
    assert pack["incident"]["links"]["panel"] == "https://grafana.example/d/abc?viewPanel=2"
    assert [line["payload_id"] for line in pack["timeline"]] == [stored_rows(with_people, ingest_payloads)[0]["id"]]


def test_a_repeat_brings_the_newest_value_and_an_older_one_does_not(send, with_people):
    def grows(value, minute):
        return {**ALERT, "value": value, "started_at": f"2026-11-20T08:{minute}:00Z"}

    for value, minute in (("90 %", 10), ("95 %", 20), ("92 %", 15)):
        send(ALERTS, grows(value, minute))
    (incident,) = stored_rows(with_people, incidents)
    assert (incident["value"], incident["alert_count"], incident["labels"]["team"]) == ("95 %", 3, "storage")


def test_an_event_about_no_alert_is_ignored_and_recorded(send, with_people):
    head = with_people.head("acme")
    ping = {"event": {"id": "E1", "event_type": "pagey.ping", "resource_type": "pagey", "data": {"message": "Hi"}}}
    answer = send(ALERTS, ping)
    assert (answer.status, answer.json["ignored"], answer.json["received"]) == (200, 1, 1)
    assert [row["state"] for row in stored_rows(with_people, ingest_payloads)] == ["ignored"]
    assert (with_people.head("acme"), letters(with_people)) == (head, [])


def test_a_known_shape_without_alerts_is_400_and_says_where_they_belong(send, with_people):
    answer = send(ALERTS, alertmanager())
    assert (answer.status, answer.json["error"]) == (400, "no_alerts")
    assert answer.json["details"] == [
        {"field": "alerts", "expected": "a list of at least one alert", "found": "a list of 0"}
    ]
    assert len(letters(with_people)) == 1


def test_bodies_of_16_mebibyte_are_read_and_larger_ones_refused_with_the_setting(send):
    wide = {**ALERT, "description": "x" * (2 * 1024 * 1024)}
    assert send(ALERTS, wide).status == 200
    answer = send(ALERTS, b" " * (16 * 1024 * 1024 + 1))
    assert (answer.status, answer.json["message"]) == (
        413,
        "The body may have 16,777,216 bytes (SVC_INGEST_MAX_BYTES); it has 16,777,217.",
    )


def test_more_alerts_than_the_setting_allows_are_413_and_taken_once_it_is_raised(environment, request, with_people):
    environment["SVC_INGEST_MAX_ALERTS"] = "2"
    send = request.getfixturevalue("send")
    answer = send(ALERTS, {"alerts": [{**ALERT, "dedupe_key": str(number)} for number in range(3)]})
    assert (answer.status, answer.json["error"]) == (413, "too_many_alerts")
    assert "SVC_INGEST_MAX_ALERTS" in answer.json["message"]
    ((identifier, *_),) = letters(with_people)
    assert read_again(with_people, identifier, most=2).problem == answer.json["message"]
    assert read_again(with_people, identifier, most=3).counts == {"received": 3, "created": 3}
    assert letters(with_people) == []


def test_a_store_that_is_busy_is_503_with_retry_after(request, monkeypatch):
    monkeypatch.setattr(patience, "REQUEST_SECONDS", 0.02)
    send, store = request.getfixturevalue("send"), request.getfixturevalue("with_people")
    other = sqlite3.connect(store.url.removeprefix("sqlite:///"), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    for body in (ALERT, b"not json"):
        answer = send(ALERTS, body)
        assert (answer.status, answer.json["error"]) == (503, "store_busy")
        assert (answer.headers["retry-after"], answer.json["retry_after"]) == ("5", 5)
    other.execute("ROLLBACK")
    other.close()
    assert send(ALERTS, ALERT).json["created"] == 1


@pytest.mark.parametrize(
    ("path", "body", "reason"),
    [
        (ALERTS, b"<html>password=hunter2 </html>", "The body must be JSON"),
        (ALERTS, {"hello": "world"}, "The body is no alert that is known here."),
        (ALERTS, {**ALERT, "title": ""}, "The alert cannot be read, so nothing was taken: title must be a text"),
        (VULNERABILITIES, b"QID,Title", "The body must be JSON"),
    ],
)
def test_what_cannot_be_read_is_400_and_kept(path, body, reason, send, with_people):
    head = with_people.head("acme")
    for _ in range(2):
        assert send(path, body).status == 400
    ((identifier, org, received, route, state, size, times, _, _, why),) = letters(with_people)
    assert (org, received, state, times) == ("acme", NOW, "unread", 2)
    assert (route, why.startswith(reason), size > 8) == (path.rpartition("/")[2], True, True)
    assert with_people.head("acme") == head
    assert b"hunter2" not in unpack_body(stored_rows(with_people, ingest_payloads)[0]["body"])
    result = read_again(with_people, identifier)
    assert result.problem.startswith(reason)
    assert len(letters(with_people)) == 1


def test_nothing_is_kept_of_an_empty_body_or_without_a_token(send, with_people, console):
    assert send(ALERTS, b"").status == 400
    assert Client(console).post(ALERTS, b"x", authorization="Bearer svc_ingest_no").status == 401
    assert letters(with_people) == []


def test_only_the_newest_dead_letters_are_kept(environment, request, with_people, clock):
    environment["SVC_INGEST_MAX_DEAD_LETTERS"] = "2"
    send = request.getfixturevalue("send")
    for number in range(4):
        send(ALERTS, f"no json {number}".encode())
        clock.tick(timedelta(seconds=1))
    assert [unpack_body(row["body"]) for row in stored_rows(with_people, ingest_payloads, order=("received_at",))] == [
        b"no json 2",
        b"no json 3",
    ]


def test_dead_letters_are_kept_up_to_a_number_of_bytes(environment, request, with_people, clock):
    """As they are kept, compressed; the newest stays whatever it takes."""
    environment["SVC_INGEST_MAX_DEAD_LETTER_BYTES"] = "1024"
    send = request.getfixturevalue("send")
    sent = [random.Random(number).randbytes(size).hex().encode() for number, size in enumerate((450, 450, 3000, 450))]
    kept = []
    for body in sent:
        send(ALERTS, body)
        clock.tick(timedelta(seconds=1))
        rows = stored_rows(with_people, ingest_payloads, order=("received_at",))
        kept.append([sent.index(unpack_body(row["body"])) for row in rows])
    assert kept == [[0], [0, 1], [2], [3]]


def test_a_dead_letter_is_applied_as_of_when_it_came(environment, request, with_people, clock):
    environment["SVC_INGEST_MAX_ALERTS"] = "1"
    send = request.getfixturevalue("send")
    two = alertmanager(*(alertmanager_alert(fingerprint=name) for name in ("one", "two")))
    assert send(ALERTS, two).status == 413
    clock.tick(timedelta(hours=2))
    ended = alertmanager_alert(fingerprint="one", status="resolved", endsAt="2026-11-20T09:00:00Z")
    assert send(ALERTS, alertmanager(ended)).json["no_open_incident"] == 1
    ((identifier, *_),) = letters(with_people)
    result = read_again(with_people, identifier, now=NOW + timedelta(hours=2))
    assert result.counts == {"received": 2, "created": 1, "out_of_order": 1}
    found = {row["dedupe_key"]: (row["status"], row["opened_heard_at"]) for row in stored_rows(with_people, incidents)}
    assert found == {"alertmanager:one": ("resolved", NOW), "alertmanager:two": ("open", NOW)}
    assert {row["payload_id"] for row in stored_rows(with_people, incident_timeline)} == {identifier}
    assert (letters(with_people), with_people.verify("acme").problem) == ([], None)


def test_bodies_go_after_their_days_unless_a_legal_hold_keeps_them(send, with_people, clock):
    send(ALERTS, {**ALERT, "title": "Held"})
    (held,) = stored_rows(with_people, incidents)
    send(ALERTS, {**ALERT, "title": "Old"})
    clock.tick(timedelta(days=10))
    send(ALERTS, {**ALERT, "title": "New"})
    hold = {"id": "h1", "matter": "m", "incident_id": held["id"], "reason": "r", "placed_by": "ann", "placed_at": NOW}
    with with_people.revision("acme", "counsel", now=NOW) as revision:
        revision.insert(legal_holds, [hold])
        revision.record("legal_hold.placed")
    now = NOW + timedelta(days=10)
    with raw_transaction(with_people) as connection:
        assert purge_payloads(connection, "acme", now - timedelta(days=5), now) == 1
        assert purge_payloads(connection, "acme", now - timedelta(days=5), now) == 0
    titles = [json.loads(unpack_body(row["body"]))["title"] for row in stored_rows(with_people, ingest_payloads)]
    assert sorted(titles) == ["Held", "New"]
