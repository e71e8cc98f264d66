"""Findings, deploys and connections."""

import sqlalchemy as sa
from alembic import op

from engine.store.types import Instant, Json

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.create_table(
        "findings",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("id", sa.String(length=200), nullable=False, comment="identifier"),
        sa.Column("source", sa.Text(), nullable=False, comment="scanner"),
        sa.Column("finding_key", sa.Text(), nullable=False, comment="key that later reports are matched by"),
        sa.Column("title", sa.Text(), nullable=False, comment="title"),
        sa.Column("severity", sa.String(length=60), nullable=False, comment="severity"),
        sa.Column("status", sa.String(length=60), nullable=False, comment="state"),
        sa.Column("service_id", sa.String(length=200), nullable=True, comment="service"),
        sa.Column("asset", sa.Text(), nullable=True, comment="host or asset"),
        sa.Column("port", sa.BigInteger(), nullable=True, comment="port"),
        sa.Column("cve", sa.Text(), nullable=True, comment="CVE identifiers joined by '; '"),
        sa.Column("cvss", sa.Float(), nullable=True, comment="CVSS base score"),
        sa.Column("epss", sa.Float(), nullable=True, comment="exploit prediction score, 0 to 1"),
        sa.Column("known_exploited", sa.Boolean(), nullable=True, comment="listed as known exploited"),
        sa.Column("internet_reachable", sa.Boolean(), nullable=True, comment="reachable from the internet"),
        sa.Column("first_seen_at", Instant(), nullable=False, comment="first report"),
        sa.Column("last_seen_at", Instant(), nullable=False, comment="last report"),
        sa.Column("fixed_at", Instant(), nullable=True, comment="when it was gone"),
        sa.Column("due_on", sa.Date(), nullable=True, comment="date by which it must be fixed"),
        sa.Column("incident_id", sa.Text(), nullable=True, comment="incident that it opened"),
        sa.Column("details", Json(), nullable=True, comment="further facts from the scanner"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.CheckConstraint(
            "severity IN ('critical', 'high', 'medium', 'low', 'info')", name=op.f("ck_findings_severity")
        ),
        sa.CheckConstraint(
            "status IN ('open', 'fixed', 'accepted', 'false_positive')", name=op.f("ck_findings_status")
        ),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_findings_org_id")),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_findings")),
        comment="A weakness that a scanner reported, one row as long as it lives.",
        info={"primary": ("id",), "natural": (), "importable": True, "replicated": True, "due": None},
        sqlite_with_rowid=True,
    )
    op.create_index("ix_findings_key", "findings", ["org_id", "finding_key"], unique=False)
    op.create_index(op.f("ix_findings_org_id_revision"), "findings", ["org_id", "revision"], unique=False)
    op.create_table(
        "deploys",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("id", sa.String(length=200), nullable=False, comment="identifier"),
        sa.Column("service_id", sa.String(length=200), nullable=True, comment="service"),
        sa.Column("version", sa.Text(), nullable=True, comment="version or commit"),
        sa.Column("environment", sa.Text(), nullable=True, comment="environment"),
        sa.Column("deployed_at", Instant(), nullable=False, comment="when"),
        sa.Column("actor", sa.Text(), nullable=False, comment="who"),
        sa.Column("change_ref", sa.Text(), nullable=True, comment="change ticket or pull request"),
        sa.Column("status", sa.String(length=60), nullable=False, comment="how it ended"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.CheckConstraint("status IN ('succeeded', 'failed', 'rolled_back')", name=op.f("ck_deploys_status")),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_deploys_org_id")),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_deploys")),
        comment="A change that went live.",
        info={"primary": ("id",), "natural": (), "importable": True, "replicated": True, "due": None},
        sqlite_with_rowid=True,
    )
    op.create_index(op.f("ix_deploys_org_id_revision"), "deploys", ["org_id", "revision"], unique=False)
    op.create_table(
        "connections",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("id", sa.String(length=200), nullable=False, comment="identifier"),
        sa.Column("kind", sa.String(length=60), nullable=False, comment="kind of system"),
        sa.Column("name", sa.Text(), nullable=False, comment="name"),
        sa.Column("status", sa.String(length=60), nullable=False, comment="state"),
        sa.Column("settings", Json(), nullable=True, comment="settings without secrets"),
        sa.Column("created_by", sa.Text(), nullable=False, comment="who created it"),
        sa.Column("created_at", Instant(), nullable=False, comment="when"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.CheckConstraint(
            "kind IN ('chat', 'paging', 'issue_tracker', 'service_management', 'source_host', 'monitoring', 'metrics')",
            name=op.f("ck_connections_kind"),
        ),
        sa.CheckConstraint("status IN ('placeholder', 'configured', 'disabled')", name=op.f("ck_connections_status")),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_connections_org_id")),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_connections")),
        comment="A placeholder for an integration: names a system, holds no credential.",
        info={"primary": ("id",), "natural": (), "importable": False, "replicated": True, "due": None},
        sqlite_with_rowid=True,
    )
    op.create_index(op.f("ix_connections_org_id_revision"), "connections", ["org_id", "revision"], unique=False)


def downgrade() -> None:
    op.drop_table("connections")
    op.drop_table("deploys")
    op.drop_table("findings")
