"""What may have caused an incident: the records around its onset as signals of the root-cause analysis."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from engine.exposure.dependencies import Service
from engine.incidents.alert_text import texts as texts_of
from engine.incidents.durations import tokens
from engine.incidents.rca_features import (
    CAUSE_WORDS,
    Incident,
    PastIncident,
    Signal,
    cause_kind,
)
from engine.store.queries.incidents import ResolvedIncident
from engine.store.schema.records import DeployRow, IncidentRow, PolicyBlockRow

LEAST_NAME = 4  # letters of a vendor's name that is looked for in texts


def to_explain(row: IncidentRow, services: Mapping[str, Service]) -> Incident:
    """The incident row as the analysis takes it."""
    service = services.get(row["service_id"] or "")
    return Incident(
        row["id"],
        row["title"],
        row["started_at"] or row["opened_at"],
        row["service_id"],
        row["summary"],
        service.environment if service else "production",
        row["host"],
        _ended(row),
        row["dedupe_key"],
    )


def past(rows: Iterable[ResolvedIncident]) -> list[PastIncident]:
    """Resolved incidents as precedents."""
    return [
        PastIncident(
            row["id"],
            row["title"],
            row["resolved_at"],
            row["root_cause"],
            row["service_id"],
            row["summary"],
            row["dedupe_key"],
        )
        for row in rows
    ]


def deploy_signals(rows: Iterable[DeployRow], services: Mapping[str, Service]) -> Iterator[Signal]:
    """Changes that went live. When one was rolled back is not recorded, so that it was says nothing about time."""
    for row in rows:
        where = _name(row["service_id"], services)
        version = f" {row['version']}" if row["version"] else ""
        change = f" ({row['change_ref']})" if row["change_ref"] else ""
        yield Signal(
            "deploy",
            f"deploys:{row['id']}",
            row["deployed_at"],
            f"{row['id']}, release{version} of {where}{change}",
            row["service_id"],
            environment=row["environment"],
            failed=row["status"] == "failed",
        )


def block_signals(rows: Iterable[PolicyBlockRow]) -> Iterator[Signal]:
    """Automations that a policy refused."""
    for row in rows:
        said = f": {row['message'].rstrip('.')}" if row["message"] else ""
        text = f"{row['playbook']} was refused ({row['reason']}){said}"
        yield Signal("policy_block", f"policy_blocks:{row['id']}", row["blocked_at"], text, subject=row["playbook"])


def incident_signals(
    rows: Iterable[IncidentRow],
    service_id: str | None,
    hops: Mapping[str, int],
    services: Mapping[str, Service],
    vendors: Sequence[str],
    *,
    host: str | None = None,
) -> Iterator[Signal]:
    """Other incidents: of a vendor, of a service that is needed, or of a resource of the service or host itself."""
    named = [(vendor, _pattern(vendor)) for vendor in vendors if len(vendor) >= LEAST_NAME]
    for row in rows:
        texts = [text for text in (row["title"], row["summary"], row["root_cause"]) if text]
        vendor = next((name for name, pattern in named if any(pattern.search(text) for text in texts)), None)
        kind = _kind(row, texts, vendor, service_id, hops, host)
        if kind is None:
            continue
        where = _name(row["service_id"], services)
        service = services.get(row["service_id"] or "")
        yield Signal(
            kind,
            f"incidents:{row['id']}",
            row["started_at"] or row["opened_at"],
            f"{row['id']}, {row['title']} on {where}" if row["service_id"] else f"{row['id']}, {row['title']}",
            row["service_id"],
            vendor,
            row["severity"],
            _ended(row),
            service.environment if service else None,
            row["host"],
        )


def _kind(
    row: IncidentRow,
    texts: Sequence[str],
    vendor: str | None,
    service_id: str | None,
    hops: Mapping[str, int],
    host: str | None,
) -> str | None:
    if vendor is not None or any(cause_kind(text) == "vendor_outage" for text in texts):
        return "vendor_outage"
    same_host = row["host"] is not None and row["host"] == host
    if same_host or (row["service_id"] is not None and row["service_id"] == service_id):
        said = tokens(row["title"], row["summary"], *texts_of(row["annotations"]).values())
        return "capacity" if said & CAUSE_WORDS["capacity"] else None
    if row["service_id"] is None:
        return None
    return "upstream" if row["service_id"] in hops else None


def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE)


def _name(service_id: str | None, services: Mapping[str, Service]) -> str:
    if service_id is None:
        return "an unknown service"
    return services[service_id].name if service_id in services else service_id


def _ended(row: IncidentRow) -> datetime | None:
    return row["mitigated_at"] or row["resolved_at"] or row["closed_at"]
