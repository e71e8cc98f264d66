"""What the vendor register says."""

from datetime import date

import polars as pl
import pytest

from reports.vendors.third_party_vendors import REPORT
from tests.factories import document as document_of
from tests.factories import lead, rows
from tests.reports.explanations import values_follow

SOUND = {
    "category": "cloud", "tier": "low", "owner": "ann@acme.example", "inherent": 6, "residual": 4,
    "rating_unknown": False, "inherent_unknown": False, "residual_unknown": False, "assurance": "assured", "review": "current", "status": "assessed", "inherited": 2,
    "inherited_evidenced": 2, "inherited_gaps": 0, "reused_evidence": 1, "open_findings": 0,
}  # fmt: skip


def vendor(name, **given):
    return {**SOUND, "vendor_id": name.lower(), "name": name, **given}


def inherited_control(name, control_id, gap="none"):
    return {
        "vendor_id": name.lower(),
        "vendor": name,
        "tier": "low",
        "framework": "iso27001",
        "control_id": control_id,
        "gap": gap,
    }


def report(*vendors, controls=()):
    return document_of(REPORT, vendors=rows("vendors", *vendors), vendor_controls=rows("vendor_controls", *controls))


def table(document, name):
    return next(table.frame for table in document.tables if table.name == name)


VENDORS = (
    vendor("Ample"),
    vendor(
        "Brisk",
        tier="critical",
        assurance="lapsed",
        assured_until=date(2026, 3, 31),
        residual=20,
        inherited_evidenced=1,
        inherited_gaps=1,
    ),
    vendor("Cloudy", tier="high", assurance="not_assessed", review="never", rating_unknown=True, residual=25),
    vendor("Dusty", tier="critical", review="overdue", next_review_on=date(2026, 11, 1), open_findings=2),
)


def counted_controls(*vendors):
    """The inherited controls that the register counts."""
    return [
        inherited_control(one["name"], f"A.5.{n}", "none" if n < one["inherited_evidenced"] else "missing")
        for one in vendors
        for n in range(one["inherited"])
    ]


def test_the_summary_counts_assurance_reviews_and_inherited_controls():
    document = report(*VENDORS, controls=counted_controls(*VENDORS))
    assert dict(document.summary) == {
        "vendors": 4,
        "vendors_assured": 2,
        "vendors_assured_pct": 50.0,
        "vendors_assurance_expiring": 0,
        "vendors_assurance_lapsed": 1,
        "vendors_not_assessed": 1,
        "vendor_reviews_overdue": 1,
        "vendor_reviews_never": 1,
        "vendor_reviews_due_soon": 0,
        "vendor_reviews_current": 2,
        "inherited_controls": 8,
        "inherited_evidenced": 7,
        "inherited_gaps": 1,
        "inherited_evidenced_pct": 87.5,
        "vendor_evidence_reused": 4,
        "vendor_findings_open": 2,
        "vendor_ratings_unknown": 1,
    }
    assert lead(document) == (
        "2 of 4 vendors have an assurance document in force, 1 never had one.",
        "Start with Brisk (tier critical: assurance document counted until 2026-03-31, 1 inherited control "
        "without evidence; with ann@acme.example).",
    )
    assert (document.coverage.assessed, document.coverage.total) == (3, 4)


def test_the_worst_vendor_comes_first_and_the_sound_one_last():
    register = table(report(*VENDORS), "vendors")
    assert register.select("name", "attention", "residual_level").rows() == [
        ("Brisk", ["assurance document counted until 2026-03-31", "1 inherited control without evidence"], "critical"),
        ("Dusty", ["review overdue", "2 open findings"], "low"),
        ("Cloudy", ["no assurance document", "never reviewed", "risk rating unknown"], "critical"),
        ("Ample", [], "low"),
    ]


@pytest.mark.parametrize(
    ("given", "document", "attention"),
    [
        (
            {"assurance": "assured", "assured_by": "screening", "assured_dated_on": date(2026, 7, 9)},
            "confirmation of screening of 2026-07-09",
            [],
        ),
        (
            {
                **{"assurance": "lapsed", "assured_by": "soc2_type2", "assured_dated_on": date(2025, 6, 6)},
                **{"assured_until": date(2026, 7, 16), "unfit": "wrong_scope", "unfit_kind": "soc2_type2"},
                "unfit_until": date(2027, 6, 6),
            },
            "SOC 2 type II report to 2025-06-06",
            [
                "SOC 2 type II report to 2025-06-06 counted until 2026-07-16",
                "SOC 2 type II report until 2027-06-06 does not cover the service that we use",
            ],
        ),
        (
            {"assurance": "not_assessed", "unfit": "qualified_opinion", "unfit_kind": "soc2_type2"},
            None,
            ["SOC 2 type II report has reservations, or no opinion on record, that nobody assessed"],
        ),
    ],
)
def test_the_document_that_decides_is_named_and_so_is_one_in_force_that_does_not_count(given, document, attention):
    row = table(report(vendor("Ample", **given)), "vendors").row(0, named=True)
    assert (row["deciding_document"], row["attention"]) == (document, attention)


def test_not_assessed_is_said_to_be_unknown_and_never_low():
    document = report(vendor("Cloudy", assurance="not_assessed", rating_unknown=True, residual=25))
    assert document.warnings == [
        "1 vendor without any assurance document: that is unknown risk, not low risk.",
        "1 vendor lacks a likelihood or impact, which counts as 5.",
    ]
    assert document.summary["vendors_assured_pct"] == 0.0


def test_an_overdue_review_takes_no_assurance_away_and_is_named_as_what_it_is():
    reported = {"assurance": "assured", "assured_until": date(2027, 4, 30)}
    document = report(vendor("Dusty", **reported, review="overdue", next_review_on=date(2026, 11, 1)))
    assert lead(document) == (
        "1 of 1 vendor has an assurance document in force.",
        "Start with Dusty (tier low: review overdue; with ann@acme.example).",
    )
    columns = ("assurance", "assured_until", "review", "attention")
    assert table(document, "vendors").select(columns).rows() == [
        ("assured", date(2027, 4, 30), "overdue", ["review overdue"])
    ]


def test_an_assured_vendor_comes_behind_those_that_nothing_assures_whatever_its_tier():
    gaps = {"tier": "critical", "inherited_gaps": 1}
    vendors = (
        vendor("Able", **gaps),
        vendor("Bold", **gaps, assurance="expiring"),
        vendor("Calm", assurance="not_assessed"),
        vendor("Dusty", tier="high", review="overdue"),
        vendor("Early", assurance="lapsed"),
    )
    names = table(report(*vendors), "vendors")["name"].to_list()
    assert names == ["Early", "Dusty", "Calm", "Bold", "Able"]


def test_the_worst_vendor_is_asked_for_what_settles_most():
    lapsed = vendor("Mute", assurance="lapsed", tier="high")
    held = {"vendor": "Mute", "vendor_id": lapsed["vendor_id"], "framework": "soc2"}
    controls = [
        {**held, "control_id": "A1", "expected_evidence": "soc2_type2", "gap": "expired", "severity_score": 3.0},
        {
            **held,
            "control_id": "A2",
            "expected_evidence": "iso27001_certificate",
            "gap": "missing",
            "severity_score": 5.0,
        },
        {**held, "control_id": "A3", "expected_evidence": "soc2_type2", "gap": "none", "severity_score": 9.0},
    ]
    assert report(lapsed, controls=controls).next_step == (
        "Start with Mute (tier high: assurance document without a known end; with ann@acme.example): ask for the ISO/IEC 27001 "
        "certificate."
    )


def test_a_current_review_is_no_assurance():
    document = report(vendor("Calm", assurance="not_assessed"), vendor("Mute", assurance="lapsed"))
    assert lead(document) == (
        "0 of 2 vendors have an assurance document in force, 1 never had one.",
        "Start with Mute (tier low: assurance document without a known end; with ann@acme.example).",
    )


def test_a_document_that_ends_soon_is_still_in_force():
    document = report(vendor("Able", assurance="expiring", assured_until=date(2026, 12, 1)), vendor("Bold"))
    assert (document.summary["vendors_assurance_expiring"], document.summary["vendors_assured"]) == (1, 2)
    assert "it ends within 60 days." in document.definitions["assurance"]
    assert lead(document) == ("2 of 2 vendors have an assurance document in force; no vendor needs attention now.", "")


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
        "Able": ["health data without a BAA"],
        "Bold": [],
        "Calm": [],
    }


@pytest.mark.parametrize(("opinion", "said"), [("qualified", "qualified"), (None, "not recorded")])
def test_a_qualified_or_unknown_opinion_needs_attention(opinion, said):
    register = table(report(vendor("Able", soc2_kind="soc2_type2", soc2_opinion=opinion)), "vendors")
    assert register["attention"].to_list() == [[f"SOC 2 opinion {said}"]]


def test_tiers_add_up_to_the_register():
    document = report(*VENDORS, controls=counted_controls(*VENDORS))
    tiers = table(document, "tiers")
    assert tiers["tier"].to_list() == ["critical", "high", "low"]
    assert tiers["vendors"].sum() == document.summary["vendors"]
    for state, name in (
        ("lapsed", "vendors_assurance_lapsed"),
        ("not_assessed", "vendors_not_assessed"),
        ("expiring", "vendors_assurance_expiring"),
        ("inherited_evidenced", "inherited_evidenced"),
        ("inherited_gaps", "inherited_gaps"),
    ):
        assert (name, tiers[state].sum()) == (name, document.summary[name])
    assert tiers.select(pl.col("assured", "expiring").sum()).row(0) == (document.summary["vendors_assured"], 0)


def test_inherited_controls_stand_by_vendor_in_the_order_of_the_standard():
    document = report(
        *VENDORS,
        controls=(
            inherited_control("Brisk", "A.5.19", "expired"),
            inherited_control("Brisk", "A.5.2"),
            inherited_control("Ample", "A.7.1"),
        ),
    )
    assert table(document, "inherited").select("vendor", "control_id", "gap").rows() == [
        ("Ample", "A.7.1", "none"),
        ("Brisk", "A.5.2", "none"),
        ("Brisk", "A.5.19", "expired"),
    ]


def test_reviews_list_what_is_due_and_what_never_happened():
    reviews = table(report(*VENDORS), "reviews")
    assert reviews.select("name", "review", "days_left").rows() == [
        ("Dusty", "overdue", -19),
        ("Cloudy", "never", None),
    ]


def test_open_findings_are_not_known_while_none_names_a_vendor():
    assert report(vendor("Ample", open_findings=None)).summary["vendor_findings_open"] is None
    assert report(vendor("Ample", open_findings=0)).summary["vendor_findings_open"] == 0


def test_a_first_review_that_is_late_counts_as_overdue_beside_never():
    late = vendor("Cloudy", review="never", next_review_on=date(2026, 11, 19))
    ahead = vendor("Dawn", review="never", next_review_on=date(2026, 11, 20))
    document = report(late, ahead)
    names = ("vendor_reviews_overdue", "vendor_reviews_due_soon", "vendor_reviews_never")
    assert [document.summary[name] for name in names] == [1, 1, 2]
    assert table(document, "tiers").select("reviews_overdue", "never_reviewed").rows() == [(1, 2)]


def test_a_register_without_trouble_says_so():
    document = report(vendor("Ample"))
    assert lead(document) == ("1 of 1 vendor has an assurance document in force; no vendor needs attention now.", "")
    assert document.warnings == []


def test_an_empty_register_is_not_a_safe_one():
    document = report()
    assert lead(document) == (
        "No vendor is registered; if services are bought in, nothing is known about their risk.",
        "Import vendors.csv with hq import, or post to /api/governance/third-party/vendors, to fill this report.",
    )
    assert document.summary["vendors_assured_pct"] is None
    assert document.coverage.total == 0
    assert all(table.frame.is_empty() for table in document.tables)


def test_every_figure_is_what_its_rows_give():
    facts = {
        "vendors": rows("vendors", *VENDORS),
        "vendor_controls": rows("vendor_controls", *counted_controls(*VENDORS)),
    }
    values_follow(REPORT)
    values_follow(REPORT, **facts)
