"""What a plan of action and milestones is about: gaps of controls and findings of scanners, in its columns."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from engine.model.poam import STANDING, WEAK_STATES
from reports.frameworks.assessments import why

LIKELY_EPSS = 0.1
SCAN_CONTROLS = "RA-5"

Row = dict[str, Any]


def weaknesses(
    gaps: pl.DataFrame, findings: pl.DataFrame, profiles: pl.DataFrame, controls: Mapping[str, str]
) -> dict[str, Row]:
    """By key. ``present`` says whether it is still seen, ``listed`` whether it belongs on a plan without a number."""
    return {**_of_gaps(gaps, profiles, controls), **_of_findings(findings)}


def nist_controls(pairs: pl.DataFrame) -> dict[str, str]:
    """By the key of a gap: the controls of NIST SP 800-53 that its control is paired with, in their order."""
    key = pl.format("{}:{}", "framework", "control_id")
    lists = (
        pairs.sort("framework", "control_id", "nist_position")
        .group_by(key.alias("key"), maintain_order=True)
        .agg(pl.col("nist_control").unique(maintain_order=True))
    )
    return dict(lists.select("key", pl.col("nist_control").list.join(", ")).iter_rows())


def _of_gaps(gaps: pl.DataFrame, profiles: pl.DataFrame, controls: Mapping[str, str]) -> dict[str, Row]:
    systems = profiles.select("framework", "control_id", "systems")
    rows = {}
    known = gaps.join(systems, on=["framework", "control_id"], how="left").with_columns(why=why())
    for gap in known.to_dicts():
        plan, due = gap["action"], gap["due_on"]
        rows[gap["gap_id"]] = {
            "present": True,
            "listed": gap["state"] in WEAK_STATES,
            "kind": "gap",
            "severity": gap["severity"],
            "controls": controls.get(gap["gap_id"], f"{gap['framework']}: {gap['control_id']}"),
            "weakness_name": gap["title"],
            "weakness_description": f"{gap['control_id']} {gap['title']}: {gap['why']}.",
            "weakness_detector_source": "Control assessment",
            "weakness_source_identifier": gap["gap_id"],
            "asset_identifier": gap["systems"],
            "point_of_contact": gap["owner"],
            "resources_required": None if gap["effort_hours"] is None else f"{gap['effort_hours']:g} hours",
            "remediation_plan": plan,
            "planned_milestones": f"(01) {due}: {plan or 'Close the gap'}" if due else None,
            "original_detection_date": gap["weakness_since"],
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
            "present": finding["status"] in STANDING,
            "listed": finding["status"] in STANDING,
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
