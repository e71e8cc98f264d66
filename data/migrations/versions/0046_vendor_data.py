"""What a vendor must handle for a rule of inheritance of a framework of one's own to be about it."""

import sqlalchemy as sa
from alembic import op

revision = "0046"
down_revision = "0045"

TABLE = "framework_inheritance"


def upgrade() -> None:
    said = "data that the vendor must handle; empty for any vendor"
    with op.batch_alter_table(TABLE) as table:
        table.add_column(sa.Column("vendor_data", sa.String(length=60), nullable=True, comment=said))
        table.create_check_constraint(
            op.f("ck_framework_inheritance_vendor_data"), "vendor_data IN ('health', 'cards')"
        )


def downgrade() -> None:
    with op.batch_alter_table(TABLE) as table:
        table.drop_constraint(op.f("ck_framework_inheritance_vendor_data"), type_="check")
        table.drop_column("vendor_data")
