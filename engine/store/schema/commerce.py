"""Leads and pilots (of the platform organization), orders and subscriptions."""

from sqlalchemy import Index

from engine.store.schema.columns import (
    choice,
    day,
    flag,
    instant,
    json,
    key,
    number,
    reference,
    tenant_table,
    text,
    whole,
)

LEAD_STAGES = ("new", "contacted", "qualified", "discovery", "proposal", "won", "lost", "nurture")
PILOT_STAGES = ("planned", "kickoff", "active", "review", "converted", "extended", "closed")

leads = tenant_table(
    "leads",
    "An enquiry and what became of it.",
    key("id", "identifier"),
    text("reference_id", "reference given to the sender"),
    text("name", "name", null=True),
    text("email", "e-mail address"),
    text("company", "company", null=True),
    text("message", "message", null=True),
    choice("stage", "stage", *LEAD_STAGES, default="new"),
    choice("priority", "priority", "low", "normal", "high", default="normal"),
    text("owner", "who follows up", null=True),
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

pilots = tenant_table(
    "pilots",
    "A pilot project that came from a lead.",
    key("id", "identifier"),
    reference("lead_id", "lead", "leads"),
    text("name", "name"),
    choice("stage", "stage", *PILOT_STAGES, default="planned"),
    text("owner", "who runs it", null=True),
    json("scope", "scope and success criteria"),
    instant("discovery_at", "discovery call", null=True),
    instant("kickoff_at", "kickoff", null=True),
    instant("review_at", "review", null=True),
    text("notes", "internal notes", null=True),
    instant("created_at", "created"),
    Index("ix_pilots_lead", "org_id", "lead_id", unique=True),
    importable=False,
    replicated=False,
)

activities = tenant_table(
    "activities",
    "History of a lead or pilot, only ever appended to.",
    key("id", "identifier"),
    choice("subject_type", "what it is about", "lead", "pilot"),
    text("subject_id", "identifier of it"),
    text("actor", "who"),
    text("action", "what"),
    json("details", "from and to"),
    instant("happened_at", "when"),
    Index("ix_activities_subject", "org_id", "subject_id"),
    importable=False,
    replicated=False,
)

orders = tenant_table(
    "orders",
    "A checkout that was begun with a payment provider.",
    key("id", "identifier"),
    choice("tier", "what is bought", "pro", "team", "top_up"),
    choice("provider", "payment provider", "paypal", "lemonsqueezy"),
    text("provider_ref", "the provider's identifier", null=True),
    choice("status", "state", "created", "approved", "completed", "failed", "refunded", default="created"),
    whole("amount_cents", "amount in cents", null=True, low=0),
    text("currency", "currency", null=True),
    text("created_by", "who"),
    instant("created_at", "when"),
    Index("ix_orders_provider", "provider", "provider_ref", unique=True),
    importable=False,
    replicated=False,
)

subscriptions = tenant_table(
    "subscriptions",
    "A paid plan that runs at a payment provider.",
    key("id", "identifier"),
    choice("provider", "payment provider", "paypal", "lemonsqueezy"),
    text("provider_ref", "the provider's identifier"),
    choice("tier", "plan", "pro", "team"),
    choice("status", "state", "active", "past_due", "paused", "cancelled", "expired"),
    instant("event_at", "the provider's time of the last event applied"),
    instant("renews_at", "next renewal", null=True),
    instant("cancelled_at", "when it was cancelled", null=True),
    Index("ix_subscriptions_provider", "provider", "provider_ref", unique=True),
    importable=False,
    replicated=False,
)
