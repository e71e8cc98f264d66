"""Who is on call when, and windows of maintenance, each with when it was recorded."""

import sqlalchemy as sa
from alembic import op

from engine.store.types import Instant, Json

revision = "0043"
down_revision = "0042"

TABLES = {
    "on_call_shifts": (
        "Who is on call when: for a service, or for all of them.",
        (
            ("id", sa.String(length=200), False, "identifier"),
            ("person", sa.Text(), False, "e-mail address of who is on duty"),
            ("service_id", sa.String(length=200), True, "service that the duty is about; every service without"),
            ("starts_at", Instant(), False, "begin"),
            ("ends_at", Instant(), False, "end"),
            ("rota", sa.Text(), True, "schedule that the shift is from"),
            ("recorded_at", Instant(), True, "when the console recorded it as it is"),
        ),
    ),
    "maintenance_windows": (
        "A time in which alerts of a service, or with certain labels, are expected. Recorded before its start it takes "
        "their incidents out of figures; without a service and without matchers it takes out none.",
        (
            ("id", sa.String(length=200), False, "identifier"),
            ("reason", sa.Text(), False, "why"),
            ("created_by", sa.Text(), True, "who declared it"),
            ("service_id", sa.String(length=200), True, "service that is worked on"),
            (
                "matchers",
                Json(),
                True,
                "labels of the alerts, as Alertmanager matches them: name, value, isRegex, isEqual",
            ),
            ("starts_at", Instant(), False, "begin"),
            ("ends_at", Instant(), False, "end"),
            ("recorded_at", Instant(), True, "when the console recorded it as wide as it is"),
        ),
    ),
}


def upgrade() -> None:
    for name, (comment, fields) in TABLES.items():
        op.create_table(
            name,
            sa.Column("org_id", sa.String(length=200), nullable=False, comment="organization that the row belongs to"),
            *(sa.Column(column, kind, nullable=null, comment=said) for column, kind, null, said in fields),
            sa.Column(
                "revision",
                sa.BigInteger(),
                nullable=False,
                comment="sequence number of the audit event that opened the last change",
            ),
            sa.ForeignKeyConstraint(["org_id"], ["organizations.id"], name=op.f(f"fk_{name}_org_id")),
            sa.PrimaryKeyConstraint("org_id", "id", name=op.f(f"pk_{name}")),
            comment=comment,
        )
        op.create_index(op.f(f"ix_{name}_org_id_revision"), name, ["org_id", "revision"], unique=False)


def downgrade() -> None:
    for name in reversed(TABLES):
        op.drop_table(name)
