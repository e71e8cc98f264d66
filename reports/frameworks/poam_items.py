"""The rows of a plan of action and milestones: weaknesses, their numbers in the ledger, and their deadlines."""

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

import msgspec
import polars as pl

from reports.frameworks.assessed import WHY
from reports.frameworks.poam_columns import COLUMNS

UNNUMBERED = "unnumbered"
WEAK_STATES = ("ineffective", "no_data")
RATINGS = {"critical": "High", "high": "High", "medium": "Moderate", "low": "Low"}
DAYS = {"High": 30, "Moderate": 90, "Low": 180}
IMPACT = {"critical": "N5", "high": "N4", "medium": "N3", "low": "N2"}
LIKELY_EPSS = 0.1
ACCEPTED_AFTER_DAYS = 192
CHECK_IN_DAYS = 30
OPEN, CLOSED = ("open", "accepted"), ("completed", "false_positive")
SCAN_CONTROLS = "RA-5"
_DATES = (
    "original_detection_date", "scheduled_completion_date", "status_date", "last_vendor_check_in_date",
    "bod_22_01_due_date",
)  # fmt: skip
_EXTRA: dict[str, Any] = {
    "subject": pl.String, "weakness_key": pl.String, "kind": pl.String, "status": pl.String, "severity": pl.String,
    "days_left": pl.Int64, "late": pl.Boolean, "check_in_overdue": pl.Boolean, "internet_reachable": pl.Boolean,
    "likely_exploitable": pl.Boolean, "potential_impact": pl.String, "accepted_vulnerability_on": pl.Date,
}  # fmt: skip
SCHEMA: dict[str, Any] = {
    **{column: pl.Date if column in _DATES else pl.String for column in COLUMNS},
    **_EXTRA,
}

Row = dict[str, Any]


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
    known = {**_of_gaps(gaps, profiles), **_of_findings(findings)}
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


def _of_gaps(gaps: pl.DataFrame, profiles: pl.DataFrame) -> dict[str, Row]:
    systems = profiles.select("framework", "control_id", "systems")
    rows = {}
    for gap in gaps.join(systems, on=["framework", "control_id"], how="left").to_dicts():
        plan, due = gap["runbook_title"], gap["due_on"]
        rows[gap["gap_id"]] = {
            "present": True,
            "listed": gap["state"] in WEAK_STATES,
            "kind": "gap",
            "severity": gap["severity"],
            "controls": f"{gap['framework']}: {gap['control_id']}",
            "weakness_name": gap["title"],
            "weakness_description": f"{gap['control_id']} {gap['title']}: {WHY.get(gap['state'], gap['state'])}.",
            "weakness_detector_source": "Control assessment",
            "weakness_source_identifier": gap["gap_id"],
            "asset_identifier": gap["systems"],
            "point_of_contact": gap["owner"],
            "resources_required": None if gap["effort_hours"] is None else f"{gap['effort_hours']:g} hours",
            "remediation_plan": plan,
            "planned_milestones": f"(01) {due}: {plan or 'Close the gap'}" if due else None,
            "original_detection_date": gap["detected_on"],
        }
    return rows


def _of_findings(findings: pl.DataFrame) -> dict[str, Row]:
    rows = {}
    for finding in findings.filter(pl.col("severity") != "info").to_dicts():
        exploited, likely = finding["known_exploited"], finding["epss"]
        unknown = exploited is None and likely is None
        scored = "" if finding["cvss"] is None else f" (CVSS {finding['cvss']:g})"
        where = finding["asset"] or finding["service"] or "an unnamed asset"
        rows[finding["id"]] = {
            "present": finding["status"] in OPEN,
            "listed": finding["status"] in OPEN,
            "kind": "finding",
            "severity": finding["severity"],
            "controls": SCAN_CONTROLS,
            "weakness_name": finding["title"],
            "weakness_description": f"{finding['title']} on {where}{scored}.",
            "weakness_detector_source": finding["source"],
            "weakness_source_identifier": finding["finding_key"],
            "asset_identifier": f"{finding['asset'] or ''}{_port(finding['port'])}" or None,
            "point_of_contact": finding["owner"],
            "remediation_plan": "Fix, scan again, and close once the scanner no longer reports it.",
            "original_detection_date": finding["first_seen_on"],
            "operational_requirement": "Pending" if finding["status"] == "accepted" else None,
            "bod_22_01_tracking": "Yes" if exploited else None,
            "bod_22_01_due_date": finding["due_on"] if exploited else None,
            "cve": (finding["cve"] or "").replace(";", ",") or None,
            "service_name": finding["service"],
            "internet_reachable": finding["internet_reachable"] is not False,
            "likely_exploitable": unknown or bool(exploited) or (likely or 0) >= LIKELY_EPSS,
        }
    return rows


def _port(port: int | None) -> str:
    return "" if port is None else f":{port}"


def _line(key: str, weakness: Row | None, line: Row | None, as_of: date, template: str, *, gone: bool = False) -> Row:
    """One row of a sheet: what is known of the weakness, overruled by what people wrote into the ledger."""
    row: Row = {"kind": "gap", "severity": None, **(weakness or _forgotten(key)), **_written(line)}
    row["poam_id"] = line["id"] if line else UNNUMBERED
    row["weakness_key"] = key
    row["status"] = line["status"] if line else "open"
    row["original_detection_date"] = line["detected_on"] if line else row["original_detection_date"]
    row["original_risk_rating"] = row.get("original_risk_rating") or (
        _rating_of(line) if line else RATINGS.get(row["severity"], "High")
    )
    row["scheduled_completion_date"] = _due(row, line)
    row["vendor_dependency"] = row.get("vendor_dependency") or "No"
    row["bod_22_01_tracking"] = row.get("bod_22_01_tracking") or ("No" if template == "2.1" else None)
    closed = line["closed_on"] if line else None
    row["status_date"] = closed or as_of
    over = row["status"] in CLOSED
    row["subject"] = f"{key}/{row['poam_id']}" if line else key
    row["days_left"] = None if over else (row["scheduled_completion_date"] - as_of).days
    row["late"] = (closed or as_of) > row["scheduled_completion_date"]
    row["potential_impact"] = IMPACT.get(row["severity"] or "", None if weakness is None else "N2")
    row["accepted_vulnerability_on"] = row["original_detection_date"] + timedelta(days=ACCEPTED_AFTER_DAYS)
    checked = row.get("last_vendor_check_in_date")
    waits = row["vendor_dependency"] == "Yes" and not over
    row["check_in_overdue"] = waits and (checked is None or (as_of - checked).days > CHECK_IN_DAYS)
    if gone and not row.get("comments"):
        row["comments"] = "The weakness is no longer seen: confirm and close."
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


def _rating_of(line: Row) -> str:
    """The rating that the ledger's deadline was set by."""
    days = (line["due_on"] - line["detected_on"]).days
    return "High" if days <= DAYS["High"] else "Moderate" if days <= DAYS["Moderate"] else "Low"


def _due(row: Row, line: Row | None) -> date:
    """From the detection and the rating, an approved adjustment included; a date of CISA's catalogue caps it."""
    adjusted = row.get("adjusted_risk_rating")
    rating = adjusted if row.get("risk_adjustment") == "Yes" and adjusted in DAYS else row["original_risk_rating"]
    due: date = (
        line["due_on"] if line else row["original_detection_date"] + timedelta(days=DAYS.get(rating, DAYS["High"]))
    )
    cap = row.get("bod_22_01_due_date")
    return min(due, cap) if cap else due
