"""The statement of applicability of ISO/IEC 27001 with the candidate finding of each requirement."""

import polars as pl

from reports.frameworks.assessments import why

FRAMEWORK = "iso27001"
FINDINGS = ("major candidate", "minor candidate", "improvement")
HEAVY = 4


def statement(
    requirements: pl.DataFrame, control_assessments: pl.DataFrame, control_profiles: pl.DataFrame
) -> pl.DataFrame:
    """One row for each requirement of clauses 4 to 10 and Annex A, with state, justification and candidate finding."""
    key = ["framework", "control_id"]
    assessed = control_assessments.select(
        *(*key, "applicable", "justification", "approved_by", "approved_on", "state", "weight", "last_source"),
        *("freshness", "owner", "exception_id", "evidence_note", "change_invalidated", "failing_test"),
        *("kinds_required", "kinds_present", "kinds_stale"),
        evidence_place="evidence_place",
        evidence_id="last_evidence_id",
        evidence_on="last_evidence_on",
    )
    chapters = requirements.select("framework", chapter="control_id", chapter_title="title")
    annex, excluded = pl.col("annex_a"), ~pl.col("applicable")
    text = pl.col("justification").str.strip_chars()
    reason = pl.when(text.str.len_chars() > 0).then(text)
    joined = (
        requirements.filter((pl.col("framework") == FRAMEWORK) & pl.col("assessable"))
        .with_columns(annex_a=pl.col("flags").list.contains("annex_a"))
        .with_columns(
            chapter=pl.when("annex_a").then(pl.col("group_id")).otherwise(pl.col("control_id").str.extract(r"^(\d+)"))
        )
        .join(chapters, on=["framework", "chapter"], how="left")
        .join(assessed, on=key, how="left")
        .join(control_profiles.select(*key, "exclusion", "implementation", "risk_ref", "systems"), on=key, how="left")
        .with_columns(pl.col("applicable").fill_null(True), pl.col("exclusion").fill_null(False))
        .with_columns(
            area=pl.when(annex).then(pl.col("group_title")).otherwise(pl.format("{} {}", "chapter", "chapter_title")),
            state=pl.when(excluded).then(pl.lit("not_applicable")).otherwise(pl.col("state").fill_null("no_data")),
            currentness=pl.when("applicable").then(pl.col("freshness").fill_null("missing")),
            justification_inclusion=pl.when("applicable").then(reason),
            justification_exclusion=pl.when(excluded).then(reason),
            proven=reason.is_not_null() & pl.col("approved_by").is_not_null() & pl.col("approved_on").is_not_null(),
            # said to be excluded, which holds where it is approved alone
            said_excluded=excluded | pl.col("exclusion"),
        )
        .with_columns(proven=pl.col("proven") & excluded)
    )
    return joined.with_columns(_finding(), _why()).sort("position", "control_id")


def _finding() -> pl.Expr:
    state, excluded = pl.col("state"), pl.col("said_excluded")
    heavy = (state == "ineffective") & (pl.col("weight") >= HEAVY)
    return (
        pl.when((excluded & ~pl.col("annex_a")) | heavy)
        .then(pl.lit("major candidate"))
        .when(state.is_in(["ineffective", "no_data"]) | (excluded & ~pl.col("proven")))
        .then(pl.lit("minor candidate"))
        .when(state.is_in(["partial", "stale"]))
        .then(pl.lit("improvement"))
        .alias("finding")
    )


def _why() -> pl.Expr:
    return (
        pl.when(pl.col("said_excluded") & ~pl.col("annex_a"))
        .then(pl.lit("a clause of 4 to 10 may not be excluded"))
        .when(pl.col("said_excluded") & ~pl.col("proven"))
        .then(pl.lit("exclusion lacks justification, approver or date"))
        .otherwise(why())
        .alias("why")
    )
