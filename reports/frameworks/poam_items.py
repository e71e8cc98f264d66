"""The rows of a plan of action and milestones: weaknesses with their numbers in the ledger and their deadlines."""

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

import msgspec
import polars as pl

from reports.frameworks.poam_columns import COLUMNS
from reports.frameworks.poam_weaknesses import OPEN, Row, weaknesses

UNNUMBERED = "unnumbered"
RATINGS = {"critical": "High", "high": "High", "medium": "Moderate", "low": "Low"}
DAYS = {"High": 30, "Moderate": 90, "Low": 180}
IMPACT = {"critical": "N5", "high": "N4", "medium": "N3", "low": "N2"}
ACCEPTED_AFTER_DAYS = 192
CHECK_IN_DAYS = 30
CLOSED = ("completed", "false_positive")
_DATES = (
    "original_detection_date", "scheduled_completion_date", "status_date", "last_vendor_check_in_date",
    "bod_22_01_due_date",
)  # fmt: skip
_EXTRA: dict[str, Any] = {
    "subject": pl.String, "weakness_key": pl.String, "kind": pl.String, "status": pl.String, "severity": pl.String,
    "days_left": pl.Int64, "late": pl.Boolean, "no_longer_seen": pl.Boolean, "check_in_overdue": pl.Boolean,
    "internet_reachable": pl.Boolean, "likely_exploitable": pl.Boolean, "potential_impact": pl.String,
    "accepted_vulnerability_on": pl.Date,
}  # fmt: skip
SCHEMA: dict[str, Any] = {
    **{column: pl.Date if column in _DATES else pl.String for column in COLUMNS},
    **_EXTRA,
}


def items(
    gaps: pl.DataFrame,
    findings: pl.DataFrame,
    ledger: pl.DataFrame,
    profiles: pl.DataFrame,
    as_of: date,
    sheet: str,
    template: str,
) -> pl.DataFrame:
    """The open sheet: weaknesses that stand, and numbers that nobody closed; the closed sheet: what was closed."""
    known = weaknesses(gaps, findings, profiles)
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
    frame = pl.DataFrame([{name: row.get(name) for name in SCHEMA} for row in lines], schema=SCHEMA, orient="row")
    counter = pl.col("poam_id").str.extract(r"(\d+)$").cast(pl.Int64, strict=False)
    due = "status_date" if sheet == "closed" else "scheduled_completion_date"
    return frame.sort(due, counter, "poam_id", "subject", nulls_last=True)


def _numbers(ledger: pl.DataFrame) -> dict[str, list[Row | None]]:
    """The open lines of the ledger by weakness; two for one weakness both keep their number."""
    found: dict[str, list[Row | None]] = {}
    for line in ledger.filter(pl.col("status").is_in(OPEN)).sort("id").to_dicts():
        found.setdefault(line["weakness_key"], []).append(line)
    return found


def _line(key: str, weakness: Row | None, line: Row | None, as_of: date, template: str, *, gone: bool = False) -> Row:
    """One row of a sheet: what is known of the weakness, overruled by what people wrote into the ledger."""
    row: Row = {"kind": "gap", "severity": None, **(weakness or _forgotten(key)), **_written(line)}
    row["poam_id"] = line["id"] if line else UNNUMBERED
    row["weakness_key"] = key
    row["subject"] = f"{key}/{row['poam_id']}" if line else key
    row["status"] = line["status"] if line else "open"
    row["original_detection_date"] = line["detected_on"] if line else row["original_detection_date"]
    row["original_risk_rating"] = _rating(row, line)
    row["scheduled_completion_date"] = _due(row, line)
    row["vendor_dependency"] = row.get("vendor_dependency") or "No"
    row["bod_22_01_tracking"] = row.get("bod_22_01_tracking") or ("No" if template == "2.1" else None)
    row |= _decided(row)
    closed = line["closed_on"] if line else None
    row["status_date"] = closed or as_of
    over = row["status"] in CLOSED
    row["days_left"] = None if over else (row["scheduled_completion_date"] - as_of).days
    row["late"] = row["status_date"] > row["scheduled_completion_date"]
    row["potential_impact"] = IMPACT.get(row["severity"] or "", None if weakness is None else "N2")
    row["accepted_vulnerability_on"] = row["original_detection_date"] + timedelta(days=ACCEPTED_AFTER_DAYS)
    checked = row.get("last_vendor_check_in_date")
    waits = row["vendor_dependency"] == "Yes" and not over
    row["check_in_overdue"] = waits and (checked is None or (as_of - checked).days > CHECK_IN_DAYS)
    row["no_longer_seen"] = gone
    if gone:
        row["comments"] = row.get("comments") or "The weakness is no longer seen: confirm and close."
    return row


def _forgotten(key: str) -> Row:
    return {
        "weakness_name": f"Weakness {key}",
        "weakness_description": f"The weakness {key} is on the ledger and no longer seen.",
        "weakness_detector_source": "Ledger",
        "weakness_source_identifier": key,
    }


def _written(line: Row | None) -> Row:
    """The columns that people filled in; a value that is no text is left out, a date must be one."""
    raw: Any = msgspec.json.decode(line["details"]) if line and line["details"] else {}
    given: Mapping[str, Any] = raw if isinstance(raw, dict) else {}
    row: Row = {}
    for column in COLUMNS:
        value = given.get(column)
        if isinstance(value, str) and value.strip():
            row[column] = _day(value) if column in _DATES else value
    return {column: value for column, value in row.items() if value is not None}


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        return None


def _decided(row: Row) -> Row:
    """The deviation that the state of a numbered item stands for, where nobody wrote down another."""
    if row["status"] == "false_positive":
        return {"false_positive": "Yes"}
    if row["status"] == "accepted" and "Yes" not in (row.get("risk_adjustment"), row.get("false_positive")):
        return {"operational_requirement": "Yes"}
    return {}


def _rating(row: Row, line: Row | None) -> str:
    """The rating at detection: as written, else by the days that the ledger gave, else by the severity.

    An approved adjustment moves the date of the ledger, so those days no longer tell the original rating.
    """
    written = row.get("original_risk_rating") or ""
    if written in DAYS:
        return written
    if written.lower() in RATINGS:
        return RATINGS[written.lower()]
    if line is None or (row.get("risk_adjustment") == "Yes" and row["severity"]):
        return RATINGS.get(row["severity"] or "", "High")
    days = (line["due_on"] - line["detected_on"]).days
    return "High" if days <= DAYS["High"] else "Moderate" if days <= DAYS["Moderate"] else "Low"


def _due(row: Row, line: Row | None) -> date:
    """The date of the ledger, never later than detection and rating allow; a date of CISA's catalogue caps it.

    While a vendor must act first, the clock starts with the vendor's fix and the date of the ledger stands.
    """
    adjusted = row.get("adjusted_risk_rating")
    rating = adjusted if row.get("risk_adjustment") == "Yes" and adjusted in DAYS else row["original_risk_rating"]
    dates: list[date] = [line["due_on"]] if line else []
    if not (line and row.get("vendor_dependency") == "Yes"):
        dates.append(row["original_detection_date"] + timedelta(days=DAYS[rating]))
    if row.get("bod_22_01_due_date"):
        dates.append(row["bod_22_01_due_date"])
    return min(dates)
