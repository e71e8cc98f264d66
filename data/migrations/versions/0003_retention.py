"""Legal holds and retention."""

import sqlalchemy as sa
from alembic import op

from engine.store.types import Instant

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.create_table(
        "legal_holds",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("id", sa.String(length=200), nullable=False, comment="identifier"),
        sa.Column("matter", sa.Text(), nullable=False, comment="legal matter"),
        sa.Column("incident_id", sa.Text(), nullable=True, comment="incident whose records are held"),
        sa.Column("reason", sa.Text(), nullable=False, comment="why"),
        sa.Column("placed_by", sa.Text(), nullable=False, comment="who placed it"),
        sa.Column("placed_at", Instant(), nullable=False, comment="when it was placed"),
        sa.Column("custodian", sa.Text(), nullable=True, comment="who keeps the records"),
        sa.Column("scope", sa.Text(), nullable=True, comment="what is held: 'incident', 'all', or an action prefix"),
        sa.Column("released_at", Instant(), nullable=True, comment="when it was released"),
        sa.Column("released_by", sa.Text(), nullable=True, comment="who released it"),
        sa.Column(
            "purges_blocked", sa.BigInteger(), nullable=True, comment="purges that it prevented since it was placed"
        ),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_legal_holds_org_id")),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_legal_holds")),
        comment="A matter for which records must be kept whatever retention says.",
        info={"primary": ("id",), "natural": (), "importable": True, "replicated": True, "due": None},
        sqlite_with_rowid=True,
    )
    op.create_index(op.f("ix_legal_holds_org_id_revision"), "legal_holds", ["org_id", "revision"], unique=False)
    op.create_table(
        "retention_overrides",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("record_class", sa.String(length=60), nullable=False, comment="what is kept"),
        sa.Column("days", sa.BigInteger(), nullable=False, comment="days to keep"),
        sa.Column("reason", sa.Text(), nullable=True, comment="why"),
        sa.Column("approved_by", sa.Text(), nullable=True, comment="who approved it"),
        sa.Column("approved_on", sa.Date(), nullable=True, comment="when"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.CheckConstraint(
            "record_class IN ('audit_log', 'incidents')", name=op.f("ck_retention_overrides_record_class")
        ),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_retention_overrides_org_id")),
        sa.PrimaryKeyConstraint("org_id", "record_class", name=op.f("pk_retention_overrides")),
        comment="An organization's own retention in place of its tier's default.",
        info={"primary": ("record_class",), "natural": (), "importable": True, "replicated": True, "due": None},
        sqlite_with_rowid=True,
    )
    op.create_index(
        op.f("ix_retention_overrides_org_id_revision"), "retention_overrides", ["org_id", "revision"], unique=False
    )


def downgrade() -> None:
    op.drop_table("retention_overrides")
    op.drop_table("legal_holds")
