"""When a release was taken back."""

import sqlalchemy as sa
from alembic import op

from engine.store.types import Instant

revision = "0044"
down_revision = "0043"


def upgrade() -> None:
    with op.batch_alter_table("deploys") as table:
        table.add_column(sa.Column("rolled_back_at", Instant(), nullable=True, comment="when it was taken back"))


def downgrade() -> None:
    with op.batch_alter_table("deploys") as table:
        table.drop_column("rolled_back_at")
