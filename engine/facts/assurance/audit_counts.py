"""The audit log counted by action, and by the control that an event names."""

import polars as pl

# prefix of the columns that count them: all events, those that succeeded, those that failed or were denied
_OUTCOMES = {"": pl.lit(True), "good_": pl.col("good"), "bad_": ~pl.col("good")}
_PERIODS = {"events": "now", "events_before": "before", "events_future": "future"}


def audit_by_action(audit_action_counts_rows: pl.DataFrame) -> pl.DataFrame:
    """Events of each action in the period, in the one before, later than the day, and up to it, with the newest of
    these, by outcome; ``own_tagged`` are those in the period that name a control."""
    tagged = pl.col("events").filter((pl.col("period") == "now") & pl.col("tagged")).sum().alias("own_tagged")
    return _sum_counts(audit_action_counts_rows, ["org_id", "action"], tagged)


def audit_by_tag(audit_tag_counts_rows: pl.DataFrame) -> pl.DataFrame:
    """The same by the controls that events themselves name."""
    return _sum_counts(audit_tag_counts_rows, ["org_id", "action", "tag"])


def _sum_counts(counts: pl.DataFrame, key: list[str], *also: pl.Expr) -> pl.DataFrame:
    """Groups of events that are one for each period and outcome, put together by ``key``."""
    past = pl.col("period") != "future"
    expressions = [pl.col("first_at").filter(past).min(), *also]
    for prefix, outcome in _OUTCOMES.items():
        expressions += [
            pl.col("events").filter((pl.col("period") == period) & outcome).sum().alias(prefix + name)
            for name, period in _PERIODS.items()
        ]
        expressions += [
            pl.col("events").filter(past & outcome).sum().alias(f"{prefix}events_ever"),
            pl.col("last_seq", "last_at").filter(past & outcome).last().name.prefix(prefix),
        ]
    return counts.sort("last_at", "last_seq").group_by(key).agg(expressions).sort(key)
