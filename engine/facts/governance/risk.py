"""Risks and exceptions as they stand on a day."""

import polars as pl

from engine.facts.approvals import with_approval
from engine.facts.expressions import days_between, freshness, has_happened, shape, window_of


def risks(risks_rows: pl.DataFrame, approvers: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    """Open risks and closed ones with their cells (F11). An unknown rating counts as 5 and is flagged.

    Nobody rated what the treatment leaves over: that counts 5 too, for the inherent rating says nothing about it.
    What is missing counts as 5 (F11), in the level, too; ``residual_unknown`` says that nobody judged it so.
    ``acceptance_approved``: somebody of the organization accepted it on a day that has come; null where it is treated
    otherwise.
    """
    ratings = ("likelihood", "impact", "residual_likelihood", "residual_impact")
    frame = (
        with_approval(
            risks_rows.join(asked.select("org_id", "as_of", "risk_appetite"), on="org_id"),
            approvers,
            "accepted_by",
            "accepted_on",
        )
        .with_columns(
            *(pl.col(name).fill_null(5) for name in ratings),
            acceptance_approved=pl.when(pl.col("treatment") == "accept").then("approved"),
            unknown=pl.any_horizontal(pl.col(name).is_null() for name in ratings),
            inherent_unknown=pl.any_horizontal(pl.col(name).is_null() for name in ratings[:2]),
            residual_unknown=pl.any_horizontal(pl.col(name).is_null() for name in ratings[2:]),
            previous=pl.col("previous_likelihood") * pl.col("previous_impact"),
            appetite=pl.coalesce("appetite", pl.col("risk_appetite").cast(pl.Int64)),
        )
        .with_columns(
            inherent=pl.col("likelihood") * pl.col("impact"),
            residual=pl.col("residual_likelihood") * pl.col("residual_impact"),
        )
        .with_columns(
            level=pl.when(pl.col("residual") <= 4)
            .then(pl.lit("low"))
            .when(pl.col("residual") <= 9)
            .then(pl.lit("moderate"))
            .when(pl.col("residual") <= 16)
            .then(pl.lit("high"))
            .otherwise(pl.lit("critical")),
            over_appetite=(pl.col("residual") > pl.col("appetite")) & (pl.col("status") == "open"),
        )
    )
    return shape("risks", frame).sort("org_id", "residual", "id", descending=[False, True, False])


def exceptions(
    exceptions_rows: pl.DataFrame, controls: pl.DataFrame, approvers: pl.DataFrame, asked: pl.DataFrame
) -> pl.DataFrame:
    """Exceptions with their standing: an approved one past its last day is expired.

    One whose approval does not hold is in review whatever it is called, and ``unapproved``. Evidence of a compensating
    measure ages by the cadence of the control, quarterly where it has none. An expired one
    is replaced where another on its control is in force.
    """
    titles = controls.select("org_id", "framework", "control_id", "title", "cadence")
    measure = (pl.col("kind") == "compensating") | pl.col("compensating").is_not_null()
    age = days_between("as_of", pl.when(has_happened("compensating_evidence_on")).then("compensating_evidence_on"))
    called, over = pl.col("status") == "approved", pl.col("expires_on") < pl.col("as_of")
    frame = (
        with_approval(
            exceptions_rows.join(asked.select("org_id", "as_of"), on="org_id"), approvers, "approver", "approved_on"
        )
        .join(titles, on=["org_id", "framework", "control_id"], how="left")
        .with_columns(cadence=pl.col("cadence").fill_null("quarterly"))
        .with_columns(
            evidence_freshness=pl.when(measure).then(freshness(age, window_of("cadence"))),
            days_left=days_between("expires_on", "as_of"),
            renewals=pl.col("renewals").fill_null(0),
            unapproved=called & ~over & ~pl.col("approved"),
            standing=pl.when(called & over)
            .then(pl.lit("expired"))
            .when(called & ~pl.col("approved"))
            .then(pl.lit("in_review"))
            .otherwise("status"),
        )
        .with_columns(
            replaced=(pl.col("standing") == "expired")
            & _is_in_force().fill_null(False).any().over("org_id", "framework", "control_id")
        )
    )
    return shape("exceptions", frame).sort("org_id", "expires_on", "id")


def _is_in_force() -> pl.Expr:
    return (
        (pl.col("standing") == "approved")
        & pl.col("approver").is_not_null()
        & pl.col("approved_on").le(pl.col("as_of"))
    )
