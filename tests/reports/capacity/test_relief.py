"""A week that is short of hours has one recommendation, whichever page names it."""

from reports.capacity import committee_capacity_budget, relief
from reports.obligations.density import obligation_density_alerts
from reports.obligations.forecast import obligation_forecast
from reports.programme.board import executive_summary
from tests.factories import ask, document, lead
from tests.reports.obligations.ledgers import duty, ledger, work

WEEK = {"ways": ["pull_forward"], "relief_hours": 0.0, "remaining_hours": 0.0, "unowned_hours": 3.0}
SAID = "hand over 4 hours and bring in 9 hours"


def build(report):
    """Ann has 4 hours for 14 of one week; what bob did once, too, he can take over, and the meeting he cannot."""
    obligations = ledger(
        duty("a", 10, effort_hours=4.0),
        duty("b", 11, kind="committee", title="Board meets", effort_hours=13.0),
        duty("c", 40, owner="bob", effort_hours=1.0),
    )
    grid, load = work(obligations, ("ann", "default", 5.0), ("bob", "default", 9.0))
    return document(report.REPORT, ask(), obligations=obligations, owner_weeks=grid, load=load)


def test_pages_that_name_the_week_say_the_same():
    (asked,) = [
        row["decision"]
        for row in next(
            table.frame for table in build(executive_summary).tables if table.name == "decisions"
        ).iter_rows(named=True)
        if row["decision"].startswith("In ")
    ]
    assert asked == f"In 2026-W49 {SAID}"
    for report in (committee_capacity_budget, obligation_density_alerts, obligation_forecast):
        assert f"{SAID}, most for ann, who lacks 13 hours" in lead(build(report))[1]


def test_a_week_short_of_owners_alone_asks_for_owners():
    assert relief.recommendation(WEEK) == "name owners for 3 hours"
    assert relief.recommendation({**WEEK, "relief_hours": 2.0}) == "do earlier 2 hours"
