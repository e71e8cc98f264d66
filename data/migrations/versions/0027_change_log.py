"""The change log: every version of every row, and its root in the last event of the write that made it."""

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"


def upgrade() -> None:
    op.add_column(
        "audit_log",
        sa.Column(
            "changes",
            sa.String(length=64),
            nullable=True,
            comment="root over all rows that the write changed, with its last event; part of the hash where it is there",
        ),
    )
    op.create_table(
        "change_log",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization"),
        sa.Column("revision", sa.BigInteger(), nullable=False, comment="the write: sequence number of its first event"),
        sa.Column(
            "part", sa.BigInteger(), nullable=False, comment="place within the write, from 0: a large one has several"
        ),
        sa.Column("rows", sa.BigInteger(), nullable=False, comment="rows in this part"),
        sa.Column(
            "body",
            sa.LargeBinary(),
            nullable=False,
            comment="a line for each row: salt, table, key, and the whole row as it became; compressed (zlib)",
        ),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_change_log_org_id")),
        sa.PrimaryKeyConstraint("org_id", "revision", "part", name=op.f("pk_change_log")),
        comment="Every version of every row, by the write that made it; its last event holds the root over them.",
        info={"primary": ("revision", "part"), "importable": False, "replicated": False},
        sqlite_with_rowid=False,
    )


def downgrade() -> None:
    op.drop_table("change_log")
    op.drop_column("audit_log", "changes")
