"""Error budgets: the worked examples, the rules, and what holds for all buckets."""

from datetime import UTC, datetime, timedelta

import polars as pl
import pytest

from engine.incidents.slo.slo import budget, service_budget
from engine.incidents.slo.slo_rules import RULES, Objective
from engine.incidents.slo.slo_sums import SPANS, EventCount, SpanSums, bucket_sums, service_sums

NOW = datetime(2026, 11, 20, 8, 32, tzinfo=UTC)
END = datetime(2026, 11, 20, 8, 30, tzinfo=UTC)
DAY7, DAY30 = 7 * 1440, 30 * 1440
CHECKOUT = Objective("s1", 99.9, name="Checkout")
SCHEMA = {"bucket_at": pl.Datetime("us", "UTC"), "total": pl.Int64, "bad": pl.Int64}


def frame(*buckets):
    """Buckets from (minutes before the end of the last complete one, total, bad)."""
    rows = [(END - timedelta(minutes=ago), total, bad) for ago, total, bad in buckets]
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def steady(days, total=100, bad=0, since=0):
    """``days`` of equal buckets that end ``since`` minutes ago."""
    return frame(*((since + 5 * (i + 1), total, bad) for i in range(days * 288)))


def both(week, month):
    return SpanSums({DAY7: EventCount(*week), DAY30: EventCount(*month)})


def test_the_worked_example_with_two_windows_alone():
    result = budget(CHECKOUT, both((200_000, 300), (1_000_000, 600)))
    month, week = result.window(30), result.window(7)
    assert (month.budget, month.used_pct, month.remaining_pct, month.burn) == (1000.0, 60.0, 40.0, 0.6)
    assert (week.budget, week.used_pct, week.remaining_pct, week.burn) == (200.0, 150.0, -50.0, 1.5)
    assert (month.recent_burn, month.exhaustion_days, week.exhaustion_days) == (1.5, 13.3, 0.0)
    assert (month.severity, week.severity, week.rule) == ("ok", "warning", "burn_7d")
    assert (result.severity, result.rule, result.method) == ("warning", "burn_7d", "windows_only")
    assert result.sentence == (
        "Checkout has used 150.0 % of its 7-day error budget (300 of 200 bad events) and is at warning level: "
        "the budget is gone."
    )


def test_a_calendar_month_does_not_forget_errors():
    monthly = Objective("s1", 99.9, "calendar")
    assert budget(monthly, both((200_000, 300), (1_000_000, 600))).window(30).exhaustion_days == 8.0


def test_a_rolling_budget_that_burns_below_1_does_not_run_out():
    month = budget(CHECKOUT, both((200_000, 120), (1_000_000, 600))).window(30)
    assert (month.recent_burn, month.exhaustion_days) == (0.6, None)


@pytest.mark.parametrize(
    ("week", "month", "expected"),
    [
        ((200_000, 400), (1_000_000, 600), ("critical", "burn_7d")),
        ((200_000, 399), (1_000_000, 600), ("warning", "burn_7d")),
        ((200_000, 200), (1_000_000, 200), ("warning", "burn_7d")),
        ((200_000, 199), (1_000_000, 749), ("ok", None)),
        ((200_000, 0), (1_000_000, 750), ("warning", "used_75")),
        ((200_000, 0), (1_000_000, 1000), ("critical", "used_100")),
        ((0, 0), (1_000_000, 1000), ("critical", "used_100")),
        ((0, 0), (1_000_000, 0), ("insufficient_history", None)),
        ((0, 0), (0, 0), ("insufficient_history", None)),
    ],
)
def test_the_fallback_rule_judges_by_7_day_burn_and_30_day_use(week, month, expected):
    result = budget(CHECKOUT, both(week, month))
    assert (result.severity, result.rule) == expected


def test_the_burn_rules_of_both_windows():
    assert [(r.name, r.level, round(r.burn, 2)) for r in RULES[30]] == [
        ("burn_1h_5m", "critical", 14.4),
        ("burn_6h_30m", "critical", 6.0),
        ("burn_1d_2h", "warning", 3.0),
        ("burn_3d_6h", "warning", 1.0),
    ]
    assert [(r.name, r.level, round(r.burn, 2)) for r in RULES[7]] == [
        ("burn_1h_5m", "critical", 13.44),
        ("burn_6h_30m", "critical", 3.5),
        ("burn_1d_2h", "warning", 1.4),
        ("burn_3d_6h", "warning", 0.98),
    ]


def spans(**given):
    """Sums of a quiet service: ``given`` replaces spans, such as m60=(1000, 15)."""
    quiet = {span: EventCount(span * 20, 0, span // 5) for span in SPANS}
    return SpanSums(quiet | {int(name[1:]): EventCount(*count) for name, count in given.items()})


def test_a_fast_burn_is_critical_only_while_the_short_span_burns_too():
    burning = budget(CHECKOUT, spans(m60=(1200, 18, 12), m5=(100, 2, 1))).window(30)
    assert (burning.severity, burning.rule) == ("critical", "burn_1h_5m")
    assert (burning.burns[0].long_burn, burning.burns[0].short_burn, burning.burns[0].fired) == (15.0, 20.0, True)
    over = budget(CHECKOUT, spans(m60=(1200, 18, 12), m5=(100, 0, 1))).window(30)
    assert (over.severity, over.rule) == ("ok", None)


def test_a_service_that_stops_reporting_while_it_burns_is_not_taken_as_recovered():
    silent = budget(CHECKOUT, spans(m60=(1200, 18, 11), m5=(0, 0, 0))).window(30)
    assert (silent.severity, silent.rule, silent.burns[0].short_burn) == ("critical", "burn_1h_5m", None)
    idle = budget(CHECKOUT, spans(m60=(1200, 18, 12), m5=(0, 0, 1))).window(30)
    assert (idle.severity, idle.rule) == ("ok", None)


def test_the_limit_itself_fires():
    at_limit = budget(CHECKOUT, spans(m60=(10_000, 144, 12), m5=(10_000, 144, 1))).window(30)
    assert at_limit.rule == "burn_1h_5m"
    assert budget(Objective("s", 99.95), spans(m1440=(1000, 2, 288), m120=(1000, 2, 24))).window(30).rule == (
        "burn_1d_2h"
    )


def test_the_week_has_its_own_scaled_rules():
    result = budget(CHECKOUT, spans(m360=(7200, 26, 72), m30=(600, 3, 6)))
    assert (result.window(30).severity, result.window(7).severity) == ("ok", "critical")
    assert (result.severity, result.rule) == ("critical", "burn_6h_30m")
    assert result.sentence == (
        "Checkout has used 0.0 % of its 7-day error budget (0 of 201.6 bad events) and is at critical level: over 6h "
        "it burns 3.61 times the allowed rate (limit 3.5); at the recent rate the budget does not run out."
    )


def test_buckets_of_a_steady_service():
    result = service_budget(CHECKOUT, steady(30, total=1000, bad=0), NOW)
    month = result.window(30)
    assert (result.severity, result.method, result.last_bucket_at) == ("ok", "burn_rates", END - timedelta(minutes=5))
    assert (month.total, month.bad, month.buckets, month.buckets_expected, month.buckets_pct) == (
        8_640_000,
        0,
        8640,
        8640,
        100.0,
    )
    assert result.sentence == (
        "Checkout has used 0.0 % of its 30-day error budget (0 of 8,640 bad events); at the recent rate the budget "
        "does not run out."
    )


def test_exhaustion_follows_the_last_24_hours_where_they_are_known():
    sums = service_sums(pl.concat([steady(1, 1000, 3), steady(29, 1000, 0, since=1440)]), NOW)
    month = budget(CHECKOUT, sums).window(30)
    assert (month.used_pct, month.recent_burn) == (10.0, 3.0)
    assert month.exhaustion_days == round(30 * 0.9 / 2.9, 1) == 9.3


def test_below_a_tenth_of_the_buckets_there_is_no_verdict_and_no_percentage():
    result = service_budget(CHECKOUT, steady(2, 100, 0), NOW)
    month = result.window(30)
    assert (month.severity, month.buckets_pct, month.used_pct, month.remaining_pct, month.burn) == (
        "insufficient_history",
        6.7,
        None,
        None,
        None,
    )
    assert (month.total, month.exhaustion_days, month.recent_burn, month.burns) == (57_600, None, None, ())
    assert result.window(7).severity == "ok"
    assert result.severity == "insufficient_history"
    assert result.sentence == (
        "Checkout has too little history for a 30-day error budget: 6.7 % of the five-minute buckets are there, "
        "10 % are needed."
    )


def test_three_days_of_buckets_are_just_enough():
    assert service_budget(CHECKOUT, steady(3), NOW).severity == "ok"
    assert service_budget(CHECKOUT, steady(3)[1:], NOW).severity == "insufficient_history"


def test_no_buckets_are_no_verdict():
    result = service_budget(CHECKOUT, frame(), NOW)
    assert (result.severity, result.last_bucket_at) == ("insufficient_history", None)
    assert result.sentence == "Checkout has no events in 30 days, so its error budget cannot be judged."


def test_an_objective_of_100_percent_leaves_no_budget():
    perfect = Objective("s1", 100.0)
    assert budget(perfect, both((100, 0), (1000, 0))).severity == "ok"
    broken = budget(perfect, both((100, 0), (1000, 1)))
    assert (broken.severity, broken.rule, broken.window(30).used_pct) == ("critical", "no_budget", None)
    assert broken.sentence == "s1 promises 100 %, which leaves no error budget; 1 of 1,000 events were bad in 30 days."


def test_only_complete_buckets_count():
    sums = service_sums(frame((0, 7, 7), (5, 10, 1), (10, 20, 2), (-60, 9, 9), (DAY30, 1, 1), (DAY30 + 5, 8, 8)), NOW)
    assert (sums.spans[5], sums.spans[30], sums.spans[DAY30]) == (
        EventCount(10, 1, 1),
        EventCount(30, 3, 2),
        EventCount(31, 4, 3),
    )


def test_instants_with_and_without_zone_mean_the_same():
    aware = steady(1, 10, 1)
    naive = aware.with_columns(pl.col("bucket_at").dt.replace_time_zone(None))
    berlin = aware.with_columns(pl.col("bucket_at").dt.convert_time_zone("Europe/Berlin"))
    assert service_sums(aware, NOW) == service_sums(naive, NOW) == service_sums(berlin, NOW.replace(tzinfo=None))


def test_sums_of_many_services_are_those_of_each():
    one, two = steady(30, 100, 1), steady(3, 50, 0)
    many = pl.concat([one.with_columns(service_id=pl.lit("s1")), two.with_columns(service_id=pl.lit("s2"))])
    assert bucket_sums(many, NOW) == {"s1": service_sums(one, NOW), "s2": service_sums(two, NOW)}


def test_a_frame_of_no_services_has_no_sums():
    assert bucket_sums(frame().with_columns(service_id=pl.lit("s")), NOW) == {}
