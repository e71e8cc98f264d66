from datetime import date, timedelta

import pytest

from engine.model.thresholds import Thresholds
from reports.obligations.forecast.obligation_forecast import REPORT
from tests import factories
from tests.factories import DAY, ask, explained_rows, lead, rows
from tests.reports.explanations import values_follow
from tests.reports.obligations.ledgers import duty, ledger, work

MONDAY = date(2026, 11, 16)


def document(*duties, requests=(), recorded=(), **options):
    return factories.document(REPORT, ask(**options), **facts(duties, requests, recorded))


def facts(duties, requests=(), recorded=()):
    obligations = ledger(*duties)
    return {
        "obligations": obligations,
        "owner_weeks": work(obligations, ("ann", "default", 10.0))[0],
        "requests": rows("requests", *requests),
        "obligation_weeks": rows("obligation_weeks", *recorded),
    }


def weeks(made):
    return next(table.frame for table in made.tables if table.name == "weeks")


def recorded_weeks(*pairs):
    days = [MONDAY - timedelta(weeks=len(pairs) - at) for at in range(len(pairs))]
    return [
        {"week": f"{day:%G-W%V}", "week_start_on": day, "forecast": forecast, "planned": planned}
        for day, (forecast, planned) in zip(days, pairs, strict=True)
    ]


def opened_requests(week, number=1):
    return [{"id": f"R{week}-{n}", "opened_on": MONDAY - timedelta(weeks=week)} for n in range(number)]


def test_overdue_work_is_in_no_week_and_this_week_offers_the_day_that_is_left():
    made = document(duty("late", -3, effort_hours=4.0), duty("now", 0), duty("next", 3, effort_hours=6.0))
    columns = ("week", "known", "known_hours", "demand_hours", "available_hours", "utilisation_pct", "cumulative")
    assert weeks(made).select(columns).head(2).rows() == [
        ("2026-W47", 1, 1.0, 1.0, 1.6, 62.5, 1),
        ("2026-W48", 1, 6.0, 6.0, 8.0, 75.0, 2),
    ]
    assert weeks(made).height == 13
    assert [made.summary[f"obligations_{place}"] for place in ("overdue", "known", "beyond")] == [1, 2, 0]


def test_the_headline_has_the_hours_that_the_weeks_add_up_to():
    made = document(duty("a", 3, effort_hours=8.0, accountable="cyd"), duty("b", 5, effort_hours=1.0))
    assert made.headline.startswith("2 duties (11 hours of work in all) fall due in the next 13 weeks")
    assert weeks(made)["demand_hours"].sum() == made.summary["demand_hours"] == 11.0


def test_the_horizon_may_be_chosen():
    made = document(duty("a", 3), duty("b", 30), weeks=2)
    assert (weeks(made).height, made.summary["obligations_known"], made.summary["obligations_beyond"]) == (2, 1, 1)


def test_the_expected_are_the_mean_of_the_weeks_behind_and_stand_apart_from_the_known():
    requests = [row for week in range(1, 27) for row in opened_requests(week, 3 if week % 5 == 0 else 1)]
    made = document(
        duty("r", 3, kind="evidence_request", effort_hours=2.0),
        requests=[*requests, *opened_requests(40), *opened_requests(0, 9)],
    )
    assert made.summary["expected_unplanned_week"] == round(36 / 26, 2)
    assert (made.summary["expected_unplanned_p50"], made.summary["expected_unplanned_p80"]) == (1, 1)
    assert made.summary["expected_unplanned_hours"] == round(36 / 26 * 2, 2)
    assert weeks(made)["expected_unplanned"].to_list() == [None] + [1.38] * 12
    assert weeks(made)["known"].sum() == 1


def test_seven_weeks_of_requests_are_not_enough_to_expect_anything():
    made = document(duty("a", 3), requests=[row for week in range(1, 8) for row in opened_requests(week)])
    assert made.summary["request_history"] == "insufficient_history"
    assert made.summary["expected_unplanned_week"] is None
    assert weeks(made)["expected_unplanned"].null_count() == 13
    assert made.warnings[0] == "Only 7 weeks of requests lie behind: what to expect is not known."


def test_the_back_test_is_the_mean_error_of_the_last_eight_forecasts():
    pairs = [(99, 1), *[(12, 10)] * 4, *[(9, 10)] * 4]
    made = document(recorded=recorded_weeks(*pairs))
    assert (made.summary["forecast_weeks_checked"], made.summary["forecast_mape_pct"]) == (8, 15.0)
    assert made.summary["forecast_backtest"] == "sufficient"


def test_a_week_in_which_nothing_was_planned_has_no_percentage():
    pairs = [(3, 0), *[(11, 10)] * 7]
    made = document(recorded=recorded_weeks(*pairs))
    assert (made.summary["forecast_weeks_checked"], made.summary["forecast_mape_pct"]) == (8, 10.0)


def test_weeks_in_which_nothing_was_ever_planned_check_no_forecast():
    made = document(recorded=recorded_weeks(*[(3, 0)] * 8))
    assert (made.summary["forecast_backtest"], made.summary["forecast_mape_pct"]) == ("insufficient_history", None)


def test_each_figure_is_what_its_rows_give():
    requests = [row for week in range(1, 27) for row in opened_requests(week, week % 4)]
    duties = (duty("a", 3, kind="evidence_request", effort_hours=1.75), duty("b", -3), duty("c", 200))
    values_follow(REPORT, **facts(duties, requests, recorded_weeks(*[(12, 7)] * 4, *[(9, 10)] * 4)))
    values_follow(REPORT)


def test_what_is_expected_is_explained_by_the_weeks_behind():
    requests = [row for week in range(1, 9) for row in opened_requests(week, 2)]
    frame = explained_rows(REPORT, "expected_unplanned_week", **facts((), requests))
    assert frame.select("week", "reason", "numerator", "denominator").row(0) == (
        "2026-W39",
        "2 requests arrived in 2026-W39",
        2,
        1,
    )
    assert frame.height == 8


@pytest.mark.parametrize("count", [0, 7])
def test_fewer_than_eight_forecasts_are_insufficient_history(count):
    made = document(duty("a", 3), recorded=recorded_weeks(*[(10, 10)] * count))
    assert (made.summary["forecast_backtest"], made.summary["forecast_mape_pct"]) == ("insufficient_history", None)


def test_committee_meetings_stand_in_their_week():
    made = document(duty("m", 21, kind="committee", title="Risk Committee meets", owner="cyd", effort_hours=3.0))
    meetings = next(table.frame for table in made.tables if table.name == "committee_milestones")
    assert meetings.rows() == [("2026-W50", DAY + timedelta(days=21), "Risk Committee", "cyd", 3.0)]
    assert weeks(made).filter(week="2026-W50")["committees"].to_list() == [["Risk Committee"]]


def test_the_headline_says_what_to_relieve():
    calm = document(duty("a", 10))
    assert lead(calm) == (
        "1 duty (1 hour of work in all) falls due in the next 13 weeks, most in 2026-W49 (1 duty, 12.5 % of capacity).",
        "",
    )
    full = document(duty("now", 0, effort_hours=20.0), duty("late", -3), duty("a", 10), duty("b", 11))
    assert lead(full) == (
        "3 duties (22 hours of work in all) fall due in the next 13 weeks, most in 2026-W49 (2 duties, 25.0 % of capacity); 1 is overdue.",
        "Duty late (with ann, due 17 Nov 2026, 3 days late), then relieve 2026-W47.",
    )
    far = document(duty("far", 200))
    assert lead(far) == ("No duty is known to fall due in the next 13 weeks; 1 falls due later.", "")


def test_the_setting_is_the_default_horizon():
    question = ask()
    short = type(question)(question.as_of, 30, Thresholds(3, {"forecast_weeks": 4}), {})
    made = factories.document(REPORT, short, obligations=ledger(duty("a", 3)))
    assert weeks(made).height == made.summary["horizon_weeks"] == 4


def test_the_picture_has_a_band_where_requests_are_to_be_expected():
    (plain,) = document(duty("next", 3)).pictures
    assert [line.name for line in plain.lines] == ["work that is known", "hours that there are"]
    assert plain.band == ()
    requests = [request for week in range(1, 27) for request in opened_requests(week, 2)]
    known = duty("r", 3, kind="evidence_request", effort_hours=2.0)
    (banded,) = document(known, requests=requests).pictures
    assert all(low <= high for _, low, high in banded.band)
    assert any(low < high for _, low, high in banded.band)
    assert document().pictures == []
