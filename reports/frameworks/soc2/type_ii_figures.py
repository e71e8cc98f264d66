"""Figures of the SOC 2 Type II report."""

import polars as pl

from engine.model.figures.aggregates import Count, Sum
from engine.model.figures.figure import Figure
from reports.frameworks.soc2.type_ii_rows import criteria, criteria_to_answer, test_lines
from reports.frameworks.soc2.type_ii_tables import cuecs
from reports.frameworks.soc2.type_ii_tests import CLEAN, EXCEPTIONS, NOT_TESTED

APPLICABLE, RESULT = pl.col("applicable"), pl.col("result")

FIGURES = (
    Figure(
        "type_ii_criteria",
        "SOC 2 criteria",
        "count",
        "neither",
        "Trust services criteria of SOC 2 in scope, applicable or not.",
        criteria,
        Count(),
        reason="{title}",
    ),
    Figure(
        "type_ii_applicable",
        "SOC 2 criteria applicable",
        "count",
        "neither",
        "SOC 2 criteria that are not excluded.",
        criteria,
        Count(),
        APPLICABLE,
    ),
    Figure(
        "type_ii_exceptions_noted",
        "SOC 2 criteria with exceptions noted",
        "count",
        "less",
        "Applicable SOC 2 criteria with at least one deviation in a test or machine record from {period_start} to "
        "{as_of}.",
        criteria,
        Count(),
        APPLICABLE & (RESULT == EXCEPTIONS),
        "{deviations} deviations in {tested} tested",
    ),
    Figure(
        "type_ii_no_exceptions_noted",
        "SOC 2 criteria without exceptions",
        "count",
        "more",
        "Applicable SOC 2 criteria that were tested from {period_start} to {as_of} without any deviation.",
        criteria,
        Count(),
        APPLICABLE & (RESULT == CLEAN),
        "no deviation in {tested} tested",
    ),
    Figure(
        "type_ii_not_tested",
        "SOC 2 criteria not tested",
        "count",
        "neither",
        "Applicable SOC 2 criteria with neither a test nor a machine record from {period_start} to {as_of}, or with "
        "machine records alone that are none of the evidence that they need: nothing is known, which is not good.",
        criteria,
        Count(),
        APPLICABLE & (RESULT == NOT_TESTED),
        "{performed} performed, {missed} missed, state {state}",
    ),
    Figure(
        "type_ii_gaps_in_operation",
        "SOC 2 criteria with a gap in operation",
        "count",
        "less",
        "Applicable SOC 2 criteria whose longest time without evidence of operation is longer than the window of "
        "the cadence allows, or that never had any. Criteria shown by policies alone have none.",
        criteria,
        Count(),
        "gap_in_operation",
        "{longest_gap_days} days without evidence, {window_days} allowed",
    ),
    Figure(
        "type_ii_deviations",
        "Deviations of SOC 2 criteria",
        "count",
        "less",
        "Deviations that tests and machine records found from {period_start} to {as_of}; a failed test without a "
        "count has one.",
        test_lines,
        Sum("deviations"),
        pl.col("deviations") > 0,
        "{method}: {deviations} in {tested} tested",
    ),
    Figure(
        "type_ii_tests_missed",
        "SOC 2 tests missed",
        "count",
        "less",
        "Test windows that closed from {period_start} to {as_of} without the test being performed.",
        test_lines,
        Sum("missed"),
        pl.col("missed") > 0,
        "{procedure}: {missed} missed",
    ),
    Figure(
        "type_ii_without_response",
        "SOC 2 criteria without management response",
        "count",
        "less",
        "Criteria with deviations or a gap in operation of which a test with deviations has no management response, "
        "or nothing has, and whose remediation has no plan.",
        criteria_to_answer,
        Count(),
        ~pl.col("answered"),
        "{why}",
    ),
    Figure(
        "bundles_sealed_in_period",
        "Evidence bundles sealed in the period",
        "count",
        "more",
        "Evidence bundles that were sealed from {period_start} to {as_of}.",
        "bundles",
        Count(),
        lambda ask: pl.col("sealed_on").is_between(ask.period_start, ask.as_of),
        "sealed {sealed_on}",
    ),
    Figure(
        "legal_holds_in_period",
        "Legal holds in force in the period",
        "count",
        "neither",
        "Legal holds placed by {as_of} and not released before {period_start}.",
        "legal_holds",
        Count(),
        lambda ask: (
            (pl.col("placed_on") <= ask.as_of) & (pl.col("released_on").fill_null(ask.as_of) >= ask.period_start)
        ),
        "placed {placed_on}, released {released_on}",
    ),
    Figure(
        "type_ii_cuecs",
        "SOC 2 controls that vendors leave with us",
        "count",
        "neither",
        "Complementary user entity controls of SOC 2: each part of a control that vendors leave with us counts "
        "once, whatever the number of vendors.",
        cuecs,
        Count(),
        reason="{customer_side}",
    ),
)
