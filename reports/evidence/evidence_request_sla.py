"""Whether auditors' requests are answered in time: what is overdue, what will be, and how long answers take."""

from collections.abc import Sequence
from typing import Any

import polars as pl

from engine.model.document import Coverage, Document, Table
from engine.model.formulas import nearest_rank
from engine.model.report import Ask, Report
from reports.evidence.request_items import (
    CLOCKS,
    STATES,
    TO_DO,
    open_requests,
    turnaround_days,
    with_recipients,
)
from reports.shared import personal
from reports.shared.wording import count_of, part_of

BUCKETS = (("0–7", 0, 7), ("8–14", 8, 14), ("15–30", 15, 30), ("31+", 31, None))
SAID = {clock: clock.replace("_", " ") for clock in CLOCKS}
PRIORITIES = ("P1", "P2", "P3", "P4")
PERCENTILES = (50, 90, 95)
HIDDEN = ("framework", "control_id", "requester", "recipient", "owner_left")
LABELS = {
    **personal.LABELS,
    "id": "Request",
    "title": "Asked for",
    "due_on": "Due",
    "days_late": "Days late",
    "age_days": "Age (days)",
    "paused_minutes": "Waiting on requester (minutes)",
    "auditor_status": "Auditor status",
    "on_time_pct": "On time (%)",
    "first_pass_pct": "First pass (%)",
    **{f"turnaround_p{n}": f"Turnaround p{n} (days)" for n in PERCENTILES},
    **{f"open_age_p{n}": f"Open age p{n} (days)" for n in PERCENTILES},
    "sla_days": "SLA (business days)",
    "owner_left": "Owner has left",
}
COLUMNS = (
    *("id", "title", "priority", "owner", "due_on", "days_left", "clock", "auditor_status", "age_days", "returns"),
    *("paused_minutes", "framework", "control_id", "requester", "owner_left", "recipient", "next_step"),
)


def build(requests: pl.DataFrame, people: pl.DataFrame, ask: Ask) -> Document:
    rows = with_recipients(requests, people).with_columns(turnaround=turnaround_days())
    queue = open_requests(rows)
    closed = rows.filter(pl.col("finished_on") >= ask.period_start)
    overdue = queue.filter(pl.col("clock") == "overdue").with_columns(days_late=-pl.col("days_left"))
    at_risk = queue.filter(pl.col("clock") == "at_risk")
    measured = _measures(queue, closed)
    urgent = pl.format("{} ({}, {})", "id", "priority", personal.days("days_left", "late", "due"))
    return Document(
        headline=_headline(requests, queue, overdue, at_risk, measured),
        summary={
            "period_start_on": ask.period_start,
            **measured,
            "paused_minutes_open": int(queue["paused_minutes"].sum()),
            "owners": queue["recipient"].n_unique(),
        },
        tables=(
            Table("overdue", "Overdue, worst first",
                  overdue.select("id", "title", "priority", "owner", "due_on", "days_late", "urgency", *COLUMNS[7:]),
                  note="By days late times priority (P1 four times, P4 once).",
                  labels=LABELS, state=STATES, hidden=(*HIDDEN, "urgency")),
            Table("at_risk", "At risk, next due first", at_risk.select(COLUMNS), labels=LABELS, state=STATES,
                  hidden=(*HIDDEN, "clock", "paused_minutes")),
            Table("owners", "To each owner", personal.sections(queue, "clock", SAID, urgent),
                  note="One section of the digest for each; the backup's where the owner has left. "
                       "An empty name is nobody.",
                  labels=LABELS),
            Table("metrics", "By priority, in the period", _priorities(queue, closed, ask),
                  labels=LABELS),
            Table("by_owner", "By owner, in the period", _by(queue, closed, "owner"), labels=LABELS),
            Table("by_framework", "By framework, in the period", _by(queue, closed, "framework"), labels=LABELS),
            Table("aging", "Age of the open requests", _aging(queue), labels={"age": "Age (days)"}),
        ),
        definitions=_definitions(ask),
        warnings=_warnings(queue, closed),
    )  # fmt: skip


def _measures(queue: pl.DataFrame, closed: pl.DataFrame) -> dict[str, Any]:
    """F5: closed in time of what was closed or is overdue; percentiles of closed and of still open requests."""
    on_time = closed.filter(pl.col("clock") == "closed_on_time").height
    late = closed.height - on_time
    open_now = {clock: queue.filter(pl.col("clock") == clock).height for clock in CLOCKS}
    accepted = closed.filter(pl.col("auditor_status") == "accepted")
    first = accepted.filter(pl.col("returns") == 0).height
    return {
        "open": queue.height,
        **open_now,
        "closed": closed.height,
        "closed_on_time": on_time,
        "closed_late": late,
        "on_time_pct": Coverage(on_time, closed.height + open_now["overdue"]).pct,
        "accepted": accepted.height,
        "accepted_first_pass": first,
        "first_pass_pct": Coverage(first, accepted.height).pct,
        **_ranks("turnaround", closed["turnaround"].drop_nulls().to_list()),
        **_ranks("open_age", queue["age_days"].to_list()),
    }


def _ranks(name: str, values: Sequence[int]) -> dict[str, Any]:
    return {f"{name}_p{pct}": nearest_rank(values, pct) for pct in PERCENTILES}


def _priorities(queue: pl.DataFrame, closed: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    sla = [int(ask.settings[f"request_sla_{priority.lower()}_days"]) for priority in PRIORITIES]
    days = pl.col("priority").replace_strict(list(PRIORITIES), sla, default=None, return_dtype=pl.Int64)
    return _by(queue, closed, "priority", PRIORITIES).insert_column(1, days.alias("sla_days"))


def _by(queue: pl.DataFrame, closed: pl.DataFrame, column: str, wanted: Sequence[str] = ()) -> pl.DataFrame:
    """The same measures for each value of a column, empty ones included; ``wanted`` values come even without rows."""
    found = {*queue[column].to_list(), *closed[column].to_list()}
    values = [*wanted, *sorted(found - {None, *wanted}), *({None} & found)]
    rows = []
    for value in values:
        same = pl.col(column).eq_missing(pl.lit(value, dtype=pl.String))
        rows.append({column: value, **_measures(queue.filter(same), closed.filter(same))})
    names = list(_measures(queue.clear(), closed.clear()))
    schema: dict[str, Any] = {column: pl.String}
    schema |= {name: pl.Float64 if name.endswith("_pct") else pl.Int64 for name in names}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _aging(queue: pl.DataFrame) -> pl.DataFrame:
    rows = []
    for name, low, high in BUCKETS:
        inside = (pl.col("age_days") >= low) & (pl.lit(True) if high is None else pl.col("age_days") <= high)
        held = queue.filter(inside)
        rows.append((name, held.height, *(held.filter(pl.col("priority") == p).height for p in PRIORITIES)))
    schema = {"age": pl.String, "requests": pl.Int64, **dict.fromkeys(PRIORITIES, pl.Int64)}
    return pl.DataFrame(rows, schema=schema, orient="row").rename({p: p.lower() for p in PRIORITIES})


def _headline(
    requests: pl.DataFrame, queue: pl.DataFrame, overdue: pl.DataFrame, at_risk: pl.DataFrame, measured: dict[str, Any]
) -> str:
    if requests.is_empty():
        return "No auditor's request is recorded, so nothing is known about how fast they are answered."
    judged = measured["closed"] + measured["overdue"]
    kept = (
        f"{part_of(measured['closed_on_time'], judged, 'request', ('was', 'were'))} answered in time "
        f"({measured['on_time_pct']} %)"
        if judged
        else "Nothing was closed in the period and nothing is overdue"
    )
    if overdue.height:
        first = overdue.row(0, named=True)
        who = first["recipient"] or "nobody"
        return (
            f"{kept}; {count_of(overdue.height, 'is', 'are')} overdue and {at_risk.height:,} at risk: "
            f"{TO_DO[first['next_step']].format(first['id'])} first "
            f"({first['priority']}, {count_of(first['days_late'], 'day')} late, with {who})."
        )
    if at_risk.height:
        first = at_risk.row(0, named=True)
        return f"{kept}; none is overdue, {at_risk.height:,} at risk: {first['id']} is due {first['due_on']}."
    return f"{kept}; of {count_of(queue.height, 'open request')} none is overdue or at risk."


def _warnings(queue: pl.DataFrame, closed: pl.DataFrame) -> list[str]:
    nobody = queue["recipient"].null_count()
    warnings = [f"{count_of(nobody, 'open request')} without an owner: the digest reaches nobody."] if nobody else []
    if 0 < closed.height < 10:
        warnings.append(f"Only {count_of(closed.height, 'request')} closed in the period: the percentiles say little.")
    return warnings


def _definitions(ask: Ask) -> dict[str, str]:
    sla = ", ".join(f"{p} {ask.settings[f'request_sla_{p.lower()}_days']:g}" for p in PRIORITIES)
    share = f"{100 * ask.settings['at_risk_fraction']:g} %"
    return {
        "SLA": f"Business days from opening, unless a due date was agreed: {sla}.",
        "At risk": f"In the last {share} of the time allowed, at least one business day.",
        "On time": "Closed in the period by their due date, of those closed in the period and those overdue now.",
        "First pass": "Accepted by the auditor without a return, of those accepted in the period.",
        "Turnaround": "Days from opening to closing, less whole days spent waiting on the requester; nearest rank. "
        "Closed requests alone flatter a backlog: read it together with the open age.",
        "Open age": "Days since opening of the requests that are still open; nearest rank.",
        "Paused": "The clock stands only while the status is waiting on requester.",
    }


REPORT = Report(
    name="evidence-request-sla",
    title="Evidence request SLA",
    description="Overdue and at-risk requests of auditors, on-time and first-pass shares, and how long answers take.",
    build=build,
)
