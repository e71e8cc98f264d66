"""The tables of the Type II report that list what an auditor asks about: deviations, causes, changes, CUECs."""

from datetime import date

import polars as pl

from engine.model.figures.thousands import with_thousands
from reports.frameworks.soc2.type_ii_tests import FRAMEWORK

UNKNOWN_CAUSE = "cause not recorded"


def deviations(tests: pl.DataFrame, criteria: pl.DataFrame) -> pl.DataFrame:
    """Criteria with deviations or a gap in operation: those without an answer first, then by deviations."""
    sampled = (
        tests.filter(pl.col("deviations") > 0)
        .group_by("control_id")
        .agg(failed_tests=(pl.col("test_id") != "machine").sum().cast(pl.Int64))
    )
    planned = pl.col("status").fill_null("unplanned") != "unplanned"
    answered = pl.col("response").list.len() > 0
    noun = pl.when(pl.col("deviations") == 1).then(pl.lit("deviation")).otherwise(pl.lit("deviations"))
    deviated = pl.format(
        "{} {} in {} tested", with_thousands(pl.col("deviations")), noun, with_thousands(pl.col("tested"))
    )
    measured = pl.format("{} days without evidence, {} allowed", "longest_gap_days", "window_days")
    silent = measured.fill_null("no evidence that it ever operated")
    return (
        criteria.filter("applicable", (pl.col("deviations") > 0) | pl.col("gap_in_operation"))
        .join(sampled, on="control_id", how="left")
        .with_columns(
            answered=planned | (answered & (pl.col("unanswered") == 0)),
            why=pl.when((pl.col("deviations") > 0) & pl.col("gap_in_operation"))
            .then(pl.concat_str(deviated, pl.lit("; "), silent))
            .when(pl.col("deviations") > 0)
            .then(deviated)
            .otherwise(silent),
        )
        .sort(
            *("answered", -pl.col("failed_tests").fill_null(0), -pl.col("weight").fill_null(5)),
            *(-pl.col("deviations"), "position", "control_id"),
        )
        .select(
            *("control_id", "title", "why", "work_owner", "due_on", "answered", "status", "deviation_rate_pct"),
            *("cause", "response", "owner"),
        )
    )


def causes(tests: pl.DataFrame) -> pl.DataFrame:
    """Tests with deviations by cause; one with several causes counts under each."""
    listed = pl.when(pl.col("cause").list.len() > 0).then(pl.col("cause")).otherwise(pl.lit([UNKNOWN_CAUSE]))
    return (
        tests.filter(pl.col("deviations") > 0)
        .with_columns(cause=listed)
        .explode("cause")
        .group_by("cause")
        .agg(
            tests=pl.len().cast(pl.Int64),
            criteria=pl.col("control_id").unique().sort(),
            unanswered=pl.col("unanswered").sum(),
        )
        .sort(-pl.col("tests"), "cause")
    )


def cuecs(vendor_controls: pl.DataFrame) -> pl.DataFrame:
    """The part of each inherited control that a vendor leaves with us."""
    return (
        vendor_controls.filter(pl.col("framework") == FRAMEWORK, pl.col("customer_side").is_not_null())
        .group_by("control_id", "customer_side", "model")
        .agg(
            title=pl.col("title").first(),
            vendors=pl.col("vendor_id").n_unique().cast(pl.Int64),
            unmapped=(pl.col("gap") == "cuec_unmapped").sum().cast(pl.Int64),
            vendor_id=pl.col("vendor_id").unique().sort(),
        )
        .sort("control_id", "customer_side", "model")
        .select("control_id", "title", "customer_side", "model", "vendors", "unmapped", "vendor_id")
    )


def changes(changed: pl.DataFrame, policies: pl.DataFrame, known: pl.DataFrame, start: date, end: date) -> pl.DataFrame:
    """Criteria that came into another state in the period, and policy versions accepted in it."""
    key = "control_id"
    states = changed.filter(
        pl.col("framework") == FRAMEWORK, pl.col("observed_on").is_between(start, end), pl.col("previous").is_not_null()
    ).join(known, on=key)
    accepted = policies.filter(pl.col("framework") == FRAMEWORK, pl.col("accepted_on").is_between(start, end)).join(
        known, on=key
    )
    none = pl.lit(None, dtype=pl.String)
    return (
        pl.concat(
            [
                states.select(
                    changed_on="observed_on",
                    kind=pl.lit("state"),
                    control_id=key,
                    what=pl.lit("state of evidence"),
                    before="previous",
                    after="state",
                ),
                accepted.select(
                    changed_on="accepted_on",
                    kind=pl.lit("policy"),
                    control_id=key,
                    what=pl.format("{} version {} accepted", "title", "version"),
                    before=none,
                    after=none,
                ),
            ]
        )
        .unique()
        .sort("changed_on", "kind", "control_id", "what", "before", "after", nulls_last=True)
    )
