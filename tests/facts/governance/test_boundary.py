"""Declared scope against what was observed."""

from datetime import date, datetime

import pytest

from tests.facts.conftest import on, only

SERVICES = [{"id": "svc-web", "name": "Web", "criticality": 3}, {"id": "svc-db", "name": "Database", "criticality": 5}]


def observation_rows(facts):
    return facts["observations"].select("name", "seen_in", "system_id").rows()


def test_a_service_without_a_declared_system_is_undocumented(facts_with):
    facts = facts_with(services=SERVICES, systems=[{"id": "s1", "name": "Shop", "service_id": "svc-web"}])
    assert observation_rows(facts) == [("Database", ["services"], None), ("Web", ["services"], "s1")]


@pytest.mark.parametrize("system", [{"id": "x", "name": " database "}, {"id": "Database", "name": "Main store"}])
def test_a_system_of_that_name_or_identifier_documents_it(facts_with, system):
    facts = facts_with(services=SERVICES[1:], systems=[system])
    assert only(facts["observations"], "system_id") == system["id"]


def test_alerts_findings_and_dependencies_are_counted_for_a_service(facts_with):
    incident = {"service_id": "svc-web", "title": "Down", "severity": "high", "status": "open"}
    finding = {"service_id": "svc-web", "severity": "high", "status": "open", "last_seen_at": "2026-11-30T00:00:00"}
    facts = facts_with(
        services=SERVICES,
        incidents=[
            {"id": "i1", **incident, "alert_count": 3, "opened_at": "2026-11-02T10:00:00"},
            {"id": "i2", **incident, "opened_at": "2026-11-01T10:00:00"},
            {"id": "i3", **incident, "opened_at": "2026-11-21T10:00:00"},
        ],
        findings=[
            {"id": "f1", **finding, "first_seen_at": "2026-11-03T10:00:00"},
            {"id": "f2", **finding, "first_seen_at": "2026-11-21T10:00:00"},
        ],
        service_dependencies=[{"service_id": "svc-web", "depends_on_id": "svc-db"}],
    )
    web = facts["observations"].filter(service_id="svc-web")
    assert only(web, "seen_in", "alerts", "findings", "dependencies", "last_seen_on") == (
        ["alerts", "dependencies", "findings", "services"],
        4,
        1,
        1,
        date(2026, 11, 20),
    )


def test_what_scanners_and_dependencies_name_and_nobody_registered_is_observed(facts_with):
    facts = facts_with(
        findings=[
            {
                "id": "f1",
                "asset": "10.0.0.9",
                "first_seen_at": "2026-11-03T10:00:00",
                "last_seen_at": "2026-11-04T10:00:00",
            }
        ],
        service_dependencies=[{"service_id": "svc-ghost", "depends_on_id": "svc-ghost"}],
    )
    assert observation_rows(facts) == [("10.0.0.9", ["findings"], None), ("svc-ghost", ["dependencies"], None)]


def test_an_alert_that_names_an_unknown_service_leaves_a_trace(facts_with):
    told = {"details": '{"outcome":"created","unknown_service":"Shadow"}'}
    facts = facts_with(
        events=[
            ("alert.ingested", "2026-11-02T10:00:00", told),
            ("alert.ingested", "2026-11-03T10:00:00", told),
            ("alert.ingested", "2026-11-04T10:00:00", {"details": '{"outcome":"created"}'}),
        ]
    )
    assert only(facts["observations"], "name", "seen_in", "alerts", "last_seen_on", "last_alert_at") == (
        "Shadow",
        ["alerts"],
        2,
        date(2026, 11, 3),
        datetime.fromisoformat("2026-11-03T10:00:00"),
    )


def test_a_name_that_no_alert_gave_has_no_last_alert(facts_with):
    finding = {"id": "f1", "asset": "10.0.0.9", "first_seen_at": "2026-11-03T10:00:00"}
    facts = facts_with(findings=[{**finding, "last_seen_at": "2026-11-04T10:00:00"}])
    assert only(facts["observations"], "name", "last_alert_at") == ("10.0.0.9", None)


def test_a_name_that_a_service_has_since_been_given_is_that_service(facts_with):
    told = {"details": '{"unknown_service":"WEB"}'}
    facts = facts_with(services=SERVICES[:1], events=[("alert.ingested", "2026-11-02T10:00:00", told)])
    assert only(facts["observations"], "name", "service_id", "alerts") == ("Web", "svc-web", 1)


def test_controls_that_name_a_system_are_counted_once_each(facts_with):
    facts = facts_with(
        systems=[{"id": "s1", "name": "Shop"}, {"id": "s2", "name": "Other"}],
        control_profiles=[{**on("CC6.1"), "systems": "shop; s1"}, {**on("CC6.2"), "systems": "S1; Else"}],
    )
    assert facts["systems"].select("id", "controls_named").rows() == [("s1", 2), ("s2", 0)]


def test_a_system_belongs_to_the_frameworks_that_the_organization_follows(facts_with):
    facts = facts_with(
        organization_frameworks=[{"framework": "soc2", "in_scope": True}],
        systems=[
            {"id": "s1", "name": "Shop", "frameworks": "soc2; hipaa", "data_classes": "b; a;b", "boundary": "outside"}
        ],
    )
    assert only(facts["systems"], "frameworks", "data_classes", "in_scope") == (["soc2"], ["a", "b"], False)


@pytest.mark.parametrize(
    ("ends", "vendor", "leaves"),
    [
        (("inside", "inside"), None, False),
        (("inside", "outside"), None, True),
        (("inside", "inside"), "v1", True),
        (("outside", "inside"), None, False),
        (("inside", None), None, True),
    ],
)
def test_a_flow_leaves_to_the_outside_or_to_a_vendor(facts_with, ends, vendor, leaves):
    systems = [{"id": name, "name": name, "boundary": where} for name, where in zip("ab", ends, strict=True) if where]
    flow = {"id": "f", "from_system": "a", "to_system": "b", "data_class": "x", "vendor_id": vendor}
    facts = facts_with(systems=systems, data_flows=[flow], vendors=[{"id": "v1", "name": "Mail"}])
    assert only(facts["data_flows"], "leaves", "vendor") == (leaves, "Mail" if vendor else None)
