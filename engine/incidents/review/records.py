"""Everything that is recorded about one incident, read in one state of the store."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TypedDict

from engine.exposure.dependencies import ways
from engine.incidents.review.duty import is_covered
from engine.incidents.slo.impact import Impact, impact
from engine.model.documents.document import Organization, Position
from engine.model.records import (
    ApprovalRow,
    AuditLogRow,
    DeployRow,
    DryRunRow,
    ExecutionRow,
    FindingRow,
    IncidentActionRow,
    IncidentRow,
    IncidentTimelineRow,
    LegalHoldRow,
    MaintenanceWindowRow,
    OnCallShiftRow,
    RcaRunRow,
    ServiceRow,
)
from engine.model.thresholds import DEFAULTS
from engine.store import Reader
from engine.store.queries.operations.automation import setting
from engine.store.queries.operations.causes import deploys_between, deploys_elsewhere
from engine.store.queries.operations.incidents import (
    IncidentSteps,
    chain_head,
    earlier_of_key,
    event_hashes,
    family_of,
    linked_events,
    peers,
    shifts_over,
    windows_at,
)
from engine.store.queries.operations.services import needed_pairs, organization
from engine.store.rows import first, many, one
from engine.store.schema.audit import legal_holds
from engine.store.schema.automation import approvals, dry_runs, executions
from engine.store.schema.services import (
    findings,
    incident_actions,
    incident_timeline,
    incidents,
    on_call_shifts,
    rca_runs,
    services,
)

OBJECT_TYPES = (
    *("incident", "incident_action", "rca_run", "dry_run", "execution", "approval", "finding", "legal_hold"),
    "automation",
)
IN_TIME = "acknowledge_minutes"
MOST_DEPLOYS = 200
YEAR, DAY = timedelta(days=365), timedelta(days=1)


class StampedRow(TypedDict):
    """What every row of an incident has."""

    id: str
    revision: int


class ChainPosition(TypedDict):
    """A place in the audit chain; no hash once retention removed it."""

    seq: int
    hash: str | None


@dataclass(frozen=True)
class IncidentRecord:
    """Rows as they are stored, each list in order of time. ``hashes`` are those of the events that last changed them.

    ``peers`` are incidents of the same severity in the year before, ``earlier`` those with the same key, newest first,
    ``deploys`` what went live in the 24 hours before the trouble began on its service and on those that it needs,
    newest first. ``hops`` counts dependencies from the service, itself 0; ``elsewhere`` the deploys of other services.
    ``family`` are the incidents that are confirmed as of its family. ``shifts`` are those that it was opened or taken
    in, None where the organization has none at all; who takes an incident in time does within ``within_minutes``.
    ``windows`` are those of maintenance that cover it.
    """

    organization: Organization
    head: Position
    incident: IncidentRow
    service: ServiceRow | None
    impact: Impact
    timeline: list[IncidentTimelineRow]
    actions: list[IncidentActionRow]
    dry_runs: list[DryRunRow]
    executions: list[ExecutionRow]
    approvals: list[ApprovalRow]
    rca_runs: list[RcaRunRow]
    findings: list[FindingRow]
    holds: list[LegalHoldRow]
    events: list[AuditLogRow]
    hashes: Mapping[int, str]
    peers: list[IncidentSteps]
    earlier: list[IncidentRow]
    deploys: list[DeployRow]
    hops: Mapping[str, int]
    elsewhere: int
    family: list[IncidentRow] = field(default_factory=list)
    shifts: list[OnCallShiftRow] | None = None
    within_minutes: float = DEFAULTS[IN_TIME][0]
    windows: list[MaintenanceWindowRow] = field(default_factory=list)

    @property
    def id(self) -> str:
        """The incident's identifier."""
        return self.incident["id"]

    @property
    def name(self) -> str | None:
        """The name of the service, its identifier where that is all there is, None without one."""
        return self.service["name"] if self.service else self.incident["service_id"]

    def position(self, row: StampedRow) -> ChainPosition:
        """Position and hash of the audit event that opened the last change of a row; no hash once retention cut it."""
        return {"seq": row["revision"], "hash": self.hashes.get(row["revision"])}


def read_incident(connection: Reader, org_id: str, incident_id: str) -> IncidentRecord:
    """The record of an incident; NotFound when the organization has none of that id."""
    incident = one(connection, incidents, org_id, id=incident_id)
    rehearsed, executed = _automation(connection, org_id, incident_id)
    timeline = many(connection, incident_timeline, org_id, order=("happened_at",), incident_id=incident_id)
    actions = many(connection, incident_actions, org_id, order=("due_on",), incident_id=incident_id)
    decided = [incident_id, *(row["id"] for row in executed), *(row["id"] for row in rehearsed)]
    asked = many(connection, approvals, org_id, order=("requested_at",), subject=decided)
    runs = many(connection, rca_runs, org_id, order=("run_at", "revision"), incident_id=incident_id)
    finding_rows = many(connection, findings, org_id, order=("first_seen_at",), incident_id=incident_id)
    holds = many(connection, legal_holds, org_id, order=("placed_at",), incident_id=incident_id)
    service_id = incident["service_id"]
    service = first(connection, services, org_id, id=service_id) if service_id else None
    hops = _hops(connection, org_id, service_id)
    opened = incident["opened_at"]
    began = incident["started_at"] or opened
    live = deploys_between(connection, org_id, began - DAY, began, MOST_DEPLOYS, hops)
    named: list[StampedRow] = [incident, *actions, *rehearsed, *executed, *asked, *runs, *finding_rows, *holds]
    stamped: list[StampedRow] = [*named, *timeline, *live, *([service] if service else [])]
    return IncidentRecord(
        organization=organization(connection, org_id),
        head=chain_head(connection, org_id),
        incident=incident,
        service=service,
        impact=impact(connection, org_id, incident),
        timeline=timeline,
        actions=actions,
        dry_runs=rehearsed,
        executions=executed,
        approvals=asked,
        rca_runs=runs,
        findings=finding_rows,
        holds=holds,
        events=linked_events(connection, org_id, {row["id"] for row in named}, OBJECT_TYPES),
        hashes=event_hashes(connection, org_id, {row["revision"] for row in stamped}),
        peers=peers(connection, org_id, incident["severity"], opened - YEAR, opened),
        earlier=earlier_of_key(connection, org_id, incident["dedupe_key"], opened - YEAR, opened),
        deploys=live,
        hops=hops,
        elsewhere=deploys_elsewhere(connection, org_id, began - DAY, began, hops),
        family=family_of(connection, org_id, incident_id),
        shifts=_shifts(connection, org_id, incident),
        within_minutes=_within_minutes(connection, org_id),
        windows=[one for one in windows_at(connection, org_id, opened) if is_covered(one, incident)],
    )


def _shifts(connection: Reader, org_id: str, incident: IncidentRow) -> list[OnCallShiftRow] | None:
    """Those of the incident's service around its opening and its taking; None where there is no shift at all."""
    if first(connection, on_call_shifts, org_id) is None:
        return None
    times = [at for at in (incident["opened_at"], incident["acknowledged_at"]) if at is not None]
    near = {one["id"]: one for at in times for one in shifts_over(connection, org_id, at)}
    service = incident["service_id"]
    return [one for one in near.values() if one["service_id"] in (None, service)]


def _within_minutes(connection: Reader, org_id: str) -> float:
    own = setting(connection, org_id, IN_TIME)
    return float(own) if isinstance(own, int | float) else DEFAULTS[IN_TIME][0]


def _hops(connection: Reader, org_id: str, service_id: str | None) -> dict[str, int]:
    if service_id is None:
        return {}
    needs: dict[str, list[str]] = {}
    for needing, needed, _ in needed_pairs(connection, org_id):
        needs.setdefault(needing, []).append(needed)
    return {place: len(way) - 1 for place, way in ways(service_id, needs).items()}


def _automation(connection: Reader, org_id: str, incident_id: str) -> tuple[list[DryRunRow], list[ExecutionRow]]:
    """Dry-runs and executions of the incident and of each other, each once, in order of time."""
    rehearsed = many(connection, dry_runs, org_id, incident_id=incident_id)
    executed = many(connection, executions, org_id, incident_id=incident_id)
    executed += many(connection, executions, org_id, dry_run_id=[row["id"] for row in rehearsed])
    rehearsed += many(connection, dry_runs, org_id, id=[row["dry_run_id"] for row in executed])
    return (
        sorted({row["id"]: row for row in rehearsed}.values(), key=lambda row: (row["ran_at"], row["id"])),
        sorted({row["id"]: row for row in executed}.values(), key=lambda row: (row["executed_at"], row["id"])),
    )
