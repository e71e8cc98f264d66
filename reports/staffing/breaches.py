"""Actions past the committee's SLA: how bad each is, what it needs, and which of them the committee must decide on."""

from datetime import timedelta

import polars as pl

from engine.model.declarations.ask import Ask
from reports.staffing import wording

WEEK_BUSINESS_DAYS = 5
SPANS = {"critical": "more than 10", "high": "6 to 10", "moderate": "1 to 5"}
SEVERITIES = tuple(SPANS)
SAID = {word: f"{word} past the SLA" for word in SEVERITIES}  # in a personal section


def breaches(staffing_actions: pl.DataFrame) -> pl.DataFrame:
    """Unfinished actions past the SLA, worst first, with ``severity``, ``what`` and the people to tell."""
    over = pl.col("breach_days")
    whom = pl.concat_list(wording.responsible(), "accountable").list.drop_nulls()
    return (
        staffing_actions.filter(pl.col("standing") == "breached")
        .with_columns(
            what=wording.action_names(),
            severity=pl.when(over > 10)
            .then(pl.lit("critical"))
            .when(over > 5)
            .then(pl.lit("high"))
            .otherwise(pl.lit("moderate")),
            recipients=whom.list.unique(maintain_order=True),
        )
        .sort("breach_days", "relief_hours", "action_id", descending=[True, True, False])
    )


def week_turns(staffing_actions: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """Actions that came to be past the SLA in a week, as 1, and those past it before that were done in it, as -1."""
    before = ask.as_of - timedelta(days=7)
    became = (pl.col("standing") == "breached") & (pl.col("breach_days") <= WEEK_BUSINESS_DAYS)
    over = pl.business_day_count(pl.col("sla_due_on") + pl.duration(days=1), pl.lit(before) + pl.duration(days=1)) > 0
    settled = (pl.col("standing") == "done_late") & (pl.col("completed_on") > before) & over
    return (
        staffing_actions.filter(became | settled)
        .with_columns(turn=pl.when(became).then(1).otherwise(-1).cast(pl.Int64))
        .sort("sla_due_on", "action_id")
    )


def escalation_clock(staffing_actions: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """Breaches with ``escalate``: whether they are for the committee.

    ``escalates_on``: business days after the first rollup mail that named the breach; null before such a mail.
    """
    days = int(ask.settings["escalation_delay_days"])
    return (
        breaches(staffing_actions)
        .with_columns(
            escalates_on=pl.col("breach_told_on").dt.add_business_days(days, roll="backward"),
            days_since_told=pl.business_day_count(
                pl.col("breach_told_on") + pl.duration(days=1), pl.lit(ask.as_of) + pl.duration(days=1)
            ).cast(pl.Int64),
        )
        .with_columns(escalate=(pl.col("days_since_told") >= days).fill_null(False))
    )


def first_words() -> pl.Expr:
    """The most urgent breach in the words of a personal section."""
    many = pl.when(pl.col("breach_days") == 1).then(pl.lit("day")).otherwise(pl.lit("days"))
    return pl.format("{} ({} business {} over)", wording.action_words(), "breach_days", many)
