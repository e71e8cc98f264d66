"""The rows of the tables as types, one for each table. Written by ``python -m tests.store.accept_records``."""

from datetime import date, datetime
from typing import TypedDict

from engine.model.vocabulary import (
    ActionEffect,
    AddressableDecision,
    ApprovalStatus,
    AssessmentStatus,
    AttestationOutcome,
    AuditOpinion,
    AuditorStatus,
    BillingTier,
    Boundary,
    Cadence,
    Channel,
    ChatRole,
    ConnectionKind,
    ConnectionStatus,
    ControlMethod,
    ControlState,
    CredentialKind,
    DeliveryStatus,
    DeploymentTier,
    DeployStatus,
    DocumentKind,
    DryRunOutcome,
    EndpointChannel,
    Environment,
    EvidenceRemoval,
    EvidenceState,
    ExceptionKind,
    ExceptionStatus,
    ExecutionMode,
    ExecutionStatus,
    FamilyState,
    FindingStatus,
    FrameworkRowKind,
    GapSeverity,
    IncidentActionKind,
    IncidentActionStatus,
    IncidentStatus,
    IngestRoute,
    InheritanceModel,
    JobOutcome,
    Json,
    LeadStage,
    LinkStatus,
    MeetingStatus,
    MembershipStatus,
    OrderStatus,
    Outcome,
    PaidPlan,
    PayloadState,
    PaymentProvider,
    PciClass,
    PilotStage,
    Plan,
    PlayStatus,
    PoamStatus,
    PolicyKind,
    PolicyState,
    Priority,
    Raci,
    RecordClass,
    Relation,
    RemediationStatus,
    RequestPriority,
    RequestStatus,
    ResidualRating,
    RiskStatus,
    RiskTreatment,
    Role,
    RuleOutcome,
    SalesSubject,
    Severity,
    SloWindow,
    StaffingKind,
    StaffingStatus,
    SubscriptionStatus,
    TargetState,
    TestRunOutcome,
    TimelineKind,
    VendorData,
    VendorTier,
)


class AbsenceRow(TypedDict):
    """Days on which somebody, or everybody, is not there: holidays, leave, part-time."""

    org_id: str
    id: str
    email: str | None
    starts_on: date
    ends_on: date | None
    share_pct: float | None
    repeats: str | None
    title: str | None
    revision: int


class AccessLogRow(TypedDict):
    """Exports and downloads, refused ones too. Does not move the revision: reading must not invalidate."""

    id: str
    org_id: str
    accessed_at: datetime
    actor: str
    resource: str
    format: str | None
    status: int
    credential_id: str | None
    address: str | None
    head_seq: int | None
    head_hash: str | None


class ActivityRow(TypedDict):
    """History of a lead or pilot, only ever appended to."""

    org_id: str
    id: str
    subject_type: SalesSubject
    subject_id: str
    actor: str
    action: str
    details: dict[str, Json] | None
    happened_at: datetime
    revision: int


class ApprovalRow(TypedDict):
    """A decision that is asked of somebody, decided once."""

    org_id: str
    id: str
    kind: str
    subject: str
    status: ApprovalStatus
    requested_by: str
    requested_at: datetime
    decided_by: str | None
    decided_at: datetime | None
    note: str | None
    spent_by: str | None
    spent_at: datetime | None
    revision: int


class ArchiveHeadRow(TypedDict):
    """Heads that workbooks and meeting packs carry: later archives prove that they continue them."""

    org_id: str
    seq: int
    root: str


class AttestationRow(TypedDict):
    """A statement by a named person that a control operates, due on a date."""

    org_id: str
    id: str
    framework: str
    control_id: str
    owner: str
    attestor: str | None
    statement: str | None
    due_on: date
    outcome: AttestationOutcome | None
    attested_at: datetime | None
    delegated_to: str | None
    withdrawn_on: date | None
    moves: int
    revision: int


class AuditLogRow(TypedDict):
    """Everything that was done, as a hash chain for each organization. Appended to, never changed."""

    org_id: str
    seq: int
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
    controls: str | None
    details: Json
    changes: str | None
    hash: str


class AuditWindowRow(TypedDict):
    """A period that auditors examine, and their weeks with us."""

    org_id: str
    id: str
    framework: str
    starts_on: date
    ends_on: date
    fieldwork_from: date | None
    fieldwork_until: date | None
    people: str | None
    weekly_hours: float | None
    note: str | None
    revision: int


class BundleFileRow(TypedDict):
    """The files of a bundle as its manifest lists them: the leaves of its Merkle tree."""

    org_id: str
    bundle_id: str
    position: int
    name: str
    size_bytes: int
    sha256: str
    rows: int | None
    revision: int


class BundleRow(TypedDict):
    """A sealed archive of evidence, chained to the one before."""

    org_id: str
    id: str
    requested_window: str
    window_start_on: date
    window_end_on: date
    created_by: str
    sealed_at: datetime
    sealed_seq: int
    manifest_sha256: str | None
    merkle_root: str | None
    previous_id: str | None
    size_bytes: int | None
    counts: Json
    first_seq: int | None
    sealed_hash: str | None
    archive_sha256: str | None
    key_id: str | None
    head: str | None
    before: str | None
    revision: int


class CatalogueSnapshotRow(TypedDict):
    """The catalogue and crosswalks as an organization last saw them."""

    org_id: str
    taken_on: date
    catalogue_version: str
    content: dict[str, Json]
    revision: int


class ChainCutRow(TypedDict):
    """Where retention cut an organization's chain: verification starts from the recorded hash."""

    org_id: str
    seq: int
    hash: str
    cut_at: datetime
    revision: int


class ChangeLogRow(TypedDict):
    """Every version of every row, by the write that made it; its last event holds the root over them."""

    org_id: str
    revision: int
    part: int
    rows: int
    body: bytes


class CheckProofRow(TypedDict):
    """What a check notices: its rows broken in a known way, a column at a time, and what became of its answer."""

    org_id: str
    check_id: str
    source: str
    field: str
    change: str
    query_sha256: str
    tried: int
    exceptions_changed: int
    outcomes_changed: int
    failures: int
    looked_at: bool
    proved_at: datetime
    revision: int


class CommitteeMeetingRow(TypedDict):
    """A meeting that was held or moved."""

    org_id: str
    id: str
    committee_id: str
    held_on: date
    status: MeetingStatus
    decisions: Json
    moves: int
    revision: int


class CommitteeRow(TypedDict):
    """A body that decides on compliance."""

    org_id: str
    id: str
    name: str
    chair: str | None
    members: str | None
    cadence: Cadence
    first_meeting_on: date
    effort_hours: float | None
    revision: int


class ConnectionRow(TypedDict):
    """A placeholder for an integration: names a system, holds no credential."""

    org_id: str
    id: str
    kind: ConnectionKind
    name: str
    status: ConnectionStatus
    settings: dict[str, Json] | None
    created_by: str
    created_at: datetime
    revision: int


class ControlOwnerRow(TypedDict):
    """Who is responsible, accountable, consulted or informed for a control."""

    org_id: str
    framework: str
    control_id: str
    email: str
    raci: Raci
    revision: int


class ControlProfileRow(TypedDict):
    """Scope, cadence and implementation of a control where they differ from the catalogue."""

    org_id: str
    framework: str
    control_id: str
    applicable: bool
    justification: str | None
    approved_by: str | None
    approved_on: date | None
    cadence: Cadence | None
    implementation: str | None
    method: ControlMethod | None
    tested: bool | None
    decision: AddressableDecision | None
    rationale: str | None
    decided_on: date | None
    target: TargetState | None
    target_pct: int | None
    policy_pct: int | None
    implemented_pct: int | None
    automated_pct: int | None
    reported_pct: int | None
    sprs_partial: bool | None
    risk_ref: str | None
    systems: str | None
    note: str | None
    changed_on: date | None
    revision: int


class ControlStateChangeRow(TypedDict):
    """The state of a control as first seen in a snapshot; a row only where it changed."""

    org_id: str
    framework: str
    control_id: str
    observed_on: date
    state: ControlState
    previous: ControlState | None
    trigger_event: str | None
    revision: int


class CopilotMessageRow(TypedDict):
    """A message of a conversation."""

    org_id: str
    id: str
    thread_id: str
    role: ChatRole
    body: str
    citations: Json
    created_at: datetime
    revision: int


class CopilotThreadRow(TypedDict):
    """A conversation with the copilot."""

    org_id: str
    id: str
    email: str
    title: str
    created_at: datetime
    revision: int


class CredentialRow(TypedDict):
    """A key or token: only its hash is kept."""

    org_id: str
    id: str
    kind: CredentialKind
    label: str
    owner: str
    workspace_id: str | None
    engagement: str | None
    allowed: list[str] | None
    basic_auth: bool | None
    prefix: str
    last_four: str
    secret_sha256: str
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    revision: int


class CredentialUseRow(TypedDict):
    """Last use of each credential. Does not move the revision."""

    org_id: str
    credential_id: str
    last_used_at: datetime
    uses: int


class DataFlowRow(TypedDict):
    """Data moves from one system to another."""

    org_id: str
    id: str
    from_system: str
    to_system: str
    data_class: str
    protocol: str | None
    encrypted: bool | None
    vendor_id: str | None
    agreement_ref: str | None
    revision: int


class DeliveryContentRow(TypedDict):
    """What a delivery says to people; pruned some time after it was sent."""

    org_id: str
    delivery_id: str
    subject: str
    body_text: str
    body_html: str | None
    blocks: list[dict[str, Json]] | None
    revision: int


class DeliveryEndpointRow(TypedDict):
    """Where an organization's chat messages and webhooks go."""

    org_id: str
    channel: EndpointChannel
    address: str
    secrets: list[str] | None
    created_at: datetime
    disabled_at: datetime | None
    revision: int


class DeliveryRow(TypedDict):
    """Outbox and ledger: one row for each digest, period, channel and recipient."""

    org_id: str
    id: str
    kind: str
    period: str
    channel: Channel
    recipient: str
    status: DeliveryStatus
    content_hash: str | None
    payload: dict[str, Json] | None
    late: bool
    attempts: int
    created_at: datetime
    next_attempt_at: datetime | None
    sent_at: datetime | None
    last_error: str | None
    head_seq: int | None
    head_hash: str | None
    revision: int


class DeployRow(TypedDict):
    """A change that went live."""

    org_id: str
    id: str
    service_id: str | None
    version: str | None
    environment: str | None
    deployed_at: datetime
    actor: str
    change_ref: str | None
    status: DeployStatus
    rolled_back_at: datetime | None
    revision: int


class DryRunRow(TypedDict):
    """A rehearsal of a playbook that computed its plan and changed nothing."""

    org_id: str
    id: str
    playbook: str
    policy_id: str | None
    inputs_hash: str
    inputs: Json
    outcome: DryRunOutcome
    plan: Json
    incident_id: str | None
    actor: str
    ran_at: datetime
    revision: int


class EarlyEventRow(TypedDict):
    """What was heard of an alert before the alert itself."""

    org_id: str
    dedupe_key: str
    recovered_at: datetime | None
    acknowledged_at: datetime | None
    seen_at: datetime
    messages: list[Json] | None
    revision: int


class EndedSessionRow(TypedDict):
    """A session that was ended before its time, or all of a person's that had begun by then."""

    org_id: str
    email: str
    session_id: str
    ended_at: datetime
    revision: int


class EventTileRow(TypedDict):
    """The Merkle tree over an organization's events (RFC 6962). Leaves stay when retention takes their events."""

    org_id: str
    level: int
    tile: int
    hashes: bytes


class EvidenceItemRow(TypedDict):
    """A document or record that supports controls: its bytes are held here, or it is kept elsewhere."""

    org_id: str
    id: str
    title: str
    source: str | None
    owner: str | None
    captured_at: datetime
    location: str | None
    sha256: str | None
    request_id: str | None
    file: str | None
    about: str | None
    held_sha256: str | None
    held_bytes: int | None
    media_type: str | None
    held_state: EvidenceState | None
    checked_at: datetime | None
    removed: EvidenceRemoval | None
    removed_at: datetime | None
    run_id: str | None
    part: str | None
    revision: int


class EvidenceLinkRow(TypedDict):
    """An evidence item supports a control."""

    org_id: str
    evidence_id: str
    framework: str
    control_id: str
    revision: int


class EvidenceRequestRow(TypedDict):
    """Something an auditor asked for. Identifiers are never used again."""

    org_id: str
    id: str
    framework: str | None
    control_id: str | None
    title: str
    requester: str
    owner: str | None
    backup: str | None
    priority: RequestPriority
    opened_on: date
    due_on: date | None
    status: RequestStatus
    auditor_status: AuditorStatus
    submitted_on: date | None
    accepted_on: date | None
    closed_on: date | None
    returns: int | None
    paused_minutes: int | None
    moves: int
    revision: int


class ExceptionRow(TypedDict):
    """An accepted departure from a control, with an end."""

    org_id: str
    id: str
    kind: ExceptionKind
    framework: str
    control_id: str
    reason: str
    compensating: str | None
    compensating_evidence_on: date | None
    residual: ResidualRating | None
    approver: str | None
    approved_on: date | None
    expires_on: date
    renewals: int | None
    status: ExceptionStatus
    worksheet: Json
    moves: int
    revision: int


class ExecutionRow(TypedDict):
    """A guarded execution of a playbook after a successful dry-run."""

    org_id: str
    id: str
    playbook: str
    dry_run_id: str
    incident_id: str | None
    mode: ExecutionMode
    status: ExecutionStatus
    approval_note: str
    rollback_plan: str
    actor: str
    executed_at: datetime
    approval_id: str | None
    requester: str | None
    approver: str | None
    separation: Json
    revision: int


class FindingRow(TypedDict):
    """A weakness that a scanner reported, one row as long as it lives."""

    org_id: str
    id: str
    source: str
    finding_key: str
    title: str
    severity: Severity
    status: FindingStatus
    service_id: str | None
    vendor_id: str | None
    asset: str | None
    port: int | None
    cve: str | None
    cvss: float | None
    epss: float | None
    known_exploited: bool | None
    internet_reachable: bool | None
    first_seen_at: datetime
    last_seen_at: datetime
    fixed_at: datetime | None
    due_on: date | None
    incident_id: str | None
    details: Json
    revision: int


class FrameworkControlRow(TypedDict):
    """A control or a group of controls of a framework of one's own."""

    org_id: str
    framework: str
    id: str
    parent: str | None
    kind: FrameworkRowKind
    title: str
    text: str | None
    weight: int | None
    cadence: Cadence | None
    evidence_kinds: str | None
    parameters: Json
    assessable: bool
    replaces: str | None
    group_id: str | None
    group_title: str | None
    position: int
    details: Json
    revision: int


class FrameworkInheritanceRow(TypedDict):
    """A control of a framework of one's own that vendors of a tier and category answer for."""

    org_id: str
    tier: str
    category: str
    framework: str
    control_id: str
    rule_version: str
    reason: str
    expected_evidence: str
    model: InheritanceModel
    customer_side: str
    vendor_data: VendorData | None
    revision: int


class FrameworkMappingRow(TypedDict):
    """A pair of controls of two frameworks, at least one of which is the organization's own."""

    org_id: str
    source_framework: str
    source_id: str
    target_framework: str
    target_id: str
    relation: Relation
    strength: float
    rationale: str | None
    source: str | None
    source_count: int | None
    reviewer: str | None
    reviewed_on: date | None
    revision: int


class FrameworkProposalRow(TypedDict):
    """A new version of a framework that waits to be accepted."""

    org_id: str
    framework: str
    version: str | None
    proposed_on: date
    sha256: str
    content: Json
    revision: int


class FrameworkRunbookRow(TypedDict):
    """The runbook that closes gaps of controls of a framework of one's own."""

    org_id: str
    framework: str
    control_pattern: str
    runbook: str
    title: str | None
    playbook: str | None
    effort_hours: float | None
    steps: str | None
    revision: int


class HeadRow(TypedDict):
    """The head of each organization's audit chain: locked by every write."""

    org_id: str
    last_seq: int
    hash: str
    moved_at: datetime


class IncidentActionRow(TypedDict):
    """A follow-up that a review decided on."""

    org_id: str
    id: str
    incident_id: str
    title: str
    owner: str | None
    due_on: date | None
    kind: IncidentActionKind
    status: IncidentActionStatus
    closed_on: date | None
    revision: int


class IncidentRow(TypedDict):
    """An incident from first sign to closure."""

    org_id: str
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
    labels: Json
    annotations: Json
    runbook_url: str | None
    links: Json
    value: str | None
    image_url: str | None
    sender_at: datetime | None
    opened_heard_at: datetime | None
    acknowledged_heard_at: datetime | None
    resolved_heard_at: datetime | None
    acknowledged_by: str | None
    closed_by: str | None
    parent_id: str | None
    parent_state: FamilyState | None
    parent_reason: str | None
    revision: int


class IncidentTimelineRow(TypedDict):
    """A line of an incident's history."""

    org_id: str
    id: str
    incident_id: str
    happened_at: datetime
    kind: TimelineKind
    actor: str
    body: str
    payload_id: str | None
    heard_at: datetime | None
    payload: Json
    revision: int


class IngestPayloadRow(TypedDict):
    """What monitors and scanners sent, kept for a time. Does not move the revision."""

    org_id: str
    id: str
    route: IngestRoute
    state: PayloadState
    received_at: datetime
    actor: str
    workspace_id: str | None
    content_type: str | None
    vendor: str | None
    source: str | None
    size_bytes: int
    sha256: str
    body: bytes
    records: int
    applied: int
    times: int
    reason: str | None
    noted_at: datetime | None


class InstallationCommitmentRow(TypedDict):
    """The leaves of the installation's tree: salted commitments to organizations and where their chains stood."""

    position: int
    org_id: str
    seq: int
    hash: str
    salt: str


class InstallationHeadRow(TypedDict):
    """Signed heads of the installation's tree."""

    size: int
    root: str
    signed_at: datetime
    note: str


class JobRunRow(TypedDict):
    """A run of a scheduled job."""

    org_id: str
    id: str
    job: str
    started_at: datetime
    finished_at: datetime | None
    outcome: JobOutcome | None
    message: str | None
    revision: int


class LeadRow(TypedDict):
    """An enquiry and what became of it."""

    org_id: str
    id: str
    reference_id: str
    name: str | None
    email: str
    company: str | None
    message: str | None
    stage: LeadStage
    priority: Priority
    owner: str | None
    notes: str | None
    lost_reason: str | None
    spam: bool
    consent: bool
    value: float | None
    follow_up_on: date | None
    created_at: datetime
    stage_changed_at: datetime | None
    first_response_at: datetime | None
    revision: int


class LeaseRow(TypedDict):
    """Who may act alone for now, such as the one scheduler of several machines."""

    name: str
    holder: str
    until: datetime


class LegalHoldRow(TypedDict):
    """A matter for which records must be kept whatever retention says."""

    org_id: str
    id: str
    matter: str
    incident_id: str | None
    reason: str
    placed_by: str
    placed_at: datetime
    custodian: str | None
    scope: str | None
    released_at: datetime | None
    released_by: str | None
    purges_blocked: int | None
    revision: int


class MaintenanceWindowRow(TypedDict):
    """A time in which alerts of a service, or with certain labels, are expected. Recorded before its start it takes their incidents out of figures; without a service and without matchers it takes out none."""

    org_id: str
    id: str
    reason: str
    created_by: str | None
    service_id: str | None
    matchers: Json
    starts_at: datetime
    ends_at: datetime
    recorded_at: datetime | None
    revision: int


class MembershipRow(TypedDict):
    """Who may act for an organization, in which role. Read at every request."""

    org_id: str
    email: str
    role: Role
    status: MembershipStatus
    workspace_id: str | None
    since_on: date | None
    display_name: str | None
    revision: int


class ObligationSnapshotRow(TypedDict):
    """What a week held as planned at its start, and what became of it."""

    org_id: str
    week: str
    planned: int
    planned_hours: float
    completed: int | None
    slipped: int | None
    forecast: int | None
    revision: int


class OnCallShiftRow(TypedDict):
    """Who is on call when: for a service, or for all of them."""

    org_id: str
    id: str
    person: str
    service_id: str | None
    starts_at: datetime
    ends_at: datetime
    rota: str | None
    recorded_at: datetime | None
    revision: int


class OrderRow(TypedDict):
    """A checkout that was begun with a payment provider."""

    org_id: str
    id: str
    tier: BillingTier
    provider: PaymentProvider
    provider_ref: str | None
    status: OrderStatus
    amount_cents: int | None
    currency: str | None
    created_by: str
    created_at: datetime
    revision: int


class OrganizationFrameworkRow(TypedDict):
    """A framework pack that an organization follows."""

    org_id: str
    framework: str
    in_scope: bool
    adopted_on: date | None
    target_on: date | None
    note: str | None
    in_posture: bool | None
    moves: int
    revision: int


class OrganizationRow(TypedDict):
    """A customer, or the reserved platform organization."""

    id: str
    name: str
    time_zone: str
    sector: str | None
    headcount: int | None
    deployment_tier: DeploymentTier
    plan: Plan
    agreed_plan: Plan | None
    data_region: str | None
    boundary: str | None
    key_custody: str | None
    auth_mode: str | None
    modules: Json
    created_at: datetime
    revision: int


class OrganizationRuleRow(TypedDict):
    """Rules of one's own: what an action of the audit log says about a control. They win over those that come along."""

    org_id: str
    pattern: str
    outcome: RuleOutcome
    framework: str
    control_id: str
    effect: ActionEffect
    family: str | None
    note: str | None
    revision: int


class OrganizationSettingRow(TypedDict):
    """A threshold, weight or channel that an organization set for itself."""

    org_id: str
    name: str
    value: Json
    revision: int


class OwnFrameworkRow(TypedDict):
    """A framework of the organization's own beside those of the program."""

    org_id: str
    id: str
    title: str
    version: str | None
    publisher: str | None
    source: str | None
    assessable_levels: str | None
    details: Json
    revision: int


class OwnerCapacityRow(TypedDict):
    """Compliance hours of an owner in an ISO week."""

    org_id: str
    email: str
    week: str
    hours: float
    absence_hours: float | None
    revision: int


class PilotRow(TypedDict):
    """A pilot project that came from a lead."""

    org_id: str
    id: str
    lead_id: str
    name: str
    stage: PilotStage
    owner: str | None
    scope: dict[str, Json] | None
    discovery_at: datetime | None
    kickoff_at: datetime | None
    review_at: datetime | None
    notes: str | None
    created_at: datetime
    revision: int


class PlayRow(TypedDict):
    """Work on a cluster of obligations that share evidence."""

    org_id: str
    id: str
    status: PlayStatus
    owner: str | None
    steps: Json
    hours_saved: float | None
    started_on: date | None
    closed_on: date | None
    revision: int


class PoamItemRow(TypedDict):
    """A numbered weakness of the plan of action and milestones. Numbers are never used again."""

    org_id: str
    id: str
    weakness_key: str
    detected_on: date
    due_on: date
    status: PoamStatus
    closed_on: date | None
    details: Json
    listed_on: date | None
    moves: int
    revision: int


class PolicyBlockRow(TypedDict):
    """A refusal: what a policy or a guard did not let through."""

    org_id: str
    id: str
    playbook: str
    policy_id: str | None
    reason: str
    message: str | None
    actor: str
    blocked_at: datetime
    overridden: bool
    revision: int


class PolicyControlRow(TypedDict):
    """A control that a policy version supports."""

    org_id: str
    policy_id: str
    framework: str
    control_id: str
    revision: int


class PolicyRow(TypedDict):
    """A version of a policy document: a governance policy or the guardrail of a playbook."""

    org_id: str
    id: str
    policy: str
    version: int
    kind: PolicyKind
    title: str
    playbook: str | None
    state: PolicyState
    body: str | None
    rules: Json
    owner: str | None
    accepted_by: str | None
    accepted_at: datetime | None
    review_due_on: date | None
    workspace_id: str | None
    separation: Json
    moves: int
    revision: int


class PostureSnapshotRow(TypedDict):
    """Posture score of a day with its components, as computed then."""

    org_id: str
    taken_on: date
    score: float | None
    components: Json
    formulas: Json
    revision: int


class RcaRunRow(TypedDict):
    """A persisted run of the root-cause analysis."""

    org_id: str
    id: str
    incident_id: str
    run_at: datetime
    actor: str
    model_version: str
    hypothesis: str
    confidence: float
    candidates: dict[str, Json]
    revision: int


class ReadinessSnapshotRow(TypedDict):
    """Readiness of a framework on a day, as computed then. Never recomputed with later rules."""

    org_id: str
    taken_on: date
    framework: str
    effective: int
    partial: int
    stale: int
    ineffective: int
    no_data: int
    not_applicable: int
    strict_pct: float | None
    weighted_pct: float | None
    fresh_pct: float | None
    attested_pct: float | None
    gaps_open: int | None
    gaps_opened: int | None
    gaps_closed: int | None
    formulas: Json
    revision: int


class RecordStartRow(TypedDict):
    """From which day on there were records of a framework, kept when retention removes the events that say so."""

    org_id: str
    framework: str
    since_on: date
    revision: int


class RemediationRow(TypedDict):
    """Work on the gap of a control: who, how much, by when."""

    org_id: str
    id: str
    framework: str
    control_id: str
    title: str | None
    owner: str | None
    runbook: str | None
    severity: GapSeverity | None
    opened_on: date
    due_on: date | None
    closed_on: date | None
    status: RemediationStatus
    blocked_by: str | None
    compensating: str | None
    estimate_hours: float | None
    low_hours: float | None
    high_hours: float | None
    done_hours: float | None
    left_hours: float | None
    lead_days: int | None
    details: Json
    compensating_approved_by: str | None
    compensating_approved_on: date | None
    revision: int


class RetentionOverrideRow(TypedDict):
    """An organization's own retention in place of its tier's default."""

    org_id: str
    record_class: RecordClass
    days: int
    reason: str | None
    approved_by: str | None
    approved_on: date | None
    revision: int


class RiskRow(TypedDict):
    """A risk with inherent and residual rating (REPORTS F11). Unknown ratings count as 5 and are flagged."""

    org_id: str
    id: str
    title: str
    category: str | None
    owner: str | None
    likelihood: int | None
    impact: int | None
    residual_likelihood: int | None
    residual_impact: int | None
    previous_likelihood: int | None
    previous_impact: int | None
    treatment: RiskTreatment | None
    appetite: int | None
    loss_low: float | None
    loss_high: float | None
    identified_on: date | None
    reviewed_on: date | None
    status: RiskStatus
    controls: str | None
    accepted_by: str | None
    accepted_on: date | None
    revision: int


class ScannerCheckRow(TypedDict):
    """What a scanner's own catalogue says about one of its checks, such as the KnowledgeBase of Qualys."""

    org_id: str
    source: str
    check_id: str
    title: str | None
    severity: Severity | None
    cve: str | None
    cvss: float | None
    known_exploited: bool
    solution: str | None
    revision: int


class ScheduleControlRow(TypedDict):
    """The controls that a recurring test is about, where it is about more than one: all move alike."""

    org_id: str
    schedule_id: str
    framework: str
    control_id: str
    revision: int


class SeenEventRow(TypedDict):
    """Inbound events that were applied, so that a repeat changes nothing."""

    source: str
    event_id: str
    seen_at: datetime


class ServiceDependencyRow(TypedDict):
    """A service needs another one."""

    org_id: str
    service_id: str
    depends_on_id: str
    kind: str | None
    segmented: bool
    vendor_id: str | None
    revision: int


class ServiceRow(TypedDict):
    """A service that is operated: incidents, findings and objectives hang on it."""

    org_id: str
    id: str
    name: str
    owner: str | None
    criticality: int
    environment: Environment
    internet_facing: bool
    holds_customer_data: bool
    revision: int


class ServiceSenderRow(TypedDict):
    """Who watches a service: an ingest token and the monitor that sends with it."""

    org_id: str
    service_id: str
    token: str
    source: str
    revision: int


class SignedHeadRow(TypedDict):
    """Heads that were signed, to leave the building."""

    org_id: str
    seq: int
    hash: str
    root: str
    signed_at: datetime
    note: str
    cosignatures: str | None
    time_stamp: str | None


class SloBucketRow(TypedDict):
    """Events of a service in five minutes: how many, and how many were bad."""

    org_id: str
    service_id: str
    bucket_at: datetime
    total: int
    bad: int
    revision: int


class SloProfileRow(TypedDict):
    """The service level objective of a service."""

    org_id: str
    service_id: str
    objective_pct: float
    indicator: str | None
    window_kind: SloWindow
    revision: int


class StaffingActionRow(TypedDict):
    """A proposal to relieve a peak week, tracked to its completion."""

    org_id: str
    id: str
    week: str
    kind: StaffingKind
    owner: str
    assignee: str | None
    obligation_id: str | None
    relief_hours: float
    relief_actual_hours: float | None
    status: StaffingStatus
    proposed_on: date
    tracked_on: date | None
    completed_on: date | None
    blocked_reason: str | None
    evidence: str | None
    revision: int


class SubscriptionRow(TypedDict):
    """A paid plan that runs at a payment provider."""

    org_id: str
    id: str
    provider: PaymentProvider
    provider_ref: str
    tier: PaidPlan
    status: SubscriptionStatus
    event_at: datetime
    renews_at: datetime | None
    cancelled_at: datetime | None
    revision: int


class SystemRow(TypedDict):
    """A system in or out of scope, as declared."""

    org_id: str
    id: str
    name: str
    owner: str | None
    service_id: str | None
    data_classes: str | None
    region: str | None
    boundary: Boundary
    environment: str | None
    frameworks: str | None
    pci_class: PciClass | None
    justification: str | None
    last_reviewed_on: date | None
    revision: int


class TableHeadRow(TypedDict):
    """Which write last changed each part of the records: a report is as new as the newest part that it looks at."""

    org_id: str
    part: str
    revision: int
    hash: str


class TestLinkRow(TypedDict):
    """The output of a test or dry-run, linked to a control and a bundle."""

    org_id: str
    id: str
    test_id: str
    framework: str
    control_id: str
    bundle_id: str | None
    status: LinkStatus
    supplement: bool
    linked_by: str
    linked_at: datetime
    revision: int


class TestRunRow(TypedDict):
    """One window of a recurring test: planned and actual."""

    org_id: str
    id: str
    schedule_id: str
    window_open_on: date
    window_close_on: date
    performed_on: date | None
    outcome: TestRunOutcome | None
    performer: str | None
    population: int | None
    tested: int | None
    deviations: int | None
    evidence_expected: int | None
    evidence_received: int | None
    cause: str | None
    response: str | None
    reason: str | None
    rows_sha256: str | None
    ran_at: datetime | None
    sequence: int | None
    since_on: date | None
    until_on: date | None
    revision: int


class TestingScheduleRow(TypedDict):
    """A recurring test of a control."""

    org_id: str
    id: str
    framework: str
    control_id: str
    procedure: str
    cadence: Cadence
    owner: str | None
    performer: str | None
    window_days: int | None
    starts_on: date
    ends_on: date | None
    check_id: str | None
    pull_file: str | None
    query_sha256: str | None
    superseded_on: date | None
    unread: str | None
    unread_at: datetime | None
    revision: int


class ToolRuleRow(TypedDict):
    """Which controls a rule of a scanner tests: what passed is a test of them as much as what failed."""

    org_id: str
    tool: str
    rule: str
    framework: str
    control_id: str
    source: str | None
    revision: int


class UserRow(TypedDict):
    """The profile of a person within an organization."""

    org_id: str
    email: str
    name: str | None
    title: str | None
    active: bool
    preferences: Json
    deletion_requested_at: datetime | None
    revision: int


class VendorDocumentRow(TypedDict):
    """An assurance document of a vendor."""

    org_id: str
    id: str
    vendor_id: str
    kind: DocumentKind
    issued_on: date | None
    period_start_on: date | None
    period_end_on: date | None
    expires_on: date | None
    opinion: AuditOpinion | None
    in_scope: bool
    cuecs_mapped: bool | None
    flows_down: bool | None
    location: str | None
    assessment: str | None
    assessed_by: str | None
    assessed_on: date | None
    revision: int


class VendorRow(TypedDict):
    """A third party in the risk register. Not assessed is not low."""

    org_id: str
    id: str
    name: str
    service: str | None
    owner: str | None
    category: str
    tier: VendorTier
    data_classes: str | None
    stores_customer_data: bool | None
    privileged_access: bool | None
    outage_stops_service: bool | None
    likelihood: int | None
    impact: int | None
    residual_likelihood: int | None
    residual_impact: int | None
    status: AssessmentStatus
    region: str | None
    handles_phi: bool | None
    lead_days: int | None
    onboarded_on: date | None
    last_review_on: date | None
    next_review_on: date | None
    offboarded_on: date | None
    moves: int
    revision: int


class WorkspaceRow(TypedDict):
    """A team's part of an organization: ingest tokens and policies belong to one."""

    org_id: str
    id: str
    name: str
    revision: int
