"""PCI DSS v4 in its own words: a finding for each requirement, rolled up to sections and the twelve principals."""

from collections.abc import Mapping

import polars as pl

from engine.model.document import (
    Chart,
    Coverage,
    Document,
    Table,
)
from engine.model.report import Ask, Report
from reports.frameworks.pci_findings import (
    COUNTS,
    FRAMEWORK,
    IN_PLACE,
    NOT_APPLICABLE,
    NOT_IN_PLACE,
    NOT_TESTED,
    findings,
)
from reports.shared.columns import in_order, share_pct
from reports.shared.wording import count_of, part_of

LABELS = {
    "control_id": "Requirement",
    "requirement": "Requirement",
    "state": "Evidence state",
    "last_evidence_id": "Evidence",
    "last_evidence_on": "Evidence date",
    "due_on": "Planned for",
    "status": "Remediation",
    "in_place": IN_PLACE,
    "not_applicable": NOT_APPLICABLE,
    "not_tested": NOT_TESTED,
    "not_in_place": NOT_IN_PLACE,
    "in_place_share_pct": "In Place (%)",
}
DEFINITIONS = {
    IN_PLACE: "Tested, and all elements are met by evidence in its window. What is planned is not in place.",
    NOT_APPLICABLE: "Does not apply, which was confirmed: justification, approver and date are recorded. "
    "Without them the finding is Not in Place.",
    NOT_TESTED: "Excluded from this assessment, so nothing is said about it; the assessment is then a partial one.",
    NOT_IN_PLACE: "Not met, not proven, or still being put in place.",
    "method": "Defined approach, compensating control (needs an approved worksheet in force) or customised approach "
    "(needs its risk analysis). Where none is recorded the defined approach is assumed.",
    "overall": "Compliant only if every requirement is In Place or Not Applicable.",
    "In Place (%)": "In Place as a share of the requirements that are not Not Applicable. It measures progress; "
    "there is no such thing as being compliant in part.",
    "service provider": "Requirements that only service providers have. They are treated as applicable until the "
    "organization records that they are not.",
}


def build(
    requirements: pl.DataFrame,
    control_status: pl.DataFrame,
    control_profiles: pl.DataFrame,
    exceptions: pl.DataFrame,
    gaps: pl.DataFrame,
    ask: Ask,
) -> Document:
    rows = findings(requirements, control_status, control_profiles, exceptions)
    principals = _rollup(rows, requirements, r"^(\d+)")
    sections = _rollup(rows, requirements, r"^(\d+\.\d+)")
    open_rows = _not_in_place(rows, gaps)
    counts = {name: rows.filter(pl.col("finding") == finding).height for name, finding in COUNTS.items()}
    assessable = rows.height - counts["not_applicable"]
    evidenced = rows.filter(
        (pl.col("finding") != NOT_APPLICABLE) & ~pl.col("state").is_in(["no_data", "not_applicable"])
    )
    overall = _overall(counts)
    return Document(
        headline=_headline(rows, open_rows, counts, overall),
        summary={
            "overall": overall,
            "assessment": ("partial" if counts["not_tested"] else "full") if rows.height else None,
            "requirements": rows.height,
            **counts,
            "in_place_share_pct": Coverage(counts["in_place"], assessable).pct,
            "compensating": rows.filter(pl.col("method") == "compensating").height,
            "customised": rows.filter(pl.col("method") == "customised").height,
            "principals_met": principals.filter(pl.col("finding").is_in([IN_PLACE, NOT_APPLICABLE])).height,
        },
        words=("overall",),
        tables=(
            Table("principals", "The twelve requirements", principals, labels=LABELS),
            Table(
                "not_in_place", "Not in Place", open_rows, labels=LABELS, state=["state", "status"], hidden=["weight"]
            ),
            Table("sections", "By section", sections, labels=LABELS),
            Table(
                "requirements",
                "Every requirement",
                rows.select(
                    *(
                        "control_id",
                        "title",
                        "finding",
                        "method",
                        "why",
                        "state",
                        "last_evidence_id",
                        "last_evidence_on",
                    ),
                    *("owner", "implementation", "justification", "approved_by", "approved_on", "compensating_control"),
                    "service_provider_only",
                ),
                labels=LABELS,
                state=["state"],
                hidden=["service_provider_only"],
            ),
        ),
        coverage=Coverage(evidenced.height, assessable),
        charts=_charts(principals),
        definitions=DEFINITIONS,
        warnings=_warnings(rows, counts),
    )


def _rollup(rows: pl.DataFrame, requirements: pl.DataFrame, prefix: str) -> pl.DataFrame:
    """Counts for each heading whose number is the ``prefix`` of the requirement's; its finding is the worst inside."""
    headings = requirements.filter(pl.col("framework") == FRAMEWORK).select(requirement="control_id", title="title")
    total = pl.col("requirements")
    return (
        rows.group_by(requirement=pl.col("control_id").str.extract(prefix))
        .agg(
            requirements=pl.len().cast(pl.Int64),
            **{name: (pl.col("finding") == finding).sum().cast(pl.Int64) for name, finding in COUNTS.items()},
        )
        .join(headings, on="requirement", how="left")
        .select(
            "requirement",
            "title",
            finding=pl.when(pl.col("not_in_place") > 0)
            .then(pl.lit(NOT_IN_PLACE))
            .when(pl.col("not_tested") > 0)
            .then(pl.lit(NOT_TESTED))
            .when(pl.col("in_place") > 0)
            .then(pl.lit(IN_PLACE))
            .otherwise(pl.lit(NOT_APPLICABLE)),
            requirements=total,
            **{name: pl.col(name) for name in COUNTS},
            in_place_share_pct=share_pct(pl.col("in_place"), total - pl.col("not_applicable")),
        )
        .sort(in_order("requirement"))
    )


def _not_in_place(rows: pl.DataFrame, gaps: pl.DataFrame) -> pl.DataFrame:
    planned = gaps.select("framework", "control_id", "severity", "status", "due_on", "effort_hours")
    return (
        rows.filter(pl.col("finding") == NOT_IN_PLACE)
        .join(planned, on=["framework", "control_id"], how="left")
        .sort(-pl.col("weight").fill_null(5), "position", "control_id")
        .select(
            *("control_id", "title", "why", "state", "method", "weight", "owner", "severity", "status", "due_on"),
            "effort_hours",
        )
    )


def _overall(counts: Mapping[str, int]) -> str:
    if not counts["in_place"] and not counts["not_in_place"]:
        return "insufficient_data"
    return "non_compliant" if counts["not_in_place"] or counts["not_tested"] else "compliant"


def _headline(rows: pl.DataFrame, open_rows: pl.DataFrame, counts: Mapping[str, int], overall: str) -> str:
    if rows.is_empty():
        return "PCI DSS is not in scope, so there is nothing to assess."
    if overall == "compliant":
        return f"Compliant: all {count_of(rows.height, 'requirement')} are In Place or Not Applicable."
    if overall == "insufficient_data":
        return "No requirement was found In Place or Not in Place, so nothing can be said about compliance."
    share = f"Not compliant: {part_of(counts['not_in_place'], rows.height, 'requirement')} Not in Place"
    if open_rows.is_empty():
        untested = f"{counts['not_tested']:,} {'was' if counts['not_tested'] == 1 else 'were'} Not Tested"
        return f"{share}, but {untested}: test to complete the assessment."
    first = open_rows.row(0, named=True)
    return f"{share}: start with {first['control_id']} {first['title']} ({first['why']})."


def _warnings(rows: pl.DataFrame, counts: Mapping[str, int]) -> list[str]:
    warnings = []
    providers = rows.filter(pl.col("service_provider_only") & pl.col("applicable")).height
    if providers:
        warnings.append(
            f"{count_of(providers, 'requirement is', 'requirements are')} for service providers only and treated as "
            "applicable; record them as not applicable, with proof, if the organization is none."
        )
    if counts["not_tested"]:
        warnings.append(f"{count_of(counts['not_tested'], 'requirement')} Not Tested: this is a partial assessment.")
    return warnings


def _charts(principals: pl.DataFrame) -> list[Chart]:
    if principals.is_empty():
        return []
    frame = (
        principals.select(*COUNTS, requirement=pl.format("{} {}", "requirement", "title"))
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
)
