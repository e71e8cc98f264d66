"""The day on which a weakness was first listed on the plan of action and milestones."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"


def upgrade() -> None:
    op.add_column("poam_items", sa.Column("listed_on", sa.Date(), nullable=True, comment="first listed on the plan"))


def downgrade() -> None:
    op.drop_column("poam_items", "listed_on")
