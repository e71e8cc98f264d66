"""Who watches which service, and of which monitor a message is."""

import sqlalchemy as sa
from alembic import op

from engine.store.types import Instant

revision = "0045"
down_revision = "0044"

NAME = "service_senders"


def upgrade() -> None:
    op.create_table(
        NAME,
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("service_id", sa.String(length=200), nullable=False, comment="service that is watched"),
        sa.Column("token", sa.String(length=200), nullable=False, comment="label of the ingest token"),
        sa.Column(
            "source",
            sa.String(length=200),
            nullable=False,
            comment="monitor that sends, as incidents name it, such as alertmanager",
        ),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f(f"fk_{NAME}_org_id")),
        sa.PrimaryKeyConstraint("org_id", "service_id", "token", "source", name=op.f(f"pk_{NAME}")),
        comment="Who watches a service: an ingest token and the monitor that sends with it.",
    )
    with op.batch_alter_table("ingest_payloads") as table:
        said = "monitors or scanners that it is of, joined by '; '"
        table.add_column(sa.Column("source", sa.Text(), nullable=True, comment=said))
        said = "when an event of the audit log said that it came"
        table.add_column(sa.Column("noted_at", Instant(), nullable=True, comment=said))
    op.create_index(op.f(f"ix_{NAME}_org_id_revision"), NAME, ["org_id", "revision"], unique=False)


def downgrade() -> None:
    with op.batch_alter_table("ingest_payloads") as table:
        table.drop_column("noted_at")
        table.drop_column("source")
    op.drop_table(NAME)
