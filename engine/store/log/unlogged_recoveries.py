"""Incidents that versions before migration 0032 resolved beside the change log: they are logged as they are, once.

A scanner that found a finding fixed had its incident resolved by a statement that the log did not see, so that a check
of rows said that the incident differs from it. The same write had logged a line of the incident's timeline; only
incidents with that line are taken, so that a row which somebody changed by hand is still found.
"""

from collections.abc import Iterator
from datetime import datetime

from sqlalchemy import Connection, and_, exists, select

from engine.store.chain.heads import take_head
from engine.store.log.log_lines import read_part
from engine.store.log.row_log import key_json
from engine.store.rows import many
from engine.store.schema.audit import audit_log, change_log
from engine.store.schema.organizations import heads
from engine.store.schema.services import incident_timeline, incidents
from engine.store.writing.revisions import Revision

ACTOR = "system"
LOGGED_LATER = "history.completed"
RESOLVED = "Resolved: the scanner no longer finds it"  # what the timeline says of such a recovery
WHY = "resolved by a scanner's report; the change log of that revision had left the row out"


def log_recoveries(connection: Connection, now: datetime) -> dict[str, int]:
    """Log each of them under one event an organization; how many there were, by organization that had any."""
    org_ids = connection.execute(select(heads.c.org_id).where(heads.c.last_seq > 0).order_by(heads.c.org_id))
    counts = {org_id: _log_of(connection, org_id, now) for org_id in org_ids.scalars().all()}
    return {org_id: count for org_id, count in counts.items() if count}


def _log_of(connection: Connection, org_id: str, now: datetime) -> int:
    done = exists().where(audit_log.c.org_id == org_id, audit_log.c.action == LOGGED_LATER)
    if connection.execute(select(done)).scalar():
        return 0
    ids = list(_missing_from_log(connection, org_id))
    head = take_head(connection, org_id) if ids else None
    if head is None:
        return 0
    revision = Revision(connection, org_id, ACTOR, now, head)
    for row in many(connection, incidents, org_id, id=ids, order=("id",)):
        revision.log_as_it_is(incidents, row)
    details = {"table": "incidents", "rows": len(ids), "why": WHY}
    revision.record(LOGGED_LATER, object_type="history", object_id=org_id, details=details)
    revision.close()
    return len(ids)


def _missing_from_log(connection: Connection, org_id: str) -> Iterator[str]:
    line = and_(
        incident_timeline.c.org_id == incidents.c.org_id,
        incident_timeline.c.incident_id == incidents.c.id,
        incident_timeline.c.revision == incidents.c.revision,
        incident_timeline.c.happened_at == incidents.c.resolved_at,
        incident_timeline.c.body == RESOLVED,
    )
    query = (
        select(incidents.c.id, incidents.c.revision)
        .join(incident_timeline, line)
        .where(incidents.c.org_id == org_id, incidents.c.status == "resolved")
        .distinct()
        .order_by(incidents.c.revision, incidents.c.id)
    )
    logged: tuple[int, set[bytes]] = (0, set())
    for identifier, revision in connection.execute(query).all():
        if logged[0] != revision:
            logged = revision, set(_lines(connection, org_id, revision))
        if not any(text.startswith(_start(identifier)) for text in logged[1]):
            yield identifier


def _start(identifier: str) -> bytes:
    return b'["incidents",%s,' % key_json(incidents, {"id": identifier})


def _lines(connection: Connection, org_id: str, revision: int) -> Iterator[bytes]:
    query = select(change_log.c.body).where(change_log.c.org_id == org_id, change_log.c.revision == revision)
    for body in connection.execute(query).scalars():
        for line in read_part(body):
            if line.text is not None and line.text.startswith(b'["incidents",'):
                yield line.text
