"""Hours of work on gaps: what it takes, at least and at most, what was worked on it and what is left; days of others."""

import sqlalchemy as sa
from alembic import op

revision = "0037"
down_revision = "0036"
HOURS = {
    "estimate_hours": "hours that it takes, by whoever knows it",
    "low_hours": "hours that it takes at least",
    "high_hours": "hours that it takes at most",
    "done_hours": "hours that were worked on it",
    "left_hours": "hours that are still to be worked on it",
}


def upgrade() -> None:
    for name, comment in HOURS.items():
        op.add_column("remediations", sa.Column(name, sa.Float(), nullable=True, comment=comment))
    op.add_column(
        "remediations",
        sa.Column(
            "lead_days",
            sa.BigInteger(),
            nullable=True,
            comment="days of others, such as a vendor, between the work and its evidence",
        ),
    )


def downgrade() -> None:
    op.drop_column("remediations", "lead_days")
    for name in reversed(HOURS):
        op.drop_column("remediations", name)
