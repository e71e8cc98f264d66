"""What the Type II report counts: the tests of the period, the criteria with what they found, and what to answer."""

from typing import Annotated

import polars as pl

from engine.catalogue import catalogue
from engine.model.declarations.ask import Ask
from engine.model.figures.thousands import with_thousands
from reports.frameworks.assessments import assessment_rows, with_remediations
from reports.frameworks.soc2.type_ii_tables import deviations
from reports.frameworks.soc2.type_ii_tests import (
    CLEAN,
    EXCEPTIONS,
    FRAMEWORK,
    MACHINE,
    NOT_TESTED,
    SAMPLE_SIZE,
    lines,
    operation,
)
from reports.shared import records
from reports.shared.columns import share_pct

# what the machines recorded is none of the evidence that the criterion needs, and nobody looked at it: nothing is shown
_OTHER_KINDS = (pl.col("state") == "no_data") & (pl.col("inspected") == 0)
SUMS = ("performed", "missed", "population", "tested", "deviations", "unanswered")


def criteria_in_scope(
    requirements: pl.DataFrame, control_status: pl.DataFrame, control_profiles: pl.DataFrame, gaps: pl.DataFrame
) -> pl.DataFrame:
    """One row for each criterion with its state, and the remediation of its gap."""
    return with_remediations(assessment_rows(FRAMEWORK, requirements, control_status, control_profiles), gaps)


def test_lines(
    rows: Annotated[pl.DataFrame, criteria_in_scope],
    test_windows: pl.DataFrame,
    criteria_events: pl.DataFrame,
    ask: Ask,
) -> pl.DataFrame:
    """The tests of the period, those of machine records included, of the criteria in scope.

    Machine records that are none of the evidence that the criterion needs show nothing, here as in its own result.
    """
    inspected = pl.col("performed").filter(pl.col("method") != MACHINE).sum().over("control_id")
    silent = _OTHER_KINDS & (pl.col("deviations") == 0)
    return (
        lines(test_windows, criteria_events, ask.period_start, ask.as_of)
        .join(rows.select("control_id", "state"), on="control_id")
        .with_columns(inspected=inspected)
        .with_columns(result=pl.when(silent).then(pl.lit(NOT_TESTED)).otherwise("result"))
        .drop("state", "inspected")
        .sort("control_id", "method", "test_id")
    )


def criteria(
    rows: Annotated[pl.DataFrame, criteria_in_scope],
    tests: Annotated[pl.DataFrame, test_lines],
    criteria_days: pl.DataFrame,
    known_since: pl.DataFrame,
    ask: Ask,
) -> pl.DataFrame:
    """One row for each criterion with the sums of its tests, the result, and its longest time without evidence."""
    since = records.since(known_since, FRAMEWORK)
    begin = min(max(ask.period_start, since or ask.as_of), ask.as_of)
    own = catalogue().details(FRAMEWORK).select("control_id", category="trust_services_category")
    sums = tests.group_by("control_id").agg(
        pl.col(SUMS).sum(),
        inspected=pl.col("performed").filter(pl.col("method") != MACHINE).sum(),
        cause=pl.col("cause").list.explode().drop_nulls().unique(maintain_order=True),
        response=pl.col("response").list.explode().drop_nulls().unique(maintain_order=True),
    )
    return (
        rows.drop("tested")
        .join(own, on="control_id", how="left")
        .join(sums, on="control_id", how="left")
        .join(operation(criteria_days, rows, begin, ask.as_of, since), on="control_id", how="left")
        .with_columns(
            pl.col(*SUMS, "inspected").fill_null(0),
            pl.col("cause", "response").fill_null([]),
            pl.col("gap_in_operation").fill_null(False),
            sample_size=pl.col("cadence").replace_strict(SAMPLE_SIZE, default=None, return_dtype=pl.Int64),
        )
        .with_columns(
            result=pl.when(~pl.col("applicable"))
            .then(pl.lit("not applicable"))
            .when(pl.col("deviations") > 0)
            .then(pl.lit(EXCEPTIONS))
            .when((pl.col("performed") == 0) | _OTHER_KINDS)
            .then(pl.lit(NOT_TESTED))
            .otherwise(pl.lit(CLEAN)),
            result_basis=pl.when(pl.col("applicable"), _OTHER_KINDS, pl.col("performed") > 0)
            .then(
                pl.when(pl.col("population") == 1)
                .then(pl.lit("1 record of another kind than the evidence that it needs"))
                .otherwise(pl.format("{} records of other kinds than the evidence that it needs", "population"))
            )
            .when(pl.col("applicable"), pl.col("performed") > 0)
            .then(
                pl.format(
                    "a population of {}, {} of it tested",
                    with_thousands(pl.col("population")),
                    with_thousands(pl.col("tested")),
                )
            ),
            deviation_rate_pct=share_pct(pl.col("deviations"), pl.col("tested")),
        )
        .sort("position", "control_id")
    )


def criteria_to_answer(
    tests: Annotated[pl.DataFrame, test_lines], rows: Annotated[pl.DataFrame, criteria]
) -> pl.DataFrame:
    """Criteria with deviations or a gap in operation, those without an answer first."""
    return deviations(tests, rows)
