"""The vendor behind a dependency, and indexes by which the analysis of an incident finds what happened before it."""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"


def upgrade() -> None:
    op.add_column(
        "service_dependencies",
        sa.Column(
            "vendor_id",
            sa.String(200),
            nullable=True,
            comment="vendor that stands behind it: its outage reaches the service that needs",
        ),
    )
    op.create_index("ix_incidents_opened", "incidents", ["org_id", "opened_at"], unique=False)
    op.create_index("ix_deploys_deployed", "deploys", ["org_id", "deployed_at"], unique=False)


def downgrade() -> None:
    op.drop_index("ix_deploys_deployed", "deploys")
    op.drop_index("ix_incidents_opened", "incidents")
    op.drop_column("service_dependencies", "vendor_id")
