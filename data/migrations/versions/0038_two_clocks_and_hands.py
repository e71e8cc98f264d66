"""When a step of an incident was heard, who took and closed it, of whose family it is; approvals that are used up."""

from typing import Any

import sqlalchemy as sa
from alembic import op

from engine.store.types import Instant, Json

revision = "0038"
down_revision = "0037"

KINDS = "'alert', 'note', 'status', 'severity', 'action', 'execution', 'communication', 'rca'"
STEPS = "'acknowledge', 'assign', 'cause', 'relate', 'unrelate', 'close', 'reopen', 'assess'"
STATES = "'pending', 'approved', 'rejected', 'expired'"

COLUMNS: tuple[tuple[str, str, Any, str], ...] = (  # types of columns
    ("policies", "separation", Json(), "which of requester, approver and executor must be different people"),
    ("executions", "approval_id", sa.Text(), "approval that it used up"),
    ("executions", "requester", sa.Text(), "who made the dry-run"),
    ("executions", "approver", sa.Text(), "who approved it"),
    ("executions", "separation", Json(), "which of requester, approver and executor had to be different people"),
    ("approvals", "spent_by", sa.Text(), "execution that used it up"),
    ("approvals", "spent_at", Instant(), "when it was used up"),
    ("incidents", "opened_heard_at", Instant(), "when the console heard of it"),
    ("incidents", "acknowledged_heard_at", Instant(), "when the console heard that somebody took it"),
    ("incidents", "resolved_heard_at", Instant(), "when the console heard that it was resolved"),
    ("incidents", "acknowledged_by", sa.Text(), "who took it"),
    ("incidents", "closed_by", sa.Text(), "who closed it by hand"),
    ("incidents", "parent_id", sa.Text(), "incident of whose family it is"),
    ("incidents", "parent_state", sa.String(length=60), "whether a person confirmed the family"),
    ("incidents", "parent_reason", sa.Text(), "why it belongs to the family"),
    ("incident_timeline", "heard_at", Instant(), "when the console heard of it"),
    (
        "incident_timeline",
        "payload",
        Json(),
        "what a person's step says: to, parent, law, aware_at, classified_at, why",
    ),
    ("early_events", "messages", Json(), "what was heard of the key: state, the sender's time, ours"),
)


def _check(table: str, column: str, condition: str) -> None:
    name = op.f(f"ck_{table}_{column}")
    with op.batch_alter_table(table) as batch:
        batch.drop_constraint(name, type_="check")
        batch.create_check_constraint(name, condition)


def upgrade() -> None:
    for table, name, kind, comment in COLUMNS:
        op.add_column(table, sa.Column(name, kind, nullable=True, comment=comment))
    _check("approvals", "status", f"status IN ({STATES}, 'spent')")
    _check("incident_timeline", "kind", f"kind IN ({KINDS}, {STEPS})")
    with op.batch_alter_table("incidents") as batch:
        batch.create_check_constraint(op.f("ck_incidents_parent_state"), "parent_state IN ('proposed', 'confirmed')")


def downgrade() -> None:
    with op.batch_alter_table("incidents") as batch:
        batch.drop_constraint(op.f("ck_incidents_parent_state"), type_="check")
    _check("incident_timeline", "kind", f"kind IN ({KINDS})")
    _check("approvals", "status", f"status IN ({STATES})")
    for table, name, _, _ in reversed(COLUMNS):
        op.drop_column(table, name)
