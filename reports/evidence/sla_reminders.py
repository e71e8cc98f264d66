"""Of what people are to be reminded: duties due soon, overdue duties, and controls that got worse."""

from datetime import date

import polars as pl

from engine.model.document import Document, Table
from engine.model.report import Ask, Report
from reports.evidence import steps
from reports.shared import personal
from reports.shared.wording import all_of as named
from reports.shared.wording import count_of, some_of

STATES = {
    "overdue": "overdue",
    "regressed": "got worse",
    "due_soon": "due soon",
    "escalated": "escalated to you",
}
STATE_COLUMNS = ("state", "previous_state")
HIDDEN = ("item", "kind", "frameworks", "source_ref", "reminder_id", "owner")
LABELS = {
    **personal.LABELS,
    "title": "What",
    "due_on": "Due",
    "duty": "Kind",
    "step": "Step (days)",
    "escalate_to": "Also to",
    "last_reminded_on": "Last reminded",
    "owed": "To send now",
    "late": "After its day",
    "previous_state": "Was",
    "state": "Is",
    "since_on": "Since",
    "trigger": "Because of",
}


def build(
    obligations: pl.DataFrame,
    remediations: pl.DataFrame,
    control_status: pl.DataFrame,
    control_evidence: pl.DataFrame,
    state_changes: pl.DataFrame,
    readiness_weeks: pl.DataFrame,
    reminders: pl.DataFrame,
    destinations: pl.DataFrame,
    people: pl.DataFrame,
    ask: Ask,
) -> Document:
    snapshot = readiness_weeks["taken_on"].max()
    last_snapshot = snapshot if isinstance(snapshot, date) else None
    pending = steps.duties(obligations, remediations, people, ask)
    soon, late = steps.due_soon(pending, reminders, ask), steps.overdue(pending, reminders, ask)
    worse = steps.regressions(control_status, control_evidence, state_changes, people, reminders, last_snapshot)
    items = _items(soon, late, worse)
    owners = personal.sections(items, "list", STATES, pl.col("line"))
    counts = {"due_soon": soon.height, "overdue": late.height, "regressed": worse.height}
    return Document(
        headline=_headline(counts, items, owners, last_snapshot),
        summary={
            **counts,
            "overdue_remediations": late.filter(pl.col("kind") == "remediation").height,
            "to_send": sum(int(frame["owed"].sum()) for frame in (soon, late, worse)),
            "recipients": owners["recipient"].drop_nulls().len(),
            "escalated": items.filter(pl.col("list") == "escalated").height,
            "to_nobody": items["recipient"].null_count(),
            "last_snapshot_on": last_snapshot,
        },
        tables=(
            Table("owners", "To each recipient now", owners, labels=LABELS,
                  note="What is owed now, one mail for each. An empty name is nobody: give those items an owner."),
            Table("overdue", "Overdue, oldest first",
                  late.with_columns(-pl.col("days_left")).rename({"days_left": "days_late"}),
                  labels=LABELS, hidden=HIDDEN),
            Table("regressed", "Controls that got worse", worse, labels=LABELS, state=STATE_COLUMNS,
                  hidden=("reminder_id", "owner")),
            Table("due_soon", "Due soon, next first", soon, labels=LABELS, hidden=(*HIDDEN, "escalate_to")),
            Table("settings", "How reminders are sent", _settings(destinations, ask)),
        ),
        definitions=_definitions(ask),
        warnings=_warnings(items, last_snapshot),
    )  # fmt: skip


def _items(soon: pl.DataFrame, late: pl.DataFrame, worse: pl.DataFrame) -> pl.DataFrame:
    """What is owed now: recipient, list and a line for each item, the most urgent first."""
    when = pl.format("{} ({})", "title", personal.days("days_left", "late", "due"))
    change = pl.format("{} {} ({} → {})", "item", "title", "previous_state", "state")
    overdue = late.filter("owed")
    parts = [
        overdue.select("recipient", list=pl.lit("overdue"), line=when),
        worse.filter("owed").select("recipient", list=pl.lit("regressed"), line=change),
        soon.filter("owed").select("recipient", list=pl.lit("due_soon"), line=when),
        overdue.filter(pl.col("escalate_to").is_not_null()).select(
            recipient="escalate_to", list=pl.lit("escalated"), line=when
        ),
    ]
    return pl.concat(parts)


def _settings(destinations: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    chats = destinations.filter(pl.col("channel") == "chat")["destination"].to_list()
    after = [f"{ask.settings[f'reminder_{name}_days']:g}" for name in ("first", "second", "third")]
    hours = [f"{int(ask.settings[f'quiet_{name}_hour']):02d}:00" for name in ("from", "until")]
    rows = [
        ("E-mail", "to each recipient who has not switched it off"),
        ("Chat", some_of(chats) or "no chat service connected"),
        ("Quiet hours", f"from {hours[0]} to {hours[1]}, local time"),
        ("Cap", "one message for each recipient, digest and day"),
        ("Due soon", f"{ask.settings['due_soon_days']:g} days and 1 day before; attestations "
                     f"{named([str(step) for step in steps.ATTESTATION_STEPS])} days before"),
        ("Overdue", f"{named(after)} days after; the last also goes to who is accountable"),
    ]  # fmt: skip
    return pl.DataFrame(rows, schema={"setting": pl.String, "value": pl.String}, orient="row")


def _headline(counts: dict[str, int], items: pl.DataFrame, owners: pl.DataFrame, last_snapshot: date | None) -> str:
    if not any(counts.values()):
        unknown = "" if last_snapshot else ", and without a snapshot nobody can tell whether a control got worse"
        return f"Nothing is overdue or due soon{unknown}."
    start = f"{counts['overdue']:,} overdue, {counts['due_soon']:,} due soon"
    if last_snapshot:
        start += f", {count_of(counts['regressed'], 'control')} worse than before"
    if items.is_empty():
        return f"{start}; everybody concerned has been reminded, nothing is to be sent now."
    first = owners.row(0, named=True)
    who = first["recipient"] or "nobody, because it has no owner"
    people = count_of(owners["recipient"].drop_nulls().len(), "person", "people")
    owed = f"{count_of(items.height, 'reminder')} to {people} {'is' if items.height == 1 else 'are'} to be sent"
    return f"{start}; {owed}, most urgent to {who} ({count_of(first['items'], 'item')}, {first['overdue']:,} overdue)."


def _warnings(items: pl.DataFrame, last_snapshot: date | None) -> list[str]:
    nobody = items["recipient"].null_count()
    warnings = []
    if nobody:
        warnings.append(
            f"{count_of(nobody, 'reminder')} without a recipient: no owner and nobody accountable is known."
        )
    if last_snapshot is None:
        warnings.append("No snapshot of the controls is stored yet, so regressions cannot be told.")
    return warnings


def _definitions(ask: Ask) -> dict[str, str]:
    return {
        "Due soon, overdue": "Duties of the obligation ledger and remediations of gaps that are not done. A duty is "
        "overdue from the day after its due date.",
        "Regressed": "The control's state is worse than the last snapshot found it, or that snapshot found it worse "
        "than the one before. From best to worst: effective, partial, stale, no data, ineffective.",
        "Step": "Days before or after the due date at which a reminder is owed. Each is sent once; one that was missed "
        "is sent late and says so.",
        "To send now": "Not sent yet for this item, state and step.",
        "Recipient": "The owner, or who is accountable where there is no owner or the owner has left.",
    }


REPORT = Report(
    name="sla-reminders",
    title="SLA reminders",
    description="Duties due soon, overdue duties and controls that got worse, with the reminders owed to each person.",
    build=build,
    parameters=(),
)
