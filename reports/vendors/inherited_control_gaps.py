"""Vendors that carry controls for us without evidence that counts, and which document to ask each for."""

import polars as pl

from engine.model.declarations.report import Report
from engine.model.documents.document import Chart, Coverage, Document, FrameRow, Opening, Table
from engine.model.documents.tones import Tone
from engine.model.documents.vendor_documents import STATE_LABELS
from engine.model.figures.figure import Figures
from engine.model.vocabulary import VENDOR_TIERS
from reports.figures import select
from reports.shared import setup
from reports.shared.columns import share_pct
from reports.shared.ordering import rank
from reports.shared.wording import count_of, part_of, with_whom
from reports.vendors.inherited_rows import GAPS, inherited_gaps, what_to_ask
from reports.vendors.register import worst_first

HIDDEN = (
    *("tier", "category", "reason", "expected_evidence", "held_until", "compensating", "severity_score", "model"),
    *("customer_side", "held_id", "exception_id", "vendor_id"),
)
GAP_NAMES = {
    **{"missing": "Missing", "expired": "Expired", "wrong_scope": "Wrong scope", "qualified_opinion": "Reservations"},
    "cuec_unmapped": "Our part not mapped",
}
TONES: dict[str, Tone] = {"our part not mapped": "watch", "reservations": "watch"}
LABELS = {
    "title": "Inherited control",
    "held": "What we hold",
    "compensating": "Compensating control",
    "action": "What to do",
    "controls": "Controls it would evidence",
    "held_period_end_on": "Period ended",
}
DEFINITIONS = {
    "Inherited control": "A control that the vendor operates in part, by its tier and category. Inherited never means "
    "done: evidence must be held, and our side of it stays with us.",
    "Gap": "Missing: we hold no such document. Expired: its period ended more than the allowed months ago, or it has "
    "run out. Wrong scope: it does not cover the service that we use. Qualified opinion: the auditor had "
    "reservations, or nobody recorded the opinion of a SOC 2 report. CUEC unmapped: nobody has mapped the "
    "complementary user-entity controls (CUEC), which the report expects of us, to our own.",
    "Coverage": "Inherited controls for which any document is held, in date or not; those with evidence that counts "
    "are fewer.",
    "Order": "Vendors as in the register, the worst first; what to ask each for by severity.",
    "Severity": "Weight of the vendor's tier (critical 4 to low 1) times the requirements that the control answers.",
    "Our side": "The state of the same control by our own evidence. It does not close the gap.",
    "Compensating control": "The measure of an approved exception for this control, until it expires.",
}


def build(vendor_controls: pl.DataFrame, vendors: pl.DataFrame, figures: Figures) -> Document:
    rows = figures.rows(inherited_gaps)
    by_vendor = _vendors(vendor_controls, vendors, rows)
    actions = _actions(rows, by_vendor)
    total = figures["inherited_controls"]
    unseen = [gap for gap in GAPS if not by_vendor[gap].sum()]
    return Document(
        *_opening(actions, by_vendor, figures),
        tables=(
            Table(
                "actions",
                "What to ask for, worst vendor first",
                actions,
                labels=LABELS,
                state=("gap",),
                hidden=("vendor_id", "expected_evidence", "frameworks", "severity_score", "held_until", "gap"),
            ),
            Table(
                "vendors",
                "By vendor",
                by_vendor,
                labels={**STATE_LABELS, **GAP_NAMES},
                state=("status",),
                hidden=("category", "inherited", "evidenced_pct", "severity_score", "vendor_id", *unseen),
            ),
            Table("frameworks", "By framework", _frameworks(vendor_controls)),
            Table(
                "gaps",
                "Every inherited control without evidence, worst first",
                rows,
                labels=LABELS,
                state=("gap", "our_state"),
                words=("expected_evidence", "held"),
                hidden=HIDDEN,
            ),
        ),
        coverage=Coverage(total - figures["inherited_gaps_missing"], total, "with a document of the vendor"),
        charts=_charts(rows),
        definitions=DEFINITIONS,
        warnings=_warnings(vendors, vendor_controls),
    )


def _actions(rows: pl.DataFrame, by_vendor: pl.DataFrame) -> pl.DataFrame:
    """One row for each vendor, document and gap: what to do, and how much it would settle. Vendors in their order."""
    return (
        what_to_ask(rows, "tier", "owner")
        .join(by_vendor.select("vendor_id").with_row_index("place"), on="vendor_id", maintain_order="left")
        .sort("place", maintain_order=True)
        .select(
            "vendor",
            "tier",
            "owner",
            "action",
            "controls",
            "frameworks",
            "severity_score",
            "gap",
            "held_until",
            "expected_evidence",
            "vendor_id",
        )
    )


def _vendors(vendor_controls: pl.DataFrame, vendors: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    """Vendors with gaps in the order of the register, the worst first."""
    inherited = vendor_controls.group_by("vendor_id").agg(inherited=pl.len().cast(pl.Int64))
    frame = rows.group_by("vendor_id").agg(
        gaps=pl.len().cast(pl.Int64),
        **{gap: (pl.col("gap") == gap).sum().cast(pl.Int64) for gap in GAPS},
        severity_score=pl.col("severity_score").sum().round(1),
    )
    return (
        worst_first(vendors)
        .select("name", "tier", "category", "owner", "status", "next_review_on", "vendor_id")
        .join(frame, on="vendor_id", maintain_order="left")
        .join(inherited, on="vendor_id", maintain_order="left")
        .with_columns(evidenced_pct=share_pct(pl.col("inherited") - pl.col("gaps"), pl.col("inherited")))
        .select(
            "name",
            "tier",
            "category",
            "owner",
            "status",
            "inherited",
            "gaps",
            "evidenced_pct",
            *GAPS,
            "severity_score",
            "next_review_on",
            "vendor_id",
        )
    )


def _frameworks(vendor_controls: pl.DataFrame) -> pl.DataFrame:
    good = pl.col("gap") == "none"
    return (
        vendor_controls.group_by("framework")
        .agg(
            inherited=pl.len().cast(pl.Int64),
            evidenced=good.sum().cast(pl.Int64),
            gaps=(~good).sum().cast(pl.Int64),
            vendors=pl.col("vendor_id").filter(~good).n_unique().cast(pl.Int64),
        )
        .with_columns(evidenced_pct=share_pct(pl.col("evidenced"), pl.col("inherited")))
        .sort("framework")
    )


def _opening(actions: pl.DataFrame, by_vendor: pl.DataFrame, figures: Figures) -> Opening:
    total, gaps = figures["inherited_controls"], figures["inherited_gaps"]
    if not figures["vendors"]:
        return Opening(
            "No vendor is registered, so nothing is known about controls that others operate for you.", setup.VENDORS
        )
    if not total:
        return Opening(
            "No registered vendor carries a control of a framework in scope.", setup.fill("control_profiles")
        )
    if not gaps:
        return Opening(f"{part_of(total, total, 'inherited control')} evidenced.", "Keep our own side of them working.")
    worst = by_vendor["vendor_id"][0]
    first: FrameRow = actions.filter(pl.col("vendor_id") == worst).row(0, named=True)
    share = f"{part_of(gaps, total, 'inherited control')} without evidence that counts"
    return Opening(
        f"{share}, at {count_of(figures['vendors_with_inherited_gaps'], 'vendor')}.",
        f"Begin with {first['vendor']}, first in the register (tier {first['tier']}; {with_whom(first['owner'])}): "
        f"{first['action']}, which would evidence {count_of(first['controls'], 'control')}.",
    )


def _warnings(vendors: pl.DataFrame, vendor_controls: pl.DataFrame) -> list[str]:
    without = vendors.join(vendor_controls, on="vendor_id", how="anti").height
    if not without:
        return []
    what = count_of(without, "vendor inherits", "vendors inherit")
    return [f"{what} no control of a framework in scope, so nothing is said about them here."]


def _charts(rows: pl.DataFrame) -> list[Chart]:
    if rows.is_empty():
        return []
    frame = (
        rows.group_by("tier", "gap")
        .agg(controls=pl.len().cast(pl.Int64))
        .sort(rank("tier", VENDOR_TIERS), "tier", rank("gap", GAPS))
        .with_columns(
            pl.col("gap")
            .replace({"cuec_unmapped": "our part not mapped", "qualified_opinion": "reservations"})
            .str.replace_all("_", " ")
        )
    )
    alt = "Inherited controls without evidence by the vendor's tier and the kind of gap."
    return [Chart("stacked", "Gaps by tier", frame, "tier", "controls", alt, series="gap", tones=TONES)]


REPORT = Report(
    name="inherited-control-gaps",
    title="Inherited control gaps",
    description="Controls that vendors carry without evidence that counts, and what to ask each vendor for.",
    build=build,
    figures=select(
        *("vendors", "vendors_with_inherited_gaps", "inherited_controls", "inherited_evidenced"),
        *("inherited_evidenced_pct", "inherited_gaps", *(f"inherited_gaps_{gap}" for gap in GAPS)),
        *("inherited_gaps_compensated", "inherited_gaps_severity"),
    ),
    parameters=(),
    schema_version=2,
    evidence_dates=False,
)
