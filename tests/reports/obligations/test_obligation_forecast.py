from datetime import date, timedelta

import pytest

from engine.model.thresholds import Thresholds
from reports.obligations import expectations as expected
from reports.obligations import obligation_forecast
from tests.factories import DAY, ask, rows
from tests.reports.obligations.ledgers import duty, ledger, work

MONDAY = date(2026, 11, 16)


def document(*duties, requests=(), recorded=(), **options):
    obligations = ledger(*duties)
    return obligation_forecast.REPORT.build(
        obligations, work(obligations, ("ann", "default", 10.0))[0], rows("requests", *requests),
        rows("obligation_weeks", *recorded), ask(**options),
    )  # fmt: skip


def weeks(made):
    return next(table.frame for table in made.tables if table.name == "weeks")


def recorded(*pairs):
    days = [MONDAY - timedelta(weeks=len(pairs) - at) for at in range(len(pairs))]
    return [
        {"week": f"{day:%G-W%V}", "week_start_on": day, "forecast": forecast, "planned": planned}
        for day, (forecast, planned) in zip(days, pairs, strict=True)
    ]


def opened(week, number=1):
    return [{"id": f"R{week}-{n}", "opened_on": MONDAY - timedelta(weeks=week)} for n in range(number)]


def test_overdue_work_weighs_on_this_week_but_is_not_known_in_it():
    made = document(duty("late", -3, effort_hours=4.0), duty("now", 0), duty("next", 3, effort_hours=6.0))
    columns = ("week", "known", "known_hours", "demand_hours", "available_hours", "utilisation_pct", "cumulative")
    assert weeks(made).select(columns).head(2).rows() == [
        ("2026-W47", 1, 1.0, 5.0, 8.0, 62.5, 1), ("2026-W48", 1, 6.0, 6.0, 8.0, 75.0, 2),
    ]  # fmt: skip
    assert weeks(made).height == 13
    assert (made.summary["overdue"], made.summary["known"], made.summary["beyond"]) == (1, 2, 0)


def test_the_horizon_may_be_chosen():
    made = document(duty("a", 3), duty("b", 30), weeks=2)
    assert (weeks(made).height, made.summary["known"], made.summary["beyond"]) == (2, 1, 1)


def test_the_expected_are_the_mean_of_the_weeks_behind_and_stand_apart_from_the_known():
    requests = [row for week in range(1, 27) for row in opened(week, 3 if week % 5 == 0 else 1)]
    made = document(
        duty("r", 3, kind="evidence_request", effort_hours=2.0), requests=[*requests, *opened(40), *opened(0, 9)]
    )
    assert made.summary["expected_unplanned_week"] == round(36 / 26, 2)
    assert (made.summary["expected_p50"], made.summary["expected_p80"]) == (1, 1)
    assert made.summary["expected_hours_week"] == round(36 / 26 * 2, 2)
    assert weeks(made)["expected_unplanned"].to_list() == [None] + [1.38] * 12
    assert weeks(made)["known"].sum() == 1


def test_seven_weeks_of_requests_are_not_enough_to_expect_anything():
    made = document(duty("a", 3), requests=[row for week in range(1, 8) for row in opened(week)])
    assert made.summary["history"] == "insufficient_history"
    assert made.summary["expected_unplanned_week"] is None
    assert weeks(made)["expected_unplanned"].null_count() == 13
    assert made.warnings[0] == "Only 7 weeks of requests lie behind: what to expect is not known."


def test_the_back_test_is_the_mean_error_of_the_last_eight_forecasts():
    pairs = [(99, 1), *[(12, 10)] * 4, *[(9, 10)] * 4]
    assert expected.backtest(rows("obligation_weeks", *recorded(*pairs))) == expected.Backtest(8, 15.0)


def test_a_week_in_which_nothing_was_planned_has_no_percentage():
    pairs = [(3, 0), *[(11, 10)] * 7]
    assert expected.backtest(rows("obligation_weeks", *recorded(*pairs))) == expected.Backtest(8, 10.0)


@pytest.mark.parametrize("count", [0, 7])
def test_fewer_than_eight_forecasts_are_insufficient_history(count):
    made = document(duty("a", 3), recorded=recorded(*[(10, 10)] * count))
    assert (made.summary["backtest"], made.summary["mape_pct"]) == ("insufficient_history", None)


def test_committee_meetings_stand_in_their_week():
    made = document(duty("m", 21, kind="committee", title="Risk Committee meets", owner="cyd", effort_hours=3.0))
    meetings = next(table.frame for table in made.tables if table.name == "committee_milestones")
    assert meetings.rows() == [("2026-W50", DAY + timedelta(days=21), "Risk Committee", "cyd", 3.0)]
    assert weeks(made).filter(week="2026-W50")["committees"].to_list() == [["Risk Committee"]]


def test_the_headline_says_what_to_relieve():
    calm = document(duty("a", 10))
    assert calm.headline == (
        "1 duty (1 hour) falls due in the next 13 weeks, most in 2026-W49: 1 at 12.5 % of capacity: "
        "no week is over its limit."
    )
    late = document(duty("late", -3, effort_hours=20.0), duty("a", 10), duty("b", 11))
    assert late.headline.endswith("1 week asks for more hours than there are: relieve 2026-W47.")
    far = document(duty("far", 200))
    assert far.headline.endswith("check that duties are recorded. 1 falls due later.")


def test_the_setting_is_the_default_horizon():
    question = ask()
    short = type(question)(question.as_of, 30, Thresholds(3, {"forecast_weeks": 4}), {})
    made = obligation_forecast.REPORT.build(
        ledger(duty("a", 3)), work(ledger(duty("a", 3)))[0], rows("requests"), rows("obligation_weeks"), short
    )
    assert weeks(made).height == 4
