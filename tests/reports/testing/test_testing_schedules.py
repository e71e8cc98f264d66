"""What the report on testing schedules says."""

from datetime import date

from engine.model.document import Coverage
from reports.testing.testing_schedules import REPORT
from tests.factories import ask, rows

ANN, BOB = "ann@acme.example", "bob@acme.example"


def window(opens, closes, standing, performed=None, **more):
    return {
        "schedule_id": "S1", "framework": "soc2", "control_id": "CC7.1", "procedure": "Look", "cadence": "monthly",
        "owner": ANN, "performer": BOB, "window_open_on": date.fromisoformat(opens),
        "window_close_on": date.fromisoformat(closes), "standing": standing,
        "performed_on": date.fromisoformat(performed) if performed else None,
        "run_id": f"{opens}-{standing}" if performed else None, "outcome": "passed" if performed else None, **more,
    }  # fmt: skip


DONE = window("2026-09-01", "2026-09-07", "done", "2026-09-05", evidence_expected=2, evidence_received=2)
LATE = window("2026-10-01", "2026-10-07", "late", "2026-10-10", evidence_expected=2, evidence_received=1)
OPEN = window("2026-11-18", "2026-11-24", "open")
AHEAD = window("2026-12-18", "2026-12-24", "upcoming")


def report(*windows, needing=()):
    status = rows("control_status", *(
        {"framework": "soc2", "control_id": name, "position": n, "kinds_required": ["operation", "test"]}
        for n, name in enumerate(needing)
    ))  # fmt: skip
    return REPORT.build(rows("test_windows", *windows), status, ask())


def frame(document, name):
    return next(table.frame for table in document.tables if table.name == name)


def test_planned_stands_beside_actual():
    row = frame(report(DONE, LATE, OPEN, AHEAD), "schedules").row(0, named=True)
    assert {name: row[name] for name in ("last", "planned_on", "performed_on", "days_late", "outcome")} == {
        "last": "late", "planned_on": date(2026, 10, 7), "performed_on": date(2026, 10, 10), "days_late": 3,
        "outcome": "passed",
    }  # fmt: skip
    assert (row["next"], row["next_open_on"], row["next_close_on"]) == ("open", date(2026, 11, 18), date(2026, 11, 24))
    assert (row["evidence_expected"], row["evidence_received"], row["independent"]) == (2, 1, True)


def test_the_rate_counts_windows_of_twelve_months_that_were_done_or_have_ended():
    missed = window("2026-08-01", "2026-08-07", "missed")
    old = window("2025-11-01", "2025-11-20", "missed")
    document = report(old, missed, DONE, LATE, OPEN, AHEAD)
    assert frame(document, "schedules").select("windows_12m", "missed_12m", "late_12m", "on_time_pct").rows() == [
        (3, 1, 1, 33.3)
    ]
    assert {name: document.summary[name] for name in ("windows_12m", "done_12m", "late_12m", "missed_12m")} == {
        "windows_12m": 3, "done_12m": 1, "late_12m": 1, "missed_12m": 1
    }  # fmt: skip
    assert document.headline == (
        "In 12 months 1 of 3 test windows was met on time (33.3 %); 1 window is open: SOC 2 CC7.1 closes first, on "
        "2026-11-24."
    )


def test_a_window_that_was_run_twice_counts_once_by_its_first_run():
    again = {**DONE, "run_id": "again", "performed_on": date(2026, 9, 30), "standing": "late"}
    document = report(again, DONE)
    assert (document.summary["windows_12m"], document.summary["done_12m"]) == (1, 1)


def test_a_missed_last_window_is_the_headline_and_stands_first():
    missed = {**window("2026-11-01", "2026-11-07", "missed"), "schedule_id": "S2", "control_id": "CC8.1"}
    document = report(DONE, OPEN, missed)
    assert frame(document, "schedules")["control_id"].to_list() == ["CC8.1", "CC7.1"]
    assert document.headline == (
        "In 12 months 1 of 2 test windows was met on time (50.0 %); 1 test missed the last window: catch up with "
        "SOC 2 CC8.1 first, due since 2026-11-07."
    )


def test_a_test_by_the_owner_is_not_independent_and_unknown_is_not_judged():
    own = {**DONE, "performer": ANN}
    nobody = {**DONE, "schedule_id": "S2", "performer": None}
    document = report(own, nobody)
    assert sorted(frame(document, "schedules").select("schedule_id", "independent").rows()) == [
        ("S1", False), ("S2", None)
    ]  # fmt: skip
    assert document.summary["tested_by_owner"] == 1
    assert document.warnings == ["1 control is tested by the owner: the test is not independent."]


def test_controls_that_need_a_test_and_have_none_are_listed():
    document = report(DONE, needing=("CC7.1", "CC7.2"))
    assert frame(document, "unscheduled")["control_id"].to_list() == ["CC7.2"]
    assert document.coverage == Coverage(1, 2)


def test_without_schedules_nothing_is_claimed():
    assert report().headline == "No recurring test is scheduled, and no control in scope asks for one."
    bare = report(needing=("CC7.1",))
    assert bare.headline == "No recurring test is scheduled, though 1 control in scope needs one."
    assert (bare.summary["on_time_pct"], bare.charts) == (None, [])


def test_a_schedule_without_a_due_window_has_no_rate():
    document = report(AHEAD)
    assert document.headline == "1 test recurs and none was due in 12 months; no window is open."
    assert frame(document, "schedules")["on_time_pct"].to_list() == [None]
