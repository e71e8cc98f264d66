"""Sessions that were ended before their time."""

import sqlalchemy as sa
from alembic import op

from engine.store.types import Instant

revision = "0026"
down_revision = "0025"


def upgrade() -> None:
    op.create_table(
        "ended_sessions",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("email", sa.String(length=200), nullable=False, comment="whose"),
        sa.Column(
            "session_id",
            sa.String(length=200),
            nullable=False,
            comment="its `jti`, or the SHA-256 of what was signed; empty for all",
        ),
        sa.Column("ended_at", Instant(), nullable=False, comment="when"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_ended_sessions_org_id")),
        sa.PrimaryKeyConstraint("org_id", "email", "session_id", name=op.f("pk_ended_sessions")),
        comment="A session that was ended before its time, or all of a person's that had begun by then.",
        info={"primary": ("email", "session_id"), "natural": (), "importable": False, "replicated": False, "due": None},
        sqlite_with_rowid=True,
    )
    op.create_index(op.f("ix_ended_sessions_org_id_revision"), "ended_sessions", ["org_id", "revision"], unique=False)


def downgrade() -> None:
    op.drop_table("ended_sessions")
