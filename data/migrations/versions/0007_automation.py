"""Policies, dry-runs, executions and approvals."""

import sqlalchemy as sa
from alembic import op

from engine.store.types import Instant, Json

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    op.create_table(
        "policies",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("id", sa.String(length=200), nullable=False, comment="identifier of this version"),
        sa.Column("policy", sa.Text(), nullable=False, comment="identifier of the policy through all versions"),
        sa.Column("version", sa.BigInteger(), nullable=False, comment="version, from 1"),
        sa.Column("kind", sa.String(length=60), nullable=False, comment="governance text or guardrail of automations"),
        sa.Column("title", sa.Text(), nullable=False, comment="title"),
        sa.Column("playbook", sa.Text(), nullable=True, comment="playbook that a guardrail is for"),
        sa.Column("state", sa.String(length=60), nullable=False, comment="state"),
        sa.Column("body", sa.Text(), nullable=True, comment="text"),
        sa.Column("rules", Json(), nullable=True, comment="rules that are evaluated"),
        sa.Column("owner", sa.Text(), nullable=True, comment="e-mail address of the owner"),
        sa.Column("accepted_by", sa.Text(), nullable=True, comment="who accepted it"),
        sa.Column("accepted_at", Instant(), nullable=True, comment="when it was accepted"),
        sa.Column("review_due_on", sa.Date(), nullable=True, comment="next review"),
        sa.Column("workspace_id", sa.Text(), nullable=True, comment="workspace"),
        sa.Column("moves", sa.BigInteger(), nullable=False, comment="times that the date moved"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.CheckConstraint("kind IN ('governance', 'automation')", name=op.f("ck_policies_kind")),
        sa.CheckConstraint("state IN ('draft', 'active', 'retired')", name=op.f("ck_policies_state")),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_policies_org_id")),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_policies")),
        comment="A version of a policy document: a governance policy or the guardrail of a playbook.",
        info={"primary": ("id",), "natural": (), "importable": True, "replicated": True, "due": "review_due_on"},
        sqlite_with_rowid=True,
    )
    op.create_index(op.f("ix_policies_org_id_revision"), "policies", ["org_id", "revision"], unique=False)
    op.create_table(
        "policy_controls",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("policy_id", sa.String(length=200), nullable=False, comment="policy version"),
        sa.Column("framework", sa.String(length=60), nullable=False, comment="framework of the control"),
        sa.Column("control_id", sa.String(length=60), nullable=False, comment="identifier in that framework"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_policy_controls_org_id")),
        sa.PrimaryKeyConstraint("org_id", "policy_id", "framework", "control_id", name=op.f("pk_policy_controls")),
        comment="A control that a policy version supports.",
        info={
            "primary": ("policy_id", "framework", "control_id"),
            "natural": (),
            "importable": True,
            "replicated": True,
            "due": None,
        },
        sqlite_with_rowid=True,
    )
    op.create_index(op.f("ix_policy_controls_org_id_revision"), "policy_controls", ["org_id", "revision"], unique=False)
    op.create_table(
        "dry_runs",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("id", sa.String(length=200), nullable=False, comment="identifier"),
        sa.Column("playbook", sa.Text(), nullable=False, comment="playbook"),
        sa.Column("policy_id", sa.Text(), nullable=True, comment="policy version it was held against"),
        sa.Column("inputs_hash", sa.Text(), nullable=False, comment="SHA-256 of the canonical inputs"),
        sa.Column("inputs", Json(), nullable=True, comment="inputs"),
        sa.Column("outcome", sa.String(length=60), nullable=False, comment="how it ended"),
        sa.Column("plan", Json(), nullable=True, comment="computed plan"),
        sa.Column("incident_id", sa.Text(), nullable=True, comment="incident"),
        sa.Column("actor", sa.Text(), nullable=False, comment="who"),
        sa.Column("ran_at", Instant(), nullable=False, comment="when"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.CheckConstraint("outcome IN ('succeeded', 'failed', 'blocked')", name=op.f("ck_dry_runs_outcome")),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_dry_runs_org_id")),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_dry_runs")),
        comment="A rehearsal of a playbook that computed its plan and changed nothing.",
        info={"primary": ("id",), "natural": (), "importable": True, "replicated": True, "due": None},
        sqlite_with_rowid=True,
    )
    op.create_index(op.f("ix_dry_runs_org_id_revision"), "dry_runs", ["org_id", "revision"], unique=False)
    op.create_table(
        "executions",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("id", sa.String(length=200), nullable=False, comment="identifier"),
        sa.Column("playbook", sa.Text(), nullable=False, comment="playbook"),
        sa.Column("dry_run_id", sa.String(length=200), nullable=False, comment="dry-run that allowed it"),
        sa.Column("incident_id", sa.Text(), nullable=True, comment="incident"),
        sa.Column("mode", sa.String(length=60), nullable=False, comment="how it was asked for"),
        sa.Column("status", sa.String(length=60), nullable=False, comment="state"),
        sa.Column("approval_note", sa.Text(), nullable=False, comment="why it was approved"),
        sa.Column("rollback_plan", sa.Text(), nullable=False, comment="how to go back"),
        sa.Column("actor", sa.Text(), nullable=False, comment="who"),
        sa.Column("executed_at", Instant(), nullable=False, comment="when"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.CheckConstraint("mode IN ('execute', 'remediate')", name=op.f("ck_executions_mode")),
        sa.CheckConstraint(
            "status IN ('recorded', 'succeeded', 'failed', 'rolled_back')", name=op.f("ck_executions_status")
        ),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_executions_org_id")),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_executions")),
        comment="A guarded execution of a playbook after a successful dry-run.",
        info={"primary": ("id",), "natural": (), "importable": True, "replicated": True, "due": None},
        sqlite_with_rowid=True,
    )
    op.create_index(op.f("ix_executions_org_id_revision"), "executions", ["org_id", "revision"], unique=False)
    op.create_table(
        "approvals",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("id", sa.String(length=200), nullable=False, comment="identifier"),
        sa.Column("kind", sa.Text(), nullable=False, comment="what is asked, such as execution or policy"),
        sa.Column("subject", sa.Text(), nullable=False, comment="identifier of the thing to decide on"),
        sa.Column("status", sa.String(length=60), nullable=False, comment="state"),
        sa.Column("requested_by", sa.Text(), nullable=False, comment="who asked"),
        sa.Column("requested_at", Instant(), nullable=False, comment="when"),
        sa.Column("decided_by", sa.Text(), nullable=True, comment="who decided"),
        sa.Column("decided_at", Instant(), nullable=True, comment="when"),
        sa.Column("note", sa.Text(), nullable=True, comment="reason"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.CheckConstraint(
            "status IN ('pending', 'approved', 'rejected', 'expired')", name=op.f("ck_approvals_status")
        ),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_approvals_org_id")),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_approvals")),
        comment="A decision that is asked of somebody, decided once.",
        info={"primary": ("id",), "natural": (), "importable": True, "replicated": True, "due": None},
        sqlite_with_rowid=True,
    )
    op.create_index(op.f("ix_approvals_org_id_revision"), "approvals", ["org_id", "revision"], unique=False)
    op.create_table(
        "policy_blocks",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("id", sa.String(length=200), nullable=False, comment="identifier"),
        sa.Column("playbook", sa.Text(), nullable=False, comment="playbook"),
        sa.Column("policy_id", sa.Text(), nullable=True, comment="policy version that refused"),
        sa.Column("reason", sa.Text(), nullable=False, comment="reason code"),
        sa.Column("message", sa.Text(), nullable=True, comment="reason in words"),
        sa.Column("actor", sa.Text(), nullable=False, comment="who was refused"),
        sa.Column("blocked_at", Instant(), nullable=False, comment="when"),
        sa.Column("overridden", sa.Boolean(), nullable=False, comment="whether somebody overrode it"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_policy_blocks_org_id")),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_policy_blocks")),
        comment="A refusal: what a policy or a guard did not let through.",
        info={"primary": ("id",), "natural": (), "importable": True, "replicated": True, "due": None},
        sqlite_with_rowid=True,
    )
    op.create_index(op.f("ix_policy_blocks_org_id_revision"), "policy_blocks", ["org_id", "revision"], unique=False)
    op.create_table(
        "test_links",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("id", sa.String(length=200), nullable=False, comment="identifier"),
        sa.Column("test_id", sa.Text(), nullable=False, comment="dry-run or test run"),
        sa.Column("framework", sa.String(length=60), nullable=False, comment="framework of the control"),
        sa.Column("control_id", sa.String(length=60), nullable=False, comment="identifier in that framework"),
        sa.Column("bundle_id", sa.Text(), nullable=True, comment="bundle"),
        sa.Column("status", sa.String(length=60), nullable=False, comment="state"),
        sa.Column(
            "supplement", sa.Boolean(), nullable=False, comment="linked to a bundle that was sealed before the test"
        ),
        sa.Column("linked_by", sa.Text(), nullable=False, comment="who"),
        sa.Column("linked_at", Instant(), nullable=False, comment="when"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.CheckConstraint("status IN ('linked', 'rejected')", name=op.f("ck_test_links_status")),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_test_links_org_id")),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_test_links")),
        comment="The output of a test or dry-run, linked to a control and a bundle.",
        info={"primary": ("id",), "natural": (), "importable": True, "replicated": True, "due": None},
        sqlite_with_rowid=True,
    )
    op.create_index(op.f("ix_test_links_org_id_revision"), "test_links", ["org_id", "revision"], unique=False)


def downgrade() -> None:
    op.drop_table("test_links")
    op.drop_table("policy_blocks")
    op.drop_table("approvals")
    op.drop_table("executions")
    op.drop_table("dry_runs")
    op.drop_table("policy_controls")
    op.drop_table("policies")
