"""Holidays, absences and part-time by the day, the windows of audits, and how long vendors take to answer."""

import sqlalchemy as sa
from alembic import op

revision = "0042"
down_revision = "0041"


def _org() -> sa.Column[str]:
    return sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to")


def _revision() -> sa.Column[int]:
    return sa.Column(
        "revision",
        sa.BigInteger(),
        nullable=False,
        comment="sequence number of the audit event that opened the last change",
    )


def upgrade() -> None:
    op.create_table(
        "absences",
        _org(),
        sa.Column("id", sa.String(length=200), nullable=False, comment="identifier"),
        sa.Column(
            "email", sa.Text(), nullable=True, comment="e-mail address; everybody, as on a public holiday, when empty"
        ),
        sa.Column("starts_on", sa.Date(), nullable=False, comment="first day"),
        sa.Column("ends_on", sa.Date(), nullable=True, comment="last day; the first one when empty"),
        sa.Column(
            "share_pct",
            sa.Float(),
            nullable=True,
            comment="share of the hours of each of those days, in percent; all of them when empty",
        ),
        sa.Column(
            "repeats",
            sa.Text(),
            nullable=True,
            comment="how it comes again, as iCalendar writes it: FREQ=WEEKLY;BYDAY=FR",
        ),
        sa.Column("title", sa.Text(), nullable=True, comment="what it is, such as the name of the holiday"),
        _revision(),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_absences_org_id")),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_absences")),
        comment="Days on which somebody, or everybody, is not there: holidays, leave, part-time.",
    )
    op.create_index(op.f("ix_absences_org_id_revision"), "absences", ["org_id", "revision"])
    op.create_table(
        "audit_windows",
        _org(),
        sa.Column("id", sa.String(length=200), nullable=False, comment="identifier"),
        sa.Column("framework", sa.String(length=200), nullable=False, comment="framework that is audited"),
        sa.Column("starts_on", sa.Date(), nullable=False, comment="first day of the period that is examined"),
        sa.Column(
            "ends_on",
            sa.Date(),
            nullable=False,
            comment="last day of the period that is examined; the first one where a day is looked at",
        ),
        sa.Column(
            "fieldwork_from", sa.Date(), nullable=True, comment="first day on which people work with the auditors"
        ),
        sa.Column(
            "fieldwork_until", sa.Date(), nullable=True, comment="last day on which they do; the first one when empty"
        ),
        sa.Column(
            "people",
            sa.Text(),
            nullable=True,
            comment="e-mail addresses of who works with the auditors, joined by '; '",
        ),
        sa.Column("weekly_hours", sa.Float(), nullable=True, comment="hours a week that each of them gives"),
        sa.Column("note", sa.Text(), nullable=True, comment="remark, such as the auditor"),
        _revision(),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_audit_windows_org_id")),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_audit_windows")),
        comment="A period that auditors examine, and their weeks with us.",
    )
    op.create_index(op.f("ix_audit_windows_org_id_revision"), "audit_windows", ["org_id", "revision"])
    op.add_column(
        "vendors",
        sa.Column(
            "lead_days",
            sa.BigInteger(),
            nullable=True,
            comment="days that it takes to answer: until there is evidence from it",
        ),
    )


def downgrade() -> None:
    op.drop_column("vendors", "lead_days")
    op.drop_table("audit_windows")
    op.drop_table("absences")
