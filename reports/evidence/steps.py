"""Which reminders exist: steps towards and past a due date, and controls that got worse; and which of them are owed.

A reminder is named by item, state and step, so that none is sent twice and one that was missed is sent late.
"""

from datetime import date

import polars as pl

from engine.model.declarations.ask import Ask
from reports.shared import ledger
from reports.shared.ordering import STATES_WORST_FIRST, rank
from reports.shared.personal import whom

ATTESTATION_STEPS = (30, 14, 7, 1)
DUTY = (
    *(
        "item",
        "kind",
        "duty",
        "title",
        "owner",
        "recipient",
        "escalate_to",
        "due_on",
        "due_at",
        "days_left",
        "step",
        "owed",
        "late",
    ),
    *("last_reminded_on", "frameworks", "source_ref", "reminder_id"),
)
CHANGE = (
    *("item", "title", "owner", "recipient", "previous_state", "state", "since_on", "trigger", "owed"),
    *("last_reminded_on", "reminder_id"),
)


def duties(obligations: pl.DataFrame, remediations: pl.DataFrame, people: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """Pending duties of the ledger and open remediations, with whom to remind: the owner, else who is accountable.

    Whoever has left is neither reminded nor told of what is late.
    """
    columns = (
        "item",
        "kind",
        "title",
        "owner",
        "accountable",
        "due_on",
        "due_at",
        "days_left",
        "frameworks",
        "source_ref",
        "overdue",
    )
    known = obligations.filter(pl.col("state").is_in(ledger.PENDING)).with_columns(
        item="obligation_id", overdue=pl.col("state") == "overdue"
    )
    closed = pl.col("closed_on") <= ask.as_of
    fixes = remediations.filter(~closed.fill_null(False), pl.col("due_on").is_not_null()).with_columns(
        item=pl.format("remediation:{}", "id"),
        kind=pl.lit("remediation"),
        accountable=pl.lit(None, dtype=pl.String),
        due_at=pl.lit(None, dtype=pl.Datetime("us")),
        days_left=(pl.col("due_on") - ask.as_of).dt.total_days(),
        frameworks=pl.concat_list("framework"),
        source_ref=pl.format("remediations/{}", "id"),
        overdue=pl.col("due_on") < ask.as_of,
    )
    both = pl.concat([known.select(columns), fixes.select(columns)])
    named = both.with_columns(duty=ledger.kind_name().replace({"remediation": "Gap remediation"}))
    return named.with_columns(
        recipient=whom(people, "owner", "accountable"), accountable=whom(people, "accountable")
    ).sort("due_on", "item")


def due_soon(duties: pl.DataFrame, reminders: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """Duties in the last days before they are due; attestations from the first of their steps on."""
    soon = int(ask.settings["due_soon_days"])
    rows = duties.filter(
        pl.col("days_left") >= 0,
        pl.col("days_left") <= pl.when(pl.col("kind") == "attestation").then(max(ATTESTATION_STEPS)).otherwise(soon),
    )
    step = (
        pl.when(pl.col("kind") == "attestation")
        .then(_current_step(ATTESTATION_STEPS))
        .otherwise(_current_step((soon, 1)))
    )
    named = rows.with_columns(step=step, escalate_to=pl.lit(None, dtype=pl.String)).with_columns(
        reminder_id=pl.format("{}@{}|due_soon|{}", "item", "due_on", "step"), late=pl.col("days_left") < pl.col("step")
    )
    return _owed_reminders(named, reminders).select(DUTY).sort("due_on", "item")


def overdue(duties: pl.DataFrame, reminders: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """Duties past their date, worst first; the third step also goes to who is accountable."""
    steps = [int(ask.settings[f"reminder_{name}_days"]) for name in ("first", "second", "third")]
    days_late = -pl.col("days_left")
    reached = pl.max_horizontal(*(pl.when(days_late >= step).then(step) for step in steps))
    named = (
        duties.filter("overdue")
        .with_columns(step=reached.cast(pl.Int64))
        .with_columns(
            escalate_to=pl.when(pl.col("step") >= steps[-1], pl.col("accountable") != pl.col("recipient")).then(
                "accountable"
            ),
            reminder_id=pl.format("{}@{}|overdue|{}", "item", "due_on", pl.col("step").fill_null(0)),
            late=(days_late > pl.col("step")).fill_null(False),
        )
    )
    return (
        _owed_reminders(named, reminders)
        .with_columns(owed=pl.col("owed") & pl.col("step").is_not_null())
        .select(DUTY)
        .sort("due_on", "item")
    )


def regressions(
    status: pl.DataFrame,
    evidence: pl.DataFrame,
    changes: pl.DataFrame,
    people: pl.DataFrame,
    reminders: pl.DataFrame,
    last_snapshot: date | None,
) -> pl.DataFrame:
    """Controls in a worse state than the last snapshot found them in, or that it found worse than before."""
    key = ["framework", "control_id"]
    seen = (
        changes.sort("observed_on", "state")
        .group_by(key, maintain_order=True)
        .last()
        .select(*key, "observed_on", "previous", "trigger_event", seen="state")
    )
    opposed = (
        evidence.filter(pl.col("contradicted_by").is_not_null())
        .sort("contradicted_at", "contradicted_by")
        .group_by(key, maintain_order=True)
        .agg(pl.col("contradicted_by").last())
    )
    fresh = pl.col("seen") == pl.col("state")
    expression = pl.col("observed_on") >= (last_snapshot or date.max)
    rows = (
        status.filter("applicable")
        .join(seen, on=key)
        .join(opposed, on=key, how="left")
        .with_columns(before=pl.when(fresh & expression).then("previous").when(~fresh).then("seen"))
        .filter(_worse("state", "before"))
        .with_columns(
            item=pl.format("{}:{}", "framework", "control_id"),
            previous_state="before",
            since_on=pl.coalesce("state_since", "observed_on"),
            trigger=pl.coalesce(
                pl.when(fresh).then("trigger_event"),
                pl.when(pl.col("state") == "ineffective").then(pl.coalesce("failing_test", "contradicted_by")),
                pl.when("change_invalidated").then(pl.lit("the control changed after its evidence")),
                pl.when(pl.col("state") == "stale").then(pl.lit("evidence ran out")),
            ),
        )
    )
    named = rows.with_columns(recipient=whom(people, "owner", "accountable")).with_columns(
        reminder_id=pl.format("{}|regressed|{}-{}@{}", "item", "before", "state", "observed_on")
    )
    return (
        _owed_reminders(named, reminders)
        .sort(rank("state", STATES_WORST_FIRST), "since_on", "framework", "position", "control_id")
        .select(CHANGE)
    )


def _worse(now: str, before: str) -> pl.Expr:
    """Whether a state is worse than the one before; controls that did not apply before cannot have got worse."""
    ranked = [word for word in STATES_WORST_FIRST if word != "not_applicable"]
    return pl.col(before).is_in(ranked) & (rank(now, ranked) < rank(before, ranked))


def _current_step(steps: tuple[int, ...]) -> pl.Expr:
    """The nearest step that the days left have come down to."""
    return pl.min_horizontal(*(pl.when(pl.col("days_left") <= step).then(step) for step in steps)).cast(pl.Int64)


def _owed_reminders(named: pl.DataFrame, reminders: pl.DataFrame) -> pl.DataFrame:
    """Whether the reminder was not sent yet, and when its item was last reminded of at all."""
    sent = reminders.select("reminder_id").unique().with_columns(sent=pl.lit(True))
    last = (
        reminders.with_columns(item=pl.col("reminder_id").str.extract(r"^([^@|]*)", 1))
        .group_by("item")
        .agg(last_reminded_on=pl.col("created_on").max())
    )
    return (
        named.join(sent, on="reminder_id", how="left")
        .join(last, on="item", how="left")
        .with_columns(owed=pl.col("sent").is_null())
    )
