"""SOC 2 Type II as it operated: population, tests and deviations of each criterion, gaps in operation, the trend."""

from dataclasses import replace
from datetime import date

import polars as pl

from engine.model.declarations.ask import PERIOD_DAYS, Ask, Parameter
from engine.model.declarations.report import Report
from engine.model.documents.document import Alarm, Chart, Coverage, Document, Opening, Table
from engine.model.figures.figure import Figures
from reports.figures import select
from reports.frameworks.assessments import evidence_coverage
from reports.frameworks.soc2.type_ii_rows import criteria, criteria_in_scope, criteria_to_answer, test_lines
from reports.frameworks.soc2.type_ii_tables import causes, changes, cuecs
from reports.frameworks.soc2.type_ii_tests import FRAMEWORK, NOT_TESTED, SAMPLED, months, sample
from reports.frameworks.soc2.type_ii_words import DEFINITIONS, LABELS, MAXIMUM_DAYS, MINIMUM_DAYS, TODAY
from reports.shared import records, setup
from reports.shared.wording import count_of, some_of, with_whom

PERIOD = replace(PERIOD_DAYS, default=MAXIMUM_DAYS)
# what a page leads with
FOREMOST = (
    *("type_ii_exceptions_noted", "type_ii_gaps_in_operation", "type_ii_without_response", "type_ii_tests_missed"),
    *("type_ii_not_tested", "type_ii_deviations"),
)
SEED = Parameter("seed", 1, "seed of the sample of days; the same seed draws the same days", 0, 999_999)


def build(
    test_windows: pl.DataFrame,
    criteria_days: pl.DataFrame,
    state_changes: pl.DataFrame,
    policies: pl.DataFrame,
    known_since: pl.DataFrame,
    figures: Figures,
    ask: Ask,
) -> Document:
    start, end = ask.period_start, ask.as_of
    bare, rows = figures.rows(criteria_in_scope), figures.rows(criteria)
    tests, frame = figures.rows(test_lines), figures.rows(criteria_to_answer)
    trend = months(criteria_days, bare, test_windows, end)
    known = records.since(known_since, FRAMEWORK)
    trend = _months_on_record(trend, known) if bare.height else trend.clear()
    return Document(
        *_opening(frame, figures, known, ask),
        summary={"period_from": start, "period_to": end},
        tables=(
            Table(
                "deviations",
                "Deviations and gaps in operation",
                frame,
                labels=LABELS,
                state=["status"],
                hidden=["owner"],
                note="A deviation is one event or sampled item that broke the criterion; a failed test counts "
                "once however many it found.",
                part_of=("criteria",),
            ),
            Table("causes", "Deviations by cause", causes(tests)),
            Table("trend", "Operation by month", trend, note=_trend_note(tests)),
            Table(
                "criteria",
                "Every criterion",
                _test_columns(rows),
                note=TODAY,
                labels=LABELS,
                state=["state"],
                hidden=[
                    "cadence",
                    "sample_size",
                    "gap_from",
                    "gap_to",
                    "days_with_evidence",
                    "applicable",
                    "implementation",
                ],
            ),
            Table("tests", "Tests performed", tests.drop("unanswered"), labels=LABELS, hidden=["test_id"]),
            Table(
                "cuecs",
                "Complementary controls that stay with us",
                figures.rows(cuecs),
                labels=LABELS,
                hidden=["vendor_id"],
            ),
            Table(
                "changes",
                "Changes during the period",
                changes(state_changes, policies, bare.select("control_id"), start, end),
                labels=LABELS,
                state=["before", "after"],
            ),
            Table(
                "sample",
                "Days to re-perform",
                sample(criteria_days, bare, start, end, ask.number(SEED)),
                note="Drawn by the seed from the days with evidence; sizes follow the cadence.",
                labels=LABELS,
            ),
        ),
        coverage=_coverage(rows),
        charts=_charts(trend, causes(tests)),
        definitions=DEFINITIONS,
        foremost=FOREMOST if bare.height else (),
        warnings=_warnings(rows, frame, records.since(known_since, FRAMEWORK), ask),
    )


def _trend_note(tests: pl.DataFrame) -> str:
    """How many of the deviations the months have, which are of tests by people alone."""
    total, people = (int(rows["deviations"].sum()) for rows in (tests, tests.filter(method=SAMPLED)))
    if total == people:
        return ""
    return (
        f"Tests and their deviations are those of people: {people:,} of {count_of(total, 'deviation')} in the period; "
        "the others are events of machine records, in no month here."
    )


def _test_columns(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.select(
        *("control_id", "title", "category", "applicable", "result", "result_basis", "population"),
        *("tested", "deviations", "deviation_rate_pct", "longest_gap_days", "window_days"),
        *("gap_in_operation", "days_with_evidence"),
        *("gap_from", "gap_to", "cadence", "sample_size", "state", "owner", "implementation"),
    )


def _coverage(rows: pl.DataFrame) -> Coverage:
    """Criteria that were tested in the period, of those that apply."""
    applicable = rows.filter("applicable")
    return Coverage(applicable.filter(pl.col("result") != NOT_TESTED).height, evidence_coverage(rows).total, "tested")


def _opening(frame: pl.DataFrame, figures: Figures, since: date | None, ask: Ask) -> Opening:
    if not figures["type_ii_criteria"]:
        return Opening("SOC 2 is not in scope, so there is no period to report on.", setup.IN_SCOPE)
    total, noted = figures["type_ii_applicable"], figures["type_ii_exceptions_noted"]
    silent, interrupted = figures["type_ii_not_tested"], figures["type_ii_gaps_in_operation"]
    if not total:
        return Opening("No SOC 2 criterion is applicable, so there is nothing to report on.")
    if silent == total:
        text = f"{_on_record(since, ask)}No criterion was tested in {_days(ask)}, so nothing is known about operation."
        return Opening(text, setup.fill("test_runs"))
    noun = "applicable criterion" if total == 1 else "applicable criteria"
    verb = "has" if noted == 1 or total == 1 else "have"
    share = f"{_on_record(since, ask)}{noted:,} of {total:,} {noun} {verb} exceptions noted over {_days(ask)}"
    if frame.is_empty():
        return Opening(f"{share}; {silent:,} not tested." if silent else f"{share}; every criterion was tested.")
    gap = f" and {interrupted:,} did not operate throughout" if interrupted else ""
    first = frame.row(0, named=True)
    return Opening(
        f"{share}{gap}.",
        f"Evaluate {first['control_id']} {first['title']} first ({first['why']}; {with_whom(first['work_owner'])}).",
    )


def _days(ask: Ask) -> str:
    return count_of(ask.period_days, "day")


def _on_record(since: date | None, ask: Ask) -> str:
    """How little of the period is on record comes before anything that is said of the period."""
    if since is None or since <= ask.period_start:
        return ""
    return f"{max((ask.as_of - since).days + 1, 0):,} of {ask.period_days:,} days are on record: "


def _warnings(rows: pl.DataFrame, frame: pl.DataFrame, since: date | None, ask: Ask) -> list[str]:
    warnings: list[str] = []
    if rows.height and since is not None and since > ask.period_start:
        warnings.append(f"Records of SOC 2 begin on {since}: gaps in operation are measured from then on.")
    if rows.height and ask.period_days < MINIMUM_DAYS:
        warnings.append(
            f"{count_of(ask.period_days, 'day')} is shorter than the three to twelve months that a Type II examination "
            f"usually covers: ask for periodDays of {MINIMUM_DAYS} to {MAXIMUM_DAYS}."
        )
    untested = rows.filter("applicable", pl.col("result") == NOT_TESTED)["control_id"].to_list()
    if untested:
        warnings.append(f"Not tested in the period: {some_of(untested)}.")
    silent = frame.filter(~pl.col("answered"))
    if silent.height:
        whose = silent["owner"].drop_nulls().unique(maintain_order=True).to_list()
        asked = f" ({some_of(whose, 3)})" if whose else ""
        names = some_of([f"SOC 2 {name}" for name in silent["control_id"]])
        warnings.append(
            Alarm(f"Deviations without a management response or a plan: {names}. Their owners{asked} write one.")
        )
    return warnings


def _months_on_record(trend: pl.DataFrame, known: date | None) -> pl.DataFrame:
    """The months of which anything is on record: of those before, nobody knows what operated."""
    return trend if known is None else trend.filter(pl.col("month") >= known.strftime("%Y-%m"))


def _charts(trend: pl.DataFrame, found: pl.DataFrame) -> list[Chart]:
    """The months, where there are some to compare and they differ; else what deviations come from."""
    frame = trend.drop_nulls("operated_pct").select("month", "operated_pct")
    if frame.height > 1 and frame["operated_pct"].min() != 100:  # a line at the top tells nothing
        alt = "Share of the criteria due at least monthly with evidence of operation, month by month."
        return [Chart("lines", "Criteria that operated, by month", frame, "month", "operated_pct", alt, percent=True)]
    if found.is_empty():
        return []
    bars = found.select("cause", "tests")
    return [Chart("bars", "Deviations by cause", bars, "cause", "tests", "Tests with deviations by their cause.")]


REPORT = Report(
    name="type-ii",
    title="SOC 2 Type II monitoring",
    description="Population, tests and deviations of each criterion, gaps in operation, causes, trend and changes.",
    build=build,
    figures=select(
        *("type_ii_criteria", "type_ii_applicable", "type_ii_exceptions_noted", "type_ii_no_exceptions_noted"),
        *("type_ii_not_tested", "type_ii_gaps_in_operation", "type_ii_deviations", "type_ii_tests_missed"),
        *("type_ii_without_response", "bundles_sealed_in_period", "legal_holds_in_period", "type_ii_cuecs"),
    ),
    parameters=(PERIOD, SEED),
    schema_version=2,
    plans="soc2",
)
