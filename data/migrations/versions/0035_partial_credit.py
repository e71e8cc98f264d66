"""What the assessment methodology of NIST SP 800-171 gives partial credit for, as a recorded fact."""

import sqlalchemy as sa
from alembic import op

revision = "0035"
down_revision = "0032"


def upgrade() -> None:
    op.add_column(
        "control_profiles",
        sa.Column(
            "sprs_partial",
            sa.Boolean(),
            nullable=True,
            comment="true: MFA for remote and privileged users only (3.5.3), encryption without FIPS (3.13.11)",
        ),
    )


def downgrade() -> None:
    op.drop_column("control_profiles", "sprs_partial")
