"""Of what people are to be reminded: duties due soon, overdue duties, and controls that got worse."""

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.declarations.report import Report
from engine.model.documents.document import Alarm, Document, Opening, Table
from engine.model.figures.figure import Figures
from reports.evidence import reminder_lists, steps
from reports.figures import select
from reports.shared import personal, setup
from reports.shared.wording import all_of as named
from reports.shared.wording import count_of, sentence, some_of

FOREMOST = (
    *("reminder_items_overdue", "reminder_items_due_soon", "controls_regressed", "reminders_to_send"),
    *("reminder_recipients", "reminders_escalated"),
)
STATE_COLUMNS = ("state", "previous_state")
HIDDEN = ("step", "late", "item", "kind", "frameworks", "source_ref", "reminder_id", "owner")
LABELS = {"title": "What", "duty": "Kind", "step": "Step (days)", "late": "After its day", "state": "Is"}


DEFINITIONS = {
    "Regressed": "The control's state is worse than the last snapshot found it, or that snapshot found it worse "
    "than the one before. From best to worst: effective, partial, stale, no data, ineffective.",
    "Step": "Days before or after the due date at which a reminder is owed. Each is sent once; one that was missed "
    "is sent late and says so.",
    "To send now": "Not sent yet for this item, state and step.",
    "Recipient": "The owner, or who is accountable where there is no owner or the owner has left.",
}


def build(destinations: pl.DataFrame, figures: Figures, ask: Ask) -> Document:
    soon, late = figures.rows(reminder_lists.due_soon), figures.rows(reminder_lists.overdue)
    owners = personal.sections(figures.rows(reminder_lists.to_send), "list", reminder_lists.REMINDERS, pl.col("line"))
    return Document(
        *_opening(owners, figures),
        tables=(
            Table(
                "owners",
                "To each recipient now",
                owners,
                note="One mail for each, with all reminders that are owed now.",
            ),
            Table(
                "overdue",
                "Overdue, oldest first",
                late.with_columns(-pl.col("days_left")).rename({"days_left": "days_late"}),
                labels=LABELS,
                hidden=HIDDEN,
            ),
            Table(
                "regressed",
                "Controls that got worse",
                figures.rows(reminder_lists.regressions),
                labels=LABELS,
                state=STATE_COLUMNS,
                hidden=("reminder_id", "owner", "trigger"),
            ),
            Table("due_soon", "Due soon, next first", soon, labels=LABELS, hidden=(*HIDDEN, "escalate_to")),
            Table("settings", "How reminders are sent", _settings(destinations, ask)),
        ),
        definitions=DEFINITIONS,
        warnings=_warnings(figures),
        foremost=FOREMOST,
    )


def _settings(destinations: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    chats = destinations.filter(pl.col("channel") == "chat")["destination"].to_list()
    after = [f"{ask.settings[f'reminder_{name}_days']:g}" for name in ("first", "second", "third")]
    hours = [f"{int(ask.settings[f'quiet_{name}_hour']):02d}:00" for name in ("from", "until")]
    rows = [
        ("E-mail", "to each recipient who has not switched it off"),
        ("Chat", some_of(chats) or "no chat service connected"),
        ("Quiet hours", f"from {hours[0]} to {hours[1]}, local time"),
        ("Cap", "one message for each recipient, digest and day"),
        (
            "Due soon",
            f"{ask.settings['due_soon_days']:g} days and 1 day before; attestations "
            f"{named([count_of(step, 'day') for step in steps.ATTESTATION_STEPS])} before",
        ),
        ("Overdue", f"{named(after)} days after; the last also goes to who is accountable"),
    ]
    return pl.DataFrame(rows, schema={"setting": pl.String, "value": pl.String}, orient="row")


def _opening(owners: pl.DataFrame, figures: Figures) -> Opening:
    worse = count_of(figures["controls_regressed"], "control")
    late = figures["reminder_items_overdue"]
    counts = {
        "reminder_items_overdue": f"{count_of(late, 'duty or remediation', 'duties and remediations')} "
        f"{'is' if late == 1 else 'are'} overdue",
        "reminder_items_due_soon": f"{figures['reminder_items_due_soon']:,} due soon",
        "controls_regressed": f"{worse} got worse",
    }
    present = [words for name, words in counts.items() if figures[name]]
    if not present:
        if figures["last_snapshot_on"]:
            return Opening("Nothing is overdue or due soon.")
        return Opening(
            "Nothing is overdue or due soon, and without a snapshot nobody can tell whether a control got worse.",
            setup.fill("attestations", "evidence_requests", "remediations"),
        )
    start, number = named(present), figures["reminders_to_send"]
    if not number:
        return Opening(f"{start}; nothing is to be sent now.", "Wait: everybody concerned has been reminded.")
    send = f"{count_of(number, 'reminder')} {'is' if number == 1 else 'are'} to be sent"
    first = owners.row(0, named=True)
    if first["recipient"] is None:
        return Opening(
            f"{start}; {send}.", f"Name owners: nobody is known to send {'it' if number == 1 else 'them'} to."
        )
    people = count_of(figures["reminder_recipients"], "person", "people")
    items = count_of(first["items"], "item") + (f", {first['overdue']:,} overdue" if first["overdue"] else "")
    begin = first["message"].rpartition(" Begin with ")[2]
    return Opening(f"{start}; {send} to {people}.", f"Begin with {first['recipient']} ({items}): {begin}")


def _warnings(figures: Figures) -> list[str]:
    warnings: list[str] = []
    if nobody := figures["reminders_without_recipient"]:
        what = some_of(figures.counted_rows("reminders_without_recipient")["line"].to_list(), 2)
        reach = count_of(nobody, "reminder reaches", "reminders reach")
        warnings.append(Alarm(f"{reach} nobody who is there: an administrator names an owner. {sentence(what)}."))
    if figures["last_snapshot_on"] is None:
        warnings.append("No snapshot of the controls is stored yet, so regressions cannot be told.")
    return warnings


REPORT = Report(
    name="sla-reminders",
    title="SLA reminders",
    description="Duties due soon, overdue duties and controls that got worse, with the reminders owed to each person.",
    build=build,
    figures=select(
        *("reminder_items_due_soon", "reminder_items_overdue", "controls_regressed", "remediations_overdue"),
        *("reminder_items_to_send", "reminders_to_send", "reminder_recipients", "reminders_escalated"),
        *("reminders_without_recipient", "last_snapshot_on"),
    ),
    parameters=(),
    schema_version=2,
)
