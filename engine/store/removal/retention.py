"""The only place that removes rows: the oldest part of the audit chain, and incidents that were closed long ago.

Of the chain only a prefix goes, up to the first event that is too young or under a legal hold. The hash at the cut is
kept in ``chain_cuts``, from where the rest still verifies; a change to that table makes replicas start over.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from sqlalchemy import Column, ColumnElement, Connection, Table, and_, delete, func, or_, select

from engine.model.records import LegalHoldRow
from engine.model.vocabulary import DeploymentTier, RecordClass
from engine.store.chain.chain import GENESIS
from engine.store.chain.cut_roots import NONE_CUT, PURGED, cut_roots, roots_until
from engine.store.chain.event_tree import grow
from engine.store.removal.row_erasure import erase_versions
from engine.store.rows import many
from engine.store.schema.audit import audit_log, chain_cuts, legal_holds, record_starts
from engine.store.schema.automation import dry_runs, executions
from engine.store.schema.organizations import organizations
from engine.store.schema.services import incident_actions, incident_timeline, incidents, rca_runs
from engine.store.types import instant_text
from engine.store.writing.batches import in_batches
from engine.store.writing.revisions import Revision

_OF_INCIDENTS = (incident_timeline, incident_actions, rca_runs)


@dataclass(frozen=True)
class PurgeResult:
    """What a purge removed of a class of records, and which holds (by id) kept it from removing more."""

    record_class: RecordClass
    rows: int
    blocked_by: tuple[str, ...] = ()


class Hold:
    """An active legal hold. One that names neither an incident nor a prefix of actions holds everything."""

    def __init__(self, row: LegalHoldRow) -> None:
        scope = row["scope"]
        self.id: str = row["id"]
        self.incident_id: str | None = row["incident_id"]
        self.everything = scope == "all" or (self.incident_id is None and scope in (None, "incident"))
        self.prefix: str | None = None if scope in (None, "all", "incident") else scope.rstrip("*")
        self.purges_blocked: int = row["purges_blocked"] or 0

    def covers(self, incident_id: str) -> bool:
        """Whether the incident is under this hold."""
        return self.everything or self.incident_id == incident_id

    def first_event(self, connection: Connection, org_id: str, last: int) -> int | None:
        """The first event of the chain up to ``last`` that is under this hold."""
        query = select(func.min(audit_log.c.seq)).where(audit_log.c.org_id == org_id, audit_log.c.seq <= last)
        if not self.everything:
            query = query.where(or_(*self._conditions(connection, org_id)))
        position: int | None = connection.execute(query).scalar()
        return position

    def _conditions(self, connection: Connection, org_id: str) -> list[ColumnElement[bool]]:
        conditions: list[ColumnElement[bool]] = []
        if self.prefix is not None:
            conditions.append(func.substr(audit_log.c.action, 1, len(self.prefix)) == self.prefix)
        if self.incident_id is not None:
            concerned = [self.incident_id]
            for table in (dry_runs, executions, rca_runs):
                query = select(table.c.id).where(table.c.org_id == org_id, table.c.incident_id == self.incident_id)
                concerned += connection.execute(query).scalars()
            conditions += [audit_log.c.object_id.in_(batch) for batch in in_batches(concerned, 500)]
        return conditions


def deployment_tier(connection: Connection, org_id: str) -> DeploymentTier:
    """The tier that the organization's default retention follows from."""
    query = select(organizations.c.deployment_tier).where(organizations.c.id == org_id)
    tier: DeploymentTier = connection.execute(query).scalar_one()
    return tier


def active_holds(connection: Connection, org_id: str, now: datetime) -> list[Hold]:
    """The legal holds in force."""
    rows = many(connection, legal_holds, org_id)
    return [Hold(row) for row in rows if row["released_at"] is None or row["released_at"] > now]


def fully_held(connection: Connection, now: datetime) -> list[str]:
    """The organizations with a hold on everything in force."""
    org_ids = connection.execute(select(legal_holds.c.org_id).distinct().order_by(legal_holds.c.org_id)).scalars()
    return [each for each in list(org_ids) if any(hold.everything for hold in active_holds(connection, each, now))]


def first_events(connection: Connection, org_id: str, before: datetime) -> list[tuple[str, str | None, datetime]]:
    """What happened first before ``before`` of each action and each list of controls that events name themselves."""
    query = (
        select(audit_log.c.action, audit_log.c.controls, func.min(audit_log.c.occurred_at))
        .where(audit_log.c.org_id == org_id, audit_log.c.occurred_at < before)
        .group_by(audit_log.c.action, audit_log.c.controls)
    )
    return [(action, controls, at) for action, controls, at in connection.execute(query)]


def keep_starts(revision: Revision, starts: Mapping[str, date]) -> None:
    """Remember from which day on there were records of each framework; a day that is kept never moves forward."""
    kept = {row["framework"]: row["since_on"] for row in many(revision.connection, record_starts, revision.org_id)}
    earlier = {name: day for name, day in starts.items() if name not in kept or day < kept[name]}
    for framework, day in sorted(earlier.items()):
        if framework in kept:
            revision.update(record_starts, {"framework": framework}, {"since_on": day})
        else:
            revision.insert(record_starts, [{"framework": framework, "since_on": day}])


def purge_audit_log(revision: Revision, before: datetime) -> PurgeResult:
    """Remove the longest prefix of the chain whose events all happened before ``before`` and are under no hold."""
    connection, org_id = revision.connection, revision.org_id
    mine = audit_log.c.org_id == org_id
    young = select(audit_log.c.seq).where(mine, audit_log.c.occurred_at >= before).order_by(audit_log.c.seq).limit(1)
    first_young: int | None = connection.execute(young).scalar()
    last = revision.start[0] if first_young is None else min(revision.start[0], first_young - 1)
    held = {hold: hold.first_event(connection, org_id, last) for hold in active_holds(connection, org_id, revision.now)}
    blocking = [hold for hold, position in held.items() if position is not None]
    cut = min([last, *(position - 1 for position in held.values() if position is not None)])
    going = and_(mine, audit_log.c.seq <= cut)
    rows = int(connection.execute(select(func.count()).where(going)).scalar_one())
    if rows:
        digest: str = connection.execute(select(audit_log.c.hash).where(mine, audit_log.c.seq == cut)).scalar_one()
        start = int(connection.execute(select(func.min(audit_log.c.seq)).where(mine)).scalar_one())
        grow(revision.side_tables, org_id)  # leaves outlive their events
        gone = (cut_roots(connection, org_id) or NONE_CUT).add(roots_until(connection, org_id, cut))
        revision.side_tables.execute(delete(audit_log).where(going))
        revision.insert(chain_cuts, [{"seq": cut, "hash": digest, "cut_at": revision.now}])
        _record(
            revision,
            "audit_log",
            before,
            rows,
            first_seq=start,
            last_seq=cut,
            hash_at_cut=digest,
            cut_writes=gone.writes,
            cut_roots=gone.digest,
        )
    return _result(revision, PurgeResult("audit_log", rows, tuple(hold.id for hold in blocking)), blocking)


def purge_incidents(revision: Revision, before: datetime) -> PurgeResult:
    """Remove incidents that were closed before ``before``, with all that hangs on them, unless they are held.

    A closed incident without any time of its end has no age and stays.
    """
    connection, org_id = revision.connection, revision.org_id
    ended_at = func.coalesce(incidents.c.closed_at, incidents.c.resolved_at)
    query = select(incidents.c.id).where(
        incidents.c.org_id == org_id, incidents.c.status == "closed", ended_at < before
    )
    old = list(connection.execute(query.order_by(incidents.c.id)).scalars())
    holds = active_holds(connection, org_id, revision.now)
    blocking = [hold for hold in holds if any(hold.covers(incident) for incident in old)]
    going = [incident for incident in old if not any(hold.covers(incident) for hold in blocking)]
    if going:
        gone: dict[str, set[tuple[object, ...]]] = {}
        for table in _OF_INCIDENTS:
            gone[table.name] = _delete(revision, table, table.c.incident_id, going)
        gone[incidents.name] = _delete(revision, incidents, incidents.c.id, going)
        for erasure in erase_versions(revision.side_tables, org_id, gone, before=revision.seq):
            revision.log_erasure(erasure)
        start_replicas_over(revision)
        _record(revision, "incidents", before, len(going))
    return _result(revision, PurgeResult("incidents", len(going), tuple(hold.id for hold in blocking)), blocking)


def _delete(revision: Revision, table: Table, column: Column[str], values: Sequence[str]) -> set[tuple[object, ...]]:
    return {key for batch in in_batches(values, 500) for key in revision.delete(table, column.in_(batch))}


def start_replicas_over(revision: Revision) -> None:
    """Stamp the last cut anew; where nothing was ever cut, one before the first event, which verifies the same."""
    cuts = many(revision.connection, chain_cuts, revision.org_id, order=("-seq",), limit=1)
    if cuts:
        revision.update(chain_cuts, {"seq": cuts[0]["seq"]}, {"cut_at": cuts[0]["cut_at"]})
    else:
        revision.insert(chain_cuts, [{"seq": 0, "hash": GENESIS, "cut_at": revision.now}])


def _record(revision: Revision, record_class: str, before: datetime, rows: int, **facts: int | str) -> None:
    details = {"record_class": record_class, "before": instant_text(before), "rows": rows, **facts}
    revision.record(PURGED, object_type="retention", object_id=record_class, details=details)


def _result(revision: Revision, purged: PurgeResult, blocking: Sequence[Hold]) -> PurgeResult:
    for hold in blocking:
        revision.update(legal_holds, {"id": hold.id}, {"purges_blocked": hold.purges_blocked + 1})
        revision.record(
            "retention.blocked",
            object_type="legal_hold",
            object_id=hold.id,
            details={"record_class": purged.record_class},
        )
    return purged
