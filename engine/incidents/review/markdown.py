"""The Markdown that the documents of an incident are made of. Cells are plain text and are escaped here, once."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Literal, TypeAlias

from engine.incidents.review.records import IncidentRecord, StampedRow
from engine.model.days import spelled_day
from engine.model.records import IncidentTimelineRow
from engine.render.text.prose import inline

MilestoneColumn: TypeAlias = Literal[
    "started_at", "opened_at", "acknowledged_at", "mitigated_at", "resolved_at", "closed_at"
]
LISTED = 200  # lines of a table; the evidence pack has the rest
OUR_CLOCK = {"clock": "ours"}  # what a line says whose sender gave no time
FILL_IN = "*To be filled in by the team:*"
EXECUTED = (
    *("Executed at", "Id", "Playbook", "Mode", "Status", "Dry-run", "By", "Requested by", "Approved by"),
    *("Must differ", "Approval note", "Rollback plan", "Audit"),
)
MILESTONES: tuple[tuple[MilestoneColumn, str], ...] = (
    ("started_at", "Trouble began"),
    ("opened_at", "Detected"),
    ("acknowledged_at", "Acknowledged"),
    ("mitigated_at", "Mitigated"),
    ("resolved_at", "Resolved"),
    ("closed_at", "Closed"),
)


def document(blocks: Iterable[str]) -> bytes:
    """Blocks with a blank line between them, as a file."""
    return ("\n\n".join(block for block in blocks if block) + "\n").encode()


def table(headings: Sequence[str], rows: Sequence[Sequence[object]], *, nothing: str) -> str:
    """A table of at most 200 lines that says how many it leaves out; the sentence ``nothing`` without rows."""
    if not rows:
        return nothing
    lines = [f"| {' | '.join(headings)} |", f"|{' --- |' * len(headings)}"]
    lines += [f"| {' | '.join(cell(value) for value in row)} |" for row in rows[:LISTED]]
    if len(rows) > LISTED:
        lines += ["", f"{len(rows) - LISTED:,} more rows are in the evidence pack."]
    return "\n".join(lines)


def cell(value: object) -> str:
    """A value as escaped text; a dash where there is none."""
    match value:
        case None | "":
            return "–"
        case bool():
            return "yes" if value else "no"
        case datetime():
            return moment(value)
        case int() | float():
            return f"{value:,}"
    return inline(str(value))


def facts(pairs: Iterable[tuple[str, object]]) -> str:
    """Names and values as a list."""
    return "\n".join(f"- **{name}:** {cell(value)}" for name, value in pairs)


def moment(at: datetime) -> str:
    """2026-11-16 19:17:00; the document says in which zone, and an hour that clocks repeat says its offset."""
    return f"{at:%Y-%m-%d %H:%M:%S}{_offset(at)}"


def instant_words(at: datetime) -> str:
    """16 Nov 2026 at 19:17."""
    return f"{spelled_day(at.date())} at {at:%H:%M}{_offset(at)}"


def zone_sentence(record: IncidentRecord) -> str:
    """The one sentence on the time zone of everything below."""
    return f"All times are in {inline(record.organization.time_zone)}."


def _offset(at: datetime) -> str:
    return f" ({at.tzinfo})" if at.fold else ""


def duration(minutes: float) -> str:
    """Minutes for people: 6.5 min, 2 h 8 min, 3 d 4 h."""
    if minutes < 120:
        return f"{minutes:g} min"
    hours, rest = divmod(round(minutes), 60)
    if hours < 48:
        return f"{hours} h {rest} min" if rest else f"{hours} h"
    days, hours = divmod(hours, 24)
    return f"{days} d {hours} h" if hours else f"{days} d"


def timeline_table(record: IncidentRecord) -> str:
    """The history with its milestones and what automations did, in order of time."""
    headings = ("Time", "From detection", "Milestone", "Kind", "Who", "What")
    return table(headings, list(_timeline(record)), nothing="Nothing is recorded.")


def _timeline(record: IncidentRecord) -> Iterator[tuple[object, ...]]:
    incident = record.incident
    milestones: dict[datetime, list[str]] = {}
    for column, name in MILESTONES:
        if (reached_at := incident[column]) is not None:
            milestones.setdefault(reached_at, []).append(name)
    began = incident["started_at"] or incident["opened_at"]
    lines: list[tuple[datetime, str, str, str]] = [
        (row["happened_at"], row["kind"], row["actor"], _entry_text(row)) for row in record.timeline
    ]
    lines += [line for line in _automation(record) if line[0] >= began]
    moments = {line[0] for line in lines}
    lines += [(at, "", "", "") for at in milestones if at not in moments]
    for at, kind, who, what in sorted(lines, key=lambda line: line[0]):
        reached = ", ".join(milestones.pop(at, ()))  # named on the first line of its moment
        yield at, offset(at, incident["opened_at"]), reached, kind, who, what


def _entry_text(row: IncidentTimelineRow) -> str:
    """What a line says, whose clock dates it where it is ours, and what is kept of the body that it came from."""
    ours = row.get("payload") == OUR_CLOCK
    body = f"{row['body']} (by our clock: the sender gave no time)" if ours else row["body"]
    return f"{body} (body {row['payload_id']})" if row["payload_id"] else body


def offset(at: datetime, zero: datetime) -> str:
    """The time from detection with its sign: +6 min, -10 min."""
    seconds = (at - zero).total_seconds()
    return f"{'-' if seconds < 0 else '+'}{duration(round(abs(seconds) / 60))}"


def _automation(record: IncidentRecord) -> Iterator[tuple[datetime, str, str, str]]:
    for run in record.dry_runs:
        yield run["ran_at"], "dry-run", run["actor"], f"Dry-run {run['id']} of {run['playbook']}: {run['outcome']}"
    for done in record.executions:
        what = f"Execution {done['id']} of {done['playbook']}: {done['status'].replace('_', ' ')}"
        yield done["executed_at"], "execution", done["actor"], what


def automation_tables(record: IncidentRecord) -> list[str]:
    """Dry-runs, executions and the approvals of them, each with its place in the audit chain."""
    if not record.dry_runs and not record.executions:
        return ["No automation was rehearsed or executed for this incident."]
    runs = [
        (
            row["ran_at"],
            row["id"],
            row["playbook"],
            row["outcome"],
            row["actor"],
            row["inputs_hash"][:16],
            _place(record, row),
        )
        for row in record.dry_runs
    ]
    done = [
        (
            row["executed_at"],
            row["id"],
            row["playbook"],
            row["mode"],
            row["status"].replace("_", " "),
            row["dry_run_id"],
            row["actor"],
            row["requester"],
            row["approver"],
            ", ".join(map(str, row["separation"])) if isinstance(row["separation"], list) else None,
            row["approval_note"],
            row["rollback_plan"],
            _place(record, row),
        )
        for row in record.executions
    ]
    decided = [
        (
            row["requested_at"],
            row["subject"],
            row["status"],
            row["requested_by"],
            row["decided_by"],
            row["decided_at"],
            row["note"],
            _place(record, row),
        )
        for row in record.approvals
    ]
    began = record.incident["started_at"] or record.incident["opened_at"]
    early = sum(run["ran_at"] < began for run in record.dry_runs)
    verb = "dry-run is" if early == 1 else "dry-runs are"
    return [
        table(("Dry-run at", "Id", "Playbook", "Outcome", "By", "Inputs (SHA-256)", "Audit"), runs, nothing=""),
        table(EXECUTED, done, nothing="Nothing was executed."),
        table(("Asked at", "Of", "Decision", "By", "Decided by", "Decided at", "Note", "Audit"), decided, nothing=""),
        f"{early} {verb} dated before the trouble began." if early else "",
    ]


def deploys_table(record: IncidentRecord) -> str:
    """What went live before the trouble, the nearest services first, and how much went live on others."""
    began = record.incident["started_at"] or record.incident["opened_at"]
    near = sorted(record.deploys, key=lambda row: record.hops[row["service_id"] or ""])
    rows = [
        (
            row["deployed_at"],
            duration(round((began - row["deployed_at"]).total_seconds() / 60, 1)),
            row["id"],
            row["service_id"],
            _distance(record.hops[row["service_id"] or ""]),
            row["version"],
            row["change_ref"],
            row["status"].replace("_", " "),
            row["actor"],
        )
        for row in near
    ]
    headings = ("Live at", "Before", "Id", "Service", "Where", "Version", "Change", "Status", "By")
    text = table(headings, rows, nothing="No change of the service or of those that it needs went live in that time.")
    return f"{text}\n\n{record.elsewhere} more went live on other services." if record.elsewhere else text


def _distance(hops: int) -> str:
    return "the service" if not hops else "needed" if hops == 1 else f"needed, {hops} dependencies away"


def event_table(record: IncidentRecord) -> str:
    """The audit events with their positions and hashes."""
    rows = [
        (str(row["seq"]), row["occurred_at"], row["action"], row["actor"], row["outcome"], row["hash"][:16])
        for row in record.events
    ]
    headings = ("Position", "At", "Action", "Actor", "Outcome", "Hash (first 16 digits)")
    return table(headings, rows, nothing="No audit event names this incident.")


def _place(record: IncidentRecord, row: StampedRow) -> str:
    position = record.position(row)
    return f"{position['seq']} {(position['hash'] or 'removed by retention')[:16]}"
