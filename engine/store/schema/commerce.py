"""Leads and pilots (of the platform organization), orders and subscriptions."""

from __future__ import annotations

from sqlalchemy import Index

from engine.model import records
from engine.store.schema.columns import (
    TypedTable,
    choice,
    day,
    flag,
    instant,
    json,
    key,
    number,
    person,
    reference,
    tenant_table,
    text,
    whole_number,
)

leads: TypedTable[records.LeadRow] = tenant_table(
    "leads",
    "An enquiry and what became of it.",
    key("id", "identifier"),
    text("reference_id", "reference given to the sender"),
    text("name", "name", null=True),
    person("email", "e-mail address"),
    text("company", "company", null=True),
    text("message", "message", null=True),
    choice("stage", "stage", "LeadStage", default="new"),
    choice("priority", "priority", "Priority", default="normal"),
    person("owner", "who follows up", null=True),
    text("notes", "internal notes", null=True),
    text("lost_reason", "why it was lost", null=True),
    flag("spam", "judged to be spam", default=False),
    flag("consent", "consented to be contacted", default=False),
    number("value", "expected yearly value", null=True),
    day("follow_up_on", "next follow-up", null=True),
    instant("created_at", "received"),
    instant("stage_changed_at", "when the stage last changed", null=True),
    instant("first_response_at", "first answer", null=True),
    Index("ix_leads_reference", "org_id", "reference_id", unique=True),
    Index("ix_leads_received", "org_id", "created_at"),
    Index("ix_leads_email", "org_id", "email"),
    importable=False,
    replicated=False,
)

pilots: TypedTable[records.PilotRow] = tenant_table(
    "pilots",
    "A pilot project that came from a lead.",
    key("id", "identifier"),
    reference("lead_id", "lead", "leads"),
    text("name", "name"),
    choice("stage", "stage", "PilotStage", default="planned"),
    person("owner", "who runs it", null=True),
    json("scope", "scope and success criteria", holds="dict[str, Json]"),
    instant("discovery_at", "discovery call", null=True),
    instant("kickoff_at", "kickoff", null=True),
    instant("review_at", "review", null=True),
    text("notes", "internal notes", null=True),
    instant("created_at", "created"),
    Index("ix_pilots_lead", "org_id", "lead_id", unique=True),
    importable=False,
    replicated=False,
)

activities: TypedTable[records.ActivityRow] = tenant_table(
    "activities",
    "History of a lead or pilot, only ever appended to.",
    key("id", "identifier"),
    choice("subject_type", "what it is about", "SalesSubject"),
    text("subject_id", "identifier of it"),
    person("actor", "who"),
    text("action", "what"),
    json("details", "from and to", holds="dict[str, Json]"),
    instant("happened_at", "when"),
    Index("ix_activities_subject", "org_id", "subject_id"),
    importable=False,
    replicated=False,
)

orders: TypedTable[records.OrderRow] = tenant_table(
    "orders",
    "A checkout that was begun with a payment provider.",
    key("id", "identifier"),
    choice("tier", "what is bought", "BillingTier"),
    choice("provider", "payment provider", "PaymentProvider"),
    text("provider_ref", "the provider's identifier", null=True),
    choice("status", "state", "OrderStatus", default="created"),
    whole_number("amount_cents", "amount in cents", null=True, low=0),
    text("currency", "currency", null=True),
    person("created_by", "who"),
    instant("created_at", "when"),
    Index("ix_orders_provider", "provider", "provider_ref", unique=True),
    importable=False,
    replicated=False,
)

subscriptions: TypedTable[records.SubscriptionRow] = tenant_table(
    "subscriptions",
    "A paid plan that runs at a payment provider.",
    key("id", "identifier"),
    choice("provider", "payment provider", "PaymentProvider"),
    text("provider_ref", "the provider's identifier"),
    choice("tier", "plan", "PaidPlan"),
    choice("status", "state", "SubscriptionStatus"),
    instant("event_at", "the provider's time of the last event applied"),
    instant("renews_at", "next renewal", null=True),
    instant("cancelled_at", "when it was cancelled", null=True),
    Index("ix_subscriptions_provider", "provider", "provider_ref", unique=True),
    importable=False,
    replicated=False,
)
