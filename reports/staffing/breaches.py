"""Actions past the committee's SLA: how bad each is, what it needs, and which of them the committee must decide on."""

import polars as pl

from engine.model.declarations.ask import Ask
from reports.staffing import wording

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
