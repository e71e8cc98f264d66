"""SOC 2 Type II as it operated: population, tests and deviations of each criterion, gaps in operation, the trend."""

from collections.abc import Mapping

import polars as pl

from engine.model.document import (
    Chart,
    Coverage,
    Document,
    Table,
)
from engine.model.report import (
    PERIOD_DAYS,
    Ask,
    Parameter,
    Report,
)
from engine.reporting.catalogue import catalogue
from reports.frameworks.assessments import assessment_rows, evidence_coverage, with_remediations
from reports.frameworks.type_ii_tables import (
    causes,
    changes,
    complementary,
    deviations,
)
from reports.frameworks.type_ii_tests import (
    CLEAN,
    EXCEPTIONS,
    FRAMEWORK,
    NOT_TESTED,
    SAMPLE_SIZE,
    lines,
    months,
    operation,
    sample,
)
from reports.frameworks.type_ii_words import DEFINITIONS, LABELS, MINIMUM_DAYS
from reports.shared.columns import share_pct
from reports.shared.wording import count_of, some_of

SEED = Parameter("seed", 1, "seed of the sample of days; the same seed draws the same days", 0, 999_999)


def build(
    requirements: pl.DataFrame,
    control_status: pl.DataFrame,
    control_profiles: pl.DataFrame,
    gaps: pl.DataFrame,
    test_windows: pl.DataFrame,
    criteria_events: pl.DataFrame,
    criteria_days: pl.DataFrame,
    state_changes: pl.DataFrame,
    policies: pl.DataFrame,
    vendor_controls: pl.DataFrame,
    bundles: pl.DataFrame,
    legal_holds: pl.DataFrame,
    ask: Ask,
) -> Document:
    start, end = ask.period_start, ask.as_of
    bare = with_remediations(assessment_rows(FRAMEWORK, requirements, control_status, control_profiles), gaps)
    known = bare.select("control_id")
    tests = (
        lines(test_windows, criteria_events, start, end)
        .join(known, on="control_id")
        .sort("control_id", "method", "test_id")
    )
    criteria = _criteria(bare, tests, operation(criteria_days, bare, start, end))
    trend = (
        months(criteria_days, bare, test_windows, end)
        if bare.height
        else months(criteria_days, bare, test_windows, end).clear()
    )
    found = deviations(tests, criteria)
    cuecs = complementary(vendor_controls, FRAMEWORK)
    counts = {word: criteria.filter("applicable", pl.col("result") == word).height
              for word in (CLEAN, EXCEPTIONS, NOT_TESTED)}  # fmt: skip
    interrupted = criteria.filter("gap_in_operation")
    sealed = bundles.filter(pl.col("sealed_on").is_between(start, end)).height
    standing = legal_holds.filter(pl.col("placed_on") <= end, pl.col("released_on").fill_null(end) >= start).height
    return Document(
        headline=_headline(criteria, counts, interrupted, found, ask),
        summary={
            "period_from": start,
            "period_to": end,
            "criteria": criteria.height,
            "applicable": criteria.filter("applicable").height,
            "exceptions_noted": counts[EXCEPTIONS],
            "no_exceptions_noted": counts[CLEAN],
            "not_tested": counts[NOT_TESTED],
            "gaps_in_operation": interrupted.height,
            "deviations": int(tests["deviations"].sum()),
            "tests_missed": int(tests["missed"].sum()),
            "without_response": found.filter(~pl.col("answered")).height,
            "bundles_sealed": sealed,
            "legal_holds": standing,
            "cuecs": cuecs.height,
        },
        tables=(
            Table("deviations", "Deviations and gaps in operation", found, labels=LABELS, state=["status"]),
            Table("causes", "Deviations by cause", causes(tests), labels=LABELS),
            Table("trend", "Operation by month", trend, labels=LABELS),
            Table("criteria", "Every criterion", _shown(criteria), labels=LABELS, state=["state"],
                  hidden=["cadence", "sample_size", "gap_from", "gap_to", "days_with_evidence", "applicable",
                          "implementation"]),
            Table("tests", "Tests performed", tests.drop("unanswered"), labels=LABELS, hidden=["test_id"]),
            Table("cuecs", "Complementary controls that stay with us", cuecs, labels=LABELS, hidden=["vendor_id"]),
            Table("changes", "Changes during the period", changes(state_changes, policies, known, start, end),
                  labels=LABELS,
                  state=["before", "after"]),
            Table("sample", "Days to re-perform", sample(criteria_days, bare, start, end, ask.number(SEED)),
                  note="Drawn by the seed from the days with evidence; sizes follow the cadence.", labels=LABELS),
        ),
        coverage=_coverage(criteria),
        charts=_charts(trend),
        definitions=DEFINITIONS,
        warnings=_warnings(criteria, found, ask),
    )  # fmt: skip


def _criteria(rows: pl.DataFrame, tests: pl.DataFrame, ran: pl.DataFrame) -> pl.DataFrame:
    own = catalogue().details(FRAMEWORK).select("control_id", category="trust_services_category")
    sums = tests.group_by("control_id").agg(
        pl.col("performed", "missed", "population", "tested", "deviations", "unanswered").sum(),
        cause=pl.col("cause").list.explode().drop_nulls().unique(maintain_order=True),
        response=pl.col("response").list.explode().drop_nulls().unique(maintain_order=True),
    )
    return (
        rows.drop("tested")
        .join(own, on="control_id", how="left")
        .join(sums, on="control_id", how="left")
        .join(ran, on="control_id", how="left")
        .with_columns(
            pl.col("performed", "missed", "population", "tested", "deviations", "unanswered").fill_null(0),
            pl.col("cause", "response").fill_null([]),
            pl.col("gap_in_operation").fill_null(False),
            sample_size=pl.col("cadence").replace_strict(SAMPLE_SIZE, default=None, return_dtype=pl.Int64),
        )
        .with_columns(
            result=pl.when(~pl.col("applicable")).then(pl.lit("not applicable"))
            .when(pl.col("deviations") > 0).then(pl.lit(EXCEPTIONS))
            .when(pl.col("performed") == 0).then(pl.lit(NOT_TESTED))
            .otherwise(pl.lit(CLEAN)),
            deviation_rate_pct=share_pct(pl.col("deviations"), pl.col("tested")),
        )
        .sort("position", "control_id")
    )  # fmt: skip


def _shown(criteria: pl.DataFrame) -> pl.DataFrame:
    return criteria.select(
        *("control_id", "title", "category", "applicable", "result", "population", "tested", "deviations"),
        *("deviation_rate_pct", "longest_gap_days", "window_days", "gap_in_operation", "days_with_evidence"),
        *("gap_from", "gap_to", "cadence", "sample_size", "state", "owner", "implementation"),
    )


def _coverage(criteria: pl.DataFrame) -> Coverage:
    """Criteria that were tested in the period, of those that apply."""
    applicable = criteria.filter("applicable")
    return Coverage(applicable.filter(pl.col("performed") > 0).height, evidence_coverage(criteria).total)


def _headline(
    criteria: pl.DataFrame, counts: Mapping[str, int], interrupted: pl.DataFrame, found: pl.DataFrame, ask: Ask
) -> str:
    if criteria.is_empty():
        return "SOC 2 is not in scope, so there is no period to report on."
    total = criteria.filter("applicable").height
    if counts[NOT_TESTED] == total:
        return f"No criterion was tested in {count_of(ask.period_days, 'day')}, so nothing is known about operation."
    noun = "applicable criterion" if total == 1 else "applicable criteria"
    verb = "has" if counts[EXCEPTIONS] == 1 or total == 1 else "have"
    share = (
        f"{counts[EXCEPTIONS]:,} of {total:,} {noun} {verb} exceptions noted over {count_of(ask.period_days, 'day')}"
    )
    gap = f" and {interrupted.height:,} did not operate throughout" if interrupted.height else ""
    if found.is_empty():
        silent = counts[NOT_TESTED]
        return f"{share}; {silent:,} not tested." if silent else f"{share}; every criterion was tested."
    first = found.row(0, named=True)
    return f"{share}{gap}: evaluate {first['control_id']} {first['title']} first ({first['why']})."


def _warnings(criteria: pl.DataFrame, found: pl.DataFrame, ask: Ask) -> list[str]:
    warnings = []
    if criteria.height and ask.period_days < MINIMUM_DAYS:
        warnings.append(
            f"{count_of(ask.period_days, 'day')} is shorter than the three to twelve months that a Type II examination "
            "usually covers: ask for periodDays of 90 to 365."
        )
    untested = criteria.filter("applicable", pl.col("result") == NOT_TESTED)["control_id"].to_list()
    if untested:
        warnings.append(f"Not tested in the period: {some_of(untested)}.")
    silent = found.filter(~pl.col("answered"))["control_id"].to_list()
    if silent:
        warnings.append(f"No management response on record: {some_of(silent)}.")
    return warnings


def _charts(trend: pl.DataFrame) -> list[Chart]:
    frame = trend.drop_nulls("operated_pct").select("month", "operated_pct")
    if frame.is_empty():
        return []
    alt = "Share of the criteria due at least monthly with evidence of operation, month by month."
    return [Chart("lines", "Criteria that operated, by month", frame, "month", "operated_pct", alt, percent=True)]


REPORT = Report(
    name="type-ii",
    title="SOC 2 Type II monitoring",
    description="Population, tests and deviations of each criterion, gaps in operation, causes, trend and changes.",
    build=build,
    parameters=(PERIOD_DAYS, SEED),
)  # fmt: skip
