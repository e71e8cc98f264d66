"""Editions to render: ``edition`` with defaults, ``posture`` as realistic as a small example gets."""

from datetime import UTC, date, datetime
from typing import Any

import polars as pl

from engine.model.documents.document import (
    CalendarEvent,
    Chart,
    Coverage,
    Document,
    Edition,
    Organization,
    Position,
    Table,
)

HASH = "9f2c7a1e5b3d4860a7c9e2f1d0b8a6c4e3f5d7b9a1c2e4f6081a3b5c7d9e0f12"


def edition(document: Document | None = None, **changes: Any) -> Edition:
    values: dict[str, Any] = {
        "report": "posture-score",
        "title": "Posture score",
        "description": "One figure for the state of the programme, and what it is made of.",
        "schema_version": 1,
        "organization": Organization("aurora", "Aurora Health"),
        "as_of": date(2026, 11, 20),
        "revision": Position(81234, HASH),
        "parameters": {"periodDays": 30},
        "settings_version": 3,
        "document": document or Document("Nothing to say.", summary={}),
    }
    return Edition(**(values | changes))


def table(frame: pl.DataFrame, name: str = "rows", **changes: Any) -> Table:
    return Table(name, changes.pop("title", "Rows"), frame, **changes)


def of_tables(*tables: Table) -> Edition:
    return edition(Document("Nothing to say.", summary={}, tables=tables))


COMPONENTS = pl.DataFrame(
    {
        "component": ["Weighted readiness", "Evidence freshness", "Attestation currency", "Vendor assurance"],
        "weight_pct": [43.8, 25.0, 18.7, None],
        "value_pct": [80.0, 70.0, 90.0, None],
        "contribution": [35.0, 17.5, 16.8, None],
        "state": ["effective", "partial", "effective", "no_data"],
        "measured": [True, True, True, False],
    }
)

GAPS = pl.DataFrame(
    {
        "control_id": ["CC6.1", "A.5.15", "164.312(a)(1)"],
        "title": ["Logical access is restricted", "Access control | rules", "Access control <technical>"],
        "state": ["ineffective", "stale", "no_data"],
        "owners": [["ana@aurora.example", "ben@aurora.example"], [], None],
        "due_on": [date(2026, 12, 7), date(2026, 11, 30), None],
        "seen_at": [datetime(2026, 11, 19, 8, 30, tzinfo=UTC), datetime(2026, 11, 1, 23, 5, 7, 120000, UTC), None],
        "effort_hours": [6, 12, 3],
        "ticket": ['=HYPERLINK("http://evil.example")', "two\nlines", ""],
        "row_id": [1, 2, 3],
    },
    schema_overrides={"owners": pl.List(pl.String)},
)

HEAT = pl.DataFrame(
    {
        "framework": ["SOC 2", "ISO/IEC 27001", "HIPAA"],
        "critical": [0, 1, 3],
        "high": [2, 5, 6],
        "moderate": [9, 10, 24],
        "low": [0, None, 4],
    }
)

TREND = pl.DataFrame(
    {
        "week": ["2026-W44", "2026-W45", "2026-W46", "2026-W47"] * 2,
        "kind": ["strict"] * 4 + ["weighted"] * 4,
        "value_pct": [61.0, 62.5, None, 64.0, 74.0, 75.5, 77.0, 78.3],
    }
)

STATES = pl.DataFrame(
    {
        "framework": ["SOC 2", "SOC 2", "SOC 2", "HIPAA", "HIPAA"],
        "state": ["effective", "partial", "no_data", "effective", "partial"],
        "controls": [41, 12, 8, 30, 14],
    }
)

EVENTS = (
    CalendarEvent(
        "3f6a@aurora",
        date(2026, 12, 7),
        "Access review, quarterly; team Ärzte",
        "Owner: ana@aurora.example\nControls: CC6.1, A.5.15",
        ("SOC 2", "ISO/IEC 27001"),
        1,
        "CONFIRMED",
        date(2026, 11, 18),
        "https://hq.example/obligations/3f6a",
    ),
    CalendarEvent("77b0@aurora", date(2026, 12, 24), "Vendor review", "", (), 2, "CANCELLED", date(2026, 11, 20)),
)


def posture() -> Edition:
    document = Document(
        headline="The posture score is 78.3 of 100, up 2.1 points in thirty days; vendor assurance has no data.",
        next_step="Start with *vendor assurance*: import vendor_documents.csv.",
        summary={
            "score": 78.3,
            "rag": "amber",
            "strict_pct": 64.0,
            "open_gaps": 3,
            "events_in_period": 104211,
            "evidence_complete": False,
            "next_review_on": date(2026, 12, 7),
            "by_state": {"effective": 41, "partial": 12, "no_data": 8},
            "movers": [
                {"component": "Evidence freshness", "delta": 3.2},
                {"component": "Attestation currency", "delta": -1.1},
            ],
            "frameworks": ["SOC 2", "HIPAA"],
            "vendor_pct": None,
        },
        tables=(
            table(COMPONENTS, "components", title="Components", state=("state",), note="Weights are renormalised."),
            table(GAPS, "gaps", title="Open gaps", state=("state",), hidden=("row_id",), labels={"ticket": "Ticket"}),
            table(HEAT, "heat", title="Gaps by framework and severity", heat=("critical", "high", "moderate", "low")),
            table(GAPS.clear(), "exceptions", title="Expired exceptions"),
        ),
        coverage=Coverage(45, 61),
        charts=(
            Chart("bars", "Components", COMPONENTS, "component", "value_pct", "Attestations lead.", percent=True),
            Chart("lines", "Trend", TREND, "week", "value_pct", "Both rise.", series="kind", percent=True),
            Chart(
                "stacked",
                "Controls by state",
                STATES,
                "framework",
                "controls",
                "Most work.",
                series="state",
                words=("state",),
            ),
        ),
        events=EVENTS,
        definitions={
            "Strict": "Effective controls divided by applicable controls.",
            "Coverage": "Controls with any evidence, of those in scope.",
        },
        warnings=("Vendor assurance has no data: its weight went to the other components.",),
        footnotes=("Gaps in full: GET /api/compliance/gaps", "Weights follow settings version 3."),
    )
    return edition(document)
