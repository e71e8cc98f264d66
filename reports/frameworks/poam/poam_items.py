"""The rows of a plan of action and milestones: weaknesses with their numbers in the ledger and their deadlines."""

import re
from datetime import date, timedelta
from typing import Any

import polars as pl

from engine.model.poam import DAYS, RATINGS, STANDING, entered_day, entries, rating_of
from reports.frameworks.poam.poam_columns import COLUMNS
from reports.frameworks.poam.poam_weaknesses import Row, nist_controls, weaknesses

UNNUMBERED = "unnumbered"
IMPACT = {"critical": "N5", "high": "N4", "medium": "N3", "low": "N2"}
ACCEPTED_AFTER_DAYS = 192
CHECK_IN_DAYS = 30
CLOSED = ("completed", "false_positive")
_DATES = (
    "original_detection_date",
    "scheduled_completion_date",
    "status_date",
    "last_vendor_check_in_date",
    "bod_22_01_due_date",
)
_EXTRA: dict[str, Any] = {
    "subject": pl.String, "weakness_key": pl.String, "kind": pl.String, "status": pl.String, "severity": pl.String,
    "days_left": pl.Int64, "late": pl.Boolean, "no_longer_seen": pl.Boolean, "check_in_overdue": pl.Boolean,
    "milestone_late": pl.Boolean, "internet_reachable": pl.Boolean, "likely_exploitable": pl.Boolean,
    "potential_impact": pl.String, "accepted_vulnerability_on": pl.Date,
    "first_listed_on": pl.Date,
}  # fmt: skip
SCHEMA: dict[str, Any] = {**{column: pl.Date if column in _DATES else pl.String for column in COLUMNS}, **_EXTRA}


def items(
    gaps: pl.DataFrame,
    findings: pl.DataFrame,
    ledger: pl.DataFrame,
    profiles: pl.DataFrame,
    pairs: pl.DataFrame,
    as_of: date,
    sheet: str,
    template: str,
) -> pl.DataFrame:
    """The open sheet: weaknesses that stand, and numbers that nobody closed; the closed sheet: what was closed."""
    controls = nist_controls(pairs)
    known = weaknesses(gaps, findings, profiles, controls)
    lines = []
    if sheet == "closed":
        for line in ledger.filter(pl.col("status").is_in(CLOSED)).to_dicts():
            lines.append(_line(line["weakness_key"], known.get(line["weakness_key"]), line, as_of, template))
    else:
        numbers = _numbers(ledger)
        listed = {key for key, row in known.items() if row["listed"]}
        for key in sorted(listed | numbers.keys()):
            gone = key not in known or not known[key]["present"]
            for number in numbers.get(key, [None]):
                lines.append(_line(key, known.get(key), number, as_of, template, gone=gone))
    for row in lines:
        row["controls"] = row.get("controls") or controls.get(row["weakness_key"])
    frame = pl.DataFrame([{name: row.get(name) for name in SCHEMA} for row in lines], schema=SCHEMA, orient="row")
    counter = pl.col("poam_id").str.extract(r"(\d+)$").cast(pl.Int64, strict=False)
    due = "status_date" if sheet == "closed" else "scheduled_completion_date"
    return frame.sort(due, counter, "poam_id", "subject", nulls_last=True)


def _numbers(ledger: pl.DataFrame) -> dict[str, list[Row | None]]:
    """The open lines of the ledger by weakness; two for one weakness both keep their number."""
    numbers: dict[str, list[Row | None]] = {}
    for line in ledger.filter(pl.col("status").is_in(STANDING)).sort("id").to_dicts():
        numbers.setdefault(line["weakness_key"], []).append(line)
    return numbers


def _line(key: str, weakness: Row | None, line: Row | None, as_of: date, template: str, *, gone: bool = False) -> Row:
    """One row of a sheet: what is known of the weakness, overruled by what people wrote into the ledger."""
    row: Row = {"kind": "gap", "severity": None, **(weakness or _forgotten(key, line)), **_entered_columns(line)}
    row["poam_id"] = line["id"] if line else UNNUMBERED
    row["weakness_key"] = key
    row["subject"] = f"{key}/{row['poam_id']}" if line else key
    row["status"] = line["status"] if line else "open"
    row["original_detection_date"] = line["detected_on"] if line else row["original_detection_date"]
    row["original_risk_rating"] = _rating(row, line)
    row["scheduled_completion_date"] = _due(row, line)
    row["vendor_dependency"] = row.get("vendor_dependency") or "No"
    row["bod_22_01_tracking"] = row.get("bod_22_01_tracking") or ("No" if template == "2.1" else None)
    row |= _deviation(row)
    row["point_of_contact"] = line["owner"] if line else row["point_of_contact"]
    closed = line["closed_on"] if line else None
    row["first_listed_on"] = line["listed_on"] if line else None
    row["status_date"] = closed or as_of
    over = row["status"] in CLOSED
    row["days_left"] = None if over else (row["scheduled_completion_date"] - as_of).days
    row["late"] = row["status_date"] > row["scheduled_completion_date"]
    row["milestone_late"] = not over and _last_milestone(row) > row["scheduled_completion_date"]
    row["potential_impact"] = IMPACT.get(row["severity"] or "", None if weakness is None else "N2")
    row["accepted_vulnerability_on"] = row["original_detection_date"] + timedelta(days=ACCEPTED_AFTER_DAYS)
    checked = row.get("last_vendor_check_in_date")
    waits = row["vendor_dependency"] == "Yes" and not over
    row["check_in_overdue"] = waits and (checked is None or (as_of - checked).days > CHECK_IN_DAYS)
    row["no_longer_seen"] = gone
    if gone:
        row["comments"] = row.get("comments") or "The weakness is no longer seen: confirm and close."
    return row


def _last_milestone(row: Row) -> date:
    days = (entered_day(text) for text in re.findall(r"\d{4}-\d\d-\d\d", row.get("planned_milestones") or ""))
    return max((day for day in days if day), default=date.min)


def _forgotten(key: str, line: Row | None) -> Row:
    return {
        "weakness_name": (line and line["title"]) or f"Weakness {key}",
        "weakness_description": f"The weakness {key} is on the ledger and no longer seen.",
        "weakness_detector_source": "Ledger",
        "weakness_source_identifier": key,
    }


def _entered_columns(line: Row | None) -> Row:
    """The columns that people filled in; a date must be one."""
    given = entries(line["details"]) if line else {}
    row = {
        column: entered_day(given[column]) if column in _DATES else given[column]
        for column in COLUMNS
        if column in given
    }
    return {column: value for column, value in row.items() if value is not None}


def _deviation(row: Row) -> Row:
    """The deviation that the state of a numbered item stands for, where nobody wrote down another."""
    if row["status"] == "false_positive":
        return {"false_positive": "Yes"}
    if row["status"] == "accepted" and "Yes" not in (row.get("risk_adjustment"), row.get("false_positive")):
        return {"operational_requirement": "Yes"}
    return {}


def _rating(row: Row, line: Row | None) -> str:
    """An approved adjustment moves the date of the ledger, so its days no longer tell the rating at detection."""
    if line is None:
        return RATINGS.get(row["severity"] or "", "High")
    given = entries(line["details"])
    if "original_risk_rating" not in given and row.get("risk_adjustment") == "Yes" and row["severity"]:
        return RATINGS.get(row["severity"], "High")
    return rating_of(given, line["detected_on"], line["due_on"])


def _due(row: Row, line: Row | None) -> date:
    if line:
        scheduled: date = line["scheduled_on"]
        return scheduled
    exploited: date | None = row.get("bod_22_01_due_date")
    latest: date = row["original_detection_date"] + timedelta(days=DAYS[row["original_risk_rating"]])
    return min(latest, exploited) if exploited else latest
