"""Checks that collect evidence: the controls of a schedule, runs with their rows, proofs, rules of scanners."""

import sqlalchemy as sa
from alembic import op

from engine.store.types import Instant

revision = "0040"
down_revision = "0039"

SCHEDULES = (
    ("check_id", sa.Text(), "check of a file of pulls that tests it; empty where people do"),
    ("pull_file", sa.Text(), "name of that file"),
    ("query_sha256", sa.Text(), "SHA-256 of all that decides what the check answers"),
    ("superseded_on", sa.Date(), "day from which another query of the check took its place"),
    ("unread", sa.Text(), "why the check could not be run the last time; empty when it could"),
    ("unread_at", Instant(), "when that was first so"),
)
RUNS = (
    ("reason", sa.Text(), "why it is not tested"),
    ("rows_sha256", sa.Text(), "SHA-256 of the query, the rows that it saw and what it answered"),
    ("ran_at", Instant(), "when the check ran"),
    ("sequence", sa.BigInteger(), "revision in which the run was written"),
)
OUTCOME = "ck_test_runs_outcome"
TABLES = {
    "schedule_controls": (
        "The controls that a recurring test is about, where it is about more than one: all move alike.",
        (
            ("schedule_id", sa.String(length=200), False, "schedule"),
            ("framework", sa.String(length=60), False, "framework of the control"),
            ("control_id", sa.String(length=60), False, "identifier in that framework"),
        ),
        ("schedule_id", "framework", "control_id"),
    ),
    "check_proofs": (
        "What a check notices: its rows broken in a known way, a column at a time, and what became of its answer.",
        (
            ("check_id", sa.String(length=200), False, "check of a file of pulls"),
            ("source", sa.String(length=200), False, "table whose rows were broken"),
            ("field", sa.String(length=200), False, "column that was broken; * for whole rows"),
            (
                "change",
                sa.String(length=200),
                False,
                "how: emptied, turned, moved, dropped, doubled, rekeyed, exchanged",
            ),
            ("query_sha256", sa.Text(), False, "SHA-256 of all that decides what the check answers, as it was proved"),
            ("tried", sa.BigInteger(), False, "rows that were broken, one at a time"),
            ("exceptions_changed", sa.BigInteger(), False, "breaks that changed the exceptions"),
            ("outcomes_changed", sa.BigInteger(), False, "breaks that changed the outcome"),
            (
                "failures",
                sa.BigInteger(),
                False,
                "breaks that made a check fail that had passed, an empty population aside",
            ),
            ("looked_at", sa.Boolean(), False, "whether a query of the check names the column"),
            ("proved_at", Instant(), False, "when it was tried"),
        ),
        ("check_id", "source", "field", "change"),
    ),
    "tool_rules": (
        "Which controls a rule of a scanner tests: what passed is a test of them as much as what failed.",
        (
            ("tool", sa.String(length=200), False, "scanner, in small letters"),
            ("rule", sa.String(length=200), False, "its identifier of the rule"),
            ("framework", sa.String(length=60), False, "framework of the control"),
            ("control_id", sa.String(length=60), False, "identifier in that framework"),
            ("source", sa.Text(), True, "where it says so"),
        ),
        ("tool", "rule", "framework", "control_id"),
    ),
}


def _outcomes(words: str) -> None:
    with op.batch_alter_table("test_runs") as table:
        table.drop_constraint(op.f(OUTCOME), type_="check")
        table.create_check_constraint(op.f(OUTCOME), f"outcome IN ({words})")


def upgrade() -> None:
    for name, columns in (("testing_schedules", SCHEDULES), ("test_runs", RUNS)):
        with op.batch_alter_table(name) as table:
            for column, kind, comment in columns:
                table.add_column(sa.Column(column, kind, nullable=True, comment=comment))
    _outcomes("'passed', 'failed', 'not_tested'")
    for name, (comment, fields, key) in TABLES.items():
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
            sa.PrimaryKeyConstraint("org_id", *key, name=op.f(f"pk_{name}")),
            comment=comment,
        )
        op.create_index(op.f(f"ix_{name}_org_id_revision"), name, ["org_id", "revision"], unique=False)


def downgrade() -> None:
    for name in reversed(TABLES):
        op.drop_table(name)
    op.execute("UPDATE test_runs SET outcome = NULL WHERE outcome = 'not_tested'")
    _outcomes("'passed', 'failed'")
    for name, columns in (("test_runs", RUNS), ("testing_schedules", SCHEDULES)):
        with op.batch_alter_table(name) as table:
            for column, _, _ in reversed(columns):
                table.drop_column(column)
