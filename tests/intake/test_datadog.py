"""Datadog, whose bodies are templates."""

import pytest

from engine.intake.alerts import Alert, read_alerts
from tests.intake.bodies import RECEIVED, at, datadog, datadog_default

OPEN = ("Triggered", "Re-Triggered", "Warn", "Re-Warn", "No Data", "Re-No Data", "Renotify")


def read(body):
    (alert,) = read_alerts(body, received_at=RECEIVED)
    return alert


def test_the_recommended_template():
    assert read(datadog()) == Alert(
        source="datadog",
        dedupe_key="datadog:8812|env:prod,host:db1",
        state="firing",
        title="Disk is 93 % full on db1",
        severity="high",
        severity_text="P2",
        severity_given=True,
        description="Disk is filling. @slack-ops",
        service="orders",
        host="db1",
        started_at=at(8, 15),
        occurred_at=at(8, 15),
        link="https://app.datadoghq.com/event/event?id=7391827364",
        links={"source": "https://app.datadoghq.com/event/event?id=7391827364"},
        labels={"env": "prod", "monitor": "true", "service": "orders", "team": "a, b"},
        event_id="datadog:7391827364",
        origin="datadog",
        note="Triggered",
    )


def test_a_recovery_has_the_same_key_although_its_title_changed():
    alert = read(
        datadog(
            title="[Recovered on {env:prod,host:db1}] Disk is 20 % full on db1",
            alert_transition="Recovered",
            alert_type="success",
            alert_scope="env:prod, host:db1",
            id="7391827399",
        )
    )
    assert (alert.state, alert.dedupe_key) == ("resolved", "datadog:8812|env:prod,host:db1")
    assert (alert.ended_at, alert.severity_given, alert.event_id) == (at(8, 15), False, "datadog:7391827399")


def test_the_default_template_is_read_by_title_and_link():
    alert = read(datadog_default())
    assert (alert.state, alert.dedupe_key, alert.title) == ("firing", "datadog:8812|host:db1", "Disk is 93 % full")
    assert (alert.severity, alert.severity_given) == ("medium", False)
    recovered = read(datadog_default(title="[Recovered on {host:db1}] Disk is 20 % full"))
    assert (recovered.state, recovered.dedupe_key) == ("resolved", alert.dedupe_key)


@pytest.mark.parametrize(("transition", "state"), [*((word, "firing") for word in OPEN), ("Recovered", "resolved")])
def test_transitions(transition, state):
    assert read(datadog(alert_transition=transition.upper())).state == state
    assert read(datadog_default(title=f"[{transition} on {{host:db1}}] Disk")).state == state


@pytest.mark.parametrize(
    ("kind", "state"), [("error", "firing"), ("warning", "firing"), ("success", "resolved"), ("info", "update")]
)
def test_without_a_transition_the_type_decides(kind, state):
    assert read(datadog(alert_transition="$ALERT_TRANSITION", title="Disk", alert_type=kind)).state == state


def test_an_event_that_is_of_no_monitor_opens_nothing():
    """The recommended template fills in ``null`` for all that is of a monitor."""
    absent = dict.fromkeys(("alert_id", "alert_scope", "alert_transition", "alert_cycle_key", "aggregate"), "null")
    event = {"id": "7", "title": "A comment", "body": "@webhook-hq look", "link": "https://app.datadoghq.com/event/1"}
    alert = read({**event, **absent, "alert_type": "info"})
    assert (alert.source, alert.state, alert.note) == ("datadog", "ignored", "The event is of no monitor.")
    assert read({**event, **absent, "alert_type": "error"}).state == "firing"


@pytest.mark.parametrize("absent", ["Null", "null", "", None, "$ALERT_TRANSITION"])
def test_nothing_said_is_taken_as_firing(absent):
    alert = read(datadog(alert_transition=absent, title="Disk", alert_type=absent))
    assert (alert.state, alert.note) == ("firing", "No transition was sent; taken as firing.")


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"alert_scope": "*"}, "datadog:8812|env:prod,host:db1"),
        ({"alert_scope": None, "title": "Disk"}, "datadog:8812|"),
        ({"alert_id": None, "monitor_id": 99}, "datadog:99|env:prod,host:db1"),
        ({"alert_id": "0"}, "datadog:group|15620"),
        ({"alert_id": None, "link": "https://app.datadoghq.eu/monitors#55"}, "datadog:55|env:prod,host:db1"),
        ({"alert_id": "$ALERT_ID", "alert_cycle_key": "$ALERT_CYCLE_KEY", "aggreg_key": "g"}, "datadog:group|g"),
        ({"alert_id": None, "alert": {"alert_id": 5}}, "datadog:5|env:prod,host:db1"),
        ({"alert_scope": ["env:prod", "host:db1"]}, "datadog:8812|env:prod,host:db1"),
        ({"alert_scope": None, "title": "Disk", "aggregate": "9bd4"}, "datadog:8812||9bd4"),
        ({"alert_scope": None, "title": "Disk", "aggreg_key": "9bd4", "aggregate": "x"}, "datadog:8812||9bd4"),
        ({"alert_scope": None, "aggregate": "9bd4"}, "datadog:8812|env:prod,host:db1"),
        ({"alert_scope": "*", "title": "Disk", "aggregate": "9bd4"}, "datadog:8812|"),
        ({"alert_scope": "host:a", "title": "Disk", "aggregate": "9bd4"}, "datadog:8812|host:a"),
    ],
)
def test_keys(changes, key):
    assert read(datadog(**changes)).dedupe_key == key


def test_the_title_is_the_last_resort_for_a_key():
    bare = {"alert_id": None, "alert_cycle_key": None, "alert_scope": None}
    first = read(datadog(title="[Triggered on {host:a}] Disk  is full", **bare))
    assert first.dedupe_key == read(datadog(title="[Recovered on {host:a}] disk is FULL", **bare)).dedupe_key
    assert first.dedupe_key != read(datadog(title="[Triggered on {host:b}] Disk is full", **bare)).dedupe_key
    assert first.dedupe_key.startswith("datadog:title|")


@pytest.mark.parametrize(
    ("changes", "level", "given"),
    [
        ({}, "high", True),
        ({"alert_priority": "P5"}, "info", True),
        ({"alert_priority": None, "priority": "normal", "title": "Disk"}, "high", True),
        ({"alert_priority": None, "title": "Disk", "alert_type": "warning"}, "medium", True),
        ({"alert_priority": None, "title": "Disk", "alert_type": "info"}, "info", True),
        ({"alert_priority": None, "alert_type": None}, "high", True),
        ({"alert_priority": None, "alert_type": None, "title": "Disk"}, "medium", False),
    ],
)
def test_priority_before_type(changes, level, given):
    alert = read(datadog(**changes))
    assert (alert.severity, alert.severity_given) == (level, given)


def test_what_was_measured_and_its_graph():
    alert = read(datadog(alert_status="disk > 90 %", snapshot="https://p.datadoghq.com/snapshot/1.png"))
    assert (alert.value, alert.image_url) == ("disk > 90 %", "https://p.datadoghq.com/snapshot/1.png")
    bare = read(datadog(alert_status="$ALERT_STATUS", snapshot="null"))
    assert (bare.value, bare.image_url) == (None, None)


def test_a_secret_in_the_body_is_not_kept():
    alert = read(datadog(secret="s3cr3t", tags={"api_key": "s3cr3t"}, body="%%%\npassword=s3cr3t\n%%%"))
    assert "s3cr3t" not in repr(alert)
    assert alert.labels == {"api_key": "[redacted]"}


def test_a_body_with_its_own_event_object_is_still_datadog():
    assert read(datadog(event={"event_type": "deploy.finished", "data": 1})).source == "datadog"
