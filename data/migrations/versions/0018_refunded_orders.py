"""Orders that were refunded, and one order and one subscription for each name at a provider."""

from alembic import op

revision = "0018"
down_revision = "0017"

BEFORE = "status IN ('created', 'approved', 'completed', 'failed')"
AFTER = "status IN ('created', 'approved', 'completed', 'failed', 'refunded')"


def _states(condition: str) -> None:
    with op.batch_alter_table("orders") as table:
        table.drop_constraint(op.f("ck_orders_status"), type_="check")
        table.create_check_constraint(op.f("ck_orders_status"), condition)


def upgrade() -> None:
    _states(AFTER)
    op.create_index("ix_orders_provider", "orders", ["provider", "provider_ref"], unique=True)
    op.create_index("ix_subscriptions_provider", "subscriptions", ["provider", "provider_ref"], unique=True)


def downgrade() -> None:
    op.drop_index("ix_subscriptions_provider", table_name="subscriptions")
    op.drop_index("ix_orders_provider", table_name="orders")
    _states(BEFORE)
