"""Sentry's integration platform."""

import pytest

from engine.intake.alerts import Alert, read_alerts
from engine.model.errors import BadRequest
from tests.intake.bodies import RECEIVED, at, sentry, sentry_issue, sentry_metric, sentry_rule

KEY = "sentry:1170820242"


def read(body):
    (alert,) = read_alerts(body, received_at=RECEIVED)
    return alert


def test_a_new_issue():
    assert read(sentry_issue()) == Alert(
        source="sentry",
        dedupe_key=KEY,
        state="firing",
        title="ZeroDivisionError: division by zero",
        severity="high",
        severity_text="error",
        severity_given=True,
        description="shop.cart in total",
        service="shop",
        started_at=at(8, 15),
        occurred_at=at(8, 15),
        link="https://acme.sentry.io/issues/1170820242/",
        links={"source": "https://acme.sentry.io/issues/1170820242/"},
        labels={"issue": "SHOP-3Q", "platform": "python", "project": "shop", "substatus": "new"},
        origin="sentry",
        note="issue.created by Sentry",
    )


@pytest.mark.parametrize(
    ("action", "state"),
    [
        ("unresolved", "firing"),
        ("resolved", "resolved"),
        ("assigned", "update"),
        ("archived", "update"),
        ("ignored", "update"),
        ("something_new", "update"),
    ],
)
def test_what_happens_to_an_issue(action, state):
    alert = read(sentry_issue(action))
    assert (alert.dedupe_key, alert.state, alert.note) == (KEY, state, f"issue.{action} by Sentry")
    assert (alert.started_at, alert.occurred_at) == (None, None), "the body does not say when"


def test_a_rule_and_its_issue_are_one_problem():
    assert read(sentry_rule()) == Alert(
        source="sentry",
        dedupe_key=KEY,
        state="firing",
        title="ZeroDivisionError: division by zero",
        severity="critical",
        severity_text="fatal",
        severity_given=True,
        description="shop.cart in total",
        service="shop",
        host="web-3",
        started_at=at(8, 15),
        occurred_at=at(8, 15),
        link="https://acme.sentry.io/issues/1170820242/events/e4874d664c3540c1a32eab185f12c5ab/",
        links={"source": "https://acme.sentry.io/issues/1170820242/events/e4874d664c3540c1a32eab185f12c5ab/"},
        labels={
            "browser": "Chrome 75",
            "environment": "production",
            "release": "shop@2.4.1",
            "rule": "Fatal errors of the shop",
            "server_name": "web-3",
        },
        event_id="sentry:e4874d664c3540c1a32eab185f12c5ab|Fatal errors of the shop",
        origin="sentry",
        note="The rule Fatal errors of the shop triggered.",
    )


@pytest.mark.parametrize(
    ("level", "severity"),
    [("fatal", "critical"), ("error", "high"), ("warning", "medium"), ("info", "info"), ("debug", "info")],
)
def test_levels(level, severity):
    alert = read(sentry_issue(level=level))
    assert (alert.severity, alert.severity_given) == (severity, True)
    assert read(sentry_issue(level="loud")).severity_given is False


def test_a_metric_alert_has_a_key_of_its_own_and_ends_when_it_closed():
    alert = read(sentry_metric())
    assert (alert.dedupe_key, alert.state, alert.title) == ("sentry:metric|77", "firing", "Too many errors")
    assert (alert.severity, alert.service, alert.started_at, alert.occurred_at) == (
        "critical",
        "shop",
        at(8, 10),
        at(8, 12),
    )
    assert (alert.value, alert.link) == (
        "1000 events in the last 10 minutes",
        "https://acme.sentry.io/alerts/rules/details/77/",
    )
    assert (read(sentry_metric("warning")).severity, read(sentry_metric("open")).severity_given) == ("medium", False)
    closed = read(sentry_metric("resolved", date_closed="2026-11-20T08:20:00Z"))
    assert (closed.dedupe_key, closed.state, closed.ended_at, closed.occurred_at) == (
        "sentry:metric|77",
        "resolved",
        at(8, 20),
        at(8, 20),
    )


@pytest.mark.parametrize(
    ("action", "data", "title"),
    [
        ("created", {"installation": {"uuid": "u"}}, "installation.created"),
        ("created", {"comment": "On it", "issue_id": 1170820242}, "comment.created"),
        ("created", {"error": {"issue_id": "1170820242"}}, "error.created"),
        ("something", {}, "event.something"),
    ],
)
def test_what_is_not_about_an_alert_is_ignored(action, data, title):
    alert = read(sentry(action, data))
    assert (alert.state, alert.title, alert.note) == ("ignored", title, f"{title} is not about an alert")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (sentry_issue(id=None), "data.issue.id must be the identifier; got nothing"),
        (sentry_rule(issue_id=["1"]), "data.event.issue_id must be the identifier; got a list of 1"),
        (sentry_metric(id=""), "data.metric_alert.id must be the identifier; got ''"),
        (sentry_metric("loud"), "action must be critical, warning or resolved; got 'loud'"),
    ],
)
def test_a_broken_message_names_the_field(body, message):
    with pytest.raises(BadRequest, match=message):
        read(body)
