"""Systems, flows, exceptions, risks and the ledger of weaknesses."""

import sqlalchemy as sa
from alembic import op

from engine.store.types import Json

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    op.create_table(
        "systems",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("id", sa.String(length=200), nullable=False, comment="identifier"),
        sa.Column("name", sa.Text(), nullable=False, comment="name"),
        sa.Column("owner", sa.Text(), nullable=True, comment="e-mail address"),
        sa.Column("service_id", sa.Text(), nullable=True, comment="service that it is part of"),
        sa.Column("data_classes", sa.Text(), nullable=True, comment="classes of data, joined by '; '"),
        sa.Column("region", sa.Text(), nullable=True, comment="region"),
        sa.Column("boundary", sa.String(length=60), nullable=False, comment="inside or outside the boundary"),
        sa.Column("environment", sa.Text(), nullable=True, comment="environment"),
        sa.Column(
            "frameworks", sa.Text(), nullable=True, comment="frameworks for which it is in scope, joined by '; '"
        ),
        sa.Column("pci_class", sa.String(length=60), nullable=True, comment="PCI DSS class"),
        sa.Column("justification", sa.Text(), nullable=True, comment="why it is out of scope"),
        sa.Column("last_reviewed_on", sa.Date(), nullable=True, comment="last review of the scope"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.CheckConstraint("boundary IN ('inside', 'outside')", name=op.f("ck_systems_boundary")),
        sa.CheckConstraint(
            "pci_class IN ('cde', 'connected_to', 'security_impacting', 'out')", name=op.f("ck_systems_pci_class")
        ),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_systems_org_id")),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_systems")),
        comment="A system in or out of scope, as declared.",
        info={"primary": ("id",), "natural": ("name",), "importable": True, "replicated": True, "due": None},
        sqlite_with_rowid=True,
    )
    op.create_index(op.f("ix_systems_org_id_revision"), "systems", ["org_id", "revision"], unique=False)
    op.create_table(
        "data_flows",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("id", sa.String(length=200), nullable=False, comment="identifier"),
        sa.Column("from_system", sa.String(length=200), nullable=False, comment="from"),
        sa.Column("to_system", sa.String(length=200), nullable=False, comment="to"),
        sa.Column("data_class", sa.Text(), nullable=False, comment="class of data"),
        sa.Column("protocol", sa.Text(), nullable=True, comment="protocol"),
        sa.Column("encrypted", sa.Boolean(), nullable=True, comment="encrypted in transit"),
        sa.Column("vendor_id", sa.Text(), nullable=True, comment="vendor that receives it"),
        sa.Column("agreement_ref", sa.Text(), nullable=True, comment="agreement that covers it"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_data_flows_org_id")),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_data_flows")),
        comment="Data moves from one system to another.",
        info={"primary": ("id",), "natural": (), "importable": True, "replicated": True, "due": None},
        sqlite_with_rowid=True,
    )
    op.create_index(op.f("ix_data_flows_org_id_revision"), "data_flows", ["org_id", "revision"], unique=False)
    op.create_table(
        "exceptions",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("id", sa.String(length=200), nullable=False, comment="identifier"),
        sa.Column("kind", sa.String(length=60), nullable=False, comment="kind"),
        sa.Column("framework", sa.String(length=60), nullable=False, comment="framework of the control"),
        sa.Column("control_id", sa.String(length=60), nullable=False, comment="identifier in that framework"),
        sa.Column("reason", sa.Text(), nullable=False, comment="reason"),
        sa.Column("compensating", sa.Text(), nullable=True, comment="compensating measure"),
        sa.Column("compensating_evidence_on", sa.Date(), nullable=True, comment="newest evidence of the measure"),
        sa.Column("residual", sa.String(length=60), nullable=True, comment="residual rating"),
        sa.Column("approver", sa.Text(), nullable=True, comment="e-mail address"),
        sa.Column("approved_on", sa.Date(), nullable=True, comment="approved"),
        sa.Column("expires_on", sa.Date(), nullable=False, comment="expiry, inclusive"),
        sa.Column("renewals", sa.BigInteger(), nullable=True, comment="times renewed"),
        sa.Column("status", sa.String(length=60), nullable=False, comment="state"),
        sa.Column("worksheet", Json(), nullable=True, comment="compensating control worksheet (PCI DSS)"),
        sa.Column("moves", sa.BigInteger(), nullable=False, comment="times that the date moved"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.CheckConstraint(
            "kind IN ('gap', 'drift', 'accepted_risk', 'compensating')", name=op.f("ck_exceptions_kind")
        ),
        sa.CheckConstraint("residual IN ('critical', 'high', 'moderate', 'low')", name=op.f("ck_exceptions_residual")),
        sa.CheckConstraint(
            "status IN ('draft', 'in_review', 'approved', 'rejected', 'resolved')", name=op.f("ck_exceptions_status")
        ),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_exceptions_org_id")),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_exceptions")),
        comment="An accepted departure from a control, with an end.",
        info={"primary": ("id",), "natural": (), "importable": True, "replicated": True, "due": "expires_on"},
        sqlite_with_rowid=True,
    )
    op.create_index(op.f("ix_exceptions_org_id_revision"), "exceptions", ["org_id", "revision"], unique=False)
    op.create_table(
        "risks",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("id", sa.String(length=200), nullable=False, comment="identifier"),
        sa.Column("title", sa.Text(), nullable=False, comment="title"),
        sa.Column("category", sa.Text(), nullable=True, comment="category"),
        sa.Column("owner", sa.Text(), nullable=True, comment="e-mail address"),
        sa.Column("likelihood", sa.BigInteger(), nullable=True, comment="inherent likelihood, 1 to 5"),
        sa.Column("impact", sa.BigInteger(), nullable=True, comment="inherent impact, 1 to 5"),
        sa.Column("residual_likelihood", sa.BigInteger(), nullable=True, comment="residual likelihood, 1 to 5"),
        sa.Column("residual_impact", sa.BigInteger(), nullable=True, comment="residual impact, 1 to 5"),
        sa.Column(
            "previous_likelihood", sa.BigInteger(), nullable=True, comment="residual likelihood at the previous review"
        ),
        sa.Column("previous_impact", sa.BigInteger(), nullable=True, comment="residual impact at the previous review"),
        sa.Column("treatment", sa.String(length=60), nullable=True, comment="treatment"),
        sa.Column("appetite", sa.BigInteger(), nullable=True, comment="largest cell within appetite for this risk"),
        sa.Column(
            "loss_low",
            sa.Float(),
            nullable=True,
            comment="optional lower bound of a loss, in the organization's currency",
        ),
        sa.Column("loss_high", sa.Float(), nullable=True, comment="optional upper bound of a loss"),
        sa.Column("identified_on", sa.Date(), nullable=True, comment="identified"),
        sa.Column("reviewed_on", sa.Date(), nullable=True, comment="last review"),
        sa.Column("status", sa.String(length=60), nullable=False, comment="state"),
        sa.Column(
            "controls", sa.Text(), nullable=True, comment="controls that treat it, as framework:control joined by '; '"
        ),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.CheckConstraint("status IN ('open', 'closed')", name=op.f("ck_risks_status")),
        sa.CheckConstraint("treatment IN ('mitigate', 'accept', 'transfer', 'avoid')", name=op.f("ck_risks_treatment")),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_risks_org_id")),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_risks")),
        comment="A risk with inherent and residual rating (REPORTS F11). Unknown ratings count as 5 and are flagged.",
        info={"primary": ("id",), "natural": (), "importable": True, "replicated": True, "due": None},
        sqlite_with_rowid=True,
    )
    op.create_index(op.f("ix_risks_org_id_revision"), "risks", ["org_id", "revision"], unique=False)
    op.create_table(
        "poam_items",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("id", sa.String(length=200), nullable=False, comment="number, such as V-12"),
        sa.Column("weakness_key", sa.Text(), nullable=False, comment="gap or finding that it stands for"),
        sa.Column("detected_on", sa.Date(), nullable=False, comment="original detection"),
        sa.Column("due_on", sa.Date(), nullable=False, comment="scheduled completion"),
        sa.Column("status", sa.String(length=60), nullable=False, comment="state"),
        sa.Column("closed_on", sa.Date(), nullable=True, comment="closed"),
        sa.Column("details", Json(), nullable=True, comment="columns of the template that people fill in"),
        sa.Column("moves", sa.BigInteger(), nullable=False, comment="times that the date moved"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.CheckConstraint(
            "status IN ('open', 'completed', 'accepted', 'false_positive')", name=op.f("ck_poam_items_status")
        ),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_poam_items_org_id")),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_poam_items")),
        comment="A numbered weakness of the plan of action and milestones. Numbers are never used again.",
        info={"primary": ("id",), "natural": (), "importable": True, "replicated": True, "due": "due_on"},
        sqlite_with_rowid=True,
    )
    op.create_index(op.f("ix_poam_items_org_id_revision"), "poam_items", ["org_id", "revision"], unique=False)


def downgrade() -> None:
    op.drop_table("poam_items")
    op.drop_table("risks")
    op.drop_table("exceptions")
    op.drop_table("data_flows")
    op.drop_table("systems")
