"""What the report on testing schedules says."""

from datetime import date

from engine.facts.schemas import SCHEMAS
from engine.model.documents.document import Coverage
from reports.testing.testing_schedules import REPORT
from tests.factories import document as edition
from tests.factories import explained_rows, lead, rows
from tests.reports.explanations import values_follow

ANN, BOB = "ann@acme.example", "bob@acme.example"


def window(opens, closes, standing, performed=None, **more):
    return {
        "schedule_id": "S1",
        "framework": "soc2",
        "control_id": "CC7.1",
        "procedure": "Look",
        "cadence": "monthly",
        "owner": ANN,
        "performer": BOB,
        "window_open_on": date.fromisoformat(opens),
        "window_close_on": date.fromisoformat(closes),
        "standing": standing,
        "performed_on": date.fromisoformat(performed) if performed else None,
        "run_id": f"{opens}-{standing}" if performed else None,
        "outcome": "passed" if performed else None,
        **more,
    }


DONE = window("2026-09-01", "2026-09-07", "done", "2026-09-05", evidence_expected=2, evidence_received=2)
LATE = window("2026-10-01", "2026-10-07", "late", "2026-10-10", evidence_expected=2, evidence_received=1)
OPEN = window("2026-11-18", "2026-11-24", "open")
AHEAD = window("2026-12-18", "2026-12-24", "upcoming")


def facts(*windows, needing=()):
    status = rows(
        "control_status",
        *(
            {"framework": "soc2", "control_id": name, "position": n, "kinds_required": ["operation", "test"]}
            for n, name in enumerate(needing)
        ),
    )
    return {
        "test_windows": rows("test_windows", *windows),
        "control_tests": rows(
            "control_tests",
            *({name: value for name, value in one.items() if name in SCHEMAS["control_tests"]} for one in windows),
        ),
        "idle_checks": rows("idle_checks"),
        "check_sights": rows("check_sights"),
        "control_status": status,
    }


YEAR = ("test_windows_in_12_months", *(f"test_windows_{name}_in_12_months" for name in ("done", "late", "missed")))


def report(*windows, needing=()):
    return edition(REPORT, **facts(*windows, needing=needing))


def frame(document, name):
    return document.table(name).frame


def test_planned_stands_beside_actual():
    row = frame(report(DONE, LATE, OPEN, AHEAD), "schedules").row(0, named=True)
    assert {name: row[name] for name in ("last", "planned_on", "performed_on", "days_late", "outcome")} == {
        "last": "late",
        "planned_on": date(2026, 10, 7),
        "performed_on": date(2026, 10, 10),
        "days_late": 3,
        "outcome": "passed",
    }
    assert (row["next"], row["next_open_on"], row["next_close_on"]) == ("open", date(2026, 11, 18), date(2026, 11, 24))
    assert (row["evidence_expected"], row["evidence_received"], row["independent"]) == (2, 1, True)


def test_a_window_that_was_done_before_its_end_is_no_day_late():
    early = window("2026-10-01", "2026-10-31", "done", "2026-10-02")
    document = report(early, OPEN)
    assert frame(document, "windows").select("performed_on", "days_late").rows() == [
        (None, None),
        (date(2026, 10, 2), 0),
    ]
    assert frame(document, "schedules")["days_late"].to_list() == [0]


def test_the_rate_counts_windows_of_twelve_months_that_were_done_or_have_ended():
    missed = window("2026-08-01", "2026-08-07", "missed")
    old = window("2025-11-01", "2025-11-20", "missed")
    document = report(old, missed, DONE, LATE, OPEN, AHEAD)
    assert frame(document, "schedules").select("windows_12m", "missed_12m", "late_12m", "on_time_pct").rows() == [
        (3, 1, 1, 33.3)
    ]
    assert {name: document.summary[name] for name in YEAR} == {
        "test_windows_in_12_months": 3,
        "test_windows_done_in_12_months": 1,
        "test_windows_late_in_12_months": 1,
        "test_windows_missed_in_12_months": 1,
    }
    assert lead(document) == (
        "1 of 3 test windows was on time in 12 months (33.3 %); 1 window is open.",
        f"Test first SOC 2 CC7.1: Look, with {BOB}; its window closes on 24 Nov 2026.",
    )


def test_a_window_that_was_run_twice_counts_once_by_its_first_run():
    again = {**DONE, "run_id": "again", "performed_on": date(2026, 9, 30), "standing": "late"}
    document = report(again, DONE)
    assert (document.summary[YEAR[0]], document.summary[YEAR[1]]) == (1, 1)


def test_a_missed_last_window_is_the_headline_and_stands_first():
    missed = {**window("2026-11-01", "2026-11-07", "missed"), "schedule_id": "S2", "control_id": "CC8.1"}
    document = report(DONE, OPEN, missed)
    assert frame(document, "schedules")["control_id"].to_list() == ["CC8.1", "CC7.1"]
    assert lead(document) == (
        "1 of 2 test windows was on time in 12 months (50.0 %); 1 test missed its last window.",
        f"Catch up first with SOC 2 CC8.1: Look, with {BOB}, whose window ended on 7 Nov 2026.",
    )
    longer = {**window("2026-10-01", "2026-10-07", "missed"), "schedule_id": "S9", "control_id": "CC9.1"}
    several = report(missed, longer)
    assert frame(several, "schedules")["control_id"].to_list() == ["CC9.1", "CC8.1"]
    assert lead(several)[1] == f"Catch up first with SOC 2 CC9.1: Look, with {BOB}, whose window ended on 7 Oct 2026."


def test_of_missed_windows_the_one_that_ended_first_stands_first_and_says_who_tests():
    old = {**window("2026-10-01", "2026-10-07", "missed"), "schedule_id": "S9", "control_id": "CC9.1"}
    new = {**window("2026-11-01", "2026-11-07", "missed"), "schedule_id": "S2", "control_id": "CC8.1"}
    document = report(new, old)
    shown = frame(document, "schedules").select("control_id", "last", "performer").rows()
    assert shown == [("CC9.1", "missed", BOB), ("CC8.1", "missed", BOB)]
    assert document.next_step == f"Catch up first with SOC 2 CC9.1: Look, with {BOB}, whose window ended on 7 Oct 2026."


def test_a_missed_window_that_was_done_since_is_counted_apart_and_stays_a_miss():
    missed = {**window("2026-08-01", "2026-08-07", "missed"), "done_since_on": date(2026, 9, 5)}
    document = report(missed, DONE)
    names = ("missed_in_12_months", "done_since_in_12_months", "in_12_months", "on_time_pct")
    assert [document.summary[f"test_windows_{name}"] for name in names] == [1, 1, 2, 50.0]


def test_a_test_by_the_owner_or_of_whom_nobody_knows_is_not_shown_to_be_independent():
    own = {**DONE, "performer": ANN}
    nobody = {**DONE, "schedule_id": "S2", "performer": None}
    document = report(own, nobody)
    assert sorted(frame(document, "schedules").select("schedule_id", "independent").rows()) == [
        ("S1", False),
        ("S2", None),
    ]
    assert document.summary["tests_by_owner"] == 2
    assert document.warnings == ["2 recurring tests are not shown to be independent of who owns the control."]


def test_a_check_that_runs_by_itself_is_performed_by_nobody():
    document = report({**DONE, "performer": None, "check_id": "leavers"})
    assert (document.summary["tests_by_owner"], frame(document, "schedules")["independent"].to_list()) == (0, [True])


def test_a_test_of_who_left_is_not_shown_to_be_independent():
    gone = rows("people", {"email": "eve@acme.example", "active": False})
    given = {**facts({**DONE, "performer": "eve@acme.example"}), "people": gone}
    assert edition(REPORT, **given).summary["tests_by_owner"] == 1


def test_controls_that_need_a_test_and_have_none_are_listed():
    document = report(DONE, needing=("CC7.1", "CC7.2"))
    assert frame(document, "unscheduled")["control_id"].to_list() == ["CC7.2"]
    names = ("controls_needing_test", "controls_without_test_schedule")
    assert [document.summary[name] for name in names] == [2, 1]
    assert document.coverage == Coverage(2, 2)


def test_without_schedules_nothing_is_claimed():
    assert lead(report()) == (
        "No recurring test is scheduled, and no control in scope asks for one.",
        "Import testing_schedules.csv with hq import to fill this report.",
    )
    bare = report(needing=("CC7.1",))
    assert lead(bare) == (
        "No recurring test is scheduled, though 1 control in scope needs one.",
        "Import testing_schedules.csv with hq import to fill this report.",
    )
    assert (bare.summary["test_windows_on_time_pct"], bare.charts) == (None, [])


def test_a_schedule_without_a_due_window_has_no_rate():
    document = report(AHEAD)
    assert lead(document) == ("1 test recurs and none was due in 12 months; no window is open.", "")
    assert frame(document, "schedules")["on_time_pct"].to_list() == [None]


MISSED = {**window("2026-11-01", "2026-11-07", "missed"), "schedule_id": "S2", "control_id": "CC8.1"}
FAILED = {**DONE, "schedule_id": "S3", "control_id": "CC9.1", "outcome": "failed", "performer": ANN}


def test_each_figure_follows_from_the_rows_that_explain_it():
    values_follow(REPORT, **facts(DONE, LATE, OPEN, AHEAD, MISSED, FAILED, needing=("CC7.1", "CC7.2")))
    values_follow(REPORT)


def test_each_figure_counts_tests_or_windows():
    document = report(DONE, LATE, OPEN, AHEAD, MISSED, FAILED, needing=("CC7.1", "CC7.2"))
    assert dict(document.summary) == {
        "test_schedules": 3,
        "tests_failed_last": 1,
        "test_windows_open": 1,
        "test_windows_in_12_months": 4,
        "test_windows_done_in_12_months": 2,
        "test_windows_late_in_12_months": 1,
        "test_windows_missed_in_12_months": 1,
        "test_windows_done_since_in_12_months": 0,
        "test_windows_on_time_pct": 50.0,
        "tests_by_owner": 1,
        "tests_short_of_evidence": 1,
        "controls_needing_test": 2,
        "controls_without_test_schedule": 1,
        "checks_blind": 0,
        "checks_not_proved": 0,
        "checks_idle": 0,
    }
    assert lead(document) == (
        "2 of 4 test windows were on time in 12 months (50.0 %); 1 test missed its last window, 1 failed.",
        f"Catch up first with SOC 2 CC8.1: Look, with {BOB}, whose window ended on 7 Nov 2026.",
    )
    assert len(document.headline.split()) <= 30


def test_a_window_that_was_late_says_when_it_was_planned_and_done():
    found = explained_rows(REPORT, "test_windows_late_in_12_months", **facts(DONE, LATE))
    assert found.select("control_id", "reason").rows() == [
        ("CC7.1", "late: 2026-10-01 to 2026-10-07, performed 2026-10-10")
    ]
