"""Answers of the chapter Ingest and integrations."""

from datetime import date, datetime
from typing import Literal

from msgspec import UNSET, UnsetType

from engine.model.vocabulary import (
    ApprovalStatus,
    ConnectionKind,
    ConnectionStatus,
    DeployStatus,
    FindingOutcome,
    PolicyState,
)
from engine.web.answers.shape import Shape


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


class ConnectionAnswer(Shape):
    id: str
    kind: ConnectionKind
    name: str
    status: ConnectionStatus
    settings: dict[str, object] | None
    created_by: str | None
    created_at: datetime


class Connections(Shape):
    connections: list[ConnectionAnswer]
    kinds: dict[ConnectionKind, str]
    note: str


class ConnectionReceipt(Shape):
    """``result`` is ``created`` or ``changed``."""

    result: str
    connection: ConnectionAnswer
    note: str


class DeployAnswer(Shape):
    id: str
    service_id: str | None
    version: str | None
    environment: str | None
    deployed_at: datetime
    actor: str | None
    change_ref: str | None
    status: DeployStatus


class DeployReceipt(Shape):
    result: str
    deploy: DeployAnswer


class PolicyVersion(Shape):
    """A version of a playbook's policy; ``readable`` says whether its rules still follow the rule language."""

    id: str
    policy: str
    version: int
    playbook: str | None
    title: str
    state: PolicyState
    body: str | None
    rules: object
    owner: str | None
    accepted_by: str | None
    accepted_at: datetime | None
    review_due_on: date | None
    workspace_id: str | None
    controls: list[str]
    readable: bool | UnsetType = UNSET


class ApprovalRequest(Shape):
    """A pending approval; ``actions`` are the values of its chat buttons."""

    id: str
    kind: str
    subject: str
    status: ApprovalStatus
    requested_by: str
    requested_at: datetime
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
