"""What counts as approved: by somebody of the organization, on a day that has come."""

from datetime import date

import pytest

from tests.facts.conftest import control, on, only

BOB = {"email": "bob", "role": "admin"}
EXCEPTION = {"id": "e", **on(), "kind": "gap", "status": "approved", "expires_on": "2027-01-01"}


def standing(facts_with, **change):
    members = change.pop("memberships", [BOB])
    facts = facts_with(controls=[control()], exceptions=[{**EXCEPTION, **change}], memberships=members)
    return only(facts["exceptions"], "standing", "unapproved")


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"approved_on": "2026-11-20"},
        {"approver": "BOB"},
        {"approver": "x@audit.example; bob"},
        {"memberships": [{**BOB, "status": "removed", "since_on": "2026-01-02"}]},
    ],
)
def test_an_exception_is_in_force_where_a_member_approved_it(facts_with, change):
    assert standing(facts_with, **change) == ("approved", False)


@pytest.mark.parametrize(
    "change",
    [
        {"approver": None},
        {"approver": "stranger"},
        {"approved_on": None},
        {"approved_on": "2026-11-21"},
        {"memberships": []},
        {"memberships": [{**BOB, "since_on": "2026-01-03"}]},
    ],
)
def test_an_exception_without_an_approval_that_holds_is_in_review(facts_with, change):
    assert standing(facts_with, **change) == ("in_review", True)


def test_a_profile_alone_makes_an_approver_on_any_day(facts_with):
    tables = {"exceptions": [EXCEPTION], "users": [{"email": "bob", "active": False}]}
    assert only(facts_with(controls=[control()], **tables)["exceptions"], "standing") == "approved"


@pytest.mark.parametrize(
    ("people", "expected"),
    [
        ({"users": [{"email": "bob", "active": False, "revision": 3}]}, "in_review"),
        ({"users": [{"email": "bob", "active": False, "revision": 4}]}, "approved"),
        ({"users": [{"email": "bob", "revision": 3}]}, "approved"),
        ({"memberships": [{**BOB, "status": "removed", "revision": 3}]}, "in_review"),
        (
            {"memberships": [{**BOB, "revision": 3}], "users": [{"email": "bob", "active": False, "revision": 3}]},
            "in_review",
        ),
        (
            {"users": [{"email": "bob", "active": False, "revision": 1}]},
            "in_review",
        ),  # its event was cut: before the rest
    ],
)
def test_who_had_left_by_the_record_approves_nothing_afterwards(facts_with, people, expected):
    events = [("x", "2026-01-01T12:00"), ("y", "2026-02-01T12:00"), ("z", "2026-04-01T12:00")]  # 2, 3 and 4
    row = {**EXCEPTION, "approved_on": "2026-03-01"}
    facts = facts_with(controls=[control()], exceptions=[row], events=events, **people)
    assert only(facts["exceptions"], "standing") == expected


def test_an_expired_exception_stays_expired_whoever_approved_it(facts_with):
    assert standing(facts_with, expires_on="2026-11-19", approver=None) == ("expired", False)


def test_evidence_of_a_measure_that_is_dated_ahead_is_missing(facts_with):
    row = {**EXCEPTION, "compensating": "Review", "compensating_evidence_on": "2026-11-21"}
    facts = facts_with(controls=[control()], exceptions=[row])
    assert only(facts["exceptions"], "evidence_freshness") == "missing"


DECISION = {**on(), "decision": "alternative", "rationale": "because", "decided_on": "2026-11-20"}


@pytest.mark.parametrize(
    ("change", "approved"),
    [
        ({}, True),
        ({"approved_on": "2026-11-20"}, True),
        ({"approved_on": "2026-11-21"}, False),
        ({"approved_by": None}, False),
        ({"approved_by": "stranger"}, False),
        ({"decided_on": "2026-11-21"}, False),
        ({"decided_on": None, "approved_on": "2026-11-20"}, False),
    ],
)
def test_a_decision_counts_from_its_day_on_with_an_approver(facts_with, change, approved):
    facts = facts_with(control_profiles=[{**DECISION, **change}], memberships=[BOB])
    assert only(facts["control_profiles"], "decision_approved") == approved


def test_an_active_policy_that_nobody_accepted_is_none(facts_with):
    policy = {"id": "p1", "policy": "p", "version": 1, "state": "active", "accepted_at": "2026-01-05 10:00"}
    assert only(facts_with(policies=[policy])["policies"], "accepted_on") == date(2026, 1, 5)
    for change in ({"accepted_by": None}, {"accepted_by": "stranger"}, {"accepted_at": None}):
        assert facts_with(policies=[{**policy, **change}])["policies"].is_empty()


def test_where_nobody_is_nothing_is_approved(facts_with):
    assert facts_with()["approvers"].is_empty()


@pytest.mark.parametrize(
    ("change", "holds"),
    [
        ({}, True),
        ({"accepted_by": None}, False),
        ({"accepted_by": "stranger"}, False),
        ({"accepted_on": "2026-11-21"}, False),
        ({"treatment": "mitigate"}, None),
    ],
)
def test_a_risk_is_accepted_by_somebody_on_a_day_that_has_come(facts_with, change, holds):
    row = {"id": "r", "title": "A risk", "status": "open", "treatment": "accept"}
    facts = facts_with(risks=[{**row, "accepted_by": "bob", "accepted_on": "2026-11-20", **change}], memberships=[BOB])
    assert only(facts["risks"], "acceptance_approved") is holds


@pytest.mark.parametrize(
    ("change", "holds"), [({}, True), ({"compensating_approved_by": "stranger"}, False), ({"compensating": None}, None)]
)
def test_a_compensating_control_is_approved_by_somebody_on_a_day_that_has_come(facts_with, change, holds):
    row = {"id": "r", **on(), "title": "A fix", "opened_on": "2026-11-01", "compensating": "Review", "status": "open"}
    approval = {"compensating_approved_by": "bob", "compensating_approved_on": "2026-11-02"}
    facts = facts_with(controls=[control()], remediations=[{**row, **approval, **change}], memberships=[BOB])
    assert only(facts["open_work"], "compensating_approved") is holds


@pytest.mark.parametrize(
    ("days", "change", "kept", "fulfils"),
    [
        (900, {}, 900, 900),
        (30, {}, 30, 30),
        (900, {"approved_by": "stranger"}, 900, 400),
        (30, {"approved_by": "x; BOB "}, 30, 30),
        (30, {"approved_on": "2026-11-21"}, 400, 400),
        (30, {"approved_by": None}, 400, 400),
    ],
)
def test_an_override_of_retention_that_nobody_approved_shortens_nothing_and_fulfils_nothing(
    facts_with, days, change, kept, fulfils
):
    row = {"record_class": "audit_log", "days": days, "approved_by": "bob", "approved_on": "2026-11-20", **change}
    facts = facts_with(retention_overrides=[row], memberships=[BOB])
    found = facts["retention"].filter(record_class="audit_log")
    assert only(found, "days", "approved_days") == (kept, fulfils)
