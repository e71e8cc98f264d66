"""The FedRAMP plan of action and milestones: numbered weaknesses with deadlines, in the columns of the template."""

import polars as pl

from engine.model.days import spelled_day
from engine.model.declarations.ask import PERIOD_DAYS, Ask
from engine.model.declarations.declaration import FORMATS
from engine.model.declarations.report import Report
from engine.model.documents.document import Alarm, Chart, Document, FrameRow, Opening, Table
from engine.model.documents.tones import Tone
from engine.model.figures.figure import Figures
from reports.figures import select
from reports.frameworks.poam.poam_columns import headings
from reports.frameworks.poam.poam_items import UNNUMBERED
from reports.frameworks.poam.poam_sheets import (
    FRAMEWORK,
    SCANS,
    SHEET,
    TEMPLATE,
    closed_items,
    closed_without_control,
    gaps_without_control,
    open_items,
    packs,
)
from reports.shared import setup
from reports.shared.packs import control
from reports.shared.wording import count_of, with_whom

SHOWN = (
    *("weakness_description", "original_detection_date", "scheduled_completion_date", "days_left", "point_of_contact"),
    *("original_risk_rating", "poam_id", "weakness_name", "controls", "status"),
)
# what the first of them say already, or nobody reads on a page
BEHIND = ("weakness_name", "controls", "status")
TONES: dict[str, Tone] = {"late": "bad", "in time": "main"}
RATED = ("High", "Moderate", "Low")
# what a page of the open sheet leads with
FOREMOST = (
    *("poam_items_late", "poam_items_open", "poam_items_high", "poam_items_unnumbered"),
    *("poam_vendor_check_ins_overdue", "poam_gaps_without_control"),
)
LABELS = {"weakness_description": "Weakness"}
SHOWN_CLOSED = tuple("status_date" if column == "days_left" else column for column in SHOWN)
DEFINITIONS = {
    "weakness": "A control that a test or event contradicts or that has no evidence at all, or a finding of a scanner "
    "that is not fixed. Evidence that is stale or partial is not listed unless it was given a number.",
    "POAM ID": "The number in the ledger, never used again. An item is 'unnumbered' until an administrator, by "
    "the command `hq poam` or an imported row of the ledger, gives it a number; a weakness that comes back after its "
    "number was closed gets a new one.",
    "deadline": "High 30, Moderate 90, Low 180 days from the original detection: of a control the day of the failure "
    "or event that stands against it, without any evidence that on which its records begin; of a finding the first "
    "scan that saw it. What was mended and fails anew is detected anew. A date of CISA's catalogue of known exploited "
    "vulnerabilities caps it. Critical is rated High. A numbered item keeps the date of the ledger if it is "
    "no later; while a vendor must act first, the clock starts with the vendor's fix and the ledger alone counts.",
    "controls": "Controls of NIST SP 800-53 as the ledger names them, else those that the control of the gap is paired "
    "with; scan findings are listed under RA-5. What has none is no item of the plan: it is counted and listed as a "
    "gap without a control.",
    "scan findings": "A scan finding must be listed only once it is late or has a number; scans=all lists the "
    "others too.",
    "point of contact": "Who works on the gap, else whom the ledger names, else the owner of the control; of a finding "
    "whom the ledger names, else the owner of the service. The calendar and the list of gaps name the same person.",
    "vulnerability detection and response": "The JSON also says whether it is reachable from the internet, whether it "
    "is likely to be exploited (known exploited, or EPSS of 0.1 and more; unknown counts as yes), what impact it can "
    "have, from N1 to N5 by severity, and the day from which a "
    "vulnerability counts as accepted (192 days after detection).",
}


def build(
    organization: pl.DataFrame, findings: pl.DataFrame, poam: pl.DataFrame, figures: Figures, ask: Ask
) -> Document:
    template, sheet = ask.word(TEMPLATE), ask.word(SHEET)
    names = packs(organization)
    in_scope = FRAMEWORK in names
    assessed = len(names) > 1 or findings.height + poam.height > 0
    frame, others = figures.rows(closed_items), figures.rows(closed_without_control)
    if sheet == "open":
        others = figures.rows(gaps_without_control).filter("must_list")
        every = figures.rows(open_items)
        frame = (every if ask.word(SCANS) == "all" else every.filter("must_list")).drop("must_list")
    shown = SHOWN_CLOSED if sheet == "closed" else SHOWN
    first = frame.row(0, named=True) if frame.height else {}
    return Document(
        *(
            _closed_opening(figures)
            if in_scope and assessed and sheet == "closed"
            else _opening(in_scope, assessed, first, figures, ask)
        ),
        summary={"template": template, "sheet": sheet},
        tables=(
            Table(
                "items",
                f"{sheet.capitalize()} POA&M items",
                frame.select(*shown, pl.exclude(*shown)),
                note=f"The CSV is the sheet of FedRAMP's template {template}, column by column.",
                labels=LABELS,
                state=["status"],
                hidden=[column for column in frame.columns if column not in shown or column in BEHIND],
                headings=headings(template, sheet),
            ),
            Table(
                "gaps_without_control",
                "Gaps and open numbers without a control of NIST SP 800-53",
                others.select(*shown, pl.exclude(*shown, "must_list")),
                note="In no CSV or OSCAL of the plan until somebody names the control in the ledger. The day of one "
                "without a number is what the plan would give it then: until then it is due on none, and not late.",
                labels=LABELS,
                state=["status"],
                hidden=[column for column in others.columns if column not in (*shown, "must_list") or column in BEHIND],
            ),
        ),
        charts=_charts(frame) if sheet == "open" else (),
        definitions=DEFINITIONS,
        foremost=FOREMOST if frame.height and sheet == "open" else (),
        warnings=_warnings(frame, others, figures, sheet, unscanned=in_scope and findings.is_empty()),
        footnotes=["Headings follow the FedRAMP POA&M templates 2.1 (March 2024) and 3.0 (November 2025)."],
    )


def _closed_opening(figures: Figures) -> Opening:
    if not figures["poam_items_closed"]:
        return Opening("No item of the plan was closed.")
    late = figures["poam_items_closed_late"]
    return Opening(f"{count_of(figures['poam_items_closed'], 'item')} closed, {late:,} of them after the deadline.")


def _opening(in_scope: bool, assessed: bool, first: FrameRow, figures: Figures, ask: Ask) -> Opening:
    if not in_scope:
        return Opening("The FedRAMP POA&M is not in scope, so there is no plan.", setup.IN_SCOPE)
    if not assessed:
        return Opening(
            "No control is assessed and no scan is on record, so it is not known whether there are weaknesses.",
            setup.fill("findings", route="/api/integrations/vulnerabilities"),
        )
    waiting = figures["poam_scan_findings_not_late"]
    without = figures["poam_gaps_without_control"]
    if not figures["poam_items_open"] and without:
        return Opening(
            f"No item is on the plan; {count_of(without, 'gap names', 'gaps name')} no control of NIST SP 800-53.",
            "Name the control of each gap in the ledger: the column controls of its details.",
        )
    if not figures["poam_items_open"] and waiting:
        open_scans = count_of(waiting, "scan finding is", "scan findings are")
        return Opening(f"No item must be listed; {open_scans} open and not late.")
    if not figures["poam_items_open"]:
        return Opening(
            "No open weakness is on record: no control is contradicted or without evidence, and no finding is open."
        )
    due = first["scheduled_completion_date"]
    late = f", {count_of(-first['days_left'], 'day')} late" if (first["days_left"] or 0) < 0 else ""
    key = control(first["weakness_key"], ask) if first["kind"] == "gap" else first["weakness_key"]
    name = key if first["poam_id"] == UNNUMBERED else first["poam_id"]
    return Opening(
        f"{_of_items(figures)}.",
        f"Close first {name} {first['weakness_name']} (detected {spelled_day(first['original_detection_date'])}; "
        f"{with_whom(first['point_of_contact'], due)}{late}).",
    )


def _of_items(figures: Figures) -> str:
    items, late = figures["poam_items_open"], figures["poam_items_late"]
    are = "is" if late == 1 else "are"
    high = f"; {figures['poam_items_high']:,} of all are rated High" if figures["poam_items_high"] else ""
    return f"{late or 'None':} of {count_of(items, 'open item')} of the plan {are if late else 'is'} late{high}"


def _charts(items: pl.DataFrame) -> list[Chart]:
    """What is late of each rating."""
    if items.is_empty():
        return []
    late = pl.when("late").then(pl.lit("late")).otherwise(pl.lit("in time"))
    counts = items.group_by(rating="original_risk_rating", clock=late).agg(items=pl.len().cast(pl.Int64))
    place = pl.col("rating").replace_strict({word: at for at, word in enumerate(RATED)}, default=len(RATED))
    frame = counts.sort(place, "rating", pl.col("clock") != "late")
    alt = "Open items of the plan by rating, late and in time."
    return [Chart("stacked", "Open items by rating", frame, "rating", "items", alt, series="clock", tones=TONES)]


def _with(owner: str | None) -> str:
    return f" (with {owner})" if owner else ""


def _without_control(number: int, gone: int) -> str:
    """How many weaknesses name no control, and how many of them only their open number tells of."""
    what = count_of(
        number, *(("open number names", "gaps and open numbers name") if gone else ("gap names", "gaps name"))
    )
    old = f", {gone:,} of them no longer seen: confirm and close" if gone else ""
    return f"{what} no control of NIST SP 800-53, which the template demands: not on the plan, listed below{old}."


def _warnings(frame: pl.DataFrame, others: pl.DataFrame, figures: Figures, sheet: str, *, unscanned: bool) -> list[str]:
    warnings = ["No finding of a scanner is on record, which is not the same as none found."] if unscanned else []
    unnumbered = frame.filter(pl.col("poam_id") == UNNUMBERED).height
    if unnumbered:
        warnings.append(
            Alarm(
                f"{count_of(unnumbered, 'item has', 'items have')} no number in the ledger yet: an administrator "
                "numbers them, as the plan goes to the agency with numbers."
            )
        )
    if foreign := figures["poam_gaps_without_control"]:
        warnings.append(_without_control(foreign, others.filter("no_longer_seen").height if sheet == "open" else 0))
    nobody = frame.filter(pl.col("point_of_contact").is_null()).height
    if nobody:
        warnings.append(f"{count_of(nobody, 'item')} without a point of contact, which the template demands.")
    nowhere = frame.filter(pl.col("asset_identifier").is_null()).height
    if nowhere:
        warnings.append(f"{count_of(nowhere, 'item')} without an asset identifier, which the template demands.")
    slow = frame.filter("milestone_late")
    if slow.height:
        first = slow.row(0, named=True)
        warnings.append(
            Alarm(
                f"{count_of(slow.height, 'item plans its', 'items plan their')} last milestone after the day by which "
                f"FedRAMP wants it closed, first “{first['weakness_name']}”{_with(first['point_of_contact'])}, due "
                f"{first['scheduled_completion_date']}: move the milestone or ask the agency for another day."
            )
        )
    twice = frame.filter(pl.col("poam_id") != UNNUMBERED, pl.col("weakness_key").is_duplicated())["weakness_key"]
    if sheet == "open" and twice.len():
        what = count_of(twice.n_unique(), "weakness has", "weaknesses have")
        warnings.append(f"{what} more than one number: close all but the oldest. It is one duty in the calendar.")
    overdue = frame.filter("check_in_overdue").height
    if overdue:
        warnings.append(
            Alarm(f"{count_of(overdue, 'vendor check-in')} more than 30 days ago: the points of contact ask again.")
        )
    gone = frame.filter("no_longer_seen").height
    if gone:
        warnings.append(f"{count_of(gone, 'numbered item is', 'numbered items are')} no longer seen and can be closed.")
    return warnings


REPORT = Report(
    name="fedramp-poam",
    title="FedRAMP plan of action and milestones",
    description="Weaknesses with numbers, ratings and deadlines in the columns of the FedRAMP template, and as OSCAL.",
    build=build,
    figures=select(
        *(
            "poam_items_open",
            "poam_gaps_without_control",
            "poam_closed_without_control",
            "poam_items_late",
            "poam_items_numbered",
            "poam_items_unnumbered",
        ),
        *("poam_items_high", "poam_items_moderate", "poam_items_low", "poam_items_from_gaps", "poam_items_from_scans"),
        *("poam_scan_findings_not_late", "poam_items_detected_in_period", "poam_vendor_check_ins_overdue"),
        *("poam_items_closed", "poam_items_closed_late", "poam_items_closed_in_period"),
    ),
    formats=(*FORMATS, "oscal"),
    parameters=(PERIOD_DAYS, TEMPLATE, SHEET, SCANS),
    schema_version=2,
)
