from datetime import date, datetime, timedelta

from reports.obligations import obligation_density_trend_history
from tests.factories import ask, rows

MONDAY = date(2026, 11, 16)


def week(ago, planned, slipped):
    day = MONDAY - timedelta(weeks=ago)
    return {"week": f"{day:%G-W%V}", "week_start_on": day, "planned": planned, "planned_hours": 2.0 * planned,
            "completed": planned - slipped, "slipped": slipped, "forecast": planned}  # fmt: skip


def alert(ago, level, status="sent", day=None, key="D"):
    start = MONDAY - timedelta(weeks=ago)
    at = datetime.combine(day or start, datetime.min.time())
    return {"delivery_id": key, "alert_id": f"{ago}{level}", "week": f"{start:%G-W%V}", "level": level,
            "channel": "email", "recipient": "ann", "status": status, "created_at": at, "created_on": at.date(),
            "sent_on": at.date()}  # fmt: skip


def document(weeks=(), alerts=()):
    return obligation_density_trend_history.REPORT.build(
        rows("obligation_weeks", *weeks), rows("density_alerts", *alerts), ask()
    )


def test_precision_is_the_share_of_alerted_weeks_that_really_slipped():
    made = document(
        [week(1, 10, 4), week(2, 10, 0), week(3, 10, 1), week(4, 10, 0)],
        [alert(1, "critical"), alert(1, "warning"), alert(2, "warning"), alert(4, "warning", status="failed")],
    )
    assert dict(made.summary) == {
        "weeks": 13, "weeks_recorded": 4, "planned": 40, "completed": 35, "slipped": 5, "slip_pct": 12.5, "alerts": 4,
        "alerted_weeks": 2, "precision_pct": 50.0, "recall_pct": 50.0,
    }  # fmt: skip
    frame = made.tables[0].frame
    assert frame.select("week", "alert_level", "alerts", "accurate").tail(4).rows() == [
        ("2026-W43", None, 0, None), ("2026-W44", None, 0, None), ("2026-W45", "warning", 1, False),
        ("2026-W46", "critical", 2, True),
    ]  # fmt: skip
    assert made.headline == (
        "5 of 40 planned duties slipped in the last quarter (12.5 %), most in 2026-W46: 4 of 10; "
        "1 of 2 alerted weeks really slipped."
    )
    assert made.tables[1].frame.height == 4


def test_an_alert_after_the_week_did_not_foresee_it():
    made = document([week(2, 10, 3)], [alert(2, "critical", day=MONDAY - timedelta(days=7))])
    assert (made.summary["alerted_weeks"], made.summary["precision_pct"]) == (0, None)


def test_the_quarter_is_the_thirteen_weeks_before_this_one():
    made = document([week(13, 5, 1), week(14, 5, 5)])
    assert (made.summary["weeks_recorded"], made.summary["slipped"]) == (1, 1)
    assert made.tables[0].frame["week"].to_list()[0] == "2026-W34"


def test_weeks_without_a_record_are_said_and_not_made_up():
    made = document()
    assert made.headline == "None of the last 13 weeks was recorded, so nothing can be said about how plans held."
    assert made.tables[0].frame["planned"].null_count() == 13
    assert (made.coverage.assessed, made.coverage.total) == (0, 13)
    assert (made.summary["precision_pct"], made.summary["slip_pct"]) == (None, None)
