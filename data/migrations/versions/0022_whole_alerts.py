"""Alerts whole, the order of their senders, and what came as it came."""

import sqlalchemy as sa
from alembic import op

from engine.store.types import Instant, Json

revision = "0022"
down_revision = "0021"

ADDED = (
    ("host", sa.Text(), "host or instance that the alert names"),
    ("labels", Json(), "the alert's labels by name"),
    ("annotations", Json(), "the alert's texts for people by name"),
    ("runbook_url", sa.Text(), "runbook that the alert names"),
    ("links", Json(), "addresses in the monitor by what they lead to, such as source, panel, silence"),
    ("value", sa.Text(), "what was measured, in the monitor's words"),
    ("image_url", sa.Text(), "graph of it"),
    ("sender_at", Instant(), "the sender's own time of the last alert or recovery applied"),
)


def upgrade() -> None:
    for name, kind, comment in ADDED:
        op.add_column("incidents", sa.Column(name, kind, nullable=True, comment=comment))
    op.add_column(
        "incident_timeline",
        sa.Column("payload_id", sa.Text(), nullable=True, comment="what came from the monitor, as it is kept"),
    )
    op.create_table(
        "ingest_payloads",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization"),
        sa.Column("id", sa.String(length=200), nullable=False, comment="identifier"),
        sa.Column("route", sa.String(length=60), nullable=False, comment="door that it came to"),
        sa.Column(
            "state",
            sa.String(length=60),
            nullable=False,
            comment="what became of it; partial and unread are dead letters",
        ),
        sa.Column("received_at", Instant(), nullable=False, comment="when it came first"),
        sa.Column("actor", sa.Text(), nullable=False, comment="token that it came with"),
        sa.Column("workspace_id", sa.Text(), nullable=True, comment="workspace of that token"),
        sa.Column("content_type", sa.Text(), nullable=True, comment="its type as the sender named it"),
        sa.Column("vendor", sa.Text(), nullable=True, comment="whose findings these are, as the sender named it"),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False, comment="its size as it came"),
        sa.Column("sha256", sa.String(length=64), nullable=False, comment="hash of what came"),
        sa.Column("body", sa.LargeBinary(), nullable=False, comment="what came, secrets replaced, compressed (zlib)"),
        sa.Column(
            "records", sa.BigInteger(), nullable=False, comment="alerts or findings in it; 0 where it could not be read"
        ),
        sa.Column("applied", sa.BigInteger(), nullable=False, comment="how many of them are applied"),
        sa.Column("times", sa.BigInteger(), nullable=False, comment="how often it came while it could not be read"),
        sa.Column("reason", sa.Text(), nullable=True, comment="why it could not be read"),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_ingest_payloads_org_id")),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_ingest_payloads")),
        comment="What monitors and scanners sent, kept for a time. Does not move the revision.",
    )
    op.create_index(
        op.f("ix_ingest_payloads_org_id_state_received_at"), "ingest_payloads", ["org_id", "state", "received_at"]
    )
    op.create_index(op.f("ix_ingest_payloads_org_id_sha256"), "ingest_payloads", ["org_id", "sha256"])
    op.create_table(
        "early_events",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("dedupe_key", sa.String(length=200), nullable=False, comment="key of the alert"),
        sa.Column(
            "recovered_at",
            Instant(),
            nullable=True,
            comment="the sender's time of a recovery that came before its alert",
        ),
        sa.Column(
            "acknowledged_at",
            Instant(),
            nullable=True,
            comment="the sender's time of an acknowledgement that came before its alert",
        ),
        sa.Column("seen_at", Instant(), nullable=False, comment="when the last of them came"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_early_events_org_id")),
        sa.PrimaryKeyConstraint("org_id", "dedupe_key", name=op.f("pk_early_events")),
        comment="What was heard of an alert before the alert itself.",
    )
    op.create_index(op.f("ix_early_events_org_id_revision"), "early_events", ["org_id", "revision"])


def downgrade() -> None:
    op.drop_table("early_events")
    op.drop_table("ingest_payloads")
    op.drop_column("incident_timeline", "payload_id")
    for name, _, _ in reversed(ADDED):
        op.drop_column("incidents", name)
