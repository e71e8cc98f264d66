"""Answers of the chapter Ingest and integrations."""

from datetime import date, datetime
from typing import Literal

from msgspec import UNSET, UnsetType

from engine.model.records import ApprovalRow, ConnectionRow, DeployRow, PolicyRow
from engine.model.vocabulary import ApprovalStatus, ConnectionKind, FindingOutcome
from engine.web.answers.shape import Shape, mirror_row


class AlertAnswer(Shape):
    dedupe_key: str
    outcome: str
    incident_id: str | None


class RefusedAlert(Shape):
    """An alert of a body that cannot be read, though others can."""

    place: str
    reason: str


class AlertReceipt(Shape):
    """What became of each alert, in the order in which they came; of those that cannot be read, why."""

    received: int
    taken: int
    created: int
    deduplicated: int
    reopened: int
    resolved: int
    updated: int
    ignored: int
    replayed: int
    no_open_incident: int
    out_of_order: int
    results: list[AlertAnswer]
    refused: list[RefusedAlert]


class FindingAnswer(Shape):
    finding_key: str
    id: str
    outcome: FindingOutcome
    incident_id: str | None


class FindingReceipt(Shape):
    """What became of each finding, in the order in which they came; ``checks`` of a scanner's catalogue were kept."""

    source: str
    received: int
    checks: int
    created: int
    updated: int
    reopened: int
    fixed: int
    unchanged: int
    closed_as_missing: int
    incidents_opened: int
    results: list[FindingAnswer]


@mirror_row(ConnectionRow, "id kind name status settings created_by created_at")
class ConnectionAnswer(Shape):
    settings: dict[str, object] | None
    created_by: str | None


class Arrivals(Shape):
    """What arrived and what did not, as the report on the scope has it today.

    ``arrivals`` has a row for each silent sender, sender that was not heard, dead letter, unknown service, alert
    without owner and incident without cause; ``senders`` are all of them, ``monitoring`` the services in scope.
    """

    as_of: date
    monitoring_coverage_pct: float | None
    senders_live: int
    senders_silent: int
    senders_not_heard: int
    messages_unread: int
    unknown_services_in_alerts: int
    alerts_without_owner: int
    incidents_without_cause: int
    arrivals: list[dict[str, object]]
    senders: list[dict[str, object]]
    monitoring: list[dict[str, object]]


class Connections(Shape):
    connections: list[ConnectionAnswer]
    kinds: dict[ConnectionKind, str]
    note: str
    arrivals: Arrivals


class ConnectionReceipt(Shape):
    """``result`` is ``created`` or ``changed``."""

    result: str
    connection: ConnectionAnswer
    note: str


@mirror_row(DeployRow, "id service_id version environment deployed_at actor change_ref status rolled_back_at")
class DeployAnswer(Shape):
    actor: str | None


class DeployReceipt(Shape):
    result: str
    deploy: DeployAnswer


@mirror_row(
    PolicyRow,
    """
    id policy version playbook title state body rules owner accepted_by accepted_at review_due_on workspace_id
    separation
    """,
)
class PolicyVersion(Shape):
    """A version of a playbook's policy; ``readable`` says whether its rules still follow the rule language."""

    rules: object
    separation: list[str] | None
    controls: list[str]
    readable: bool | UnsetType = UNSET


@mirror_row(ApprovalRow, "id kind subject status requested_by requested_at")
class ApprovalRequest(Shape):
    """A pending approval; ``actions`` are the values of its chat buttons."""

    actions: dict[str, str]


class Decision(Shape):
    """How an approval was decided."""

    id: str
    status: ApprovalStatus
    decided_by: str | None
    decided_at: datetime | None


class EarlierDecision(Shape):
    """What a repeated click is told; chat services show ``text`` to whoever clicked, and leave the message as it is."""

    text: str
    response_type: Literal["ephemeral"]
    replace_original: bool
    approval: Decision


class PromotionReceipt(Shape):
    policy: PolicyVersion
    approval: ApprovalRequest
