"""Azure Monitor, Google Cloud Monitoring, Opsgenie and Zabbix: fires, is acknowledged, ends, under one key."""

import pytest

from engine.intake.alerts import read_alerts
from engine.model.errors import BadRequest
from tests.intake import bodies
from tests.intake.bodies import RECEIVED, at


def read(body):
    (alert,) = read_alerts(body, received_at=RECEIVED)
    return alert


@pytest.mark.parametrize(
    ("fires", "ends", "key"),
    [
        (bodies.azure_monitor(), bodies.azure_monitor("Resolved"), "azure:b9569717-bc32-442f-add5"),
        (bodies.google_monitoring(), bodies.google_monitoring("closed"), "google:0.opqiw61fsv7p"),
        (bodies.opsgenie("Create"), bodies.opsgenie("Close"), "opsgenie:052652ac-5d1c-464a-812a-7dd18bbfba8c"),
        (bodies.zabbix(), bodies.zabbix(0), "zabbix:42"),
        (
            bodies.aws_health(),
            bodies.aws_health("closed"),
            "aws-health:arn:aws:health:eu-west-1::event/EC2/AWS_EC2_OPERATIONAL_ISSUE/AWS_EC2_OPERATIONAL_ISSUE_1",
        ),
    ],
)
def test_a_problem_and_its_recovery_have_one_key_and_the_senders_times(fires, ends, key):
    one, other = read(fires), read(ends)
    assert (one.dedupe_key, other.dedupe_key) == (key, key)
    assert (one.state, other.state) == ("firing", "resolved")
    assert one.occurred_at.replace(microsecond=0) == one.started_at.replace(microsecond=0)
    assert one.started_at.replace(second=0, microsecond=0) == at(8, 12)
    assert other.ended_at == other.occurred_at == at(8, 25)


@pytest.mark.parametrize(
    ("body", "title", "severity", "host", "service"),
    [
        (bodies.azure_monitor(), "WCUS-R2-Gen2", "high", "web1", None),
        (bodies.google_monitoring(), "CPU above 80 %", "critical", "11223344", "checkout"),
        (bodies.opsgenie("Create"), "Orders wait", "critical", "queue1", "checkout"),
        (bodies.zabbix(), "Disk is full on db1", "high", "db1", "orders"),
    ],
)
def test_title_severity_host_and_service_are_the_senders(body, title, severity, host, service):
    alert = read(body)
    assert (alert.title, alert.severity, alert.host, alert.service) == (title, severity, host, service)


@pytest.mark.parametrize(("given", "level"), [(9.1, "critical"), (8, "high"), (5, "medium"), (2, "low")])
def test_a_finding_of_guardduty_opens_an_incident_of_its_band(given, level):
    alert = read(bodies.guardduty(severity=given))
    assert (alert.state, alert.severity, alert.host) == ("firing", level, "i-99999999")
    assert (alert.dedupe_key, alert.started_at) == ("guardduty:16afba5c5c43e07c9e3e5e2e544e95df", at(8, 12))


@pytest.mark.parametrize(
    ("given", "level"), [("Sev0", "critical"), ("Sev2", "medium"), ("Sev3", "low"), ("Sev4", "info")]
)
def test_azure_counts_from_nought(given, level):
    assert read(bodies.azure_monitor(severity=given)).severity == level


@pytest.mark.parametrize(("given", "level"), [(0, "info"), (2, "low"), (3, "medium"), ("5", "critical")])
def test_in_zabbix_five_is_the_worst(given, level):
    assert read(bodies.zabbix(severity=given)).severity == level


def test_in_opsgenie_somebody_acknowledges_and_anything_else_is_a_note():
    taken, noted = read(bodies.opsgenie("Acknowledge")), read(bodies.opsgenie("AddNote"))
    assert (taken.state, taken.acknowledged, taken.note) == ("update", True, "Acknowledge by ann@acme.example")
    assert (noted.state, noted.acknowledged) == ("update", False)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (bodies.azure_monitor("Maybe"), "data.essentials.monitorCondition must be Fired or Resolved"),
        (bodies.azure_monitor(alertId=None, originAlertId=None), "data.essentials.alertId"),
        (bodies.google_monitoring("ajar"), "state must be open or closed"),
        (bodies.google_monitoring(incident_id=None), "incident_id"),
        (bodies.opsgenie(None), "action must be what was done"),
        (bodies.opsgenie("Create", alertId=None), "alert.alertId"),
        (bodies.zabbix(value=1, **{"eventid": None}), "eventid must be the number of the event"),
    ],
)
def test_what_is_missing_is_named(body, said):
    with pytest.raises(BadRequest, match=said):
        read(body)


def test_a_value_that_is_neither_a_problem_nor_a_recovery_is_refused():
    with pytest.raises(BadRequest, match="value must be 1 for a problem or 0 for its recovery"):
        read({**bodies.zabbix(), "value": 2})
