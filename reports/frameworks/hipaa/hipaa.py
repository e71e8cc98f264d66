"""The HIPAA Security Rule: required and addressable scored apart, decisions, and business associate agreements."""

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.declarations.report import Report
from engine.model.documents.document import Alarm, Chart, Document, Opening, Table
from engine.model.documents.tones import Tone
from engine.model.figures.figure import Figures
from reports.figures import select
from reports.frameworks.assessments import evidence_coverage, first_step, order_note
from reports.frameworks.hipaa.hipaa_findings import (
    DECIDED,
    EXPIRED,
    FINDINGS,
    NO_BAA,
    NOT_APPLICABLE,
    NOT_SHOWN,
    UNDOCUMENTED,
    business_associates,
    findings,
    standards,
)
from reports.programme.plans.plan_starts import PlanStarts, Starts
from reports.shared import setup
from reports.shared.columns import share_pct
from reports.shared.wording import all_of, count_of, some_of, with_whom

TONES: dict[str, Tone] = {"not implemented, reason documented": "neutral"}
LABELS = {
    "control_id": "Citation",
    "kind": "Required or addressable",
    "state": "Evidence state",
    "status": "Remediation",
    "due_on": "Planned for",
    "risk_ref": "Risk analysis",
    "name": "Business associate",
}
DEFINITIONS = {
    "addressable": "Must be decided, not skipped: implemented; an equivalent alternative, described and dated; or not "
    "implemented, with the reason documented and dated. Required must be implemented.",
    "not shown": "Said or due to be implemented, but the evidence does not show it.",
    "standards": "A standard with specifications is met through them; one without any is assessed itself. The rule has "
    "46 specifications (24 required, 22 addressable); with 9 standards and paragraphs without any, 55 are assessed.",
    "business associate": "A vendor that handles protected health information. It needs an agreement on file that also "
    "binds its subcontractors; where it is not known whether it handles any, that is said.",
}


def build(gaps: pl.DataFrame, starts: Starts, figures: Figures, ask: Ask) -> Document:
    rows, partners = figures.rows(findings), figures.rows(business_associates)
    open_rows = _open(rows)
    return Document(
        *_opening(rows, open_rows, gaps, starts, figures, ask),
        tables=(
            Table("safeguards", "Safeguards, required and addressable apart", _safeguards(rows), labels=LABELS),
            Table(
                "open",
                "Not met, required first",
                open_rows,
                note=order_note("required, then addressable without a decision on record, within each by weight"),
                labels=LABELS,
                state=["state", "status"],
                hidden=["finding", "state", "weight", "effort_hours", "owner"],
                part_of=("specifications",),
            ),
            Table(
                "business_associates",
                "Business associates",
                partners,
                note="Inherited counts what the vendor does for us; our own side of each control stays with us.",
                labels=LABELS,
                hidden=["vendor_id"],
            ),
            Table("standards", "By standard", standards(rows)),
            Table(
                "specifications",
                "Every standard and specification that is assessed",
                rows.select(
                    *("control_id", "title", "kind", "safeguard", "decision", "finding", "rationale", "decided_on"),
                    *(
                        "risk_ref",
                        "state",
                        "last_evidence_id",
                        "evidence_place",
                        "last_evidence_on",
                        "owner",
                        "inherited_from",
                    ),
                    *("inherited_open", "implementation", "justification"),
                ),
                labels=LABELS,
                state=["state", "decision"],
                hidden=["safeguard", "implementation", "justification"],
            ),
        ),
        coverage=evidence_coverage(rows),
        charts=_charts(rows),
        definitions=DEFINITIONS,
        warnings=_warnings(rows, partners),
    )


def _open(rows: pl.DataFrame) -> pl.DataFrame:
    return (
        rows.filter(~pl.col("met"), pl.col("finding") != NOT_APPLICABLE)
        .sort(
            *(pl.col("kind") == "addressable", pl.col("finding") != UNDOCUMENTED),
            *(-pl.col("weight").fill_null(5), "position", "control_id"),
        )
        .select(
            *("control_id", "title", "kind", "why", "work_owner", "due_on", "status", "finding", "state", "weight"),
            *("effort_hours", "owner"),
        )
    )


def _safeguards(rows: pl.DataFrame) -> pl.DataFrame:
    return (
        rows.group_by("safeguard", "kind")
        .agg(
            applicable=pl.col("applicable").sum().cast(pl.Int64),
            met=pl.col("met").sum().cast(pl.Int64),
            not_shown=(pl.col("finding") == NOT_SHOWN).sum().cast(pl.Int64),
            undocumented=(pl.col("finding") == UNDOCUMENTED).sum().cast(pl.Int64),
            not_applicable=(pl.col("finding") == NOT_APPLICABLE).sum().cast(pl.Int64),
            position=pl.col("position").min(),
        )
        .with_columns(met_pct=share_pct(pl.col("met"), pl.col("applicable")))
        .with_columns(first=pl.col("position").min().over("safeguard"))
        .sort("first", pl.col("kind") == "addressable")
        .drop("first", "position")
    )


def _opening(
    rows: pl.DataFrame, open_rows: pl.DataFrame, gaps: pl.DataFrame, starts: PlanStarts, figures: Figures, ask: Ask
) -> Opening:
    if rows.is_empty():
        return Opening("The HIPAA Security Rule is not in scope, so there is nothing to assess.", setup.IN_SCOPE)
    kinds = [kind for kind in ("required", "addressable") if figures[f"hipaa_{kind}"]]
    shares = [f"{figures[f'hipaa_{kind}_met']} of {figures[f'hipaa_{kind}']} {kind}" for kind in kinds]
    text = f"{all_of(shares)} specifications and standards are met"
    if not shares:
        text = "No specification or standard of the HIPAA Security Rule is applicable, so there is nothing to meet"
    missing = figures["hipaa_associates_without_agreement"]
    gap = f"; {count_of(missing, 'business associate has', 'business associates have')} no valid agreement"
    step = "" if open_rows.is_empty() else first_step("hipaa", gaps, starts, open_rows.row(0, named=True), ask)
    return Opening(f"{text}{gap if missing else ''}.", step)


def _warnings(rows: pl.DataFrame, partners: pl.DataFrame) -> list[str]:
    warnings: list[str] = []
    undocumented = rows.filter(pl.col("finding") == UNDOCUMENTED)["control_id"].to_list()
    if undocumented:
        warnings.append(
            Alarm(
                f"Addressable without a documented decision, which is a violation: {some_of(undocumented)}. "
                "Their owners decide and write down why."
            )
        )
    unfounded = rows.filter(pl.col("finding").is_in(DECIDED) & pl.col("risk_ref").is_null()).height
    if unfounded:
        warnings.append(f"{count_of(unfounded, 'decision')} without a reference to the risk analysis.")
    lacking = partners.filter(pl.col("finding").is_in([NO_BAA, EXPIRED]))
    without = [f"{name} ({with_whom(owner)})" for name, owner in lacking.select("name", "owner").iter_rows()]
    if without:
        warnings.append(Alarm(f"No valid business associate agreement: sign one with {some_of(without)}."))
    return warnings


def _charts(rows: pl.DataFrame) -> list[Chart]:
    if rows.is_empty():
        return []
    kinds = pl.DataFrame({"kind": ["required", "addressable"]})
    words = pl.DataFrame({"finding": list(FINDINGS)})
    counts = rows.group_by("kind", "finding").agg(number=pl.len().cast(pl.Int64))
    frame = (
        kinds.join(words, how="cross", maintain_order="left_right")
        .join(counts, on=["kind", "finding"], how="left", maintain_order="left")
        .with_columns(pl.col("number").fill_null(0))
    )
    present = frame.filter(pl.col("number").sum().over("finding") > 0)
    alt = "What is found on the required and on the addressable specifications and standards."
    return [Chart("stacked", "Findings", present, "kind", "number", alt, series="finding", tones=TONES)]


REPORT = Report(
    name="hipaa",
    title="HIPAA Security Rule assessment",
    description="Safeguards, required and addressable apart, with decisions and business associate agreements.",
    build=build,
    figures=select(
        *("hipaa_required", "hipaa_required_met", "hipaa_required_met_pct"),
        *("hipaa_addressable", "hipaa_addressable_met", "hipaa_addressable_met_pct"),
        *("hipaa_violations", "hipaa_not_implemented_with_reason", "hipaa_business_associates"),
        *("hipaa_associates_without_agreement", "hipaa_associates_without_flow_down"),
    ),
    schema_version=2,
    plans="hipaa",
)
