"""What people are called on pages."""

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"


def upgrade() -> None:
    op.add_column(
        "memberships",
        sa.Column("display_name", sa.Text(), nullable=True, comment="name that pages show; else that of the profile"),
    )


def downgrade() -> None:
    op.drop_column("memberships", "display_name")
