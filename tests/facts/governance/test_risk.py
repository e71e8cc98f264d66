from datetime import date

import pytest

from tests.facts.conftest import control, on, only


def risk(known, *columns, settings=None, **more):
    return only(
        known(risks=[{"id": "r", "title": "R", "status": "open", **more}], settings=settings)["risks"], *columns
    )


@pytest.mark.parametrize(
    ("likelihood", "impact", "level"),
    [(2, 2, "low"), (1, 5, "moderate"), (3, 3, "moderate"), (2, 5, "high"), (4, 4, "high"), (4, 5, "critical")],
)
def test_a_cell_is_likelihood_times_impact(facts_with, likelihood, impact, level):
    residual = {"residual_likelihood": likelihood, "residual_impact": impact}
    found = risk(facts_with, "inherent", "residual", "level", "unknown", likelihood=5, impact=1, **residual)
    assert found == (5, likelihood * impact, level, False)


def test_unknown_ratings_count_as_five_and_say_so(facts_with):
    columns = ("likelihood", "impact", "inherent", "residual", "level", "unknown")
    assert risk(facts_with, *columns) == (5, 5, 25, 25, "critical", True)
    assert risk(facts_with, *columns, likelihood=2) == (2, 5, 10, 25, "critical", True)
    assert risk(facts_with, *columns, likelihood=2, residual_likelihood=1, residual_impact=2) == (
        2,
        5,
        10,
        2,
        "low",
        True,
    )


@pytest.mark.parametrize(
    ("residual", "cell"), [({}, 25), ({"residual_likelihood": 1}, 5), ({"residual_impact": 2}, 10)]
)
def test_a_missing_residual_rating_counts_as_five_however_low_the_inherent_one_is(facts_with, residual, cell):
    found = risk(facts_with, "inherent", "residual", "over_appetite", "unknown", likelihood=1, impact=2, **residual)
    assert found == (2, cell, cell > 9, True)


def test_appetite_is_the_risks_own_or_the_organizations_and_closed_risks_do_not_exceed_it(facts_with):
    columns = ("appetite", "over_appetite")
    cell = {"likelihood": 5, "impact": 5, "residual_likelihood": 2, "residual_impact": 5}
    assert risk(facts_with, *columns, **cell) == (9, True)
    assert risk(facts_with, *columns, **cell, appetite=10) == (10, False)
    assert risk(facts_with, *columns, **cell, settings={"risk_appetite": 12}) == (12, False)
    assert risk(facts_with, *columns, **cell, **{"status": "closed"}) == (9, False)


def test_the_largest_risk_comes_first(facts_with):
    given = [
        {"id": id, "status": "open", "residual_likelihood": n, "residual_impact": 1}
        for id, n in (("c", 1), ("b", 3), ("a", 1))
    ]
    assert facts_with(risks=given)["risks"]["id"].to_list() == ["b", "a", "c"]


def test_the_previous_cell_is_unknown_unless_both_ratings_were_kept(facts_with):
    assert risk(facts_with, "previous", previous_likelihood=2, previous_impact=3) == 6
    assert risk(facts_with, "previous", previous_likelihood=2) is None


@pytest.mark.parametrize(
    ("status", "expires", "standing"),
    [
        ("approved", "2026-11-20", "approved"),
        ("approved", "2026-11-19", "expired"),
        ("draft", "2026-11-19", "draft"),
        ("rejected", "2026-11-19", "rejected"),
        ("resolved", "2026-11-19", "resolved"),
        ("in_review", "2026-12-01", "in_review"),
    ],
)
def test_an_approved_exception_expires_after_its_last_day(facts_with, status, expires, standing):
    facts = facts_with(controls=[control()], exceptions=[{"id": "e", **on(), "status": status, "expires_on": expires}])
    left = (date.fromisoformat(expires) - date(2026, 11, 20)).days
    assert only(facts["exceptions"], "standing", "days_left", "renewals", "title") == (standing, left, 0, "Control X1")


def test_an_exception_of_a_framework_out_of_scope_stays_in_the_register(facts_with):
    given = [{"id": "e", **on("9.9", "hipaa"), "status": "approved", "expires_on": "2027-01-01"}]
    assert only(facts_with(exceptions=given)["exceptions"], "control_id", "title") == ("9.9", None)


def test_without_rows_both_registers_are_empty(facts_with):
    facts = facts_with()
    assert (facts["risks"].height, facts["exceptions"].height) == (0, 0)


@pytest.mark.parametrize(
    ("given", "freshness"),
    [
        ({}, None),
        ({"compensating": "Manual review"}, "missing"),
        ({"kind": "compensating"}, "missing"),
        ({"kind": "compensating", "compensating_evidence_on": "2026-10-20"}, "due_soon"),
        ({"kind": "compensating", "compensating_evidence_on": "2026-10-15"}, "stale"),
        ({"kind": "compensating", "compensating_evidence_on": "2026-11-01"}, "fresh"),
    ],
)
def test_evidence_of_a_compensating_measure_ages_by_the_cadence_of_the_control(facts_with, given, freshness):
    row = {"id": "e", **on(), "kind": "gap", "status": "approved", "expires_on": "2027-01-01", **given}
    facts = facts_with(controls=[control(cadence="monthly")], exceptions=[row])
    assert only(facts["exceptions"], "evidence_freshness") == freshness


@pytest.mark.parametrize(
    ("other", "replaced"),
    [
        ({}, True),
        ({"expires_on": "2026-11-20"}, True),
        ({"expires_on": "2026-11-19"}, False),
        ({"status": "in_review"}, False),
        ({"approver": None}, False),
        ({"approved_on": None}, False),
        ({"approved_on": "2026-11-21"}, False),
        ({"control_id": "A2"}, False),
    ],
)
def test_an_expired_exception_is_replaced_by_one_on_its_control_that_is_approved_and_in_force(
    facts_with, other, replaced
):
    given = {"id": "e", **on(), "status": "approved", "approver": "eve", "approved_on": "2026-01-01"}
    expired = {**given, "expires_on": "2026-11-01"}
    facts = facts_with(
        controls=[control()],
        exceptions=[expired, {**given, "id": "f", "expires_on": "2027-01-01", **other}],
        memberships=[{"email": "eve", "role": "admin"}],
    )
    marks = dict(facts["exceptions"].select("id", "replaced").iter_rows())
    assert marks["e"] is replaced
    assert marks["f"] is False


def test_each_cell_says_for_itself_whether_it_is_rated(facts_with):
    columns = ("inherent_unknown", "residual_unknown", "level")
    assert risk(facts_with, *columns, likelihood=2, impact=5) == (False, True, "critical")
    assert risk(facts_with, *columns, residual_likelihood=5, residual_impact=5) == (True, False, "critical")
    assert risk(facts_with, *columns, residual_likelihood=5) == (True, True, "critical")
