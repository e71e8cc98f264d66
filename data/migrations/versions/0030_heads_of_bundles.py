"""The signed head that a bundle carries, so that later ones can prove that they continue it."""

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"


def upgrade() -> None:
    op.add_column(
        "bundles",
        sa.Column("head", sa.Text(), nullable=True, comment="signed head that it carries: a tlog-checkpoint"),
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


def downgrade() -> None:
    op.drop_column("bundles", "before")
    op.drop_column("bundles", "head")
