from datetime import timedelta

import polars as pl
from hypothesis import given, settings

from reports.capacity.committee_capacity_budget import REPORT
from reports.shared.ledger import KINDS
from tests.factories import DAY, ask, document, lead, rows
from tests.laws import examples
from tests.reports.obligations.ledgers import duty, ledger, ledgers, work


def build_document(obligations, *capacity, committees=(), **options):
    owner_weeks, load = work(obligations, *capacity)
    return document(
        REPORT,
        ask(**options),
        obligations=obligations,
        owner_weeks=owner_weeks,
        load=load,
        committees=rows("committees", *committees),
    )


def frame(made, name):
    return next(table.frame for table in made.tables if table.name == name)


def test_spare_hours_of_others_do_not_hide_a_shortfall():
    obligations = ledger(
        duty("a", 3, owner="ann", effort_hours=10.0),
        duty("b", 3, owner="bob"),
        duty("c", 3, owner=None, effort_hours=3.0),
    )
    made = build_document(obligations, ("ann", "default", 5.0), ("bob", "default", 5.0))
    columns = (
        "week",
        "available_hours",
        "demand_hours",
        "shortfall_hours",
        "unowned_hours",
        "shift_hours",
        "borrow_hours",
        "owners_short",
        "flag",
    )
    assert frame(made, "weeks").select(columns).row(1) == ("2026-W48", 8.0, 14.0, 6.0, 3.0, 3.0, 6.0, 1, "shortfall")
    assert frame(made, "owner_weeks").filter(week="2026-W48").select(
        "owner", "kinds", "shortfall_hours", "flag"
    ).rows() == [
        ("ann", ["Attestation 10.0"], 6.0, "shortfall"),
        ("bob", ["Attestation 1.0"], 0.0, "green"),
        (None, ["Attestation 3.0"], 0.0, "uncovered"),
    ]
    assert lead(made) == (
        "1 owner lacks 6 hours in 1 of the next 13 weeks, and 3 hours of work have no owner; in 1 week even all "
        "together have too few.",
        "Agree by 23 Nov 2026: in 2026-W48, the worst, bring in 6 hours, most for ann, who lacks 6 hours.",
    )
    assert made.warnings == ["3 hours of work in 1 duty are without an owner who is there: an administrator names one."]


def test_a_week_without_any_hours_has_too_few_for_all():
    work, none = ledger(duty("a", 3, effort_hours=1.0), duty("far", 90, owner="bob")), ("ann", "default", 0.0)
    made = build_document(work, none, ("bob", "default", 0.0))
    assert made.headline == (
        "1 owner lacks 1 hour in 1 of the next 13 weeks; in 1 week even all together have too few."
    )
    assert build_document(work, none).headline == "1 owner lacks 1 hour in 1 of the next 13 weeks."


def test_work_that_nobody_owns_and_nobody_has_room_for_is_no_shortfall_of_owners():
    made = build_document(ledger(duty("n", 3, owner=None, effort_hours=9.0)), ("ann", "default", 5.0))
    assert made.headline == (
        "No owner lacks hours in the next 13 weeks, but 9 hours of work have no owner and others no room for it."
    )


def test_what_to_agree_on_is_to_be_agreed_in_the_last_meeting_before_the_week_begins():
    meetings = [duty(f"m{day}", day, owner="bob", kind="committee", title="Board meets") for day in (12, 40, 60)]

    def agreement(days):
        made = build_document(ledger(duty("a", days, effort_hours=10.0), *meetings), ("ann", "default", 5.0))
        return made.next_step.partition(", the worst, ")[0]

    assert [agreement(days) for days in (3, 20, 54)] == [
        "Agree by 23 Nov 2026: in 2026-W48",
        "Agree by the meeting of Board on 2 Dec 2026: in 2026-W50",
        "Agree by the meeting of Board on 30 Dec 2026: in 2027-W02",
    ]


def test_overdue_work_is_in_no_week_and_in_a_table_of_its_own():
    made = build_document(
        ledger(
            duty("old", -90, owner=None, effort_hours=3.0),
            duty("a1", -9, effort_hours=9.0, accountable="bob"),
            duty("a2", -2),
            duty("next", 3),
        ),
        ("ann", "default", 5.0),
    )
    assert frame(made, "overdue").rows() == [
        ("ann", 2, 10.0, DAY - timedelta(days=9)),
        (None, 1, 3.0, DAY - timedelta(days=90)),
    ]
    assert frame(made, "weeks")["demand_hours"].to_list() == [0.0, 1.0, *[0.0] * 11]
    assert (made.summary["obligations_overdue_hours"], made.summary["weeks_short"]) == (13.0, 0)
    assert made.warnings == [
        "13 hours of overdue work are in no week: its owners agree new dates first, ann with 2 duties before all."
    ]


def test_a_week_is_short_even_when_all_of_it_can_be_shifted():
    made = build_document(
        ledger(duty("a", 3, owner="ann", effort_hours=5.0), duty("b", 3, owner="bob")),
        ("ann", "default", 5.0),
        ("bob", "default", 9.0),
    )
    assert frame(made, "weeks").select("flag", "shift_hours", "borrow_hours").row(1) == ("shortfall", 1.0, 0.0)


def test_a_committee_is_the_sum_of_its_members():
    obligations = ledger(
        duty("a", 3, owner="ann", effort_hours=10.0), duty("m", 20, kind="committee", title="Board meets", owner="cyd")
    )
    made = build_document(
        obligations,
        ("ann", "default", 5.0),
        ("bob", "default", 5.0),
        committees=[
            {"committee_id": "B", "name": "Board", "chair": "cyd", "members": ["ann", "cyd"]},
            {"committee_id": "N", "name": "Nobody", "members": []},
        ],
        weeks=2,
    )
    columns = (
        "name",
        "next_on",
        "members",
        "available_hours",
        "demand_hours",
        "shortfall_hours",
        "weeks_short",
        "peak_week",
    )
    assert frame(made, "committees").select(columns).rows() == [
        ("Board", obligations["due_on"].max(), 2, 10.56, 10.0, 6.0, 1, "2026-W48"),
        ("Nobody", None, 0, 0.0, 0.0, 0.0, 0, None),
    ]


@settings(max_examples=examples(12), deadline=None)
@given(ledgers())
def test_kinds_owners_and_weeks_have_the_same_hours(obligations):
    made = build_document(obligations, ("ann", "default", 8.0))
    detail, weeks = frame(made, "owner_weeks"), frame(made, "weeks")
    kinds = detail.select(pl.sum_horizontal(pl.sum(f"{kind}_hours") for kind in KINDS)).item()
    assert abs(kinds - detail["demand_hours"].sum()) < 0.01 * max(detail.height, 1)
    assert round(weeks["demand_hours"].sum(), 2) == round(detail["demand_hours"].sum(), 2)
    uncovered = weeks["shortfall_hours"] + weeks["unowned_hours"]
    assert round(uncovered.sum(), 2) == round((weeks["shift_hours"] + weeks["borrow_hours"]).sum(), 2)
    for name in ("shortfall_hours", "unowned_hours"):
        assert made.summary[name] == round(weeks[name].sum(), 2) == round(detail[name].sum(), 2)
    assert frame(made, "overdue")["overdue_hours"].sum() == made.summary["obligations_overdue_hours"]
    assert detail.filter(pl.col("owner").is_null() & (pl.col("available_hours") > 0)).is_empty()


def test_without_work_no_hours_are_needed():
    made = build_document(ledger())
    assert lead(made) == (
        "No work falls into the coming weeks, so no hours are needed.",
        "Import attestations.csv, evidence_requests.csv, testing_schedules.csv or vendors.csv with hq import to "
        "fill this report.",
    )
    assert {table.name: table.frame.height for table in made.tables} == {
        "weeks": 13,
        "utilisation": 0,
        "committees": 0,
        "owner_weeks": 0,
        "overdue": 0,
    }
    assert not made.charts


def test_with_enough_hours_it_says_so():
    made = build_document(ledger(duty("a", 3)), ("ann", "default", 10.0))
    assert lead(made) == ("Everybody has the hours for the next 13 weeks; 2026-W48 is fullest at 12.5 %.", "")
