"""GDPR Article 32: the measures, whether they can be demonstrated, the risk that stays, and the processors."""

import polars as pl

from engine.model.document import (
    Chart,
    Coverage,
    Document,
    Table,
)
from engine.model.formulas import nearest_rank
from engine.model.report import Ask, Report
from engine.reporting.catalogue import catalogue
from reports.frameworks.assessments import (
    assessment_rows,
    evidence_coverage,
    why,
    with_remediations,
)
from reports.frameworks.gdpr_processors import NO_DPA, processors
from reports.shared.wording import count_of, part_of, some_of

FRAMEWORK = "gdpr-art32"
RESTORE = "Art.32(1)(c)"
DEMONSTRATED, IN_PART, NOT_DEMONSTRATED = "demonstrated", "demonstrated in part", "not demonstrated"
STANDING = {
    "effective": DEMONSTRATED,
    "partial": IN_PART,
    "stale": IN_PART,
    "ineffective": NOT_DEMONSTRATED,
    "no_data": NOT_DEMONSTRATED,
    "not_applicable": "not applicable",
}
TYPES = {"technical": "technical", "organisational": "organisational", "both": "technical and organisational"}
LABELS = {
    "control_id": "Provision",
    "measure_type": "Type",
    "state": "Evidence state",
    "standing": "Can it be shown?",
    "state_of_the_art": "State of the art",
    "residual_risk": "Residual risk to persons",
    "last_tested_on": "Last tested",
    "test_outcome": "Test result",
    "restore_objective_minutes": "Restore objective (minutes)",
    "restore_measured_minutes": "Median to resolution (minutes)",
    "processors_open": "Processors without valid agreement",
    "last_evidence_id": "Evidence",
    "last_evidence_on": "Evidence date",
    "due_on": "Planned for",
    "status": "Remediation",
    "name": "Processor",
    "dpa": "Agreement",
    "flows_down": "Binds sub-processors",
}
DEFINITIONS = {
    "demonstrated": "Evidence of every mandatory kind is there and in its window. The controller must be able to "
    "demonstrate compliance (Articles 5(2) and 24), so what cannot be shown counts as missing.",
    "demonstrated in part": "Evidence is partial or older than its window.",
    "state of the art": "What the organization says of the measure; empty where it says nothing.",
    "residual risk to persons": "Level of the risk that the measure is linked to, after treatment, by likelihood and "
    "severity for natural persons. 'Not assessed' where none is linked; an unknown rating counts as the worst.",
    "restore": "Article 32(1)(c) asks to restore availability in a timely manner. The median is that from opening to "
    "resolution of the incidents opened in the period; no restore time objective is on record to hold it against, so "
    "whether it is timely must be judged.",
    "processor": "A vendor with classes of data, with a data processing agreement, or that handles health information. "
    "Article 28(3) asks for a contract, 28(4) for the same duties on sub-processors.",
}


def build(
    requirements: pl.DataFrame,
    control_status: pl.DataFrame,
    control_profiles: pl.DataFrame,
    gaps: pl.DataFrame,
    risks: pl.DataFrame,
    test_windows: pl.DataFrame,
    incidents: pl.DataFrame,
    vendors: pl.DataFrame,
    agreements: pl.DataFrame,
    ask: Ask,
) -> Document:
    bare = with_remediations(assessment_rows(FRAMEWORK, requirements, control_status, control_profiles), gaps)
    partners = processors(vendors if bare.height else vendors.clear(), agreements, ask.as_of)
    restore = _median_restore(incidents, ask)
    rows = _measures(bare, risks, test_windows, partners, restore)
    words = (DEMONSTRATED, IN_PART, NOT_DEMONSTRATED)
    counts = {word: rows.filter(pl.col("standing") == word).height for word in words}
    applicable = rows.filter("applicable").height
    without = partners.filter(pl.col("finding").is_not_null())
    return Document(
        headline=_headline(rows, counts[DEMONSTRATED], applicable),
        summary={
            "measures": rows.height,
            "applicable": applicable,
            "demonstrated": counts[DEMONSTRATED],
            "demonstrated_in_part": counts[IN_PART],
            "not_demonstrated": counts[NOT_DEMONSTRATED],
            "demonstrated_pct": Coverage(counts[DEMONSTRATED], applicable).pct,
            "risk_not_assessed": rows.filter("applicable", pl.col("residual_risk") == "not assessed").height,
            "never_tested": rows.filter("applicable", pl.col("last_tested_on").is_null()).height,
            "restore_measured_minutes": restore if rows.height else None,
            "processors": partners.height,
            "processors_without_agreement": partners.filter(pl.col("finding") == NO_DPA).height,
            "processors_open": without.height,
        },
        tables=(
            Table(
                "measures",
                "Measures of Article 32",
                rows.select(
                    *("control_id", "title", "measure_type", "standing", "state", "residual_risk", "systems"),
                    *("state_of_the_art", "last_tested_on", "test_outcome", "restore_objective_minutes"),
                    *("restore_measured_minutes", "processors_open", "last_evidence_id", "last_evidence_on", "owner"),
                ),
                labels=LABELS,
                state=["state", "residual_risk", "test_outcome"],
                hidden=[
                    *("state", "restore_objective_minutes", "restore_measured_minutes", "processors_open"),
                    "last_evidence_id",
                ],
            ),
            Table("open", "What cannot be shown", _open(rows), labels=LABELS, state=["state", "status"]),
            Table(
                "processors",
                "Processors (Article 28)",
                partners,
                labels=LABELS,
                hidden=["vendor_id"],
                state=["assurance"],
            ),
        ),
        coverage=evidence_coverage(rows),
        charts=_charts(rows),
        definitions=DEFINITIONS,
        warnings=_warnings(rows, without),
    )


def _measures(
    rows: pl.DataFrame, risks: pl.DataFrame, tests: pl.DataFrame, partners: pl.DataFrame, restore: float | None
) -> pl.DataFrame:
    own = catalogue().details(FRAMEWORK).select("control_id", measure_type=pl.col("measure_type").replace(TYPES))
    levels = risks.select(risk_ref="id", residual_risk=pl.when("unknown").then(pl.lit("critical")).otherwise("level"))
    tested = (
        tests.filter(pl.col("framework") == FRAMEWORK, pl.col("performed_on").is_not_null())
        .sort("performed_on", "run_id")
        .group_by("control_id", maintain_order=True)
        .agg(last_tested_on=pl.col("performed_on").last(), test_outcome=pl.col("outcome").last())
    )
    restoring = pl.col("control_id") == RESTORE
    contracts = pl.col("control_id") == "Art.32(4)"
    return (
        rows.join(own, on="control_id", how="left")
        .join(levels, on="risk_ref", how="left")
        .join(tested, on="control_id", how="left")
        .with_columns(
            standing=pl.col("state").replace_strict(STANDING, default=NOT_DEMONSTRATED),
            state_of_the_art="implementation",
            residual_risk=pl.when("applicable").then(pl.col("residual_risk").fill_null("not assessed")),
            restore_objective_minutes=pl.lit(None, dtype=pl.Int64),
            restore_measured_minutes=pl.when(restoring).then(pl.lit(restore, dtype=pl.Float64)),
            processors_open=pl.when(contracts).then(
                pl.lit(partners.filter(pl.col("finding").is_not_null()).height, dtype=pl.Int64)
            ),
            why=why(),
        )
        .sort("position", "control_id")
    )


def _median_restore(incidents: pl.DataFrame, ask: Ask) -> float | None:
    """Nearest-rank median of the minutes to resolution of the incidents opened in the period."""
    opened = incidents.filter(pl.col("opened_at").dt.date().is_between(ask.period_start, ask.as_of))
    return nearest_rank(opened["minutes_to_resolve"].drop_nulls().to_list(), 50)


def _open(rows: pl.DataFrame) -> pl.DataFrame:
    return (
        rows.filter("applicable", pl.col("standing") != DEMONSTRATED)
        .sort(pl.col("standing") == IN_PART, -pl.col("weight").fill_null(5), "position", "control_id")
        .select(
            *("control_id", "title", "standing", "why", "state", "residual_risk", "owner", "action", "status"),
            *("due_on", "effort_hours"),
        )
    )


def _headline(rows: pl.DataFrame, demonstrated: int, applicable: int) -> str:
    if rows.is_empty():
        return "GDPR Article 32 is not in scope, so there is nothing to assess."
    share = f"{part_of(demonstrated, applicable, 'Article 32 measure', ('can', 'can'))} be demonstrated"
    first = _open(rows)
    if first.is_empty():
        return f"{share}."
    row = first.row(0, named=True)
    return f"{share}: start with {row['control_id']} {row['title']} ({row['why']})."


def _warnings(rows: pl.DataFrame, without: pl.DataFrame) -> list[str]:
    warnings = []
    unassessed = rows.filter("applicable", pl.col("residual_risk") == "not assessed").height
    if unassessed:
        warnings.append(f"No residual risk to persons is linked to {count_of(unassessed, 'measure')}.")
    if rows.filter("applicable", pl.col("control_id") == RESTORE).height:
        warnings.append("No restore time objective is on record to hold a restore test against (Article 32(1)(c)).")
    if without.height:
        warnings.append(f"Processors without a complete agreement: {some_of(without['name'].to_list())}.")
    return warnings


def _charts(rows: pl.DataFrame) -> list[Chart]:
    if rows.is_empty():
        return []
    words = pl.DataFrame({"standing": [*dict.fromkeys(STANDING.values())]})
    counts = rows.group_by("standing").agg(measures=pl.len().cast(pl.Int64))
    frame = words.join(counts, on="standing", how="left", maintain_order="left").fill_null(0)
    alt = "How many of the measures of Article 32 can be demonstrated."
    return [Chart("bars", "Can it be shown?", frame, "standing", "measures", alt)]


REPORT = Report(
    name="gdpr-art32",
    title="GDPR Article 32 measures",
    description="Technical and organisational measures with evidence, residual risk, tests and processors.",
    build=build,
)  # fmt: skip
