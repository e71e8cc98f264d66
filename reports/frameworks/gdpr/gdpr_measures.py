"""The measures of Article 32 GDPR, whether they can be demonstrated, and the incidents that were restored from."""

import polars as pl

from engine.catalogue import catalogue
from engine.model.declarations.ask import Ask
from reports.frameworks.assessments import assessment_rows, in_scope, why, with_remediations
from reports.shared.maintenance import PLANNED

FRAMEWORK = "gdpr-art32"
RESTORE, TESTING, RISKS, CONTRACTS = "Art.32(1)(c)", "Art.32(1)(d)", "Art.32(2)", "Art.32(4)"
DEMONSTRATED, IN_PART, NOT_DEMONSTRATED = "demonstrated", "demonstrated in part", "not demonstrated"
STANDING = {
    "effective": DEMONSTRATED,
    "partial": IN_PART,
    "stale": IN_PART,
    "ineffective": NOT_DEMONSTRATED,
    "no_data": NOT_DEMONSTRATED,
    "not_applicable": "not applicable",
}
NOT_ASSESSED = "not assessed"
TYPES = {"technical": "technical", "organisational": "organisational", "both": "technical and organisational"}


def measures(
    requirements: pl.DataFrame,
    control_assessments: pl.DataFrame,
    control_profiles: pl.DataFrame,
    gaps: pl.DataFrame,
    risks: pl.DataFrame,
    test_windows: pl.DataFrame,
) -> pl.DataFrame:
    """One row for each measure with its standing, the residual risk to persons and its last test."""
    own = catalogue().details(FRAMEWORK).select("control_id", measure_type=pl.col("measure_type").replace(TYPES))
    levels = risks.select(risk_ref="id", residual_risk=pl.when("unknown").then(pl.lit("critical")).otherwise("level"))
    tested = (
        test_windows.filter(pl.col("framework") == FRAMEWORK, pl.col("performed_on").is_not_null())
        .sort("performed_on", "run_id")
        .group_by("control_id", maintain_order=True)
        .agg(last_tested_on=pl.col("performed_on").last(), test_outcome=pl.col("outcome").last())
    )
    return (
        with_remediations(assessment_rows(FRAMEWORK, requirements, control_assessments, control_profiles), gaps)
        .join(own, on="control_id", how="left")
        .join(levels, on="risk_ref", how="left")
        .join(tested, on="control_id", how="left")
        .with_columns(
            standing=pl.col("state").replace_strict(STANDING, default=NOT_DEMONSTRATED),
            state_of_the_art="implementation",
            residual_risk=pl.when("applicable").then(pl.col("residual_risk").fill_null(NOT_ASSESSED)),
            restore_objective_minutes=pl.lit(None, dtype=pl.Int64),
            why=why(),
        )
        .with_columns(_of_all_measures())
        .sort("position", "control_id")
    )


def _of_all_measures() -> list[pl.Expr]:
    """To assess risks and to test are about every measure: while nobody knows of one, they are shown in part."""
    applicable, name = pl.col("applicable"), pl.col("control_id")
    unassessed = (applicable & (pl.col("residual_risk") == NOT_ASSESSED)).sum()
    untested = (applicable & pl.col("last_tested_on").is_null()).sum()
    lacks = (
        pl.when(name == RISKS, unassessed > 0)
        .then(pl.format("{} of {} measures without an assessed risk to persons", unassessed, applicable.sum()))
        .when(name == TESTING, untested > 0)
        .then(pl.format("{} of {} measures without a test", untested, applicable.sum()))
    )
    shown = (pl.col("standing") == DEMONSTRATED) & lacks.is_not_null()
    return [
        pl.when(shown).then(pl.lit(IN_PART)).otherwise("standing").alias("standing"),
        pl.when(shown).then(lacks).otherwise("why").alias("why"),
    ]


def restorations(requirements: pl.DataFrame, incidents: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """The incidents opened in the period that were resolved, planned maintenance aside; none where the article is not
    in scope."""
    opened = pl.col("opened_at").dt.date().is_between(ask.period_start, ask.as_of)
    frame = incidents.filter(opened, ~PLANNED, pl.col("minutes_to_resolve").is_not_null()).sort("opened_at", "id")
    return frame if in_scope(FRAMEWORK, requirements) else frame.clear()
