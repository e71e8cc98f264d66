from datetime import date

import pytest

from tests.facts.conftest import only

SCOPE = [{"framework": name, "in_scope": True} for name in ("soc2", "iso27001", "pci-dss", "hipaa", "gdpr-art32")]
REVIEWED = {
    "id": "v1",
    "name": "Vendor",
    "category": "cloud",
    "tier": "high",
    "status": "assessed",
    "last_review_on": "2026-06-01",
    "likelihood": 2,
    "impact": 4,
}


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
    facts_with, period_end, bridge, valid_until
):
    letters = [document("bridge_letter", issued_on="2026-01-10", period_end_on=bridge)] if bridge else []
    assert vendor(facts_with, "soc2_valid_until", documents=[soc2(period_end), *letters]) == valid_until


@pytest.mark.parametrize(
    ("period_end", "assurance"),
    [
        ("2026-03-31", "assured"),
        ("2026-01-20", "assured"),
        ("2026-01-19", "expiring"),
        ("2025-11-20", "expiring"),
        ("2025-11-19", "lapsed"),
    ],
)
def test_assurance_expires_within_sixty_days_and_lapses_after_the_last_one(facts_with, period_end, assurance):
    assert vendor(facts_with, "assurance", documents=[soc2(period_end)]) == assurance


def test_an_organization_says_from_when_assurance_is_expiring(facts_with):
    def assurance_of(days):
        facts = facts_with(
            vendors=[REVIEWED], vendor_documents=[soc2("2026-01-20")], settings={"vendor_expiring_days": days}
        )
        return only(facts["vendors"], "assurance")

    assert (assurance_of(60), assurance_of(61)) == ("assured", "expiring")


@pytest.mark.parametrize(
    "standing",
    [
        {"status": "not_assessed"},
        {"status": "in_progress"},
        {"status": "expired"},
        {"last_review_on": None},
        {"last_review_on": "2020-01-01"},
    ],
)
@pytest.mark.parametrize("tier", ["critical", "low"])
def test_assurance_follows_documents_whatever_became_of_the_review(facts_with, standing, tier):
    def assurance_of(*documents):
        return vendor(facts_with, "assurance", "assured_until", documents=documents, tier=tier, **standing)

    assert assurance_of(soc2("2026-09-30")) == ("assured", date(2027, 9, 30))
    assert assurance_of(soc2("2025-09-30")) == ("lapsed", date(2026, 9, 30))
    assert assurance_of() == ("not_assessed", None)


@pytest.mark.parametrize(
    ("document_", "assurance"),
    [
        (soc2("2026-09-30", in_scope=False), "not_assessed"),
        ({**soc2("2026-09-30"), "opinion": "adverse"}, "not_assessed"),
        ({**soc2("2026-09-30"), "opinion": "qualified"}, "not_assessed"),  # nobody judged it since
        (soc2(None), "lapsed"),  # nobody knows until when
        (soc2("2026-12-31"), "not_assessed"),  # not there yet
        (document("nda", issued_on="2020-01-01"), "not_assessed"),  # says nothing about a cloud
        (document("iso27001_certificate", expires_on="2027-06-01"), "assured"),
        (document("iso27001_certificate", issued_on="2023-11-20"), "expiring"),
        (document("iso27001_certificate"), "lapsed"),
    ],
)
def test_only_a_dated_report_in_scope_without_an_adverse_opinion_assures(facts_with, document_, assurance):
    assert vendor(facts_with, "assurance", documents=[document_]) == assurance


def test_people_are_assured_by_screening_and_an_agreement_lasts(facts_with):
    lasting = document("nda", issued_on="2020-01-01")
    ended = document("screening", issued_on="2020-01-01", expires_on="2025-01-01")
    columns = ("assurance", "assured_until")
    assert vendor(facts_with, *columns, category="people", documents=[lasting, ended]) == ("assured", None)
    assert vendor(facts_with, *columns, category="people", documents=[ended]) == ("lapsed", date(2025, 1, 1))


def test_a_vendor_is_assured_until_the_last_of_its_documents_ends(facts_with):
    certificate = document("iso27001_certificate", expires_on="2027-06-01")
    found = vendor(facts_with, "assurance", "assured_until", documents=[soc2("2025-06-30"), certificate])
    assert found == ("assured", date(2027, 6, 1))


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
def test_reviews_follow_the_tier(facts_with, tier, last, due, review):
    assert vendor(facts_with, "next_review_on", "review", tier=tier, last_review_on=last) == (due, review)


def test_open_findings_are_counted_once_one_of_the_organization_names_a_vendor(facts_with):
    def counts_with(*findings):
        facts = facts_with(vendors=[REVIEWED, {**REVIEWED, "id": "v2"}], findings=findings)
        return facts["vendors"]["open_findings"].to_list()

    seen = {"source": "scan", "finding_key": "k", "title": "Weak", "severity": "high", "details": None}
    seen |= {"status": "open", "first_seen_at": "2026-11-01 00:00", "last_seen_at": "2026-11-02 00:00"}
    named = {**seen, "id": "f1", "vendor_id": "v1"}
    assert counts_with() == [None, None]
    assert counts_with({**seen, "id": "f0"}) == [None, None]
    assert counts_with(named, {**named, "id": "f2", "status": "accepted"}, {**seen, "id": "f3"}) == [2, 0]
    assert counts_with({**named, "status": "fixed", "fixed_at": "2026-11-03 00:00"}) == [0, 0]


@pytest.mark.parametrize(
    ("given", "due"),
    [
        ({"onboarded_on": "2026-10-20"}, date(2026, 11, 19)),
        ({"onboarded_on": "2026-10-20", "next_review_on": "2027-10-20"}, date(2026, 11, 19)),  # no plan defers it
        ({"onboarded_on": "2026-10-20", "next_review_on": "2026-11-01"}, date(2026, 11, 1)),
        ({"onboarded_on": "2026-10-20", "last_review_on": "2026-11-21"}, date(2026, 11, 19)),  # dated ahead
        ({}, date(2026, 2, 4)),
    ],
)
def test_a_first_review_is_due_days_after_a_vendor_came_or_else_after_its_organization(facts_with, given, due):
    came = {"id": "acme", "name": "acme", "time_zone": "UTC", "created_at": "2026-01-05 09:00"}
    facts = facts_with(vendors=[{**REVIEWED, "last_review_on": None, **given}], organizations=[came])
    assert only(facts["vendors"], "last_review_on", "next_review_on", "review") == (None, due, "never")
    duty = facts["obligations"].filter(kind="vendor_review")
    assert duty.select("due_on", "state", "done_on").rows() == [(due, "overdue", None)]


def test_an_organization_says_how_soon_a_first_review_is_due(facts_with):
    fresh = {**REVIEWED, "last_review_on": None, "onboarded_on": "2026-11-20"}
    facts = facts_with(vendors=[fresh], settings={"vendor_first_review_days": 7})
    assert only(facts["vendors"], "next_review_on") == date(2026, 11, 27)


def test_a_planned_review_counts_until_a_review_answers_it(facts_with):
    columns = ("next_review_on", "review")
    assert vendor(facts_with, *columns, next_review_on="2026-07-01") == (date(2026, 7, 1), "overdue")
    answered = vendor(facts_with, *columns, next_review_on="2026-07-01", last_review_on="2026-07-03")
    assert answered == (date(2027, 7, 3), "current")


def test_an_assessment_expires_with_its_review_or_its_assurance_and_with_nothing_else(facts_with):
    good = [soc2("2026-09-30")]
    assert vendor(facts_with, "status", documents=good) == "assessed"
    assert vendor(facts_with, "status", documents=good, status="expired") == "assessed"
    assert vendor(facts_with, "status", documents=[soc2("2025-01-01")]) == "expired"
    assert vendor(facts_with, "status", documents=good, last_review_on="2025-01-01") == "expired"
    assert vendor(facts_with, "status") == "assessed", "there was never a document that could lapse"


@pytest.mark.parametrize(
    ("given", "status"),
    [
        ({"status": "not_assessed", "last_review_on": "2020-01-01"}, "not_assessed"),
        ({"status": "in_progress", "last_review_on": "2020-01-01"}, "in_progress"),
        ({"status": "assessed", "last_review_on": None}, "not_assessed"),
        ({"status": "expired", "last_review_on": None}, "not_assessed"),
    ],
)
def test_work_that_is_not_finished_does_not_expire_and_without_a_review_there_was_no_assessment(
    facts_with, given, status
):
    assert vendor(facts_with, "status", documents=[soc2("2025-01-01")], **given) == status


def test_unknown_ratings_count_as_five(facts_with):
    columns = ("inherent", "residual", "inherent_unknown", "residual_unknown", "rating_unknown")
    residual = {"residual_likelihood": 1, "residual_impact": 3}
    assert vendor(facts_with, *columns) == (8, 25, False, True, True)
    assert vendor(facts_with, *columns, residual_likelihood=1) == (8, 5, False, True, True)
    assert vendor(facts_with, *columns, residual_impact=3) == (8, 15, False, True, True)
    assert vendor(facts_with, *columns, **residual) == (8, 3, False, False, False)
    assert vendor(facts_with, *columns, **residual, likelihood=None) == (20, 3, True, False, True)
    assert vendor(facts_with, *columns, **residual, impact=None) == (10, 3, True, False, True)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({}, "none"),
        ({"period_end_on": "2025-11-19"}, "expired"),
        ({"period_end_on": None}, "expired"),
        ({"in_scope": False}, "wrong_scope"),
        ({"opinion": "qualified"}, "qualified_opinion"),
        ({"opinion": "disclaimer"}, "qualified_opinion"),
        ({"opinion": None}, "qualified_opinion"),
        ({"cuecs_mapped": False}, "cuec_unmapped"),
        ({"cuecs_mapped": None}, "cuec_unmapped"),
    ],
)
def test_inherited_controls_need_a_current_clean_report_in_scope_with_our_side_mapped(facts_with, change, word):
    report = {**soc2("2026-03-31", cuecs_mapped=True), **change}
    assert gap(facts_with, report) == word
    assert gap(facts_with) == "missing"


def test_a_newer_report_on_another_service_does_not_hide_the_one_in_scope(facts_with):
    ours = soc2("2026-03-31", cuecs_mapped=True)
    other = {**soc2("2026-09-30", in_scope=False), "id": "other"}
    assert gap(facts_with, ours, other) == "none"


def frameworks(known, **more):
    facts = known(organization_frameworks=SCOPE, vendors=[{**REVIEWED, **more}])
    return set(facts["vendor_controls"]["framework"].unique())


def test_health_rules_concern_vendors_with_health_information_and_card_rules_those_with_cards(facts_with):
    assert not {"hipaa", "pci-dss"} & frameworks(facts_with)
    assert "hipaa" in frameworks(facts_with, handles_phi=True)
    assert "pci-dss" in frameworks(facts_with, data_classes="names; Cardholder data")
    assert "pci-dss" in frameworks(facts_with, category="payments")


def test_higher_tiers_carry_more_and_weigh_more(facts_with):
    def inheritance_of(tier):
        return vendor(facts_with, "inherited", "inherited_gaps", tier=tier)

    assert inheritance_of("critical") > inheritance_of("low")
    facts = facts_with(organization_frameworks=SCOPE, vendors=[REVIEWED, {**REVIEWED, "id": "v2", "tier": "critical"}])
    frame = (
        facts["vendor_controls"]
        .filter(control_id="CC6.4")
        .join(facts["leverage"].filter(control_id="CC6.4"), on=["org_id", "framework", "control_id"])
    )
    assert {row["vendor_id"]: row["severity_score"] / row["leverage"] for row in frame.iter_rows(named=True)} == {
        "v1": 3.0,
        "v2": 4.0,
    }


def test_the_register_holds_vendors_from_the_day_they_come_to_the_day_they_go(facts_with):
    def there(**more):
        return facts_with(vendors=[{**REVIEWED, **more}])["vendors"].height == 1

    assert there(onboarded_on="2026-11-20", offboarded_on="2026-11-21")
    assert not there(onboarded_on="2026-11-21")
    assert not there(offboarded_on="2026-11-20")


def test_an_empty_register_has_no_rows(facts_with):
    facts = facts_with(organization_frameworks=SCOPE)
    assert facts["vendors"].is_empty()
    assert facts["vendor_controls"].is_empty()


@pytest.mark.parametrize(
    ("documents", "found"),
    [
        ([], ("missing", None)),
        ([soc2("2025-11-19")], ("missing", None)),  # ended more than a year ago
        ([soc2("2026-03-31")], ("none", "soc2_type2")),  # its assurance reaches up to today
        ([{**soc2("2026-03-31"), "opinion": "qualified"}], ("qualified_opinion", "soc2_type2")),
        (
            [soc2("2026-03-31"), document("bridge_letter", issued_on="2026-04-10", expires_on="2026-06-30")],
            ("none", "soc2_type2"),  # a letter to an earlier report that has ended takes nothing away
        ),
        (
            [soc2("2025-11-19"), document("bridge_letter", issued_on="2026-04-10", expires_on="2026-06-30")],
            ("expired", "bridge_letter"),
        ),
    ],
)
def test_a_report_in_force_needs_no_bridge_letter(facts_with, documents, found):
    facts = facts_with(organization_frameworks=SCOPE, vendors=[REVIEWED], vendor_documents=documents)
    rows = facts["vendor_controls"].filter(expected_evidence="bridge_letter")
    assert rows.select("gap", "held").unique().rows() == [found]


def test_the_posture_counts_the_vendors_with_a_document_in_force(facts_with):
    """Not those with a current review: the register, the posture and the heatmap have one number."""
    given = [{**REVIEWED, "id": id, "last_review_on": "2020-01-01"} for id in ("assured", "expiring", "lapsed")]
    ends = {"assured": "2026-09-30", "expiring": "2025-12-01", "lapsed": "2025-06-30"}
    reports = [{**soc2(day), "id": id, "vendor_id": id} for id, day in ends.items()]
    facts = facts_with(vendors=[*given, {**REVIEWED, "id": "not_assessed"}], vendor_documents=reports)
    assert facts["vendors"].select("vendor_id").to_series().to_list() == facts["vendors"]["assurance"].to_list()
    component = facts["posture"].filter(component="vendor")
    assert component.select("measured", "population", "value").rows() == [(2, 4, 50.0)]


@pytest.mark.parametrize("ahead", [{"issued_on": "2026-11-21"}, {"period_end_on": "2026-11-21"}])
def test_a_report_issued_later_or_on_a_period_that_is_not_over_is_none_yet(facts_with, ahead):
    report = {**soc2("2026-11-20", issued_on="2026-11-20", cuecs_mapped=True), **ahead}
    assert gap(facts_with, report) == "missing"
    assert gap(facts_with, {**report, "issued_on": "2026-11-20", "period_end_on": "2026-11-20"}) == "none"


ASSESSED = {
    "assessment": "Two exceptions on leavers; we review access monthly.",
    "assessed_by": "bob",
    "assessed_on": "2026-06-01",
}


@pytest.mark.parametrize(
    ("change", "assurance"),
    [
        ({}, "assured"),
        ({"assessed_on": "2026-11-20"}, "assured"),
        ({"assessed_on": "2026-11-21"}, "not_assessed"),
        ({"assessed_on": None}, "not_assessed"),
        ({"assessed_by": None}, "not_assessed"),
        ({"assessed_by": "stranger"}, "not_assessed"),
        ({"assessment": " "}, "not_assessed"),
    ],
)
@pytest.mark.parametrize("opinion", ["qualified", None])
def test_a_qualified_or_unknown_opinion_assures_only_where_somebody_assessed_it(facts_with, opinion, change, assurance):
    report = {**soc2("2026-03-31", issued_on="2026-05-01"), "opinion": opinion, **ASSESSED, **change}
    people = {"memberships": [{"email": "bob", "role": "admin"}]}
    facts = facts_with(organization_frameworks=SCOPE, vendors=[REVIEWED], vendor_documents=[report], **people)
    assert only(facts["vendors"], "assurance") == assurance
