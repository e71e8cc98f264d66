"""What auditors asked for and did not get yet, with whom it lies, and what is known of the control behind it."""

import polars as pl

from engine.model.days import spelled_day
from engine.model.declarations.ask import Ask
from engine.model.declarations.report import Report
from engine.model.documents.document import Alarm, Chart, Document, FrameRow, Opening, Table
from engine.model.figures.figure import Figures
from reports.evidence.request_items import CLOCKS, STATES, TO_DO, by_control, open_requests, with_recipients
from reports.figures import select
from reports.shared import setup
from reports.shared.wording import count_of, part_of, sentence

SHOWN = ("id", "title", "priority", "due_on", "clock", "owner", "framework", "control_id")
HIDDEN = (
    *("days_left", "status", "auditor_status", "returns", "evidence_ids", "evidence_held"),
    *("control_state", "evidence_freshness", "age_days", "opened_on", "requester", "backup", "paused_minutes"),
    *("control_title", "owner_left", "next_step"),
)
MOST_NAMED = 3  # requests in one warning
LABELS = {"id": "Request", "title": "Asked for", "status": "Our status"}
DEFINITIONS = {
    "Our status, auditor status": "The first is what we say of the request, the second what the auditor says. Only the "
    "auditor's decides whether it was accepted.",
    "Returns": "How often the auditor sent the answer back.",
    "State of the control": "The state of the control that the request is about, by our own evidence. A control "
    "without data has nothing yet to answer with.",
    "Age": "Days since the request was opened; for closed ones, until it was closed.",
}


def build(control_status: pl.DataFrame, figures: Figures, ask: Ask) -> Document:
    controls = control_status.select(
        "framework", "control_id", control_title="title", control_state="state", evidence_freshness="freshness"
    )
    rows = figures.rows(with_recipients).join(
        controls, on=["framework", "control_id"], how="left", maintain_order="left"
    )
    queue = open_requests(rows)
    closed = rows.filter(pl.col("finished_on") >= ask.period_start).sort("finished_on", "id", descending=[True, False])
    columns = (*SHOWN, *HIDDEN)
    return Document(
        *_opening(queue, figures),
        tables=(
            Table(
                "requests",
                "Open requests, most urgent first",
                queue.select(columns),
                labels=LABELS,
                state=STATES,
                hidden=HIDDEN,
            ),
            Table(
                "controls",
                "Controls that auditors ask about",
                by_control(queue),
                labels={"ids": "Which requests"},
                state=STATES,
            ),
            Table(
                "closed",
                "Closed in the period",
                closed.select(
                    "id",
                    "title",
                    "framework",
                    "control_id",
                    "owner",
                    "priority",
                    "opened_on",
                    "due_on",
                    "finished_on",
                    "clock",
                    "auditor_status",
                    "returns",
                    "evidence_ids",
                    "evidence_held",
                    "age_days",
                    "paused_minutes",
                    "requester",
                ),
                labels=LABELS,
                state=STATES,
                hidden=(
                    *(
                        "requester",
                        "opened_on",
                        "paused_minutes",
                        "returns",
                        "evidence_ids",
                        "evidence_held",
                        "age_days",
                    ),
                ),
            ),
        ),
        charts=_charts(queue),
        definitions=DEFINITIONS,
        warnings=_warnings(queue),
    )


def _opening(queue: pl.DataFrame, figures: Figures) -> Opening:
    recorded, number = figures["requests_recorded"], figures["requests_open"]
    if not recorded:
        return Opening("No auditor's request is recorded.", setup.fill("evidence_requests"))
    if not number:
        return Opening(f"No request is open; {count_of(recorded, 'was', 'were')} closed so far.")
    late, risk = figures["requests_overdue"], figures["requests_at_risk"]
    first = queue.row(0, named=True)
    who = f"{first['owner'] or 'nobody'}{', who has left' if first['owner_left'] else ''}"
    where = f"{first['priority']}, due {spelled_day(first['due_on'])}, with {who}"
    do = sentence(f"{TO_DO[first['next_step']].format(first['id'])} first ({where}).")
    if not late and not risk:
        return Opening(f"Of {count_of(number, 'open request')} none is overdue or at risk.", do)
    if not late:
        return Opening(f"{part_of(risk, number, 'open request')} at risk and none is overdue.", do)
    return Opening(f"{part_of(late, number, 'open request')} overdue{f' and {risk:,} at risk' if risk else ''}.", do)


def _warnings(queue: pl.DataFrame) -> list[str]:
    warnings: list[str] = []
    for flawed, what in (
        (queue.filter(pl.col("owner").is_null()), "has no owner, so name one"),
        (queue.filter("owner_left"), "is with somebody who has left, so {recipient} takes over from {owner}"),
        (
            queue.filter(pl.col("status") == "submitted", pl.col("evidence_ids").list.len() == 0),
            "was submitted without any evidence recorded, so {recipient} records it",
        ),
    ):
        rows = [f"{row['id']} {what.format(**_people(row))}" for row in flawed.iter_rows(named=True)]
        if rows:
            more = [f"{len(rows) - MOST_NAMED:,} more"] if len(rows) > MOST_NAMED else []
            warnings.append(Alarm(f"{'; '.join([*rows[:MOST_NAMED], *more])}."))
    return warnings


def _people(row: FrameRow) -> dict[str, str]:
    return {name: row[name] or "nobody" for name in ("owner", "recipient")}


def _charts(queue: pl.DataFrame) -> list[Chart]:
    if queue.is_empty():
        return []
    frame = (
        queue.group_by("priority", "clock")
        .agg(requests=pl.len().cast(pl.Int64))
        .sort("priority", pl.col("clock").replace_strict({word: n for n, word in enumerate(CLOCKS)}, default=9))
        .with_columns(pl.col("clock").str.replace_all("_", " "))
    )
    alt = "Open requests of each priority by the state of their clock."
    return [Chart("stacked", "Open requests by priority", frame, "priority", "requests", alt, series="clock")]


REPORT = Report(
    name="evidence-requests",
    title="Evidence requests",
    description="Open requests of auditors with owner, due date, both statuses, and the control each one is about.",
    build=build,
    figures=select(
        *("requests_recorded", "requests_open", *(f"requests_{clock}" for clock in CLOCKS)),
        *("requests_awaiting_auditor", "requests_without_owner", "requests_owner_left", "requests_without_control"),
        *("requests_without_evidence", "requests_closed_in_period"),
    ),
    schema_version=2,
    evidence_dates=False,
)
