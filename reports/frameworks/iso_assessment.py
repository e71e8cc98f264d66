"""ISO/IEC 27001 as an internal audit reads it: clauses 4 to 10, statement of applicability, candidate findings."""

import polars as pl

from engine.model.document import (
    Chart,
    Coverage,
    Document,
    Table,
)
from engine.model.report import Ask, Report
from engine.model.vocabulary import CONTROL_STATES
from reports.shared.columns import in_order, share_pct
from reports.shared.wording import count_of, part_of, some_of

FRAMEWORK = "iso27001"
FINDINGS = ("major candidate", "minor candidate", "improvement")
HEAVY = 4
WHY = {
    "ineffective": "a test failed or an event contradicts it",
    "no_data": "no evidence ever",
    "partial": "some kinds of evidence are lacking",
    "stale": "evidence is older than its window",
}
LABELS = {
    "control_id": "Control",
    "justification_inclusion": "Why included",
    "justification_exclusion": "Why excluded",
    "state": "Status",
    "risk_ref": "Risk",
    "evidence_id": "Evidence",
    "evidence_on": "Evidence date",
    "currentness": "Currentness",
    "finding": "Finding",
    "strict_pct": "Effective (%)",
}
DEFINITIONS = {
    "major candidate": "A clause of 4 to 10 is excluded, which the standard does not allow, or a requirement of "
    "weight 4 or 5 is ineffective.",
    "minor candidate": "Any other ineffective requirement, one without evidence, or an Annex A exclusion without "
    "justification, approver and date.",
    "improvement": "Opportunity for improvement: evidence is partial or stale.",
    "candidate": "The rules propose a finding; only an auditor decides whether it is a nonconformity, and which.",
    "status": "Effective, partial, stale, ineffective, no data or not applicable, from evidence; a statement alone "
    "makes nothing effective.",
    "currentness": "Age of the newest evidence against the window of its cadence: fresh, due soon, stale, missing.",
    "effective (%)": "Effective requirements as a share of the applicable ones; partial and stale count nothing.",
    "statement of applicability": "Every Annex A control with the reason to include or exclude it (6.1.3 d).",
}


def build(
    requirements: pl.DataFrame,
    control_status: pl.DataFrame,
    control_profiles: pl.DataFrame,
    readiness: pl.DataFrame,
    ask: Ask,
) -> Document:
    statement = _statement(requirements, control_status, control_profiles)
    annex = statement.filter("annex_a")
    areas = _areas(statement)
    counts: dict[str, int] = {state: statement.filter(pl.col("state") == state).height for state in CONTROL_STATES}
    findings = {finding: statement.filter(pl.col("finding") == finding).height for finding in FINDINGS}
    applicable = statement.height - counts["not_applicable"]
    ready = readiness.filter(pl.col("framework") == FRAMEWORK).select("strict_pct", "weighted_pct").to_dicts()
    unjustified = annex.filter(pl.col("applicable") & pl.col("justification_inclusion").is_null()).height
    unproven = annex.filter(~pl.col("applicable") & pl.col("finding").is_not_null())
    return Document(
        headline=_headline(statement, counts, findings, applicable),
        summary={
            "requirements": statement.height,
            "applicable": applicable,
            **counts,
            "strict_pct": ready[0]["strict_pct"] if ready else None,
            "weighted_pct": ready[0]["weighted_pct"] if ready else None,
            "major_candidates": findings["major candidate"],
            "minor_candidates": findings["minor candidate"],
            "improvements": findings["improvement"],
            "annex_a": annex.height,
            "annex_a_excluded": annex.filter(~pl.col("applicable")).height,
            "inclusions_without_justification": unjustified,
        },
        tables=(
            Table("areas", "Clauses and Annex A themes", areas, labels=LABELS),
            Table(
                "findings",
                "Findings to settle before the audit",
                _findings(statement),
                note="Candidates by stated rules; an auditor decides.",
                labels=LABELS,
                state=["state"],
            ),
            _sheet("clauses", "Clauses 4 to 10", statement.filter(~pl.col("annex_a"))),
            _sheet("annex_a", "Statement of applicability: Annex A by theme", annex),
        ),
        coverage=Coverage(applicable - counts["no_data"], applicable),
        charts=_charts(areas),
        definitions=DEFINITIONS,
        warnings=_warnings(statement, unproven, unjustified),
    )


def _statement(requirements: pl.DataFrame, status: pl.DataFrame, profiles: pl.DataFrame) -> pl.DataFrame:
    key = ["framework", "control_id"]
    assessed = status.select(
        *(*key, "applicable", "justification", "approved_by", "approved_on", "state", "weight", "last_source"),
        *("freshness", "owner", "exception_id"),
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
        .join(profiles.select(*key, "implementation", "risk_ref", "systems"), on=key, how="left")
        .with_columns(pl.col("applicable").fill_null(True))
        .with_columns(
            area=pl.when(annex).then(pl.col("group_title")).otherwise(pl.format("{} {}", "chapter", "chapter_title")),
            state=pl.when(excluded).then(pl.lit("not_applicable")).otherwise(pl.col("state").fill_null("no_data")),
            currentness=pl.when("applicable").then(pl.col("freshness").fill_null("missing")),
            justification_inclusion=pl.when("applicable").then(reason),
            justification_exclusion=pl.when(excluded).then(reason),
            proven=reason.is_not_null() & pl.col("approved_by").is_not_null() & pl.col("approved_on").is_not_null(),
        )
    )
    return joined.with_columns(_finding(), _why()).sort("position", "control_id")


def _finding() -> pl.Expr:
    state, excluded = pl.col("state"), ~pl.col("applicable")
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
        pl.when(~pl.col("applicable") & ~pl.col("annex_a"))
        .then(pl.lit("a clause of 4 to 10 may not be excluded"))
        .when(~pl.col("applicable") & ~pl.col("proven"))
        .then(pl.lit("exclusion lacks justification, approver or date"))
        .otherwise(pl.col("state").replace_strict(WHY, default=None))
        .alias("why")
    )


def _sheet(name: str, title: str, part: pl.DataFrame) -> Table:
    frame = part.select(
        *("control_id", "title", "area", "applicable", "justification_inclusion", "justification_exclusion"),
        *("approved_by", "approved_on", "state", "implementation", "risk_ref", "systems", "evidence_id", "last_source"),
        *("evidence_on", "currentness", "owner", "weight", "exception_id", "finding"),
    )
    return Table(name, title, frame, labels=LABELS, state=["state", "currentness"], hidden=["weight", "systems"])


def _findings(statement: pl.DataFrame) -> pl.DataFrame:
    rank = pl.col("finding").replace_strict({finding: i for i, finding in enumerate(FINDINGS)}, return_dtype=pl.Int64)
    return (
        statement.filter(pl.col("finding").is_not_null())
        .sort(rank, -pl.col("weight").fill_null(0), "position", "control_id")
        .select("finding", "control_id", "title", "area", "state", "why", "weight", "owner", "exception_id")
    )


def _areas(statement: pl.DataFrame) -> pl.DataFrame:
    effective, applicable = pl.col("effective"), pl.col("applicable")
    return (
        statement.group_by("annex_a", "chapter", "area")
        .agg(
            requirements=pl.len().cast(pl.Int64),
            applicable=(pl.col("state") != "not_applicable").sum().cast(pl.Int64),
            **{state: (pl.col("state") == state).sum().cast(pl.Int64) for state in CONTROL_STATES},
            major=(pl.col("finding") == FINDINGS[0]).sum().cast(pl.Int64),
            minor=(pl.col("finding") == FINDINGS[1]).sum().cast(pl.Int64),
            improvement=(pl.col("finding") == FINDINGS[2]).sum().cast(pl.Int64),
        )
        .with_columns(strict_pct=share_pct(effective, applicable))
        .sort("annex_a", in_order("chapter"))
        .drop("annex_a", "chapter")
    )


def _headline(statement: pl.DataFrame, counts: dict[str, int], findings: dict[str, int], applicable: int) -> str:
    if statement.is_empty():
        return "ISO/IEC 27001 is not in scope, so there is nothing to assess."
    share = f"{part_of(counts['effective'], applicable, 'applicable requirement')} effective"
    first = _findings(statement)
    if first.is_empty():
        return f"{share}; no nonconformity candidate remains."
    row = first.row(0, named=True)
    majors, minors = (count_of(findings[f"{grade} candidate"], f"{grade} candidate") for grade in ("major", "minor"))
    return f"{share}; {majors} and {minors}: start with {row['control_id']} {row['title']} ({row['why']})."


def _warnings(statement: pl.DataFrame, unproven: pl.DataFrame, unjustified: int) -> list[str]:
    warnings = []
    excluded = statement.filter(~pl.col("annex_a") & ~pl.col("applicable"))["control_id"].to_list()
    if excluded:
        warnings.append(f"Clauses 4 to 10 may not be excluded when conformity is claimed: {some_of(excluded)}.")
    if unproven.height:
        names = some_of(unproven["control_id"].to_list())
        warnings.append(f"Excluded without justification, approver and date: {names}.")
    if unjustified:
        warnings.append(f"{count_of(unjustified, 'included Annex A control')} without a justification for inclusion.")
    return warnings


def _charts(areas: pl.DataFrame) -> list[Chart]:
    frame = areas.filter(pl.col("applicable") > 0).select("area", "strict_pct")
    if frame.is_empty():
        return []
    alt = "Effective share of the applicable requirements in each clause and Annex A theme."
    return [Chart("bars", "Effective by clause and theme", frame, "area", "strict_pct", alt, percent=True)]


REPORT = Report(
    name="iso-assessment",
    title="ISO/IEC 27001 assessment",
    description="Clauses 4 to 10 and the Annex A statement of applicability with evidence, currentness and findings.",
    build=build,
)
