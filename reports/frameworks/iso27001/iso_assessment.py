"""ISO/IEC 27001 as an internal audit reads it: clauses 4 to 10, statement of applicability, candidate findings."""

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.declarations.report import Report
from engine.model.documents.document import Alarm, Chart, Coverage, Document, Opening, Table
from engine.model.figures.figure import Figures
from engine.model.vocabulary import CONTROL_STATES
from reports.figures import select
from reports.frameworks.assessments import first_step, order_note, with_remediations
from reports.frameworks.iso27001.iso_statement import FINDINGS, statement
from reports.programme.plans.plan_starts import PlanStarts, Starts
from reports.shared import setup
from reports.shared.columns import in_order, share_pct
from reports.shared.wording import count_of, part_of, some_of

LABELS = {"state": "Status", "strict_pct": "Effective (%)"}
DEFINITIONS = {
    "candidate": "The rules propose a finding; only an auditor decides whether it is a nonconformity, and which.",
    "status": "Effective, partial, stale, ineffective, no data or not applicable, from evidence; a statement alone "
    "makes nothing effective. Stale is also what lacks nothing but a signature in force, whose evidence may be fresh.",
    "currentness": "Age of the newest evidence against the window of its cadence: fresh, due soon, stale, missing.",
    "statement of applicability": "Every Annex A control with the reason to include or exclude it (6.1.3 d).",
}


def build(gaps: pl.DataFrame, starts: Starts, figures: Figures, ask: Ask) -> Document:
    rows = figures.rows(statement)
    areas, applicable = _areas(rows), figures["iso_applicable"]
    return Document(
        *_opening(figures, rows, gaps, starts, ask),
        tables=(
            Table(
                "areas",
                "Clauses and Annex A themes",
                areas,
                labels=LABELS,
                hidden=["requirements", "not_applicable", "major", "minor", "improvement", "strict_pct"],
            ),
            Table(
                "findings",
                "Findings to settle before the audit",
                _findings(rows, gaps),
                note=order_note(
                    "by finding, the gravest first, within each by weight",
                    "Candidates by stated rules; an auditor decides.",
                ),
                labels=LABELS,
                state=["state"],
                hidden=["area", "weight", "exception_id", "owner"],
                part_of=("clauses", "annex_a"),
            ),
            _sheet("clauses", "Clauses 4 to 10", rows.filter(~pl.col("annex_a"))),
            _sheet("annex_a", "Statement of applicability: Annex A by theme", rows.filter("annex_a")),
        ),
        coverage=Coverage(applicable - figures["iso_no_data"], applicable),
        charts=_charts(areas),
        definitions=DEFINITIONS,
        warnings=_warnings(rows, figures["iso_inclusions_without_justification"]),
    )


def _sheet(name: str, title: str, part: pl.DataFrame) -> Table:
    frame = part.select(
        *("control_id", "title", "area", "applicable", "justification_inclusion", "justification_exclusion"),
        *(
            "approved_by",
            "approved_on",
            "state",
            "implementation",
            "risk_ref",
            "systems",
            "evidence_id",
            "evidence_place",
            "last_source",
        ),
        *("evidence_on", "currentness", "owner", "weight", "exception_id", "finding"),
    )
    return Table(name, title, frame, labels=LABELS, state=["state", "currentness"], hidden=["weight", "systems"])


def _findings(rows: pl.DataFrame, gaps: pl.DataFrame) -> pl.DataFrame:
    rank = pl.col("finding").replace_strict({finding: i for i, finding in enumerate(FINDINGS)}, return_dtype=pl.Int64)
    return (
        with_remediations(rows.filter(pl.col("finding").is_not_null()), gaps)
        .sort(rank, -pl.col("weight").fill_null(0), "position", "control_id")
        .select(
            *("control_id", "title", "finding", "state", "why", "work_owner", "area", "weight", "exception_id", "owner")
        )
    )


def _areas(rows: pl.DataFrame) -> pl.DataFrame:
    effective, applicable = pl.col("effective"), pl.col("applicable")
    return (
        rows.group_by("annex_a", "chapter", "area")
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


def _opening(figures: Figures, rows: pl.DataFrame, gaps: pl.DataFrame, starts: PlanStarts, ask: Ask) -> Opening:
    if rows.is_empty():
        return Opening("ISO/IEC 27001 is not in scope, so there is nothing to assess.", setup.IN_SCOPE)
    share = "No requirement is applicable"
    if applicable := figures["iso_applicable"]:
        share = f"{part_of(figures['iso_effective'], applicable, 'applicable requirement')} effective"
    frame = _findings(rows, gaps)
    if frame.is_empty():
        return Opening(f"{share}; no nonconformity candidate remains.")
    majors, minors = figures["iso_major_candidates"], figures["iso_minor_candidates"]
    found = f"an auditor could find {majors:,} major and {minors:,} minor nonconformities"
    first = frame.row(0, named=True)
    step = first_step("iso27001", gaps, starts, first, ask)
    if f" {first['control_id']} " not in step:
        step = f"{step.removesuffix('.')}; the gravest finding is {first['control_id']} {first['title']}."
    return Opening(f"{share}; {found}.", step)


def _warnings(rows: pl.DataFrame, unjustified: int) -> list[str]:
    warnings: list[str] = []
    excluded = rows.filter(~pl.col("annex_a"), "said_excluded")["control_id"].to_list()
    if excluded:
        warnings.append(Alarm(f"Clauses 4 to 10 may not be excluded when conformity is claimed: {some_of(excluded)}."))
    unproven = rows.filter("annex_a", "said_excluded", ~pl.col("proven"))
    if unproven.height:
        whose = unproven["owner"].drop_nulls().unique(maintain_order=True).to_list()
        asked = f" ({some_of(whose, 3)})" if whose else ""
        names = some_of([f"ISO 27001 {name}" for name in unproven["control_id"]])
        warnings.append(
            Alarm(f"Excluded without justification, approver and date: {names}. Their owners{asked} have it approved.")
        )
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
    figures=select(
        *("iso_requirements", "iso_applicable", *(f"iso_{state}" for state in CONTROL_STATES)),
        *("iso_strict_pct", "iso_weighted_pct", "iso_major_candidates", "iso_minor_candidates", "iso_improvements"),
        *("iso_annex_a", "iso_annex_a_excluded", "iso_inclusions_without_justification"),
    ),
    schema_version=2,
    plans="iso27001",
)
