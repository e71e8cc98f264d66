"""Frameworks that an organization brings along: controls, mappings, runbooks, vendor inheritance, proposals."""

import sqlalchemy as sa
from alembic import op

from engine.store.types import Json

revision = "0041"
down_revision = "0040"

TABLES = (
    "framework_proposals",
    "framework_inheritance",
    "framework_runbooks",
    "framework_mappings",
    "framework_controls",
    "own_frameworks",
)


def upgrade() -> None:
    op.create_table(
        "own_frameworks",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("id", sa.String(length=200), nullable=False, comment="identifier, as in reports and parameters"),
        sa.Column("title", sa.Text(), nullable=False, comment="what it is called"),
        sa.Column("version", sa.Text(), nullable=True, comment="version"),
        sa.Column("publisher", sa.Text(), nullable=True, comment="who publishes it"),
        sa.Column("source", sa.Text(), nullable=True, comment="where it comes from: address or document"),
        sa.Column(
            "assessable_levels",
            sa.Text(),
            nullable=True,
            comment="levels, baselines or groups that can be assessed, joined by '; '",
        ),
        sa.Column("details", Json(), nullable=True, comment="what the file said beyond the columns"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_own_frameworks_org_id")),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_own_frameworks")),
        comment="A framework of the organization's own beside those of the program.",
    )
    op.create_index(op.f("ix_own_frameworks_org_id_revision"), "own_frameworks", ["org_id", "revision"])
    op.create_table(
        "framework_controls",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("framework", sa.String(length=200), nullable=False, comment="framework"),
        sa.Column("id", sa.String(length=200), nullable=False, comment="identifier in that framework"),
        sa.Column("parent", sa.Text(), nullable=True, comment="the row that it belongs to"),
        sa.Column("kind", sa.String(length=60), nullable=False, comment="group: a heading; control: what is asked for"),
        sa.Column("title", sa.Text(), nullable=False, comment="title"),
        sa.Column("text", sa.Text(), nullable=True, comment="what is asked for, in full"),
        sa.Column(
            "weight",
            sa.BigInteger(),
            nullable=True,
            comment="criticality from 1 to 5; empty where it is not assessable",
        ),
        sa.Column("cadence", sa.String(length=60), nullable=True, comment="how often evidence is expected"),
        sa.Column(
            "evidence_kinds", sa.Text(), nullable=True, comment="kinds of evidence that must be there, joined by ';'"
        ),
        sa.Column("parameters", Json(), nullable=True, comment="parameters of the control"),
        sa.Column("assessable", sa.Boolean(), nullable=False, comment="whether it has a state of its own"),
        sa.Column("replaces", sa.Text(), nullable=True, comment="identifier that it had in an earlier version"),
        sa.Column("group_id", sa.Text(), nullable=True, comment="family under which it is reported"),
        sa.Column("group_title", sa.Text(), nullable=True, comment="name of the family"),
        sa.Column("position", sa.BigInteger(), nullable=False, comment="place in the framework, from 0"),
        sa.Column("details", Json(), nullable=True, comment="what the file said beyond the columns"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.CheckConstraint("kind IN ('group', 'control')", name=op.f("ck_framework_controls_kind")),
        sa.CheckConstraint(
            "cadence IN ('continuous', 'daily', 'weekly', 'monthly', 'quarterly', 'semi-annual', 'annual')",
            name=op.f("ck_framework_controls_cadence"),
        ),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_framework_controls_org_id")),
        sa.PrimaryKeyConstraint("org_id", "framework", "id", name=op.f("pk_framework_controls")),
        comment="A control or a group of controls of a framework of one's own.",
    )
    op.create_index(op.f("ix_framework_controls_org_id_revision"), "framework_controls", ["org_id", "revision"])
    op.create_table(
        "framework_mappings",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column(
            "source_framework", sa.String(length=200), nullable=False, comment="framework that the pair leads from"
        ),
        sa.Column("source_id", sa.String(length=200), nullable=False, comment="control that it leads from"),
        sa.Column("target_framework", sa.String(length=200), nullable=False, comment="framework that it leads to"),
        sa.Column("target_id", sa.String(length=200), nullable=False, comment="control that it leads to"),
        sa.Column("relation", sa.String(length=60), nullable=False, comment="what the first is to the second"),
        sa.Column("strength", sa.Float(), nullable=False, comment="how much of the one the other covers, from 0 to 1"),
        sa.Column("rationale", sa.Text(), nullable=True, comment="why"),
        sa.Column("source", sa.Text(), nullable=True, comment="where the pair was published"),
        sa.Column("source_count", sa.BigInteger(), nullable=True, comment="sources that have the pair"),
        sa.Column(
            "reviewer",
            sa.Text(),
            nullable=True,
            comment="who signed the pair off; without, it is proposed and counts for nothing",
        ),
        sa.Column("reviewed_on", sa.Date(), nullable=True, comment="when"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.CheckConstraint(
            "relation IN ('equal', 'superset', 'subset', 'intersects')", name=op.f("ck_framework_mappings_relation")
        ),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_framework_mappings_org_id")),
        sa.PrimaryKeyConstraint(
            "org_id",
            "source_framework",
            "source_id",
            "target_framework",
            "target_id",
            name=op.f("pk_framework_mappings"),
        ),
        comment="A pair of controls of two frameworks, at least one of which is the organization's own.",
    )
    op.create_index(op.f("ix_framework_mappings_org_id_revision"), "framework_mappings", ["org_id", "revision"])
    op.create_table(
        "framework_runbooks",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("framework", sa.String(length=200), nullable=False, comment="framework"),
        sa.Column(
            "control_pattern",
            sa.String(length=200),
            nullable=False,
            comment="control, or the beginning of several and *",
        ),
        sa.Column("runbook", sa.Text(), nullable=False, comment="name of the runbook"),
        sa.Column(
            "title", sa.Text(), nullable=True, comment="title; that of the program's runbook of the name where empty"
        ),
        sa.Column("playbook", sa.Text(), nullable=True, comment="playbook that does it"),
        sa.Column("effort_hours", sa.Float(), nullable=True, comment="hours that it takes"),
        sa.Column("steps", sa.Text(), nullable=True, comment="steps, joined by ';'"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_framework_runbooks_org_id")),
        sa.PrimaryKeyConstraint("org_id", "framework", "control_pattern", name=op.f("pk_framework_runbooks")),
        comment="The runbook that closes gaps of controls of a framework of one's own.",
    )
    op.create_index(op.f("ix_framework_runbooks_org_id_revision"), "framework_runbooks", ["org_id", "revision"])
    op.create_table(
        "framework_inheritance",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("tier", sa.String(length=200), nullable=False, comment="tier of the vendor; * for any"),
        sa.Column("category", sa.String(length=200), nullable=False, comment="category of the vendor"),
        sa.Column("framework", sa.String(length=200), nullable=False, comment="framework"),
        sa.Column("control_id", sa.String(length=200), nullable=False, comment="control"),
        sa.Column("rule_version", sa.Text(), nullable=False, comment="version of the rule"),
        sa.Column("reason", sa.Text(), nullable=False, comment="why the vendor answers for it"),
        sa.Column("expected_evidence", sa.Text(), nullable=False, comment="kind of document that shows it"),
        sa.Column("model", sa.String(length=60), nullable=False, comment="carve-out or inclusive"),
        sa.Column("customer_side", sa.Text(), nullable=False, comment="what remains with the organization"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.CheckConstraint("model IN ('carve-out', 'inclusive')", name=op.f("ck_framework_inheritance_model")),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_framework_inheritance_org_id")),
        sa.PrimaryKeyConstraint(
            "org_id", "tier", "category", "framework", "control_id", name=op.f("pk_framework_inheritance")
        ),
        comment="A control of a framework of one's own that vendors of a tier and category answer for.",
    )
    op.create_index(op.f("ix_framework_inheritance_org_id_revision"), "framework_inheritance", ["org_id", "revision"])
    op.create_table(
        "framework_proposals",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("framework", sa.String(length=200), nullable=False, comment="framework"),
        sa.Column("version", sa.Text(), nullable=True, comment="version"),
        sa.Column("proposed_on", sa.Date(), nullable=False, comment="when it was read"),
        sa.Column("sha256", sa.Text(), nullable=False, comment="SHA-256 of what is proposed"),
        sa.Column("content", Json(), nullable=False, comment="rows by table"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_framework_proposals_org_id")),
        sa.PrimaryKeyConstraint("org_id", "framework", name=op.f("pk_framework_proposals")),
        comment="A new version of a framework that waits to be accepted.",
    )
    op.create_index(op.f("ix_framework_proposals_org_id_revision"), "framework_proposals", ["org_id", "revision"])
    op.add_column(
        "organization_frameworks",
        sa.Column(
            "in_posture",
            sa.Boolean(),
            nullable=True,
            comment="whether a framework of one's own counts in the posture score; the program's own do",
        ),
    )


def downgrade() -> None:
    op.drop_column("organization_frameworks", "in_posture")
    for name in TABLES:
        op.drop_table(name)
