"""Windows of recurring tests: planned against actual, window by window, schedule by schedule, and who has none."""

from datetime import date

import polars as pl

from engine.model.declarations.ask import Ask
from reports.shared.columns import share_pct

STANDINGS = ("missed", "open", "late", "done", "upcoming")
PAST = ("done", "late", "missed")
_KEY = ["framework", "control_id"]
_WINDOW = ["schedule_id", "window_open_on"]


def windows(test_windows: pl.DataFrame) -> pl.DataFrame:
    """Each window once: what people ran twice in it counts by the first run that was not before it opened."""
    newest = pl.col("outcome").last().over(_WINDOW)
    return (
        test_windows.sort(
            pl.col("performed_on") < pl.col("window_open_on"), "performed_on", "sequence", "run_id", nulls_last=True
        )
        # a check is run again and again in its window: it stands as it came out last
        .with_columns(outcome=pl.when(pl.col("check_id").is_not_null()).then(newest).otherwise("outcome"))
        .unique(_WINDOW, keep="first", maintain_order=True)
        .select(
            *("schedule_id", "run_id", *_KEY, "procedure", "cadence", "owner", "performer", "window_open_on"),
            *(
                "window_close_on",
                "performed_on",
                "done_since_on",
                "standing",
                "outcome",
                "evidence_expected",
                "evidence_received",
            ),
            days_late=(pl.col("performed_on") - pl.col("window_close_on")).dt.total_days().clip(0),
        )
        .sort("window_open_on", "schedule_id")
    )


def year_ago(as_of: date) -> pl.Expr:
    """The same day 12 months before."""
    return pl.lit(as_of).dt.offset_by("-12mo")


def past_year(test_windows: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """Windows of the past 12 months that were performed or have ended."""
    return windows(test_windows).filter(pl.col("standing").is_in(PAST), pl.col("window_close_on") > year_ago(ask.as_of))


def schedules(test_windows: pl.DataFrame, people: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """One row for each schedule: its last window, its next one, and how the past 12 months went.

    Whether a test is independent is unknown where it is not on record who owns and who performs it, or either left; a
    check that runs by itself is performed by nobody.
    """
    gone = people.filter(~pl.col("active"))["email"].implode()
    checks = test_windows.filter(pl.col("check_id").is_not_null())["schedule_id"].implode()
    by, every = ["schedule_id"], windows(test_windows)
    last = (
        every.filter(pl.col("standing").is_in(PAST))
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
        every.filter(pl.col("standing").is_in(["open", "upcoming"]))
        .group_by(by, maintain_order=True)
        .first()
        .select("schedule_id", next="standing", next_open_on="window_open_on", next_close_on="window_close_on")
    )
    state = pl.col("standing")
    counts = (
        past_year(test_windows, ask)
        .group_by(by)
        .agg(
            windows_12m=pl.len().cast(pl.Int64),
            missed_12m=(state == "missed").sum().cast(pl.Int64),
            late_12m=(state == "late").sum().cast(pl.Int64),
            on_time_pct=share_pct((state == "done").sum(), pl.len()),
        )
    )
    newest = every.group_by(by, maintain_order=True).last()
    return (
        newest.select(
            *("schedule_id", *_KEY, "procedure", "cadence", "owner", "performer"),
            independent=pl.when(pl.col("schedule_id").is_in(checks))
            .then(pl.lit(True))
            .when(~pl.col("owner").is_in(gone), ~pl.col("performer").is_in(gone))
            .then(pl.col("owner") != pl.col("performer")),
        )
        .join(last, on=by, how="left")
        .join(ahead, on=by, how="left")
        .join(counts, on=by, how="left")
        .with_columns(pl.col("windows_12m", "missed_12m", "late_12m").fill_null(0))
        .select(
            *("schedule_id", *_KEY, "procedure", "cadence", "owner", "performer", "independent", "last"),
            *("window_open_on", "planned_on", "performed_on", "days_late", "outcome"),
            *("evidence_expected", "evidence_received", "next", "next_open_on", "next_close_on", "windows_12m"),
            *("missed_12m", "late_12m", "on_time_pct"),
        )
        .sort(
            pl.col("last") != "missed",
            pl.when(pl.col("last") == "missed").then("planned_on"),
            pl.col("outcome") != "failed",
            pl.col("last") != "late",
            "next_close_on",
            "schedule_id",
            nulls_last=True,
        )
    )


def without_schedule(control_status: pl.DataFrame, control_tests: pl.DataFrame) -> pl.DataFrame:
    """Applicable controls that need a test and for which none is scheduled."""
    return (
        needing_test(control_status)
        .join(control_tests.select(_KEY).unique(), on=_KEY, how="anti")
        .sort("framework", "position", "control_id")
    )


def needing_test(control_status: pl.DataFrame) -> pl.DataFrame:
    """Applicable controls whose mandatory evidence includes a test."""
    return control_status.filter("applicable", pl.col("kinds_required").list.contains("test"))
