"""The Merkle tree over events, heads that were signed, and which head left with a delivery or a download."""

import sqlalchemy as sa
from alembic import op

from engine.store.types import Instant

revision = "0029"
down_revision = "0028"


def upgrade() -> None:
    op.create_table(
        "event_tiles",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization"),
        sa.Column(
            "level", sa.BigInteger(), nullable=False, comment="0 for leaves; above, a hash over each full tile below"
        ),
        sa.Column("tile", sa.BigInteger(), nullable=False, comment="place within the level, from 0"),
        sa.Column(
            "hashes", sa.LargeBinary(), nullable=False, comment="up to 256 hashes of 32 bytes, one after the other"
        ),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_event_tiles_org_id")),
        sa.PrimaryKeyConstraint("org_id", "level", "tile", name=op.f("pk_event_tiles")),
        comment="The Merkle tree over an organization's events (RFC 6962). Leaves stay when retention takes their events.",
        info={"importable": False, "replicated": False},
        sqlite_with_rowid=False,
    )
    op.create_table(
        "signed_heads",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization"),
        sa.Column("seq", sa.BigInteger(), nullable=False, comment="sequence number of the last event under it"),
        sa.Column("hash", sa.String(length=64), nullable=False, comment="hash of that event"),
        sa.Column("root", sa.String(length=64), nullable=False, comment="RFC 6962 root over the events up to it"),
        sa.Column("signed_at", Instant(), nullable=False, comment="when it was signed"),
        sa.Column("note", sa.Text(), nullable=False, comment="the head as it was signed: a tlog-checkpoint"),
        sa.Column("cosignatures", sa.Text(), nullable=True, comment="signature lines of witnesses"),
        sa.Column("time_stamp", sa.Text(), nullable=True, comment="RFC 3161 token over the note, in base64"),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_signed_heads_org_id")),
        sa.PrimaryKeyConstraint("org_id", "seq", name=op.f("pk_signed_heads")),
        comment="Heads that were signed, to leave the building.",
        info={"importable": False, "replicated": False},
    )
    for table, seq in (
        ("access_log", "where the audit chain stood as it left"),
        ("deliveries", "audit position of the signed head that it carries"),
    ):
        op.add_column(table, sa.Column("head_seq", sa.BigInteger(), nullable=True, comment=seq))
        op.add_column(table, sa.Column("head_hash", sa.Text(), nullable=True, comment="hash of the chain there"))


def downgrade() -> None:
    for table in ("deliveries", "access_log"):
        op.drop_column(table, "head_hash")
        op.drop_column(table, "head_seq")
    op.drop_table("signed_heads")
    op.drop_table("event_tiles")
