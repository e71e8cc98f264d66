"""Work against capacity: owner x ISO week (F7)."""

import polars as pl

from engine.reporting.facts.expressions import plus_days, shape

# share of an obligation's effort by role; consulted 0.10 is not recorded on obligations
RESPONSIBLE, ACCOUNTABLE = 1.0, 0.25
WEEKS_AHEAD = 53


def owner_weeks(
    obligations: pl.DataFrame, owner_capacity_rows: pl.DataFrame, users_rows: pl.DataFrame, asked: pl.DataFrame
) -> pl.DataFrame:
    """Hours due and available for every owner and week from this one on. Overdue work is due this week.

    Work without an owner is a row with a null owner and no capacity: unowned demand is never dropped. Who has left
    has no capacity either.
    """
    weeks = (
        asked.select("org_id", "as_of", "focus_factor", "weekly_hours", week_start_on=pl.col("as_of").dt.truncate("1w"))
        .with_columns(number=pl.int_ranges(0, pl.lit(WEEKS_AHEAD)))
        .explode("number", empty_as_null=False)
        .with_columns(week_start_on=plus_days("week_start_on", pl.col("number") * 7))
        .with_columns(week=pl.col("week_start_on").dt.strftime("%G-W%V"))
        .drop("number")
    )
    demand = _demand(obligations, asked)
    owners = (
        pl.concat([demand.select("org_id", "owner"), owner_capacity_rows.select("org_id", owner="email")])
        .unique()
    )  # fmt: skip
    usual = owner_capacity_rows.filter(pl.col("week") == "default").select("org_id", owner="email", usual_hours="hours")
    own = owner_capacity_rows.filter(pl.col("week") != "default").select(
        "org_id", "week", "hours", "absence_hours", owner="email"
    )
    gone = users_rows.filter(pl.col("active").not_()).select("org_id", owner="email", gone=True)
    works = pl.col("owner").is_not_null() & pl.col("gone").is_null()
    frame = (
        weeks.join(owners, on="org_id")
        .join(demand, on=["org_id", "owner", "week_start_on"], how="left", nulls_equal=True)
        .join(usual, on=["org_id", "owner"], how="left")
        .join(own, on=["org_id", "owner", "week"], how="left")
        .join(gone, on=["org_id", "owner"], how="left")
        .with_columns(
            pl.col("obligations").fill_null(0),
            demand_hours=pl.col("demand_hours").fill_null(0.0).round(6),
            budget_hours=pl.when(works).then(pl.coalesce("hours", "usual_hours", "weekly_hours")).otherwise(0.0),
            absence_hours=pl.col("absence_hours").fill_null(0.0),
        )
        .with_columns(
            available_hours=(
                pl.max_horizontal(pl.col("budget_hours") - pl.col("absence_hours"), pl.lit(0.0))
                * pl.col("focus_factor")
            ).round(2)
        )
        .with_columns(
            utilisation_pct=pl.when(pl.col("available_hours") > 0).then(
                (100 * pl.col("demand_hours") / pl.col("available_hours")).round(1)
            ),
            shortfall_hours=pl.max_horizontal(pl.col("demand_hours") - pl.col("available_hours"), pl.lit(0.0)).round(6),
        )
    )
    return shape("owner_weeks", frame).sort("org_id", "week_start_on", "owner", nulls_last=True)


def _demand(obligations: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    still = (
        obligations.filter(pl.col("state").is_in(["open", "overdue"]))
        .join(asked.select("org_id", "as_of"), on="org_id")
        .with_columns(week_start_on=pl.max_horizontal("due_on", "as_of").dt.truncate("1w"))
    )
    columns = ["org_id", "owner", "week_start_on"]
    responsible = still.select(*columns, hours=pl.col("effort_hours") * RESPONSIBLE, counts=1)
    accountable = still.filter(
        pl.col("accountable").is_not_null(), pl.col("owner").is_null() | (pl.col("accountable") != pl.col("owner"))
    ).select(
        "org_id", "week_start_on", owner="accountable", hours=pl.col("effort_hours") * ACCOUNTABLE, counts=0
    ).select(*columns, "hours", "counts")  # fmt: skip
    return (
        pl.concat([responsible, accountable])
        .group_by(columns)
        .agg(demand_hours=pl.col("hours").sum(), obligations=pl.col("counts").sum().cast(pl.Int64))
    )
