"""Committees, capacity and staffing."""

import sqlalchemy as sa
from alembic import op

from engine.store.types import Json

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    op.create_table(
        "owner_capacity",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("email", sa.String(length=200), nullable=False, comment="e-mail address"),
        sa.Column(
            "week",
            sa.String(length=200),
            nullable=False,
            comment="ISO week such as 2026-W47; 'default' for every week without a row",
        ),
        sa.Column("hours", sa.Float(), nullable=False, comment="contracted compliance hours"),
        sa.Column("absence_hours", sa.Float(), nullable=True, comment="planned absence"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_owner_capacity_org_id")),
        sa.PrimaryKeyConstraint("org_id", "email", "week", name=op.f("pk_owner_capacity")),
        comment="Compliance hours of an owner in an ISO week.",
        info={"primary": ("email", "week"), "natural": (), "importable": True, "replicated": True, "due": None},
        sqlite_with_rowid=True,
    )
    op.create_index(op.f("ix_owner_capacity_org_id_revision"), "owner_capacity", ["org_id", "revision"], unique=False)
    op.create_table(
        "committees",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("id", sa.String(length=200), nullable=False, comment="identifier"),
        sa.Column("name", sa.Text(), nullable=False, comment="name"),
        sa.Column("chair", sa.Text(), nullable=True, comment="e-mail address"),
        sa.Column("members", sa.Text(), nullable=True, comment="e-mail addresses joined by '; '"),
        sa.Column("cadence", sa.String(length=60), nullable=False, comment="how often it meets"),
        sa.Column(
            "first_meeting_on", sa.Date(), nullable=False, comment="first meeting; later ones follow the cadence"
        ),
        sa.Column("effort_hours", sa.Float(), nullable=True, comment="hours of preparation for each meeting"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.CheckConstraint(
            "cadence IN ('continuous', 'daily', 'weekly', 'monthly', 'quarterly', 'semi-annual', 'annual')",
            name=op.f("ck_committees_cadence"),
        ),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_committees_org_id")),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_committees")),
        comment="A body that decides on compliance.",
        info={"primary": ("id",), "natural": ("name",), "importable": True, "replicated": True, "due": None},
        sqlite_with_rowid=True,
    )
    op.create_index(op.f("ix_committees_org_id_revision"), "committees", ["org_id", "revision"], unique=False)
    op.create_table(
        "committee_meetings",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("id", sa.String(length=200), nullable=False, comment="identifier"),
        sa.Column("committee_id", sa.String(length=200), nullable=False, comment="committee"),
        sa.Column("held_on", sa.Date(), nullable=False, comment="date"),
        sa.Column("status", sa.String(length=60), nullable=False, comment="state"),
        sa.Column("decisions", Json(), nullable=True, comment="decisions: list of {decision, owner, due_on, status}"),
        sa.Column("moves", sa.BigInteger(), nullable=False, comment="times that the date moved"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.CheckConstraint("status IN ('planned', 'held', 'cancelled')", name=op.f("ck_committee_meetings_status")),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_committee_meetings_org_id")),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_committee_meetings")),
        comment="A meeting that was held or moved.",
        info={"primary": ("id",), "natural": (), "importable": True, "replicated": True, "due": "held_on"},
        sqlite_with_rowid=True,
    )
    op.create_index(
        op.f("ix_committee_meetings_org_id_revision"), "committee_meetings", ["org_id", "revision"], unique=False
    )
    op.create_table(
        "staffing_actions",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("id", sa.String(length=200), nullable=False, comment="hash of organization, week, kind and owner"),
        sa.Column("week", sa.String(length=200), nullable=False, comment="peak week, such as 2026-W47"),
        sa.Column("kind", sa.String(length=60), nullable=False, comment="what is done"),
        sa.Column("owner", sa.Text(), nullable=False, comment="e-mail address of who is relieved"),
        sa.Column("assignee", sa.Text(), nullable=True, comment="e-mail address of who helps"),
        sa.Column("obligation_id", sa.Text(), nullable=True, comment="obligation concerned"),
        sa.Column("relief_hours", sa.Float(), nullable=False, comment="planned relief"),
        sa.Column("relief_actual_hours", sa.Float(), nullable=True, comment="relief that came"),
        sa.Column("status", sa.String(length=60), nullable=False, comment="state"),
        sa.Column("proposed_on", sa.Date(), nullable=False, comment="proposed"),
        sa.Column("tracked_on", sa.Date(), nullable=True, comment="taken up"),
        sa.Column("completed_on", sa.Date(), nullable=True, comment="completed"),
        sa.Column("blocked_reason", sa.Text(), nullable=True, comment="why it does not move"),
        sa.Column("evidence", sa.Text(), nullable=True, comment="reference to proof of completion"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.CheckConstraint(
            "kind IN ('reassign', 'pull_forward', 'borrow', 'defer', 'descope')", name=op.f("ck_staffing_actions_kind")
        ),
        sa.CheckConstraint(
            "status IN ('proposed', 'tracked', 'open', 'completed')", name=op.f("ck_staffing_actions_status")
        ),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_staffing_actions_org_id")),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_staffing_actions")),
        comment="A proposal to relieve a peak week, tracked to its completion.",
        info={"primary": ("id",), "natural": (), "importable": True, "replicated": True, "due": None},
        sqlite_with_rowid=True,
    )
    op.create_index(
        op.f("ix_staffing_actions_org_id_revision"), "staffing_actions", ["org_id", "revision"], unique=False
    )
    op.create_table(
        "plays",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("id", sa.String(length=200), nullable=False, comment="cluster identifier"),
        sa.Column("status", sa.String(length=60), nullable=False, comment="state"),
        sa.Column("owner", sa.Text(), nullable=True, comment="e-mail address"),
        sa.Column("steps", Json(), nullable=True, comment="six steps: list of {step, status, by, at, evidence}"),
        sa.Column("hours_saved", sa.Float(), nullable=True, comment="hours actually saved"),
        sa.Column("started_on", sa.Date(), nullable=True, comment="started"),
        sa.Column("closed_on", sa.Date(), nullable=True, comment="closed"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.CheckConstraint("status IN ('proposed', 'active', 'completed', 'abandoned')", name=op.f("ck_plays_status")),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_plays_org_id")),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_plays")),
        comment="Work on a cluster of obligations that share evidence.",
        info={"primary": ("id",), "natural": (), "importable": True, "replicated": True, "due": None},
        sqlite_with_rowid=True,
    )
    op.create_index(op.f("ix_plays_org_id_revision"), "plays", ["org_id", "revision"], unique=False)


def downgrade() -> None:
    op.drop_table("plays")
    op.drop_table("staffing_actions")
    op.drop_table("committee_meetings")
    op.drop_table("committees")
    op.drop_table("owner_capacity")
