"""PCI DSS v4 in its own words: a finding for each requirement, rolled up to sections and the twelve principals."""

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.declarations.report import Report
from engine.model.documents.document import Chart, Coverage, Document, Opening, Table
from engine.model.figures.figure import Figures
from engine.model.vocabulary import SEVERITIES
from reports.figures import select
from reports.frameworks.assessments import first_step, order_note, with_remediations
from reports.frameworks.pci.pci_findings import (
    COUNTS,
    IN_PLACE,
    NOT_APPLICABLE,
    NOT_IN_PLACE,
    NOT_TESTED,
    findings,
    principals,
    rollup,
)
from reports.programme.plans.plan_starts import PlanStarts, Starts
from reports.shared import setup
from reports.shared.ordering import rank
from reports.shared.wording import count_of, part_of

LABELS = {
    "control_id": "Requirement",
    "state": "Evidence state",
    "due_on": "Remediation due",
    "status": "Remediation",
    "in_place": IN_PLACE,
    "not_applicable": NOT_APPLICABLE,
    "not_tested": NOT_TESTED,
    "not_in_place": NOT_IN_PLACE,
    "in_place_share_pct": "In Place (%)",
}
DEFINITIONS = {
    "method": "Defined approach, compensating control (needs an approved worksheet in force) or customised approach "
    "(needs its risk analysis). Where none is recorded the defined approach is assumed. What is planned is not in "
    "place; what does not apply without justification, approver and date is Not in Place.",
    "service provider": "Requirements that only service providers have. They are treated as applicable until the "
    "organization records that they are not.",
}


def build(requirements: pl.DataFrame, gaps: pl.DataFrame, starts: Starts, figures: Figures, ask: Ask) -> Document:
    rows, twelve = figures.rows(findings), figures.rows(principals)
    open_rows = _not_in_place(rows, gaps)
    return Document(
        *_opening(open_rows, gaps, starts, figures, ask),
        tables=(
            Table("principals", "The twelve requirements", twelve, labels=LABELS),
            Table(
                "not_in_place",
                "Not in Place, the most severe first",
                open_rows,
                note=order_note("by severity, within each what has no day first", _more_than_gaps(open_rows)),
                labels=LABELS,
                state=["state", "severity", "status"],
                hidden=["state", "method", "weight", "effort_hours", "owner"],
                part_of=("requirements",),
            ),
            Table("sections", "By section", rollup(rows, requirements, r"^(\d+\.\d+)"), labels=LABELS),
            Table(
                "requirements",
                "Every requirement",
                rows.select(
                    *("control_id", "title", "finding", "method", "why", "state", "last_evidence_id", "evidence_place"),
                    *("last_evidence_on", "owner", "implementation", "justification", "approved_by", "approved_on"),
                    *("compensating_control", "service_provider_only"),
                ),
                labels=LABELS,
                state=["state"],
                hidden=["service_provider_only"],
            ),
        ),
        coverage=_coverage(rows),
        charts=_charts(twelve),
        definitions=DEFINITIONS,
        warnings=_warnings(rows, figures["pci_requirements_not_tested"]),
    )


def _coverage(rows: pl.DataFrame) -> Coverage:
    assessable = rows.filter(pl.col("finding") != NOT_APPLICABLE)
    return Coverage(assessable.filter(~pl.col("state").is_in(["no_data", "not_applicable"])).height, assessable.height)


def _not_in_place(rows: pl.DataFrame, gaps: pl.DataFrame) -> pl.DataFrame:
    return (
        with_remediations(rows.filter(pl.col("finding") == NOT_IN_PLACE), gaps)
        .sort(
            rank("severity", SEVERITIES),
            pl.col("due_on").is_not_null(),
            -pl.col("weight").fill_null(5),
            "position",
            "control_id",
        )
        .select(
            *("control_id", "title", "severity", "why", "work_owner", "due_on", "status", "state", "method", "weight"),
            *("effort_hours", "owner"),
        )
    )


def _more_than_gaps(open_rows: pl.DataFrame) -> str:
    """Why more requirements are Not in Place than controls are gaps; empty where there are as many."""
    shown = open_rows.filter(pl.col("state").is_in(["effective", "not_applicable"])).height
    if not shown:
        return ""
    are = count_of(shown, "of these is no gap", "of these are no gaps")
    return (
        f"{are} on other pages: the evidence is there, and what is missing is an approved worksheet of a compensating "
        "control, the risk analysis of a customised approach, or why a requirement does not apply."
    )


def _opening(open_rows: pl.DataFrame, gaps: pl.DataFrame, starts: PlanStarts, figures: Figures, ask: Ask) -> Opening:
    total, overall = figures["pci_requirements"], figures["pci_overall"]
    if not total:
        return Opening("PCI DSS is not in scope, so there is nothing to assess.", setup.IN_SCOPE)
    if overall == "compliant":
        return Opening(f"Compliant: all {count_of(total, 'requirement')} are In Place or Not Applicable.")
    if overall == "insufficient_data":
        return Opening("No requirement was found In Place or Not in Place, so nothing can be said about compliance.")
    share = f"Not compliant: {part_of(figures['pci_requirements_not_in_place'], total, 'requirement')} Not in Place"
    if open_rows.is_empty():
        untested = figures["pci_requirements_not_tested"]
        were = f"{untested:,} {'was' if untested == 1 else 'were'} Not Tested"
        return Opening(f"{share}, but {were}.", "Test them to complete the assessment.")
    return Opening(f"{share}.", first_step("pci-dss", gaps, starts, open_rows.row(0, named=True), ask))


def _warnings(rows: pl.DataFrame, untested: int) -> list[str]:
    warnings = []
    providers = rows.filter(pl.col("service_provider_only") & pl.col("applicable")).height
    if providers:
        warnings.append(
            f"{count_of(providers, 'requirement is', 'requirements are')} for service providers only and treated as "
            "applicable; record them as not applicable, with proof, if the organization is none."
        )
    if untested:
        warnings.append(f"{count_of(untested, 'requirement')} Not Tested: this is a partial assessment.")
    return warnings


def _charts(twelve: pl.DataFrame) -> list[Chart]:
    if twelve.is_empty():
        return []
    frame = (
        twelve.select(*COUNTS, requirement=pl.format("{} {}", "requirement", "title"))
        .rename(COUNTS)
        .unpivot(list(COUNTS.values()), index="requirement", variable_name="finding", value_name="requirements")
    )
    alt = "Findings of the requirements under each of the twelve principals."
    return [Chart("stacked", "Findings by requirement", frame, "requirement", "requirements", alt, series="finding")]


REPORT = Report(
    name="pci-dss",
    title="PCI DSS v4 assessment",
    description="A finding for each PCI DSS requirement with method and proof, rolled up to the twelve requirements.",
    build=build,
    figures=select(
        *("pci_overall", "pci_assessment", "pci_requirements", "pci_requirements_in_place"),
        *("pci_requirements_not_applicable", "pci_requirements_not_tested", "pci_requirements_not_in_place"),
        *("pci_in_place_pct", "pci_compensating", "pci_customised", "pci_principals_met"),
    ),
    schema_version=2,
    plans="pci-dss",
)
