"""The day from which the records of a framework speak, which retention keeps."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    op.create_table(
        "record_starts",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column(
            "framework", sa.String(length=200), nullable=False, comment="framework; * is the organization as a whole"
        ),
        sa.Column("since_on", sa.Date(), nullable=False, comment="business date of the earliest event about it"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_record_starts_org_id")),
        sa.PrimaryKeyConstraint("org_id", "framework", name=op.f("pk_record_starts")),
        comment="From which day on there were records of a framework, kept when retention removes the events that say so.",
        info={"primary": ("framework",), "natural": (), "importable": False, "replicated": True, "due": None},
        sqlite_with_rowid=True,
    )
    op.create_index(op.f("ix_record_starts_org_id_revision"), "record_starts", ["org_id", "revision"], unique=False)


def downgrade() -> None:
    op.drop_table("record_starts")
