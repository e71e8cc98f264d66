"""The words of the house: states, severities, tiers, outcomes, roles. Each is declared here and nowhere else.

A ``Literal`` is the type; the tuple beside it has the words in their order, the worst or the first first. Columns of
the store, facts, reports, bodies and answers of routes all take them from here.
"""

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

Outcome: TypeAlias = Literal["success", "failure", "denied"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)

Role: TypeAlias = Literal["owner", "admin", "operator", "member"]
ROLES: tuple[Role, ...] = get_args(Role)
ADMIN_ROLES: tuple[Role, ...] = ("owner", "admin")
OPERATOR_ROLES: tuple[Role, ...] = ("owner", "admin", "operator")

Plan: TypeAlias = Literal["free", "pro", "team"]
PLANS: tuple[Plan, ...] = get_args(Plan)
BillingTier: TypeAlias = Literal["pro", "team", "top_up"]
BILLING_TIERS: tuple[BillingTier, ...] = get_args(BillingTier)
VendorTier: TypeAlias = Literal["critical", "high", "medium", "low"]
VENDOR_TIERS: tuple[VendorTier, ...] = get_args(VendorTier)

IncidentStatus: TypeAlias = Literal["open", "acknowledged", "mitigated", "resolved", "closed"]
INCIDENT_STATUSES: tuple[IncidentStatus, ...] = get_args(IncidentStatus)
LIVE_INCIDENTS: tuple[IncidentStatus, ...] = INCIDENT_STATUSES[:3]
FindingStatus: TypeAlias = Literal["open", "fixed", "accepted", "false_positive"]
FINDING_STATUSES: tuple[FindingStatus, ...] = get_args(FindingStatus)
DeployStatus: TypeAlias = Literal["succeeded", "failed", "rolled_back"]
DEPLOY_STATUSES: tuple[DeployStatus, ...] = get_args(DeployStatus)
Environment: TypeAlias = Literal["production", "staging", "development"]
ENVIRONMENTS: tuple[Environment, ...] = get_args(Environment)

Channel: TypeAlias = Literal["email", "chat", "webhook"]
CHANNELS: tuple[Channel, ...] = get_args(Channel)
DeliveryStatus: TypeAlias = Literal["pending", "sent", "failed", "skipped"]
DELIVERY_STATUSES: tuple[DeliveryStatus, ...] = get_args(DeliveryStatus)
CredentialKind: TypeAlias = Literal["api_key", "ingest", "assessor"]
CREDENTIAL_KINDS: tuple[CredentialKind, ...] = get_args(CredentialKind)
ConnectionKind: TypeAlias = Literal[
    "chat", "paging", "issue_tracker", "service_management", "source_host", "monitoring", "metrics"
]
CONNECTION_KINDS: tuple[ConnectionKind, ...] = get_args(ConnectionKind)

PolicyState: TypeAlias = Literal["draft", "active", "retired"]
POLICY_STATES: tuple[PolicyState, ...] = get_args(PolicyState)
NewPolicyState: TypeAlias = Literal["draft", "active"]
ApprovalStatus: TypeAlias = Literal["pending", "approved", "rejected", "expired"]
APPROVAL_STATUSES: tuple[ApprovalStatus, ...] = get_args(ApprovalStatus)
PlaybookRisk: TypeAlias = Literal["low", "medium", "high", "critical"]
PLAYBOOK_RISKS: tuple[PlaybookRisk, ...] = get_args(PlaybookRisk)

StaffingStatus: TypeAlias = Literal["proposed", "tracked", "open", "completed"]
STAFFING_STATUSES: tuple[StaffingStatus, ...] = get_args(StaffingStatus)
OPEN_STAFFING: tuple[StaffingStatus, ...] = ("tracked", "open")
StaffingKind: TypeAlias = Literal["reassign", "pull_forward", "borrow", "defer", "descope"]
STAFFING_KINDS: tuple[StaffingKind, ...] = get_args(StaffingKind)

LeadStage: TypeAlias = Literal["new", "contacted", "qualified", "discovery", "proposal", "won", "lost", "nurture"]
LEAD_STAGES: tuple[LeadStage, ...] = get_args(LeadStage)
PilotStage: TypeAlias = Literal["planned", "kickoff", "active", "review", "converted", "extended", "closed"]
PILOT_STAGES: tuple[PilotStage, ...] = get_args(PilotStage)
Priority: TypeAlias = Literal["low", "normal", "high"]
PRIORITIES: tuple[Priority, ...] = get_args(Priority)
