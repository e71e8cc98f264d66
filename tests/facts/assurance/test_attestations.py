from datetime import date, timedelta

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.factories import DAY, moment
from tests.facts.conftest import control, naming, on, only
from tests.laws import examples

SIGNED = {"outcome": "attested"}
DONE = "backup.completed"


def duty(id, due_on, **more):
    return {"id": id, **on(), "owner": "ann", "due_on": due_on, **more}


def written_duties(facts):
    """The duties that somebody wrote down, without the next one that follows a signature."""
    return facts["attestations"].filter(~pl.col("id").str.ends_with("-next"))


def duties_of(known, *duties, columns=("id", "status", "current"), **tables):
    return written_duties(known(controls=[control()], attestations=duties, **tables)).select(columns).rows()


def board(known, *duties, **tables):
    """As ``duties_of``, with the next duty of each control."""
    facts = known(controls=[control()], attestations=duties, **tables)
    return facts["attestations"].select("id", "due_on", "status", "current").rows()


@pytest.mark.parametrize(
    ("days", "status"), [(31, "not_due"), (30, "due_30"), (8, "due_30"), (7, "due_7"), (0, "due_7"), (-1, "overdue")]
)
def test_an_open_duty_is_due_in_steps_and_overdue_after_its_last_day(facts_with, days, status):
    assert duties_of(facts_with, duty("a", DAY + timedelta(days=days)), columns=("status", "days_left")) == [
        (status, days)
    ]


def test_the_newest_decision_decides(facts_with):
    signed = duty("a", "2026-05-01", **SIGNED, attested_at="2026-05-01 10:00")
    rejected = duty("b", "2026-10-01", outcome="rejected", attested_at="2026-10-01 10:00")
    signed_again = duty("c", "2026-11-01", **SIGNED, attested_at="2026-11-01 10:00")
    assert duties_of(facts_with, signed, rejected) == [("a", "attested", False), ("b", "rejected", True)]
    assert duties_of(facts_with, signed, rejected, signed_again)[-1] == ("c", "attested", True)


@pytest.mark.parametrize(
    ("age", "due", "next_one"),
    [
        (349, 31, ("not_due", False)),
        (350, 30, ("due_30", False)),
        (373, 7, ("due_7", False)),
        (380, 0, ("due_7", False)),
        (381, -1, ("overdue", True)),
    ],
)
def test_a_signed_duty_stays_signed_and_the_next_one_is_due_when_the_signature_lapses(facts_with, age, due, next_one):
    signed_on = DAY - timedelta(days=age)
    signed = duty("a", signed_on, **SIGNED, attested_at=moment(f"{signed_on} 10:00"))
    lapsed = next_one[1]
    assert board(facts_with, signed) == [
        ("a", signed_on, "attested", not lapsed),
        ("a-next", DAY + timedelta(days=due), *next_one),
    ]


def test_a_lapsed_signature_leaves_the_planned_duty_to_decide_and_nothing_overdue_beside_it(facts_with):
    signed = duty("a", "2025-10-01", **SIGNED, attested_at="2025-10-01 10:00")
    assert board(facts_with, signed, duty("b", "2026-12-01")) == [
        ("a", date(2025, 10, 1), "attested", False),
        ("b", date(2026, 12, 1), "due_30", True),
    ]
    assert board(facts_with, signed, duty("b", "2026-11-01")) == [
        ("a", date(2025, 10, 1), "attested", False),
        ("b", date(2026, 11, 1), "overdue", True),
    ]
    facts = facts_with(
        controls=[control(evidence_kinds=["attestation"])], attestations=[signed, duty("b", "2026-12-01")]
    )
    assert only(facts["control_status"], "attested", "attested_on", "state") == (False, date(2025, 10, 1), "stale")


def test_only_the_newest_signature_has_a_next_duty_and_it_has_nothing_of_a_signature(facts_with):
    old = duty("a", "2024-10-01", **SIGNED, attested_at="2024-10-01 10:00", statement="It works", attestor="bob")
    new = duty("b", "2025-10-01", **SIGNED, attested_at="2025-10-01 10:00", statement="It works", attestor="bob")
    facts = facts_with(controls=[control()], attestations=[old, new])
    columns = ("id", "status", "current", "owner", "attestor", "statement", "attested_at")
    assert facts["attestations"].select(columns).rows()[1:] == [
        ("b", "attested", False, "ann", "bob", "It works", moment("2025-10-01 10:00")),
        ("b-next", "overdue", True, "ann", None, None, None),
    ]


DAYS_AGO = st.integers(-60, 900)
DUTIES = st.lists(
    st.fixed_dictionaries(
        {
            "control": st.sampled_from(["X1", "X2"]),
            "due": DAYS_AGO,
            "outcome": st.sampled_from([None, "attested", "rejected"]),
            "decided": st.one_of(st.none(), DAYS_AGO),
            "withdrawn": st.one_of(st.none(), st.none(), DAYS_AGO),
        }
    ),
    max_size=6,
)


@pytest.mark.real
@settings(
    max_examples=examples(15),
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(DUTIES)
def test_the_board_and_the_ledger_have_the_same_open_and_overdue_attestations(facts_with, drawn):
    duties = [
        {
            "id": f"d{n}",
            **on(row["control"]),
            "owner": "ann",
            "due_on": DAY - timedelta(days=row["due"]),
            "outcome": row["outcome"],
            "attested_at": row["decided"] and moment(f"{DAY - timedelta(days=row['decided'])} 10:00"),
            "withdrawn_on": row["withdrawn"] and DAY - timedelta(days=row["withdrawn"]),
        }
        for n, row in enumerate(drawn)
    ]
    facts = facts_with(controls=[control("X1"), control("X2", position=2)], attestations=duties)
    ledger = facts["obligations"].filter(kind="attestation")
    due = facts["attestations"].filter(pl.col("status").is_in(["due_7", "due_30", "not_due"]))
    late = facts["attestations"].filter(status="overdue")
    for state, rows in (("open", due), ("overdue", late)):
        named = rows.select(pl.format("attestation:{}", "id"), "due_on").rows()
        assert sorted(named) == sorted(ledger.filter(state=state).select("obligation_id", "due_on").rows())
    lapsed = facts["attestations"].filter(
        "current", pl.col("status") == "attested", pl.col("attested_at") < moment(f"{DAY - timedelta(days=380)}")
    )
    assert lapsed.is_empty()


def test_an_overdue_duty_decides_only_if_it_is_newer_than_the_last_one_signed(facts_with):
    signed = duty("s", "2026-06-01", **SIGNED, attested_at="2026-06-01 10:00")
    assert duties_of(facts_with, signed, duty("new", "2026-11-01")) == [
        ("s", "attested", False),
        ("new", "overdue", True),
    ]
    assert duties_of(facts_with, duty("old", "2026-05-01"), signed) == [
        ("old", "overdue", False),
        ("s", "attested", True),
    ]


def test_a_duty_that_comes_next_does_not_replace_the_signature_before(facts_with):
    signed = duty("a", "2026-06-01", **SIGNED, attested_at="2026-06-01 10:00")
    assert duties_of(facts_with, signed, duty("b", "2027-06-01")) == [("a", "attested", True), ("b", "not_due", False)]


def test_a_decision_after_the_day_or_without_a_date_has_not_been_made(facts_with):
    later = duty("a", "2026-11-25", **SIGNED, attested_at="2026-11-21 00:00")
    undated = duty("b", "2026-11-30", **SIGNED)
    assert duties_of(facts_with, later, undated, columns=("id", "status", "attested_at")) == [
        ("a", "due_7", None),
        ("b", "due_30", None),
    ]


def test_a_withdrawn_duty_is_gone_from_the_day_it_was_withdrawn(facts_with):
    assert duties_of(facts_with, duty("a", "2026-12-01", withdrawn_on="2026-11-20")) == []
    assert duties_of(facts_with, duty("a", "2026-12-01", withdrawn_on="2026-11-21")) == [("a", "due_30", True)]


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
def test_the_evidence_counts_as_it_was_on_the_day_of_signing(facts_with, evidence_on, freshness, unsupported):
    monthly = control(cadence="monthly")
    signed = duty("a", "2026-11-05", **SIGNED, attested_at="2026-11-01 08:00")
    wanted = (freshness, unsupported)
    events = [(DONE, f"{evidence_on} 23:30", naming("X1")), (DONE, "2026-11-10 10:00", naming("X1"))]
    by_event = facts_with(controls=[monthly], attestations=[signed], events=events)
    assert only(written_duties(by_event), "evidence_freshness", "unsupported") == wanted
    items = [{"id": str(n), "captured_at": day} for n, day in enumerate((f"{evidence_on} 23:30", "2026-11-10 10:00"))]
    links = [{"evidence_id": item["id"], **on()} for item in items]
    by_item = facts_with(controls=[monthly], attestations=[signed], evidence_items=items, evidence_links=links)
    assert only(written_duties(by_item), "evidence_freshness", "unsupported") == wanted


def test_a_passed_test_supports_a_signature_and_a_contradiction_does_not(facts_with):
    signed = duty("a", "2026-11-05", **SIGNED, attested_at="2026-11-05 08:00")
    schedule = {"id": "s", **on(), "cadence": "quarterly", "starts_on": "2026-11-01"}
    run = {
        "id": "r",
        "schedule_id": "s",
        "window_open_on": "2026-11-01",
        "window_close_on": "2026-11-07",
        "performed_on": "2026-11-05",
        "outcome": "passed",
    }
    tested = {"testing_schedules": [schedule], "test_runs": [run]}
    assert duties_of(facts_with, signed, columns=("evidence_freshness",), **tested) == [("fresh",)]
    opposed = [("backup.failed", "2026-11-04 10:00", naming("X1"))]
    assert duties_of(facts_with, signed, columns=("evidence_freshness",), events=opposed) == [("missing",)]


def test_mapped_events_support_a_signature(facts_with):
    signed = {**duty("a", "2026-11-05", **SIGNED, attested_at="2026-11-05 08:00"), "control_id": "CC6.2"}
    facts = facts_with(
        organization_frameworks=[{"framework": "soc2", "in_scope": True}],
        events=[("access.granted", "2026-11-05 20:00"), ("access.granted", "2026-11-06 20:00")],
        attestations=[signed],
    )
    assert only(written_duties(facts), "evidence_freshness") == "fresh"


def test_freshness_is_not_asked_where_no_operation_is_required(facts_with):
    signed = duty("a", "2026-11-05", **SIGNED, attested_at="2026-11-05 08:00")
    facts = facts_with(controls=[control(evidence_kinds=["policy", "attestation"])], attestations=[signed])
    assert only(written_duties(facts), "evidence_freshness", "unsupported") == (None, False)


def test_evidence_links_count_the_items_of_the_control(facts_with):
    items = {
        "evidence_items": [{"id": "i", "captured_at": "2026-11-01"}],
        "evidence_links": [{"evidence_id": "i", **on()}],
    }
    assert duties_of(facts_with, duty("a", "2027-01-01"), columns=("evidence_links",), **items) == [(1,)]


def test_duties_of_controls_out_of_scope_and_no_duties_at_all_give_no_rows(facts_with):
    assert duties_of(facts_with, {**duty("a", "2027-01-01"), "control_id": "X9"}) == []
    assert duties_of(facts_with) == []


def test_the_day_of_a_signature_is_the_organizations(facts_with):
    signed = duty("a", "2026-11-05", **SIGNED, attested_at="2026-11-05 11:30")
    facts = facts_with(zone="Pacific/Auckland", controls=[control()], attestations=[signed])
    assert only(facts["control_status"], "attested_on") == date(2026, 11, 6)
