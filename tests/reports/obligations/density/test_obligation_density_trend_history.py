from datetime import date, datetime, timedelta

from reports.obligations.density.obligation_density_trend_history import REPORT
from tests import factories
from tests.factories import explained_rows, lead, rows
from tests.reports.explanations import values_follow

MONDAY = date(2026, 11, 16)


def week(ago, planned, slipped):
    day = MONDAY - timedelta(weeks=ago)
    return {
        "week": f"{day:%G-W%V}",
        "week_start_on": day,
        "planned": planned,
        "planned_hours": 2.0 * planned,
        "completed": planned - slipped,
        "slipped": slipped,
        "forecast": planned,
    }


def alert(ago, level, status="sent", day=None, key="D"):
    start = MONDAY - timedelta(weeks=ago)
    at = datetime.combine(day or start, datetime.min.time())
    return {
        "delivery_id": key,
        "alert_id": f"{ago}{level}",
        "week": f"{start:%G-W%V}",
        "level": level,
        "channel": "email",
        "recipient": "ann",
        "status": status,
        "created_at": at,
        "created_on": at.date(),
        "sent_on": at.date(),
    }


def document(weeks=(), alerts=(), obligations=()):
    return factories.document(REPORT, **facts(weeks, alerts), obligations=rows("obligations", *obligations))


def facts(weeks, alerts):
    return {"obligation_weeks": rows("obligation_weeks", *weeks), "density_alerts": rows("density_alerts", *alerts)}


WEEKS = [week(1, 10, 4), week(2, 10, 0), week(3, 10, 1), week(4, 10, 0)]
ALERTS = [alert(1, "critical"), alert(1, "warning"), alert(2, "warning"), alert(4, "warning", status="failed")]


def test_precision_is_the_share_of_alerted_weeks_that_really_slipped():
    made = document(WEEKS, ALERTS)
    assert dict(made.summary) == {
        "density_weeks_recorded": 4,
        "obligations_planned_in_13_weeks": 40,
        "obligations_completed_in_13_weeks": 35,
        "obligations_slipped_in_13_weeks": 5,
        "obligations_slipped_in_13_weeks_pct": 12.5,
        "density_alerts_recorded": 4,
        "density_weeks_alerted": 2,
        "density_weeks_alerted_and_slipped": 1,
        "alert_precision_pct": 50.0,
        "alert_recall_pct": 50.0,
    }
    frame = made.tables[0].frame
    assert frame.select("week", "alert_level", "alerts", "accurate").head(4).rows()[::-1] == [
        ("2026-W43", None, 0, None),
        ("2026-W44", None, 0, None),
        ("2026-W45", "warning", 1, False),
        ("2026-W46", "critical", 2, True),
    ]
    assert lead(made) == (
        "5 of 40 planned duties slipped in the last 13 weeks (12.5 %), most in 2026-W46 (4 of 10); 1 of 2 alerted "
        "weeks really slipped.",
        "Look at what slipped in 2026-W46 and who owned it.",
    )
    assert made.tables[1].frame.height == 4


def test_an_alert_after_the_week_did_not_foresee_it():
    made = document([week(2, 10, 3)], [alert(2, "critical", day=MONDAY - timedelta(days=7))])
    assert (made.summary["density_weeks_alerted"], made.summary["alert_precision_pct"]) == (0, None)


def test_the_quarter_is_the_thirteen_weeks_before_this_one():
    made = document([week(13, 5, 1), week(14, 5, 5)])
    assert (made.summary["density_weeks_recorded"], made.summary["obligations_slipped_in_13_weeks"]) == (1, 1)
    assert made.tables[0].frame["week"].to_list()[-1] == "2026-W34"


def test_weeks_without_a_record_are_said_and_not_made_up():
    made = document()
    assert lead(made) == (
        "None of the last 13 weeks was recorded, so nothing can be said about how plans held.",
        "Leave hq scheduler running, which records each week, or import obligation_snapshots.csv with hq import.",
    )
    assert made.tables[0].frame["planned"].null_count() == 13
    assert (made.coverage.assessed, made.coverage.total) == (0, 13)
    assert {name: value for name, value in made.summary.items() if name.endswith("_pct")} == {
        "obligations_slipped_in_13_weeks_pct": None,
        "alert_precision_pct": None,
        "alert_recall_pct": None,
    }


def test_weeks_in_which_nothing_slipped_or_was_planned_are_said_so():
    assert lead(document([week(1, 10, 0)])) == (
        "None of 10 planned duties slipped in the last 13 weeks; no week was alerted.",
        "",
    )
    assert lead(document([week(1, 10, 0)], [alert(1, "warning")])) == (
        "None of 10 planned duties slipped in the last 13 weeks; none of 1 alerted week really slipped.",
        "",
    )
    assert lead(document([week(1, 0, 0)])) == (
        "No duty was planned in 1 recorded week of the last 13.",
        "Import attestations.csv, evidence_requests.csv, testing_schedules.csv or vendors.csv with hq import to "
        "fill this report.",
    )
    assert lead(document([week(1, 0, 0)], obligations=[{"obligation_id": "vendor_review:v"}])) == (
        "No duty was planned in 1 recorded week of the last 13.",
        "",
    )


def test_precision_is_explained_by_the_alerted_weeks():
    frame = explained_rows(REPORT, "alert_precision_pct", **facts(WEEKS, ALERTS))
    assert frame.select("week", "reason", "flag").rows() == [
        ("2026-W45", "alerted warning, 0 slipped", 0),
        ("2026-W46", "alerted critical, 4 slipped", 1),
    ]


def test_each_figure_is_what_its_rows_give():
    values_follow(REPORT, **facts(WEEKS, ALERTS))
    values_follow(REPORT)
