"""Answers about incidents: the evidence pack and the root-cause runs."""

from datetime import date, datetime

from engine.model.vocabulary import ApprovalStatus, DeployStatus, IncidentStatus, Outcome, Severity
from engine.web.answers.shape import Hash, OrganizationName, RevisionAnswer, Shape


class RcaContribution(Shape):
    feature: str
    weight: float
    value: float
    contribution: float


class RcaCandidate(Shape):
    """A possible cause, the likeliest first."""

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


class RcaRun(Shape):
    """A root-cause analysis that was kept."""

    id: str
    incident_id: str
    run_at: datetime
    actor: str
    model_version: str
    hypothesis: str
    confidence: float
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


class IncidentItem(EvidenceItem):
    id: str
    title: str
    severity: Severity
    status: IncidentStatus
    service_id: str | None
    workspace_id: str | None
    source: str | None
    dedupe_key: str | None
    alert_count: int | None
    started_at: datetime | None
    opened_at: datetime
    acknowledged_at: datetime | None
    mitigated_at: datetime | None
    resolved_at: datetime | None
    closed_at: datetime | None
    last_seen_at: datetime | None
    owner: str | None
    summary: str | None
    root_cause: str | None
    impact_users: int | None
    related_to: str | None
    host: str | None
    labels: dict[str, object] | None
    annotations: dict[str, object] | None
    runbook_url: str | None
    links: dict[str, object] | None
    value: str | None
    image_url: str | None
    sender_at: datetime | None


class ServiceItem(EvidenceItem):
    id: str
    name: str
    owner: str | None
    criticality: int
    environment: str
    internet_facing: bool
    holds_customer_data: bool


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


class TimelineItem(EvidenceItem):
    id: str
    incident_id: str
    happened_at: datetime
    kind: str
    actor: str | None
    body: str
    payload_id: str | None


class ActionItem(EvidenceItem):
    id: str
    incident_id: str
    title: str
    owner: str | None
    due_on: date | None
    kind: str | None
    status: str
    closed_on: date | None


class DryRunItem(EvidenceItem):
    id: str
    playbook: str
    policy_id: str | None
    inputs_hash: str | None
    inputs: dict[str, object] | None
    outcome: str
    plan: dict[str, object] | None
    incident_id: str | None
    actor: str | None
    ran_at: datetime


class ExecutionItem(EvidenceItem):
    id: str
    playbook: str
    dry_run_id: str | None
    incident_id: str | None
    mode: str
    status: str
    approval_note: str | None
    rollback_plan: str | None
    actor: str | None
    executed_at: datetime


class ApprovalItem(EvidenceItem):
    id: str
    kind: str
    subject: str
    status: ApprovalStatus
    requested_by: str | None
    requested_at: datetime
    decided_by: str | None
    decided_at: datetime | None
    note: str | None


class RcaItem(EvidenceItem):
    id: str
    incident_id: str
    run_at: datetime
    actor: str | None
    model_version: str | None
    hypothesis: str
    confidence: float
    candidates: object


class DeployItem(EvidenceItem):
    """A change that went live before the trouble; ``hops`` counts dependencies from the service of the incident."""

    id: str
    service_id: str
    version: str | None
    environment: str | None
    deployed_at: datetime
    actor: str
    change_ref: str | None
    status: DeployStatus
    hops: int


class LegalHoldItem(EvidenceItem):
    id: str
    matter: str
    incident_id: str | None
    reason: str | None
    placed_by: str | None
    placed_at: datetime
    custodian: str | None
    scope: str | None
    released_at: datetime | None
    released_by: str | None
    purges_blocked: int | None


class AuditItem(EvidenceItem):
    event_id: str
    revision: int
    occurred_at: datetime
    recorded_at: datetime
    actor: str
    action: str
    object_type: str | None
    object_id: str | None
    outcome: Outcome
    workspace_id: str | None
    controls: object
    details: object
    changes: str | None


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
    audit_events: list[AuditItem]
    definitions: dict[str, str]
    chain: RevisionAnswer
    content_sha256: Hash
