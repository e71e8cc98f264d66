from datetime import date

import pytest

from engine.model.vocabulary import OUTCOMES
from tests.factories import moment
from tests.facts.conftest import control, naming, on, only

NAMED = naming("X1")
PASSED, FAILED = "control.test.passed", "control.test.failed"
DONE, WRONG = "backup.completed", "backup.failed"
KEY = ("control_id", "source")


def evidence(known, *columns, **tables):
    frame = known(controls=[control()], **tables)["control_evidence"]
    return frame.select(columns).rows()


def test_events_count_in_the_period_and_in_the_one_before_and_the_newest_is_named(facts_with):
    days = ("2026-11-20 09:00", "2026-10-22 00:00", "2026-10-21 23:59", "2026-09-22 00:00", "2026-09-21 23:59")
    found = evidence(
        facts_with,
        "source",
        "events",
        "events_before",
        "last_at",
        "last_on",
        "last_id",
        events=[(DONE, day, NAMED) for day in days],
    )
    assert found == [("operation", 2, 2, moment("2026-11-20 09:00"), date(2026, 11, 20), "e2")]


def test_of_two_events_of_one_instant_the_later_in_the_chain_is_the_newest(facts_with):
    assert evidence(facts_with, "last_id", events=[(DONE, "2026-11-01 09:00", NAMED)] * 3) == [("e4",)]


def test_an_event_that_names_a_control_twice_counts_once(facts_with):
    assert evidence(facts_with, "events", events=[(DONE, "2026-11-01 09:00", naming("X1", "X1"))]) == [(1,)]


def test_an_event_that_is_mapped_and_names_the_control_counts_once(facts_with):
    scope = [{"framework": "soc2", "in_scope": True}]
    both = {"controls": "soc2:CC6.2"}
    events = [("access.granted", "2026-11-01 09:00", both), ("access.granted", "2026-11-02 09:00")]
    facts = facts_with(organization_frameworks=scope, events=events)
    frame = facts["control_evidence"]
    assert frame.filter(control_id="CC6.2").select("events", "last_id").rows() == [(2, "e3")]


def test_unknown_neutral_and_administrative_events_are_no_evidence(facts_with):
    at = "2026-11-01 09:00"
    events = [("made.up", at, NAMED), ("access.requested", at, NAMED), ("evidence.linked", at, NAMED)]
    assert evidence(facts_with, *KEY, events=events) == []


@pytest.mark.real
def test_a_contradiction_is_outweighed_only_by_later_support_of_the_same_family(facts_with):
    first = (WRONG, "2026-11-01 09:00", NAMED)
    cases = {
        "alone": [first],
        "support before": [(DONE, "2026-10-30 09:00", NAMED), first],
        "support of another family": [first, (PASSED, "2026-11-02 09:00", NAMED)],
        "support of the same family": [first, (DONE, "2026-11-02 09:00", NAMED)],
        "support at the same instant, recorded later": [first, (DONE, "2026-11-01 09:00", NAMED)],
        "and contradicted again": [first, (DONE, "2026-11-02 09:00", NAMED), (WRONG, "2026-11-03 09:00", NAMED)],
    }
    found = {
        case: set(evidence(facts_with, "contradicted_at", "contradicted_by", events=events))
        for case, events in cases.items()
    }
    open_since = {(moment("2026-11-01 09:00"), "e2")}
    assert found == {
        "alone": open_since,
        "support before": {(moment("2026-11-01 09:00"), "e3")},
        "support of another family": open_since,
        "support of the same family": {(None, None)},
        "support at the same instant, recorded later": {(None, None)},
        "and contradicted again": {(moment("2026-11-03 09:00"), "e4")},
    }


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_a_failed_backup_contradicts_whatever_its_outcome_word(facts_with, outcome):
    events = [(DONE, "2026-11-01 09:00", NAMED), (WRONG, "2026-11-02 09:00", NAMED | {"outcome": outcome})]
    columns = ("events", "last_id", "contradicted_at", "contradicted_by")
    assert evidence(facts_with, *columns, events=events) == [(1, "e2", moment("2026-11-02 09:00"), "e3")]


@pytest.mark.parametrize("outcome", ["failure", "denied"])
def test_a_supporting_action_that_did_not_succeed_contradicts_until_it_succeeds(facts_with, outcome):
    done, wrong = (DONE, "2026-11-01 09:00", NAMED), (DONE, "2026-11-02 09:00", NAMED | {"outcome": outcome})
    again = (DONE, "2026-11-03 09:00", NAMED)
    columns = ("events", "last_id", "contradicted_by")
    assert evidence(facts_with, *columns, events=[wrong]) == [(0, None, "e2")]
    assert evidence(facts_with, *columns, events=[done, wrong]) == [(1, "e2", "e3")]
    assert evidence(facts_with, *columns, events=[done, wrong, again]) == [(2, "e4", None)]


def test_an_action_that_is_mapped_contradicts_when_it_fails(facts_with):
    scope = [{"framework": "soc2", "in_scope": True}]
    events = [("access.granted", "2026-11-01 09:00"), ("access.granted", "2026-11-02 09:00", {"outcome": "denied"})]
    frame = facts_with(organization_frameworks=scope, events=events)["control_evidence"].filter(control_id="CC6.2")
    assert frame.select("events", "last_id", "contradicted_by").rows() == [(1, "e2", "e3")]


def test_a_control_that_is_only_contradicted_has_a_row_without_evidence(facts_with):
    found = evidence(
        facts_with, "source", "events", "last_on", "contradicted_by", events=[(WRONG, "2026-11-01", NAMED)]
    )
    assert found == [("operation", 0, None, "e2")]


def test_each_record_is_evidence_of_its_own_source(facts_with):
    found = evidence(
        facts_with,
        "source",
        "events",
        "last_on",
        "last_id",
        evidence_items=[{"id": "i1", "captured_at": "2026-11-02 10:00"}],
        evidence_links=[{"evidence_id": "i1", **on()}],
        testing_schedules=[{"id": "s", **on(), "cadence": "monthly", "starts_on": "2026-11-01"}],
        test_runs=[
            {
                "id": "r1",
                "schedule_id": "s",
                "window_open_on": "2026-11-01",
                "window_close_on": "2026-11-07",
                "performed_on": "2026-11-03",
                "outcome": "passed",
            }
        ],
        policies=[{"id": "p1", "policy": "p", "version": 1, "state": "active", "accepted_at": "2026-10-01 10:00"}],
        policy_controls=[{"policy_id": "p1", **on()}],
        attestations=[
            {"id": "a1", **on(), "due_on": "2026-11-05", "outcome": "attested", "attested_at": "2026-11-04 10:00"}
        ],
    )
    assert found == [
        ("attestation", 1, date(2026, 11, 4), "a1"),
        ("item", 1, date(2026, 11, 2), "i1"),
        ("policy", 0, date(2026, 10, 1), "p1"),
        ("test", 1, date(2026, 11, 3), "r1"),
    ]


def test_events_of_the_audit_log_are_told_apart_from_records(facts_with):
    found = evidence(
        facts_with,
        "source",
        "events",
        "audit_events",
        "audit_events_before",
        "audit_last_at",
        events=[("policy.reviewed", "2026-11-02 09:00", NAMED), (DONE, "2026-10-01 09:00", NAMED)],
        evidence_items=[{"id": "i1", "captured_at": "2026-11-02 10:00"}],
        evidence_links=[{"evidence_id": "i1", **on()}],
        policies=[{"id": "p1", "policy": "p", "version": 1, "state": "active", "accepted_at": "2026-11-01 10:00"}],
        policy_controls=[{"policy_id": "p1", **on()}],
    )
    assert found == [
        ("item", 1, 0, 0, None),
        ("operation", 0, 0, 1, moment("2026-10-01 09:00")),
        ("policy", 2, 1, 0, moment("2026-11-02 09:00")),
    ]


def test_a_dry_run_that_is_linked_to_two_bundles_is_one_test_and_a_failed_one_is_none(facts_with):
    links = [
        {"id": f"l{n}", "test_id": test, **on(), "status": status}
        for n, (test, status) in enumerate([("d1", "linked"), ("d1", "linked"), ("d2", "linked"), ("d3", "rejected")])
    ]
    runs = [
        {"id": f"d{n}", "outcome": outcome, "ran_at": "2026-11-03 10:00"}
        for n, outcome in ((1, "succeeded"), (2, "failed"), (3, "succeeded"))
    ]
    assert evidence(facts_with, "source", "events", "last_id", test_links=links, dry_runs=runs) == [("test", 1, "d1")]


def test_what_is_dated_after_the_day_is_no_evidence_yet_and_marks_the_control(facts_with):
    facts = facts_with(
        controls=[control(), control("X2"), control("X3")],
        events=[(DONE, "2026-11-21 00:00", NAMED)],
        evidence_items=[{"id": "i1", "captured_at": "2026-11-21 00:00"}],
        evidence_links=[{"evidence_id": "i1", **on("X2")}],
    )
    assert facts["control_evidence"].is_empty()
    assert facts["control_status"].select("control_id", "state", "future_dated").rows() == [
        ("X1", "no_data", True),
        ("X2", "no_data", True),
        ("X3", "no_data", False),
    ]


def test_the_audit_log_by_action_tells_tagged_events_by_the_map_or_by_their_own_words(facts_with):
    at = "2026-11-01 09:00"
    facts = facts_with(
        organization_frameworks=[{"framework": "soc2", "in_scope": True}],
        events=[
            ("access.granted", at),
            ("made.up", at, {"controls": "soc2:CC6.2"}),
            ("made.up", at),
            ("silent", at),
            ("access.granted", "2026-10-01 09:00", {"outcome": "failure"}),
        ],
    )
    columns = ("action", "tagged", "events", "events_before", "tagged_events", "last_id")
    assert facts["audit_actions"].select(columns).rows() == [
        ("access.granted", True, 1, 1, 1, "e2"),
        ("made.up", True, 2, 0, 1, "e4"),
        ("silent", False, 1, 0, 0, "e5"),
    ]


def test_without_rows_there_is_no_evidence(facts_with):
    assert only(facts_with(controls=[control()])["control_status"], "state") == "no_data"
    assert evidence(facts_with, *KEY) == []


def test_an_item_captured_after_the_day_is_not_counted(facts_with):
    items = [{"id": f"i{n}", "captured_at": f"2026-11-{n} 00:00"} for n in (20, 21)]
    links = [{"evidence_id": f"i{n}", **on()} for n in (20, 21)]
    facts = facts_with(controls=[control()], evidence_items=items, evidence_links=links)
    assert only(facts["evidence_counts"], "items") == 1


@pytest.mark.parametrize("outcome", ["success", "failure", "denied"])
def test_an_action_that_records_supports_whatever_its_outcome(facts_with, outcome):
    event = ("login.failed", "2026-11-20 10:00", {"outcome": outcome, **naming("X1")})
    facts = facts_with(controls=[control(evidence_kinds=["operation"])], events=[event])
    assert only(facts["control_assessments"], "state", "events") == ("effective", 1)
    assert only(facts["tagged_events"], "effect") == "supports"
    assert facts["contradictions"].is_empty()


def test_the_products_own_bookkeeping_is_told_apart(facts_with):
    actions = ("export.completed", "attestation.signed", "change.rolled_back", "made.up")
    facts = facts_with(events=[(action, "2026-11-20 10:00") for action in actions])
    assert dict(facts["audit_actions"].select("action", "bookkeeping").rows()) == {
        "attestation.signed": False,
        "change.rolled_back": False,
        "export.completed": True,
        "made.up": False,
    }
