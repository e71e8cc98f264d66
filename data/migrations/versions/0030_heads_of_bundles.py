"""The signed heads that archives carry, so that later ones can prove that they continue them."""

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"


def upgrade() -> None:
    op.add_column(
        "bundles", sa.Column("head", sa.Text(), nullable=True, comment="signed head that it carries: a tlog-checkpoint")
    )
    op.add_column(
        "bundles",
        sa.Column(
            "before",
            sa.Text(),
            nullable=True,
            comment="roots of the whole parts of the tree before its first event, largest first",
        ),
    )
    op.create_table(
        "archive_heads",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization"),
        sa.Column("seq", sa.BigInteger(), nullable=False, comment="sequence number of the last event under it"),
        sa.Column("root", sa.String(length=64), nullable=False, comment="RFC 6962 root over the events up to it"),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_archive_heads_org_id")),
        sa.PrimaryKeyConstraint("org_id", "seq", name=op.f("pk_archive_heads")),
        comment="Heads that workbooks and meeting packs carry: later archives prove that they continue them.",
        info={"importable": False, "replicated": False},
    )


def downgrade() -> None:
    op.drop_table("archive_heads")
    op.drop_column("bundles", "before")
    op.drop_column("bundles", "head")
