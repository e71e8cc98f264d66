"""Recurring tests: when each window was planned, when it was done, and what is open, late or missed."""

from datetime import date

import polars as pl

from engine.model.document import (
    Chart,
    Coverage,
    Document,
    Table,
)
from engine.model.report import Ask, Report
from reports.shared.columns import share_pct
from reports.shared.ordering import rank
from reports.shared.packs import pack
from reports.shared.wording import count, part_of, percent

KEY = ["framework", "control_id"]
WINDOW = ["schedule_id", "window_open_on"]
STANDINGS = ("missed", "open", "late", "done", "upcoming")
PAST = ("done", "late", "missed")
LABELS = {
    "schedule_id": "Schedule",
    "control_id": "Control",
    "planned_on": "Last window closed",
    "performed_on": "Performed",
    "days_late": "Days late",
    "standing": "Status",
    "next_open_on": "Next window opens",
    "next_close_on": "closes",
    "window_open_on": "Opens",
    "window_close_on": "Closes",
    "independent": "Performer is not the owner",
    "windows_12m": "Windows in 12 months",
    "missed_12m": "Missed",
    "late_12m": "Late",
    "on_time_pct": "On time (%)",
    "evidence_expected": "Evidence expected",
    "evidence_received": "received",
}
DEFINITIONS = {
    "Window": "The days in which a recurring test has to be performed. Windows that the cadence asks for and nobody "
    "recorded count like recorded ones.",
    "Status": "Upcoming: not yet open. Open: may be performed now. Done: performed by the last day. Late: performed "
    "after it. Missed: the last day has passed and nothing was performed.",
    "Days late": "From the last day of the window to the day of the test; negative means early, within the window.",
    "On time": "Windows performed by their last day, of those of the past 12 months that were performed or have ended. "
    "Empty without any.",
    "Performer is not the owner": "Whether somebody else than the control's owner tests it. Empty where one of the two "
    "is not named.",
    "Evidence": "Pieces expected and received for the last window that was performed or has ended.",
    "Coverage": "Applicable controls that need a test (by their kinds of evidence) and have a schedule.",
}


def build(test_windows: pl.DataFrame, control_status: pl.DataFrame, ask: Ask) -> Document:
    windows = _windows(test_windows)
    schedules = _schedules(windows, ask)
    needing = control_status.filter("applicable", pl.col("kinds_required").list.contains("test"))
    unscheduled = needing.join(windows.select(KEY).unique(), on=KEY, how="anti")
    year = _year(windows, ask)
    now = windows.filter(pl.col("standing") == "open")
    return Document(
        headline=_headline(schedules, year, now, unscheduled),
        summary={
            "schedules": schedules.height,
            "failed_last": schedules.filter(pl.col("outcome") == "failed").height,
            "open_now": now.height,
            "windows_12m": year.height,
            **{f"{name}_12m": year.filter(pl.col("standing") == name).height for name in PAST},
            "on_time_pct": Coverage(_on_time(year), year.height).pct,
            "tested_by_owner": int((~schedules["independent"]).sum()),
            "evidence_short": schedules.filter(pl.col("evidence_received") < pl.col("evidence_expected")).height,
            "controls_without_schedule": unscheduled.height,
        },
        tables=(
            Table(
                "schedules", "Recurring tests, worst first", schedules, labels=LABELS,
                state=("last", "outcome", "next"), hidden=("schedule_id", "window_open_on"),
            ),
            Table(
                "windows", "Every window of the past 12 months, and the open and coming ones",
                windows.filter(pl.col("window_close_on") >= _year_ago(ask.as_of)).sort(
                    rank("standing", STANDINGS), "window_close_on", "schedule_id"
                ),
                labels=LABELS, state=("standing", "outcome"), hidden=("run_id",),
                note="Planned against actual, which is what an auditor tests.",
            ),
            Table(
                "unscheduled", "Controls that need a test and have no schedule",
                unscheduled.sort("framework", "position").select(*KEY, "title", "owner", "state", "cadence"),
                labels=LABELS, state=("state",),
            ),
        ),
        coverage=Coverage(needing.height - unscheduled.height, needing.height),
        charts=_charts(year),
        definitions=DEFINITIONS,
        warnings=_warnings(schedules),
    )  # fmt: skip


def _windows(test_windows: pl.DataFrame) -> pl.DataFrame:
    """Each window once: what was run twice in it counts by the first run."""
    return (
        test_windows.sort("performed_on", "run_id", nulls_last=True)
        .unique(WINDOW, keep="first", maintain_order=True)
        .select(
            *("schedule_id", "run_id", *KEY, "procedure", "cadence", "owner", "performer", "window_open_on"),
            *("window_close_on", "performed_on", "standing", "outcome", "evidence_expected", "evidence_received"),
            days_late=(pl.col("performed_on") - pl.col("window_close_on")).dt.total_days(),
        )
        .sort("window_open_on", "schedule_id")
    )


def _year_ago(as_of: date) -> pl.Expr:
    return pl.lit(as_of).dt.offset_by("-12mo")


def _year(windows: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    return windows.filter(pl.col("standing").is_in(PAST), pl.col("window_close_on") > _year_ago(ask.as_of))


def _on_time(windows: pl.DataFrame) -> int:
    return windows.filter(pl.col("standing") == "done").height


def _schedules(windows: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """One row for each schedule: its last window, its next one, and how the past 12 months went."""
    by = ["schedule_id"]
    last = (
        windows.filter(pl.col("standing").is_in(PAST))
        .group_by(by, maintain_order=True)
        .last()
        .select(
            *("schedule_id", "window_open_on", "performed_on", "days_late", "outcome"),
            *("evidence_expected", "evidence_received"),
            last="standing",
            planned_on="window_close_on",
        )
    )
    ahead = (
        windows.filter(pl.col("standing").is_in(["open", "upcoming"]))
        .group_by(by, maintain_order=True)
        .first()
        .select("schedule_id", next="standing", next_open_on="window_open_on", next_close_on="window_close_on")
    )
    state = pl.col("standing")
    counts = _year(windows, ask).group_by(by).agg(
        windows_12m=pl.len().cast(pl.Int64),
        missed_12m=(state == "missed").sum().cast(pl.Int64),
        late_12m=(state == "late").sum().cast(pl.Int64),
        on_time_pct=share_pct((state == "done").sum(), pl.len()),
    )  # fmt: skip
    newest = windows.group_by(by, maintain_order=True).last()
    return (
        newest.select(
            *("schedule_id", *KEY, "procedure", "cadence", "owner", "performer"),
            independent=pl.col("owner") != pl.col("performer"),
        )
        .join(last, on=by, how="left")
        .join(ahead, on=by, how="left")
        .join(counts, on=by, how="left")
        .with_columns(pl.col("windows_12m", "missed_12m", "late_12m").fill_null(0))
        .select(
            *("schedule_id", *KEY, "procedure", "cadence", "owner", "performer", "independent", "last"),
            *("window_open_on", "planned_on", "performed_on", "days_late", "outcome"),
            *("evidence_expected", "evidence_received", "next", "next_open_on", "next_close_on", "windows_12m"),
            *("missed_12m", "late_12m", "on_time_pct"),
        )
        .sort(
            pl.col("last") != "missed", pl.col("outcome") != "failed", pl.col("last") != "late", "next_close_on",
            "schedule_id", nulls_last=True,
        )
    )  # fmt: skip


def _headline(schedules: pl.DataFrame, year: pl.DataFrame, now: pl.DataFrame, unscheduled: pl.DataFrame) -> str:
    if schedules.is_empty():
        if unscheduled.is_empty():
            return "No recurring test is scheduled, and no control in scope asks for one."
        needing = count(unscheduled.height, "control in scope needs", "controls in scope need")
        return f"No recurring test is scheduled, though {needing} one."
    if year.is_empty():
        start = f"{count(schedules.height, 'test recurs', 'tests recur')} and none was due in 12 months"
    else:
        share = part_of(_on_time(year), year.height, "test window", ("was", "were"))
        start = f"In 12 months {share} met on time ({percent(100 * _on_time(year) / year.height)})"
    failed = schedules.filter(pl.col("outcome") == "failed").height
    if failed:
        start += f"; {count(failed, 'test')} failed last"
    missed = schedules.filter(pl.col("last") == "missed")
    if missed.height:
        first = missed.sort("planned_on", "schedule_id").row(0, named=True)
        return (
            f"{start}; {count(missed.height, 'test')} missed the last window: catch up with {pack(first['framework'])} "
            f"{first['control_id']} first, due since {first['planned_on']}."
        )
    if now.height:
        first = now.sort("window_close_on", "schedule_id").row(0, named=True)
        return (
            f"{start}; {count(now.height, 'window')} {'is' if now.height == 1 else 'are'} open: "
            f"{pack(first['framework'])} {first['control_id']} closes first, on {first['window_close_on']}."
        )
    return f"{start}; no window is open."


def _warnings(schedules: pl.DataFrame) -> list[str]:
    owners = int((~schedules["independent"]).sum())
    if not owners:
        return []
    return [f"{count(owners, 'control is', 'controls are')} tested by the owner: the test is not independent."]


def _charts(year: pl.DataFrame) -> list[Chart]:
    if year.is_empty():
        return []
    frame = (
        year.with_columns(month=pl.col("window_close_on").dt.strftime("%Y-%m"))
        .group_by("month", "standing")
        .agg(windows=pl.len())
        .sort("month", rank("standing", ("done", "late", "missed")))
    )
    alt = "Test windows by the month in which they closed: done on time, late, missed."
    return [Chart("stacked", "Test windows by month", frame, "month", "windows", alt, series="standing")]


REPORT = Report(
    name="testing-schedules",
    title="Testing schedules",
    description="Recurring tests with planned and actual dates, next windows, misses and on-time rate.",
    build=build,
)
