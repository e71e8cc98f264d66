"""The days that a run of a check asked about: a pass about fewer of them ends no failure. Runs of before have none."""

import sqlalchemy as sa
from alembic import op

revision = "0047"
down_revision = "0046"

COLUMNS = {"since_on": "first day asked about, where its cadence asks about more", "until_on": "last day asked about"}


def upgrade() -> None:
    with op.batch_alter_table("test_runs") as table:
        for name, comment in COLUMNS.items():
            table.add_column(sa.Column(name, sa.Date(), nullable=True, comment=comment))


def downgrade() -> None:
    with op.batch_alter_table("test_runs") as table:
        for name in COLUMNS:
            table.drop_column(name)
