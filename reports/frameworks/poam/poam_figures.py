"""Figures of the FedRAMP plan of action and milestones: the same whichever sheet is shown."""

import polars as pl

from engine.model.figures.aggregates import Count
from engine.model.figures.figure import Figure
from engine.model.poam import DAYS
from reports.frameworks.poam.poam_items import UNNUMBERED
from reports.frameworks.poam.poam_sheets import (
    closed_items,
    closed_without_control,
    gaps_without_control,
    ledger,
    open_items,
)

LISTED, LATE, NUMBER = pl.col("must_list"), pl.col("late"), pl.col("poam_id")
SOURCES = {"gap": ("gaps", "gaps of controls"), "finding": ("scans", "findings of scanners")}
DUE = "{weakness_name}, due {scheduled_completion_date}"

FIGURES = (
    Figure(
        "poam_items_open",
        "Open POA&M items",
        "count",
        "less",
        "Weaknesses with a control of NIST SP 800-53 that stand, and such numbers that nobody closed, without scan "
        "findings that have no number and are not late: those need not be listed.",
        open_items,
        Count(),
        LISTED,
        DUE,
    ),
    Figure(
        "poam_gaps_without_control",
        "Gaps and open numbers without a control of NIST SP 800-53",
        "count",
        "less",
        "Weaknesses that stand and numbers that nobody closed which name no control of NIST SP 800-53, and whose own "
        "control is paired with none: the template demands one, so they are no items of the plan until somebody names "
        "it.",
        gaps_without_control,
        Count(),
        LISTED,
        "{weakness_key} names {controls}",
    ),
    Figure(
        "poam_closed_without_control",
        "Closed numbers without a control of NIST SP 800-53",
        "count",
        "neither",
        "Numbers of the ledger that were closed, name no control of NIST SP 800-53 and are about none that is "
        "paired with one.",
        closed_without_control,
        Count(),
        reason="{status} {status_date}",
    ),
    Figure(
        "poam_items_late",
        "Late POA&M items",
        "count",
        "less",
        "Open POA&M items whose scheduled completion was before {as_of}.",
        open_items,
        Count(),
        LISTED & LATE,
        DUE,
    ),
    Figure(
        "poam_items_numbered",
        "POA&M items with a number",
        "count",
        "neither",
        "Open POA&M items with a number in the ledger.",
        open_items,
        Count(),
        LISTED & (NUMBER != UNNUMBERED),
        DUE,
    ),
    Figure(
        "poam_items_unnumbered",
        "POA&M items without a number",
        "count",
        "less",
        "Open POA&M items that the ledger has no number for.",
        open_items,
        Count(),
        LISTED & (NUMBER == UNNUMBERED),
        DUE,
    ),
    *(
        Figure(
            f"poam_items_{rating.lower()}",
            f"POA&M items rated {rating}",
            "count",
            "less",
            f"Open POA&M items whose original risk rating is {rating}: {days} days from detection to completion.",
            open_items,
            Count(),
            LISTED & (pl.col("original_risk_rating") == rating),
            DUE,
        )
        for rating, days in DAYS.items()
    ),
    *(
        Figure(
            f"poam_items_from_{name}",
            f"POA&M items from {name}",
            "count",
            "less",
            f"Open POA&M items about {meaning}" + (", or about what is no longer seen." if kind == "gap" else "."),
            open_items,
            Count(),
            LISTED & (pl.col("kind") == kind),
            "{weakness_detector_source}: {weakness_name}",
        )
        for kind, (name, meaning) in SOURCES.items()
    ),
    Figure(
        "poam_items_detected_in_period",
        "POA&M items detected in the period",
        "count",
        "neither",
        "Open POA&M items whose original detection is from {period_start} to {as_of}.",
        open_items,
        Count(),
        lambda ask: LISTED & pl.col("original_detection_date").is_between(ask.period_start, ask.as_of),
        "detected {original_detection_date}",
    ),
    Figure(
        "poam_scan_findings_not_late",
        "Scan findings not late",
        "count",
        "neither",
        "Open scan findings without a number whose deadline has not passed; they need not be listed.",
        open_items,
        Count(),
        ~LISTED,
        DUE,
    ),
    Figure(
        "poam_vendor_check_ins_overdue",
        "POA&M vendor check-ins overdue",
        "count",
        "less",
        "Open POA&M items that wait for a vendor of whom nobody asked within 30 days.",
        open_items,
        Count(),
        LISTED & pl.col("check_in_overdue"),
        "last asked {last_vendor_check_in_date}",
    ),
    Figure(
        "poam_items_closed",
        "Closed POA&M items",
        "count",
        "neither",
        "Numbers of the ledger that were completed or turned out to be false positives.",
        closed_items,
        Count(),
        reason="{status} {status_date}",
    ),
    Figure(
        "poam_items_closed_late",
        "POA&M items closed late",
        "count",
        "neither",
        "Closed POA&M items that were closed after their scheduled completion.",
        closed_items,
        Count(),
        LATE,
        "closed {status_date}, due {scheduled_completion_date}",
    ),
    Figure(
        "poam_items_closed_in_period",
        "POA&M items closed in the period",
        "count",
        "more",
        "Numbers of the ledger that were closed from {period_start} to {as_of}.",
        ledger,
        Count(),
        lambda ask: pl.col("closed_on").is_between(ask.period_start, ask.as_of),
        "closed {closed_on}",
    ),
)
