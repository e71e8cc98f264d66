"""Answers of the chapters Marketing and leads, and Billing."""

from datetime import date, datetime
from typing import Annotated, Literal

from msgspec import Meta

from engine.model.records import ActivityRow, LeadRow, PilotRow
from engine.model.vocabulary import BillingTier, DeliveryStatus, LeadStage, PilotStage
from engine.web.answers.shape import Shape, mirror_row


class EnquiryReceipt(Shape, rename={"reference_id": "referenceId"}):
    reference_id: Annotated[str, Meta(pattern="^[A-Z]{3}-[A-Z0-9]{6}$", examples=["HQE-7K2MQX"])]
    status: Literal["received"]


@mirror_row(
    LeadRow,
    """
    id reference_id name email company message stage priority owner notes lost_reason spam consent value
    follow_up_on created_at stage_changed_at first_response_at
    """,
)
class LeadAnswer(Shape):
    stage_changed_at: datetime


class Leads(Shape):
    leads: list[LeadAnswer]


class LeadPage(Leads):
    page: int
    per_page: int
    total: int
    pages: int


class LeadReceipt(Shape):
    lead: LeadAnswer


@mirror_row(PilotRow, "id lead_id name stage owner scope discovery_at kickoff_at review_at notes created_at")
class PilotAnswer(Shape):
    scope: dict[str, object] | None


class PilotPage(Shape):
    pilots: list[PilotAnswer]
    page: int
    per_page: int
    total: int
    pages: int


class PilotReceipt(Shape):
    pilot: PilotAnswer


@mirror_row(ActivityRow, "id subject_type subject_id actor action details happened_at")
class HistoryEntryAnswer(Shape):
    """One line of an append-only history; ``details`` tell each change from and to."""

    details: dict[str, object] | None


class StageExit(Shape):
    """What a lead needs to leave its stage, and where it may go."""

    criterion: str | None
    met: bool
    missing: list[str]
    next: list[LeadStage]


class LeadDetail(Shape):
    lead: LeadAnswer
    exit: StageExit
    pilot: PilotAnswer | None
    history: list[HistoryEntryAnswer]
    email_templates: dict[str, str]


class PilotDetail(Shape):
    pilot: PilotAnswer
    next: list[PilotStage]
    lead: LeadAnswer
    history: list[HistoryEntryAnswer]


class QueuedLetter(Shape):
    id: str
    status: DeliveryStatus
    result: str


class LetterReceipt(Shape):
    """Prepared, or queued where it was to be sent and a mail server is configured; ``reason`` says why not."""

    status: Literal["prepared", "queued"]
    template: str
    to: str
    subject: str
    body: str
    delivery: QueuedLetter | None
    reason: str


class ProposalCustomer(Shape):
    company: str | None
    name: str | None


class ProposalFrameworkAnswer(Shape):
    id: str
    title: str


class ProposalStepAnswer(Shape):
    step: str
    title: str
    about: str
    on: date | None
    at: datetime | None
    minutes: int | None


class ProposalLine(Shape):
    title: str
    per: str
    quantity: int
    unit_cents: int
    cents: int


class ProposalPrice(Shape):
    table_version: str
    currency: str
    lines: list[ProposalLine]
    total_cents: int
    tax_note: str
    payment_note: str


class PilotProposal(Shape):
    """The same for the same inputs; a draft names what is missing."""

    number: str
    inputs_sha256: str
    status: Literal["draft", "final"]
    template_version: int
    title: str
    as_of: date
    valid_until: date
    provider: str
    contact: str | None
    reference_id: str
    customer: ProposalCustomer
    goal: str
    frameworks: list[ProposalFrameworkAnswer]
    weeks: int
    included: list[str]
    excluded: list[str]
    success_criteria: list[str]
    timeline: list[ProposalStepAnswer]
    price: ProposalPrice
    assumptions: list[str]
    missing: list[str]


class CheckoutReceipt(Shape, rename={"order_id": "orderId", "approval_url": "approvalUrl"}):
    order_id: str
    tier: BillingTier
    approval_url: str


class WebhookOutcome(Shape):
    outcome: Literal["applied", "ignored", "repeated"]
