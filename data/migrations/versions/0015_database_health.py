"""The view that the database readiness check reads."""

from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    op.execute(
        """
        CREATE VIEW database_health AS
        SELECT
            (SELECT version_num FROM alembic_version) AS migration,
            (SELECT COUNT(*) FROM organizations) AS organizations,
            (SELECT COUNT(*) FROM heads WHERE seq < 1) AS empty_heads,
            (SELECT COUNT(*) FROM deliveries WHERE status = 'pending') AS deliveries_pending,
            (SELECT COUNT(*) FROM deliveries WHERE status = 'failed') AS deliveries_failed
        """
    )


def downgrade() -> None:
    op.execute("DROP VIEW database_health")
