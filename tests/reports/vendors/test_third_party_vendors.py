"""What the vendor register says."""

from datetime import date

from reports.vendors.third_party_vendors import REPORT
from tests.factories import ask, rows

SOUND = {
    "category": "cloud", "tier": "low", "owner": "ann@acme.example", "inherent": 6, "residual": 4,
    "rating_unknown": False, "assurance": "assured", "review": "current", "status": "assessed", "inherited": 2,
    "inherited_evidenced": 2, "inherited_gaps": 0, "reused_evidence": 1, "open_findings": 0,
}  # fmt: skip


def vendor(name, **given):
    return {**SOUND, "vendor_id": name.lower(), "name": name, **given}


def inherited(name, control_id, gap="none"):
    return {
        "vendor_id": name.lower(), "vendor": name, "tier": "low", "framework": "iso27001", "control_id": control_id,
        "gap": gap,
    }  # fmt: skip


def report(*vendors, controls=()):
    return REPORT.build(rows("vendors", *vendors), rows("vendor_controls", *controls), ask())


def table(document, name):
    return next(table.frame for table in document.tables if table.name == name)


VENDORS = (
    vendor("Ample"),
    vendor("Brisk", tier="critical", assurance="lapsed", residual=20, inherited_evidenced=1, inherited_gaps=1),
    vendor("Cloudy", tier="high", assurance="not_assessed", review="never", rating_unknown=True, residual=25),
    vendor("Dusty", tier="critical", review="overdue", next_review_on=date(2026, 11, 1), open_findings=2),
)


def test_the_summary_counts_assurance_reviews_and_inherited_controls():
    document = report(*VENDORS)
    assert dict(document.summary) == {
        "vendors": 4, "lapsed": 1, "not_assessed": 1, "expiring": 0, "assured": 2, "assured_pct": 50.0,
        "reviews_overdue": 1, "reviews_never": 1, "reviews_due_soon": 0, "reviews_current": 2, "inherited_controls": 8,
        "inherited_evidenced": 7, "inherited_gaps": 1, "inherited_evidenced_pct": 87.5, "reused_evidence": 4,
        "open_findings": 2, "ratings_unknown": 1,
    }  # fmt: skip
    assert document.headline == (
        "2 of 4 vendors are assured, 1 not assessed: start with Brisk "
        "(tier critical: assurance lapsed, 1 inherited control without evidence)."
    )
    assert (document.coverage.assessed, document.coverage.total) == (3, 4)


def test_the_worst_vendor_comes_first_and_the_sound_one_last():
    register = table(report(*VENDORS), "vendors")
    assert register.select("name", "attention", "residual_level").rows() == [
        ("Brisk", ["assurance lapsed", "1 inherited control without evidence"], "critical"),
        ("Dusty", ["review overdue", "2 open findings"], "low"),
        ("Cloudy", ["not assessed", "never reviewed", "risk rating unknown"], "critical"),
        ("Ample", [], "low"),
    ]


def test_not_assessed_is_said_to_be_unknown_and_never_low():
    document = report(vendor("Cloudy", assurance="not_assessed", rating_unknown=True, residual=25))
    assert document.warnings == [
        "1 vendor is not assessed: that is unknown risk, not low risk.",
        "1 vendor lacks a likelihood or impact, which counts as 5.",
    ]
    assert document.summary["assured_pct"] == 0.0


def test_health_data_without_an_agreement_needs_attention():
    register = table(
        report(
            vendor("Able", handles_phi=True),
            vendor("Bold", handles_phi=True, baa_on=date(2026, 1, 1)),
            vendor("Calm", handles_phi=None),
        ),
        "vendors",
    )
    assert dict(register.select("name", "attention").rows()) == {
        "Able": ["health data without a BAA"], "Bold": [], "Calm": [],
    }  # fmt: skip


def test_a_qualified_opinion_needs_attention():
    register = table(report(vendor("Able", soc2_opinion="qualified")), "vendors")
    assert register["attention"].to_list() == [["SOC 2 opinion qualified"]]


def test_tiers_add_up_to_the_register():
    document = report(*VENDORS)
    tiers = table(document, "tiers")
    assert tiers["tier"].to_list() == ["critical", "high", "low"]
    assert tiers["vendors"].sum() == document.summary["vendors"]
    for state in ("lapsed", "not_assessed", "expiring", "assured", "inherited_evidenced", "inherited_gaps"):
        assert tiers[state].sum() == document.summary[state]


def test_inherited_controls_stand_by_vendor_in_the_order_of_the_standard():
    document = report(
        *VENDORS,
        controls=(inherited("Brisk", "A.5.19", "expired"), inherited("Brisk", "A.5.2"), inherited("Ample", "A.7.1")),
    )
    assert table(document, "inherited").select("vendor", "control_id", "gap").rows() == [
        ("Ample", "A.7.1", "none"), ("Brisk", "A.5.2", "none"), ("Brisk", "A.5.19", "expired"),
    ]  # fmt: skip


def test_reviews_list_what_is_due_and_what_never_happened():
    reviews = table(report(*VENDORS), "reviews")
    assert reviews.select("name", "review", "days_left").rows() == [
        ("Dusty", "overdue", -19),
        ("Cloudy", "never", None),
    ]


def test_a_register_without_trouble_says_so():
    document = report(vendor("Ample"))
    assert document.headline == "1 of 1 vendor is assured; no vendor needs attention now."
    assert document.warnings == []


def test_an_empty_register_is_not_a_safe_one():
    document = report()
    assert document.headline == "No vendor is registered; if services are bought in, nothing is known about their risk."
    assert document.summary["assured_pct"] is None
    assert document.coverage.total == 0
    assert all(table.frame.is_empty() for table in document.tables)
