"""A week is short by one definition over one horizon: five reports that say so agree."""

from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.model.declarations.ask import Ask
from engine.model.figures.figure import Figures
from engine.model.thresholds import Thresholds
from reports.capacity import committee_capacity_budget, committee_digest, obligation_load_balancing, shortfall
from reports.figures import select
from reports.programme.board import executive_summary
from reports.staffing import peak_week_staffing_digest
from tests.factories import DAY, ask, document
from tests.laws import examples
from tests.reports.explanations import values_follow
from tests.reports.obligations.ledgers import duty, ledger, ledgers, work
from tests.reports.staffing.actions import frame

REPORTS = (
    committee_capacity_budget,
    committee_digest,
    obligation_load_balancing,
    executive_summary,
    peak_week_staffing_digest,
)
IN_WEEKS = shortfall.IDS[:-1]
CAPACITY = (("ann", "default", 2.0), ("bob", "default", 4.0), ("cyd", "default", 8.0))


def documents(obligations, *capacity, question=None, left=()):
    question = question or ask()
    owner_weeks, load = work(obligations, *capacity, day=question.as_of, left=left)
    given = {"obligations": obligations, "owner_weeks": owner_weeks, "load": load}
    return {
        module.REPORT.name: document(
            module.REPORT, question, **{name: fact for name, fact in given.items() if name in module.REPORT.facts}
        )
        for module in REPORTS
    }


def figures(obligations, *capacity, left=(), question=None):
    question = question or ask()
    owner_weeks, _ = work(obligations, *capacity, left=left, day=question.as_of)
    found = Figures(select(*IN_WEEKS), {"owner_weeks": owner_weeks}, question)
    return {name: found[name] for name in IN_WEEKS}


@pytest.mark.real
@settings(max_examples=examples(25), deadline=None)
@given(ledgers(), st.sampled_from([1, 4, 13, 26]), st.sampled_from([(), ("ann",), ("bob", "dan")]), st.integers(0, 6))
def test_five_reports_have_the_same_figures(obligations, weeks, left, days):
    settled = ledger(*(row for row in obligations.iter_rows(named=True) if row["due_on"] >= DAY + timedelta(days=days)))
    question = Ask(DAY + timedelta(days=days), 30, Thresholds(1, {"forecast_weeks": weeks}), {})
    made = documents(settled, *CAPACITY, question=question, left=left)
    said = {name: {key: document.summary[key] for key in shortfall.IDS} for name, document in made.items()}
    assert all(figures == said["executive-summary"] for figures in said.values())

    budget, balancing = made["committee-capacity-budget"], made["obligation-load-balancing"]
    total = said["executive-summary"]
    weeks_of = frame(budget, "weeks")
    assert weeks_of.height == budget.summary["horizon_weeks"] == balancing.summary["horizon_weeks"] == weeks
    assert (
        weeks_of.filter(flag="shortfall")["week"].to_list()
        == frame(balancing, "weeks").filter("short")["week"].to_list()
    )
    assert weeks_of.filter(flag="shortfall").height == total["weeks_short"]
    assert frame(made["peak-week-staffing-digest"], "weeks").height == total["peak_weeks"] <= total["weeks_short"]
    peaks = frame(made["peak-week-staffing-digest"], "weeks").select("week", "shortfall_hours", "unowned_hours")
    assert peaks.rows() == weeks_of.filter(weeks_of["week"].is_in(peaks["week"].to_list())).select(peaks.columns).rows()
    short = frame(budget, "owner_weeks").filter(flag="shortfall")["owner"]
    assert (short.null_count(), short.n_unique()) == (0, total["owners_short"])
    assert not set(short) & set(left)


@pytest.mark.real
@settings(max_examples=examples(25), deadline=None)
@given(ledgers())
def test_overdue_hours_are_those_of_the_ledger_and_in_no_week(obligations):
    everybody = (*CAPACITY, ("dan", "default", 8.0))  # whoever holds an overdue duty alone is an owner with hours, too
    made = documents(obligations, *everybody)
    overdue = obligations.filter(state="overdue")["effort_hours"].sum()
    assert {document.summary["obligations_overdue_hours"] for document in made.values()} == {overdue}
    without = ledger(*obligations.filter(obligations["state"] != "overdue").iter_rows(named=True))
    assert figures(obligations, *everybody) == figures(without, *everybody)


def test_who_holds_an_overdue_duty_alone_has_hours_to_spare():
    unowned = [duty(f"n{number}", 3, owner=None, effort_hours=1.0) for number in range(2)]
    assert figures(ledger(*unowned))["weeks_short"] == 1
    assert figures(ledger(*unowned, duty("late", -1, owner="dan")))["weeks_short"] == 0


def test_nobody_and_who_has_left_are_not_owners():
    duties = ledger(duty("n", 10, owner=None, effort_hours=9.0), duty("g", 10, owner="gone", effort_hours=9.0))
    assert figures(duties, left=("gone",)) == {
        "weeks_short": 1,
        "peak_weeks": 0,
        "owners_short": 0,
        "shortfall_hours": 0.0,
        "unowned_hours": 18.0,
    }


def test_unowned_work_makes_a_week_short_only_beyond_what_owners_have_room_for():
    room = ("ann", "default", 10.0)
    assert figures(ledger(duty("n", 10, owner=None, effort_hours=8.0)), room)["weeks_short"] == 0
    assert figures(ledger(duty("n", 10, owner=None, effort_hours=8.5)), room)["weeks_short"] == 1
    busy = ledger(duty("n", 10, owner=None, effort_hours=8.0), duty("a", 10, effort_hours=0.5))
    assert figures(busy, room)["weeks_short"] == 1


@pytest.mark.parametrize(("days", "missing"), [(0, 1.4), (1, 0.0), (2, 0.0), (3, 0.0)])
def test_a_week_offers_the_working_days_that_are_left(days, missing):
    """Friday offers a fifth of eight hours, Monday the whole week; on the week-end nobody can be brought in for a week
    that is over."""
    day = DAY + timedelta(days=days)
    later = ledger({**duty("a", days, effort_hours=3.0)})
    found = figures(later, ("ann", "default", 10.0), question=ask(day))
    assert (found["shortfall_hours"], found["weeks_short"]) == (missing, int(missing > 0))


def test_the_horizon_is_the_setting():
    far = ledger(duty("a", 60, effort_hours=9.0))
    within = figures(far)
    before = figures(far, question=Ask(DAY, 30, Thresholds(1, {"forecast_weeks": 4}), {}))
    assert (within["weeks_short"], before["weeks_short"]) == (1, 0)


def test_without_work_nothing_is_short():
    for made in documents(ledger()).values():
        assert {name: made.summary[name] for name in shortfall.IDS} == dict.fromkeys(shortfall.IDS, 0)


def test_why_a_week_and_an_owner_are_short():
    owner_weeks, _ = work(ledger(duty("a", 10, effort_hours=9.0)), ("ann", "default", 10.0))
    found = Figures(select(*IN_WEEKS), {"owner_weeks": owner_weeks}, ask())
    assert found.explained_rows("weeks_short").select("week", "reason", "flag").rows() == [
        ("2026-W49", "owners short: 1; hours short: 1.0, without owner: 0.0, spare: 0.0", 1)
    ]
    assert found.explained_rows("owners_short").select("owner", "reason", "flag").rows() == [
        ("ann", "1.0 hours short in 2026-W49", 1)
    ]
    assert found.explained_rows("shortfall_hours")["amount"].to_list() == [0.0, 0.0, 1.0, *[0.0] * 10]


@pytest.mark.real
@settings(max_examples=examples(10), deadline=None)
@given(ledgers())
def test_every_figure_equals_its_explained_rows(obligations):
    owner_weeks, load = work(obligations, *CAPACITY)
    given = {"obligations": obligations, "owner_weeks": owner_weeks, "load": load}
    for module in (committee_capacity_budget, committee_digest, obligation_load_balancing, peak_week_staffing_digest):
        values_follow(module.REPORT, ask(), **{n: f for n, f in given.items() if n in module.REPORT.facts})
