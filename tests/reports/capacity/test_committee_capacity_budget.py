import polars as pl
from hypothesis import given, settings

from reports.capacity import committee_capacity_budget
from reports.shared.ledger import KINDS
from tests.factories import ask, rows
from tests.reports.obligations.ledgers import (
    duty,
    ledger,
    ledgers,
    work,
)


def built(obligations, *capacity, committees=(), **options):
    owner_weeks, load = work(obligations, *capacity)
    return committee_capacity_budget.REPORT.build(owner_weeks, load, rows("committees", *committees), ask(**options))


def frame(made, name):
    return next(table.frame for table in made.tables if table.name == name)


def test_spare_hours_of_others_do_not_hide_a_shortfall():
    obligations = ledger(
        duty("a", 3, owner="ann", effort_hours=10.0), duty("b", 3, owner="bob"),
        duty("c", 3, owner=None, effort_hours=3.0),
    )  # fmt: skip
    made = built(obligations, ("ann", "default", 5.0), ("bob", "default", 5.0))
    columns = ("week", "available_hours", "demand_hours", "shortfall_hours", "unowned_hours", "shift_hours",
               "borrow_hours", "owners_short", "flag")  # fmt: skip
    assert frame(made, "weeks").select(columns).row(1) == ("2026-W48", 8.0, 14.0, 9.0, 3.0, 3.0, 6.0, 1, "shortfall")
    assert frame(made, "owner_weeks").filter(week="2026-W48").select("owner", "kinds", "shortfall_hours", "flag").rows() == [
        ("ann", ["Attestation 10.0"], 6.0, "shortfall"), ("bob", ["Attestation 1.0"], 0.0, "green"),
        (None, ["Attestation 3.0"], 3.0, "shortfall"),
    ]  # fmt: skip
    assert made.headline == (
        "9 hours are missing in 1 of the next 13 weeks, most in 2026-W48 (9 hours): there, shift 3 hours to owners with "
        "room and borrow 6 hours."
    )
    assert made.warnings == ["3 hours of work have no owner."]


def test_a_week_whose_shortfall_can_be_shifted_is_amber():
    made = built(
        ledger(duty("a", 3, owner="ann", effort_hours=5.0), duty("b", 3, owner="bob")),
        ("ann", "default", 5.0), ("bob", "default", 9.0),
    )  # fmt: skip
    assert frame(made, "weeks").select("flag", "shift_hours", "borrow_hours").row(1) == ("amber", 1.0, 0.0)


def test_a_committee_is_the_sum_of_its_members():
    obligations = ledger(
        duty("a", 3, owner="ann", effort_hours=10.0), duty("m", 20, kind="committee", title="Board meets", owner="cyd")
    )
    made = built(
        obligations, ("ann", "default", 5.0), ("bob", "default", 5.0),
        committees=[{"committee_id": "B", "name": "Board", "chair": "cyd", "members": ["ann", "cyd"]},
                    {"committee_id": "N", "name": "Nobody", "members": []}], weeks=2,
    )  # fmt: skip
    columns = ("name", "next_on", "members", "available_hours", "demand_hours", "shortfall_hours", "weeks_short",
               "peak_week")  # fmt: skip
    assert frame(made, "committees").select(columns).rows() == [
        ("Board", obligations["due_on"].max(), 2, 17.6, 10.0, 6.0, 1, "2026-W48"),
        ("Nobody", None, 0, 0.0, 0.0, 0.0, 0, None),
    ]


@settings(max_examples=12, deadline=None)
@given(ledgers())
def test_kinds_owners_and_weeks_have_the_same_hours(obligations):
    made = built(obligations, ("ann", "default", 8.0))
    detail, weeks = frame(made, "owner_weeks"), frame(made, "weeks")
    kinds = detail.select(pl.sum_horizontal(pl.sum(f"{kind}_hours") for kind in KINDS)).item()
    assert abs(kinds - detail["demand_hours"].sum()) < 0.01 * max(detail.height, 1)
    assert round(weeks["demand_hours"].sum(), 2) == round(detail["demand_hours"].sum(), 2)
    assert round(weeks["shortfall_hours"].sum(), 2) == round((weeks["shift_hours"] + weeks["borrow_hours"]).sum(), 2)
    assert detail.filter(pl.col("owner").is_null() & (pl.col("available_hours") > 0)).is_empty()


def test_without_work_no_hours_are_needed():
    made = built(ledger())
    assert made.headline == (
        "No work falls into the coming weeks, so no hours are needed: check that duties are recorded."
    )
    assert {table.name: table.frame.height for table in made.tables} == {
        "weeks": 0, "utilisation": 0, "committees": 0, "owner_weeks": 0,
    }  # fmt: skip
    assert not made.charts


def test_with_enough_hours_it_says_so():
    made = built(ledger(duty("a", 3)), ("ann", "default", 10.0))
    assert made.headline == "Everybody has the hours for the next 13 weeks; 2026-W48 is fullest at 12.5 %."
