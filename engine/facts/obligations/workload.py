"""Work against capacity: who works on which duty, and owner x ISO week (F7)."""

import polars as pl

from engine.facts.expressions import plus_days, shape
from engine.facts.obligations.days_away import WEEKS_AHEAD, WORKING_DAYS, away_of_owners

# share of an obligation's effort by role; consulted 0.10 is not recorded on obligations
RESPONSIBLE, ACCOUNTABLE = 1.0, 0.25


def load(obligations: pl.DataFrame, planned_load: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    """Who works on which pending duty in which week (F7): the rows that ``owner_weeks`` sums up, and the work of plans
    that were accepted.

    The work on an overdue duty is in no week: no week was ever planned for it twice.
    """
    due = pl.max_horizontal("due_on", "as_of").dt.truncate("1w")
    pending = (
        obligations.filter(pl.col("state").is_in(["open", "overdue"]))
        .join(asked.select("org_id", "as_of"), on="org_id")
        .with_columns(week_start_on=pl.when(pl.col("state") == "open").then(due))
        .with_columns(week=pl.col("week_start_on").dt.strftime("%G-W%V"))
    )
    responsible = pending.with_columns(role=pl.lit("R"), hours=pl.col("effort_hours") * RESPONSIBLE)
    other = pl.col("owner").is_null() | (pl.col("accountable") != pl.col("owner"))
    accountable = pending.filter(pl.col("accountable").is_not_null(), other).with_columns(
        role=pl.lit("A"), hours=pl.col("effort_hours") * ACCOUNTABLE, owner="accountable"
    )
    frame = pl.concat([shape("load", pl.concat([responsible, accountable])), planned_load])
    return frame.sort("org_id", "week_start_on", "obligation_id", "role", descending=[False, False, False, True])


def owner_weeks(
    load: pl.DataFrame,
    owner_capacity_rows: pl.DataFrame,
    days_away: pl.DataFrame,
    users_rows: pl.DataFrame,
    asked: pl.DataFrame,
) -> pl.DataFrame:
    """Hours due and available for every owner and week from this one on; this week offers the working days left, and
    lacks no hours once they are over: nobody can be brought in for it.

    Of the days left holidays, absences and what auditors take are absence hours, beside those that are recorded.

    An owner is who holds a pending duty, an overdue one too, or has capacity on record.
    Work without an owner is a row with a null owner and no capacity. Who has left has no capacity either: such rows
    are not ``staffed``, and what is due in them is nobody's shortfall but unowned.
    """
    demand = (
        load.filter(pl.col("week_start_on").is_not_null())
        .group_by("org_id", "owner", "week_start_on")
        .agg(
            demand_hours=pl.col("hours").sort().sum().round(6), obligations=(pl.col("role") == "R").sum().cast(pl.Int64)
        )
    )
    owners = pl.concat([load.select("org_id", "owner"), owner_capacity_rows.select("org_id", owner="email")]).unique()
    usual = owner_capacity_rows.filter(pl.col("week") == "default").select("org_id", owner="email", usual_hours="hours")
    own = owner_capacity_rows.filter(pl.col("week") != "default").select(
        "org_id", "week", "hours", "absence_hours", owner="email"
    )
    away = _away(days_away, owners, asked)
    gone = users_rows.filter(pl.col("active").not_()).select("org_id", owner="email", gone=True)
    available = pl.max_horizontal(pl.col("budget_hours") - pl.col("absence_hours"), pl.lit(0.0))
    missing = pl.max_horizontal(pl.col("demand_hours") - pl.col("available_hours"), pl.lit(0.0)).round(6)
    frame = (
        _weeks(asked)
        .join(owners, on="org_id")
        .join(demand, on=["org_id", "owner", "week_start_on"], how="left", nulls_equal=True)
        .join(usual, on=["org_id", "owner"], how="left")
        .join(own, on=["org_id", "owner", "week"], how="left")
        .join(away, on=["org_id", "owner", "week_start_on"], how="left")
        .join(gone, on=["org_id", "owner"], how="left")
        .with_columns(
            pl.col("obligations").fill_null(0),
            pl.col("demand_hours").fill_null(0.0),
            pl.col("absence_hours").fill_null(0.0),
            staffed=pl.col("owner").is_not_null() & pl.col("gone").is_null(),
        )
        .with_columns(
            budget_hours=pl.when("staffed").then(pl.coalesce("hours", "usual_hours", "weekly_hours")).otherwise(0.0)
        )
        .with_columns(absence_hours=pl.col("absence_hours") + _days_missed())
        .with_columns(available_hours=(available * pl.col("focus_factor") * pl.col("left")).round(2))
        .with_columns(
            utilisation_pct=pl.when(pl.col("available_hours") > 0).then(
                (100 * pl.col("demand_hours") / pl.col("available_hours")).round(1)
            ),
            shortfall_hours=pl.when(pl.col("staffed"), pl.col("left") > 0).then(missing).otherwise(0.0),
            unowned_hours=pl.when("staffed").then(0.0).otherwise("demand_hours"),
        )
    )
    return shape("owner_weeks", frame).sort("org_id", "week_start_on", "owner", nulls_last=True)


def _away(days_away: pl.DataFrame, owners: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    """By owner and week, of the working days that are left the share on which nobody is there, and auditors' hours."""
    left = _weeks(asked).select("org_id", "week_start_on", days=pl.col("left") * WORKING_DAYS)
    return (
        away_of_owners(days_away, owners)
        .group_by("org_id", "owner", "week_start_on")
        .agg(pl.col("away_share").sum(), pl.col("auditor_hours").sum())
        .join(left, on=["org_id", "week_start_on"])
        .select(
            *("org_id", "owner", "week_start_on"),
            missed=pl.col("away_share") / pl.col("days"),
            auditor_hours=pl.col("auditor_hours") / pl.col("days"),
        )
    )


def _days_missed() -> pl.Expr:
    missed = pl.col("budget_hours") * pl.col("missed").fill_null(0.0) + pl.col("auditor_hours").fill_null(0.0)
    return pl.when("staffed").then(missed.round(2)).otherwise(0.0)


def _weeks(asked: pl.DataFrame) -> pl.DataFrame:
    """The weeks ahead; ``left`` is the part of its working days that is still to come, today included."""
    today = pl.max_horizontal(WORKING_DAYS + 1 - pl.col("as_of").dt.weekday().cast(pl.Int64), pl.lit(0))
    return (
        asked.select("org_id", "as_of", "focus_factor", "weekly_hours", week_start_on=pl.col("as_of").dt.truncate("1w"))
        .with_columns(number=pl.int_ranges(0, pl.lit(WEEKS_AHEAD)))
        .explode("number", empty_as_null=False)
        .with_columns(
            week_start_on=plus_days("week_start_on", pl.col("number") * 7),
            left=pl.when(pl.col("number") == 0).then(today / WORKING_DAYS).otherwise(1.0),
        )
        .with_columns(week=pl.col("week_start_on").dt.strftime("%G-W%V"))
        .drop("number")
    )
