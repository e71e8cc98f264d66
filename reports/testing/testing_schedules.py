"""Recurring tests: when each window was planned, when it was done, and what is open, late or missed."""

from typing import Any

import polars as pl

from engine.model.days import spelled_day
from engine.model.declarations.ask import Ask
from engine.model.declarations.report import Report
from engine.model.documents.document import Chart, Document, Opening, Table
from engine.model.figures.figure import Figures
from reports.figures import select
from reports.shared import packs, setup
from reports.shared.columns import with_first
from reports.shared.ordering import rank
from reports.shared.wording import count, part_of, percent, with_whom
from reports.testing import windows
from reports.testing.windows import PAST, STANDINGS

LABELS = {"standing": "Status"}
SCHEDULED = {"last": "Last window", "performer": "Tested by"}
TESTED = ("framework", "control_id", "procedure", "last", "outcome", "owner", "performer")
WINDOW = (
    *("framework", "control_id", "procedure", "standing", "window_close_on", "outcome", "performed_on"),
    *("days_late", "owner"),
)
SHOWN = ("framework", "control_id", "title", "owner", "state", "cadence")
DEFINITIONS = {
    "Window": "The days in which a recurring test has to be performed. Windows that the cadence asks for and nobody "
    "recorded count like recorded ones.",
    "Status": "Upcoming: not yet open. Open: may be performed now. Done: performed by the last day. Late: performed "
    "after it. Missed: the last day has passed and nothing was performed.",
    "Days late": "From the last day of the window to the day of the test; negative means early, within the window.",
    "Performer is not the owner": "Whether somebody else than the control's owner tests it. Empty where one of the two "
    "is not named.",
    "Evidence": "Pieces expected and received for the last window that was performed or has ended.",
}


def build(
    control_status: pl.DataFrame, idle_checks: pl.DataFrame, check_sights: pl.DataFrame, figures: Figures, ask: Ask
) -> Document:
    frame = figures.rows(windows.windows).filter(pl.col("window_close_on") >= windows.year_ago(ask.as_of))
    bare, schedules = figures.rows(windows.without_schedule), figures.rows(windows.schedules)
    return Document(
        *_opening(figures, ask),
        tables=(
            Table(
                "schedules",
                "Recurring tests, worst first",
                with_first(schedules, *TESTED),
                labels=SCHEDULED,
                state=("last", "outcome", "next"),
                hidden=tuple(name for name in schedules.columns if name not in TESTED),
            ),
            Table(
                "windows",
                "Every window of the past 12 months, and the open and coming ones",
                with_first(frame.sort(rank("standing", STANDINGS), "window_close_on", "schedule_id"), *WINDOW),
                note="Planned against actual, which is what an auditor tests.",
                labels=LABELS,
                state=("standing", "outcome"),
                hidden=tuple(name for name in frame.columns if name not in WINDOW),
            ),
            Table(
                "unscheduled", "Controls that need a test and have no schedule", bare.select(SHOWN), state=("state",)
            ),
            Table(
                "idle_checks",
                "Checks that came to no answer the last time",
                idle_checks.select("check_id", "procedure", "result", "reason", "noted_at", "controls"),
                labels={"result": "What happened"},
                words=("result",),
                note="Their controls keep the last answer until its window ends.",
            ),
            Table(
                "check_sights",
                "What checks notice when their rows are broken",
                check_sights.select(
                    *("check_id", "procedure", "sight", "tried", "noticed", "noticed_pct", "failures", "unseen"),
                    "proved_at",
                ).sort(rank("sight", ("blind", "not_proved", "seen")), "check_id"),
                words=("sight",),
                hidden=("check_id", "tried", "failures", "unseen", "proved_at"),
                note="Copies of its rows are broken one at a time: a check that notices none of it proves nothing.",
            ),
        ),
        coverage=packs.controls_coverage(control_status),
        charts=_charts(figures.rows(windows.past_year)),
        definitions=DEFINITIONS,
        warnings=_warnings(figures),
    )


def _opening(figures: Figures, ask: Ask) -> Opening:
    schedules, bare = figures.rows(windows.schedules), figures["controls_without_test_schedule"]
    if schedules.is_empty():
        if not bare:
            return Opening(
                "No recurring test is scheduled, and no control in scope asks for one.", setup.fill("testing_schedules")
            )
        needing = count(bare, "control in scope needs", "controls in scope need")
        return Opening(f"No recurring test is scheduled, though {needing} one.", setup.fill("testing_schedules"))
    ended, failed = figures["test_windows_in_12_months"], figures["tests_failed_last"]
    if ended:
        done, share = figures["test_windows_done_in_12_months"], figures["test_windows_on_time_pct"]
        start = f"{part_of(done, ended, 'test window', ('was', 'were'))} on time in 12 months ({percent(share)})"
    else:
        start = f"{count(schedules.height, 'test recurs', 'tests recur')} and none was due in 12 months"
    missed = schedules.filter(pl.col("last") == "missed")
    if missed.height:
        late = count(missed.height, "test missed its last window", "tests missed their last window")
        late = f"{late}, {failed:,} failed" if failed else late
        first = missed.row(0, named=True)
        until = f", whose window ended on {spelled_day(first['planned_on'])}" if first["planned_on"] else ""
        return Opening(f"{start}; {late}.", f"Catch up first with {_control(first, ask)} {_whom(first)}{until}.")
    now = figures.counted_rows("test_windows_open")
    last = f"; {count(failed, 'test')} failed at their last run" if failed != 1 else "; 1 test failed at its last run"
    last = last if failed else ""
    if now.is_empty():
        return Opening(f"{start}{last or '; no window is open'}.")
    broken = schedules.filter(pl.col("outcome") == "failed")
    if broken.height:
        first = broken.row(0, named=True)
        when = f" on {spelled_day(first['performed_on'])}" if first["performed_on"] else ""
        test = f"“{first['procedure']}” of {ask.framework_name(first['framework'])} {first['control_id']}"
        mend = f"Mend what {test} found{when} ({with_whom(first['owner'] or first['performer'])})"
        return Opening(f"{start}{last}.", f"{mend}, then test again.")
    first = now.sort("window_close_on", "schedule_id").row(0, named=True)
    are = count(now.height, "window is", "windows are")
    closes = spelled_day(first["window_close_on"])
    return Opening(
        f"{start}{last or f'; {are} open'}.",
        f"Test first {_control(first, ask)} {_whom(first)}; its window closes on {closes}.",
    )


def _control(row: dict[str, Any], ask: Ask) -> str:
    return f"{ask.framework_name(row['framework'])} {row['control_id']}: {row['procedure']},"


def _whom(row: dict[str, Any]) -> str:
    """Who tests: the performer, else the owner."""
    return with_whom(row["performer"] or row["owner"])


def _warnings(figures: Figures) -> list[str]:
    if not (owners := figures["tests_by_owner"]):
        return []
    by = "recurring test is", "recurring tests are"
    return [f"{count(owners, *by)} not shown to be independent of who owns the control."]


def _charts(year: pl.DataFrame) -> list[Chart]:
    if year.is_empty():
        return []
    frame = (
        year.with_columns(month=pl.coalesce("performed_on", "window_close_on").dt.strftime("%Y-%m"))
        .group_by("month", "standing")
        .agg(windows=pl.len())
        .sort("month", rank("standing", PAST))
    )
    alt = "Test windows by the month in which they were tested, or closed without: done on time, late, missed."
    return [Chart("stacked", "Test windows by month", frame, "month", "windows", alt, series="standing")]


REPORT = Report(
    name="testing-schedules",
    title="Testing schedules",
    description="Recurring tests with planned and actual dates, next windows, misses and on-time rate.",
    build=build,
    figures=select(
        *("test_schedules", "tests_failed_last", "test_windows_open", "test_windows_in_12_months"),
        *(*(f"test_windows_{name}_in_12_months" for name in (*PAST, "done_since")), "test_windows_on_time_pct"),
        "tests_by_owner",
        *("tests_short_of_evidence", "controls_needing_test", "controls_without_test_schedule"),
        *("checks_blind", "checks_not_proved", "checks_idle"),
    ),
    schema_version=2,
    evidence_dates=False,
)
