"""What the retention report says."""

from datetime import date

import pytest

from reports.deployment.retention import REPORT
from tests.factories import document, explained_rows, lead, rows
from tests.reports.explanations import values_follow

COUNTS = ("records_past_retention", "records_next_purge", "records_held_back", "records_behind_younger")


def retention_row(record_class="audit_log", days=400, **given):
    counts = {"rows": 0, "eligible": 0, "purgeable": 0, "held": 0, "waiting": 0}
    row = {"record_class": record_class, "tier": "shared", "default_days": days, "days": days, "source": "tier_default"}
    return {**counts, **row, "approved_days": given.get("days", days), "override_approved": False, **given}


def facts(*classes, frameworks=(), holds=()):
    return {
        "retention": rows("retention", *(classes or (retention_row(), retention_row("incidents", 730)))),
        "organization": rows("organization", {"frameworks": list(frameworks)}),
        "legal_holds": rows("legal_holds", *holds),
        "deployment": rows("deployment", {"tier": "shared"}),
    }


def report(*classes, **more):
    return document(REPORT, **facts(*classes, **more))


def conflicts(held):
    frame = next(table.frame for table in held.tables if table.name == "conflicts")
    return frame.select("framework", "record_class", "required_days", "days", "difference_days", "status").rows()


def test_without_frameworks_nothing_is_asked():
    held = report()
    assert (conflicts(held), held.summary["retention_conflicts"]) == ([], 0)
    assert lead(held) == (
        "The console keeps the audit log for 400 days and the closed incidents for 730 days; no framework in "
        "scope asks for another time.",
        "",
    )


@pytest.mark.parametrize(("days", "conflict"), [(364, True), (365, False)])
def test_pci_wants_twelve_months_of_audit_history(days, conflict):
    held = report(retention_row(days=days), retention_row("incidents", 30), frameworks=["pci-dss"])
    wanted = [("pci-dss", "audit_log", 365, days, -1, "too_short")]
    assert conflicts(held) == (wanted if conflict else [])


def test_hipaa_wants_six_years_of_both():
    held = report(frameworks=["hipaa"])
    assert conflicts(held) == [
        ("hipaa", "audit_log", 2192, 400, -1792, "too_short"),
        ("hipaa", "incidents", 2192, 730, -1462, "too_short"),
    ]
    assert (
        held.next_step
        == "An administrator sets a longer retention: 2,192 days for what HIPAA 164.316(b)(2)(i) names, 1,792 more than now."
    )
    assert held.warnings == [
        "Kept for a shorter time than asked for: HIPAA 164.316(b)(2)(i) (audit log), "
        "HIPAA 164.316(b)(2)(i) (closed incidents)."
    ]
    assert conflicts(report(retention_row(days=2555), retention_row("incidents", 2555), frameworks=["hipaa"])) == []


def test_gdpr_is_flagged_in_the_other_direction():
    held = report(frameworks=["gdpr-art32"])
    assert [row[-1] for row in conflicts(held)] == ["longer_than_needed"] * 2
    assert held.next_step == "Write down why records are kept that long: GDPR asks for a reason."
    assert held.warnings == []


def test_gdpr_accepts_what_another_framework_in_scope_demands_and_no_more():
    both = ["pci-dss", "gdpr-art32"]
    assert conflicts(report(retention_row(days=365), frameworks=both)) == []
    assert conflicts(report(retention_row(days=400), frameworks=both)) == [
        ("gdpr-art32", "audit_log", None, 400, 35, "longer_than_needed")
    ]


def test_totals_add_up_over_the_classes():
    held = report(
        retention_row(rows=100, eligible=30, purgeable=10, held=15, waiting=5, next_purge_on=date(2026, 11, 21)),
        retention_row("incidents", 730, rows=9, eligible=4, purgeable=3, held=1, next_purge_on=date(2026, 12, 1)),
        holds=[{"id": "h1", "active": True}, {"id": "h0", "active": False}],
    )
    assert {name: held.summary[name] for name in COUNTS} == {
        "records_past_retention": 34,
        "records_next_purge": 13,
        "records_held_back": 16,
        "records_behind_younger": 5,
    }
    assert (held.summary["next_purge_on"], held.summary["holds_active"]) == (date(2026, 11, 21), 1)


def test_an_override_needs_an_approver():
    overridden = retention_row(days=90, default_days=400, override_days=90, source="override")
    assert report(overridden).warnings == [
        "1 override that nobody approved on a day that has come: shortens nothing, and fulfils no framework."
    ]
    assert report({**overridden, "override_approved": True}).warnings == []


def test_what_nobody_approved_fulfils_no_framework_and_is_kept_all_the_same():
    longer = retention_row(days=900, default_days=100, override_days=900, source="override", approved_days=100)
    assert conflicts(report(longer, frameworks=["pci-dss"])) == [("pci-dss", "audit_log", 365, 100, -265, "too_short")]


def test_every_figure_is_what_its_rows_give():
    given = facts(retention_row(eligible=4, purgeable=4), retention_row("incidents", 730), frameworks=["hipaa"])
    values_follow(REPORT, **given)
    values_follow(REPORT)
    assert explained_rows(REPORT, "retention_conflicts", **given)["reason"].to_list() == [
        "hipaa 164.316(b)(2)(i), audit_log: too_short, kept for 400 days",
        "hipaa 164.316(b)(2)(i), incidents: too_short, kept for 730 days",
    ]
    assert (document(REPORT, **given).summary["audit_log_days"], report(retention_row()).summary["incidents_days"]) == (
        400,
        None,
    )


def test_without_any_facts_no_retention_is_known():
    held = document(REPORT)
    assert lead(held) == ("No retention is known: there is no deployment that would say how long records are kept.", "")
    assert held.warnings == []
    assert set(held.summary.values()) == {0, None}
    assert [table.frame.schema for table in held.tables] == [table.frame.schema for table in report().tables]
    assert all(table.frame.is_empty() for table in held.tables)
