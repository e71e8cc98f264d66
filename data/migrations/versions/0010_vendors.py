"""Vendors and their assurance documents."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    op.create_table(
        "vendors",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("id", sa.String(length=200), nullable=False, comment="identifier"),
        sa.Column("name", sa.Text(), nullable=False, comment="name"),
        sa.Column("service", sa.Text(), nullable=True, comment="what it does for us"),
        sa.Column("owner", sa.Text(), nullable=True, comment="e-mail address of the owner"),
        sa.Column(
            "category",
            sa.Text(),
            nullable=False,
            comment="category of the inheritance rules, such as cloud, saas, payments",
        ),
        sa.Column("tier", sa.String(length=60), nullable=False, comment="risk tier"),
        sa.Column("data_classes", sa.Text(), nullable=True, comment="classes of data it handles, joined by '; '"),
        sa.Column("stores_customer_data", sa.Boolean(), nullable=True, comment="stores customer data"),
        sa.Column("privileged_access", sa.Boolean(), nullable=True, comment="has privileged access"),
        sa.Column("outage_stops_service", sa.Boolean(), nullable=True, comment="its outage stops our service"),
        sa.Column("likelihood", sa.BigInteger(), nullable=True, comment="inherent likelihood, 1 to 5"),
        sa.Column("impact", sa.BigInteger(), nullable=True, comment="inherent impact, 1 to 5"),
        sa.Column("residual_likelihood", sa.BigInteger(), nullable=True, comment="residual likelihood, 1 to 5"),
        sa.Column("residual_impact", sa.BigInteger(), nullable=True, comment="residual impact, 1 to 5"),
        sa.Column("status", sa.String(length=60), nullable=False, comment="state of the assessment"),
        sa.Column("region", sa.Text(), nullable=True, comment="region in which it processes data"),
        sa.Column(
            "handles_phi",
            sa.Boolean(),
            nullable=True,
            comment="handles protected health information: needs a business associate agreement",
        ),
        sa.Column("onboarded_on", sa.Date(), nullable=True, comment="since when"),
        sa.Column("last_review_on", sa.Date(), nullable=True, comment="last review"),
        sa.Column(
            "next_review_on", sa.Date(), nullable=True, comment="next review; from the tier's cadence when empty"
        ),
        sa.Column("offboarded_on", sa.Date(), nullable=True, comment="until when"),
        sa.Column("moves", sa.BigInteger(), nullable=False, comment="times that the date moved"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.CheckConstraint(
            "status IN ('not_assessed', 'in_progress', 'assessed', 'expired')", name=op.f("ck_vendors_status")
        ),
        sa.CheckConstraint("tier IN ('critical', 'high', 'medium', 'low')", name=op.f("ck_vendors_tier")),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_vendors_org_id")),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_vendors")),
        comment="A third party in the risk register. Not assessed is not low.",
        info={
            "primary": ("id",),
            "natural": ("name",),
            "importable": True,
            "replicated": True,
            "due": "next_review_on",
        },
        sqlite_with_rowid=True,
    )
    op.create_index(op.f("ix_vendors_org_id_revision"), "vendors", ["org_id", "revision"], unique=False)
    op.create_table(
        "vendor_documents",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("id", sa.String(length=200), nullable=False, comment="identifier"),
        sa.Column("vendor_id", sa.String(length=200), nullable=False, comment="vendor"),
        sa.Column("kind", sa.String(length=60), nullable=False, comment="kind of document"),
        sa.Column("issued_on", sa.Date(), nullable=True, comment="issued"),
        sa.Column("period_start_on", sa.Date(), nullable=True, comment="first day of the period it covers"),
        sa.Column("period_end_on", sa.Date(), nullable=True, comment="last day of the period it covers"),
        sa.Column("expires_on", sa.Date(), nullable=True, comment="expiry"),
        sa.Column("opinion", sa.String(length=60), nullable=True, comment="auditor's opinion"),
        sa.Column("in_scope", sa.Boolean(), nullable=False, comment="covers the service that we use"),
        sa.Column("cuecs_mapped", sa.Boolean(), nullable=True, comment="its user-entity controls are mapped to ours"),
        sa.Column("flows_down", sa.Boolean(), nullable=True, comment="binds its subcontractors"),
        sa.Column("location", sa.Text(), nullable=True, comment="where it is kept"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.CheckConstraint(
            "kind IN ('soc2_type2', 'soc2_type1', 'iso27001_certificate', 'pci_aoc', 'baa', 'dpa', 'pen_test', 'bridge_letter', 'screening', 'nda', 'training', 'questionnaire')",
            name=op.f("ck_vendor_documents_kind"),
        ),
        sa.CheckConstraint(
            "opinion IN ('unqualified', 'qualified', 'adverse', 'disclaimer')", name=op.f("ck_vendor_documents_opinion")
        ),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_vendor_documents_org_id")),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_vendor_documents")),
        comment="An assurance document of a vendor.",
        info={"primary": ("id",), "natural": (), "importable": True, "replicated": True, "due": None},
        sqlite_with_rowid=True,
    )
    op.create_index(
        op.f("ix_vendor_documents_org_id_revision"), "vendor_documents", ["org_id", "revision"], unique=False
    )


def downgrade() -> None:
    op.drop_table("vendor_documents")
    op.drop_table("vendors")
