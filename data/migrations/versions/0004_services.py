"""Services, dependencies and objectives."""

import sqlalchemy as sa
from alembic import op

from engine.store.types import Instant

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.create_table(
        "services",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("id", sa.String(length=200), nullable=False, comment="identifier"),
        sa.Column("name", sa.Text(), nullable=False, comment="name"),
        sa.Column("owner", sa.Text(), nullable=True, comment="e-mail address of the owner"),
        sa.Column("criticality", sa.BigInteger(), nullable=False, comment="1 (minor) to 5 (vital)"),
        sa.Column("environment", sa.String(length=60), nullable=False, comment="where it runs"),
        sa.Column("internet_facing", sa.Boolean(), nullable=False, comment="reachable from the internet"),
        sa.Column("holds_customer_data", sa.Boolean(), nullable=False, comment="stores or processes customer data"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.CheckConstraint(
            "environment IN ('production', 'staging', 'development')", name=op.f("ck_services_environment")
        ),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_services_org_id")),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_services")),
        comment="A service that is operated: incidents, findings and objectives hang on it.",
        info={"primary": ("id",), "natural": ("name",), "importable": True, "replicated": True, "due": None},
        sqlite_with_rowid=True,
    )
    op.create_index(op.f("ix_services_org_id_revision"), "services", ["org_id", "revision"], unique=False)
    op.create_table(
        "service_dependencies",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("service_id", sa.String(length=200), nullable=False, comment="the service that needs"),
        sa.Column("depends_on_id", sa.String(length=200), nullable=False, comment="the service that is needed"),
        sa.Column("kind", sa.Text(), nullable=True, comment="such as api, database, queue"),
        sa.Column(
            "segmented",
            sa.Boolean(),
            nullable=False,
            comment="network segmentation or strong authentication between the two",
        ),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_service_dependencies_org_id")),
        sa.PrimaryKeyConstraint("org_id", "service_id", "depends_on_id", name=op.f("pk_service_dependencies")),
        comment="A service needs another one.",
        info={
            "primary": ("service_id", "depends_on_id"),
            "natural": (),
            "importable": True,
            "replicated": True,
            "due": None,
        },
        sqlite_with_rowid=True,
    )
    op.create_index(
        op.f("ix_service_dependencies_org_id_revision"), "service_dependencies", ["org_id", "revision"], unique=False
    )
    op.create_table(
        "slo_profiles",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("service_id", sa.String(length=200), nullable=False, comment="service"),
        sa.Column("objective_pct", sa.Float(), nullable=False, comment="target, such as 99.9"),
        sa.Column("indicator", sa.Text(), nullable=True, comment="what is counted as good"),
        sa.Column("window_kind", sa.String(length=60), nullable=False, comment="rolling days or calendar months"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.CheckConstraint("window_kind IN ('rolling', 'calendar')", name=op.f("ck_slo_profiles_window_kind")),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_slo_profiles_org_id")),
        sa.PrimaryKeyConstraint("org_id", "service_id", name=op.f("pk_slo_profiles")),
        comment="The service level objective of a service.",
        info={"primary": ("service_id",), "natural": (), "importable": True, "replicated": True, "due": None},
        sqlite_with_rowid=True,
    )
    op.create_index(op.f("ix_slo_profiles_org_id_revision"), "slo_profiles", ["org_id", "revision"], unique=False)
    op.create_table(
        "slo_buckets",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("service_id", sa.String(length=200), nullable=False, comment="service"),
        sa.Column("bucket_at", Instant(), nullable=False, comment="start of the five minutes"),
        sa.Column("total", sa.BigInteger(), nullable=False, comment="events"),
        sa.Column("bad", sa.BigInteger(), nullable=False, comment="bad events"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_slo_buckets_org_id")),
        sa.PrimaryKeyConstraint("org_id", "service_id", "bucket_at", name=op.f("pk_slo_buckets")),
        comment="Events of a service in five minutes: how many, and how many were bad.",
        info={
            "primary": ("service_id", "bucket_at"),
            "natural": (),
            "importable": True,
            "replicated": True,
            "due": None,
        },
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_slo_buckets_org_id_revision"), "slo_buckets", ["org_id", "revision"], unique=False)


def downgrade() -> None:
    op.drop_table("slo_buckets")
    op.drop_table("slo_profiles")
    op.drop_table("service_dependencies")
    op.drop_table("services")
