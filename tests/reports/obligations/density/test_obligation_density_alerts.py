from datetime import timedelta

import pytest

from engine.model.thresholds import Thresholds
from reports.obligations.density import breaches, density
from reports.obligations.density.obligation_density_alerts import REPORT
from tests import factories
from tests.factories import DAY, ask, explained_rows, lead, moment, rows
from tests.reports.explanations import values_follow
from tests.reports.obligations.ledgers import duty, ledger, work

BOUNDS = density.limits([], Thresholds())


def document(*duties, alerts=(), hours=40.0, **options):
    return factories.document(REPORT, ask(**options), **facts(duties, alerts, hours))


def facts(duties, alerts=(), hours=40.0):
    obligations = ledger(*duties)
    return {
        "obligations": obligations,
        "owner_weeks": work(obligations, ("ann", "default", hours))[0],
        "density_alerts": rows("density_alerts", *alerts),
    }


def frame(made, name="breaches"):
    return next(table.frame for table in made.tables if table.name == name)


def due(count, days, tag="d", **given):
    return [duty(f"{tag}{days}-{number}", days, **given) for number in range(count)]


def alert(week, level, status="sent", at=moment("2026-11-18"), **given):
    return {
        "delivery_id": f"{week}{at}",
        "alert_id": f"{week}{level}",
        "week": week,
        "level": level,
        "status": status,
        "created_at": at,
        **given,
    }


@pytest.mark.parametrize(
    ("history", "warn", "critical"),
    [
        ([], 5, 8),
        ([0] * 26, 5, 8),
        ([1, 2, 3, 4], 5, 8),
        ([6, 7, 8, 9], 8, 9),
        ([2] * 20 + [20] * 6, 5, 20),
        ([7] * 26, 7, 8),
    ],
)
def test_limits_are_the_larger_of_the_setting_and_the_weeks_behind(history, warn, critical):
    bounds = density.limits(history, Thresholds())
    assert (bounds.warn_count, bounds.critical_count) == (warn, critical)


def test_a_limit_says_where_it_comes_from():
    assert (BOUNDS.warn_source, BOUNDS.critical_source) == ("default", "default")
    own = density.limits([9] * 26, Thresholds(4, {"density_critical_count": 30}))
    assert (own.warn_source, own.critical_source) == ("p75 of the weeks behind", "organization setting")


@pytest.mark.parametrize(
    ("count", "used", "level"),
    [
        (4, 84.9, "ok"),
        (5, 0, "warning"),
        (8, 0, "critical"),
        (0, 85, "warning"),
        (0, 99.9, "warning"),
        (0, 100, "critical"),
        (0, 0, "ok"),
        (1, None, "critical"),
    ],
)
def test_either_measure_breaches(count, used, level):
    assert density.level(count, used, BOUNDS) == level


@pytest.mark.parametrize(
    ("previous", "count", "used", "level"),
    [
        ("ok", 7, 0, "warning"),
        ("critical", 7.2, 0, "critical"),
        ("critical", 7.1, 0, "warning"),
        ("warning", 4.5, 0, "warning"),
        ("warning", 4.4, 0, "ok"),
        ("warning", 0, 76.5, "warning"),
        ("warning", 0, 76.4, "ok"),
        ("warning", 7.5, 0, "warning"),
        ("critical", 0, 0, "ok"),
    ],
)
def test_a_breach_holds_until_it_is_below_nine_tenths_of_its_limit(previous, count, used, level):
    assert density.standing(count, used, BOUNDS, previous) == level


@pytest.mark.parametrize(
    ("now", "before", "said"),
    [
        ("ok", "ok", "none"),
        ("warning", "ok", "new"),
        ("critical", "ok", "new"),
        ("critical", "warning", "worsened"),
        ("warning", "warning", "unchanged"),
        ("warning", "critical", "eased"),
        ("ok", "critical", "cleared"),
    ],
)
def test_only_new_and_worsened_breaches_are_news(now, before, said):
    assert density.news(now, before) == said
    assert (said in density.TO_SEND) == (now != "ok" and density.LEVELS.index(now) > density.LEVELS.index(before))


def test_a_breach_names_its_drivers_and_a_shift():
    made = document(*due(6, 10, frameworks=["soc2"]), *due(3, 10, "t", kind="test_window", frameworks=["hipaa"]))
    row = frame(made).row(0, named=True)
    assert row["alert_id"] == breaches.alert_id("acme", "2026-W49", "critical")
    assert (row["week"], row["level"], row["known"], row["causes"]) == ("2026-W49", "critical", 9, ["count"])
    assert (row["kinds"], row["frameworks"]) == (["Attestation 6", "Test window 3"], ["SOC 2 6", "HIPAA 3"])
    assert row["suggestion"] == "Of 9 duties that can move, pull 4 to 2026-W48, pull 1 to 2026-W47"
    assert (row["news"], row["send"]) == ("new", True)
    assert lead(made) == (
        "1 of the next 13 weeks is over a limit, 1 critical; most is in 2026-W49: 9 duties at 28.1 % of capacity.",
        "In 2026-W49, of 9 duties that can move, pull 4 to 2026-W48, pull 1 to 2026-W47.",
    )


def test_hard_deadlines_are_never_suggested_to_move():
    row = frame(document(*due(8, 10, hard=True), *due(1, 10, "s"))).row(0, named=True)
    assert (row["movable"], row["suggestion"]) == (
        1,
        "Of 1 duty that can move, pull 1 to 2026-W48; the rest has hard deadlines, so bring in hours",
    )
    assert frame(document(*due(8, 10, hard=True)))["suggestion"].to_list() == [
        "Every duty of the week has a hard deadline, so bring in hours"
    ]


def test_overdue_work_breaches_no_week():
    assert frame(document(*due(4, -9, effort_hours=10.0), duty("n", 0))).is_empty()


def test_a_week_with_one_day_left_breaches_by_the_work_of_a_day():
    row = frame(document(duty("n", 0, effort_hours=10.0))).row(0, named=True)
    assert (row["week"], row["known"], row["causes"], row["suggestion"]) == (
        "2026-W47",
        1,
        ["utilisation"],
        "Bring in 3.5 hours",
    )


def test_what_was_sent_is_not_sent_again():
    duties = due(6, 10)
    row = frame(document(*duties, alerts=[alert("2026-W49", "warning")])).row(0, named=True)
    assert (row["level"], row["news"], row["send"]) == ("warning", "unchanged", False)
    worse = frame(document(*due(9, 10), alerts=[alert("2026-W49", "warning")])).row(0, named=True)
    assert (worse["level"], worse["news"], worse["send"]) == ("critical", "worsened", True)


def test_an_alert_that_failed_told_nobody():
    row = frame(document(*due(6, 10), alerts=[alert("2026-W49", "warning", status="failed")])).row(0, named=True)
    assert (row["news"], row["send"]) == ("new", True)


def test_a_week_that_cleared_is_told_but_not_sent():
    made = document(*due(1, 10), alerts=[alert("2026-W49", "critical")])
    row = frame(made).row(0, named=True)
    assert (row["level"], row["news"], row["send"], row["suggestion"]) == ("ok", "cleared", False, "")
    assert (made.summary["density_breaches"], made.summary["density_alerts_to_send"]) == (0, 0)
    assert lead(made) == ("No week of the next 13 holds more than its limit.", "")


def test_the_newest_alert_counts():
    later = alert("2026-W49", "critical", at=moment("2026-11-19"))
    assert breaches.last_levels(rows("density_alerts", later, alert("2026-W49", "warning"))) == {"2026-W49": "critical"}


def test_the_weeks_behind_raise_the_limits():
    past = [
        duty(f"p{week}-{n}", -7 * week - 3, state="done", done_on=DAY - timedelta(days=9))
        for week in range(1, 26)
        for n in range(12)
    ]
    made = document(*past, *due(9, 10))
    assert (made.summary["density_warning_from"], made.summary["density_critical_from"]) == (12, 12)
    assert frame(made).is_empty()


def test_an_empty_ledger_cannot_be_dense():
    made = document()
    assert lead(made) == (
        "No duty is pending, so no week can hold too much.",
        "Import attestations.csv, evidence_requests.csv, testing_schedules.csv or vendors.csv with hq import to "
        "fill this report.",
    )
    assert (frame(made).height, frame(made, "weeks").height, made.summary["density_breaches"]) == (0, 13, 0)
    assert made.warnings == ["No duty fell due in the weeks behind: the limits are the settings alone."]


def test_a_limit_is_explained_by_where_it_comes_from():
    past = [duty(f"p{n}", -10, state="done", done_on=DAY) for n in range(30)]
    given = facts([*past, *due(9, 10)])
    assert explained_rows(REPORT, "density_critical_from", **given).select("reason", "value").rows() == [
        ("default", 8.0)
    ]
    assert explained_rows(REPORT, "obligations_due_in_history", **given)["amount"].sum() == 30
    assert explained_rows(REPORT, "density_breaches_critical", **given).select("week", "reason").rows() == [
        ("2026-W49", "9 duties, 28.1 % of capacity: critical")
    ]


def test_the_summary_counts_weeks_and_says_the_settings():
    told = [alert("2026-W49", "warning"), alert("2026-W51", "critical")]
    assert dict(document(*due(9, 10), *due(6, 17), alerts=told).summary) == {
        "density_breaches": 2,
        "density_breaches_warning": 1,
        "density_breaches_critical": 1,
        "density_alerts_to_send": 2,
        "density_weeks_without_hours": 0,
        "density_warning_from": 5.0,
        "density_warning_source": "default",
        "density_critical_from": 8.0,
        "density_critical_source": "default",
        "obligations_due_in_history": 0,
        "obligations_pending": 15,
        "obligations_known": 15,
    }


def test_work_that_nobody_has_hours_for_is_critical():
    made = document(duty("x", 10), hours=0.0)
    assert (made.summary["density_weeks_without_hours"], made.summary["density_breaches_critical"]) == (1, 1)
    assert made.headline.startswith("1 of the next 13 weeks is over a limit, 1 critical; most is in 2026-W49: 1 duty.")


def test_each_figure_is_what_its_rows_give():
    values_follow(
        REPORT, **facts([*due(9, 10), *due(6, 17)], [alert("2026-W49", "warning"), alert("2026-W51", "critical")])
    )
    values_follow(REPORT)
