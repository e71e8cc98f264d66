"""Credentials, conversations, leads, pilots and billing."""

import sqlalchemy as sa
from alembic import op

from engine.store.types import Instant, Json

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    op.create_table(
        "credentials",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("id", sa.String(length=200), nullable=False, comment="identifier"),
        sa.Column("kind", sa.String(length=60), nullable=False, comment="what it opens"),
        sa.Column("label", sa.Text(), nullable=False, comment="label"),
        sa.Column("owner", sa.Text(), nullable=False, comment="e-mail address of who made it"),
        sa.Column("workspace_id", sa.Text(), nullable=True, comment="workspace of an ingest token"),
        sa.Column("engagement", sa.Text(), nullable=True, comment="engagement of an assessor token"),
        sa.Column("allowed", Json(), nullable=True, comment="exports that an assessor token opens"),
        sa.Column("prefix", sa.Text(), nullable=False, comment="prefix"),
        sa.Column("last_four", sa.Text(), nullable=False, comment="last four characters"),
        sa.Column("secret_sha256", sa.String(length=200), nullable=False, comment="SHA-256 of the secret"),
        sa.Column("created_at", Instant(), nullable=False, comment="when"),
        sa.Column("expires_at", Instant(), nullable=True, comment="until when"),
        sa.Column("revoked_at", Instant(), nullable=True, comment="when it was revoked"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.CheckConstraint("kind IN ('api_key', 'ingest', 'assessor')", name=op.f("ck_credentials_kind")),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_credentials_org_id")),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_credentials")),
        comment="A key or token: only its hash is kept.",
        info={"primary": ("id",), "natural": (), "importable": False, "replicated": False, "due": None},
        sqlite_with_rowid=True,
    )
    op.create_index(op.f("ix_credentials_org_id_revision"), "credentials", ["org_id", "revision"], unique=False)
    op.create_index("ix_credentials_secret", "credentials", ["secret_sha256"], unique=True)
    op.create_table(
        "credential_uses",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization"),
        sa.Column("credential_id", sa.String(length=200), nullable=False, comment="credential"),
        sa.Column("last_used_at", Instant(), nullable=False, comment="last use"),
        sa.Column("uses", sa.BigInteger(), nullable=False, comment="number of uses"),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_credential_uses_org_id")),
        sa.PrimaryKeyConstraint("org_id", "credential_id", name=op.f("pk_credential_uses")),
        comment="Last use of each credential. Does not move the revision.",
        info={"importable": False, "replicated": False},
    )
    op.create_table(
        "seen_events",
        sa.Column("source", sa.String(length=60), nullable=False, comment="provider"),
        sa.Column(
            "event_id", sa.String(length=200), nullable=False, comment="the provider's identifier or a hash of the body"
        ),
        sa.Column("seen_at", Instant(), nullable=False, comment="when it was first seen"),
        sa.UniqueConstraint("source", "event_id", name=op.f("uq_seen_events_source_event_id")),
        comment="Inbound events that were applied, so that a repeat changes nothing.",
        info={"importable": False, "replicated": False},
    )
    op.create_table(
        "copilot_threads",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("id", sa.String(length=200), nullable=False, comment="identifier"),
        sa.Column("email", sa.Text(), nullable=False, comment="whose"),
        sa.Column("title", sa.Text(), nullable=False, comment="title"),
        sa.Column("created_at", Instant(), nullable=False, comment="when"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_copilot_threads_org_id")),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_copilot_threads")),
        comment="A conversation with the copilot.",
        info={"primary": ("id",), "natural": (), "importable": False, "replicated": False, "due": None},
        sqlite_with_rowid=True,
    )
    op.create_index(op.f("ix_copilot_threads_org_id_revision"), "copilot_threads", ["org_id", "revision"], unique=False)
    op.create_table(
        "copilot_messages",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("id", sa.String(length=200), nullable=False, comment="identifier"),
        sa.Column("thread_id", sa.String(length=200), nullable=False, comment="conversation"),
        sa.Column("role", sa.String(length=60), nullable=False, comment="who speaks"),
        sa.Column("body", sa.Text(), nullable=False, comment="text"),
        sa.Column("citations", Json(), nullable=True, comment="sources"),
        sa.Column("created_at", Instant(), nullable=False, comment="when"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.CheckConstraint("role IN ('user', 'assistant')", name=op.f("ck_copilot_messages_role")),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_copilot_messages_org_id")),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_copilot_messages")),
        comment="A message of a conversation.",
        info={"primary": ("id",), "natural": (), "importable": False, "replicated": False, "due": None},
        sqlite_with_rowid=True,
    )
    op.create_index(
        op.f("ix_copilot_messages_org_id_revision"), "copilot_messages", ["org_id", "revision"], unique=False
    )
    op.create_table(
        "leads",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("id", sa.String(length=200), nullable=False, comment="identifier"),
        sa.Column("reference_id", sa.Text(), nullable=False, comment="reference given to the sender"),
        sa.Column("name", sa.Text(), nullable=True, comment="name"),
        sa.Column("email", sa.Text(), nullable=False, comment="e-mail address"),
        sa.Column("company", sa.Text(), nullable=True, comment="company"),
        sa.Column("message", sa.Text(), nullable=True, comment="message"),
        sa.Column("stage", sa.String(length=60), nullable=False, comment="stage"),
        sa.Column("priority", sa.String(length=60), nullable=False, comment="priority"),
        sa.Column("owner", sa.Text(), nullable=True, comment="who follows up"),
        sa.Column("notes", sa.Text(), nullable=True, comment="internal notes"),
        sa.Column("lost_reason", sa.Text(), nullable=True, comment="why it was lost"),
        sa.Column("spam", sa.Boolean(), nullable=False, comment="judged to be spam"),
        sa.Column("consent", sa.Boolean(), nullable=False, comment="consented to be contacted"),
        sa.Column("value", sa.Float(), nullable=True, comment="expected yearly value"),
        sa.Column("follow_up_on", sa.Date(), nullable=True, comment="next follow-up"),
        sa.Column("created_at", Instant(), nullable=False, comment="received"),
        sa.Column("stage_changed_at", Instant(), nullable=True, comment="when the stage last changed"),
        sa.Column("first_response_at", Instant(), nullable=True, comment="first answer"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.CheckConstraint("priority IN ('low', 'normal', 'high')", name=op.f("ck_leads_priority")),
        sa.CheckConstraint(
            "stage IN ('new', 'contacted', 'qualified', 'discovery', 'proposal', 'won', 'lost', 'nurture')",
            name=op.f("ck_leads_stage"),
        ),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_leads_org_id")),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_leads")),
        comment="An enquiry and what became of it.",
        info={"primary": ("id",), "natural": (), "importable": False, "replicated": False, "due": None},
        sqlite_with_rowid=True,
    )
    op.create_index(op.f("ix_leads_org_id_revision"), "leads", ["org_id", "revision"], unique=False)
    op.create_table(
        "pilots",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("id", sa.String(length=200), nullable=False, comment="identifier"),
        sa.Column("lead_id", sa.String(length=200), nullable=False, comment="lead"),
        sa.Column("name", sa.Text(), nullable=False, comment="name"),
        sa.Column("stage", sa.String(length=60), nullable=False, comment="stage"),
        sa.Column("owner", sa.Text(), nullable=True, comment="who runs it"),
        sa.Column("scope", Json(), nullable=True, comment="scope and success criteria"),
        sa.Column("discovery_at", Instant(), nullable=True, comment="discovery call"),
        sa.Column("kickoff_at", Instant(), nullable=True, comment="kickoff"),
        sa.Column("review_at", Instant(), nullable=True, comment="review"),
        sa.Column("notes", sa.Text(), nullable=True, comment="internal notes"),
        sa.Column("created_at", Instant(), nullable=False, comment="created"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.CheckConstraint(
            "stage IN ('planned', 'kickoff', 'active', 'review', 'converted', 'extended', 'closed')",
            name=op.f("ck_pilots_stage"),
        ),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_pilots_org_id")),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_pilots")),
        comment="A pilot project that came from a lead.",
        info={"primary": ("id",), "natural": (), "importable": False, "replicated": False, "due": None},
        sqlite_with_rowid=True,
    )
    op.create_index(op.f("ix_pilots_org_id_revision"), "pilots", ["org_id", "revision"], unique=False)
    op.create_table(
        "activities",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("id", sa.String(length=200), nullable=False, comment="identifier"),
        sa.Column("subject_type", sa.String(length=60), nullable=False, comment="what it is about"),
        sa.Column("subject_id", sa.Text(), nullable=False, comment="identifier of it"),
        sa.Column("actor", sa.Text(), nullable=False, comment="who"),
        sa.Column("action", sa.Text(), nullable=False, comment="what"),
        sa.Column("details", Json(), nullable=True, comment="from and to"),
        sa.Column("happened_at", Instant(), nullable=False, comment="when"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.CheckConstraint("subject_type IN ('lead', 'pilot')", name=op.f("ck_activities_subject_type")),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_activities_org_id")),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_activities")),
        comment="History of a lead or pilot, only ever appended to.",
        info={"primary": ("id",), "natural": (), "importable": False, "replicated": False, "due": None},
        sqlite_with_rowid=True,
    )
    op.create_index(op.f("ix_activities_org_id_revision"), "activities", ["org_id", "revision"], unique=False)
    op.create_table(
        "orders",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("id", sa.String(length=200), nullable=False, comment="identifier"),
        sa.Column("tier", sa.String(length=60), nullable=False, comment="what is bought"),
        sa.Column("provider", sa.String(length=60), nullable=False, comment="payment provider"),
        sa.Column("provider_ref", sa.Text(), nullable=True, comment="the provider's identifier"),
        sa.Column("status", sa.String(length=60), nullable=False, comment="state"),
        sa.Column("amount_cents", sa.BigInteger(), nullable=True, comment="amount in cents"),
        sa.Column("currency", sa.Text(), nullable=True, comment="currency"),
        sa.Column("created_by", sa.Text(), nullable=False, comment="who"),
        sa.Column("created_at", Instant(), nullable=False, comment="when"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.CheckConstraint("provider IN ('paypal', 'lemonsqueezy')", name=op.f("ck_orders_provider")),
        sa.CheckConstraint("status IN ('created', 'approved', 'completed', 'failed')", name=op.f("ck_orders_status")),
        sa.CheckConstraint("tier IN ('pro', 'team', 'top_up')", name=op.f("ck_orders_tier")),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_orders_org_id")),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_orders")),
        comment="A checkout that was begun with a payment provider.",
        info={"primary": ("id",), "natural": (), "importable": False, "replicated": False, "due": None},
        sqlite_with_rowid=True,
    )
    op.create_index(op.f("ix_orders_org_id_revision"), "orders", ["org_id", "revision"], unique=False)
    op.create_table(
        "subscriptions",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("id", sa.String(length=200), nullable=False, comment="identifier"),
        sa.Column("provider", sa.String(length=60), nullable=False, comment="payment provider"),
        sa.Column("provider_ref", sa.Text(), nullable=False, comment="the provider's identifier"),
        sa.Column("tier", sa.String(length=60), nullable=False, comment="plan"),
        sa.Column("status", sa.String(length=60), nullable=False, comment="state"),
        sa.Column("event_at", Instant(), nullable=False, comment="the provider's time of the last event applied"),
        sa.Column("renews_at", Instant(), nullable=True, comment="next renewal"),
        sa.Column("cancelled_at", Instant(), nullable=True, comment="when it was cancelled"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.CheckConstraint("provider IN ('paypal', 'lemonsqueezy')", name=op.f("ck_subscriptions_provider")),
        sa.CheckConstraint(
            "status IN ('active', 'past_due', 'paused', 'cancelled', 'expired')", name=op.f("ck_subscriptions_status")
        ),
        sa.CheckConstraint("tier IN ('pro', 'team')", name=op.f("ck_subscriptions_tier")),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_subscriptions_org_id")),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_subscriptions")),
        comment="A paid plan that runs at a payment provider.",
        info={"primary": ("id",), "natural": (), "importable": False, "replicated": False, "due": None},
        sqlite_with_rowid=True,
    )
    op.create_index(op.f("ix_subscriptions_org_id_revision"), "subscriptions", ["org_id", "revision"], unique=False)


def downgrade() -> None:
    op.drop_table("subscriptions")
    op.drop_table("orders")
    op.drop_table("activities")
    op.drop_table("pilots")
    op.drop_table("leads")
    op.drop_table("copilot_messages")
    op.drop_table("copilot_threads")
    op.drop_table("seen_events")
    op.drop_table("credential_uses")
    op.drop_table("credentials")
