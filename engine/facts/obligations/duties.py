"""Requests, recurring tests and committee meetings: duties with a clock of their own."""

import polars as pl

from engine.facts.expressions import CADENCE_DAYS, CADENCE_MONTHS, days_between, plus_days, shape

HORIZON_DAYS = 371  # a year ahead, so that every annual duty is seen once
BACK_DAYS = 371
DEFAULT_WINDOW_DAYS = 7

_HELD = pl.col("held_sha256").is_not_null() & pl.col("removed").is_null() & (pl.col("held_state") == "whole")


def requests(
    evidence_requests_rows: pl.DataFrame, request_evidence_rows: pl.DataFrame, asked: pl.DataFrame
) -> pl.DataFrame:
    """Evidence requests with their clock (F5): due from the priority, stopped only while waiting on the requester.

    One that was closed on nobody knows which day is closed as of today, and never in time. Blank returns are unknown.
    """
    days = pl.coalesce(
        pl.when(pl.col("priority") == f"P{n}").then(pl.col(f"request_sla_p{n}_days")) for n in (1, 2, 3, 4)
    ).cast(pl.Int64)
    provided = (
        request_evidence_rows.sort("org_id", "id")
        .group_by("org_id", "request_id", maintain_order=True)
        .agg(evidence_ids="id", evidence_held=_HELD.sum().cast(pl.Int64))
        .rename({"request_id": "id"})
    )
    settings = ["as_of", "at_risk_fraction", *(f"request_sla_p{n}_days" for n in (1, 2, 3, 4))]
    closed = pl.col("closed_on").is_not_null() & (pl.col("closed_on") <= pl.col("as_of"))
    frame = (
        evidence_requests_rows.join(asked.select("org_id", *settings), on="org_id")
        .join(provided, on=["org_id", "id"], how="left")
        .with_columns(
            due_on=pl.coalesce("due_on", pl.col("opened_on").dt.add_business_days(days, roll="forward")),
            evidence_ids=pl.col("evidence_ids").fill_null([]),
            evidence_held=pl.col("evidence_held").fill_null(0),
            paused_minutes=pl.col("paused_minutes").fill_null(0),
            closed_on=pl.when(closed).then("closed_on"),
            accepted_on=pl.when(pl.col("accepted_on") <= pl.col("as_of")).then("accepted_on"),
            done=closed | ((pl.col("status") == "closed") & pl.col("closed_on").is_null()),
        )
        .with_columns(
            finished_on=pl.when("done").then(pl.coalesce("closed_on", "as_of")),
            age_days=days_between(pl.coalesce("closed_on", "as_of"), "opened_on"),
            days_left=days_between("due_on", "as_of"),
            work_left=pl.business_day_count("as_of", "due_on"),
            risk_days=pl.max_horizontal(
                (pl.business_day_count("opened_on", "due_on") * pl.col("at_risk_fraction")).round(6).ceil(), pl.lit(1)
            ),
        )
        .with_columns(
            clock=pl.when("done")
            .then(
                pl.when(pl.col("closed_on") <= pl.col("due_on"))
                .then(pl.lit("closed_on_time"))
                .otherwise(pl.lit("closed_late"))
            )
            .when(pl.col("status") == "waiting_on_requester")
            .then(pl.lit("paused"))
            .when(pl.col("days_left") < 0)
            .then(pl.lit("overdue"))
            .when(pl.col("work_left") <= pl.col("risk_days"))
            .then(pl.lit("at_risk"))
            .otherwise(pl.lit("on_track"))
        )
    )
    return shape("requests", frame).sort("org_id", "due_on", "id")


def occurrences(series: pl.DataFrame, asked: pl.DataFrame, days: pl.Expr | None = None) -> pl.DataFrame:
    """Dates of recurring things from about a year back to a year ahead.

    ``series`` has org_id, id, cadence, starts_on and ends_on; a row of the result adds ``number`` (from 0) and ``on``.
    What lasts several ``days`` is there while its last one is not further back.
    Months are calendar months from the first date; continuous and daily series have no single dates.
    """
    bounds = asked.select(
        "org_id", first=plus_days("as_of", pl.lit(-BACK_DAYS)), last=plus_days("as_of", pl.lit(HORIZON_DAYS))
    )
    step = pl.col("cadence").replace_strict(CADENCE_DAYS, default=None, return_dtype=pl.Int64)
    frame = (
        series.join(bounds, on="org_id")
        .with_columns(step=step)
        .filter(pl.col("step").is_not_null(), pl.col("starts_on") <= pl.col("last"))
        .with_columns(count=days_between("last", "starts_on") // pl.col("step") + 2)
        .with_columns(number=pl.int_ranges(0, "count"))
        .explode("number", empty_as_null=False)
    )
    months = pl.col("cadence").replace_strict(CADENCE_MONTHS, default=0, return_dtype=pl.Int64)
    on = (
        pl.when(months > 0)
        .then(pl.col("starts_on").dt.offset_by(pl.format("{}mo", months * pl.col("number"))))
        .otherwise(plus_days("starts_on", pl.col("step") * pl.col("number")))
    )
    return (
        frame.with_columns(on=on)
        .filter(
            (pl.col("on") if days is None else plus_days("on", days - 1)) >= pl.col("first"),
            pl.col("on") <= pl.col("last"),
            pl.col("ends_on").is_null() | (pl.col("on") <= pl.col("ends_on")),
        )
        .drop("first", "last", "step", "count")
    )


def test_windows(
    testing_schedules_rows: pl.DataFrame, test_runs_rows: pl.DataFrame, asked: pl.DataFrame
) -> pl.DataFrame:
    """Windows of recurring tests: those recorded, and those that the cadence asks for and nobody recorded.

    A recorded window stands for the planned one that it opened within half a cadence of. A missed one stays missed;
    ``done_since_on`` is the first day after it on which the test was performed, whatever came of it.
    """
    schedules = testing_schedules_rows.rename({"id": "schedule_id"})
    recorded = (
        # what was not tested performs no window
        test_runs_rows.filter(pl.col("outcome").ne_missing("not_tested"))
        .rename({"id": "run_id", "performer": "done_by"})
        .join(
            schedules.select(
                *("org_id", "schedule_id", "framework", "control_id", "procedure", "cadence", "owner", "performer"),
                *("check_id", "superseded_on"),
            ),
            on=["org_id", "schedule_id"],
        )
        .with_columns(performer=pl.coalesce("done_by", "performer"))
    )
    opened = recorded.select("org_id", "schedule_id", recorded_on="window_open_on").sort("recorded_on")
    step = pl.col("cadence").replace_strict(CADENCE_DAYS, default=None, return_dtype=pl.Int64)
    days = pl.col("window_days").fill_null(DEFAULT_WINDOW_DAYS)
    planned = (
        occurrences(schedules.rename({"schedule_id": "id"}), asked, days)
        .rename({"id": "schedule_id", "on": "window_open_on"})
        .sort("window_open_on")
        .join_asof(
            opened,
            left_on="window_open_on",
            right_on="recorded_on",
            by=["org_id", "schedule_id"],
            strategy="nearest",
            check_sortedness=False,
        )
        .filter(pl.col("recorded_on").is_null() | (2 * days_between("window_open_on", "recorded_on").abs() >= step))
        .with_columns(window_close_on=plus_days("window_open_on", days - 1), run_id=pl.lit(None, dtype=pl.String))
    )
    frame = (
        pl.concat([recorded, planned], how="diagonal_relaxed")
        .join(asked.select("org_id", "as_of"), on="org_id")
        .with_columns(done=pl.col("performed_on").is_not_null() & (pl.col("performed_on") <= pl.col("as_of")))
        .with_columns(
            performed_on=pl.when("done").then("performed_on"),
            outcome=pl.when("done").then("outcome"),
            standing=pl.when(pl.col("done"), pl.col("performed_on").is_between("window_open_on", "window_close_on"))
            .then(pl.lit("done"))
            .when(pl.col("done"), pl.col("performed_on") > pl.col("window_close_on"))
            .then(pl.lit("late"))
            .when(pl.col("window_close_on") < pl.col("as_of"))
            .then(pl.lit("missed"))
            .when(pl.col("window_open_on") <= pl.col("as_of"))
            .then(pl.lit("open"))
            .otherwise(pl.lit("upcoming")),
        )
    )
    runs = frame.filter("done").select("org_id", "schedule_id", run_on="performed_on").sort("run_on")
    frame = frame.sort("window_close_on").join_asof(
        runs,
        left_on="window_close_on",
        right_on="run_on",
        by=["org_id", "schedule_id"],
        strategy="forward",
        allow_exact_matches=False,
        check_sortedness=False,
    )
    frame = frame.with_columns(done_since_on=pl.when(pl.col("standing") == "missed").then("run_on"))
    return shape("test_windows", frame).sort("org_id", "window_open_on", "schedule_id", "run_id", nulls_last=True)


def control_tests(
    test_windows: pl.DataFrame, schedule_controls_rows: pl.DataFrame, asked: pl.DataFrame
) -> pl.DataFrame:
    """Windows of recurring tests by control: one that is about several controls stands once for each of them.

    ``counts`` is false for what passed under a query that another one has taken the place of by the day.
    """
    key = ["org_id", "schedule_id"]
    several = test_windows.drop("framework", "control_id").join(schedule_controls_rows, on=key)
    alone = test_windows.join(schedule_controls_rows, on=key, how="anti")
    frame = (
        pl.concat([alone, several], how="diagonal")
        .join(asked.select("org_id", "as_of"), on="org_id")
        .with_columns(
            counts=(pl.col("outcome") != "passed")
            | pl.col("superseded_on").is_null()
            | (pl.col("superseded_on") > pl.col("as_of"))
        )
    )
    order = ("org_id", "framework", "control_id", "window_open_on", "schedule_id", "run_id")
    return shape("control_tests", frame).sort(order, nulls_last=True)


def idle_checks(
    testing_schedules_rows: pl.DataFrame,
    test_runs_rows: pl.DataFrame,
    schedule_controls_rows: pl.DataFrame,
    asked: pl.DataFrame,
) -> pl.DataFrame:
    """Checks that did not come to an answer the last time, with why: nothing was tested, or a source was not read."""
    key = ["org_id", "schedule_id"]
    controls = (
        schedule_controls_rows.with_columns(control=pl.format("{}:{}", "framework", "control_id"))
        .sort("control")
        .group_by(key, maintain_order=True)
        .agg(controls="control")
    )
    newest = test_runs_rows.filter(pl.col("sequence").is_not_null()).sort("sequence").group_by(key).last()
    frame = (
        testing_schedules_rows.rename({"id": "schedule_id"})
        .join(asked.select("org_id", "as_of", "ends_at"), on="org_id")
        .filter(pl.col("check_id").is_not_null(), pl.col("ends_on").is_null() | (pl.col("ends_on") > pl.col("as_of")))
        .join(newest.select(*key, "outcome", "ran_at", run_id="id", run_reason="reason"), on=key, how="left")
        .join(controls, on=key, how="left")
        .with_columns(unread=pl.when(pl.col("unread_at") < pl.col("ends_at")).then("unread"))
        .with_columns(
            result=pl.when(pl.col("unread").is_not_null())
            .then(pl.lit("unread"))
            .when(pl.col("outcome") == "not_tested")
            .then(pl.lit("not_tested")),
            reason=pl.coalesce("unread", "run_reason"),
            noted_at=pl.when(pl.col("unread").is_not_null()).then("unread_at").otherwise("ran_at"),
            controls=pl.col("controls").fill_null(pl.lit([], dtype=pl.List(pl.String))),
        )
        .filter(pl.col("result").is_not_null())
    )
    return shape("idle_checks", frame).sort("org_id", "check_id")


def check_sights(
    testing_schedules_rows: pl.DataFrame, check_proofs_rows: pl.DataFrame, asked: pl.DataFrame
) -> pl.DataFrame:
    """Checks with what breaking their rows came to: seen, blind where nothing did anything, or not proved as they are.

    A check is blind when no break but an empty population made it fail or changed its exceptions.
    """
    key = ["org_id", "check_id", "query_sha256"]
    proved = check_proofs_rows.group_by(key).agg(
        tried=pl.col("tried").sum(),
        noticed=pl.col("exceptions_changed").sum(),
        failures=pl.col("failures").sum(),
        unseen=pl.concat_str("source", pl.lit("."), "field")
        .filter(pl.col("field") != "*", pl.col("exceptions_changed") == 0)
        .unique()
        .sort()
        .str.join(", "),
        proved_at=pl.col("proved_at").max(),
    )
    frame = (
        testing_schedules_rows.rename({"id": "schedule_id"})
        .join(asked.select("org_id", "as_of"), on="org_id")
        .filter(pl.col("check_id").is_not_null(), pl.col("ends_on").is_null() | (pl.col("ends_on") > pl.col("as_of")))
        .join(proved, on=key, how="left")
        .with_columns(
            sight=pl.when(pl.col("tried").is_null())
            .then(pl.lit("not_proved"))
            .when(pl.col("noticed") == 0)
            .then(pl.lit("blind"))
            .otherwise(pl.lit("seen")),
            noticed_pct=pl.when(pl.col("tried") > 0).then((100 * pl.col("noticed") / pl.col("tried")).round(1)),
        )
    )
    return shape("check_sights", frame).sort("org_id", "check_id")


def meetings(committees_rows: pl.DataFrame, committee_meetings_rows: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    """Committee meetings: those recorded, and those that the cadence asks for after the last recorded one.

    A meeting that is called held on a day that is still to come is none.
    """
    known = committees_rows.select("org_id", "name", "chair", "cadence", "effort_hours", "revision", committee_id="id")
    recorded = (
        committee_meetings_rows.drop("revision")
        .join(known, on=["org_id", "committee_id"])
        .join(asked.select("org_id", "as_of"), on="org_id")
        .filter((pl.col("status") != "held") | (pl.col("held_on") <= pl.col("as_of")))
        .rename({"id": "meeting_id"})
    )
    last = recorded.group_by("org_id", "committee_id").agg(covered_until=pl.col("held_on").max())
    series = committees_rows.select(
        "org_id",
        "id",
        "name",
        "chair",
        "cadence",
        "effort_hours",
        "revision",
        starts_on="first_meeting_on",
        ends_on=pl.lit(None, dtype=pl.Date),
    )
    planned = (
        occurrences(series, asked)
        .rename({"id": "committee_id", "on": "held_on"})
        .join(last, on=["org_id", "committee_id"], how="left")
        .filter(pl.col("covered_until").is_null() | (pl.col("held_on") > plus_days("covered_until", pl.lit(6))))
        .with_columns(meeting_id=pl.format("{}-{}", "committee_id", "held_on"), status=pl.lit("planned"), moves=0)
    )
    columns = [
        "org_id",
        "committee_id",
        "meeting_id",
        "name",
        "chair",
        "cadence",
        "effort_hours",
        "held_on",
        "status",
        "moves",
        "revision",
    ]
    return pl.concat([recorded.select(columns), planned.select(columns)], how="vertical_relaxed").sort(
        "org_id", "held_on", "meeting_id"
    )


def committee_decisions(committee_decisions_rows: pl.DataFrame) -> pl.DataFrame:
    """What committees decided in the meetings that they held, the last meeting first."""
    return shape("committee_decisions", committee_decisions_rows).sort(
        "org_id", "held_on", "name", "id", descending=[False, True, False, False]
    )
