"""What auditors asked for and did not get yet, with whom it lies, and what is known of the control behind it."""

import polars as pl

from engine.model.document import Chart, Document, Table
from engine.model.report import Ask, Report
from reports.evidence.request_items import (
    CLOCKS,
    STATES,
    TO_DO,
    open_requests,
    with_recipients,
)
from reports.shared.wording import count_of, part_of, some_of

HIDDEN = (
    *("backup", "requester", "opened_on", "paused_minutes", "control_title", "evidence_freshness", "owner_left"),
    "next_step",
)
LABELS = {
    "id": "Request",
    "title": "Asked for",
    "framework": "Framework",
    "control_id": "Control",
    "control_state": "State of the control",
    "evidence_ids": "Evidence given",
    "opened_on": "Opened",
    "due_on": "Due",
    "finished_on": "Closed",
    "status": "Our status",
    "age_days": "Age (days)",
    "paused_minutes": "Waiting on requester (minutes)",
    "owner_left": "Owner has left",
}
DEFINITIONS = {
    "Our status, auditor status": "The first is what we say of the request, the second what the auditor says. Only the "
    "auditor's decides whether it was accepted.",
    "Clock": "On track, at risk (in the last part of the time allowed, at least one business day before it is due), "
    "overdue (after the end of the due date), or paused while we wait on the requester.",
    "Returns": "How often the auditor sent the answer back.",
    "State of the control": "The state of the control that the request is about, by our own evidence. A control "
    "without data has nothing yet to answer with.",
    "Age": "Days since the request was opened; for closed ones, until it was closed.",
}


def build(requests: pl.DataFrame, control_status: pl.DataFrame, people: pl.DataFrame, ask: Ask) -> Document:
    controls = control_status.select(
        "framework", "control_id", control_title="title", control_state="state", evidence_freshness="freshness"
    )
    rows = with_recipients(requests, people).join(
        controls, on=["framework", "control_id"], how="left", maintain_order="left"
    )
    queue = open_requests(rows)
    closed = rows.filter(pl.col("finished_on") >= ask.period_start).sort("finished_on", "id", descending=[True, False])
    counts = {clock: queue.filter(pl.col("clock") == clock).height for clock in CLOCKS}
    columns = (
        *("id", "title", "framework", "control_id", "owner", "priority", "due_on", "days_left", "clock", "status"),
        *("auditor_status", "returns", "evidence_ids", "control_state", "evidence_freshness", "age_days", "opened_on"),
        *("requester", "backup", "paused_minutes", "control_title", "owner_left", "next_step"),
    )
    return Document(
        headline=_headline(requests, queue, counts),
        summary={
            "open": queue.height,
            **counts,
            "submitted_awaiting_auditor": queue.filter(pl.col("status") == "submitted").height,
            "without_owner": queue["owner"].null_count(),
            "owner_has_left": queue.filter("owner_left").height,
            "without_control": queue["control_id"].null_count(),
            "without_evidence": queue.filter(pl.col("evidence_ids").list.len() == 0).height,
            "closed_in_period": closed.height,
            "ever_asked": requests.height,
        },
        tables=(
            Table("requests", "Open requests, most urgent first", queue.select(columns), labels=LABELS, state=STATES,
                  hidden=HIDDEN),
            Table("controls", "Controls that auditors ask about", _controls(queue), labels=LABELS, state=STATES),
            Table("closed", "Closed in the period",
                  closed.select("id", "title", "framework", "control_id", "owner", "priority", "opened_on", "due_on",
                                "finished_on", "clock", "auditor_status", "returns", "evidence_ids", "age_days",
                                "paused_minutes", "requester"),
                  labels=LABELS, state=STATES, hidden=("requester", "opened_on", "paused_minutes")),
        ),
        charts=_charts(queue),
        definitions=DEFINITIONS,
        warnings=_warnings(queue),
    )  # fmt: skip


def _controls(queue: pl.DataFrame) -> pl.DataFrame:
    """Each control with open requests; the one that is asked about most and worst comes first."""
    return (
        queue.filter(pl.col("control_id").is_not_null())
        .group_by("framework", "control_id")
        .agg(
            pl.col("control_title").first(),
            pl.col("control_state", "evidence_freshness").first(),
            requests=pl.len().cast(pl.Int64),
            overdue=(pl.col("clock") == "overdue").sum().cast(pl.Int64),
            ids=pl.col("id").sort(),
        )
        .sort("overdue", "requests", "framework", "control_id", descending=[True, True, False, False])
    )


def _headline(requests: pl.DataFrame, queue: pl.DataFrame, counts: dict[str, int]) -> str:
    if requests.is_empty():
        return "No auditor's request is recorded; if an audit is running, enter what was asked for."
    if queue.is_empty():
        return f"All {count_of(requests.height, 'request')} that auditors made are closed."
    start = f"{part_of(counts['overdue'], queue.height, 'open request')} overdue and {counts['at_risk']:,} at risk"
    first = queue.row(0, named=True)
    who = "nobody" if first["owner"] is None else first["owner"]
    gone = ", who has left" if first["owner_left"] else ""
    where = f"{first['priority']}, due {first['due_on']}, with {who}{gone}"
    return f"{start}: {TO_DO[first['next_step']].format(first['id'])} first ({where})."


def _warnings(queue: pl.DataFrame) -> list[str]:
    warnings = []
    for flawed, what in (
        (queue.filter(pl.col("owner").is_null()), "without an owner"),
        (queue.filter("owner_left"), "with an owner who has left, so the backup has to take over"),
        (queue.filter(pl.col("status") == "submitted", pl.col("evidence_ids").list.len() == 0),
         "submitted without any evidence recorded"),
    ):  # fmt: skip
        if flawed.height:
            warnings.append(f"{count_of(flawed.height, 'open request')} {what}: {some_of(flawed['id'].to_list())}.")
    return warnings


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
)
