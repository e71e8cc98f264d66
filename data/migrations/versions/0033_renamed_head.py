"""The head of a chain is in ``last_seq``: versions before this migration do not look which schema they write to.

Whatever they write to an organization moves ``heads.seq``, so that the first statement of each such write now fails in
the database, and nothing of it is done. Later versions read the number of the newest migration with the head.
"""

from alembic import op

revision = "0033"
down_revision = "0032"


def upgrade() -> None:
    """A plain renaming: both engines carry it into the view ``database_health``."""
    op.execute("ALTER TABLE heads RENAME COLUMN seq TO last_seq")


def downgrade() -> None:
    """The name it had."""
    op.execute("ALTER TABLE heads RENAME COLUMN last_seq TO seq")
