"""What an organization says about its controls."""

import sqlalchemy as sa
from alembic import op

from engine.store.types import Instant, Json

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    op.create_table(
        "control_profiles",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("framework", sa.String(length=60), nullable=False, comment="framework of the control"),
        sa.Column("control_id", sa.String(length=60), nullable=False, comment="identifier in that framework"),
        sa.Column(
            "applicable",
            sa.Boolean(),
            nullable=False,
            comment="false: not applicable, which needs justification, approver and date",
        ),
        sa.Column("justification", sa.Text(), nullable=True, comment="why it applies or does not"),
        sa.Column("approved_by", sa.Text(), nullable=True, comment="who approved the scope"),
        sa.Column("approved_on", sa.Date(), nullable=True, comment="when"),
        sa.Column(
            "cadence", sa.String(length=60), nullable=True, comment="evidence cadence in place of the catalogue's"
        ),
        sa.Column("implementation", sa.Text(), nullable=True, comment="reference to how it is implemented"),
        sa.Column("method", sa.String(length=60), nullable=True, comment="how it is met (PCI DSS)"),
        sa.Column("tested", sa.Boolean(), nullable=True, comment="false: excluded from testing (PCI DSS: Not Tested)"),
        sa.Column(
            "decision", sa.String(length=60), nullable=True, comment="decision on an addressable specification (HIPAA)"
        ),
        sa.Column("rationale", sa.Text(), nullable=True, comment="documented rationale of the decision"),
        sa.Column("decided_on", sa.Date(), nullable=True, comment="date of the decision"),
        sa.Column("target", sa.String(length=60), nullable=True, comment="wanted state (NIST CSF profile)"),
        sa.Column("target_pct", sa.BigInteger(), nullable=True, comment="wanted implementation in percent"),
        sa.Column("policy_pct", sa.BigInteger(), nullable=True, comment="policy defined, percent (CIS)"),
        sa.Column("implemented_pct", sa.BigInteger(), nullable=True, comment="implemented, percent (CIS)"),
        sa.Column("automated_pct", sa.BigInteger(), nullable=True, comment="automated, percent (CIS)"),
        sa.Column("reported_pct", sa.BigInteger(), nullable=True, comment="reported, percent (CIS)"),
        sa.Column("risk_ref", sa.Text(), nullable=True, comment="risk or risk analysis that it answers"),
        sa.Column("systems", sa.Text(), nullable=True, comment="systems concerned, joined by '; '"),
        sa.Column("note", sa.Text(), nullable=True, comment="internal note, never exported to assessors"),
        sa.Column(
            "changed_on",
            sa.Date(),
            nullable=True,
            comment="when the control text, system or implementation last changed",
        ),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.CheckConstraint(
            "cadence IN ('continuous', 'daily', 'weekly', 'monthly', 'quarterly', 'semi-annual', 'annual')",
            name=op.f("ck_control_profiles_cadence"),
        ),
        sa.CheckConstraint(
            "decision IN ('implemented', 'alternative', 'not_implemented')", name=op.f("ck_control_profiles_decision")
        ),
        sa.CheckConstraint(
            "method IN ('defined', 'compensating', 'customised')", name=op.f("ck_control_profiles_method")
        ),
        sa.CheckConstraint("target IN ('effective', 'partial', 'none')", name=op.f("ck_control_profiles_target")),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_control_profiles_org_id")),
        sa.PrimaryKeyConstraint("org_id", "framework", "control_id", name=op.f("pk_control_profiles")),
        comment="Scope, cadence and implementation of a control where they differ from the catalogue.",
        info={
            "primary": ("framework", "control_id"),
            "natural": (),
            "importable": True,
            "replicated": True,
            "due": None,
        },
        sqlite_with_rowid=True,
    )
    op.create_index(
        op.f("ix_control_profiles_org_id_revision"), "control_profiles", ["org_id", "revision"], unique=False
    )
    op.create_table(
        "control_owners",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("framework", sa.String(length=60), nullable=False, comment="framework of the control"),
        sa.Column("control_id", sa.String(length=60), nullable=False, comment="identifier in that framework"),
        sa.Column("email", sa.String(length=200), nullable=False, comment="e-mail address"),
        sa.Column("raci", sa.String(length=60), nullable=False, comment="R, A, C or I"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.CheckConstraint("raci IN ('R', 'A', 'C', 'I')", name=op.f("ck_control_owners_raci")),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_control_owners_org_id")),
        sa.PrimaryKeyConstraint("org_id", "framework", "control_id", "email", "raci", name=op.f("pk_control_owners")),
        comment="Who is responsible, accountable, consulted or informed for a control.",
        info={
            "primary": ("framework", "control_id", "email", "raci"),
            "natural": (),
            "importable": True,
            "replicated": True,
            "due": None,
        },
        sqlite_with_rowid=True,
    )
    op.create_index(op.f("ix_control_owners_org_id_revision"), "control_owners", ["org_id", "revision"], unique=False)
    op.create_table(
        "attestations",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("id", sa.String(length=200), nullable=False, comment="identifier"),
        sa.Column("framework", sa.String(length=60), nullable=False, comment="framework of the control"),
        sa.Column("control_id", sa.String(length=60), nullable=False, comment="identifier in that framework"),
        sa.Column("owner", sa.Text(), nullable=False, comment="e-mail address of the control's owner"),
        sa.Column("attestor", sa.Text(), nullable=True, comment="e-mail address of who signs"),
        sa.Column("statement", sa.Text(), nullable=True, comment="what is attested"),
        sa.Column("due_on", sa.Date(), nullable=False, comment="due, inclusive"),
        sa.Column("outcome", sa.String(length=60), nullable=True, comment="decision; empty while open"),
        sa.Column("attested_at", Instant(), nullable=True, comment="when it was decided"),
        sa.Column("delegated_to", sa.Text(), nullable=True, comment="who signs in place of the owner"),
        sa.Column("withdrawn_on", sa.Date(), nullable=True, comment="when the duty was dropped"),
        sa.Column("moves", sa.BigInteger(), nullable=False, comment="times that the date moved"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.CheckConstraint("outcome IN ('attested', 'rejected')", name=op.f("ck_attestations_outcome")),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_attestations_org_id")),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_attestations")),
        comment="A statement by a named person that a control operates, due on a date.",
        info={
            "primary": ("id",),
            "natural": ("framework", "control_id", "due_on"),
            "importable": True,
            "replicated": True,
            "due": "due_on",
        },
        sqlite_with_rowid=True,
    )
    op.create_index(op.f("ix_attestations_org_id_revision"), "attestations", ["org_id", "revision"], unique=False)
    op.create_table(
        "remediations",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("id", sa.String(length=200), nullable=False, comment="identifier"),
        sa.Column("framework", sa.String(length=60), nullable=False, comment="framework of the control"),
        sa.Column("control_id", sa.String(length=60), nullable=False, comment="identifier in that framework"),
        sa.Column("title", sa.Text(), nullable=True, comment="what will be done"),
        sa.Column("owner", sa.Text(), nullable=True, comment="e-mail address"),
        sa.Column("runbook", sa.Text(), nullable=True, comment="runbook in place of the catalogue's"),
        sa.Column(
            "severity", sa.String(length=60), nullable=True, comment="severity of the gap in place of the computed one"
        ),
        sa.Column("opened_on", sa.Date(), nullable=False, comment="when the gap was found"),
        sa.Column("due_on", sa.Date(), nullable=True, comment="due"),
        sa.Column("closed_on", sa.Date(), nullable=True, comment="closed"),
        sa.Column("status", sa.String(length=60), nullable=False, comment="state"),
        sa.Column("blocked_by", sa.Text(), nullable=True, comment="what it waits for"),
        sa.Column("compensating", sa.Text(), nullable=True, comment="compensating control meanwhile"),
        sa.Column("details", Json(), nullable=True, comment="further facts"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.CheckConstraint("severity IN ('critical', 'high', 'medium', 'low')", name=op.f("ck_remediations_severity")),
        sa.CheckConstraint(
            "status IN ('open', 'in_progress', 'blocked', 'closed')", name=op.f("ck_remediations_status")
        ),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_remediations_org_id")),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_remediations")),
        comment="Work on the gap of a control: who, how much, by when.",
        info={"primary": ("id",), "natural": (), "importable": True, "replicated": True, "due": None},
        sqlite_with_rowid=True,
    )
    op.create_index(op.f("ix_remediations_org_id_revision"), "remediations", ["org_id", "revision"], unique=False)


def downgrade() -> None:
    op.drop_table("remediations")
    op.drop_table("attestations")
    op.drop_table("control_owners")
    op.drop_table("control_profiles")
