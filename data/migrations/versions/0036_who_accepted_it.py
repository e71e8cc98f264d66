"""Who accepted a risk, approved a compensating control, and assessed the qualification of a vendor's report, and when."""

import sqlalchemy as sa
from alembic import op

revision = "0036"
down_revision = "0035"

ADDED = (
    ("risks", "accepted_by", sa.Text(), "who accepted what the treatment leaves over"),
    ("risks", "accepted_on", sa.Date(), "when"),
    ("remediations", "compensating_approved_by", sa.Text(), "who approved the compensating control"),
    ("remediations", "compensating_approved_on", sa.Date(), "when"),
    ("vendor_documents", "assessment", sa.Text(), "what a qualified opinion means for us, as somebody assessed it"),
    ("vendor_documents", "assessed_by", sa.Text(), "who assessed the qualification"),
    ("vendor_documents", "assessed_on", sa.Date(), "when"),
)


def upgrade() -> None:
    for table, name, kind, comment in ADDED:
        op.add_column(table, sa.Column(name, kind, nullable=True, comment=comment))


def downgrade() -> None:
    for table, name, _, _ in reversed(ADDED):
        op.drop_column(table, name)
