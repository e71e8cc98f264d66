"""Organizations, their settings and their people."""

import sqlalchemy as sa
from alembic import op

from engine.store.types import Instant, Json

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "organizations",
        sa.Column("id", sa.String(length=200), nullable=False, comment="short name used in URLs, files and sessions"),
        sa.Column("name", sa.Text(), nullable=False, comment="legal or trading name"),
        sa.Column("time_zone", sa.Text(), nullable=False, comment="IANA time zone of the business dates"),
        sa.Column("sector", sa.Text(), nullable=True, comment="sector for benchmarks"),
        sa.Column("headcount", sa.BigInteger(), nullable=True, comment="people, for benchmarks"),
        sa.Column("deployment_tier", sa.String(length=60), nullable=False, comment="how the console is deployed"),
        sa.Column("plan", sa.String(length=60), nullable=False, comment="paid plan"),
        sa.Column("data_region", sa.Text(), nullable=True, comment="region in which data is kept"),
        sa.Column("boundary", sa.Text(), nullable=True, comment="who operates what"),
        sa.Column("key_custody", sa.Text(), nullable=True, comment="who holds the encryption keys"),
        sa.Column("auth_mode", sa.Text(), nullable=True, comment="how people sign in"),
        sa.Column("modules", Json(), nullable=True, comment="enabled modules"),
        sa.Column("created_at", Instant(), nullable=False, comment="when the organization was created"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_organizations")),
        comment="A customer, or the reserved platform organization.",
        info={"primary": (), "natural": (), "importable": True, "replicated": True},
    )
    op.create_table(
        "organization_settings",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("name", sa.String(length=200), nullable=False, comment="name of the setting"),
        sa.Column("value", Json(), nullable=False, comment="its value"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_organization_settings_org_id")),
        sa.PrimaryKeyConstraint("org_id", "name", name=op.f("pk_organization_settings")),
        comment="A threshold, weight or channel that an organization set for itself.",
        info={"primary": ("name",), "natural": (), "importable": True, "replicated": True, "due": None},
        sqlite_with_rowid=True,
    )
    op.create_index(
        op.f("ix_organization_settings_org_id_revision"), "organization_settings", ["org_id", "revision"], unique=False
    )
    op.create_table(
        "organization_frameworks",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column(
            "framework", sa.String(length=200), nullable=False, comment="framework or pack, fedramp-poam included"
        ),
        sa.Column("in_scope", sa.Boolean(), nullable=False, comment="whether it is followed now"),
        sa.Column("adopted_on", sa.Date(), nullable=True, comment="since when"),
        sa.Column("target_on", sa.Date(), nullable=True, comment="date by which readiness is wanted"),
        sa.Column("note", sa.Text(), nullable=True, comment="remark, such as the auditor or the level"),
        sa.Column("moves", sa.BigInteger(), nullable=False, comment="times that the date moved"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_organization_frameworks_org_id")),
        sa.PrimaryKeyConstraint("org_id", "framework", name=op.f("pk_organization_frameworks")),
        comment="A framework pack that an organization follows.",
        info={"primary": ("framework",), "natural": (), "importable": True, "replicated": True, "due": "target_on"},
        sqlite_with_rowid=True,
    )
    op.create_index(
        op.f("ix_organization_frameworks_org_id_revision"),
        "organization_frameworks",
        ["org_id", "revision"],
        unique=False,
    )
    op.create_table(
        "workspaces",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("id", sa.String(length=200), nullable=False, comment="identifier"),
        sa.Column("name", sa.Text(), nullable=False, comment="name"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_workspaces_org_id")),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_workspaces")),
        comment="A team's part of an organization: ingest tokens and policies belong to one.",
        info={"primary": ("id",), "natural": ("name",), "importable": True, "replicated": True, "due": None},
        sqlite_with_rowid=True,
    )
    op.create_index(op.f("ix_workspaces_org_id_revision"), "workspaces", ["org_id", "revision"], unique=False)
    op.create_table(
        "users",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("email", sa.String(length=200), nullable=False, comment="e-mail address, lower case"),
        sa.Column("name", sa.Text(), nullable=True, comment="name"),
        sa.Column("title", sa.Text(), nullable=True, comment="job title"),
        sa.Column("active", sa.Boolean(), nullable=False, comment="false once the person has left"),
        sa.Column("preferences", Json(), nullable=True, comment="notification flags"),
        sa.Column("deletion_requested_at", Instant(), nullable=True, comment="when the person asked for deletion"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_users_org_id")),
        sa.PrimaryKeyConstraint("org_id", "email", name=op.f("pk_users")),
        comment="The profile of a person within an organization.",
        info={"primary": ("email",), "natural": (), "importable": True, "replicated": True, "due": None},
        sqlite_with_rowid=True,
    )
    op.create_index(op.f("ix_users_org_id_revision"), "users", ["org_id", "revision"], unique=False)
    op.create_table(
        "memberships",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("email", sa.String(length=200), nullable=False, comment="e-mail address, lower case"),
        sa.Column("role", sa.String(length=60), nullable=False, comment="what the person may do"),
        sa.Column("status", sa.String(length=60), nullable=False, comment="removed members are out at once"),
        sa.Column("workspace_id", sa.Text(), nullable=True, comment="active workspace"),
        sa.Column("since_on", sa.Date(), nullable=True, comment="member since"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.CheckConstraint("role IN ('owner', 'admin', 'operator', 'member')", name=op.f("ck_memberships_role")),
        sa.CheckConstraint("status IN ('active', 'removed')", name=op.f("ck_memberships_status")),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_memberships_org_id")),
        sa.PrimaryKeyConstraint("org_id", "email", name=op.f("pk_memberships")),
        comment="Who may act for an organization, in which role. Read at every request.",
        info={"primary": ("email",), "natural": (), "importable": True, "replicated": True, "due": None},
        sqlite_with_rowid=True,
    )
    op.create_index(op.f("ix_memberships_org_id_revision"), "memberships", ["org_id", "revision"], unique=False)


def downgrade() -> None:
    op.drop_table("memberships")
    op.drop_table("users")
    op.drop_table("workspaces")
    op.drop_table("organization_frameworks")
    op.drop_table("organization_settings")
    op.drop_table("organizations")
