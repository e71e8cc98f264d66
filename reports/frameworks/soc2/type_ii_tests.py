"""Tests of operating effectiveness (F13): population, tested, deviations, gaps in operation, and days to sample."""

from datetime import date, timedelta
from hashlib import sha256

import polars as pl

from reports.shared.columns import share_pct

FRAMEWORK = "soc2"
CLEAN, EXCEPTIONS, NOT_TESTED = "no exceptions noted", "exceptions noted", "not tested"
MACHINE = "all machine records"
SAMPLED = "sample"
SAMPLE_SIZE = {"annual": 1, "semi-annual": 1, "quarterly": 2, "monthly": 2, "weekly": 5, "daily": 15, "continuous": 25}
OFTEN = ("continuous", "daily", "weekly", "monthly")


def lines(windows: pl.DataFrame, events: pl.DataFrame, start: date, end: date) -> pl.DataFrame:
    """One row for each recurring test performed or due in the period, and one for the machine records of a criterion.

    ``deviations`` of a failed test without a count are at least one. Nobody responds to a machine record, so what it
    shows against a criterion is unanswered until the remediation of the criterion is planned.
    """
    return (
        pl.concat([_sample(windows, start, end), _machine(events)])
        .with_columns(
            deviation_rate_pct=share_pct(pl.col("deviations"), pl.col("tested")),
            result=pl.when(pl.col("performed") == 0)
            .then(pl.lit(NOT_TESTED))
            .when(pl.col("deviations") > 0)
            .then(pl.lit(EXCEPTIONS))
            .otherwise(pl.lit(CLEAN)),
        )
        .sort("control_id", "method", "test_id")
    )


def _sample(windows: pl.DataFrame, start: date, end: date) -> pl.DataFrame:
    ran = pl.col("performed_on").is_between(start, end).fill_null(False)
    missed = pl.col("performed_on").is_null() & pl.col("window_close_on").is_between(start, end)
    bad = ran & (_items_against() > 0)
    return (
        windows.filter(pl.col("framework") == FRAMEWORK, ran | missed)
        .sort("window_open_on", "run_id", nulls_last=True)
        .group_by("control_id", test_id="schedule_id", maintain_order=True)
        .agg(
            method=pl.lit(SAMPLED),
            procedure=pl.col("procedure").first(),
            performed=ran.sum().cast(pl.Int64),
            missed=missed.sum().cast(pl.Int64),
            population=pl.col("population").filter(ran).sum(),
            tested=pl.col("tested").filter(ran).sum(),
            deviations=_items_against().filter(ran).sum(),
            cause=pl.col("cause").filter(bad).drop_nulls().unique(maintain_order=True),
            response=pl.col("response").filter(bad).drop_nulls().unique(maintain_order=True),
            unanswered=(bad & pl.col("response").is_null()).sum().cast(pl.Int64),
        )
    )


def _items_against() -> pl.Expr:
    """The deviations of a test that somebody performed: of a failed one without a count, one."""
    failed = (pl.col("outcome") == "failed").fill_null(False).cast(pl.Int64)
    return pl.max_horizontal(pl.col("deviations").fill_null(0), failed)


def _machine(events: pl.DataFrame) -> pl.DataFrame:
    against = pl.col("effect") == "contradicts"
    none = pl.lit([], dtype=pl.List(pl.String))
    return (
        events.filter(pl.col("framework") == FRAMEWORK)
        .sort("control_id", "action", "effect")
        .group_by("control_id", maintain_order=True)
        .agg(
            test_id=pl.lit("machine"),
            method=pl.lit(MACHINE),
            procedure=pl.lit("All recorded events that show the criterion at work or against it"),
            performed=pl.lit(1, dtype=pl.Int64),
            missed=pl.lit(0, dtype=pl.Int64),
            population=pl.col("events").sum(),
            tested=pl.col("events").sum(),
            deviations=pl.col("events").filter(against).sum(),
            cause=pl.col("title").filter(against),
        )
        .with_columns(response=none, unanswered=(pl.col("deviations") > 0).cast(pl.Int64))
        .select(
            *("control_id", "test_id", "method", "procedure", "performed", "missed", "population", "tested"),
            *("deviations", "cause", "response", "unanswered"),
        )
    )


def operation(days: pl.DataFrame, rows: pl.DataFrame, begin: date, end: date, since: date | None) -> pl.DataFrame:
    """The longest time without evidence that ends in the period, for criteria that must show operation.

    It is measured from evidence to evidence, from the last before ``begin`` on, and to the period's last day; without
    any evidence before, from the day before. Longer than the window of the cadence (F1) is a gap. ``begin`` is where
    the period begins, or the records where they begin later: what was before them is unknown. Where there was never
    any evidence there is no time to measure, and that is a gap once records go back (``since``) beyond a window.
    """
    operating = rows.filter(
        "applicable", pl.col("kinds_required").list.set_intersection(["operation", "test"]).list.len() > 0
    ).select("control_id", "window_days")
    past = days.filter(pl.col("framework") == FRAMEWORK, pl.col("happened_on") <= end)
    own = past.select("control_id", "happened_on")
    before = own.filter(pl.col("happened_on") < begin).group_by("control_id").agg(pl.col("happened_on").max())
    eve = (
        operating.select("control_id")
        .join(before, on="control_id", how="left")
        .with_columns(pl.col("happened_on").fill_null(begin - timedelta(days=1)))
    )
    inside = own.filter(pl.col("happened_on") >= begin).join(operating.select("control_id"), on="control_id")
    last = operating.select("control_id", happened_on=pl.lit(end))
    spans = (
        pl.concat([eve, inside, last])
        .sort("control_id", "happened_on")
        .with_columns(since=pl.col("happened_on").shift(1).over("control_id"))
        .with_columns(gap_days=(pl.col("happened_on") - pl.col("since")).dt.total_days())
        .sort("control_id", -pl.col("gap_days").fill_null(-1), "happened_on")
        .group_by("control_id", maintain_order=True)
        .first()
    )
    frame = inside.group_by("control_id").agg(days_with_evidence=pl.col("happened_on").n_unique().cast(pl.Int64))
    recorded = 0 if since is None else (end - since).days + 1
    ever = pl.col("control_id").is_in(own["control_id"].implode())
    return (
        operating.join(spans, on="control_id", how="left")
        .join(frame, on="control_id", how="left")
        .select(
            "control_id",
            pl.col("days_with_evidence").fill_null(0),
            longest_gap_days=pl.when(ever).then("gap_days"),
            gap_from=pl.when(ever).then("since"),
            gap_to=pl.when(ever).then("happened_on"),
            gap_in_operation=pl.when(ever).then(pl.col("gap_days")).otherwise(recorded) > pl.col("window_days"),
        )
        .sort("control_id")
    )


def sample(days: pl.DataFrame, rows: pl.DataFrame, start: date, end: date, seed: int) -> pl.DataFrame:
    """Days to re-perform, drawn by a hash of the seed: the same seed draws the same days, on any machine."""
    sizes = {
        control: SAMPLE_SIZE.get(cadence, 1)
        for control, cadence in rows.filter("applicable").select("control_id", "cadence").iter_rows()
    }
    inside = days.filter(pl.col("framework") == FRAMEWORK, pl.col("happened_on").is_between(start, end))
    drawn = []
    for control, on in inside.group_by("control_id").agg(pl.col("happened_on").unique()).iter_rows():
        size = sizes.get(control, 0)
        ranked = sorted(on, key=lambda day: _draw(seed, control, day)) if size else []
        drawn += [{"control_id": control, "sampled_on": day} for day in ranked[:size]]
    return pl.DataFrame(drawn, schema={"control_id": pl.String, "sampled_on": pl.Date}, orient="row").sort(
        "control_id", "sampled_on"
    )


def _draw(seed: int, control: str, day: date) -> bytes:
    return sha256(f"{seed}|{control}|{day.isoformat()}".encode()).digest()


def months(days: pl.DataFrame, rows: pl.DataFrame, windows: pl.DataFrame, end: date) -> pl.DataFrame:
    """The twelve months up to ``end``: criteria due at least monthly that operated, and what tests found."""
    starts = [_month_before(end, back) for back in range(11, -1, -1)]
    expected = rows.filter("applicable", pl.col("cadence").is_in(OFTEN)).select("control_id")
    operated = (
        days.filter(pl.col("framework") == FRAMEWORK)
        .join(expected, on="control_id")
        .group_by(month=pl.col("happened_on").dt.truncate("1mo"))
        .agg(operated=pl.col("control_id").n_unique().cast(pl.Int64))
    )
    ran = windows.filter(pl.col("framework") == FRAMEWORK, pl.col("performed_on") <= end)
    tests = ran.group_by(month=pl.col("performed_on").dt.truncate("1mo")).agg(
        tests=pl.len().cast(pl.Int64),
        failed=(pl.col("outcome") == "failed").sum().cast(pl.Int64),
        deviations=_items_against().sum(),
    )
    return (
        pl.DataFrame({"month": starts}, schema={"month": pl.Date})
        .join(operated, on="month", how="left")
        .join(tests, on="month", how="left")
        .with_columns(pl.col("operated", "tests", "failed", "deviations").fill_null(0))
        .with_columns(expected=pl.lit(expected.height, dtype=pl.Int64))
        .with_columns(
            pl.col("month").dt.strftime("%Y-%m"), operated_pct=share_pct(pl.col("operated"), pl.col("expected"))
        )
        .sort("month")
        .select("month", "expected", "operated", "operated_pct", "tests", "failed", "deviations")
    )


def _month_before(day: date, back: int) -> date:
    """The first day of the month ``back`` months before that of ``day``."""
    months = day.year * 12 + day.month - 1 - back
    return date(months // 12, months % 12 + 1, 1)
