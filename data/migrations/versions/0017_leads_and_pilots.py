"""One lead for each reference, one pilot for each lead, and the reads of lists, limits and histories."""

from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    op.create_index("ix_leads_reference", "leads", ["org_id", "reference_id"], unique=True)
    op.create_index("ix_leads_received", "leads", ["org_id", "created_at"], unique=False)
    op.create_index("ix_leads_email", "leads", ["org_id", "email"], unique=False)
    op.create_index("ix_pilots_lead", "pilots", ["org_id", "lead_id"], unique=True)
    op.create_index("ix_activities_subject", "activities", ["org_id", "subject_id"], unique=False)


def downgrade() -> None:
    op.drop_index("ix_activities_subject", table_name="activities")
    op.drop_index("ix_pilots_lead", table_name="pilots")
    op.drop_index("ix_leads_email", table_name="leads")
    op.drop_index("ix_leads_received", table_name="leads")
    op.drop_index("ix_leads_reference", table_name="leads")
