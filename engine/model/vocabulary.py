"""The words of the house: states, severities, tiers, outcomes, roles. Each is declared here and nowhere else.

A ``Literal`` is the type; the tuple beside it has the words in their order, the worst or the first first. Columns of
the store, facts, reports, bodies and answers of routes all take them from here.
"""

from collections.abc import Mapping
from typing import Literal, TypeAlias, get_args

# what JSON can hold; what came from outside and was not yet looked at is an ``object``
Json: TypeAlias = "str | int | float | bool | list[Json] | dict[str, Json] | None"

Severity: TypeAlias = Literal["critical", "high", "medium", "low", "info"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
GapSeverity: TypeAlias = Literal["critical", "high", "medium", "low"]
GAP_SEVERITIES: tuple[GapSeverity, ...] = get_args(GapSeverity)
SEVERE: tuple[GapSeverity, ...] = GAP_SEVERITIES[:2]

ControlState: TypeAlias = Literal["effective", "partial", "stale", "ineffective", "no_data", "not_applicable"]
CONTROL_STATES: tuple[ControlState, ...] = get_args(ControlState)
# what a state is worth in weighted readiness (REPORTS F3); no data is never good
STATE_SCORES: dict[ControlState, float] = {
    "effective": 1.0,
    "partial": 0.5,
    "stale": 0.25,
    "ineffective": 0.0,
    "no_data": 0.0,
}
ControlMethod: TypeAlias = Literal["defined", "compensating", "customised"]  # PCI DSS
AddressableDecision: TypeAlias = Literal["implemented", "alternative", "not_implemented"]  # HIPAA
TargetState: TypeAlias = Literal["effective", "partial", "none"]  # a profile of NIST CSF
Raci: TypeAlias = Literal["R", "A", "C", "I"]
Cadence: TypeAlias = Literal["continuous", "daily", "weekly", "monthly", "quarterly", "semi-annual", "annual"]
CADENCES: tuple[Cadence, ...] = get_args(Cadence)
FrameworkRowKind: TypeAlias = Literal["group", "control"]
Relation: TypeAlias = Literal["equal", "superset", "subset", "intersects"]
InheritanceModel: TypeAlias = Literal["carve-out", "inclusive"]
# what a vendor must handle for a rule of inheritance to be about it
VendorData: TypeAlias = Literal["health", "cards"]
VENDOR_DATA: tuple[VendorData, ...] = get_args(VendorData)

AttestationOutcome: TypeAlias = Literal["attested", "rejected"]
TestRunOutcome: TypeAlias = Literal["passed", "failed", "not_tested"]
LinkStatus: TypeAlias = Literal["linked", "rejected"]
LinkOutcome: TypeAlias = Literal["created", "duplicate", "refused"]
LINK_OUTCOMES: tuple[LinkOutcome, ...] = get_args(LinkOutcome)
# what a check finds of the bytes of an evidence item, and why they were removed
EvidenceState: TypeAlias = Literal["whole", "changed", "missing"]
EVIDENCE_STATES: tuple[EvidenceState, ...] = get_args(EvidenceState)
EvidenceRemoval: TypeAlias = Literal["erased"]
# where evidence is: its bytes in the evidence store, somewhere that we were told of, or a record of ours
EvidencePlace: TypeAlias = Literal["held", "told", "linked"]
EVIDENCE_PLACES: tuple[EvidencePlace, ...] = get_args(EvidencePlace)
ActionEffect: TypeAlias = Literal["supports", "contradicts", "records"]
RuleOutcome: TypeAlias = Literal["any", "success", "failure", "denied"]
RequestPriority: TypeAlias = Literal["P1", "P2", "P3", "P4"]
REQUEST_PRIORITIES: tuple[RequestPriority, ...] = get_args(RequestPriority)
RequestStatus: TypeAlias = Literal["open", "in_progress", "waiting_on_requester", "submitted", "closed"]
AuditorStatus: TypeAlias = Literal["draft", "open", "in_progress", "submitted", "accepted", "returned", "closed"]
RemediationStatus: TypeAlias = Literal["open", "in_progress", "blocked", "closed"]

Outcome: TypeAlias = Literal["success", "failure", "denied"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)

Role: TypeAlias = Literal["owner", "admin", "operator", "member"]
ROLES: tuple[Role, ...] = get_args(Role)
ADMIN_ROLES: tuple[Role, ...] = ("owner", "admin")
OPERATOR_ROLES: tuple[Role, ...] = ("owner", "admin", "operator")
MembershipStatus: TypeAlias = Literal["active", "removed"]

Plan: TypeAlias = Literal["free", "pro", "team"]
PLANS: tuple[Plan, ...] = get_args(Plan)
PaidPlan: TypeAlias = Literal["pro", "team"]
PAID_PLANS: tuple[PaidPlan, ...] = get_args(PaidPlan)
BillingTier: TypeAlias = Literal["pro", "team", "top_up"]
BILLING_TIERS: tuple[BillingTier, ...] = get_args(BillingTier)
PaymentProvider: TypeAlias = Literal["paypal", "lemonsqueezy"]
OrderStatus: TypeAlias = Literal["created", "approved", "completed", "failed", "refunded"]
SubscriptionStatus: TypeAlias = Literal["active", "past_due", "paused", "cancelled", "expired"]
DeploymentTier: TypeAlias = Literal["shared", "dedicated", "self-hosted"]

VendorTier: TypeAlias = Literal["critical", "high", "medium", "low"]
VENDOR_TIERS: tuple[VendorTier, ...] = get_args(VendorTier)
AssessmentStatus: TypeAlias = Literal["not_assessed", "in_progress", "assessed", "expired"]
DocumentKind: TypeAlias = Literal[
    "soc2_type2",
    "soc2_type1",
    "iso27001_certificate",
    "pci_aoc",
    "baa",
    "dpa",
    "pen_test",
    "bridge_letter",
    "screening",
    "nda",
    "training",
    "questionnaire",
]
# as people call them within a sentence
VENDOR_DOCUMENT_NAMES: Mapping[str, str] = {
    "soc2_type2": "SOC 2 type II report",
    "iso27001_certificate": "ISO/IEC 27001 certificate",
    "baa": "business associate agreement",
    "dpa": "data processing agreement",
    "pen_test": "penetration test summary",
    "bridge_letter": "bridge letter",
    "pci_aoc": "PCI DSS attestation of compliance",
    "screening": "confirmation of screening",
    "nda": "non-disclosure agreement",
    "training": "proof of training",
}
AuditOpinion: TypeAlias = Literal["unqualified", "qualified", "adverse", "disclaimer"]

Boundary: TypeAlias = Literal["inside", "outside"]
PciClass: TypeAlias = Literal["cde", "connected_to", "security_impacting", "out"]
RiskTreatment: TypeAlias = Literal["mitigate", "accept", "transfer", "avoid"]
RiskStatus: TypeAlias = Literal["open", "closed"]
ExceptionKind: TypeAlias = Literal["gap", "drift", "accepted_risk", "compensating"]
ExceptionStatus: TypeAlias = Literal["draft", "in_review", "approved", "rejected", "resolved"]
ResidualRating: TypeAlias = Literal["critical", "high", "moderate", "low"]
PoamStatus: TypeAlias = Literal["open", "completed", "accepted", "false_positive"]
RecordClass: TypeAlias = Literal["audit_log", "incidents"]  # what retention tells apart

IncidentStatus: TypeAlias = Literal["open", "acknowledged", "mitigated", "resolved", "closed"]
INCIDENT_STATUSES: tuple[IncidentStatus, ...] = get_args(IncidentStatus)
LIVE_INCIDENTS: tuple[IncidentStatus, ...] = INCIDENT_STATUSES[:3]
TimelineKind: TypeAlias = Literal[
    "alert",
    "note",
    "status",
    "severity",
    "action",
    "execution",
    "communication",
    "rca",
    "acknowledge",
    "assign",
    "cause",
    "relate",
    "unrelate",
    "close",
    "reopen",
    "assess",
]
# what a person does about an incident, and under which law it is assessed
StepKind: TypeAlias = Literal[
    "acknowledge", "assign", "note", "cause", "relate", "unrelate", "close", "reopen", "assess"
]
STEP_KINDS: tuple[StepKind, ...] = get_args(StepKind)
IncidentLaw: TypeAlias = Literal["gdpr", "nis2", "dora", "hipaa"]
INCIDENT_LAWS: tuple[IncidentLaw, ...] = get_args(IncidentLaw)
FamilyState: TypeAlias = Literal["proposed", "confirmed"]
IncidentActionKind: TypeAlias = Literal["prevent", "detect", "mitigate", "process"]
IncidentActionStatus: TypeAlias = Literal["open", "done", "dropped"]
FindingStatus: TypeAlias = Literal["open", "fixed", "accepted", "false_positive"]
FINDING_STATUSES: tuple[FindingStatus, ...] = get_args(FindingStatus)
FindingOutcome: TypeAlias = Literal["created", "updated", "reopened", "fixed", "unchanged"]
FINDING_OUTCOMES: tuple[FindingOutcome, ...] = get_args(FindingOutcome)
# what a scanner says of a weakness, and what a person decided about it there
ScanState: TypeAlias = Literal["reopened", "open", "fixed"]
SCAN_STATES: tuple[ScanState, ...] = get_args(ScanState)
Disposition: TypeAlias = Literal["accepted", "false_positive"]
AlertState: TypeAlias = Literal["firing", "resolved", "update", "ignored"]
IngestRoute: TypeAlias = Literal["alerts", "vulnerabilities"]  # doors of monitors and of scanners
PayloadState: TypeAlias = Literal["read", "ignored", "partial", "unread"]  # what became of what came there
PAYLOADS_TO_READ: tuple[PayloadState, ...] = ("partial", "unread")
AlertOutcome: TypeAlias = Literal[
    "created",
    "deduplicated",
    "reopened",
    "resolved",
    "updated",
    "ignored",
    "replayed",
    "no_open_incident",
    "out_of_order",
]
DeployStatus: TypeAlias = Literal["succeeded", "failed", "rolled_back"]
DEPLOY_STATUSES: tuple[DeployStatus, ...] = get_args(DeployStatus)
Environment: TypeAlias = Literal["production", "staging", "development"]
ENVIRONMENTS: tuple[Environment, ...] = get_args(Environment)
SloWindow: TypeAlias = Literal["rolling", "calendar"]
BudgetState: TypeAlias = Literal["critical", "warning", "insufficient_history", "ok"]
BUDGET_STATES: tuple[BudgetState, ...] = get_args(BudgetState)

Channel: TypeAlias = Literal["email", "chat", "webhook"]
CHANNELS: tuple[Channel, ...] = get_args(Channel)
PERSONAL_CHANNELS: tuple[Channel, ...] = CHANNELS[:2]  # those that reach a person
EndpointChannel: TypeAlias = Literal["chat", "webhook"]
DeliveryStatus: TypeAlias = Literal["pending", "sent", "failed", "skipped"]
DELIVERY_STATUSES: tuple[DeliveryStatus, ...] = get_args(DeliveryStatus)
ArchiveKind: TypeAlias = Literal["bundle", "workbook", "evidence-pack", "committee-meeting-pack"]
ARCHIVE_KINDS: tuple[ArchiveKind, ...] = get_args(ArchiveKind)
CredentialKind: TypeAlias = Literal["api_key", "ingest", "assessor"]
CREDENTIAL_KINDS: tuple[CredentialKind, ...] = get_args(CredentialKind)
JobOutcome: TypeAlias = Literal["succeeded", "failed", "skipped"]
ConnectionKind: TypeAlias = Literal[
    "chat", "paging", "issue_tracker", "service_management", "source_host", "monitoring", "metrics"
]
CONNECTION_KINDS: tuple[ConnectionKind, ...] = get_args(ConnectionKind)
ConnectionStatus: TypeAlias = Literal["placeholder", "configured", "disabled"]

PolicyKind: TypeAlias = Literal["governance", "automation"]
PolicyState: TypeAlias = Literal["draft", "active", "retired"]
POLICY_STATES: tuple[PolicyState, ...] = get_args(PolicyState)
NewPolicyState: TypeAlias = Literal["draft", "active"]
ApprovalStatus: TypeAlias = Literal["pending", "approved", "rejected", "expired", "spent"]
APPROVAL_STATUSES: tuple[ApprovalStatus, ...] = get_args(ApprovalStatus)
# why an automation was refused, where no rule of a policy did it
BlockReason: TypeAlias = Literal[
    "dry_run_missing",
    "dry_run_mismatch",
    "inputs_changed",
    "dry_run_failed",
    "dry_run_stale",
    "approval_note_missing",
    "rollback_plan_missing",
    "checks_failed",
    "policy_missing",
    "policy_not_accepted",
    "policy_denied",
    "approval_spent",
    "approval_expired",
    "separation",
]
BLOCK_REASONS: tuple[BlockReason, ...] = get_args(BlockReason)
# duties around an execution that a policy document may want different people for
SeparableDuty: TypeAlias = Literal["requester", "approver", "executor"]
SEPARABLE_DUTIES: tuple[SeparableDuty, ...] = get_args(SeparableDuty)
AutomationStage: TypeAlias = Literal["dry_run", "execute", "remediate"]
AUTOMATION_STAGES: tuple[AutomationStage, ...] = get_args(AutomationStage)
RuleEffect: TypeAlias = Literal["deny", "require"]
RULE_EFFECTS: tuple[RuleEffect, ...] = get_args(RuleEffect)
PlaybookRisk: TypeAlias = Literal["low", "medium", "high", "critical"]
PLAYBOOK_RISKS: tuple[PlaybookRisk, ...] = get_args(PlaybookRisk)
DryRunOutcome: TypeAlias = Literal["succeeded", "failed", "blocked"]
ExecutionMode: TypeAlias = Literal["execute", "remediate"]
ExecutionStatus: TypeAlias = Literal["recorded", "succeeded", "failed", "rolled_back"]
ChatRole: TypeAlias = Literal["user", "assistant"]

# how sure an answer from the reports is; none where nothing could be said
Confidence: TypeAlias = Literal["high", "medium", "low", "none"]
CONFIDENCES: tuple[Confidence, ...] = get_args(Confidence)

StaffingStatus: TypeAlias = Literal["proposed", "tracked", "open", "completed"]
STAFFING_STATUSES: tuple[StaffingStatus, ...] = get_args(StaffingStatus)
OPEN_STAFFING: tuple[StaffingStatus, ...] = ("tracked", "open")
StaffingKind: TypeAlias = Literal["reassign", "pull_forward", "borrow", "defer", "descope"]
STAFFING_KINDS: tuple[StaffingKind, ...] = get_args(StaffingKind)
MeetingStatus: TypeAlias = Literal["planned", "held", "cancelled"]
PlayStatus: TypeAlias = Literal["proposed", "active", "completed", "abandoned"]

LeadStage: TypeAlias = Literal["new", "contacted", "qualified", "discovery", "proposal", "won", "lost", "nurture"]
LEAD_STAGES: tuple[LeadStage, ...] = get_args(LeadStage)
PilotStage: TypeAlias = Literal["planned", "kickoff", "active", "review", "converted", "extended", "closed"]
PILOT_STAGES: tuple[PilotStage, ...] = get_args(PilotStage)
Priority: TypeAlias = Literal["low", "normal", "high"]
PRIORITIES: tuple[Priority, ...] = get_args(Priority)
SalesSubject: TypeAlias = Literal["lead", "pilot"]

# what a figure or the cells of a column are in, and which way a figure is better
Unit: TypeAlias = Literal[
    "count",
    "number",
    "percent",
    "points",
    "ratio",
    "minutes",
    "hours",
    "days",
    "weeks",
    "bytes",
    "date",
    "instant",
    "word",
    "text",
    "texts",
    "flag",
]
UNITS: tuple[Unit, ...] = get_args(Unit)
Better: TypeAlias = Literal["more", "less", "neither"]
# what a column that can be imported says: for us, against us, by when, about what
ColumnKind: TypeAlias = Literal["claim", "debt", "deadline", "scope"]
COLUMN_KINDS: tuple[ColumnKind, ...] = get_args(ColumnKind)
# how people name a framework in a sentence; the catalogue has the full titles
FRAMEWORK_NAMES = {
    "soc2": "SOC 2",
    "iso27001": "ISO 27001",
    "pci-dss": "PCI DSS",
    "hipaa": "HIPAA",
    "nist-csf": "NIST CSF",
    "cis-v8": "CIS Controls v8",
    "cmmc-l2": "CMMC Level 2",
    "gdpr-art32": "GDPR Article 32",
    "fedramp-poam": "FedRAMP POA&M",
}

FRAMEWORKS = ("soc2", "iso27001", "pci-dss", "hipaa", "nist-csf", "cis-v8", "cmmc-l2", "gdpr-art32")
EVERY_RECORD = "*"  # the framework of a kept start that speaks of the organization as a whole
