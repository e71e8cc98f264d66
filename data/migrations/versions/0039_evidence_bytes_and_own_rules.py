"""Evidence whose bytes are held here, and what an organization says that its own actions mean for a control."""

import sqlalchemy as sa
from alembic import op

from engine.store.types import Instant

revision = "0039"
down_revision = "0038"

BEFORE = "A document or record that supports controls, kept elsewhere."
AFTER = "A document or record that supports controls: its bytes are held here, or it is kept elsewhere."
ADDED = (
    ("file", sa.Text(), "name of its file; in an import a path inside the imported folder, whose bytes are held"),
    ("about", sa.Text(), "e-mail address of whom it is about; the owner when empty"),
    ("held_sha256", sa.Text(), "SHA-256 of the bytes that were put into the evidence store"),
    ("held_bytes", sa.BigInteger(), "how many bytes they are"),
    ("media_type", sa.Text(), "what kind of file it is, by its name"),
    ("held_state", sa.String(length=60), "what the last check found of them"),
    ("checked_at", Instant(), "when a check first found that"),
    ("removed", sa.String(length=60), "why the bytes are here no more"),
    ("removed_at", Instant(), "when they were removed"),
    ("run_id", sa.Text(), "test run whose rows it has"),
    ("part", sa.Text(), "what of that run it is"),
)
CHECKS = {
    "ck_evidence_items_held_state": "held_state IN ('whole', 'changed', 'missing')",
    "ck_evidence_items_removed": "removed IN ('erased')",
}


def _describe(comment: str) -> None:
    if op.get_bind().dialect.name == "postgresql":  # SQLite keeps no comments
        op.create_table_comment("evidence_items", comment)


def upgrade() -> None:
    with op.batch_alter_table("evidence_items") as table:
        for name, kind, comment in ADDED:
            table.add_column(sa.Column(name, kind, nullable=True, comment=comment))
        for name, condition in CHECKS.items():
            table.create_check_constraint(op.f(name), condition)
    _describe(AFTER)
    op.create_table(
        "organization_rules",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column(
            "pattern",
            sa.String(length=200),
            nullable=False,
            comment="action in dotted words, or the beginning of one followed by *",
        ),
        sa.Column(
            "outcome",
            sa.String(length=60),
            nullable=False,
            comment="outcome of the events that are meant; any when empty",
        ),
        sa.Column("framework", sa.String(length=60), nullable=False, comment="framework of the control"),
        sa.Column("control_id", sa.String(length=60), nullable=False, comment="identifier in that framework"),
        sa.Column(
            "effect",
            sa.String(length=60),
            nullable=False,
            comment="supports, contradicts, or records: that the event is there is the control at work",
        ),
        sa.Column(
            "family",
            sa.Text(),
            nullable=True,
            comment="a contradiction lasts until a supporting event of the same family; the action's when empty",
        ),
        sa.Column("note", sa.Text(), nullable=True, comment="why the rule is there"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_organization_rules_org_id")),
        sa.PrimaryKeyConstraint(
            "org_id", "pattern", "outcome", "framework", "control_id", name=op.f("pk_organization_rules")
        ),
        sa.CheckConstraint(
            "outcome IN ('any', 'success', 'failure', 'denied')", name=op.f("ck_organization_rules_outcome")
        ),
        sa.CheckConstraint(
            "effect IN ('supports', 'contradicts', 'records')", name=op.f("ck_organization_rules_effect")
        ),
        comment="Rules of one's own: what an action of the audit log says about a control. They win over those that "
        "come along.",
        info={
            "primary": ("pattern", "outcome", "framework", "control_id"),
            "natural": (),
            "importable": True,
            "replicated": True,
            "due": None,
        },
        sqlite_with_rowid=True,
    )
    op.create_index(
        op.f("ix_organization_rules_org_id_revision"), "organization_rules", ["org_id", "revision"], unique=False
    )


def downgrade() -> None:
    op.drop_table("organization_rules")
    _describe(BEFORE)
    with op.batch_alter_table("evidence_items") as table:
        for name in CHECKS:
            table.drop_constraint(op.f(name), type_="check")
        for name, _, _ in reversed(ADDED):
            table.drop_column(name)
