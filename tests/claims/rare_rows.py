"""Rows of kinds that small organizations lack, most of them against us: what counts them moves by these alone."""

from collections.abc import Iterator
from datetime import datetime, time, timedelta

import polars as pl

from tests.claims.good_rows import Rows, with_rows
from tests.claims.organizations import Organization, Tables


def rare_rows(org: Organization) -> Iterator[tuple[str, Tables]]:
    """What is added, in words, and the rows of the organization with it."""
    for name, rows in _rare(org).items():
        yield name, with_rows(org, rows)


def _rare(org: Organization) -> dict[str, Rows]:
    day, at = org.day, datetime.combine(org.day - timedelta(days=1), time(12))
    people = org.tables["users"].filter("active")["email"].sort().to_list()
    profiles = org.tables["control_profiles"].filter(pl.col("applicable").fill_null(True))
    control = profiles.select("framework", "control_id").sort("framework", "control_id").row(0, named=True)
    some = profiles.select("framework", "control_id").sort("framework", "control_id").head(12)
    test = org.tables["test_runs"].sort("performed_on", nulls_last=False)["id"][-1]
    incident = {"status": "open", "source": "monitor", "opened_at": at, "started_at": at, "last_seen_at": at}
    waiting = {"kind": "borrow", "owner": people[0], "relief_hours": 8.0, "proposed_on": day - timedelta(days=90)}
    weeks = [(day - timedelta(weeks=count)).strftime("%G-W%V") for count in (8, 6)]
    exception = {**control, "kind": "accepted_risk", "reason": "Old", "status": "approved", "approver": people[0]}
    system = {"boundary": "inside", "frameworks": "pci-dss"}
    return {
        "incidents": {
            "incidents": [
                {"id": f"R-{level}", "title": level, "severity": level, "labels": '{"service":"nobody knows"}'}
                | incident
                | over
                for level, over in (("critical", {}), ("info", {"status": "resolved", "resolved_at": at}))
            ]
        },
        "an exception of long ago": {
            "exceptions": [
                {"id": "R-2", **exception, "approved_on": day - timedelta(days=1_500), "renewals": 9}
                | {"expires_on": day + timedelta(days=10)}
            ]
        },
        "a request of nobody": {
            "evidence_requests": [
                {"id": "R-8", "title": "All of it", "requester": "auditor@firm.example", "status": "open"}
                | {"opened_on": day - timedelta(days=5), "due_on": day + timedelta(days=1)}
            ]
        },
        "measures that nobody approved": {
            "remediations": [
                {"id": f"R-{number}", **one, "opened_on": day, "status": "open", "compensating": "Watched by hand"}
                for number, one in enumerate(some.iter_rows(named=True), 100)
            ]
        },
        "a bundle that holds a test": {
            "bundles": [
                {"id": "R-9", "requested_window": "90d", "window_start_on": day - timedelta(days=90), "sealed_seq": 1}
                | {"window_end_on": day, "created_by": people[0], "sealed_at": at}
            ],
            "test_links": [
                {"id": "R-10", "test_id": test, **control, "bundle_id": "R-9", "status": "linked"}
                | {"linked_by": people[0], "linked_at": at}
            ],
        },
        "many people on one control": {
            "control_owners": [
                {**control, "email": email, "raci": raci}
                for raci, some in (("A", people[:3]), ("C", people[3:15]))
                for email in some
            ]
        },
        "an event of long ago": {
            "audit_log": [
                {"event_id": "R-3", "action": "backup.completed", "actor": people[0], "outcome": "success"}
                | {"occurred_at": datetime.combine(day - timedelta(days=3_000), time(12))}
            ]
        },
        "a flow between regions": {
            "systems": [
                {"id": f"R-{place}", "name": place, "region": place, **system} for place in ("eu-west-1", "us-east-1")
            ],
            "data_flows": [
                {"id": "R-4", "from_system": "R-eu-west-1", "to_system": "R-us-east-1", "data_class": "phi"}
                | {"encrypted": False}
            ],
        },
        "staffing actions that wait": {
            "staffing_actions": [
                {"id": "R-5", "week": weeks[0], "status": "proposed", **waiting},
                {"id": "R-6", "week": weeks[1], "status": "tracked", "tracked_on": day - timedelta(days=80), **waiting},
                {
                    "id": "R-7",
                    "week": weeks[1],
                    "status": "completed",
                    "tracked_on": day - timedelta(days=80),
                    **waiting,
                }
                | {"completed_on": day - timedelta(days=3)},
            ]
        },
    }
