"""Snapshots, bundles and deliveries."""

import sqlalchemy as sa
from alembic import op

from engine.store.types import Instant, Json

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    op.create_table(
        "readiness_snapshots",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("taken_on", sa.Date(), nullable=False, comment="day"),
        sa.Column("framework", sa.String(length=200), nullable=False, comment="framework"),
        sa.Column("effective", sa.BigInteger(), nullable=False, comment="controls effective"),
        sa.Column("partial", sa.BigInteger(), nullable=False, comment="controls partial"),
        sa.Column("stale", sa.BigInteger(), nullable=False, comment="controls stale"),
        sa.Column("ineffective", sa.BigInteger(), nullable=False, comment="controls ineffective"),
        sa.Column("no_data", sa.BigInteger(), nullable=False, comment="controls without data"),
        sa.Column("not_applicable", sa.BigInteger(), nullable=False, comment="controls not applicable"),
        sa.Column("strict_pct", sa.Float(), nullable=True, comment="strict readiness (F3)"),
        sa.Column("weighted_pct", sa.Float(), nullable=True, comment="weighted readiness (F3)"),
        sa.Column("fresh_pct", sa.Float(), nullable=True, comment="controls with fresh evidence"),
        sa.Column("attested_pct", sa.Float(), nullable=True, comment="attestations that are current"),
        sa.Column("gaps_open", sa.BigInteger(), nullable=True, comment="open gaps"),
        sa.Column("gaps_opened", sa.BigInteger(), nullable=True, comment="gaps opened since the snapshot before"),
        sa.Column("gaps_closed", sa.BigInteger(), nullable=True, comment="gaps closed since the snapshot before"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_readiness_snapshots_org_id")),
        sa.PrimaryKeyConstraint("org_id", "framework", "taken_on", name=op.f("pk_readiness_snapshots")),
        comment="Readiness of a framework on a day, as computed then. Never recomputed with later rules.",
        info={"primary": ("framework", "taken_on"), "natural": (), "importable": True, "replicated": True, "due": None},
        sqlite_with_rowid=True,
    )
    op.create_index(
        op.f("ix_readiness_snapshots_org_id_revision"), "readiness_snapshots", ["org_id", "revision"], unique=False
    )
    op.create_table(
        "posture_snapshots",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("taken_on", sa.Date(), nullable=False, comment="day"),
        sa.Column("score", sa.Float(), nullable=True, comment="posture score (F4)"),
        sa.Column("components", Json(), nullable=True, comment="value of each component; absent ones are missing"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_posture_snapshots_org_id")),
        sa.PrimaryKeyConstraint("org_id", "taken_on", name=op.f("pk_posture_snapshots")),
        comment="Posture score of a day with its components, as computed then.",
        info={"primary": ("taken_on",), "natural": (), "importable": True, "replicated": True, "due": None},
        sqlite_with_rowid=True,
    )
    op.create_index(
        op.f("ix_posture_snapshots_org_id_revision"), "posture_snapshots", ["org_id", "revision"], unique=False
    )
    op.create_table(
        "control_state_changes",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("framework", sa.String(length=60), nullable=False, comment="framework of the control"),
        sa.Column("control_id", sa.String(length=60), nullable=False, comment="identifier in that framework"),
        sa.Column("observed_on", sa.Date(), nullable=False, comment="day of the snapshot"),
        sa.Column("state", sa.String(length=60), nullable=False, comment="state from then on"),
        sa.Column("previous", sa.String(length=60), nullable=True, comment="state before"),
        sa.Column("trigger_event", sa.Text(), nullable=True, comment="audit event that explains the change"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.CheckConstraint(
            "previous IN ('effective', 'partial', 'stale', 'ineffective', 'no_data', 'not_applicable')",
            name=op.f("ck_control_state_changes_previous"),
        ),
        sa.CheckConstraint(
            "state IN ('effective', 'partial', 'stale', 'ineffective', 'no_data', 'not_applicable')",
            name=op.f("ck_control_state_changes_state"),
        ),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_control_state_changes_org_id")),
        sa.PrimaryKeyConstraint(
            "org_id", "framework", "control_id", "observed_on", name=op.f("pk_control_state_changes")
        ),
        comment="The state of a control as first seen in a snapshot; a row only where it changed.",
        info={
            "primary": ("framework", "control_id", "observed_on"),
            "natural": (),
            "importable": True,
            "replicated": True,
            "due": None,
        },
        sqlite_with_rowid=True,
    )
    op.create_index(
        op.f("ix_control_state_changes_org_id_revision"), "control_state_changes", ["org_id", "revision"], unique=False
    )
    op.create_table(
        "obligation_snapshots",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("week", sa.String(length=200), nullable=False, comment="ISO week such as 2026-W47"),
        sa.Column("planned", sa.BigInteger(), nullable=False, comment="obligations planned at the start of the week"),
        sa.Column("planned_hours", sa.Float(), nullable=False, comment="their effort"),
        sa.Column("completed", sa.BigInteger(), nullable=True, comment="completed in the week"),
        sa.Column("slipped", sa.BigInteger(), nullable=True, comment="not completed in the week"),
        sa.Column("forecast", sa.BigInteger(), nullable=True, comment="obligations forecast four weeks before"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_obligation_snapshots_org_id")),
        sa.PrimaryKeyConstraint("org_id", "week", name=op.f("pk_obligation_snapshots")),
        comment="What a week held as planned at its start, and what became of it.",
        info={"primary": ("week",), "natural": (), "importable": True, "replicated": True, "due": None},
        sqlite_with_rowid=True,
    )
    op.create_index(
        op.f("ix_obligation_snapshots_org_id_revision"), "obligation_snapshots", ["org_id", "revision"], unique=False
    )
    op.create_table(
        "catalogue_snapshots",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("taken_on", sa.Date(), nullable=False, comment="day"),
        sa.Column("catalogue_version", sa.Text(), nullable=False, comment="hash of the catalogue"),
        sa.Column("content", Json(), nullable=False, comment="requirements and edges"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_catalogue_snapshots_org_id")),
        sa.PrimaryKeyConstraint("org_id", "taken_on", name=op.f("pk_catalogue_snapshots")),
        comment="The catalogue and crosswalks as an organization last saw them.",
        info={"primary": ("taken_on",), "natural": (), "importable": False, "replicated": True, "due": None},
        sqlite_with_rowid=True,
    )
    op.create_index(
        op.f("ix_catalogue_snapshots_org_id_revision"), "catalogue_snapshots", ["org_id", "revision"], unique=False
    )
    op.create_table(
        "bundles",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("id", sa.String(length=200), nullable=False, comment="identifier"),
        sa.Column("requested_window", sa.Text(), nullable=False, comment="window asked for, such as 30d"),
        sa.Column("window_start_on", sa.Date(), nullable=False, comment="first day"),
        sa.Column("window_end_on", sa.Date(), nullable=False, comment="last day"),
        sa.Column("created_by", sa.Text(), nullable=False, comment="who sealed it"),
        sa.Column("sealed_at", Instant(), nullable=False, comment="when it was sealed"),
        sa.Column("sealed_seq", sa.BigInteger(), nullable=False, comment="audit position that it was sealed at"),
        sa.Column("manifest_sha256", sa.Text(), nullable=True, comment="hash of the manifest"),
        sa.Column("merkle_root", sa.Text(), nullable=True, comment="RFC 6962 root over the files"),
        sa.Column("previous_id", sa.Text(), nullable=True, comment="bundle before"),
        sa.Column("size_bytes", sa.BigInteger(), nullable=True, comment="size of the archive"),
        sa.Column("counts", Json(), nullable=True, comment="rows of each kind"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_bundles_org_id")),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_bundles")),
        comment="A sealed archive of evidence, chained to the one before.",
        info={"primary": ("id",), "natural": (), "importable": True, "replicated": True, "due": None},
        sqlite_with_rowid=True,
    )
    op.create_index(op.f("ix_bundles_org_id_revision"), "bundles", ["org_id", "revision"], unique=False)
    op.create_table(
        "deliveries",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column(
            "id", sa.String(length=200), nullable=False, comment="identifier, the idempotency key of every attempt"
        ),
        sa.Column("kind", sa.Text(), nullable=False, comment="digest"),
        sa.Column("period", sa.Text(), nullable=False, comment="period key such as 2026-W47"),
        sa.Column("channel", sa.String(length=60), nullable=False, comment="channel"),
        sa.Column("recipient", sa.Text(), nullable=False, comment="address, channel name or URL"),
        sa.Column("status", sa.String(length=60), nullable=False, comment="state"),
        sa.Column(
            "content_hash", sa.Text(), nullable=True, comment="hash of the content; equal to that of the preview"
        ),
        sa.Column("payload", Json(), nullable=True, comment="what is sent"),
        sa.Column("late", sa.Boolean(), nullable=False, comment="sent after the day it was owed"),
        sa.Column("attempts", sa.BigInteger(), nullable=False, comment="attempts made"),
        sa.Column("created_at", Instant(), nullable=False, comment="when it was decided"),
        sa.Column("next_attempt_at", Instant(), nullable=True, comment="not before"),
        sa.Column("sent_at", Instant(), nullable=True, comment="when it was accepted by the other side"),
        sa.Column("last_error", sa.Text(), nullable=True, comment="what the last attempt met"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.CheckConstraint("channel IN ('email', 'chat', 'webhook')", name=op.f("ck_deliveries_channel")),
        sa.CheckConstraint("status IN ('pending', 'sent', 'failed', 'skipped')", name=op.f("ck_deliveries_status")),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_deliveries_org_id")),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_deliveries")),
        comment="Outbox and ledger: one row for each digest, period, channel and recipient.",
        info={"primary": ("id",), "natural": (), "importable": False, "replicated": True, "due": None},
        sqlite_with_rowid=True,
    )
    op.create_index(
        "ix_deliveries_ledger", "deliveries", ["org_id", "kind", "period", "channel", "recipient"], unique=True
    )
    op.create_index(op.f("ix_deliveries_org_id_revision"), "deliveries", ["org_id", "revision"], unique=False)
    op.create_table(
        "job_runs",
        sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
        sa.Column("id", sa.String(length=200), nullable=False, comment="identifier"),
        sa.Column("job", sa.Text(), nullable=False, comment="job"),
        sa.Column("started_at", Instant(), nullable=False, comment="start"),
        sa.Column("finished_at", Instant(), nullable=True, comment="end"),
        sa.Column("outcome", sa.String(length=60), nullable=True, comment="how it ended"),
        sa.Column("message", sa.Text(), nullable=True, comment="what happened"),
        sa.Column(
            "revision",
            sa.BigInteger(),
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        sa.CheckConstraint("outcome IN ('succeeded', 'failed', 'skipped')", name=op.f("ck_job_runs_outcome")),
        sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f("fk_job_runs_org_id")),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_job_runs")),
        comment="A run of a scheduled job.",
        info={"primary": ("id",), "natural": (), "importable": False, "replicated": False, "due": None},
        sqlite_with_rowid=True,
    )
    op.create_index(op.f("ix_job_runs_org_id_revision"), "job_runs", ["org_id", "revision"], unique=False)
    op.create_table(
        "leases",
        sa.Column("name", sa.String(length=200), nullable=False, comment="what is leased"),
        sa.Column("holder", sa.String(length=200), nullable=False, comment="process that holds it"),
        sa.Column("until", Instant(), nullable=False, comment="until when"),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_leases")),
        comment="Who may act alone for now, such as the one scheduler of several machines.",
        info={"importable": False, "replicated": False},
    )


def downgrade() -> None:
    op.drop_table("leases")
    op.drop_table("job_runs")
    op.drop_table("deliveries")
    op.drop_table("bundles")
    op.drop_table("catalogue_snapshots")
    op.drop_table("obligation_snapshots")
    op.drop_table("control_state_changes")
    op.drop_table("posture_snapshots")
    op.drop_table("readiness_snapshots")
