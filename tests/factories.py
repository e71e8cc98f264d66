"""Frames and rows with defaults: a test states only what it is about."""

from datetime import date, datetime
from typing import Any

import polars as pl

from engine.facts.schemas import SCHEMAS
from engine.model.declarations.ask import Ask
from engine.model.declarations.report import Report
from engine.model.documents.document import Document
from engine.model.thresholds import Thresholds

ORG = "acme"
DAY = date(2026, 11, 20)

DEFAULTS: dict[str, dict[str, Any]] = {
    "organization": {"name": "Acme", "time_zone": "UTC", "plan": "team", "deployment_tier": "shared", "frameworks": []},
    "controls": {"assessable": True, "weight": 3, "cadence": "quarterly", "evidence_kinds": ["operation"]},
    "control_assessments": {
        "weight": 3,
        "cadence": "quarterly",
        "applicable": True,
        "state": "effective",
        "freshness": "fresh",
        "kinds_required": ["operation"],
        "kinds_present": ["operation"],
        "kinds_stale": [],
        "events": 1,
        "active": True,
        "window_days": 100,
        "age_days": 10,
        "age_ratio": 0.1,
        "without_evidence": False,
        "change_invalidated": False,
        "future_dated": False,
        "ownership_complete": True,
        "attested": True,
        "tests_passed": 0,
        "tests_performed": 0,
        "leverage": 1,
        "owner": "ann@acme.example",
        "accountable": "bob@acme.example",
        "group_id": "G",
        "group_title": "Group",
        "title": "A control",
        "last_evidence_on": date(2026, 11, 10),
        "last_evidence_id": "e1",
        "last_source": "operation",
        "next_due_on": date(2027, 2, 18),
    },
    "gaps": {
        "title": "A control",
        "group_id": "G",
        "group_title": "Group",
        "state": "no_data",
        "severity": "medium",
        "severity_score": 3,
        "weight": 3,
        "detected_on": date(2026, 11, 1),
        "state_since": date(2026, 11, 1),
        "weakness_since": date(2026, 11, 1),
        "age_days": 19,
        "dry_run": False,
        "effort_hours": 8.0,
        "usual_hours": 8.0,
        "kinds_to_renew": [],
        "leverage": 1,
        "requirements": [],
        "priority": 1.0,
        "quick_win": False,
        "status": "unplanned",
    },
    "attestations": {
        "title": "A control",
        "owner": "ann@acme.example",
        "status": "not_due",
        "evidence_links": 0,
        "unsupported": False,
        "current": True,
    },
    "obligations": {
        "kind": "attestation",
        "title": "A duty",
        "frameworks": [],
        "controls": [],
        "effort_hours": 1.0,
        "state": "open",
        "hard": False,
        "paused": False,
        "sequence": 0,
        "changed_on": date(2026, 11, 1),
    },
}


DEFAULTS["control_status"] = {
    name: value for name, value in DEFAULTS["control_assessments"].items() if name in SCHEMAS["control_status"]
}


def rows(fact: str, *given: dict[str, Any]) -> pl.DataFrame:
    """A frame of ``fact``: what is not given is the default above, else null."""
    schema = SCHEMAS[fact]
    common = {"org_id": ORG} if "org_id" in schema else {}
    unknown = {name for row in given for name in row} - set(schema)
    assert not unknown, f"{fact} has no column {sorted(unknown)}"
    complete = [{**dict.fromkeys(schema), **common, **DEFAULTS.get(fact, {}), **row} for row in given]
    return pl.DataFrame(complete, schema=dict(schema), orient="row")


def ask(as_of: date = DAY, period_days: int = 30, **options: Any) -> Ask:
    """A question for ``as_of`` under the default thresholds."""
    return Ask(as_of, period_days, Thresholds(), options)


def document(report: Report, question: Ask | None = None, **facts: pl.DataFrame) -> Document:
    """What a report says of ``facts``, figures included; a fact that is not given is empty."""
    unknown = set(facts) - set(report.facts)
    assert not unknown, f"{report.name} takes no {sorted(unknown)}"
    return report.document({name: facts.get(name, rows(name)) for name in report.facts}, question or ask())


def explained_rows(report: Report, figure: str, question: Ask | None = None, **facts: pl.DataFrame) -> pl.DataFrame:
    """The rows that a figure of a report counts."""
    frames = {name: facts.get(name, rows(name)) for name in report.facts}
    return report.values(frames, question or ask()).explained_rows(figure)


def moment(text: str) -> datetime:
    """A naive UTC instant as facts hold them, from ``2026-11-20 08:30``."""
    return datetime.fromisoformat(text)


def assessment_facts(*given: Any) -> dict[str, pl.DataFrame]:
    """The two facts of controls and their states, of the same rows."""
    wide = rows("control_assessments", *given)
    return {"control_assessments": wide, "control_status": wide.select(list(SCHEMAS["control_status"]))}


def lead(document):
    """What a person reads first: the headline and the next step."""
    return document.headline, document.next_step
