"""The plan that was agreed on otherwise than by a subscription, for when the subscription ends."""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"

COMMENT = "plan agreed on otherwise than by a subscription, noted by billing; `plan` returns to it"


def upgrade() -> None:
    op.add_column("organizations", sa.Column("agreed_plan", sa.String(length=60), nullable=True, comment=COMMENT))


def downgrade() -> None:
    op.drop_column("organizations", "agreed_plan")
