"""An incident as a Markdown file: what is known, what happened, what was done, and its place in the audit chain."""

from collections.abc import Iterator
from datetime import datetime

from engine.incidents.alerts.alert_text import alert_blocks, has_alert
from engine.incidents.hands.clocks import regulators_clocks
from engine.incidents.review.durations import incident_times
from engine.incidents.review.duty import duty_rows, window_rows
from engine.incidents.review.evidence import content_sha256
from engine.incidents.review.factors import best_grounds
from engine.incidents.review.markdown import (
    automation_tables,
    deploys_table,
    document,
    duration,
    event_table,
    facts,
    instant_words,
    table,
    timeline_table,
    zone_sentence,
)
from engine.incidents.review.own_zone import in_own_zone
from engine.incidents.review.records import IncidentRecord
from engine.model.vocabulary import LIVE_INCIDENTS, SEVERITIES
from engine.render.text.prose import heading, inline, paragraph

STEPS = (
    ("ttd_minutes", "Detected (TTD)", "from the first sign"),
    ("tta_minutes", "Acknowledged (TTA)", "from detection"),
    ("ttm_minutes", "Mitigated (TTM)", "from detection"),
    ("ttr_minutes", "Resolved (TTR)", "from detection"),
)


def export(record: IncidentRecord) -> bytes:
    """The file. Same record, same bytes: it shows no present time."""
    return document(_blocks(in_own_zone(record)))


def _blocks(record: IncidentRecord) -> Iterator[str]:
    incident = record.incident
    yield heading(1, f"{record.id}: {incident['title']}")
    yield (
        f"**{inline(record.organization.name)}** · {inline(incident['severity'])} · {inline(incident['status'])} · "
        f"detected {instant_words(incident['opened_at'])}. {zone_sentence(record)}"
    )
    if incident["summary"]:
        yield paragraph(incident["summary"])
    if any(hold["released_at"] is None for hold in record.holds):
        yield "> **Legal hold:** the records of this incident are held; nothing of it may be deleted."
    yield facts(about(record))
    if has_alert(incident):
        yield "## Alert"
        yield from alert_blocks(incident)
    yield "## Times"
    yield times_table(record)
    yield "## Timeline"
    yield timeline_table(record)
    yield from family(record)
    yield from clocks(record)
    yield "## Deploys in the 24 hours before"
    yield deploys_table(record)
    yield "## Follow-up actions"
    yield actions_table(record, nothing="None recorded.")
    if record.findings:
        yield "## Findings"
        found = [
            (row["id"], row["title"], row["severity"], row["status"], row["cve"], row["due_on"])
            for row in record.findings
        ]
        yield table(("Id", "Finding", "Severity", "Status", "CVE", "Due"), found, nothing="")
    yield "## Automation"
    yield from automation_tables(record)
    yield "## Audit events"
    yield event_table(record)
    yield "## Provenance"
    yield provenance(record)


def about(record: IncidentRecord) -> Iterator[tuple[str, object]]:
    """What an incident is, as names and values."""
    incident, service, cost = record.incident, record.service, record.impact
    yield "Service", record.name
    if service:
        yield "Criticality", f"{service['criticality']} of 5, {service['environment']}"
        yield "Service owner", service["owner"]
    yield "Incident owner", incident["owner"]
    yield "Workspace", incident["workspace_id"]
    yield "Reported by", incident["source"]
    yield "Alerts", incident["alert_count"]
    yield "Users affected", cost.users
    yield "Effect lasted", duration(cost.minutes) if cost.minutes is not None else None
    yield "Established cause", incident["root_cause"]
    yield "Earlier incident with the same key", incident["related_to"]
    yield from handling(record)
    if record.rca_runs:
        latest = record.rca_runs[-1]
        yield "Root-cause analysis", f"{latest['hypothesis']} (confidence {latest['confidence']:.3f})"
        for speaks, grounds in best_grounds(latest):
            yield f"What speaks {speaks} its best candidate", grounds


def handling(record: IncidentRecord) -> Iterator[tuple[str, object]]:
    """Who took and who closed it, after how long, and of whose family it is."""
    incident, opened = record.incident, record.incident["opened_at"]
    for name, by, at in (
        ("Acknowledged by", incident.get("acknowledged_by"), incident.get("acknowledged_at")),
        ("Closed by", incident.get("closed_by"), incident.get("closed_at")),
    ):
        if by is not None and at is not None:
            yield name, f"{by}, {duration(_minutes(opened, at))} after detection"
    heard = incident.get("opened_heard_at")
    if heard is not None and heard > opened:
        yield "Heard of", f"{duration(_minutes(opened, heard))} after detection"
    yield from duty_rows(incident, record.shifts, record.within_minutes)
    yield from window_rows(record.windows)
    if incident.get("parent_id") is not None:
        state = "of" if incident.get("parent_state") == "confirmed" else "proposed for"
        yield "Family", f"{state} {incident['parent_id']}: {incident['parent_reason'] or 'no reason is recorded'}"


def family(record: IncidentRecord) -> Iterator[str]:
    """The incidents of its family, how long it took as one, and the services that they reached together.

    Nothing without any.
    """
    if not record.family:
        return
    whole = [record.incident, *record.family]
    began = min(row["opened_at"] for row in whole)
    ends = [row["resolved_at"] for row in whole if row["resolved_at"] is not None]
    live = any(row["status"] in LIVE_INCIDENTS for row in whole)
    lasted = "it goes on" if live or not ends else f"restored after {duration(_minutes(began, max(ends)))}"
    worst = min((row["severity"] for row in whole), key=SEVERITIES.index)
    services = sorted({row["service_id"] for row in (record.incident, *record.family) if row["service_id"]})
    yield "## Family"
    named = ", ".join(map(inline, services)) or "none named"
    yield f"{len(whole)} incidents of one cause, {worst}: {lasted}. Services: {named}."
    rows = [
        (row["id"], row["title"], row["severity"], row["service_id"], row["opened_at"], row["resolved_at"])
        for row in record.family
    ]
    yield table(("Id", "Incident", "Severity", "Service", "Detected", "Resolved"), rows, nothing="")


def _minutes(since: datetime, until: datetime) -> float:
    return round((until - since).total_seconds() / 60, 1)


def clocks(record: IncidentRecord) -> Iterator[str]:
    """The notifications that its assessments started, each with the moment it is due at; nothing without any."""
    rows = regulators_clocks(record.timeline, record.organization.time_zone)
    if rows:
        yield "## Notifications"
        yield table(("Law", "Notification", "Source", "Due"), rows, nothing="")


def times_table(record: IncidentRecord) -> str:
    """TTD, TTA, TTM and TTR; a blank says why it is one."""
    times = incident_times(record.incident)
    rows = []
    for name, title, since in STEPS:
        minutes: float | None = getattr(times, name)
        rows.append((title, f"{duration(minutes)} {since}" if minutes is not None else f"blank: {times.blanks[name]}"))
    return table(("Step", "Time taken"), rows, nothing="")


def actions_table(record: IncidentRecord, *, nothing: str) -> str:
    """The follow-ups; a missing owner or date is named as missing."""
    rows = [
        (
            row["id"],
            row["title"],
            row["kind"],
            row["owner"] or "no owner",
            row["due_on"] or "no date",
            row["status"],
            row["closed_on"],
        )
        for row in record.actions
    ]
    return table(("Id", "Action", "Type", "Owner", "Due", "Status", "Closed"), rows, nothing=nothing)


def provenance(record: IncidentRecord) -> str:
    """Where the chain stood, and the hash that the evidence pack of the same records carries."""
    return facts(
        (
            ("Audit chain head", f"position {record.head.seq}, hash {record.head.hash}"),
            ("Evidence pack", f"/api/incidents/{record.id}/evidence"),
            ("SHA-256 of its content", content_sha256(record)),
        )
    )
