"""Incidents, their history and root causes."""

import sqlalchemy as sa
from alembic import op

from engine.store.types import Instant, Json

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.create_table(
        "incidents",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("id", sa.String(length=200), nullable=False, comment="identifier"),
        sa.Column("title", sa.Text(), nullable=False, comment="title"),
        sa.Column("severity", sa.String(length=60), nullable=False, comment="severity; only rises by itself"),
        sa.Column("status", sa.String(length=60), nullable=False, comment="state"),
        sa.Column("service_id", sa.String(length=200), nullable=True, comment="service"),
        sa.Column("workspace_id", sa.Text(), nullable=True, comment="workspace"),
        sa.Column("source", sa.Text(), nullable=True, comment="monitor or scanner that reported it"),
        sa.Column("dedupe_key", sa.Text(), nullable=True, comment="key that further alerts are matched by"),
        sa.Column("alert_count", sa.BigInteger(), nullable=True, comment="alerts received"),
        sa.Column("started_at", Instant(), nullable=True, comment="when the trouble began"),
        sa.Column("opened_at", Instant(), nullable=False, comment="when it was detected"),
        sa.Column("acknowledged_at", Instant(), nullable=True, comment="when somebody took it"),
        sa.Column("mitigated_at", Instant(), nullable=True, comment="when the effect ended"),
        sa.Column("resolved_at", Instant(), nullable=True, comment="when it was resolved"),
        sa.Column("closed_at", Instant(), nullable=True, comment="when it was closed"),
        sa.Column("last_seen_at", Instant(), nullable=True, comment="last alert"),
        sa.Column("owner", sa.Text(), nullable=True, comment="e-mail address of the owner"),
        sa.Column("summary", sa.Text(), nullable=True, comment="summary"),
        sa.Column("root_cause", sa.Text(), nullable=True, comment="established cause"),
        sa.Column("impact_users", sa.BigInteger(), nullable=True, comment="users affected"),
        sa.Column("related_to", sa.Text(), nullable=True, comment="earlier incident with the same key"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.CheckConstraint(
            "severity IN ('critical', 'high', 'medium', 'low', 'info')", name=op.f("ck_incidents_severity")
        ),
        sa.CheckConstraint(
            "status IN ('open', 'acknowledged', 'mitigated', 'resolved', 'closed')", name=op.f("ck_incidents_status")
        ),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_incidents_org_id")),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_incidents")),
        comment="An incident from first sign to closure.",
        info={"primary": ("id",), "natural": (), "importable": True, "replicated": True, "due": None},
        sqlite_with_rowid=True,
    )
    op.create_index("ix_incidents_dedupe", "incidents", ["org_id", "dedupe_key"], unique=False)
    op.create_index(op.f("ix_incidents_org_id_revision"), "incidents", ["org_id", "revision"], unique=False)
    op.create_table(
        "incident_timeline",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("id", sa.String(length=200), nullable=False, comment="identifier"),
        sa.Column("incident_id", sa.String(length=200), nullable=False, comment="incident"),
        sa.Column("happened_at", Instant(), nullable=False, comment="when"),
        sa.Column("kind", sa.String(length=60), nullable=False, comment="kind of entry"),
        sa.Column("actor", sa.Text(), nullable=False, comment="who"),
        sa.Column("body", sa.Text(), nullable=False, comment="what"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.CheckConstraint(
            "kind IN ('alert', 'note', 'status', 'severity', 'action', 'execution', 'communication', 'rca')",
            name=op.f("ck_incident_timeline_kind"),
        ),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_incident_timeline_org_id")),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_incident_timeline")),
        comment="A line of an incident's history.",
        info={"primary": ("id",), "natural": (), "importable": True, "replicated": True, "due": None},
        sqlite_with_rowid=True,
    )
    op.create_index("ix_incident_timeline_incident", "incident_timeline", ["org_id", "incident_id"], unique=False)
    op.create_index(
        op.f("ix_incident_timeline_org_id_revision"), "incident_timeline", ["org_id", "revision"], unique=False
    )
    op.create_table(
        "incident_actions",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("id", sa.String(length=200), nullable=False, comment="identifier"),
        sa.Column("incident_id", sa.String(length=200), nullable=False, comment="incident"),
        sa.Column("title", sa.Text(), nullable=False, comment="what will be done"),
        sa.Column("owner", sa.Text(), nullable=True, comment="e-mail address"),
        sa.Column("due_on", sa.Date(), nullable=True, comment="due"),
        sa.Column("kind", sa.String(length=60), nullable=False, comment="type of action"),
        sa.Column("status", sa.String(length=60), nullable=False, comment="state"),
        sa.Column("closed_on", sa.Date(), nullable=True, comment="when it was done or dropped"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.CheckConstraint(
            "kind IN ('prevent', 'detect', 'mitigate', 'process')", name=op.f("ck_incident_actions_kind")
        ),
        sa.CheckConstraint("status IN ('open', 'done', 'dropped')", name=op.f("ck_incident_actions_status")),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_incident_actions_org_id")),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_incident_actions")),
        comment="A follow-up that a review decided on.",
        info={"primary": ("id",), "natural": (), "importable": True, "replicated": True, "due": None},
        sqlite_with_rowid=True,
    )
    op.create_index(
        op.f("ix_incident_actions_org_id_revision"), "incident_actions", ["org_id", "revision"], unique=False
    )
    op.create_table(
        "rca_runs",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("id", sa.String(length=200), nullable=False, comment="identifier"),
        sa.Column("incident_id", sa.String(length=200), nullable=False, comment="incident"),
        sa.Column("run_at", Instant(), nullable=False, comment="when"),
        sa.Column("actor", sa.Text(), nullable=False, comment="who asked"),
        sa.Column("model_version", sa.Text(), nullable=False, comment="version of the scoring"),
        sa.Column("hypothesis", sa.Text(), nullable=False, comment="best candidate, or 'inconclusive'"),
        sa.Column("confidence", sa.Float(), nullable=False, comment="0 to 1"),
        sa.Column("candidates", Json(), nullable=False, comment="all candidates with features and evidence"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_rca_runs_org_id")),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_rca_runs")),
        comment="A persisted run of the root-cause analysis.",
        info={"primary": ("id",), "natural": (), "importable": False, "replicated": True, "due": None},
        sqlite_with_rowid=True,
    )
    op.create_index(op.f("ix_rca_runs_org_id_revision"), "rca_runs", ["org_id", "revision"], unique=False)


def downgrade() -> None:
    op.drop_table("rca_runs")
    op.drop_table("incident_actions")
    op.drop_table("incident_timeline")
    op.drop_table("incidents")
