"""Evidence, requests and recurring tests."""

import sqlalchemy as sa
from alembic import op

from engine.store.types import Instant

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    op.create_table(
        "evidence_items",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("id", sa.String(length=200), nullable=False, comment="identifier"),
        sa.Column("title", sa.Text(), nullable=False, comment="title"),
        sa.Column("source", sa.Text(), nullable=True, comment="system that it comes from"),
        sa.Column("owner", sa.Text(), nullable=True, comment="e-mail address"),
        sa.Column("captured_at", Instant(), nullable=False, comment="when it was captured"),
        sa.Column("location", sa.Text(), nullable=True, comment="where it is kept"),
        sa.Column("sha256", sa.Text(), nullable=True, comment="SHA-256 of its content"),
        sa.Column("request_id", sa.Text(), nullable=True, comment="evidence request that it answers"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_evidence_items_org_id")),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_evidence_items")),
        comment="A document or record that supports controls, kept elsewhere.",
        info={"primary": ("id",), "natural": (), "importable": True, "replicated": True, "due": None},
        sqlite_with_rowid=True,
    )
    op.create_index(op.f("ix_evidence_items_org_id_revision"), "evidence_items", ["org_id", "revision"], unique=False)
    op.create_table(
        "evidence_links",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("evidence_id", sa.String(length=200), nullable=False, comment="evidence item"),
        sa.Column("framework", sa.String(length=60), nullable=False, comment="framework of the control"),
        sa.Column("control_id", sa.String(length=60), nullable=False, comment="identifier in that framework"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_evidence_links_org_id")),
        sa.PrimaryKeyConstraint("org_id", "evidence_id", "framework", "control_id", name=op.f("pk_evidence_links")),
        comment="An evidence item supports a control.",
        info={
            "primary": ("evidence_id", "framework", "control_id"),
            "natural": (),
            "importable": True,
            "replicated": True,
            "due": None,
        },
        sqlite_with_rowid=True,
    )
    op.create_index(op.f("ix_evidence_links_org_id_revision"), "evidence_links", ["org_id", "revision"], unique=False)
    op.create_table(
        "evidence_requests",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("id", sa.String(length=200), nullable=False, comment="identifier"),
        sa.Column("framework", sa.String(length=60), nullable=True, comment="framework of the control"),
        sa.Column("control_id", sa.String(length=60), nullable=True, comment="identifier in that framework"),
        sa.Column("title", sa.Text(), nullable=False, comment="the auditor's words"),
        sa.Column("requester", sa.Text(), nullable=False, comment="who asked"),
        sa.Column("owner", sa.Text(), nullable=True, comment="e-mail address of who answers"),
        sa.Column("backup", sa.Text(), nullable=True, comment="e-mail address of the deputy"),
        sa.Column("priority", sa.String(length=60), nullable=False, comment="priority"),
        sa.Column("opened_on", sa.Date(), nullable=False, comment="opened"),
        sa.Column("due_on", sa.Date(), nullable=True, comment="due; from the priority when empty"),
        sa.Column("status", sa.String(length=60), nullable=False, comment="our state"),
        sa.Column("auditor_status", sa.String(length=60), nullable=False, comment="the auditor's state"),
        sa.Column("submitted_on", sa.Date(), nullable=True, comment="first submitted"),
        sa.Column("accepted_on", sa.Date(), nullable=True, comment="accepted by the auditor"),
        sa.Column("closed_on", sa.Date(), nullable=True, comment="closed"),
        sa.Column("returns", sa.BigInteger(), nullable=True, comment="times returned"),
        sa.Column("paused_minutes", sa.BigInteger(), nullable=True, comment="minutes spent waiting on the requester"),
        sa.Column("moves", sa.BigInteger(), nullable=False, comment="times that the date moved"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.CheckConstraint(
            "auditor_status IN ('draft', 'open', 'in_progress', 'submitted', 'accepted', 'returned', 'closed')",
            name=op.f("ck_evidence_requests_auditor_status"),
        ),
        sa.CheckConstraint("priority IN ('P1', 'P2', 'P3', 'P4')", name=op.f("ck_evidence_requests_priority")),
        sa.CheckConstraint(
            "status IN ('open', 'in_progress', 'waiting_on_requester', 'submitted', 'closed')",
            name=op.f("ck_evidence_requests_status"),
        ),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_evidence_requests_org_id")),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_evidence_requests")),
        comment="Something an auditor asked for. Identifiers are never used again.",
        info={"primary": ("id",), "natural": (), "importable": True, "replicated": True, "due": "due_on"},
        sqlite_with_rowid=True,
    )
    op.create_index(
        op.f("ix_evidence_requests_org_id_revision"), "evidence_requests", ["org_id", "revision"], unique=False
    )
    op.create_table(
        "testing_schedules",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("id", sa.String(length=200), nullable=False, comment="identifier"),
        sa.Column("framework", sa.String(length=60), nullable=False, comment="framework of the control"),
        sa.Column("control_id", sa.String(length=60), nullable=False, comment="identifier in that framework"),
        sa.Column("procedure", sa.Text(), nullable=False, comment="what is tested and how"),
        sa.Column("cadence", sa.String(length=60), nullable=False, comment="how often"),
        sa.Column("owner", sa.Text(), nullable=True, comment="e-mail address of the control's owner"),
        sa.Column("performer", sa.Text(), nullable=True, comment="e-mail address of who tests"),
        sa.Column("window_days", sa.BigInteger(), nullable=True, comment="days that a window stays open"),
        sa.Column("starts_on", sa.Date(), nullable=False, comment="first window opens"),
        sa.Column("ends_on", sa.Date(), nullable=True, comment="no windows after this"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.CheckConstraint(
            "cadence IN ('continuous', 'daily', 'weekly', 'monthly', 'quarterly', 'semi-annual', 'annual')",
            name=op.f("ck_testing_schedules_cadence"),
        ),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_testing_schedules_org_id")),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_testing_schedules")),
        comment="A recurring test of a control.",
        info={"primary": ("id",), "natural": (), "importable": True, "replicated": True, "due": None},
        sqlite_with_rowid=True,
    )
    op.create_index(
        op.f("ix_testing_schedules_org_id_revision"), "testing_schedules", ["org_id", "revision"], unique=False
    )
    op.create_table(
        "test_runs",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("id", sa.String(length=200), nullable=False, comment="identifier"),
        sa.Column("schedule_id", sa.String(length=200), nullable=False, comment="schedule"),
        sa.Column("window_open_on", sa.Date(), nullable=False, comment="window opens"),
        sa.Column("window_close_on", sa.Date(), nullable=False, comment="window closes, inclusive"),
        sa.Column("performed_on", sa.Date(), nullable=True, comment="when it was performed"),
        sa.Column("outcome", sa.String(length=60), nullable=True, comment="result"),
        sa.Column("performer", sa.Text(), nullable=True, comment="e-mail address of who tested"),
        sa.Column("population", sa.BigInteger(), nullable=True, comment="items in the population"),
        sa.Column("tested", sa.BigInteger(), nullable=True, comment="items tested"),
        sa.Column("deviations", sa.BigInteger(), nullable=True, comment="deviations found"),
        sa.Column("evidence_expected", sa.BigInteger(), nullable=True, comment="pieces of evidence expected"),
        sa.Column("evidence_received", sa.BigInteger(), nullable=True, comment="pieces received"),
        sa.Column("cause", sa.Text(), nullable=True, comment="cause of deviations"),
        sa.Column("response", sa.Text(), nullable=True, comment="management response"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.CheckConstraint("outcome IN ('passed', 'failed')", name=op.f("ck_test_runs_outcome")),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_test_runs_org_id")),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_test_runs")),
        comment="One window of a recurring test: planned and actual.",
        info={"primary": ("id",), "natural": (), "importable": True, "replicated": True, "due": None},
        sqlite_with_rowid=True,
    )
    op.create_index(op.f("ix_test_runs_org_id_revision"), "test_runs", ["org_id", "revision"], unique=False)


def downgrade() -> None:
    op.drop_table("test_runs")
    op.drop_table("testing_schedules")
    op.drop_table("evidence_requests")
    op.drop_table("evidence_links")
    op.drop_table("evidence_items")
