"""Answers about incidents: the evidence pack and the root-cause runs."""

from datetime import datetime

from engine.model.records import (
    ApprovalRow,
    AuditLogRow,
    DeployRow,
    DryRunRow,
    ExecutionRow,
    IncidentActionRow,
    IncidentRow,
    IncidentTimelineRow,
    LegalHoldRow,
    MaintenanceWindowRow,
    OnCallShiftRow,
    RcaRunRow,
    ServiceRow,
)
from engine.web.answers.shape import Hash, OrganizationName, RevisionAnswer, Shape, mirror_row


class RcaContribution(Shape):
    feature: str
    weight: float
    value: float
    contribution: float


class RcaGround(Shape):
    """A sentence that speaks for or against a candidate, and the rows that it was read from.

    The confidence is multiplied by ``factor``.
    """

    sentence: str
    evidence_ids: list[str]
    factor: float


class RcaCandidate(Shape):
    """A possible cause, the likeliest first; ``grounds_against`` are ``contradictions`` with their rows."""

    rank: int
    kind: str
    hypothesis: str
    confidence: float
    band: str
    features: dict[str, float]
    contributions: list[RcaContribution]
    contradictions: list[str]
    supports: list[str]
    evidence_ids: list[str]
    explanation: str
    grounds_for: list[RcaGround]
    grounds_against: list[RcaGround]


@mirror_row(RcaRunRow, "id incident_id run_at actor model_version hypothesis confidence")
class RcaRun(Shape):
    """A root-cause analysis that was kept."""

    onset_at: datetime
    band: str
    conclusive: bool
    reason: str
    found: int
    candidates: list[RcaCandidate]
    next_checks: list[str]
    similar_incident_ids: list[str]


class EvidenceItem(Shape):
    """A record of the pack; ``audit`` is the event that opened its last change."""

    audit: RevisionAnswer


@mirror_row(
    IncidentRow,
    """
    id title severity status service_id workspace_id source dedupe_key alert_count started_at opened_at
    acknowledged_at mitigated_at resolved_at closed_at last_seen_at owner summary root_cause impact_users
    related_to host labels annotations runbook_url links value image_url sender_at opened_heard_at
    acknowledged_heard_at resolved_heard_at acknowledged_by closed_by parent_id parent_state parent_reason
    """,
)
class IncidentItem(EvidenceItem):
    labels: dict[str, object] | None
    annotations: dict[str, object] | None
    links: dict[str, object] | None


@mirror_row(ServiceRow, "id name owner criticality environment internet_facing holds_customer_data")
class ServiceItem(EvidenceItem):
    environment: str


class IncidentTimesAnswer(Shape):
    ttd_minutes: float | None
    tta_minutes: float | None
    ttm_minutes: float | None
    ttr_minutes: float | None
    blanks: dict[str, str]


class IncidentImpactAnswer(Shape):
    users: int | None
    minutes: float | None
    over: bool
    objective_pct: float | None
    total: int | None
    bad: int | None
    budget: float | None
    used_pct: float | None
    blank: str | None


@mirror_row(IncidentTimelineRow, "id incident_id happened_at kind actor body payload_id heard_at payload")
class TimelineItem(EvidenceItem):
    payload: object
    kind: str
    actor: str | None


@mirror_row(IncidentActionRow, "id incident_id title owner due_on kind status closed_on")
class ActionItem(EvidenceItem):
    kind: str | None
    status: str


@mirror_row(DryRunRow, "id playbook policy_id inputs_hash inputs outcome plan incident_id actor ran_at")
class DryRunItem(EvidenceItem):
    inputs_hash: str | None
    inputs: dict[str, object] | None
    outcome: str
    plan: dict[str, object] | None
    actor: str | None


@mirror_row(
    ExecutionRow,
    """
    id playbook dry_run_id incident_id mode status approval_note rollback_plan actor executed_at
    approval_id requester approver separation
    """,
)
class ExecutionItem(EvidenceItem):
    separation: object
    dry_run_id: str | None
    mode: str
    status: str
    approval_note: str | None
    rollback_plan: str | None
    actor: str | None


@mirror_row(
    ApprovalRow, "id kind subject status requested_by requested_at decided_by decided_at note spent_by spent_at"
)
class ApprovalItem(EvidenceItem):
    requested_by: str | None


@mirror_row(RcaRunRow, "id incident_id run_at actor model_version hypothesis confidence")
class RcaItem(EvidenceItem):
    actor: str | None
    model_version: str | None
    candidates: object


@mirror_row(DeployRow, "id service_id version environment deployed_at actor change_ref status rolled_back_at")
class DeployItem(EvidenceItem):
    """A change that went live before the trouble; ``hops`` counts dependencies from the service of the incident."""

    service_id: str
    hops: int


@mirror_row(
    LegalHoldRow,
    """
    id matter incident_id reason placed_by placed_at custodian scope released_at released_by purges_blocked
    """,
)
class LegalHoldItem(EvidenceItem):
    reason: str | None
    placed_by: str | None


@mirror_row(
    AuditLogRow,
    """
    event_id revision occurred_at recorded_at actor action object_type object_id outcome workspace_id controls
    details changes
    """,
)
class AuditItem(EvidenceItem):
    controls: object
    details: object


@mirror_row(IncidentRow, "id title severity status service_id opened_at resolved_at")
class FamilyItem(Shape):
    """An incident that is confirmed as of the family."""


@mirror_row(OnCallShiftRow, "id person service_id starts_at ends_at rota recorded_at")
class OnCallItem(EvidenceItem):
    """A shift that the incident was opened or taken in."""


@mirror_row(MaintenanceWindowRow, "id reason created_by service_id matchers starts_at ends_at recorded_at")
class MaintenanceItem(EvidenceItem):
    """A window of maintenance that covers the incident."""

    matchers: object


class IncidentEvidence(Shape):
    """Everything about an incident, each record with its place in the audit chain, and a hash over all of it."""

    pack_version: int
    organization: OrganizationName
    incident: IncidentItem
    service: ServiceItem | None
    times: IncidentTimesAnswer
    impact: IncidentImpactAnswer
    timeline: list[TimelineItem]
    actions: list[ActionItem]
    dry_runs: list[DryRunItem]
    executions: list[ExecutionItem]
    approvals: list[ApprovalItem]
    rca_runs: list[RcaItem]
    findings: list[dict[str, object]]
    deploys: list[DeployItem]
    legal_holds: list[LegalHoldItem]
    family: list[FamilyItem]
    on_call: list[OnCallItem] | None
    maintenance: list[MaintenanceItem]
    audit_events: list[AuditItem]
    definitions: dict[str, str]
    chain: RevisionAnswer
    content_sha256: Hash
