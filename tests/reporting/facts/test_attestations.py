from datetime import date, timedelta

import pytest

from tests.factories import DAY, moment
from tests.reporting.facts.conftest import (
    control,
    naming,
    on,
    only,
)

SIGNED = {"outcome": "attested"}
DONE = "backup.completed"


def duty(id, due_on, **more):
    return {"id": id, **on(), "owner": "ann", "due_on": due_on, **more}


def found(known, *duties, columns=("id", "status", "current"), **tables):
    return known(controls=[control()], attestations=duties, **tables)["attestations"].select(columns).rows()


@pytest.mark.parametrize(
    ("days", "status"),
    [(31, "not_due"), (30, "due_30"), (8, "due_30"), (7, "due_7"), (0, "due_7"), (-1, "overdue")],
)
def test_an_open_duty_is_due_in_steps_and_overdue_after_its_last_day(known, days, status):
    assert found(known, duty("a", DAY + timedelta(days=days)), columns=("status", "days_left")) == [(status, days)]


def test_the_newest_decision_decides(known):
    signed = duty("a", "2026-05-01", **SIGNED, attested_at="2026-05-01 10:00")
    rejected = duty("b", "2026-10-01", outcome="rejected", attested_at="2026-10-01 10:00")
    signed_again = duty("c", "2026-11-01", **SIGNED, attested_at="2026-11-01 10:00")
    assert found(known, signed, rejected) == [("a", "attested", False), ("b", "rejected", True)]
    assert found(known, signed, rejected, signed_again)[-1] == ("c", "attested", True)


@pytest.mark.parametrize(("age", "status"), [(380, "attested"), (381, "overdue")])
def test_a_signature_lapses_after_380_days(known, age, status):
    signed = duty("a", "2025-11-05", **SIGNED, attested_at=moment("2026-11-20 10:00") - timedelta(days=age))
    assert found(known, signed) == [("a", status, True)]


def test_a_lapsed_signature_decides_although_the_next_duty_is_not_due_yet(known):
    signed = duty("a", "2025-10-01", **SIGNED, attested_at="2025-10-01 10:00")
    assert found(known, signed, duty("b", "2026-12-01")) == [("a", "overdue", True), ("b", "due_30", False)]


def test_an_overdue_duty_decides_only_if_it_is_newer_than_the_last_one_signed(known):
    signed = duty("s", "2026-06-01", **SIGNED, attested_at="2026-06-01 10:00")
    assert found(known, signed, duty("new", "2026-11-01")) == [("s", "attested", False), ("new", "overdue", True)]
    assert found(known, duty("old", "2026-05-01"), signed) == [("old", "overdue", False), ("s", "attested", True)]


def test_a_duty_that_comes_next_does_not_replace_the_signature_before(known):
    signed = duty("a", "2026-06-01", **SIGNED, attested_at="2026-06-01 10:00")
    assert found(known, signed, duty("b", "2027-06-01")) == [("a", "attested", True), ("b", "not_due", False)]


def test_a_decision_after_the_day_or_without_a_date_has_not_been_made(known):
    later = duty("a", "2026-11-25", **SIGNED, attested_at="2026-11-21 00:00")
    undated = duty("b", "2026-11-30", **SIGNED)
    assert found(known, later, undated, columns=("id", "status", "attested_at")) == [
        ("a", "due_7", None), ("b", "due_30", None),
    ]  # fmt: skip


def test_a_withdrawn_duty_is_gone_from_the_day_it_was_withdrawn(known):
    assert found(known, duty("a", "2026-12-01", withdrawn_on="2026-11-20")) == []
    assert found(known, duty("a", "2026-12-01", withdrawn_on="2026-11-21")) == [("a", "due_30", True)]


@pytest.mark.parametrize(
    ("evidence_on", "freshness", "unsupported"),
    [
        ("2026-10-04", "fresh", False),  # 28 of 35 days before
        ("2026-10-03", "due_soon", False),
        ("2026-09-27", "due_soon", False),
        ("2026-09-26", "stale", True),
        ("2026-11-02", "missing", True),  # the day after
    ],
)
def test_the_evidence_counts_as_it_was_on_the_day_of_signing(known, evidence_on, freshness, unsupported):
    monthly = control(cadence="monthly")
    signed = duty("a", "2026-11-05", **SIGNED, attested_at="2026-11-01 08:00")
    wanted = (freshness, unsupported)
    events = [(DONE, f"{evidence_on} 23:30", naming("X1")), (DONE, "2026-11-10 10:00", naming("X1"))]
    by_event = known(controls=[monthly], attestations=[signed], events=events)
    assert only(by_event["attestations"], "evidence_freshness", "unsupported") == wanted
    items = [{"id": str(n), "captured_at": day} for n, day in enumerate((f"{evidence_on} 23:30", "2026-11-10 10:00"))]
    links = [{"evidence_id": item["id"], **on()} for item in items]
    by_item = known(controls=[monthly], attestations=[signed], evidence_items=items, evidence_links=links)
    assert only(by_item["attestations"], "evidence_freshness", "unsupported") == wanted


def test_a_passed_test_supports_a_signature_and_a_contradiction_does_not(known):
    signed = duty("a", "2026-11-05", **SIGNED, attested_at="2026-11-05 08:00")
    schedule = {"id": "s", **on(), "cadence": "quarterly", "starts_on": "2026-11-01"}
    run = {"id": "r", "schedule_id": "s", "window_open_on": "2026-11-01", "window_close_on": "2026-11-07",
           "performed_on": "2026-11-05", "outcome": "passed"}  # fmt: skip
    tested = {"testing_schedules": [schedule], "test_runs": [run]}
    assert found(known, signed, columns=("evidence_freshness",), **tested) == [("fresh",)]
    opposed = [("backup.failed", "2026-11-04 10:00", naming("X1"))]
    assert found(known, signed, columns=("evidence_freshness",), events=opposed) == [("missing",)]


def test_mapped_events_support_a_signature(known):
    signed = {**duty("a", "2026-11-05", **SIGNED, attested_at="2026-11-05 08:00"), "control_id": "CC6.2"}
    facts = known(
        organization_frameworks=[{"framework": "soc2", "in_scope": True}],
        events=[("access.granted", "2026-11-05 20:00"), ("access.granted", "2026-11-06 20:00")],
        attestations=[signed],
    )
    assert only(facts["attestations"], "evidence_freshness") == "fresh"


def test_freshness_is_not_asked_where_no_operation_is_required(known):
    signed = duty("a", "2026-11-05", **SIGNED, attested_at="2026-11-05 08:00")
    facts = known(controls=[control(evidence_kinds=["policy", "attestation"])], attestations=[signed])
    assert only(facts["attestations"], "evidence_freshness", "unsupported") == (None, False)


def test_evidence_links_count_the_items_of_the_control(known):
    items = {"evidence_items": [{"id": "i", "captured_at": "2026-11-01"}], "evidence_links": [
        {"evidence_id": "i", **on()}]}  # fmt: skip
    assert found(known, duty("a", "2027-01-01"), columns=("evidence_links",), **items) == [(1,)]


def test_duties_of_controls_out_of_scope_and_no_duties_at_all_give_no_rows(known):
    assert found(known, {**duty("a", "2027-01-01"), "control_id": "X9"}) == []
    assert found(known) == []


def test_the_day_of_a_signature_is_the_organizations(known):
    signed = duty("a", "2026-11-05", **SIGNED, attested_at="2026-11-05 11:30")
    facts = known(zone="Pacific/Auckland", controls=[control()], attestations=[signed])
    assert only(facts["control_status"], "attested_on") == date(2026, 11, 6)
