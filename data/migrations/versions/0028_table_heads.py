"""Table heads: which write last changed each part of the records."""

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"


def upgrade() -> None:
    op.create_table(
        "table_heads",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization"),
        sa.Column(
            "part",
            sa.String(length=200),
            nullable=False,
            comment="a table, or audit_log:<action> for the events of one action",
        ),
        sa.Column(
            "revision", sa.BigInteger(), nullable=False, comment="last event of the newest write that changed the part"
        ),
        sa.Column("hash", sa.String(length=64), nullable=False, comment="hash of that event"),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_table_heads_org_id")),
        sa.PrimaryKeyConstraint("org_id", "part", name=op.f("pk_table_heads")),
        comment="Which write last changed each part of the records: a report is as new as the newest part that it looks at.",
        info={"primary": ("part",), "importable": False, "replicated": True},
        sqlite_with_rowid=False,
    )


def downgrade() -> None:
    op.drop_table("table_heads")
