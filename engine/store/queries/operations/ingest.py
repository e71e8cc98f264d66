"""Look-ups of the ingest doors: the last incident of a key and what came early, findings by key, services by name."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Connection, bindparam, func, or_, select

from engine.model.records import FindingRow, ScannerCheckRow
from engine.model.vocabulary import LIVE_INCIDENTS, IncidentStatus, Json, Severity
from engine.store.rows import select_rows
from engine.store.schema.ingest import early_events
from engine.store.schema.services import findings, incidents, scanner_checks, services
from engine.store.writing.batches import in_batches
from engine.store.writing.revisions import Revision
from engine.store.writing.statements import CompiledStatement


class LastIncident(NamedTuple):
    """What an alert needs to know of the incident before it."""

    id: str
    status: IncidentStatus
    severity: Severity
    source: str | None
    alert_count: int | None
    started_at: datetime | None
    opened_at: datetime
    acknowledged_at: datetime | None
    resolved_at: datetime | None
    closed_at: datetime | None
    last_seen_at: datetime | None
    sender_at: datetime | None
    row: Mapping[str, Any]  # all of its columns: whoever changes a row logs it whole


class EarlyEvents(NamedTuple):
    """What was heard of a key: all of its messages, and of before there were any the times of what came early."""

    recovered_at: datetime | None
    acknowledged_at: datetime | None
    messages: list[Json] | None


KEYS = 32  # that are looked up in one statement
_PLACES = [f"key{number}" for number in range(KEYS)]


_COLUMNS = incidents.c.keys()
_KNOWN = LastIncident._fields[:-1]


def as_last(row: Mapping[str, Any]) -> LastIncident:  # a row of incidents, whole
    """What an alert needs to know of it."""
    return LastIncident._make((*(row[name] for name in _KNOWN), row))


def _last_of_each() -> CompiledStatement:
    newest = [incidents.c.opened_at.desc(), incidents.c.id.desc()]
    place = func.row_number().over(partition_by=incidents.c.dedupe_key, order_by=newest)
    ranked = (
        select(*incidents.c, place.label("place"))
        .where(incidents.c.org_id == bindparam("org"), incidents.c.dedupe_key.in_([bindparam(p) for p in _PLACES]))
        .subquery()
    )
    return CompiledStatement(select(*(ranked.c[name] for name in _COLUMNS)).where(ranked.c.place == 1))


_LAST = _last_of_each()


def last_incidents(connection: Connection, org_id: str, dedupe_keys: Sequence[str]) -> dict[str, LastIncident]:
    """The incident that was opened last under each dedupe key."""
    found = {}
    for batch in in_batches(dedupe_keys, KEYS):
        keys = dict(zip(_PLACES, batch + batch[:1] * (KEYS - len(batch)), strict=True))
        for values in _LAST.all(connection, {"org": org_id, **keys}):
            row = dict(zip(_COLUMNS, values, strict=True))
            found[row["dedupe_key"]] = as_last(row)
    return found


def _early_of_each() -> CompiledStatement:
    names = ("dedupe_key", *EarlyEvents._fields)
    mine = early_events.c.dedupe_key.in_([bindparam(place) for place in _PLACES])
    return CompiledStatement(
        select(*(early_events.c[name] for name in names)).where(early_events.c.org_id == bindparam("org"), mine)
    )


_EARLY = _early_of_each()


def early_by_key(connection: Connection, org_id: str, dedupe_keys: Sequence[str]) -> dict[str, EarlyEvents]:
    """What was heard of each dedupe key."""
    events = {}
    for batch in in_batches(dedupe_keys, KEYS):
        keys = dict(zip(_PLACES, batch + batch[:1] * (KEYS - len(batch)), strict=True))
        for key, *values in _EARLY.all(connection, {"org": org_id, **keys}):
            events[key] = EarlyEvents(*values)
    return events


def findings_by_key(connection: Connection, org_id: str, keys: Sequence[str]) -> dict[str, FindingRow]:
    """Findings of these keys, by key."""
    finding_rows: dict[str, FindingRow] = {}
    for batch in in_batches(keys, 900):
        query = select(findings).where(findings.c.org_id == org_id, findings.c.finding_key.in_(batch))
        finding_rows |= {row["finding_key"]: row for row in select_rows(connection, findings, query)}
    return finding_rows


def checks_by_id(connection: Connection, org_id: str, source: str, ids: Sequence[str]) -> list[ScannerCheckRow]:
    """What is kept of a scanner's catalogue about these checks."""
    check_rows: list[ScannerCheckRow] = []
    for batch in in_batches(ids, 900):
        query = select(scanner_checks).where(
            scanner_checks.c.org_id == org_id, scanner_checks.c.source == source, scanner_checks.c.check_id.in_(batch)
        )
        check_rows += select_rows(connection, scanner_checks, query)
    return check_rows


def open_findings_on(
    connection: Connection, org_id: str, sources: Sequence[str], hosts: Sequence[str]
) -> list[FindingRow]:
    """Open findings of scanners on any of the hosts."""
    finding_rows: list[FindingRow] = []
    for batch in in_batches(sorted(hosts), 900):
        query = select(findings).where(
            findings.c.org_id == org_id,
            findings.c.source.in_(sources),
            findings.c.status == "open",
            findings.c.asset.in_(batch),
        )
        finding_rows += select_rows(connection, findings, query.order_by(findings.c.id))
    return finding_rows


def service_ids(connection: Connection, org_id: str, names: Sequence[str]) -> dict[str, str]:
    """Service ids by what senders call a service: its id or its name, in lower case."""
    wanted = sorted({name.lower() for name in names})
    ids: dict[str, str] = {}
    for batch in in_batches(wanted, 400):
        by_id, by_name = func.lower(services.c.id), func.lower(services.c.name)
        query = select(services.c.id, by_id, by_name).where(
            services.c.org_id == org_id, or_(by_id.in_(batch), by_name.in_(batch))
        )
        asked = set(batch)  # a row found by its id answers for its name only where that was asked for
        for identifier, low, name in connection.execute(query.order_by(services.c.id)):
            if name in asked:
                ids.setdefault(name, identifier)
            if low in asked:
                ids[low] = identifier
    return ids


def resolve_incidents(revision: Revision, ids: Sequence[str]) -> list[str]:
    """Resolve those of the incidents that are not resolved yet; returns them in the order of ``ids``."""
    resolved: set[object] = set()
    values = {"status": "resolved", "resolved_at": revision.now}
    for batch in in_batches(ids, 900):
        live = incidents.c.id.in_(batch), incidents.c.status.in_(LIVE_INCIDENTS)
        resolved |= {row["id"] for row in revision.update_where(incidents, values, *live)}
    return [identifier for identifier in ids if identifier in resolved]
