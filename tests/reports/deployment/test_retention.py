"""What the retention report says."""

from datetime import date

import pytest

from reports.deployment.retention import REPORT
from tests.factories import ask, rows


def kept(record_class="audit_log", days=400, **given):
    counts = {"rows": 0, "eligible": 0, "purgeable": 0, "held": 0, "waiting": 0}
    row = {"record_class": record_class, "tier": "shared", "default_days": days, "days": days, "source": "tier_default"}
    return {**counts, **row, **given}


def report(*classes, frameworks=(), holds=()):
    given = classes or (kept(), kept("incidents", 730))
    return REPORT.build(
        rows("retention", *given),
        rows("organization", {"frameworks": list(frameworks)}),
        rows("legal_holds", *holds),
        ask(),
    )


def conflicts(document):
    frame = next(table.frame for table in document.tables if table.name == "conflicts")
    return frame.select("framework", "record_class", "required_days", "days", "difference_days", "status").rows()


def test_without_frameworks_nothing_is_asked():
    document = report()
    assert (conflicts(document), document.summary["conflicts"]) == ([], 0)
    assert document.headline == (
        "The console keeps the audit log for 400 days and the closed incidents for 730 days; "
        "no framework in scope asks for another time."
    )


@pytest.mark.parametrize(("days", "conflict"), [(364, True), (365, False)])
def test_pci_wants_twelve_months_of_audit_history(days, conflict):
    document = report(kept(days=days), kept("incidents", 30), frameworks=["pci-dss"])
    wanted = [("pci-dss", "audit_log", 365, days, -1, "too_short")]
    assert conflicts(document) == (wanted if conflict else [])


def test_hipaa_wants_six_years_of_both():
    document = report(frameworks=["hipaa"])
    assert conflicts(document) == [
        ("hipaa", "audit_log", 2192, 400, -1792, "too_short"), ("hipaa", "incidents", 2192, 730, -1462, "too_short")
    ]  # fmt: skip
    assert document.headline.endswith("HIPAA 164.316(b)(2)(i) asks for 1,792 days more.")
    assert document.warnings == [
        "Kept for a shorter time than asked for: HIPAA 164.316(b)(2)(i) (audit log), "
        "HIPAA 164.316(b)(2)(i) (closed incidents)."
    ]
    assert conflicts(report(kept(days=2555), kept("incidents", 2555), frameworks=["hipaa"])) == []


def test_gdpr_is_flagged_in_the_other_direction():
    document = report(frameworks=["gdpr-art32"])
    assert [row[-1] for row in conflicts(document)] == ["longer_than_needed"] * 2
    assert document.headline.endswith("GDPR asks for a reason to keep them that long.")
    assert document.warnings == []


def test_gdpr_accepts_what_another_framework_in_scope_demands_and_no_more():
    both = ["pci-dss", "gdpr-art32"]
    assert conflicts(report(kept(days=365), frameworks=both)) == []
    assert conflicts(report(kept(days=400), frameworks=both)) == [
        ("gdpr-art32", "audit_log", None, 400, 35, "longer_than_needed")
    ]


def test_totals_add_up_over_the_classes():
    document = report(
        kept(rows=100, eligible=30, purgeable=10, held=15, waiting=5, next_purge_on=date(2026, 11, 21)),
        kept("incidents", 730, rows=9, eligible=4, purgeable=3, held=1, next_purge_on=date(2026, 12, 1)),
        holds=[{"id": "h1", "active": True}, {"id": "h0", "active": False}],
    )
    assert {name: document.summary[name] for name in ("eligible", "next_purge_takes", "held", "waiting")} == {
        "eligible": 34, "next_purge_takes": 13, "held": 16, "waiting": 5,
    }  # fmt: skip
    assert (document.summary["next_purge_on"], document.summary["active_holds"]) == (date(2026, 11, 21), 1)


def test_an_override_needs_an_approver():
    overridden = kept(days=90, default_days=400, override_days=90, source="override")
    assert report(overridden).warnings == ["1 override without an approver."]
    assert report({**overridden, "approved_by": "ann@acme.example"}).warnings == []
