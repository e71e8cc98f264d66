"""Azure Monitor, Google Cloud Monitoring, Opsgenie and Zabbix: fires, is acknowledged, ends, under one key."""

import json

import pytest

from engine.intake.alerts import read_alerts
from engine.intake.alerts.formats import read_batch
from engine.intake.payloads import json_value
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
    assert other.ended_at == other.occurred_at
    assert other.ended_at.replace(second=0, microsecond=0) == at(8, 25)


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


@pytest.mark.parametrize(("given", "level"), [(1, "info"), (2, "low"), (3, "medium"), ("5", "critical")])
def test_in_zabbix_five_is_the_worst(given, level):
    assert read(bodies.zabbix(severity=given)).severity == level


def test_what_zabbix_has_not_classified_is_not_rated():
    alert = read(bodies.zabbix(severity=0))
    assert (alert.severity, alert.severity_given) == ("medium", False)


def test_lines_of_zabbix_are_events_of_one_body():
    events = (bodies.zabbix(), bodies.zabbix(0), bodies.zabbix() | {"value": 7})
    lines = b"\n".join(json.dumps(event).encode() for event in events)
    reading = read_batch(json_value(lines + b"\n"), received_at=RECEIVED)
    assert [alert.state for alert in reading.alerts] == ["firing", "resolved"]
    assert [one.field for one in reading.refused] == ["alerts[2].value"]


@pytest.mark.parametrize("hosts", [["db1"], [{"host": "db1", "name": "Database 1"}]])
def test_hosts_of_zabbix_are_names_in_its_older_exports(hosts):
    assert read(bodies.zabbix(hosts=hosts)).host == "db1"


def test_a_problem_and_its_recovery_within_one_second_have_an_order():
    began, over = bodies.zabbix(), bodies.zabbix(0, clock=bodies.zabbix()["clock"])
    assert read(began).occurred_at < read(over).occurred_at


def news(service, properties, **essentials):
    """An alert of Azure about somebody's health: it fires whatever the news is."""
    body = bodies.azure_monitor(monitoringService=service, severity="Sev4", configurationItems=[], **essentials)
    body["data"]["alertContext"] = {"properties": properties}
    return read(body)


def test_news_about_azure_are_one_problem_until_it_is_over():
    said = {"trackingId": "0NIH-U2O", "title": "Network - UK South", "incidentType": "Incident"}
    said["impactStartTime"] = "2026-11-20T08:00:00Z"
    first = news("ServiceHealth", said | {"stage": "Active"}, alertId="/a/1")
    over = {"stage": "Resolved", "impactMitigationTime": "2026-11-20T08:10:00Z"}
    last = news("ServiceHealth", said | over, alertId="/a/2")
    assert (first.dedupe_key, last.dedupe_key) == ("azure:0NIH-U2O", "azure:0NIH-U2O")
    assert (first.state, first.severity, first.started_at, last.state) == ("firing", "high", at(8, 0), "resolved")
    assert (first.title, last.ended_at) == ("Network - UK South", at(8, 10))


def test_maintenance_of_azure_that_is_told_ahead_began_when_it_was_told():
    said = {"trackingId": "X", "incidentType": "Maintenance", "stage": "Planned"}
    told = news("ServiceHealth", said | {"impactStartTime": "2026-12-09T08:00:00Z"})
    assert (told.state, told.severity, told.started_at.replace(microsecond=0)) == ("firing", "info", at(8, 12, 24))


def test_a_resource_of_azure_is_well_again_when_it_is_available():
    states = [
        news("Resource Health", {"currentHealthStatus": health, "title": "Machine is down"}).state
        for health in ("Unavailable", "Degraded", "Unknown", "Available")
    ]
    assert states == ["firing", "firing", "firing", "resolved"]


def test_a_metric_of_azure_has_its_value_and_a_repeated_delivery_is_the_same_event():
    body = bodies.azure_monitor()
    body["data"]["alertContext"] = {"condition": {"allOf": [{"metricName": "Percentage CPU", "metricValue": 31.1105}]}}
    alert = read(body)
    assert (alert.value, alert.labels["metric"]) == ("31.1105", "Percentage CPU")
    assert alert.event_id == read(body).event_id != read(bodies.azure_monitor("Resolved")).event_id


def test_google_says_the_service_in_labels_of_the_resource_too():
    labels = {"user_labels": {"service": "checkout"}}
    further = [{"displayName": "Playbook", "url": "https://x.example/p"}]
    notes = {"subject": "[ALERT - Error] Incident created", "links": further}
    alert = read(bodies.google_monitoring(metadata=labels, documentation=notes, policy_user_labels={}))
    assert (alert.service, alert.title) == ("checkout", "CPU above 80 %")
    assert alert.links["Playbook"] == "https://x.example/p"


def test_what_aws_announces_began_when_it_was_announced():
    alert = read(bodies.aws_health("upcoming", startTime="Fri, 04 Dec 2026 08:00:00 GMT"))
    assert (alert.started_at, alert.occurred_at, alert.sent_at) == (None, at(8, 16), at(8, 16))
    assert alert.labels["begins"] == "Fri, 04 Dec 2026 08:00:00 GMT"


def test_pages_and_the_copy_of_a_communication_of_aws_count_once():
    page = {"communicationId": "01b0", "affectedAccount": "1", "affectedEntities": [{"entityValue": "i-1"}]}
    first = bodies.aws_health(**page, page="1")
    copy = bodies.aws_health(**page, page="2", backupEvent="true") | {"id": "other", "region": "us-west-2"}
    closed = bodies.aws_health("closed", **page)
    assert read(first).event_id == read(copy).event_id != read(closed).event_id


@pytest.mark.parametrize(
    ("resource", "host", "name"),
    [
        ({"instanceDetails": {"instanceId": "i-9", "tags": [{"key": "service", "value": "checkout"}]}}, "i-9", "i-9"),
        ({"accessKeyDetails": {"userName": "ann"}}, None, "ann"),
        ({"s3BucketDetails": [{"name": "ledger"}]}, None, "ledger"),
        ({"eksClusterDetails": {"name": "prod"}}, None, "prod"),
    ],
)
def test_a_finding_of_guardduty_names_its_resource(resource, host, name):
    body = bodies.guardduty()
    body["detail"]["resource"] = resource
    alert = read(body)
    assert (alert.host, alert.labels["resource"], alert.event_id) == (host, name, f"guardduty:{body['id']}")
    assert alert.service == ("checkout" if host else None)


def test_what_an_action_of_opsgenie_says_is_in_its_note():
    noted, given = bodies.opsgenie("AddNote", note="I look at it"), bodies.opsgenie("AssignOwnership", owner="bob")
    assert read(noted).note == "AddNote by ann@acme.example: I look at it"
    assert read(given).note == "AssignOwnership by ann@acme.example: bob"
    assert read(noted).event_id == read(noted).event_id != read(given).event_id


def test_in_opsgenie_somebody_acknowledges_and_anything_else_is_a_note():
    taken, noted = read(bodies.opsgenie("Acknowledge")), read(bodies.opsgenie("AddNote"))
    assert (taken.state, taken.acknowledged, taken.note) == ("update", True, "Acknowledge by ann@acme.example")
    assert (noted.state, noted.acknowledged) == ("update", False)
    assert (taken.acknowledged_by, noted.acknowledged_by) == ("ann@acme.example", None)
    assert read(bodies.opsgenie("Acknowledge", username="System")).acknowledged_by is None, "no member is called so"


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
