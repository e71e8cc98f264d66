"""Snapshots keep the versions of their formulas; the tree over all organizations; ingest tokens as passwords."""

import sqlalchemy as sa
from alembic import op

from engine.store.types import Instant, Json

revision = "0035"
down_revision = "0034"

SNAPSHOTS = ("readiness_snapshots", "posture_snapshots")


def upgrade() -> None:
    for table in SNAPSHOTS:
        op.add_column(
            table,
            sa.Column(
                "formulas",
                Json(),
                nullable=True,
                comment="version of the formula of each figure that it was computed by; empty: before there were any",
            ),
        )
    op.add_column(
        "credentials",
        sa.Column(
            "basic_auth",
            sa.Boolean(),
            nullable=True,
            comment="an ingest token may come as the password of Authorization: Basic; empty: from before, and may",
        ),
    )
    op.create_table(
        "installation_commitments",
        sa.Column(
            "position", sa.BigInteger(), autoincrement=False, nullable=False, comment="place in the tree, from 0"
        ),
        sa.Column(
            "org_id",
            sa.String(length=200),
            nullable=False,
            comment="organization that it commits to; nobody refers to it, so that one that went is missed",
        ),
        sa.Column("seq", sa.BigInteger(), nullable=False, comment="sequence number of its last event then"),
        sa.Column("hash", sa.String(length=64), nullable=False, comment="hash of that event"),
        sa.Column(
            "salt",
            sa.String(length=32),
            nullable=False,
            comment="16 secret random bytes, so that a leaf tells nobody a name",
        ),
        sa.PrimaryKeyConstraint("position", name=op.f("pk_installation_commitments")),
        comment="The leaves of the installation's tree: salted commitments to organizations and where their chains stood.",
    )
    op.create_table(
        "installation_heads",
        sa.Column("size", sa.BigInteger(), autoincrement=False, nullable=False, comment="leaves under it"),
        sa.Column("root", sa.String(length=64), nullable=False, comment="RFC 6962 root over them"),
        sa.Column("signed_at", Instant(), nullable=False, comment="when it was signed"),
        sa.Column(
            "note", sa.Text(), nullable=False, comment="the head as it was signed: a tlog-checkpoint of the origin hq/*"
        ),
        sa.PrimaryKeyConstraint("size", name=op.f("pk_installation_heads")),
        comment="Signed heads of the installation's tree.",
    )


def downgrade() -> None:
    op.drop_table("installation_heads")
    op.drop_table("installation_commitments")
    op.drop_column("credentials", "basic_auth")
    for table in SNAPSHOTS:
        op.drop_column(table, "formulas")
