"""Who sends what is monitored: whether each sender still does, and which services have one that does."""

from datetime import timedelta

import polars as pl

from engine.facts.expressions import shape
from engine.facts.question import start_of

SILENT_AFTER = timedelta(hours=24)
WEEK, REGULAR_DAYS = 7, 5  # a sender that is heard on so many days of a week is missed when it says nothing
REASONS = 20  # of refused messages that are told apart for each token
SENDER = ("org_id", "token", "source")


def senders(
    arrivals_rows: pl.DataFrame,
    arrival_ticks_rows: pl.DataFrame,
    revoked_tokens_rows: pl.DataFrame,
    service_senders_rows: pl.DataFrame,
    asked: pl.DataFrame,
) -> pl.DataFrame:
    """Every sender that was ever heard or is declared for a service."""
    history = (
        arrivals_rows.join(_last_days(arrivals_rows), on=SENDER)
        .group_by(SENDER)
        .agg(
            pl.col("day").min().alias("first_on"),
            pl.col("last_at").max().alias("last_message_at"),
            pl.col("messages").sum(),
            pl.col("events_in_period").sum(),
            (pl.col("day") > pl.col("last_day") - pl.duration(days=WEEK)).sum().alias("days_of_seven"),
        )
    )
    declared = service_senders_rows.group_by(SENDER).agg(services=pl.col("service_id").n_unique())
    known = pl.concat([history.select(SENDER), declared.select(SENDER)]).unique()
    silent = (pl.col("days_of_seven") >= REGULAR_DAYS) & (pl.col("clock") - pl.col("last_message_at") >= SILENT_AFTER)
    frame = (
        known.join(history, on=SENDER, how="left")
        .join(declared, on=SENDER, how="left")
        .join(revoked_tokens_rows, on=["org_id", "token"], how="left")
        .join(_clocks(arrivals_rows, arrival_ticks_rows, asked), on="org_id")
        .with_columns(pl.col("messages", "events_in_period", "days_of_seven", "services").fill_null(0))
        .with_columns(
            sender_state=pl.when(pl.col("last_message_at").is_null())
            .then(pl.lit("never_heard"))
            .when((pl.col("revoked_at") >= pl.col("last_message_at")).fill_null(False))
            .then(pl.lit("retired"))
            .when(silent)
            .then(pl.lit("silent"))
            .when(pl.col("events_in_period") > 0)
            .then(pl.lit("live"))
            .otherwise(pl.lit("not_heard"))
        )
        .with_columns(
            silent_hours=pl.when(pl.col("sender_state") == "silent").then(
                ((pl.col("clock") - pl.col("last_message_at")).dt.total_seconds() / 3600).round(1)
            )
        )
    )
    return shape("senders", frame).sort(SENDER)


def _last_days(arrivals: pl.DataFrame) -> pl.DataFrame:
    return arrivals.group_by(SENDER).agg(last_day=pl.col("day").max())


def _clocks(arrivals: pl.DataFrame, ticks: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    """Up to when each organization is known to have listened: its newest message or tick, else the day's beginning.

    A report knows no clock, and what it says of a day may not change by what came later.
    """
    days = [start_of(day, zone) for day, zone in asked.select("as_of", "time_zone").iter_rows()]
    begins = asked.select("org_id", pl.Series("last_at", days, pl.Datetime("us")))
    instants = [frame.select("org_id", pl.col("last_at").cast(pl.Datetime("us"))) for frame in (arrivals, ticks)]
    return pl.concat([begins, *instants]).group_by("org_id").agg(clock=pl.col("last_at").max())


def service_watch(
    systems: pl.DataFrame, service_facts_rows: pl.DataFrame, service_senders_rows: pl.DataFrame, senders: pl.DataFrame
) -> pl.DataFrame:
    """Services of the systems in scope of a framework, with those that are declared to watch them."""
    key = ["org_id", "service_id"]
    inside = systems.filter("in_scope", pl.col("frameworks").list.len() > 0, pl.col("service_id").is_not_null())
    scope = inside.group_by(key).agg(frameworks=pl.col("frameworks").explode(empty_as_null=False).unique().sort())
    order = {"live": 0, "silent": 1, "not_heard": 2, "retired": 3, "never_heard": 4}
    watch = (
        service_senders_rows.join(senders.select(*SENDER, "sender_state"), on=SENDER)
        .with_columns(
            sender=pl.format("{} / {}", "token", "source"),
            place=pl.col("sender_state").replace_strict(order, return_dtype=pl.Int64),
        )
        .sort("place", "sender")
        .group_by(key, maintain_order=True)
        .agg(senders="sender", watch=pl.col("sender_state").first())
    )
    names = service_facts_rows.select("org_id", "owner", "criticality", service_id="id", service="name")
    known = senders.select("org_id").unique().with_columns(is_monitored=True)
    frame = (
        scope.join(names, on=key)
        .join(watch, on=key, how="left")
        .join(known, on="org_id", how="left")
        .with_columns(
            pl.col("senders").fill_null(pl.lit([], dtype=pl.List(pl.String))),
            pl.col("is_monitored").fill_null(False),
            watch=pl.col("watch").fill_null("not_declared"),
        )
    )
    return shape("service_watch", frame).sort(key)


def dead_letters(dead_letters_rows: pl.DataFrame) -> pl.DataFrame:
    """Messages of the period that nobody could read, by token and reason: the most frequent reasons, then the rest."""
    key = ["org_id", "token"]
    ranked = dead_letters_rows.with_columns(pl.col("reason").fill_null("no reason on record")).sort(
        *key, "messages", "reason", descending=[False, False, True, False]
    )
    place = pl.int_range(pl.len()).over(key)
    frame = (
        ranked.with_columns(reason=pl.when(place < REASONS).then("reason").otherwise(pl.lit("other reasons")))
        .group_by(*key, "reason")
        .agg(pl.col("messages").sum(), pl.col("last_at").max(), pl.col("last_id").max())
    )
    return shape("dead_letters", frame).sort(*key, "reason")
