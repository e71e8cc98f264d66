"""Days at the desk: what was done is not to come, and what is due stays due until the record ends."""

from datetime import UTC, date, datetime, timedelta

import pytest

from engine.desk.day_rules import DAYS_AHEAD, DAYS_PAST, DEADLINES, wrong_days
from engine.intake.imports.tables import importable
from engine.store.schema import IMPORTABLE, metadata
from tests.conftest import NOW
from tests.desk.test_desk import check, row

TOMORROW = NOW.date() + timedelta(days=1)
GAP = "/tables/remediations/row?key.id=g1"
CONTROL = {"framework": "soc2", "control_id": "CC6.1"}
DATED = {
    "evidence_requests": {
        **{**CONTROL, "id": "r1", "title": "Proof", "requester": "auditor", "priority": "P2", "status": "open"},
        **{"opened_on": NOW.date(), "due_on": TOMORROW},
    },
    "policies": {"id": "p1", "policy": "a", "version": 1, "title": "A", "state": "active", "review_due_on": TOMORROW},
    "vendors": {"id": "v7", "name": "Dated", "category": "saas", "tier": "low", "next_review_on": TOMORROW},
}


PLANS = """
    adopted_on created_at ends_at ends_on fieldwork_from fieldwork_until first_meeting_on held_on offboarded_on
    onboarded_on period_end_on period_start_on since_on starts_at starts_on target_on window_close_on window_end_on
    window_open_on window_start_on
"""  # what may be planned, and may have been


@pytest.fixture
def with_days(store):
    with store.revision("acme", "setup", now=NOW) as revision:
        for table, values in DATED.items():
            revision.insert(metadata.tables[table], [values])
        revision.record("records.prepared")
    return store


def test_every_day_of_every_form_says_whether_it_may_be_to_come():
    fields = [field for name in IMPORTABLE for field in importable(name).fields.values()]
    days = {field.name for field in fields if field.kind in ("day", "instant")}
    sets = (DAYS_PAST, DAYS_AHEAD, set(PLANS.split()))
    assert days == frozenset().union(*sets)
    assert sum(map(len, sets)) == len(days)
    assert days > DEADLINES


@pytest.mark.parametrize(
    ("address", "column", "text"),
    [
        ("/tables/evidence_items/new", "captured_at", "2031-01-01T08:00:00Z"),
        ("/tables/evidence_items/new", "captured_at", "1 Jan 2031, 8:00"),
        ("/tables/vendor_documents/new", "issued_on", "25/12/2031"),
        ("/tables/vendor_documents/new", "assessed_on", str(TOMORROW)),
        ("/tables/risks/new", "reviewed_on", "01.12.2026"),
        ("/tables/findings/new", "fixed_at", "2026-11-21T00:00:00Z"),
        ("/tables/attestations/row?key.id=a1", "attested_at", "2026-12-24"),
        ("/tables/exceptions/row?key.id=x1", "approved_on", str(TOMORROW)),
        ("/tables/incidents/row?key.id=i1", "resolved_at", "2026-11-22T09:00:00Z"),
        (GAP, "opened_on", str(TOMORROW)),
        (GAP, "compensating_approved_on", str(TOMORROW)),
    ],
)
def test_what_happened_is_not_to_come_at_any_form(sign_in, store, address, column, text):
    head = store.head("acme")
    answer = sign_in().fill(address, **{column: text})
    assert (answer.status, store.head("acme")) == (400, head)
    latest = f"moment up to {NOW:%Y-%m-%d %H:%M} UTC" if column.endswith("_at") else f"day up to {NOW.date()}"
    assert f"Expected a {latest}; got {text}." in answer.words


@pytest.mark.parametrize(
    ("address", "column"),
    [
        ("/tables/evidence_items/new", "captured_at"),
        ("/tables/audit_log/new", "occurred_at"),
        ("/tables/attestations/row?key.id=a1", "attested_at"),
        ("/tables/incidents/row?key.id=i1", "closed_at"),
    ],
)
def test_a_moment_of_later_today_is_to_come(sign_in, store, address, column):
    head, later = store.head("acme"), (NOW + timedelta(seconds=1)).isoformat()
    answer = sign_in().fill(address, **{column: later})
    assert (answer.status, store.head("acme")) == (400, head)
    assert f"Expected a moment up to {NOW:%Y-%m-%d %H:%M} UTC; got {later}." in answer.words


@pytest.mark.parametrize(
    ("table", "key", "act", "values", "column"),
    [
        ("staffing_actions", "s1", "accept", {"week": "2026-W47", "kind": "defer", "owner": "x", "relief_hours": 1.0,
          "status": "proposed", "proposed_on": NOW.date()}, "tracked_on"),
        ("plays", "y1", "finish", {"title": "Y", "status": "active", "started_on": NOW.date()}, "closed_on"),
    ],
)  # fmt: skip
def test_what_was_done_is_not_before_its_record_began(sign_in, store, table, key, act, values, column):
    with store.revision("acme", "setup", now=NOW) as revision:
        found = metadata.tables[table]
        revision.insert(found, [{"id": key, **{name: value for name, value in values.items() if name in found.c}}])
        revision.record("records.prepared")
    answer = sign_in().fill(f"/tables/{table}/act/{act}?key.id={key}", **{column: "2026-01-01"})
    assert answer.status == 400
    assert f"Expected a day from {NOW.date()} on up to {NOW.date()}; got 2026-01-01." in answer.words


@pytest.fixture
def with_tests(store):
    """t1: a test whose window is open; t2: one whose window is to come; t3: one that is late."""
    day = NOW.date()
    windows = {"t1": (-3, 4), "t2": (5, 12), "t3": (-20, -10)}
    schedule = {**CONTROL, "id": "s1", "procedure": "Look", "cadence": "monthly", "starts_on": day}
    with store.revision("acme", "setup", now=NOW) as revision:
        revision.insert(metadata.tables["testing_schedules"], [schedule])
        rows = [
            {"id": key, "schedule_id": "s1", "window_open_on": day + timedelta(first)}
            | {"window_close_on": day + timedelta(last)}
            for key, (first, last) in windows.items()
        ]
        revision.insert(metadata.tables["test_runs"], rows)
        revision.record("records.prepared")
    return store


@pytest.mark.parametrize(
    ("key", "text", "expected"),
    [
        ("t1", "2020-01-01", "Expected a day from 2026-11-17 on up to 2026-11-20; got 2020-01-01."),
        ("t2", "2026-11-20", "Expected a day from 2026-11-25 on, which is to come; got 2026-11-20."),
    ],
)
@pytest.mark.parametrize("form", ["row", "act/finish"])
def test_a_test_is_not_performed_before_its_window(sign_in, with_tests, form, key, text, expected):
    head = with_tests.head("acme")
    answer = sign_in().fill(f"/tables/test_runs/{form}?key.id={key}", performed_on=text, outcome="passed")
    assert (answer.status, with_tests.head("acme")) == (400, head)
    assert expected in answer.words


def test_a_test_is_performed_late(sign_in, with_tests):
    owner = sign_in()
    for key in ("t1", "t3"):
        assert owner.fill(f"/tables/test_runs/act/finish?key.id={key}").status == 303
        assert row(with_tests, "test_runs", id=key)["performed_on"] == NOW.date()


def test_what_is_planned_may_be_to_come(sign_in, store):
    owner = sign_in()
    assert owner.fill("/tables/vendors/row?key.id=v1", offboarded_on="2031-01-01").status == 303
    assert row(store, "vendors", id="v1")["offboarded_on"].year == 2031


@pytest.mark.parametrize(
    ("address", "column"),
    [
        (GAP, "due_on"),
        ("/tables/evidence_requests/row?key.id=r1", "due_on"),
        ("/tables/policies/row?key.id=p1", "review_due_on"),
        ("/tables/exceptions/row?key.id=x1", "expires_on"),
    ],
)
def test_what_is_due_moves_and_is_not_emptied_before_the_record_ends(sign_in, with_days, address, column):
    owner, head = sign_in(), with_days.head("acme")
    emptied = owner.fill(address, **{column: ""})
    assert (emptied.status, with_days.head("acme")) == (400, head)
    assert "Expected a day; got nothing." in emptied.words
    assert owner.fill(address, **{column: "2027-03-01"}).status == 303
    check(with_days)


@pytest.mark.parametrize(
    ("address", "column", "expected"),
    [
        (GAP, "due_on", "a day up to 2036-11-20"),
        ("/tables/remediations/act/move?key.id=g1", "due_on", "a day from 2026-11-20 up to 2036-11-20"),
        ("/tables/policies/row?key.id=p1", "review_due_on", "a day up to 2036-11-20"),
        ("/tables/policies/act/review?key.id=p1", "review_due_on", "a day from 2026-11-20 up to 2036-11-20"),
        ("/tables/absences/new", "ends_on", "a day up to 2036-11-20"),
    ],
)
def test_nobody_plans_more_than_ten_years_ahead(sign_in, with_days, address, column, expected):
    owner, head = sign_in(), with_days.head("acme")
    answer = owner.fill(address, **{column: "2036-11-21"})
    assert (answer.status, with_days.head("acme")) == (400, head)
    assert f"Expected {expected}; got 2036-11-21." in answer.words


def test_the_last_day_of_ten_years_may_be_planned_and_a_later_one_on_record_may_stay(sign_in, with_days):
    owner = sign_in()
    assert owner.fill(GAP, due_on="2036-11-20").status == 303
    with with_days.revision("acme", "setup", now=NOW) as revision:
        revision.upsert(metadata.tables["remediations"], [{"id": "g1", "due_on": date(2099, 12, 31)}])
        revision.record("records.prepared")
    assert owner.fill(GAP, title="Keys were shared").status == 303
    assert row(with_days, "remediations", id="g1")["due_on"] == date(2099, 12, 31)


def test_ten_years_after_a_leap_day_is_the_day_before_it():
    remediations, now = importable("remediations"), datetime(2028, 2, 29, tzinfo=UTC)
    wrong = wrong_days(remediations, {}, {"due_on": "2100-01-01"}, now.date(), now)
    assert [one["expected"] for one in wrong] == ["a day up to 2038-02-28"]


def test_what_ended_is_due_no_more(sign_in, store):
    owner = sign_in()
    assert owner.fill(GAP, due_on="", status="closed", closed_on=str(NOW.date())).status == 303
    ended = row(store, "remediations", id="g1")
    assert (ended["status"], ended["due_on"]) == ("closed", None)
    assert owner.fill(GAP, title="Keys were shared").status == 303


def test_a_vendor_without_a_next_review_has_that_of_its_tier(sign_in, with_days):
    assert sign_in().fill("/tables/vendors/row?key.id=v7", next_review_on="").status == 303
    assert row(with_days, "vendors", id="v7")["next_review_on"] is None
