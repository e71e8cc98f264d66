"""Prometheus Alertmanager."""

from datetime import UTC, datetime

import pytest

from engine.intake.alerts import Alert, read_alerts
from engine.model.errors import BadRequest
from tests.intake.bodies import FINGERPRINT, RECEIVED, alertmanager, alertmanager_alert, at

YEAR_1 = "0001-01-01T00:00:00Z"


def read(*alerts, **changes):
    return read_alerts(alertmanager(*alerts, **changes), received_at=RECEIVED)


def test_a_firing_alert():
    assert read(alertmanager_alert()) == [
        Alert(
            source="alertmanager",
            dedupe_key=f"alertmanager:{FINGERPRINT}",
            state="firing",
            title="Checkout fails",
            severity="critical",
            severity_text="critical",
            severity_given=True,
            description="5xx rate is 11 %",
            service="checkout",
            host="web1",
            started_at=at(8, 12).replace(microsecond=123456),
            occurred_at=at(8, 12).replace(microsecond=123456),
            dated_by_start=True,
            link="http://prometheus.example:9090/graph?g0.expr=up",
            links={
                "source": "http://prometheus.example:9090/graph?g0.expr=up",
                "monitor": "http://alertmanager.example:9093",
            },
            annotations={"summary": "Checkout fails", "description": "5xx rate is 11 %"},
            labels={
                "alertname": "HighErrorRate",
                "instance": "web1:9100",
                "service": "checkout",
                "severity": "critical",
            },
            origin="alertmanager",
        )
    ]


def test_a_resolved_alert_has_an_end_and_no_severity_to_raise_by():
    (alert,) = read(alertmanager_alert(status="resolved", endsAt="2026-11-20T08:25:00Z"))
    assert (alert.state, alert.ended_at, alert.occurred_at) == ("resolved", at(8, 25), at(8, 25))
    assert (alert.severity, alert.severity_text, alert.severity_given) == ("info", "critical", False)
    assert alert.dedupe_key == f"alertmanager:{FINGERPRINT}"


def test_one_message_holds_firing_and_resolved_alerts_whatever_the_group_is():
    alerts = read(
        alertmanager_alert(),
        alertmanager_alert(status="resolved", fingerprint="b"),
        alertmanager_alert(fingerprint="c"),
    )
    assert [(alert.state, alert.dedupe_key) for alert in alerts] == [
        ("firing", f"alertmanager:{FINGERPRINT}"),
        ("resolved", "alertmanager:b"),
        ("firing", "alertmanager:c"),
    ]


@pytest.mark.parametrize(
    ("changes", "group", "state"),
    [
        ({"status": None}, {"status": "resolved"}, "resolved"),
        ({"status": ""}, {"status": None, "version": "3", "groupKey": 123}, "firing"),
        ({"status": None, "endsAt": "2026-11-20T08:20:00Z"}, {"status": None}, "resolved"),
        ({"status": None, "endsAt": "2026-11-20T09:20:00Z"}, {"status": None}, "firing"),
        ({"status": "FIRING"}, {}, "firing"),
    ],
)
def test_a_missing_status_is_the_group_s_or_follows_from_the_end(changes, group, state):
    assert read(alertmanager_alert(**changes), **group)[0].state == state


def test_without_a_fingerprint_the_key_is_of_the_labels_in_any_order():
    labels = {"alertname": "A", "instance": "x", "severity": "page"}
    turned = dict(reversed(labels.items()))
    first, second, other = read(
        alertmanager_alert(fingerprint=None, labels=labels),
        alertmanager_alert(fingerprint="", labels=turned),
        alertmanager_alert(fingerprint="null", labels={**labels, "instance": "y"}),
    )
    assert first.dedupe_key == second.dedupe_key != other.dedupe_key
    assert first.dedupe_key.startswith("alertmanager:labels-")


def test_equal_labels_with_different_fingerprints_are_two_problems():
    first, second = read(alertmanager_alert(), alertmanager_alert(fingerprint="other"))
    assert first.dedupe_key != second.dedupe_key


@pytest.mark.parametrize(
    ("annotations", "title"),
    [
        ({"summary": "S", "title": "T"}, "S"),
        ({"summary": "null", "title": "T", "message": "M"}, "T"),
        ({"message": "M"}, "M"),
        ({}, "HighErrorRate"),
        (None, "HighErrorRate"),
    ],
)
def test_the_title_is_the_first_that_is_there(annotations, title):
    assert read(alertmanager_alert(annotations=annotations))[0].title == title


def test_everything_optional_may_be_missing():
    (alert,) = read({"fingerprint": "f"}, commonLabels=None, status=None, externalURL=None)
    assert alert == Alert(
        "alertmanager", "alertmanager:f", "firing", "Alert without a title", origin="alertmanager", dated_by_start=True
    )


def test_an_end_is_never_after_the_receipt_and_a_start_is_the_senders():
    (alert,) = read(alertmanager_alert(status="resolved", startsAt="2027-01-01T00:00:00Z", endsAt=YEAR_1))
    assert (alert.started_at, alert.ended_at) == (datetime(2027, 1, 1, tzinfo=UTC), RECEIVED)


def test_a_cut_group_says_so_and_closes_nothing():
    assert (
        read(alertmanager_alert(), truncatedAlerts="12")[0].note == "The sender left 12 more alerts of this group out."
    )


def test_a_body_without_alerts_says_where_they_belong():
    with pytest.raises(BadRequest, match="alerts must be a list of at least one alert; got a list of 0") as raised:
        read()
    assert raised.value.word == "no_alerts"


@pytest.mark.parametrize(
    ("alert", "field", "expected", "found"),
    [
        (alertmanager_alert(status="purple"), "alerts[1].status", "firing or resolved", "'purple'"),
        (alertmanager_alert(status={"state": "active"}), "alerts[1].status", "firing or resolved", "an object"),
        (alertmanager_alert(labels=["a"]), "alerts[1].labels", "an object of names and values", "a list of 1"),
        ("text", "alerts[1]", "an object with status and labels", "'text'"),
        (None, "alerts[1]", "an object with status and labels", "nothing"),
    ],
)
def test_a_malformed_alert_refuses_the_body_and_names_the_field(alert, field, expected, found):
    with pytest.raises(BadRequest) as raised:
        read(alertmanager_alert(), alert)
    assert raised.value.word == "invalid_alert"
    assert raised.value.details == [{"index": 1, "field": field, "expected": expected, "found": found}]
    assert raised.value.message == (
        f"1 of 2 alerts cannot be read, so nothing was taken: {field} must be {expected}; got {found}."
    )


def test_an_alert_without_fingerprint_and_labels_is_refused():
    with pytest.raises(BadRequest, match="labels must be there where the fingerprint is missing; got nothing"):
        read({"status": "firing", "startsAt": None}, commonLabels={})


def test_alerts_that_are_no_list_are_refused():
    with pytest.raises(BadRequest, match="alerts must be a list of alerts; got an object"):
        read_alerts({**alertmanager(), "alerts": {}}, received_at=RECEIVED)


@pytest.mark.parametrize(
    ("labels", "annotations", "runbook"),
    [
        ({"a": "b"}, {"runbook_url": "https://wiki/1"}, "https://wiki/1"),
        ({"a": "b", "runbook": "https://wiki/2"}, {"runbook": "see the wiki"}, "https://wiki/2"),
        ({"a": "b"}, {"runbook_url": "javascript:alert(1)"}, None),
        ({"a": "b"}, {}, None),
    ],
)
def test_the_runbook_is_the_first_address_that_is_named_so(labels, annotations, runbook):
    (alert,) = read(alertmanager_alert(labels=labels, annotations=annotations))
    assert alert.runbook_url == runbook


def test_annotations_keep_no_secrets_and_the_value_is_read():
    notes = {"summary": "Hot", "value": "97", "api_token": "abc"}
    (alert,) = read(alertmanager_alert(annotations=notes))
    assert alert.annotations == {"summary": "Hot", "value": "97", "api_token": "[redacted]"}
    assert alert.value == "97"
