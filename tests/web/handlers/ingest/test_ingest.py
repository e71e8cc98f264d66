"""Monitors and scanners post; incidents open once, rise, resolve and come back."""

import base64
import hmac
import json
from datetime import timedelta
from hashlib import sha256

import msgspec
import pytest

from engine.intake.payloads import unpack_body
from engine.intake.severity import EXPECTED_SEVERITY
from engine.store.rows import many
from engine.store.schema.audit import audit_log
from engine.store.schema.ingest import ingest_payloads
from engine.store.schema.organizations import organizations
from engine.store.schema.outputs import credentials
from engine.store.schema.services import findings, incident_timeline, incidents, services
from engine.web.admission.credentials import digest, new_secret
from tests.conftest import NOW
from tests.intake import bodies
from tests.web.client import Client
from tests.whole_checks import assert_provable

ALERTS = "/api/integrations/alerts"
VULNERABILITIES = "/api/integrations/vulnerabilities"
ALERT = {"dedupe_key": "disk-db1", "title": "Disk full on db1", "severity": "high", "status": "firing"}


@pytest.fixture
def token(with_people):
    """An ingest token of acme's workspace ops."""
    secret = new_secret("ingest")
    row = {
        "id": "tok",
        "kind": "ingest",
        "label": "monitor",
        "owner": "owner@acme.example",
        "prefix": "svc_ingest_",
        "last_four": secret[-4:],
        "secret_sha256": digest(secret),
        "created_at": NOW,
        "workspace_id": "ops",
    }
    with with_people.revision("acme", "setup", now=NOW) as revision:
        revision.insert(credentials, [row])
        revision.insert(services, [{"id": "svc-db", "name": "Database", "criticality": 5}])
        revision.record("token.created")
    return secret


@pytest.fixture
def send(token, request, clock):
    """Post a body with the token, at the frozen time."""

    def post(path, body, **headers):
        client = request.getfixturevalue("sign_in")(None)
        return client.post(path, body, authorization=f"Bearer {token}", **headers)

    return post


def stored_rows(store, table, **where):
    with store.reader() as connection:
        return many(connection, table, "acme", **where)


def outcomes(answer):
    assert answer.status == 200, answer.json
    return [result["outcome"] for result in answer.json["results"]]


def test_an_alert_opens_an_incident_and_says_which(send, with_people):
    answer = send(ALERTS, {**ALERT, "service": "database"})
    (incident,) = stored_rows(with_people, incidents)
    assert answer.json == {
        "received": 1,
        "taken": 1,
        "created": 1,
        "deduplicated": 0,
        "reopened": 0,
        "resolved": 0,
        "updated": 0,
        "ignored": 0,
        "replayed": 0,
        "no_open_incident": 0,
        "out_of_order": 0,
        "results": [{"dedupe_key": "normalized:disk-db1", "outcome": "created", "incident_id": incident["id"]}],
        "refused": [],
    }
    assert (incident["title"], incident["severity"], incident["status"]) == ("Disk full on db1", "high", "open")
    assert (incident["service_id"], incident["workspace_id"], incident["alert_count"]) == ("svc-db", "ops", 1)
    actions = [row["action"] for row in stored_rows(with_people, audit_log)][-2:]
    assert actions == ["alert.ingested", "incident.opened"]
    assert with_people.verify("acme").ok


def test_the_same_alert_counts_and_its_severity_only_rises(send, with_people):
    assert outcomes(send(ALERTS, ALERT)) == ["created"]
    assert outcomes(send(ALERTS, {**ALERT, "severity": "low"})) == ["deduplicated"]
    assert outcomes(send(ALERTS, {**ALERT, "severity": "critical"})) == ["deduplicated"]
    (incident,) = stored_rows(with_people, incidents)
    assert (incident["alert_count"], incident["severity"]) == (3, "critical")
    assert [row["kind"] for row in stored_rows(with_people, incident_timeline)].count("severity") == 1


def test_an_alert_resolves_reopens_within_the_hour_and_is_new_later(send, with_people, clock):
    send(ALERTS, ALERT)
    clock.tick(timedelta(minutes=5))
    assert outcomes(send(ALERTS, {**ALERT, "status": "resolved"})) == ["resolved"]
    assert outcomes(send(ALERTS, {**ALERT, "status": "resolved"})) == ["no_open_incident"]
    clock.tick(timedelta(minutes=60))
    assert outcomes(send(ALERTS, ALERT)) == ["reopened"]
    assert outcomes(send(ALERTS, {**ALERT, "status": "resolved"})) == ["resolved"]
    clock.tick(timedelta(minutes=61))
    assert outcomes(send(ALERTS, ALERT)) == ["created"]
    first, second = sorted(stored_rows(with_people, incidents), key=lambda row: row["opened_at"])
    assert (first["status"], second["status"], second["related_to"]) == ("resolved", "open", first["id"])


def test_several_alerts_in_one_body_each_have_their_answer(send, with_people):
    body = {"alerts": [ALERT, {**ALERT, "dedupe_key": "cpu"}, {**ALERT, "status": "resolved"}]}
    assert outcomes(send(ALERTS, body)) == ["created", "created", "resolved"]
    assert len(stored_rows(with_people, incidents)) == 2


ALERTMANAGER = {
    "version": "4",
    "groupKey": "{}",
    "status": "firing",
    "receiver": "hq",
    "groupLabels": {},
    "commonLabels": {},
    "commonAnnotations": {},
    "externalURL": "http://am",
    "truncatedAlerts": 0,
    "alerts": [
        {
            "status": "firing",
            "labels": {"alertname": "HighLatency", "severity": "warning"},
            "annotations": {"summary": "Latency is high"},
            "startsAt": "2026-11-20T08:00:00.123456789Z",
            "endsAt": "0001-01-01T00:00:00Z",
            "generatorURL": "http://p",
            "fingerprint": "f1",
        },
        {
            "status": "resolved",
            "labels": {"alertname": "Down"},
            "annotations": {},
            "startsAt": "2026-11-20T07:00:00Z",
            "endsAt": "2026-11-20T08:00:00Z",
            "generatorURL": "",
            "fingerprint": "f2",
        },
    ],
}


def test_four_monitors_are_recognised_without_being_told(send, with_people):
    grafana = {
        **ALERTMANAGER,
        "version": "1",
        "orgId": 1,
        "state": "alerting",
        "title": "[FIRING]",
        "alerts": [{**ALERTMANAGER["alerts"][0], "silenceURL": "http://g", "valueString": ""}],
    }
    datadog = {
        "id": "9",
        "title": "[Triggered] CPU",
        "body": "%%%\nx\n%%%",
        "alert_id": "7",
        "alert_scope": "host:a",
        "alert_transition": "Triggered",
        "alert_type": "error",
    }
    pagerduty = {
        "event": {
            "id": "E1",
            "event_type": "incident.triggered",
            "resource_type": "incident",
            "occurred_at": "2026-11-20T08:00:00Z",
            "agent": None,
            "client": None,
            "data": {
                "id": "P1",
                "type": "incident",
                "status": "triggered",
                "title": "Pager",
                "urgency": "high",
                "priority": None,
            },
        }
    }
    assert outcomes(send(ALERTS, ALERTMANAGER)) == ["created", "no_open_incident"]
    assert outcomes(send(ALERTS, grafana)) == ["created"]
    assert outcomes(send(ALERTS, datadog)) == ["created"]
    assert outcomes(send(ALERTS, pagerduty)) == ["created"]
    assert outcomes(send(ALERTS, pagerduty)) == ["replayed"], "at-least-once senders repeat themselves"
    assert sorted((row["source"], row["severity"]) for row in stored_rows(with_people, incidents)) == [
        ("alertmanager", "medium"),
        ("datadog", "high"),
        ("grafana", "medium"),
        ("pagerduty", "high"),
    ]


def test_of_a_batch_the_good_alerts_are_taken_and_the_others_named(send, with_people):
    body = {"alerts": [ALERT, {"status": "firing"}, {**ALERT, "dedupe_key": "b", "severity": "purple"}]}
    answer = send(ALERTS, body)
    assert outcomes(answer) == ["created"]
    assert (answer.json["received"], answer.json["taken"]) == (3, 1)
    assert answer.json["refused"] == [
        {"place": "alerts[1]", "reason": "alerts[1].title must be a text; got nothing."},
        {"place": "alerts[2]", "reason": f"alerts[2].severity must be {EXPECTED_SEVERITY}; got 'purple'."},
    ]
    letters = [row for row in stored_rows(with_people, ingest_payloads) if row["state"] == "unread"]
    assert [json.loads(unpack_body(row["body"])) for row in letters] == [{"alerts": body["alerts"][1:]}]
    assert outcomes(send(ALERTS, body)) == ["deduplicated"]
    letters = [row for row in stored_rows(with_people, ingest_payloads) if row["state"] == "unread"]
    assert [row["times"] for row in letters] == [2], "the same refused alerts are kept once"
    assert_provable(with_people)


@pytest.mark.parametrize(
    ("body", "status", "error"),
    [
        (b"not json", 400, "invalid_body"),
        (b"", 400, "invalid_body"),
        (b"[" * 100_000 + b"]" * 100_000, 400, "invalid_body"),
        ({"hello": "world"}, 400, "unknown_alert_shape"),
        (b'{"title": "x\\ud800y", "status": "firing"}', 400, "invalid_body"),
        (b'{"title": "x\\ud800", "status": "firing"}', 400, "invalid_body"),
        ({**ALERT, "severity": "purple"}, 400, "invalid_alert"),
        ({**ALERT, "title": ""}, 400, "invalid_alert"),
        ({"alerts": [{"status": "firing"}, {**ALERT, "severity": "purple"}]}, 400, "invalid_alert"),
        (b" " * (16 * 1024 * 1024 + 1), 413, "body_too_large"),
    ],
)
def test_a_bad_body_writes_nothing(body, status, error, send, with_people):
    head = with_people.head("acme")
    answer = send(ALERTS, body)
    assert (answer.status, answer.json["error"]) == (status, error)
    assert with_people.head("acme") == head
    assert stored_rows(with_people, incidents) == []


def test_an_unknown_shape_lists_the_known_ones(send):
    message = send(ALERTS, {"hello": "world"}).body.decode().lower()
    assert all(name in message for name in ("alertmanager", "grafana", "datadog", "pagerduty"))


def test_odd_characters_in_a_title_are_kept_out_and_the_alert_is_taken(send, with_people):
    raw = b'{"title": "a\\u0000b <b>\\ud83d\\ude00", "status": "firing"}'
    assert outcomes(send(ALERTS, raw)) == ["created"]
    (incident,) = stored_rows(with_people, incidents)
    assert "\x00" not in incident["title"]
    assert "\U0001f600" in incident["title"]


def sign(body, at=NOW, secret="one"):
    stamp = str(int(at.timestamp()))
    value = hmac.new(secret.encode(), stamp.encode() + b"." + body, sha256).hexdigest()
    return f"t={stamp},v1={value}"


@pytest.mark.parametrize(
    ("signature", "status"),
    [
        (lambda body: sign(body), 200),
        (lambda body: sign(body, secret="two"), 200),
        (lambda body: sign(body, secret="old") + "," + sign(body).split(",")[1], 200),
        (lambda body: sign(body, secret="three"), 401),
        (lambda body: sign(body + b" "), 401),
        (lambda body: sign(body, at=NOW - timedelta(minutes=6)), 401),
        (lambda body: sign(body, at=NOW + timedelta(minutes=6)), 401),
        (lambda body: sign(body).replace("v1=", "v0="), 401),
        (lambda body: "t=,v1=", 401),
        (lambda body: "ü", 401),
        (lambda body: "", 401),
    ],
)
def test_where_secrets_are_set_alerts_are_signed(signature, status, environment, request, with_people):
    environment["SVC_ALERT_WEBHOOK_SIGNING_SECRET"] = "one, two"
    send = request.getfixturevalue("send")
    body = msgspec.json.encode(ALERT)
    answer = send(ALERTS, body, x_svc_signature=signature(body))
    assert answer.status == status
    assert len(stored_rows(with_people, incidents)) == (status == 200)
    if status == 401:
        assert answer.json["error"] == "invalid_signature"


def of_sender(name, secret="two", before=b"", form="{}", **more):
    """The headers of a monitor that signs with a scheme of its own."""

    def headers(body):
        return {name: form.format(hmac.new(secret.encode(), before + body, sha256).hexdigest()), **more}

    return headers


SECONDS = str(int(NOW.timestamp()))
OLD = str(int(NOW.timestamp()) - 301)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        (of_sender("x_pagerduty_signature", form="v1={}"), 200),
        (of_sender("x_pagerduty_signature", form="v1=00,v1={}"), 200),
        (of_sender("x_pagerduty_signature", form="v0={}"), 401),
        (of_sender("x_pagerduty_signature", form="v1={}", secret="three"), 401),
        (of_sender("sentry_hook_signature"), 200),
        (of_sender("sentry_hook_signature", before=b" "), 401),
        (of_sender("sentry_hook_signature", form="é"), 401),
        (of_sender("x_grafana_alerting_signature"), 200),
        (of_sender("x_grafana_alerting_signature", before=f"{SECONDS}:".encode()), 401),
        (
            of_sender(
                "x_grafana_alerting_signature", before=f"{SECONDS}:".encode(), x_grafana_alerting_timestamp=SECONDS
            ),
            200,
        ),
        (of_sender("x_grafana_alerting_signature", before=f"{OLD}:".encode(), x_grafana_alerting_timestamp=OLD), 401),
        (of_sender("x_grafana_alerting_signature", before=b":", x_grafana_alerting_timestamp=""), 401),
        (of_sender("sentry_hook_signature", x_svc_signature=""), 401),
        (lambda body: {}, 401),
    ],
)
def test_a_monitor_may_sign_with_a_scheme_of_its_own(headers, status, environment, request, with_people):
    environment["SVC_ALERT_WEBHOOK_SIGNING_SECRET"] = "one, two"
    send = request.getfixturevalue("send")
    body = msgspec.json.encode(ALERT)
    answer = send(ALERTS, body, **headers(body))
    assert answer.status == status
    assert len(stored_rows(with_people, incidents)) == (status == 200)


def test_the_plan_gate(environment, request, with_people):
    environment["SVC_ALERT_INGEST_PLANS"] = "pro,team"
    send = request.getfixturevalue("send")
    answer = send(ALERTS, ALERT)
    assert (answer.status, answer.json["error"]) == (403, "plan_required")
    with with_people.revision("acme", "billing", now=NOW) as revision:
        revision.update(organizations, {}, {"plan": "pro"})
        revision.record("plan.changed")
    assert send(ALERTS, ALERT).status == 200


def test_too_many_bodies_are_429_with_the_time_to_wait(environment, request, token):
    """Under the real clock: the counter's own thread does not see a frozen one."""
    environment["SVC_INGEST_PER_MINUTE"] = "2"
    client = Client(request.getfixturevalue("console"))
    answers = [client.post(ALERTS, ALERT, authorization=f"Bearer {token}")]
    while answers[-1].status == 200 and len(answers) < 5:  # of each minute two, and one minute may end meanwhile
        answers.append(client.post(ALERTS, ALERT, authorization=f"Bearer {token}"))
    *taken, refused = answers
    assert ([answer.status for answer in taken], refused.status) == ([200] * len(taken), 429)
    assert len(taken) >= 2
    assert (refused.json["error"], int(refused.headers["retry-after"]) > 0) == ("rate_limited", True)


def finding(number=1, **values):
    return {"finding_id": f"F{number}", "host": f"host{number}", "title": "Old library", "severity": "high", **values}


def tally(answer):
    assert answer.status == 200, answer.json
    return {k: v for k, v in answer.json.items() if isinstance(v, int) and v}


def test_a_high_finding_opens_one_incident_and_never_a_second(send, with_people):
    assert tally(send(VULNERABILITIES, finding())) == {"received": 1, "created": 1, "incidents_opened": 1}
    assert tally(send(VULNERABILITIES, finding())) == {"received": 1, "unchanged": 1}
    assert tally(send(VULNERABILITIES, finding(title="Older library"))) == {"received": 1, "updated": 1}
    assert len(stored_rows(with_people, incidents)) == 1
    (row,) = stored_rows(with_people, findings)
    assert (row["title"], row["incident_id"]) == ("Older library", stored_rows(with_people, incidents)[0]["id"])


def test_first_seen_stays_and_last_seen_moves(send, with_people, clock):
    send(VULNERABILITIES, finding())
    clock.tick(timedelta(days=2))
    send(VULNERABILITIES, finding())
    (row,) = stored_rows(with_people, findings)
    assert (row["first_seen_at"], row["last_seen_at"]) == (NOW, NOW + timedelta(days=2))


def test_a_fixed_finding_resolves_its_incident_and_comes_back_with_a_new_one(send, with_people, clock):
    send(VULNERABILITIES, finding())
    assert tally(send(VULNERABILITIES, finding(status="fixed"))) == {"received": 1, "fixed": 1}
    assert [row["status"] for row in stored_rows(with_people, incidents)] == ["resolved"]
    clock.tick(timedelta(days=1))
    assert tally(send(VULNERABILITIES, finding())) == {"received": 1, "reopened": 1, "incidents_opened": 1}
    assert sorted(row["status"] for row in stored_rows(with_people, incidents)) == ["open", "resolved"]


def test_medium_findings_open_nothing_until_they_rise(send, with_people):
    send(VULNERABILITIES, finding(severity="medium"))
    assert stored_rows(with_people, incidents) == []
    assert tally(send(VULNERABILITIES, finding(severity="critical"))) == {
        "received": 1,
        "updated": 1,
        "incidents_opened": 1,
    }


def test_a_complete_scan_closes_what_is_gone_on_its_hosts(send, with_people):
    send(VULNERABILITIES, [finding(1), finding(2, host="host1"), finding(3)])
    answer = send(VULNERABILITIES, {"complete": True, "findings": [finding(1)]})
    assert answer.json["closed_as_missing"] == 1
    rows = stored_rows(with_people, findings, order=["finding_key"])
    assert [(row["finding_key"][-2:], row["status"]) for row in rows] == [
        ("F1", "open"),
        ("F2", "fixed"),
        ("F3", "open"),
    ]


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ({"finding_id": "F1", "title": "x", "severity": "high"}, "invalid_finding"),
        (finding(severity="purple"), "invalid_finding"),
        (b'[{"finding_id": "F1", "host": "h", "title": "x\\ud800y", "severity": "high"}]', "invalid_body"),
        (b"not json", "invalid_body"),
        (b"[" * 100_000 + b"]" * 100_000, "invalid_body"),
        ([finding(1), {"finding_id": "F2"}], "invalid_finding"),
        ({"foo": 1}, "unknown_finding_shape"),
        ([], "no_findings"),
        (b"<x><!DOCTYPE", "invalid_body"),
        (b"<x/>", "unknown_finding_shape"),
    ],
)
def test_bad_findings_write_nothing(body, error, send, with_people):
    head = with_people.head("acme")
    answer = send(VULNERABILITIES, body)
    assert (answer.status, answer.json["error"]) == (400, error)
    assert with_people.head("acme") == head


@pytest.mark.real
def test_a_thousand_findings_in_one_body(send, with_people):
    body = [finding(n, severity=("critical", "high", "medium", "low")[n % 4]) for n in range(1000)]
    assert tally(send(VULNERABILITIES, body)) == {"received": 1000, "created": 1000, "incidents_opened": 500}
    assert tally(send(VULNERABILITIES, body)) == {"received": 1000, "unchanged": 1000}
    assert len(stored_rows(with_people, incidents)) == 500
    assert with_people.verify("acme").ok


def password(secret, user="hq"):
    return f"Basic {base64.b64encode(f'{user}:{secret}'.encode()).decode()}"


SNS = {"x_amz_sns_message_type": "Notification", "content_type": "text/plain; charset=UTF-8"}


def test_a_sender_that_knows_no_bearer_token_sends_it_as_a_password(token, sign_in, with_people):
    client = sign_in(None)
    alarm = msgspec.json.encode(bodies.cloudwatch_alarm()).decode()
    body = bodies.sns(Message=alarm)
    asked = client.post(ALERTS, body, **SNS)
    assert (asked.status, asked.headers["www-authenticate"]) == (401, 'Basic realm="Ingest", charset="UTF-8"')
    assert outcomes(client.post(ALERTS, body, authorization=password(token), **SNS)) == ["created"]
    assert outcomes(client.post(ALERTS, body, authorization=password(token, ""), **SNS)) == ["replayed"]
    assert [row["title"] for row in stored_rows(with_people, incidents)] == ["QueueDepth"]


def test_a_token_comes_as_a_password_only_where_that_was_asked_for(sign_in, with_people):
    client, stranger = sign_in(), sign_in(None)
    for asked, allowed in (({}, False), ({"basic_auth": False}, False), ({"basic_auth": True}, True)):
        made = client.post("/api/user/alert-ingest-tokens", asked).json
        assert made["basic_auth"] is allowed
        answer = stranger.post(ALERTS, ALERT, authorization=password(made["secret"]))
        assert answer.status == (200 if allowed else 401)
        assert stranger.post(ALERTS, ALERT, authorization=f"Bearer {made['secret']}").status == 200
        if not allowed:
            assert '"basic_auth": true' in answer.json["message"]


@pytest.mark.parametrize("header", [None, "Basic", "Basic !!!", "Basic é", password(""), password("svc_ingest_x")])
def test_a_wrong_password_opens_nothing(header, token, sign_in, with_people):
    answer = sign_in(None).post(ALERTS, ALERT, **({"authorization": header} if header else {}))
    assert (answer.status, answer.headers["www-authenticate"]) == (401, "Bearer")
    assert stored_rows(with_people, incidents) == []


def test_a_title_alone_opens_an_incident_and_with_resolved_closes_it(send, with_people):
    assert outcomes(send(ALERTS, {"title": "Disk full"})) == ["created"]
    assert outcomes(send(ALERTS, {"title": "Disk full"})) == ["deduplicated"]
    assert outcomes(send(ALERTS, {"title": "Disk full", "status": "resolved"})) == ["resolved"]
    assert [(row["title"], row["status"]) for row in stored_rows(with_people, incidents)] == [("Disk full", "resolved")]


@pytest.mark.parametrize(
    ("body", "note"),
    [
        (bodies.sns_subscription(), "aws sns confirm-subscription --region eu-west-1 --topic-arn arn:aws:sns:"),
        (bodies.sentry("created", {"comment": "On it"}), "comment.created is not about an alert"),
        (bodies.newrelic_channel(current_state="test"), "A test of the notification channel."),
        (bodies.pagerduty("pagey.ping", {"message": "Hello"}), "pagey.ping is not about an incident"),
        ({**bodies.cloudwatch_event(), "detail-type": "CloudWatch Alarm Configuration Change"}, "no alarm's state"),
    ],
)
def test_what_is_not_about_an_alert_is_accepted_and_logged_for_the_operator(body, note, send, with_people, caplog):
    with caplog.at_level("INFO", logger="hq"):
        assert outcomes(send(ALERTS, body)) == ["ignored"]
    assert note in caplog.text
    (kept,) = stored_rows(with_people, ingest_payloads)
    assert (kept["state"], note in kept["reason"]) == ("ignored", True)
    assert stored_rows(with_people, incidents) == []
