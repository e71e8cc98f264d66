"""Tests that were performed, what they may show, and the links that people made; who answers for controls."""

from datetime import date

from tests.facts.conftest import control, on, only

SCHEDULE = {"id": "S", **on(), "procedure": "Look", "cadence": "annual", "starts_on": "2025-01-01"}


def dry(identifier="d", at="2026-11-10T09:00:00", **more):
    return {"id": identifier, "playbook": "enforce-mfa", "outcome": "succeeded", "actor": "ann", "ran_at": at, **more}


def run(identifier="r", on_day="2026-11-05", outcome="passed"):
    return {
        "id": identifier,
        "schedule_id": "S",
        "window_open_on": "2026-11-01",
        "window_close_on": "2026-11-30",
        "performed_on": on_day,
        "outcome": outcome,
    }


def test_dry_runs_and_performed_runs_are_tests(facts_with):
    facts = facts_with(
        controls=[control()],
        testing_schedules=[SCHEDULE],
        test_runs=[run(), run("later", "2026-11-21")],
        policies=[{"id": "p", "policy": "P", "version": 3, "state": "active"}],
        dry_runs=[dry(policy_id="p"), dry("later", "2026-11-21T00:00:00"), dry("no", outcome="blocked")],
    )
    assert facts["tests"].select("id", "kind", "title", "policy_version", "performed_on", "outcome").rows() == [
        ("r", "test_run", "Look", None, date(2026, 11, 5), "passed"),
        ("d", "dry_run", "enforce-mfa", 3, date(2026, 11, 10), "passed"),
        ("no", "dry_run", "enforce-mfa", None, date(2026, 11, 10), "blocked"),
    ]


def test_a_dry_run_may_show_controls_of_its_playbook_and_of_its_guardrail(facts_with):
    facts = facts_with(
        controls=[control("CC6.1", cadence="weekly"), control("CC9.9"), control("CC8.1")],
        dry_runs=[dry(policy_id="p"), dry("failed", outcome="failed")],
        policy_controls=[{"policy_id": "p", **on("CC9.9")}, {"policy_id": "p", **on("CC6.1")}],
    )
    columns = ("control_id", "test_id", "basis", "age_days", "window_days", "freshness")
    assert sorted(facts["test_matches"].select(columns).rows()) == [
        ("CC6.1", "d", ["runbook", "policy"], 10, 9, "stale"),
        ("CC9.9", "d", ["policy"], 10, 100, "fresh"),
    ]


def test_a_recurring_test_shows_its_own_control_if_it_passed(facts_with):
    facts = facts_with(
        controls=[control()], testing_schedules=[SCHEDULE], test_runs=[run(), run("bad", outcome="failed")]
    )
    assert only(facts["test_matches"], "control_id", "test_id", "basis") == ("X1", "r", ["schedule"])


def test_a_link_has_the_age_and_outcome_of_its_test(facts_with):
    link = {"test_id": "d", **on(), "status": "linked", "linked_by": "ann", "linked_at": "2026-11-12T09:00:00"}
    facts = facts_with(
        controls=[control()],
        dry_runs=[dry()],
        test_links=[
            {"id": "l", **link, "bundle_id": "B"},
            {"id": "later", **link, "linked_at": "2026-11-21T00:00:00"},
            {"id": "lost", **link, "test_id": "gone"},
        ],
    )
    columns = ("id", "bundle_id", "linked_on", "outcome", "age_days", "window_days", "freshness")
    assert facts["test_links"].select(columns).rows() == [
        ("l", "B", date(2026, 11, 12), "passed", 10, 100, "fresh"),
        ("lost", None, date(2026, 11, 12), None, None, 100, "missing"),
    ]


def test_roles_stand_by_control_then_by_r_a_c_i(facts_with):
    owners = [{**on(), "email": f"{role}@x", "raci": role} for role in "ICAR"]
    facts = facts_with(
        controls=[control()],
        control_owners=[*owners, {**on("CC1.1"), "email": "z@x", "raci": "A"}],
        users=[{"email": "A@x", "name": "Ann", "active": False}, {"email": "R@x"}],
    )
    assert facts["raci"].select("email", "role", "name", "active").rows() == [
        ("R@x", "R", None, True),
        ("A@x", "A", "Ann", False),
        ("C@x", "C", None, None),
        ("I@x", "I", None, None),
    ]
