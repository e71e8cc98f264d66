from datetime import date

import pytest

from tests.reporting.facts.conftest import only

SCOPE = [{"framework": name, "in_scope": True} for name in ("soc2", "iso27001", "pci-dss", "hipaa", "gdpr-art32")]
REVIEWED = {
    "id": "v1", "name": "Vendor", "category": "cloud", "tier": "high", "status": "assessed",
    "last_review_on": "2026-06-01", "likelihood": 2, "impact": 4,
}  # fmt: skip


def document(kind, **more):
    return {"id": kind, "vendor_id": "v1", "kind": kind, **more}


def soc2(period_end_on, **more):
    return document("soc2_type2", period_end_on=period_end_on, opinion="unqualified", **more)


def vendor(known, *columns, documents=(), **more):
    facts = known(organization_frameworks=SCOPE, vendors=[{**REVIEWED, **more}], vendor_documents=documents)
    return only(facts["vendors"], *columns)


def gap(known, *documents, evidence="soc2_type2", **more):
    """The gaps of controls for which that document is expected."""
    facts = known(organization_frameworks=SCOPE, vendors=[{**REVIEWED, **more}], vendor_documents=documents)
    frame = facts["vendor_controls"].filter(expected_evidence=evidence)
    (word,) = frame["gap"].unique().to_list()
    return word


@pytest.mark.parametrize(
    ("period_end", "bridge", "valid_until"),
    [
        ("2026-03-31", None, date(2027, 3, 31)),  # twelve months
        ("2025-11-19", None, date(2026, 11, 19)),
        ("2025-11-19", "2026-01-31", date(2026, 11, 19)),  # a bridge never shortens
        ("2025-11-19", "2026-12-31", date(2026, 12, 31)),
        ("2025-11-19", "2027-12-31", date(2027, 2, 19)),  # and adds three months at most
        ("2024-02-29", None, date(2025, 2, 28)),
    ],
)
def test_a_soc2_report_is_good_for_a_year_and_a_bridge_letter_adds_up_to_three_months(
    known, period_end, bridge, valid_until
):
    letters = [document("bridge_letter", issued_on="2026-01-10", period_end_on=bridge)] if bridge else []
    assert vendor(known, "soc2_valid_until", documents=[soc2(period_end), *letters]) == valid_until


@pytest.mark.parametrize(
    ("period_end", "assurance"),
    [("2026-03-31", "assured"), ("2026-01-20", "assured"), ("2026-01-19", "expiring"), ("2025-11-20", "expiring"),
     ("2025-11-19", "lapsed")],
)  # fmt: skip
def test_assurance_expires_within_sixty_days_and_lapses_after_the_last_one(known, period_end, assurance):
    assert vendor(known, "assurance", documents=[soc2(period_end)]) == assurance


@pytest.mark.parametrize("standing", [{"status": "not_assessed"}, {"status": "in_progress"}, {"last_review_on": None}])
@pytest.mark.parametrize("tier", ["critical", "low"])
def test_a_vendor_that_was_not_assessed_is_never_assured(known, standing, tier):
    assert vendor(known, "assurance", documents=[soc2("2026-09-30")], tier=tier, **standing) == "not_assessed"


@pytest.mark.parametrize(
    ("document_", "assurance"),
    [
        (soc2("2026-09-30", in_scope=False), "lapsed"),
        ({**soc2("2026-09-30"), "opinion": "adverse"}, "lapsed"),
        ({**soc2("2026-09-30"), "opinion": "qualified"}, "assured"),
        (soc2(None), "lapsed"),  # nobody knows until when
        (soc2("2026-12-31"), "lapsed"),  # not there yet
        (document("nda", issued_on="2020-01-01"), "lapsed"),  # says nothing about a cloud
        (document("iso27001_certificate", expires_on="2027-06-01"), "assured"),
        (document("iso27001_certificate", issued_on="2023-11-20"), "expiring"),
        (document("iso27001_certificate"), "lapsed"),
    ],
)
def test_only_a_dated_report_in_scope_without_an_adverse_opinion_assures(known, document_, assurance):
    assert vendor(known, "assurance", documents=[document_]) == assurance


def test_people_are_assured_by_screening_and_an_agreement_lasts(known):
    assert (
        vendor(known, "assurance", category="people", documents=[document("nda", issued_on="2020-01-01")]) == "assured"
    )


def test_for_the_low_tier_a_current_review_is_enough_and_an_old_document_takes_nothing_away(known):
    assert vendor(known, "assurance", tier="low") == "assured"
    assert vendor(known, "assurance", tier="low", documents=[soc2("2020-01-01")]) == "assured"
    assert vendor(known, "assurance", tier="low", last_review_on="2023-11-19") == "lapsed"


@pytest.mark.parametrize(
    ("tier", "last", "due", "review"),
    [
        ("critical", "2025-11-20", date(2026, 11, 20), "due_soon"),
        ("high", "2025-11-19", date(2026, 11, 19), "overdue"),
        ("medium", "2024-12-20", date(2026, 12, 20), "due_soon"),
        ("low", "2023-12-21", date(2026, 12, 21), "current"),
        ("low", None, None, "never"),
    ],
)
def test_reviews_follow_the_tier(known, tier, last, due, review):
    assert vendor(known, "next_review_on", "review", tier=tier, last_review_on=last) == (due, review)


def test_a_planned_review_counts_until_a_review_answers_it(known):
    columns = ("next_review_on", "review")
    assert vendor(known, *columns, next_review_on="2026-07-01") == (date(2026, 7, 1), "overdue")
    answered = vendor(known, *columns, next_review_on="2026-07-01", last_review_on="2026-07-03")
    assert answered == (date(2027, 7, 3), "current")


def test_an_assessment_expires_with_its_review_or_its_assurance(known):
    assert vendor(known, "status", documents=[soc2("2026-09-30")]) == "assessed"
    assert vendor(known, "status", documents=[soc2("2025-01-01")]) == "expired"
    assert vendor(known, "status", documents=[soc2("2026-09-30")], last_review_on="2025-01-01") == "expired"
    assert vendor(known, "assurance", documents=[soc2("2026-09-30")], status="expired") == "lapsed"


def test_unknown_ratings_count_as_five(known):
    columns = ("inherent", "residual", "rating_unknown")
    assert vendor(known, *columns) == (8, 8, False)
    assert vendor(known, *columns, residual_likelihood=1) == (8, 4, False)
    assert vendor(known, *columns, likelihood=None) == (20, 20, True)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({}, "none"),
        ({"period_end_on": "2025-11-19"}, "expired"),
        ({"period_end_on": None}, "expired"),
        ({"in_scope": False}, "wrong_scope"),
        ({"opinion": "qualified"}, "qualified_opinion"),
        ({"opinion": "disclaimer"}, "qualified_opinion"),
        ({"cuecs_mapped": False}, "cuec_unmapped"),
        ({"cuecs_mapped": None}, "cuec_unmapped"),
    ],
)
def test_inherited_controls_need_a_current_clean_report_in_scope_with_our_side_mapped(known, change, word):
    report = {**soc2("2026-03-31", cuecs_mapped=True), **change}
    assert gap(known, report) == word
    assert gap(known) == "missing"


def test_a_newer_report_on_another_service_does_not_hide_the_one_in_scope(known):
    ours = soc2("2026-03-31", cuecs_mapped=True)
    other = {**soc2("2026-09-30", in_scope=False), "id": "other"}
    assert gap(known, ours, other) == "none"


def frameworks(known, **more):
    facts = known(organization_frameworks=SCOPE, vendors=[{**REVIEWED, **more}])
    return set(facts["vendor_controls"]["framework"].unique())


def test_health_rules_concern_vendors_with_health_information_and_card_rules_those_with_cards(known):
    assert not {"hipaa", "pci-dss"} & frameworks(known)
    assert "hipaa" in frameworks(known, handles_phi=True)
    assert "pci-dss" in frameworks(known, data_classes="names; Cardholder data")
    assert "pci-dss" in frameworks(known, category="payments")


def test_higher_tiers_carry_more_and_weigh_more(known):
    def inherited(tier):
        return vendor(known, "inherited", "inherited_gaps", tier=tier)

    assert inherited("critical") > inherited("low")
    facts = known(organization_frameworks=SCOPE, vendors=[REVIEWED, {**REVIEWED, "id": "v2", "tier": "critical"}])
    frame = facts["vendor_controls"].filter(control_id="CC6.4").join(
        facts["leverage"].filter(control_id="CC6.4"), on=["org_id", "framework", "control_id"]
    )  # fmt: skip
    assert {row["vendor_id"]: row["severity_score"] / row["leverage"] for row in frame.iter_rows(named=True)} == {
        "v1": 3.0, "v2": 4.0,
    }  # fmt: skip


def test_the_register_holds_vendors_from_the_day_they_come_to_the_day_they_go(known):
    def there(**more):
        return known(vendors=[{**REVIEWED, **more}])["vendors"].height == 1

    assert there(onboarded_on="2026-11-20", offboarded_on="2026-11-21")
    assert not there(onboarded_on="2026-11-21")
    assert not there(offboarded_on="2026-11-20")


def test_an_empty_register_has_no_rows(known):
    facts = known(organization_frameworks=SCOPE)
    assert facts["vendors"].is_empty()
    assert facts["vendor_controls"].is_empty()


@pytest.mark.parametrize(
    ("documents", "found"),
    [
        ([], ("missing", None)),
        ([soc2("2025-11-19")], ("missing", None)),  # ended more than a year ago
        ([soc2("2026-03-31")], ("none", "soc2_type2")),  # its assurance reaches up to today
        ([{**soc2("2026-03-31"), "opinion": "qualified"}], ("qualified_opinion", "soc2_type2")),
        ([soc2("2026-03-31"), document("bridge_letter", issued_on="2026-04-10", expires_on="2026-06-30")],
         ("expired", "bridge_letter")),
    ],
)  # fmt: skip
def test_a_report_in_force_needs_no_bridge_letter(known, documents, found):
    facts = known(organization_frameworks=SCOPE, vendors=[REVIEWED], vendor_documents=documents)
    rows = facts["vendor_controls"].filter(expected_evidence="bridge_letter")
    assert rows.select("gap", "held").unique().rows() == [found]
