"""Rows that speak for us, each of which may be added: evidence, a signature, a test, a document, a policy, an owner, hours."""

from collections.abc import Iterator
from datetime import datetime, time, timedelta

import polars as pl

from data.demo.frames import INSTANT, frame
from tests.claims.organizations import Organization, Tables

Rows = dict[str, list[dict[str, object]]]
LONG_AGO = timedelta(days=1000)  # before any organization here had its frameworks


def good_rows(org: Organization) -> Iterator[tuple[str, Tables]]:
    """What is added, in words, and the rows of the organization with it."""
    day, yesterday = org.day, org.day - timedelta(days=1)
    at = datetime.combine(yesterday, time(12))
    active = org.tables["users"].filter("active")["email"][0]
    owned = org.tables["control_owners"].filter(pl.col("raci") == "A").select("framework", "control_id")
    profiles = org.tables["control_profiles"].filter(pl.col("applicable").fill_null(True))
    free = profiles.join(owned, on=["framework", "control_id"], how="anti").sort("framework", "control_id")
    control = free.select("framework", "control_id").row(0, named=True)
    vendor = org.tables["vendors"].filter(pl.col("offboarded_on").is_null())["id"].sort()[0]
    schedule = org.tables["testing_schedules"].filter(pl.col("ends_on").is_null())["id"].sort()[0]
    event = {"actor": active, "occurred_at": at, "outcome": "success"}
    added: dict[str, Rows] = {
        "an event": {"audit_log": [{"event_id": "G-1", "action": "backup.completed", **event}]},
        "an event that names its control": {
            "audit_log": [
                {"event_id": "G-2", "action": "control.test.passed", **event}
                | {"controls": f"{control['framework']}:{control['control_id']}"}
            ]
        },
        "an event of long ago that names its control": {
            "audit_log": [
                {"event_id": "G-7", "action": "control.test.passed", **event, "occurred_at": at - LONG_AGO}
                | {"controls": f"{control['framework']}:{control['control_id']}"}
            ]
        },
        "evidence": {
            "evidence_items": [{"id": "G-3", "title": "Proof", "owner": active, "captured_at": at, "sha256": "0" * 64}],
            "evidence_links": [{"evidence_id": "G-3", **control}],
        },
        "a signature": {
            "attestations": [
                {"id": "G-4", **control, "owner": active, "attestor": active, "due_on": day, "outcome": "attested"}
                | {"attested_at": at, "statement": "It operates."}
            ]
        },
        "a test that passed": {
            "test_runs": [
                {"id": "G-5", "schedule_id": schedule, "window_open_on": yesterday, "window_close_on": day}
                | {"performed_on": yesterday, "outcome": "passed", "population": 9, "tested": 9, "deviations": 0}
                | {"evidence_expected": 1, "evidence_received": 1}
            ]
        },
        "a vendor's report": {
            "vendor_documents": [
                {"id": "G-6", "vendor_id": vendor, "kind": "soc2_type2", "issued_on": yesterday}
                | {"period_start_on": day - timedelta(days=400), "period_end_on": day - timedelta(days=35)}
                | {"opinion": "unqualified", "in_scope": True, "cuecs_mapped": True}
            ]
        },
        "an owner": {"control_owners": [{**control, "email": active, "raci": "A"}]},
    }
    for name, rows in added.items():
        yield name, with_rows(org, rows)


def with_rows(org: Organization, rows: Rows) -> Tables:
    """The rows of the organization with these."""
    tables = dict(org.tables)
    for table, given in rows.items():
        more = frame(table, [_aware(row) for row in given])
        before = tables.get(table, more.clear())
        tables[table] = pl.concat([before, more.select(before.columns)], how="vertical_relaxed")
    return tables


def _aware(row: dict[str, object]) -> dict[str, object]:
    """Moments as frames of the importable tables have them."""
    return {
        name: pl.Series([value]).dt.replace_time_zone("UTC").cast(INSTANT)[0] if isinstance(value, datetime) else value
        for name, value in row.items()
    }
