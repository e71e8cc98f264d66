"""The FedRAMP plan of action and milestones: numbered weaknesses with deadlines, in the columns of the template."""

import polars as pl

from engine.model.document import Document, Table
from engine.model.report import (
    FORMATS,
    PERIOD_DAYS,
    Ask,
    Parameter,
    Report,
)
from reports.frameworks.poam_columns import COLUMNS, headings
from reports.frameworks.poam_items import (
    DAYS,
    SCHEMA,
    UNNUMBERED,
    items,
)
from reports.shared.wording import count_of

FRAMEWORK = "fedramp-poam"
TEMPLATE = Parameter("template", "3.0", "version of the POA&M template", choices=("3.0", "2.1"))
SHEET = Parameter("sheet", "open", "open or closed items", choices=("open", "closed"))
SCANS = Parameter("scans", "all", "all scan findings, or only those that are late", choices=("all", "late"))
SHOWN = (
    "poam_id", "controls", "weakness_name", "asset_identifier", "original_risk_rating", "original_detection_date",
    "scheduled_completion_date", "days_left", "status", "point_of_contact",
)  # fmt: skip
SHOWN_CLOSED = tuple("status_date" if column == "days_left" else column for column in SHOWN)
SHORT = {
    "original_detection_date": "Detected",
    "scheduled_completion_date": "Due",
    "original_risk_rating": "Rating",
    "asset_identifier": "Asset",
    "days_left": "Days left",
    "status_date": "Closed",
    "status": "Status",
}
DEFINITIONS = {
    "weakness": "A control that a test or event contradicts or that has no evidence at all, or a finding of a scanner "
    "that is not fixed. Evidence that is stale or partial is not listed unless it was given a number.",
    "POAM ID": "The number in the ledger, never used again. An item is 'unnumbered' until `hq poam`, or a row of "
    "poam_items with its weakness_key, gives it a number; a weakness that comes back after its number was closed gets "
    "a new one.",
    "deadline": "High 30, Moderate 90, Low 180 days from the original detection; a date of CISA's catalogue of known "
    "exploited vulnerabilities caps it. Critical is rated High. A numbered item keeps the date of the ledger if it is "
    "no later; while a vendor must act first, the clock starts with the vendor's fix and the ledger alone counts.",
    "controls": "The organization's own controls; scan findings are listed under RA-5. Replace them by the controls of "
    "the authorization boundary where the ledger names none.",
    "scan findings": "A scan finding must be listed only once it is late; scans=late lists those alone.",
    "vulnerability detection and response": "The JSON has internet_reachable, likely_exploitable (known exploited, or "
    "EPSS of 0.1 and more; unknown counts as yes), potential_impact N1 to N5 by severity, and the day from which a "
    "vulnerability counts as accepted (192 days after detection).",
}


def build(
    organization: pl.DataFrame,
    gaps: pl.DataFrame,
    findings: pl.DataFrame,
    poam: pl.DataFrame,
    control_profiles: pl.DataFrame,
    ask: Ask,
) -> Document:
    template, sheet, scans = (ask.word(parameter) for parameter in (TEMPLATE, SHEET, SCANS))
    packs = organization["frameworks"].explode(empty_as_null=False).to_list()
    in_scope = FRAMEWORK in packs
    assessed = len(packs) > 1 or findings.height + poam.height > 0
    frame = pl.DataFrame(schema=SCHEMA)
    if in_scope:
        frame = items(gaps, findings, poam, control_profiles, ask.as_of, sheet, template)
    if scans == "late":
        due_later = (pl.col("kind") == "finding") & ~pl.col("late") & (pl.col("poam_id") == UNNUMBERED)
        frame = frame.filter(~due_later)
    shown = SHOWN_CLOSED if sheet == "closed" else SHOWN
    late = frame.filter("late")
    closed = poam.filter(pl.col("closed_on").is_between(ask.period_start, ask.as_of)).height if in_scope else 0
    rated = {rating: frame.filter(pl.col("original_risk_rating") == rating).height for rating in DAYS}
    return Document(
        headline=_headline(in_scope, sheet, frame, late, assessed=assessed),
        summary={
            "template": template,
            "sheet": sheet,
            "items": frame.height,
            "numbered": frame.filter(pl.col("poam_id") != UNNUMBERED).height,
            "unnumbered": frame.filter(pl.col("poam_id") == UNNUMBERED).height,
            "late": late.height,
            **{rating.lower(): number for rating, number in rated.items()},
            "from_gaps": frame.filter(pl.col("kind") == "gap").height,
            "from_scans": frame.filter(pl.col("kind") == "finding").height,
            "detected_in_period": frame.filter(
                pl.col("original_detection_date").is_between(ask.period_start, ask.as_of)
            ).height,
            "closed_in_period": closed,
            "vendor_check_in_overdue": frame.filter("check_in_overdue").height,
        },
        tables=(
            Table(
                "items",
                f"{sheet.capitalize()} POA&M items",
                frame.select(*shown, pl.exclude(*shown)),
                note=f"The CSV has the columns of template {template} and nothing else.",
                labels={column: heading for column, (heading, _) in COLUMNS.items()} | SHORT,
                state=["status"],
                hidden=[column for column in frame.columns if column not in shown],
                headings=headings(template, sheet),
            ),
        ),
        definitions=DEFINITIONS,
        warnings=_warnings(frame, unscanned=in_scope and findings.is_empty()),
        footnotes=["Headings follow the FedRAMP POA&M templates 2.1 (March 2024) and 3.0 (November 2025)."],
    )


def _headline(in_scope: bool, sheet: str, frame: pl.DataFrame, late: pl.DataFrame, *, assessed: bool) -> str:
    if not in_scope:
        return "The FedRAMP POA&M is not in scope, so there is no plan."
    if not assessed:
        return "No control is assessed and no scan is on record, so it is not known whether there are weaknesses."
    if sheet == "closed":
        return f"{count_of(frame.height, 'item')} closed, {late.height:,} of them after the deadline."
    if frame.is_empty():
        return "No open weakness is on record: no control is contradicted or without evidence, and no finding is open."
    open_items = f"{count_of(frame.height, 'open item')}, {late.height:,} late"
    first = frame.row(0, named=True)
    name = first["weakness_key"] if first["poam_id"] == UNNUMBERED else first["poam_id"]
    when = f"due {first['scheduled_completion_date']}"
    return f"{open_items}: start with {name} {first['weakness_name']} ({when})."


def _warnings(frame: pl.DataFrame, *, unscanned: bool) -> list[str]:
    warnings = ["No finding of a scanner is on record, which is not the same as none found."] if unscanned else []
    unnumbered = frame.filter(pl.col("poam_id") == UNNUMBERED).height
    if unnumbered:
        warnings.append(
            f"{count_of(unnumbered, 'item')} without a number in the ledger: `hq poam` gives each the next one."
        )
    foreign = frame.filter(pl.col("controls").str.contains(": ", literal=True).fill_null(True)).height
    if foreign:
        warnings.append(f"{count_of(foreign, 'item')} without controls of NIST SP 800-53, which the template demands.")
    nobody = frame.filter(pl.col("point_of_contact").is_null()).height
    if nobody:
        warnings.append(f"{count_of(nobody, 'item')} without a point of contact, which the template demands.")
    nowhere = frame.filter(pl.col("asset_identifier").is_null()).height
    if nowhere:
        warnings.append(f"{count_of(nowhere, 'item')} without an asset identifier, which the template demands.")
    overdue = frame.filter("check_in_overdue").height
    if overdue:
        warnings.append(f"{count_of(overdue, 'vendor check-in')} more than 30 days ago.")
    gone = frame.filter("no_longer_seen").height
    if gone:
        warnings.append(f"{count_of(gone, 'numbered item is', 'numbered items are')} no longer seen and can be closed.")
    return warnings


REPORT = Report(
    name="fedramp-poam",
    title="FedRAMP plan of action and milestones",
    description="Weaknesses with numbers, ratings and deadlines in the columns of the FedRAMP template, and as OSCAL.",
    build=build,
    formats=(*FORMATS, "oscal"),
    parameters=(PERIOD_DAYS, TEMPLATE, SHEET, SCANS),
)
