"""Answers of the chapter User-scoped, and those about assessor tokens. A secret is shown once, when it is made."""

from datetime import datetime
from typing import Literal

from engine.model.records import AccessLogRow, CredentialRow, IncidentRow, MembershipRow, UserRow
from engine.web.answers.shape import Shape, mirror_row


@mirror_row(CredentialRow, "id label prefix last_four created_at expires_at revoked_at")
class ApiKeyMetadata(Shape):
    last_used_at: datetime | None


class ApiKeySecret(ApiKeyMetadata):
    secret: str


class ApiKeys(Shape):
    api_keys: list[ApiKeyMetadata]


class IngestTokenMetadata(ApiKeyMetadata):
    """``basic_auth``: whether the token may come as the password of ``Authorization: Basic``."""

    workspace_id: str | None
    owner: str
    basic_auth: bool


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


@mirror_row(AccessLogRow, "accessed_at token_id label resource format status address")
class AssessorCall(Shape):
    token_id: str | None
    label: str | None
    format: str


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


@mirror_row(UserRow, "email name title active deletion_requested_at")
class OwnProfile(Shape):
    active: bool | None


@mirror_row(MembershipRow, "organization role status workspace_id since_on display_name")
class OwnMembership(Shape):
    organization: str
    status: str


@mirror_row(
    IncidentRow,
    """
    id title severity status service_id source owner opened_at acknowledged_at mitigated_at resolved_at closed_at
    summary root_cause
    """,
)
class OwnIncident(Shape):
    pass


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
