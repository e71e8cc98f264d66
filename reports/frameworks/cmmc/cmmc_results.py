"""The result of each CMMC requirement, MET, NOT MET or N/A, with the points that it costs and its POA&M eligibility."""

from datetime import date, timedelta
from typing import Annotated

import polars as pl

from engine.catalogue import catalogue
from engine.model.declarations.ask import Ask
from engine.model.figures.formulas import sprs_score
from reports.frameworks.assessments import KEY, assessment_rows, why, with_remediations

FRAMEWORK = "cmmc-l2"
MET, NOT_MET, NOT_APPLICABLE = "MET", "NOT MET", "N/A"
SYSTEM_SECURITY_PLAN = "CA.L2-3.12.4"
ENCRYPTION = "SC.L2-3.13.11"  # no exception stands for cryptography that is not validated
CONDITIONAL_SCORE = 88
CLOSE_OUT_DAYS = 180
EVIDENCE, ENDURING, TEMPORARY = "evidence", "enduring exception", "temporary deficiency"
FINAL, CONDITIONAL, NONE, UNSCORED = "Final Level 2", "Conditional Level 2", "No status", "Cannot be scored"


def results(
    requirements: pl.DataFrame,
    control_assessments: pl.DataFrame,
    control_profiles: pl.DataFrame,
    exceptions: pl.DataFrame,
    gaps: pl.DataFrame,
) -> pl.DataFrame:
    """One row for each requirement. No evidence is NOT MET whatever else is on record."""
    points = (
        catalogue()
        .details(FRAMEWORK)
        .select("control_id", "domain", "domain_name", "sprs_points", "sprs_points_partial", "poam_eligible")
    )
    rows = with_remediations(assessment_rows(FRAMEWORK, requirements, control_assessments, control_profiles), gaps)
    return (
        rows.join(points, on="control_id", how="left")
        .join(_exception_terms(exceptions), on=KEY, how="left")
        .with_columns(basis=_basis())
        .with_columns(
            result=pl.when(~pl.col("applicable"))
            .then(pl.lit(NOT_APPLICABLE))
            .when(pl.col("basis").is_not_null())
            .then(pl.lit(MET))
            .otherwise(pl.lit(NOT_MET))
        )
        .with_columns(
            points_lost=_point_deductions(),
            exception_id=pl.when(pl.col("basis") == ENDURING)
            .then("enduring")
            .when(pl.col("basis") == TEMPORARY)
            .then("temporary"),
            why=pl.when(pl.col("result") == NOT_MET).then(why()),
        )
        .with_columns(on_poam=_on_poam())
        .sort("position", "control_id")
    )


def _exception_terms(exceptions: pl.DataFrame) -> pl.DataFrame:
    """The approved exception in force by what CMMC calls it; an enduring one says how the risk is mitigated."""
    mitigated = pl.col("compensating").fill_null("").str.strip_chars() != ""
    enduring = pl.col("kind").is_in(["accepted_risk", "compensating"])
    return (
        exceptions.filter(pl.col("standing") == "approved")
        .group_by(KEY)
        .agg(enduring=pl.col("id").filter(enduring & mitigated).min(), temporary=pl.col("id").filter(~enduring).min())
    )


def _basis() -> pl.Expr:
    """What makes a requirement MET; null when nothing does."""
    expression = pl.col("applicable") & (pl.col("state") != "no_data")
    operated = pl.col("previous_state").fill_null("") == "effective"
    plan = pl.col("due_on").is_not_null() & (pl.col("status").fill_null("unplanned") != "unplanned")
    return (
        pl.when(pl.col("applicable") & (pl.col("state") == "effective"))
        .then(pl.lit(EVIDENCE))
        .when(expression & pl.col("enduring").is_not_null() & (pl.col("control_id") != ENCRYPTION))
        .then(pl.lit(ENDURING))
        .when(expression & operated & plan & pl.col("temporary").is_not_null())
        .then(pl.lit(TEMPORARY))
    )


def _point_deductions() -> pl.Expr:
    """Fewer points only for what the methodology names, as somebody recorded it; evidence in part is no such fact."""
    recorded = pl.col("sprs_partial").fill_null(False) & (pl.col("state") != "no_data")
    partly = recorded & pl.col("sprs_points_partial").is_not_null()
    cost = pl.when(partly).then(pl.col("sprs_points_partial")).otherwise(pl.col("sprs_points")).fill_null(0)
    return pl.when(pl.col("result") == NOT_MET).then(cost).otherwise(0).cast(pl.Int64)


def _on_poam() -> pl.Expr:
    """Whether a requirement that is NOT MET may stand on the POA&M of a conditional status (32 CFR 170.21)."""
    eligible = pl.col("poam_eligible")
    partly = (eligible == "conditional") & (pl.col("points_lost") == pl.col("sprs_points_partial"))
    return pl.when(pl.col("result") == NOT_MET).then(((eligible == "yes") | partly).fill_null(False))


def scoring(frame: Annotated[pl.DataFrame, results]) -> pl.DataFrame:
    """What the SPRS score is the sum of: 110 points to begin with, and those that each requirement NOT MET costs.

    No row without a system security plan, because then nothing can be scored.
    """
    columns = ("framework", "control_id", "title", "why", "points")
    lost = frame.filter(pl.col("result") == NOT_MET).with_columns(points=-pl.col("points_lost")).select(columns)
    if not _has_plan(frame):
        return lost.clear()
    start = {
        "framework": FRAMEWORK,
        "control_id": None,
        "title": "Every requirement MET",
        "why": None,
        "points": sprs_score([]),
    }
    return pl.concat([pl.DataFrame([start], schema=lost.schema, orient="row"), lost])


def verdict(frame: Annotated[pl.DataFrame, results], ask: Ask) -> pl.DataFrame:
    """One row: score, the status that it allows, what it lacks and when it would end; none out of scope."""
    schema = {"sprs_score": pl.Int64, "status": pl.String, "lacking": pl.Int64, "close_out_by": pl.Date}
    if frame.is_empty():
        return pl.DataFrame(schema=schema)
    points = sprs_score(frame["points_lost"].to_list()) if _has_plan(frame) else None
    status = _standing(frame, points)
    lacking = None if points is None else max(CONDITIONAL_SCORE - points, 0)
    ends = close_out(ask) if status == CONDITIONAL else None
    return pl.DataFrame([(points, status, lacking, ends)], schema=schema, orient="row")


def close_out(ask: Ask) -> date:
    """The day on which a conditional status that was given today would end."""
    return ask.as_of + timedelta(days=CLOSE_OUT_DAYS)


def _has_plan(rows: pl.DataFrame) -> bool:
    plan = rows.filter(pl.col("control_id") == SYSTEM_SECURITY_PLAN)
    return not plan.filter("applicable", pl.col("state") != "no_data").is_empty()


def _standing(rows: pl.DataFrame, points: int | None) -> str:
    """The status that the results allow."""
    if points is None:
        return UNSCORED
    failing = rows.filter(pl.col("result") == NOT_MET)
    if failing.is_empty():
        return FINAL
    return CONDITIONAL if points >= CONDITIONAL_SCORE and failing["on_poam"].all() else NONE
