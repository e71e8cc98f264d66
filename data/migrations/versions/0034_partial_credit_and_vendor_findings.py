"""What NIST SP 800-171's assessment methodology gives partial credit for, and which vendor a finding is about."""

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"


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
    op.add_column(
        "findings", sa.Column("vendor_id", sa.String(length=200), nullable=True, comment="vendor that it is about")
    )


def downgrade() -> None:
    op.drop_column("findings", "vendor_id")
    op.drop_column("control_profiles", "sprs_partial")
