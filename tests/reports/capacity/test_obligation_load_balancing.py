import polars as pl
import pytest
from hypothesis import given, settings

from reports.capacity import balancing, moves, proposals, shortfall, workload
from reports.capacity.obligation_load_balancing import REPORT
from tests.factories import ask, document, lead, rows
from tests.laws import examples
from tests.reports.obligations.ledgers import duty, ledger, ledgers, work

TEN = tuple((name, "default", 10.0) for name in ("ann", "bob", "cyd", "dan"))  # 8 hours available a week


def build_document(obligations, *capacity, left=(), **options):
    owner_weeks, load = work(obligations, *(capacity or TEN), left=left)
    return document(REPORT, ask(**options), obligations=obligations, owner_weeks=owner_weeks, load=load)


def suggestions(made):
    return made.tables[0].frame


def test_the_earliest_duty_goes_to_the_least_used_who_does_that_kind():
    made = build_document(
        ledger(
            duty("a2", 11, effort_hours=4.0),
            duty("a1", 10, effort_hours=4.0),
            duty("a3", 12, effort_hours=4.0),
            duty("b", 10, owner="bob", effort_hours=2.0),
            duty("c", 40, owner="cyd"),
            duty("d", 10, owner="dan", kind="bundle"),
        )
    )
    columns = (
        "number",
        "week",
        "kind",
        "owner",
        "to_owner",
        "obligation_id",
        "hours",
        "max_before_pct",
        "max_after_pct",
    )
    assert suggestions(made).select(columns).rows() == [
        (1, "2026-W49", "reassign", "ann", "cyd", "a1", 4.0, 150.0, 100.0)
    ]
    assert suggestions(made)["action_id"].to_list() == [proposals.action_id("acme", "2026-W49", "reassign", "ann")]
    assert lead(made) == (
        "1 of the next 13 weeks is short of hours, most for ann in 2026-W49; 1 move would relieve 4 of 4 missing hours, which leaves none short.",
        "Start in 2026-W49: hand Duty a1 from ann to cyd, due 30 Nov 2026.",
    )


def test_whoever_is_accountable_never_becomes_responsible():
    made = build_document(
        ledger(
            duty("a", 10, effort_hours=6.0, accountable="bob"),
            duty("a2", 11, effort_hours=6.0, accountable="bob"),
            duty("b", 40, owner="bob"),
        )
    )
    assert suggestions(made).select("kind", "to_owner", "to_week").rows() == [("pull_forward", "ann", "2026-W48")]


def test_a_week_with_one_day_left_takes_one_days_work():
    work_of_one_day = [duty(f"a{n}", 3, effort_hours=1.25) for n in range(8)]
    made = build_document(ledger(*work_of_one_day))
    assert suggestions(made).select("obligation_id", "to_week").rows() == [("a0", "2026-W47")]


def test_who_is_both_responsible_and_accountable_keeps_a_quarter():
    made = build_document(
        ledger(
            duty("a", 3, effort_hours=6.0, accountable="ann"),
            duty("a2", 4, effort_hours=4.0),
            duty("b", 40, owner="bob"),
        )
    )
    row = suggestions(made).row(0, named=True)
    assert (row["obligation_id"], row["to_owner"], row["owner_after_pct"]) == ("a", "bob", 68.8)
    assert row["relief_hours"] == 4.5


def test_work_is_pulled_forward_at_most_two_weeks():
    made = build_document(ledger(*(duty(f"a{n}", 31, effort_hours=6.0) for n in range(4))))
    assert suggestions(made).select("obligation_id", "kind", "to_week").rows() == [
        ("a0", "pull_forward", "2026-W51"),
        ("a1", "pull_forward", "2026-W50"),
    ]
    assert made.warnings == ["1 week stays short whatever is moved: bring in hours or move dates."]


def test_hard_deadlines_are_left_alone():
    made = build_document(
        ledger(*(duty(f"a{n}", 10, effort_hours=6.0, hard=True) for n in range(3)), duty("b", 40, owner="bob"))
    )
    assert suggestions(made).is_empty()
    assert lead(made) == (
        "1 of the next 13 weeks is short of hours, most for ann in 2026-W49, and no flexible duty can be handed over or pulled forward.",
        "Bring in hours.",
    )


def test_a_meeting_is_not_handed_over():
    meetings = [duty(f"m{n}", 10, kind="committee", effort_hours=6.0) for n in range(2)]
    assert suggestions(build_document(ledger(*meetings, duty("n", 40, owner="bob", kind="committee")))).is_empty()


def test_a_test_is_handed_over_and_not_done_before_its_window():
    tests = [duty(f"t{n}", 10, kind="test_window", effort_hours=6.0) for n in range(2)]
    assert suggestions(build_document(ledger(*tests))).is_empty()
    made = build_document(ledger(*tests, duty("n", 40, owner="bob", kind="test_window")))
    assert suggestions(made).select("kind", "to_owner", "relief_hours").rows() == [("reassign", "bob", 6.0)]


def test_nobody_who_left_gets_work():
    busy = ledger(
        duty("a1", 10, effort_hours=6.0, hard=True),
        duty("a2", 10, effort_hours=6.0),
        duty("b", 40, owner="bob"),
        duty("c", 40, owner="cyd"),
    )
    assert suggestions(build_document(busy))["to_owner"].to_list() == ["bob"]
    assert suggestions(build_document(busy, left=("bob",)))["to_owner"].to_list() == ["cyd"]


def test_work_of_those_who_left_is_for_another_owner_not_for_balancing():
    own = duty("a", 10, effort_hours=6.0, accountable="bob")
    old = duty("c", 10, owner="ann", effort_hours=0.0, accountable="ann")  # who left names nobody
    made = build_document(ledger(own, old, duty("b", 10, owner="bob")), left=("ann",))
    assert (made.summary["weeks_short"], made.summary["owners_short"], suggestions(made).height) == (0, 0, 0)
    assert made.warnings == [
        "6 hours of work in 2 duties are without an owner who is there: bob (1), accountable for them, names one."
    ]


def test_overdue_work_is_in_no_week_that_could_be_balanced():
    made = build_document(ledger(*(duty(f"a{n}", -9, effort_hours=6.0) for n in range(3))))
    assert suggestions(made).is_empty()
    assert (made.summary["weeks_short"], made.summary["obligations_overdue_hours"]) == (0, 18.0)


def test_nobody_is_pushed_over_the_warning():
    made = build_document(
        ledger(
            duty("a1", 3, effort_hours=7.0),
            duty("a2", 3, effort_hours=7.0),
            duty("b", 3, owner="bob"),
            duty("n", 0, effort_hours=1.0),
        )
    )
    assert suggestions(made).is_empty()


def test_who_has_seven_tenths_of_the_week_taken_is_no_helper():
    """70 % of 8 hours are 5.6: who has a minute less to do takes the duty over."""

    def helpers(hours):
        busy = ledger(
            duty("a1", 10, effort_hours=7.5, hard=True),
            duty("a2", 10, effort_hours=0.8),
            duty("b", 10, owner="bob", effort_hours=hours, hard=True),
        )
        return suggestions(build_document(busy)).select("kind", "to_owner").rows()

    assert helpers(5.6) == [("pull_forward", "ann")]
    assert helpers(5.58) == [("reassign", "bob")]


def test_the_spread_of_peak_weeks():
    made = build_document(
        ledger(
            duty("a", 3, effort_hours=9.6),
            duty("b", 3, owner="bob", effort_hours=4.8),
            duty("c", 3, owner="cyd", effort_hours=4.8),
            duty("d", 3, owner="dan", effort_hours=3.2),
        )
    )
    week = made.tables[1].frame.filter(week="2026-W48")
    assert week.select("owners", "mean_pct", "max_pct", "imbalance", "gini", "state").row(0) == (
        4,
        70.0,
        120.0,
        1.714,
        0.2143,
        "imbalanced",
    )
    assert made.tables[2].frame.select("owner", "responsible_hours", "accountable_hours", "flag").rows() == [
        ("ann", 9.6, 0.0, "shortfall"),
        ("bob", 4.8, 0.0, "green"),
        ("cyd", 4.8, 0.0, "green"),
        ("dan", 3.2, 0.0, "green"),
    ]


@pytest.mark.real
@settings(max_examples=examples(30), deadline=None)
@given(ledgers())
def test_suggestions_keep_every_rule(obligations):
    capacity = (("ann", "default", 2.0), ("bob", "default", 4.0), ("cyd", "default", 8.0))
    owner_weeks, load = work(obligations, *capacity)
    grid, weeks = workload.in_horizon(owner_weeks, ask()), shortfall.by_week(owner_weeks, ask())
    suggested = moves.suggestions(moves.balance(grid, weeks, load, ask()), load)
    duties = {row["obligation_id"]: row for row in obligations.iter_rows(named=True)}
    moved = set()
    for row in suggested.iter_rows(named=True):
        given_duty = duties[row["obligation_id"]]
        assert not given_duty["hard"]
        assert given_duty["kind"] != "committee"
        assert row["kind"] == "reassign" or given_duty["kind"] not in balancing.WINDOWED
        assert row["due_on"] == given_duty["due_on"]
        assert row["to_owner"] != given_duty["accountable"] or row["kind"] == "pull_forward"
        assert (row["kind"] == "reassign") == (row["to_owner"] != row["owner"])
        assert row["to_week"] <= row["week"]
        assert row["obligation_id"] not in moved
        assert (
            row["max_after_pct"] is None
            or row["max_before_pct"] is None
            or (row["max_after_pct"] <= row["max_before_pct"])
        )
        moved.add(row["obligation_id"])
    assert grid.filter(pl.col("owner").is_not_null())["demand_hours"].sum() >= 0


@settings(max_examples=examples(12), deadline=None)
@given(ledgers())
def test_the_order_of_rows_does_not_show(obligations):
    one, two = build_document(obligations), build_document(obligations.reverse())
    assert all(a.frame.equals(b.frame) for a, b in zip(one.tables, two.tables, strict=True))


def test_without_work_there_is_nothing_to_balance():
    made = build_document(ledger())
    assert lead(made) == (
        "No work falls into the coming weeks, so there is nothing to balance.",
        "Import attestations.csv, evidence_requests.csv, testing_schedules.csv or vendors.csv with hq import to "
        "fill this report.",
    )
    assert [table.frame.height for table in made.tables] == [0, 13, 0]
    assert not made.charts


def test_a_week_without_any_hours_is_no_gap_in_the_chart():
    made = build_document(ledger(duty("a", 10, effort_hours=4.0)), ("ann", "default", 0.0))
    (chart,) = made.charts
    assert chart.frame["shortfall_hours"].null_count() == 0
    assert chart.frame.filter(week="2026-W49").select("line", "shortfall_hours").rows() == [("now", 4.0), ("then", 4.0)]


def test_when_everybody_has_time_nothing_needs_to_move():
    made = build_document(ledger(duty("a", 3)))
    assert lead(made) == ("Nobody has more work than hours in the next 13 weeks: nothing needs to move.", "")
    nothing = balancing.Load(rows("owner_weeks"), rows("load"), [])
    assert balancing.weeks_over(nothing) == []


def test_the_kinds_of_moves_sum_to_the_whole():
    made = build_document(ledger(*(duty(f"a{n}", 31, effort_hours=6.0) for n in range(4)), duty("b", 60, owner="bob")))
    names = (
        "weeks_short",
        "moves_suggested",
        "moves_reassign",
        "moves_pull_forward",
        "moves_hours",
        "weeks_short_after_moves",
    )
    assert [made.summary[name] for name in names] == [1, 3, 1, 2, 18.0, 0]
