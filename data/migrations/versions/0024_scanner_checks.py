"""What a scanner's own catalogue says about its checks, for findings that come with a number alone."""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"


def upgrade() -> None:
    op.create_table(
        "scanner_checks",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("source", sa.String(length=200), nullable=False, comment="scanner"),
        sa.Column("check_id", sa.String(length=200), nullable=False, comment="the scanner's number of the check"),
        sa.Column("title", sa.Text(), nullable=True, comment="title"),
        sa.Column("severity", sa.String(length=60), nullable=True, comment="severity"),
        sa.Column("cve", sa.Text(), nullable=True, comment="CVE identifiers joined by '; '"),
        sa.Column("cvss", sa.Float(), nullable=True, comment="CVSS base score"),
        sa.Column("known_exploited", sa.Boolean(), nullable=False, comment="listed as known exploited"),
        sa.Column("solution", sa.Text(), nullable=True, comment="what to do about it"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.CheckConstraint(
            "severity IN ('critical', 'high', 'medium', 'low', 'info')", name=op.f("ck_scanner_checks_severity")
        ),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_scanner_checks_org_id")),
        sa.PrimaryKeyConstraint("org_id", "source", "check_id", name=op.f("pk_scanner_checks")),
        comment="What a scanner's own catalogue says about one of its checks, such as the KnowledgeBase of Qualys.",
        sqlite_with_rowid=True,
    )
    op.create_index(op.f("ix_scanner_checks_org_id_revision"), "scanner_checks", ["org_id", "revision"], unique=False)


def downgrade() -> None:
    op.drop_table("scanner_checks")
