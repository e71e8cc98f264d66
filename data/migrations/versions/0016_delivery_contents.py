"""Rendered bodies of deliveries, where an organization's chat and webhook deliveries go, and indexes of queue and runs."""

import sqlalchemy as sa
from alembic import op

from engine.store.types import Instant, Json

revision = "0016"
down_revision = "0015"

STAMP = "sequence number of the audit event that opened the last change"


def upgrade() -> None:
    op.create_table(
        "delivery_contents",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("delivery_id", sa.String(length=200), nullable=False, comment="delivery"),
        sa.Column("subject", sa.Text(), nullable=False, comment="subject line"),
        sa.Column("body_text", sa.Text(), nullable=False, comment="plain text"),
        sa.Column("body_html", sa.Text(), nullable=True, comment="HTML of the mail"),
        sa.Column("blocks", Json(), nullable=True, comment="blocks of the chat message"),
        sa.Column("revision", sa.BigInteger(), nullable=False, comment=STAMP),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_delivery_contents_org_id")),
        sa.PrimaryKeyConstraint("org_id", "delivery_id", name=op.f("pk_delivery_contents")),
        comment="What a delivery says to people; pruned some time after it was sent.",
        info={"primary": ("delivery_id",), "natural": (), "importable": False, "replicated": False, "due": None},
        sqlite_with_rowid=True,
    )
    op.create_index(
        op.f("ix_delivery_contents_org_id_revision"), "delivery_contents", ["org_id", "revision"], unique=False
    )
    op.create_table(
        "delivery_endpoints",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("channel", sa.String(length=60), nullable=False, comment="channel"),
        sa.Column("address", sa.Text(), nullable=False, comment="chat channel, or URL of the webhook"),
        sa.Column("secrets", Json(), nullable=True, comment="secrets that webhooks are signed with, newest first"),
        sa.Column("created_at", Instant(), nullable=False, comment="when it was set"),
        sa.Column("disabled_at", Instant(), nullable=True, comment="when the other side said that it is gone"),
        sa.Column("revision", sa.BigInteger(), nullable=False, comment=STAMP),
        sa.CheckConstraint("channel IN ('chat', 'webhook')", name=op.f("ck_delivery_endpoints_channel")),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_delivery_endpoints_org_id")),
        sa.PrimaryKeyConstraint("org_id", "channel", name=op.f("pk_delivery_endpoints")),
        comment="Where an organization's chat messages and webhooks go.",
        info={"primary": ("channel",), "natural": (), "importable": False, "replicated": False, "due": None},
        sqlite_with_rowid=True,
    )
    op.create_index(
        op.f("ix_delivery_endpoints_org_id_revision"), "delivery_endpoints", ["org_id", "revision"], unique=False
    )
    op.create_index("ix_deliveries_due", "deliveries", ["status", "next_attempt_at"], unique=False)
    op.create_index("ix_job_runs_last", "job_runs", ["job", "started_at"], unique=False)


def downgrade() -> None:
    op.drop_index("ix_job_runs_last", table_name="job_runs")
    op.drop_index("ix_deliveries_due", table_name="deliveries")
    op.drop_table("delivery_endpoints")
    op.drop_table("delivery_contents")
