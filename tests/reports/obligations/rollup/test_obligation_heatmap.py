from datetime import date

from reports.obligations.rollup.obligation_heatmap import REPORT
from tests import factories
from tests.factories import explained_rows, lead, rows
from tests.reports.explanations import values_follow
from tests.reports.obligations.ledgers import duty, ledger


def document(*duties, windows=(), vendors=()):
    return factories.document(
        REPORT,
        obligations=ledger(*duties),
        test_windows=rows("test_windows", *windows),
        vendor_controls=rows("vendor_controls", *vendors),
    )


def table(made, name):
    return next(table for table in made.tables if table.name == name)


def window(control, standing, opened=date(2026, 12, 1)):
    return {
        "framework": "soc2",
        "control_id": control,
        "standing": standing,
        "schedule_id": f"S-{control}",
        "window_open_on": opened,
    }


def test_a_duty_stands_in_its_framework_and_week():
    made = document(
        duty("a", 3, frameworks=["soc2"], effort_hours=2.0),
        duty("b", 3, frameworks=["soc2"]),
        duty("c", -5, frameworks=["soc2"]),
        duty("d", 200, frameworks=["soc2", "iso27001"]),
        duty("e", 0),
    )
    frame = table(made, "framework_week").frame
    assert frame.select("name", "overdue", "week_01", "week_02", "beyond", "total", "hours", "overdue_pct").rows() == [
        ("SOC 2", 1, 0, 2, 0, 3, 4.0, 33.3),
        ("Several frameworks", 0, 0, 0, 1, 1, 1.0, 0.0),
        ("No framework", 0, 1, 0, 0, 1, 1.0, 0.0),
    ]
    assert table(made, "framework_week").labels["week_02"] == "23 Nov"
    assert table(made, "hottest").frame.row(0) == (
        "soc2",
        "SOC 2",
        "2026-W48",
        date(2026, 11, 23),
        2,
        3.0,
        "Attestation",
    )
    assert lead(made) == (
        "Most falls due at once in 2026-W48, for SOC 2: 2 duties (3 hours, mostly attestation); 5 are pending, 1 "
        "overdue.",
        "Duty c (with ann, due 15 Nov 2026, 5 days late); then plan 2026-W48 with ann, who has 2 of them.",
    )


def test_of_weeks_with_as_many_duties_that_with_most_hours_is_fullest():
    made = document(duty("a", 3), duty("b", 17, owner="bob", effort_hours=6.0))
    assert table(made, "hottest").frame["hours"].to_list() == [6.0, 1.0]
    assert made.next_step == "Plan 2026-W50 with bob, who has it."


def test_intensity_has_the_same_buckets_every_month():
    made = document(*(duty(f"a{n}", 3, frameworks=["soc2"]) for n in range(10)), duty("b", 3, frameworks=["hipaa"]))
    cells = table(made, "cells").frame.filter(heatmap="framework_week")
    assert cells.select("row", "obligations", "intensity").rows() == [("soc2", 10, "10+"), ("hipaa", 1, "1-2")]


def test_a_vendor_review_stands_in_every_framework_that_the_vendor_carries():
    made = document(
        duty("v", 3, kind="vendor_review", vendor_id="V", vendor_tier="high"),
        vendors=[{"vendor_id": "V", "framework": name, "control_id": "x"} for name in ("soc2", "hipaa")],
    )
    assert table(made, "framework_tier").frame.select("name", "high", "total").rows() == [
        ("SOC 2", 1, 1),
        ("HIPAA", 1, 1),
    ]
    assert table(made, "tier_totals").frame.select("tier", "obligations").rows() == [("high", 1)]


def test_the_worst_test_of_a_control_is_its_state():
    made = document(
        duty("a", 3, controls=["soc2:C1"]),
        duty("b", 3, controls=["soc2:C2"]),
        duty("c", 3, controls=["soc2:C3"]),
        duty("d", 3),
        duty("test_window:S-C1-2026-12-01", 20, kind="test_window", controls=["soc2:C1"]),
        duty("test_window:S-C9-2026-10-01", -9, kind="test_window", controls=["soc2:C9"]),
        windows=[window("C1", "missed", date(2026, 8, 1)), window("C1", "upcoming"), window("C2", "open")],
    )
    frame = table(made, "kind_schedule").frame
    columns = ("kind", "missed", "open", "upcoming", "no_schedule", "no_control")
    assert frame.select(columns).rows() == [("attestation", 1, 1, 0, 1, 1), ("test_window", 1, 0, 1, 0, 0)]


def test_a_framework_counts_once_alone_or_with_others():
    made = document(duty("a", 3, frameworks=["soc2", "hipaa"]), duty("b", 3, frameworks=["soc2"]), duty("c", 3))
    assert made.summary["frameworks_with_obligations"] == 2
    assert table(made, "framework_week").frame["framework"].to_list() == ["soc2", "several", "none"]


def test_of_two_equal_weeks_the_earlier_is_the_busiest():
    duties = (duty("a", 17), duty("b", 3), duty("c", 4), duty("d", 18))
    assert document(*duties).summary["busiest_week"] == "2026-W48"
    assert explained_rows(REPORT, "busiest_week", obligations=ledger(*duties)).select(
        "week", "reason", "value"
    ).rows() == [("2026-W48", "2 duties, 2.0 hours", "2026-W48")]


def test_nobody_is_told_to_clear_what_is_not_overdue():
    assert lead(document(duty("far", 200))) == ("No duty is due within 13 weeks; 1 is pending, none overdue.", "")
    assert lead(document(duty("late", -2))) == (
        "No duty is due within 13 weeks; 1 is pending, 1 overdue.",
        "Duty late (with ann, due 18 Nov 2026, 2 days late).",
    )


def test_each_figure_is_what_its_rows_give():
    values_follow(REPORT, obligations=ledger(duty("a", 3, frameworks=["soc2", "hipaa"]), duty("b", -3), duty("c", 200)))
    values_follow(REPORT)
