"""Facts of the framework packs."""

from datetime import date

from tests.facts.conftest import naming

SOC2 = [{"framework": "soc2", "in_scope": True}]


def days(facts, control_id):
    frame = facts["criteria_days"]
    return [day for control, day in frame.select("control_id", "happened_on").rows() if control == control_id]


def test_a_criterion_operated_on_the_days_of_its_events_by_map_or_by_name(facts_with):
    facts = facts_with(
        organization_frameworks=SOC2,
        events=[
            ("backup.completed", "2026-11-02 10:00"),
            ("backup.completed", "2026-11-02 23:00"),
            ("backup.failed", "2026-11-03 10:00"),
            ("backup.completed", "2026-11-04 10:00", {"outcome": "failure"}),
            ("backup.completed", "2026-11-21 10:00"),
            ("control.test.passed", "2026-11-06 10:00", naming("A1.2", "CC6.1")),
        ],
    )
    assert days(facts, "A1.2") == [date(2026, 11, 2), date(2026, 11, 6)]
    assert days(facts, "CC6.1") == [date(2026, 11, 6)]


def test_the_days_are_those_of_the_organization(facts_with):
    facts = facts_with(
        zone="Pacific/Auckland",
        organization_frameworks=SOC2,
        events=[("backup.completed", "2026-11-02 10:00"), ("backup.completed", "2026-11-02 23:00")],
    )
    assert days(facts, "A1.2") == [date(2026, 11, 2), date(2026, 11, 3)]


def test_evidence_items_are_days_of_operation_too(facts_with):
    facts = facts_with(
        organization_frameworks=SOC2,
        evidence_items=[{"id": "E-1", "title": "Export", "captured_at": "2026-11-05 08:00"}],
        evidence_links=[{"evidence_id": "E-1", "framework": "soc2", "control_id": "CC6.1"}],
    )
    assert days(facts, "CC6.1") == [date(2026, 11, 5)]


def test_events_for_and_against_a_criterion_are_counted_in_the_period(facts_with):
    facts = facts_with(
        organization_frameworks=SOC2,
        events=[
            ("backup.completed", "2026-11-02 10:00"),
            ("backup.completed", "2026-11-03 10:00"),
            ("backup.failed", "2026-11-04 10:00"),
            ("backup.failed", "2026-11-05 10:00", {"outcome": "failure"}),
            ("backup.failed", "2026-10-01 10:00"),
            ("backup.completed", "2026-11-06 10:00", {"outcome": "denied"}),
        ],
    )
    counted = facts["criteria_events"].filter(control_id="A1.2").select("action", "title", "effect", "events").rows()
    assert counted == [
        ("backup.completed", "Backup finished (failed or denied)", "contradicts", 1),
        ("backup.completed", "Backup finished", "supports", 2),
        ("backup.failed", "Backup failed", "contradicts", 2),
    ]


def test_the_newest_agreement_of_each_kind_counts(facts_with):
    document = {"vendor_id": "a", "in_scope": True}
    facts = facts_with(
        vendors=[{"id": "a", "name": "A", "category": "saas", "tier": "low", "status": "assessed"}],
        vendor_documents=[
            {**document, "id": "D-1", "kind": "baa", "issued_on": "2024-01-01", "flows_down": True},
            {**document, "id": "D-2", "kind": "baa", "issued_on": "2026-01-01", "expires_on": "2027-01-01"},
            {**document, "id": "D-3", "kind": "dpa", "issued_on": "2025-01-01", "flows_down": True},
            {**document, "id": "D-4", "kind": "nda", "issued_on": "2025-01-01"},
        ],
    )
    columns = ("kind", "document_id", "valid_until", "flows_down")
    assert facts["agreements"].select(columns).rows() == [
        ("baa", "D-2", date(2027, 1, 1), None),
        ("dpa", "D-3", None, True),
    ]


def test_what_is_fixed_or_closed_later_is_open(facts_with):
    finding = {
        "source": "scanner",
        "title": "Weak cipher",
        "severity": "high",
        "status": "fixed",
        "first_seen_at": "2026-11-01 10:00",
        "last_seen_at": "2026-11-19 10:00",
        "service_id": "web",
    }
    line = {"weakness_key": "F-1", "detected_on": "2026-11-01", "due_on": "2026-12-01", "status": "completed"}
    facts = facts_with(
        services=[{"id": "web", "name": "Website", "criticality": 3, "owner": "ann@acme.example"}],
        findings=[
            {**finding, "id": "F-1", "finding_key": "1", "fixed_at": "2026-11-20 23:59"},
            {**finding, "id": "F-2", "finding_key": "2", "fixed_at": "2026-11-21 00:00"},
            {**finding, "id": "F-3", "finding_key": "3", "first_seen_at": "2026-11-21 00:00"},
        ],
        poam_items=[
            {**line, "id": "V-1", "closed_on": "2026-11-20"},
            {**line, "id": "V-2", "closed_on": "2026-11-21"},
            {**line, "id": "V-3", "detected_on": "2026-11-21", "status": "open"},
        ],
    )
    assert facts["findings"].select("id", "status", "fixed_on", "service", "owner").rows() == [
        ("F-1", "fixed", date(2026, 11, 20), "Website", "ann@acme.example"),
        ("F-2", "open", None, "Website", "ann@acme.example"),
    ]
    assert facts["poam"].select("id", "status", "closed_on").rows() == [
        ("V-1", "completed", date(2026, 11, 20)),
        ("V-2", "open", None),
    ]


def test_without_records_there_is_nothing(facts_with):
    facts = facts_with(organization_frameworks=SOC2)
    names = ("criteria_days", "criteria_events", "state_changes", "agreements", "findings", "poam")
    assert [facts[name].height for name in names] == [0] * 6
