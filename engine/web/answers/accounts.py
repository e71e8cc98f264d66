"""Answers of the chapter User-scoped, and those about assessor tokens. A secret is shown once, when it is made."""

from datetime import date, datetime
from typing import Literal

from engine.model.vocabulary import IncidentStatus, Role, Severity
from engine.web.answers.shape import Shape


class ApiKeyMetadata(Shape):
    id: str
    label: str
    prefix: str
    last_four: str
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None


class ApiKeySecret(ApiKeyMetadata):
    secret: str


class ApiKeys(Shape):
    api_keys: list[ApiKeyMetadata]


class IngestTokenMetadata(ApiKeyMetadata):
    workspace_id: str | None
    owner: str


class IngestTokenSecret(IngestTokenMetadata):
    secret: str


class IngestTokens(Shape):
    alert_ingest_tokens: list[IngestTokenMetadata]


class AssessorTokenMetadata(ApiKeyMetadata):
    """``allowed`` are the exports that the token opens, ``uses`` how often it was used."""

    engagement: str | None
    allowed: list[str]
    created_by: str
    uses: int


class AssessorTokenSecret(AssessorTokenMetadata):
    secret: str


class AssessorCall(Shape):
    accessed_at: datetime
    token_id: str | None
    label: str | None
    resource: str
    format: str
    status: int
    address: str | None


class AssessorCalls(Shape):
    window: str
    calls: int
    shown: int
    newest: list[AssessorCall]


class AssessorTokens(Shape):
    assessor_tokens: list[AssessorTokenMetadata]
    exports: list[str]
    access_log: AssessorCalls


class NotificationPreferences(Shape):
    preferences: dict[str, bool]


class OwnProfile(Shape):
    email: str
    name: str | None
    title: str | None
    active: bool | None
    deletion_requested_at: datetime | None


class OwnMembership(Shape):
    organization: str
    role: Role
    status: str
    workspace_id: str | None
    since_on: date | None
    display_name: str | None


class OwnIncident(Shape):
    id: str
    title: str
    severity: Severity
    status: IncidentStatus
    service_id: str | None
    source: str | None
    owner: str | None
    opened_at: datetime
    acknowledged_at: datetime | None
    mitigated_at: datetime | None
    resolved_at: datetime | None
    closed_at: datetime | None
    summary: str | None
    root_cause: str | None


class PersonalExport(Shape):
    profile: OwnProfile
    memberships: list[OwnMembership]
    notification_preferences: dict[str, bool]
    api_keys: list[ApiKeyMetadata]
    alert_ingest_tokens: list[IngestTokenMetadata]
    incidents: list[OwnIncident]
    audit_events: int


class DeletionReceipt(Shape):
    status: Literal["awaiting_review"]
    deletion_requested_at: datetime
