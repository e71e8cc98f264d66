"""Attestations that are to be signed: their wave, whom to ask, what was asked before, and where they collide."""

import polars as pl

from engine.model.declarations.ask import Ask
from reports.shared import ledger
from reports.shared.columns import share_pct
from reports.shared.personal import whom

# wave: most days left
WAVES = {"overdue": -1, "within_14_days": 14, "in_15_to_30_days": 30, "in_31_to_60_days": 60, "in_61_to_90_days": 90}
NAMES = {
    "overdue": "Overdue",
    "within_14_days": "Within 14 days",
    "in_15_to_30_days": "15 to 30 days",
    "in_31_to_60_days": "31 to 60 days",
    "in_61_to_90_days": "61 to 90 days",
}
UNANSWERED = 2
CROWDED = 3  # renewals of several frameworks in a week that are worth planning for
_KEY = ["framework", "control_id"]


def pending(
    obligations: pl.DataFrame, control_status: pl.DataFrame, people: pl.DataFrame, reminders: pl.DataFrame, ask: Ask
) -> pl.DataFrame:
    """Attestations of the ledger that are not done, with their wave (null after the last one) and whom to ask.

    After two requests without an answer that is who is accountable. Whoever has left is asked nothing.
    """
    named = pl.col("controls").list.first().str.splitn(":", 2).struct.rename_fields(["framework", "control_id"])
    wave = pl.coalesce(*(pl.when(pl.col("days_left") <= most).then(pl.lit(name)) for name, most in WAVES.items()))
    titles = control_status.select(*_KEY, "group_id", control_title="title", evidence_freshness="freshness")
    rows = (
        obligations.filter(pl.col("kind") == "attestation", pl.col("state").is_in(ledger.PENDING))
        .with_columns(control=named, attestation_id="obligation_id", wave=wave)
        .unnest("control")
        .join(titles, on=_KEY, how="left")
        .with_columns(asked_first=whom(people, "owner", "accountable"), asked_last=whom(people, "accountable", "owner"))
    )
    return _with_nudges(rows, reminders, ask)


def _with_nudges(rows: pl.DataFrame, reminders: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """Whether each is to be asked for now, and of whom."""
    pause, ahead = int(ask.settings["nudge_pause_days"]), int(ask.settings["nudge_ahead_days"])
    about = reminders.with_columns(attestation_id=pl.col("reminder_id").str.extract(r"^([^@|]*)", 1))
    last = about.group_by("attestation_id").agg(last_reminded_on=pl.col("created_on").max())
    requests = about.group_by("reminder_id").agg(
        nudges=pl.col("created_on").n_unique().cast(pl.Int64), last_nudged_on=pl.col("created_on").max()
    )
    since = (ask.as_of - pl.col("last_reminded_on")).dt.total_days()
    return (
        rows.with_columns(reminder_id=pl.format("{}@{}|renewal", "attestation_id", "due_on"))
        .join(requests, on="reminder_id", how="left")
        .join(last, on="attestation_id", how="left")
        .with_columns(pl.col("nudges").fill_null(0))
        .with_columns(
            escalated=pl.col("nudges") >= UNANSWERED,
            owed=(pl.col("days_left") <= ahead) & (since >= pause).fill_null(True),
        )
        .with_columns(recipient=pl.when("escalated").then("asked_last").otherwise("asked_first"))
        .sort("due_on", "attestation_id")
        .select(
            *("framework", "control_id", "control_title", "group_id", "owner", "recipient", "due_on", "days_left"),
            *("wave", "effort_hours", "evidence_freshness", "owed", "nudges", "last_nudged_on", "escalated", "week"),
            *("attestation_id", "reminder_id"),
        )
    )


def collisions(
    obligations: pl.DataFrame,
    control_status: pl.DataFrame,
    people: pl.DataFrame,
    reminders: pl.DataFrame,
    owner_weeks: pl.DataFrame,
    ask: Ask,
) -> pl.DataFrame:
    """Weeks of an owner with renewals of several frameworks, or with renewals and more work than hours.

    Overdue ones are asked for this week, although no week has the hours of overdue work.
    """
    rows = pending(obligations, control_status, people, reminders, ask).filter(pl.col("wave").is_not_null())
    warn = ask.settings["utilisation_warn_pct"]
    this_week = pl.lit(ask.as_of).dt.truncate("1w")
    weeks = (
        rows.filter(pl.col("recipient").is_not_null())
        .with_columns(week_start_on=pl.max_horizontal(pl.col("due_on").dt.truncate("1w"), this_week))
        .group_by("week_start_on", owner="recipient")
        .agg(
            renewals=pl.len().cast(pl.Int64),
            renewal_hours=pl.col("effort_hours").sum().round(2),
            frameworks=pl.col("framework").drop_nulls().unique().sort(),
        )
    )
    known = owner_weeks.select("owner", "week_start_on", "demand_hours", "available_hours", "utilisation_pct")
    several = (pl.col("frameworks").list.len() > 1) & (pl.col("renewals") >= CROWDED)
    full = ((pl.col("utilisation_pct") > warn) | (pl.col("available_hours") == 0)).fill_null(False)
    return (
        weeks.join(known, on=["owner", "week_start_on"], how="left")
        .with_columns(
            pl.col("demand_hours").round(2),
            week=pl.col("week_start_on").dt.strftime("%G-W%V"),
            why=pl.when(several & full)
            .then(pl.lit("several frameworks, too few hours"))
            .when(full)
            .then(pl.lit("too few hours"))
            .when(several)
            .then(pl.lit("several frameworks")),
        )
        .filter(pl.col("why").is_not_null())
        .select(
            "week",
            "week_start_on",
            "owner",
            "renewals",
            "renewal_hours",
            "frameworks",
            "demand_hours",
            "available_hours",
            "utilisation_pct",
            "why",
        )
        .sort("week_start_on", "renewals", "owner", descending=[False, True, False])
    )


def waves(rows: pl.DataFrame) -> pl.DataFrame:
    """One row for each wave, empty ones included."""
    frame = rows.group_by("wave").agg(
        renewals=pl.len().cast(pl.Int64),
        effort_hours=pl.col("effort_hours").sum().round(2),
        first_on=pl.col("due_on").min(),
        last_on=pl.col("due_on").max(),
        frameworks=pl.col("framework").unique().sort(),
        owners=pl.col("recipient").drop_nulls().n_unique().cast(pl.Int64),
        to_send=pl.col("owed").sum().cast(pl.Int64),
    )
    every = pl.DataFrame({"wave": list(NAMES), "name": list(NAMES.values())})
    return every.join(frame, on="wave", how="left", maintain_order="left").with_columns(
        pl.col("renewals", "owners", "to_send").fill_null(0),
        pl.col("effort_hours").fill_null(0.0),
        pl.col("frameworks").fill_null([]),
    )


def by_framework(rows: pl.DataFrame, attestations: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """Each framework with any attestation: its waves, and how much of it is attested now."""
    current = (
        attestations.filter("current")
        .group_by("framework")
        .agg(deciding=pl.len().cast(pl.Int64), attested_now=(pl.col("status") == "attested").sum().cast(pl.Int64))
    )
    due = rows.group_by("framework").agg(
        renewals=pl.len().cast(pl.Int64),
        **{wave: (pl.col("wave") == wave).sum().cast(pl.Int64) for wave in WAVES},
        effort_hours=pl.col("effort_hours").sum().round(2),
        owners=pl.col("recipient").drop_nulls().n_unique().cast(pl.Int64),
    )
    return (
        current.join(due, on="framework", how="full", coalesce=True)
        .with_columns(
            pl.col("renewals", *WAVES, "owners", "deciding", "attested_now").fill_null(0),
            pl.col("effort_hours").fill_null(0.0),
        )
        .sort(ledger.framework_rank(), "framework")
        .select(
            "framework",
            ledger.framework_name(ask).alias("name"),
            "renewals",
            *WAVES,
            "effort_hours",
            "owners",
            "deciding",
            "attested_now",
            current_pct=share_pct(pl.col("attested_now"), pl.col("deciding")),
        )
    )
