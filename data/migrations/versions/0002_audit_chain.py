"""The audit chain, its heads and cuts, and the access log."""

import sqlalchemy as sa
from alembic import op

from engine.store.types import Instant, Json

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_table(
        "heads",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization"),
        sa.Column("seq", sa.BigInteger(), nullable=False, comment="sequence number of the last audit event"),
        sa.Column("hash", sa.String(length=64), nullable=False, comment="hash of the last audit event"),
        sa.Column("moved_at", Instant(), nullable=False, comment="when the head last moved"),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_heads_org_id")),
        sa.PrimaryKeyConstraint("org_id", name=op.f("pk_heads")),
        comment="The head of each organization's audit chain: locked by every write.",
        info={"importable": False, "replicated": False},
    )
    op.create_table(
        "audit_log",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization"),
        sa.Column("seq", sa.BigInteger(), nullable=False, comment="position in the chain, from 1, without gaps"),
        sa.Column(
            "event_id",
            sa.String(length=200),
            nullable=False,
            comment="identifier of the event, unique in the organization",
        ),
        sa.Column(
            "revision", sa.BigInteger(), nullable=False, comment="sequence number of the event that opened this write"
        ),
        sa.Column("occurred_at", Instant(), nullable=False, comment="when it happened, by the source's clock"),
        sa.Column("recorded_at", Instant(), nullable=False, comment="when it was recorded here"),
        sa.Column("actor", sa.Text(), nullable=False, comment="e-mail address or system that acted"),
        sa.Column(
            "action",
            sa.Text(),
            nullable=False,
            comment="what was done, in dotted words such as access.review.completed",
        ),
        sa.Column("object_type", sa.Text(), nullable=True, comment="kind of the thing acted on"),
        sa.Column("object_id", sa.Text(), nullable=True, comment="identifier of the thing acted on"),
        sa.Column("outcome", sa.String(length=60), nullable=False, comment="how it ended"),
        sa.Column("workspace_id", sa.Text(), nullable=True, comment="workspace, where one is concerned"),
        sa.Column(
            "controls",
            sa.Text(),
            nullable=True,
            comment="controls that the source itself names, as framework:control joined by '; '",
        ),
        sa.Column("details", Json(), nullable=True, comment="further facts"),
        sa.Column("hash", sa.String(length=64), nullable=False, comment="SHA-256 over the previous hash and this row"),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_audit_log_org_id")),
        sa.PrimaryKeyConstraint("org_id", "seq", name=op.f("pk_audit_log")),
        sa.UniqueConstraint("org_id", "event_id", name=op.f("uq_audit_log_org_id_event_id")),
        comment="Everything that was done, as a hash chain for each organization. Appended to, never changed.",
        info={"primary": ("event_id",), "natural": (), "importable": True, "replicated": True},
        sqlite_with_rowid=False,
    )
    op.create_table(
        "chain_cuts",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("seq", sa.BigInteger(), nullable=False, comment="last sequence number that was removed"),
        sa.Column("hash", sa.String(length=200), nullable=False, comment="hash of that event"),
        sa.Column("cut_at", Instant(), nullable=False, comment="when it was cut"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_chain_cuts_org_id")),
        sa.PrimaryKeyConstraint("org_id", "seq", name=op.f("pk_chain_cuts")),
        comment="Where retention cut an organization's chain: verification starts from the recorded hash.",
        info={"primary": ("seq",), "natural": (), "importable": False, "replicated": True, "due": None},
        sqlite_with_rowid=True,
    )
    op.create_index(op.f("ix_chain_cuts_org_id_revision"), "chain_cuts", ["org_id", "revision"], unique=False)
    op.create_table(
        "access_log",
        sa.Column("id", sa.String(length=200), nullable=False, comment="identifier"),
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization"),
        sa.Column("accessed_at", Instant(), nullable=False, comment="when"),
        sa.Column("actor", sa.Text(), nullable=False, comment="who: e-mail address or the label of a token"),
        sa.Column("resource", sa.Text(), nullable=False, comment="route that was read"),
        sa.Column("format", sa.Text(), nullable=True, comment="format asked for"),
        sa.Column("status", sa.BigInteger(), nullable=False, comment="HTTP status of the answer"),
        sa.Column("credential_id", sa.Text(), nullable=True, comment="token that was used"),
        sa.Column("address", sa.Text(), nullable=True, comment="client address"),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_access_log_org_id")),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_access_log")),
        comment="Exports and downloads, refused ones too. Does not move the revision: reading must not invalidate.",
        info={"importable": False, "replicated": False},
    )
    op.create_index(op.f("ix_access_log_org_id_accessed_at"), "access_log", ["org_id", "accessed_at"], unique=False)


def downgrade() -> None:
    op.drop_table("access_log")
    op.drop_table("chain_cuts")
    op.drop_table("audit_log")
    op.drop_table("heads")
