"""Answers of the chapters Marketing and leads, and Billing."""

from datetime import date, datetime
from typing import Annotated, Literal

from msgspec import Meta

from engine.model.vocabulary import BillingTier, DeliveryStatus, LeadStage, PilotStage, Priority
from engine.web.answers.shape import Shape


class EnquiryReceipt(Shape, rename={"reference_id": "referenceId"}):
    reference_id: Annotated[str, Meta(pattern="^[A-Z]{3}-[A-Z0-9]{6}$", examples=["HQE-7K2MQX"])]
    status: Literal["received"]


class LeadAnswer(Shape):
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
    stage_changed_at: datetime
    first_response_at: datetime | None


class Leads(Shape):
    leads: list[LeadAnswer]


class LeadPage(Leads):
    page: int
    per_page: int
    total: int
    pages: int


class LeadReceipt(Shape):
    lead: LeadAnswer


class PilotAnswer(Shape):
    id: str
    lead_id: str
    name: str
    stage: PilotStage
    owner: str | None
    scope: dict[str, object] | None
    discovery_at: datetime | None
    kickoff_at: datetime | None
    review_at: datetime | None
    notes: str | None
    created_at: datetime


class PilotPage(Shape):
    pilots: list[PilotAnswer]
    page: int
    per_page: int
    total: int
    pages: int


class PilotReceipt(Shape):
    pilot: PilotAnswer


class HistoryEntryAnswer(Shape):
    """One line of an append-only history; ``details`` tell each change from and to."""

    id: str
    subject_type: Literal["lead", "pilot"]
    subject_id: str
    actor: str
    action: str
    details: dict[str, object] | None
    happened_at: datetime


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
