"""What is recorded about one incident, for tests: a quiet one on a service, with nothing beside it."""

from datetime import UTC, datetime

from engine.incidents.review.records import IncidentRecord
from engine.incidents.slo.impact import Impact
from engine.model.documents.document import Organization, Position

OPENED = datetime(2026, 11, 20, 8, 0, tzinfo=UTC)
INCIDENT = {
    "id": "inc-1",
    "title": "Checkout is slow",
    "summary": None,
    "severity": "medium",
    "status": "open",
    "service_id": "checkout",
    "workspace_id": None,
    "owner": None,
    "source": "alertmanager",
    "alert_count": 1,
    "related_to": None,
    "root_cause": None,
    "started_at": None,
    "opened_at": OPENED,
    "acknowledged_at": None,
    "mitigated_at": None,
    "resolved_at": None,
    "closed_at": None,
    "host": None,
    "labels": None,
    "annotations": None,
    "links": None,
    "runbook_url": None,
    "value": None,
    "image_url": None,
    "revision": 1,
}
LISTS = ("timeline", "actions", "dry_runs", "executions", "approvals", "rca_runs", "findings", "holds", "events")


def record(impact=None, incident=None, **lists):
    """The record with other rows; ``incident`` holds columns of it."""
    return IncidentRecord(
        organization=Organization("acme", "Acme"),
        head=Position(9, "ab" * 32),
        incident={**INCIDENT, **(incident or {})},
        service=None,
        impact=impact or Impact(None, None, False),
        hashes={},
        **{name: lists.get(name, []) for name in (*LISTS, "peers", "earlier", "deploys")},
        hops=lists.get("hops", {"checkout": 0}),
        elsewhere=lists.get("elsewhere", 0),
    )
