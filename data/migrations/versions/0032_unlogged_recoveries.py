"""No change of tables: incidents that were resolved beside the change log are logged as they are.

What the log needs for it is a revision, which is no matter of the schema: ``engine.store.migrations.migrate`` writes it
when a store passes this number.
"""

revision = "0032"
down_revision = "0031"


def upgrade() -> None:
    """Nothing."""


def downgrade() -> None:
    """Nothing: what is logged stays."""
