from datetime import date, timedelta

import pytest

from tests.factories import DAY
from tests.facts.conftest import control, naming, on, only

ALL = ["operation", "test", "attestation"]
OPERATED = ("backup.completed", "2026-11-10 09:00", naming("X1"))
SIGNED = {"id": "a", **on(), "due_on": "2026-11-01", "outcome": "attested", "attested_at": "2026-11-11 09:00"}
SCHEDULE = {"id": "s", **on(), "cadence": "monthly", "starts_on": "2026-11-01"}
COMPLETE = {"events": [OPERATED], "attestations": [SIGNED], "testing_schedules": [SCHEDULE]}


def run(id, outcome, performed_on, schedule="s"):
    return {
        "id": id,
        "schedule_id": schedule,
        "window_open_on": "2026-11-01",
        "window_close_on": "2026-11-30",
        "performed_on": performed_on,
        "outcome": outcome,
    }


PASSED = run("r1", "passed", "2026-11-12")


def status(known, *columns, kinds=ALL, cadence="monthly", **tables):
    facts = known(controls=[control(evidence_kinds=kinds, cadence=cadence)], **tables)
    return only(facts["control_status"], *columns)


def test_all_kinds_fresh_and_attested_is_effective(facts_with):
    found = status(facts_with, "state", "kinds_present", "kinds_stale", "freshness", **COMPLETE, test_runs=[PASSED])
    assert found == ("effective", ["operation", "test", "attestation"], [], "fresh")


def test_nothing_ever_is_no_data(facts_with):
    assert status(facts_with, "state", "freshness", "kinds_present") == ("no_data", "missing", [])


NOTED = ("state", "without_evidence", "evidence_note")
POLICY = {
    "policies": [{"id": "p", "policy": "p", "version": 1, "state": "active", "accepted_at": "2026-10-01 10:00"}],
    "policy_controls": [{"policy_id": "p", **on()}],
}


def test_evidence_that_does_not_govern_is_named_and_never_called_none(facts_with):
    governed = {"kinds": ["policy", "attestation"]}
    nothing = ("no_data", True, "no evidence on record")
    assert status(facts_with, *NOTED, **governed) == nothing
    assert status(facts_with, *NOTED, **governed, events=[OPERATED]) == (
        "no_data",
        False,
        "none of the evidence that it needs, 1 event of another kind",
    )
    old = ("backup.completed", "2024-01-10 09:00", naming("X1"))
    found = status(facts_with, *NOTED, kinds=["test"], events=[OPERATED, old], attestations=[SIGNED], **POLICY)
    assert found == (
        "no_data",
        False,
        "none of the evidence that it needs, 2 events and 1 policy and 1 attestation of other kinds",
    )


def test_evidence_of_a_mandatory_kind_is_none_of_the_others_and_needs_no_note(facts_with):
    assert status(facts_with, *NOTED, **COMPLETE, test_runs=[PASSED]) == ("effective", False, None)
    assert status(facts_with, *NOTED, events=[OPERATED], **POLICY) == ("partial", False, None)


def test_what_speaks_against_a_control_is_no_evidence_for_it_but_not_nothing(facts_with):
    wrong = ("backup.failed", "2026-11-11 09:00", naming("X1"))
    assert status(facts_with, *NOTED, events=[wrong]) == ("ineffective", False, "no evidence on record")
    later = ("backup.completed", "2026-11-21 09:00", naming("X1"))
    assert status(facts_with, *NOTED, events=[later]) == ("no_data", True, "no evidence on record")


AGES = ("state", "freshness", "last_evidence_on", "age_days", "window_days", "next_due_on", "evidence_note")
NEXT = {"id": "b", **on(), "due_on": "2026-11-15"}


def test_a_signature_alone_is_as_fresh_as_it_is_in_force(facts_with):
    """F1 for a control that needs nothing else, as those of a framework that says no kinds of evidence."""

    def ages(*duties, **more):
        return status(facts_with, *AGES, kinds=["attestation"], attestations=list(duties), **more)

    signed, lapse = date(2026, 11, 11), date(2027, 11, 26)
    assert ages() == ("no_data", "missing", None, None, 380, None, "no evidence on record")
    assert ages(SIGNED) == ("effective", "fresh", signed, (DAY - signed).days, 380, lapse, None)
    lapsed = {**SIGNED, "attested_at": "2025-11-01 09:00"}
    assert ages(lapsed)[:2] == ("stale", "stale")
    overdue = ages(SIGNED, NEXT)
    assert overdue[:2] == ("stale", "stale")
    assert overdue[4:6] == (4, date(2026, 11, 15)), "good until the next was due"
    assert ages({**SIGNED, "outcome": "rejected"})[:2] == ("no_data", "missing")
    rejected = {**SIGNED, "id": "c", "outcome": "rejected", "attested_at": "2026-11-13 09:00"}
    assert ages(SIGNED, rejected)[:2] == ("stale", "stale")
    changed = ages(SIGNED, control_profiles=[{**on(), "applicable": True, "changed_on": "2026-11-12"}])
    assert changed[:2] == ("stale", "stale")
    before = ages(SIGNED, control_profiles=[{**on(), "applicable": True, "changed_on": "2026-11-10"}])
    assert before[:2] == ("effective", "fresh")


def test_coverage_is_the_share_of_applicable_controls_that_are_not_no_data(facts_with):
    facts = facts_with(
        controls=[control(evidence_kinds=["policy"]), control("X2", position=2)],
        events=[OPERATED, ("backup.completed", "2026-11-10 09:00", naming("X2"))],
    )
    assert only(facts["readiness"], "applicable", "assessed", "no_data", "coverage_pct") == (2, 1, 1, 50.0)
    assert only(facts["gaps"], "control_id", "evidence_note") == (
        "X1",
        "none of the evidence that it needs, 1 event of another kind",
    )


def test_some_kinds_are_partial(facts_with):
    assert status(facts_with, "state", events=[OPERATED]) == "partial"
    assert status(facts_with, "state", attestations=[SIGNED]) == "partial"


@pytest.mark.parametrize(
    ("age", "state", "freshness"),
    [(28, "effective", "fresh"), (29, "effective", "due_soon"), (35, "effective", "due_soon"), (36, "stale", "stale")],
)
def test_operation_goes_stale_the_day_after_its_window(facts_with, age, state, freshness):
    event = ("backup.completed", f"{DAY - timedelta(days=age)} 12:00", naming("X1"))
    found = status(
        facts_with, "state", "freshness", "age_days", "age_ratio", "next_due_on", kinds=["operation"], events=[event]
    )
    assert found == (state, freshness, age, round(age / 35, 2), DAY + timedelta(days=35 - age))


def test_a_stale_kind_weighs_more_than_a_missing_one_and_a_contradiction_more_than_both(facts_with):
    old = ("backup.completed", "2026-01-10 09:00", naming("X1"))
    wrong = ("backup.failed", "2026-01-11 09:00", naming("X1"))
    assert status(facts_with, "state", events=[old]) == "stale"
    assert status(facts_with, "state", events=[old, wrong]) == "ineffective"


def test_contradiction_is_outweighed_by_later_support_of_the_same_family_only(facts_with):
    wrong = ("backup.failed", "2026-11-11 09:00", naming("X1"))
    other = ("backup.restore_tested", "2026-11-12 09:00", naming("X1"))
    same = ("backup.completed", "2026-11-12 09:00", naming("X1"))
    kinds = ["operation"]
    assert status(facts_with, "state", kinds=kinds, events=[OPERATED, wrong, other]) == "ineffective"
    assert status(facts_with, "state", kinds=kinds, events=[OPERATED, wrong, same]) == "effective"


def test_a_failing_test_is_cleared_by_a_later_pass_of_the_same_schedule(facts_with):
    failed = run("r2", "failed", "2026-11-13")
    again = run("r3", "passed", "2026-11-14")
    elsewhere = run("r3", "passed", "2026-11-14", schedule="t")
    tables = {**COMPLETE, "testing_schedules": [SCHEDULE, {**SCHEDULE, "id": "t"}]}
    columns = ("state", "failing_test", "tests_passed", "tests_performed")
    assert status(facts_with, *columns, **tables, test_runs=[PASSED, failed]) == ("ineffective", "r2", 1, 2)
    assert status(facts_with, *columns, **tables, test_runs=[PASSED, failed, elsewhere]) == ("ineffective", "r2", 2, 3)
    assert status(facts_with, *columns, **tables, test_runs=[PASSED, failed, again]) == ("effective", None, 2, 3)


def test_a_test_that_fails_after_the_day_has_not_failed(facts_with):
    failed = run("r2", "failed", "2026-11-21")
    assert status(facts_with, "state", "tests_performed", **COMPLETE, test_runs=[PASSED, failed]) == ("effective", 1)


def test_a_lapsed_or_rejected_attestation_makes_the_control_stale(facts_with):
    base = {"events": [OPERATED], "kinds": ["operation", "attestation"]}
    lapsed = {**SIGNED, "attested_at": "2025-11-04 09:00"}
    rejected = {**SIGNED, "id": "b", "outcome": "rejected", "attested_at": "2026-11-12 09:00"}
    columns = ("state", "kinds_stale", "attested", "attested_on")
    signed_on = date(2026, 11, 11)
    assert status(facts_with, *columns, **base, attestations=[lapsed]) == (
        "stale",
        ["attestation"],
        False,
        date(2025, 11, 4),
    )
    assert status(facts_with, *columns, **base, attestations=[SIGNED, rejected]) == (
        "stale",
        ["attestation"],
        False,
        signed_on,
    )
    assert status(facts_with, "state", **base, attestations=[rejected]) == "partial"


def policy(**more):
    return {
        "policies": [
            {"id": "p1", "policy": "p", "version": 1, "state": "active", "accepted_at": "2026-01-05 10:00", **more}
        ],
        "policy_controls": [{"policy_id": "p1", **on()}],
        "kinds": ["policy"],
    }


@pytest.mark.parametrize(("due", "state"), [("2026-11-20", "effective"), ("2026-11-19", "stale")])
def test_a_policy_is_good_up_to_its_review(facts_with, due, state):
    found = status(facts_with, "state", "next_due_on", **policy(review_due_on=due))
    assert found == (state, date.fromisoformat(due))


@pytest.mark.parametrize(("accepted", "state"), [("2025-11-05", "effective"), ("2025-11-04", "stale")])
def test_a_policy_without_a_review_date_is_good_for_380_days(facts_with, accepted, state):
    assert status(facts_with, "state", **policy(accepted_at=f"{accepted} 10:00")) == state
    event = ("policy.published", f"{accepted} 10:00", naming("X1"))
    assert status(facts_with, "state", "freshness", kinds=["policy"], events=[event])[0] == state


def test_a_policy_that_is_a_draft_or_not_yet_accepted_is_none(facts_with):
    assert status(facts_with, "state", **policy(state="draft")) == "no_data"
    assert status(facts_with, "state", **policy(accepted_at="2026-11-21 00:00")) == "no_data"


@pytest.mark.parametrize("less", [{"accepted_by": None}, {"accepted_at": None}, {"accepted_at": "2026-11-21 00:00"}])
def test_to_unaccept_a_policy_makes_nothing_better(facts_with, less):
    both = ["operation", "policy"]
    late = policy(review_due_on="2026-11-01") | {"kinds": both, "events": [OPERATED]}
    assert status(facts_with, "state", "kinds_stale", **late) == ("stale", ["policy"])
    unaccepted = policy(review_due_on="2026-11-01", **less) | {"kinds": both, "events": [OPERATED]}
    found = status(facts_with, "state", "kinds_stale", "detected_on", **unaccepted)
    assert found == ("stale", ["policy"], date(2026, 11, 10)), "as without it, and not only partial"
    assert status(facts_with, "state", **unaccepted | {"events": []}) == "no_data"


def test_a_policy_that_nobody_accepted_is_stale_although_its_review_is_to_come_and_it_was_published(facts_with):
    given = policy(accepted_by=None, review_due_on="2027-01-05")
    told = ("policy.published", "2026-11-10 10:00", naming("X1"))
    columns = ("state", "freshness", "age_days", "unaccepted_days")
    assert status(facts_with, *columns, **given) == ("no_data", "missing", None, 1)
    assert status(facts_with, *columns, **given | {"events": [told]}) == ("stale", "stale", 10, 1)


def test_an_accepted_version_covers_one_that_nobody_accepted(facts_with):
    given = policy()
    given["policies"].append({**given["policies"][0], "id": "p2", "version": 2, "accepted_by": None})
    given["policy_controls"].append({"policy_id": "p2", **on()})
    assert status(facts_with, "state", "unaccepted_days", **given) == ("effective", None)


NOT_APPLICABLE = {
    **on(),
    "applicable": False,
    "justification": "no such system",
    "approved_by": "bob",
    "approved_on": "2026-11-20",
}


@pytest.mark.parametrize(
    "missing",
    [
        {"justification": None},
        {"justification": "  "},
        {"approved_by": None},
        {"approved_on": None},
        {"approved_on": "2026-11-21"},
        {"applicable": True},
    ],
)
def test_not_applicable_needs_justification_approver_and_a_date_that_has_come(facts_with, missing):
    columns = ("applicable", "state")
    assert status(facts_with, *columns, control_profiles=[NOT_APPLICABLE]) == (False, "not_applicable")
    assert status(facts_with, *columns, control_profiles=[{**NOT_APPLICABLE, **missing}]) == (True, "no_data")


def test_evidence_older_than_a_change_is_invalid_whatever_its_age(facts_with):
    columns = ("state", "freshness", "change_invalidated", "kinds_stale", "state_since")
    changed = [{**on(), "changed_on": "2026-11-11"}]
    found = status(facts_with, *columns, kinds=["operation"], events=[OPERATED], control_profiles=changed)
    assert found == ("stale", "stale", True, ["operation"], date(2026, 11, 11))
    same_day = [{**on(), "changed_on": "2026-11-10"}]
    assert status(facts_with, *columns[:3], kinds=["operation"], events=[OPERATED], control_profiles=same_day) == (
        "effective",
        "fresh",
        False,
    )
    ahead = [{**on(), "changed_on": "2026-11-21"}]
    assert status(facts_with, *columns[:3], kinds=["operation"], events=[OPERATED], control_profiles=ahead)[2] is False


def test_a_change_makes_only_the_kinds_stale_that_it_outdates(facts_with):
    changed = [{**on(), "changed_on": "2026-11-11"}]
    found = status(facts_with, "state", "kinds_stale", **COMPLETE, test_runs=[PASSED], control_profiles=changed)
    assert found == ("stale", ["operation"])
    renewed = {**COMPLETE, "events": [("backup.completed", "2026-11-12 09:00", naming("X1"))]}
    earlier = run("r1", "passed", "2026-11-09")
    found = status(
        facts_with,
        "state",
        "kinds_stale",
        "change_invalidated",
        **renewed,
        test_runs=[earlier],
        control_profiles=changed,
    )
    assert found == ("stale", ["test"], False)


def test_ownership_is_complete_with_a_responsible_and_exactly_one_active_accountable_person(facts_with):
    def owner_status(*raci, active=True):
        owners = [{**on(), "email": email, "raci": role} for email, role in raci]
        users = [{"email": email, "active": active} for email in ("ann", "bob", "cyd")]
        return status(facts_with, "owner", "accountable", "ownership_complete", control_owners=owners, users=users)

    assert owner_status(("ann", "R"), ("bob", "A")) == ("ann", "bob", True)
    assert owner_status(("ann", "R"), ("bob", "A"), active=False) == ("ann", "bob", False)
    assert owner_status(("ann", "R"), ("bob", "A"), ("cyd", "A")) == ("ann", "bob", False)
    assert owner_status(("bob", "A")) == ("bob", "bob", False)
    assert owner_status(("ann", "R")) == ("ann", None, False)
    assert owner_status() == (None, None, False)


def test_the_state_before_the_period_is_kept(facts_with):
    seen = [("2026-09-01", "stale"), ("2026-10-21", "partial"), ("2026-10-22", "no_data"), ("2026-11-21", "effective")]
    changes = [{**on(), "observed_on": day, "state": state} for day, state in seen]
    assert status(facts_with, "state", "previous_state", control_state_changes=changes) == ("no_data", "partial")
    assert status(facts_with, "state_since", "previous_state") == (None, None)


def test_stale_evidence_is_stale_since_the_day_after_its_window(facts_with):
    event = ("backup.completed", "2026-10-01 12:00", naming("X1"))
    assert status(facts_with, "state_since", kinds=["operation"], events=[event]) == date(2026, 11, 6)


def test_the_approved_exception_that_lasts_longest_is_shown(facts_with):
    given = [
        {"id": id, **on(), "expires_on": day, "status": state}
        for id, day, state in (
            ("e1", "2026-11-20", "approved"),
            ("e2", "2027-01-01", "approved"),
            ("e3", "2027-06-01", "draft"),
            ("e4", "2026-11-19", "approved"),
        )
    ]
    assert status(facts_with, "exception_id", "exception_expires_on", exceptions=given) == ("e2", date(2027, 1, 1))
    assert status(facts_with, "exception_id", exceptions=given[3:]) is None
