"""Grafana: unified alerting and legacy panel alerts."""

import pytest

from engine.intake.alerts import read_alerts
from engine.model.errors import BadRequest
from tests.intake.bodies import FINGERPRINT, RECEIVED, alertmanager, at, grafana, grafana_alert, grafana_panel


def read(body):
    return read_alerts(body, received_at=RECEIVED)


def test_a_firing_alert_has_the_organization_in_its_key():
    (alert,) = read(grafana(grafana_alert()))
    assert (alert.source, alert.dedupe_key, alert.state) == ("grafana", f"grafana:7|{FINGERPRINT}", "firing")
    assert (alert.title, alert.severity, alert.service) == ("HighErrorRate", "critical", "checkout")
    assert alert.link == "https://grafana.example/d/abc?viewPanel=2"


def test_a_resolved_alert():
    (alert,) = read(grafana(grafana_alert(status="resolved", endsAt="2026-11-20T08:25:00Z"), state="ok"))
    assert (alert.state, alert.ended_at, alert.severity_given) == ("resolved", at(8, 25), False)


@pytest.mark.parametrize(
    "body",
    [
        {**alertmanager(grafana_alert()), "orgId": 1},
        {**alertmanager({"labels": {"a": "b"}}), "state": "ok"},
        alertmanager(grafana_alert()),
    ],
)
def test_any_of_its_own_fields_tells_it_from_alertmanager(body):
    assert [alert.source for alert in read(body)] == ["grafana"]


def test_several_alerts_with_missing_links_and_severity():
    first, second = read(
        grafana(
            grafana_alert(
                fingerprint="a", panelURL=None, dashboardURL=None, labels={"alertname": "A", "priority": "P1"}
            ),
            grafana_alert(fingerprint="b", labels={"alertname": "A"}, annotations={"severity": "low"}),
        )
    )
    assert (first.link, first.severity) == ("http://alertmanager.example:9093", "critical")
    assert (second.severity, second.title) == ("low", "A")


@pytest.mark.parametrize(
    ("labels", "annotations", "title", "description"),
    [
        ({"alertname": "Queue depth"}, {"summary": "812 wait"}, "Queue depth", "812 wait"),
        ({"alertname": "Queue depth"}, {"summary": "", "description": "Orders\nwait"}, "Queue depth", "Orders\nwait"),
        ({"alertname": "Queue depth"}, {}, "Queue depth", "[ var='A' labels={} value=11 ]"),
        ({"rulename": "Queue depth"}, {"summary": "812 wait"}, "Queue depth", "812 wait"),
        ({"team": "shop"}, {"summary": "812 wait"}, "812 wait", "812 wait"),
        (
            {"alertname": "DatasourceError", "rulename": "Queue depth"},
            {"summary": "No answer"},
            "DatasourceError: Queue depth",
            "No answer",
        ),
    ],
)
def test_the_title_is_the_name_of_the_rule_and_the_summary_describes_it(labels, annotations, title, description):
    (alert,) = read(grafana(grafana_alert(labels=labels, annotations=annotations)))
    assert (alert.title, alert.description) == (title, description)


def test_rules_without_data_are_told_apart_by_their_own_name():
    labels = {"alertname": "DatasourceNoData", "rulename": "Queue depth", "datasource_uid": "u", "ref_id": "A"}
    first, second = read(
        grafana(
            grafana_alert(fingerprint=None, labels=labels),
            grafana_alert(fingerprint=None, labels={**labels, "rulename": "Latency"}),
        )
    )
    assert [first.title, second.title] == ["DatasourceNoData: Queue depth", "DatasourceNoData: Latency"]
    assert first.dedupe_key != second.dedupe_key


def test_the_organization_of_the_alert_stands_in_for_a_missing_one():
    (alert,) = read(grafana(grafana_alert(orgId=9), orgId=None))
    assert alert.dedupe_key == f"grafana:9|{FINGERPRINT}"


@pytest.mark.parametrize(
    ("state", "read_as"),
    [("alerting", "firing"), ("no_data", "firing"), ("ok", "resolved"), ("paused", "update"), ("pending", "ignored")],
)
def test_panel_alerts_have_states_of_their_own(state, read_as):
    (alert,) = read(grafana_panel(state=state))
    assert (alert.source, alert.dedupe_key, alert.state) == ("grafana", "grafana:1|rule-42", read_as)


def test_a_panel_alert_keeps_its_severity_in_tags():
    (alert,) = read(grafana_panel())
    assert (alert.title, alert.severity, alert.service) == ("Panel title alert", "high", "search")
    (bare,) = read(grafana_panel(tags=None, ruleName=None, orgId=None, ruleUrl=None, message=None))
    assert (bare.title, bare.severity_given, bare.dedupe_key) == (
        "[Alerting] Panel title alert",
        False,
        "grafana:|rule-42",
    )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"state": "purple"}, "state must be alerting, no_data, ok, paused or pending; got 'purple'"),
        ({"ruleId": None}, "ruleId must be the number of the rule; got nothing"),
    ],
)
def test_a_broken_panel_alert_names_the_field(changes, message):
    with pytest.raises(BadRequest, match=message):
        read(grafana_panel(**changes))


def test_runbook_value_graph_and_links_are_read():
    (alert,) = read(
        grafana(
            grafana_alert(
                values={"B": 0.5, "A": 11},
                imageURL="https://grafana.example/render/1.png",
                annotations={"summary": "Slow", "runbook_url": "https://wiki.example/slow"},
            )
        )
    )
    assert (alert.value, alert.runbook_url, alert.image_url) == (
        "A=11, B=0.5",
        "https://wiki.example/slow",
        "https://grafana.example/render/1.png",
    )
    assert alert.links == {
        "panel": "https://grafana.example/d/abc?viewPanel=2",
        "monitor": "http://alertmanager.example:9093",
        "silence": "https://grafana.example/alerting/silence/new",
    }
    assert alert.annotations == {"summary": "Slow", "runbook_url": "https://wiki.example/slow"}


def test_a_panel_alert_says_what_was_measured():
    (alert,) = read(grafana_panel(imageUrl="https://grafana.example/1.png"))
    assert (alert.value, alert.image_url) == ("High value=100", "https://grafana.example/1.png")
