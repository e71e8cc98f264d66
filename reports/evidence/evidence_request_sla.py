"""Whether auditors' requests are answered in time: what is overdue, what will be, and how long answers take."""

import polars as pl

from engine.model.days import spelled_day
from engine.model.declarations.ask import Ask
from engine.model.declarations.report import Report
from engine.model.documents.document import Alarm, Document, Opening, Table
from engine.model.figures.figure import Figures
from reports.evidence import request_measures
from reports.evidence.request_items import CLOCKS, STATES, TO_DO, open_requests, turnaround_days, with_recipients
from reports.evidence.request_measures import PERCENTILES, PRIORITIES
from reports.figures import select
from reports.shared import personal, setup
from reports.shared.wording import count, count_of, part_of, sentence

SAID = {clock: clock.replace("_", " ") for clock in CLOCKS}
HIDDEN = ("requester", "recipient", "owner_left")
FEW = 10  # closed requests, below which percentiles say little
FIRST_PASS = ("accepted", "accepted_first_pass", "first_pass_pct")
LABELS = {"id": "Request", "title": "Asked for"}
COLUMNS = (
    *("id", "title", "priority", "owner", "due_on", "days_left", "clock", "auditor_status", "age_days", "returns"),
    *("paused_minutes", "framework", "control_id", "requester", "owner_left", "recipient", "next_step"),
)


def build(figures: Figures, ask: Ask) -> Document:
    rows = figures.rows(with_recipients).with_columns(turnaround=turnaround_days())
    queue, closed = open_requests(rows), rows.filter(pl.col("finished_on") >= ask.period_start)
    overdue = queue.filter(pl.col("clock") == "overdue").with_columns(days_late=-pl.col("days_left"))
    at_risk = queue.filter(pl.col("clock") == "at_risk")
    percentiles = tuple(f"{name}_p{pct}" for name in ("turnaround", "open_age") for pct in PERCENTILES)
    rare = ("paused", "on_track", *(percentiles if closed.height < FEW else ()), *FIRST_PASS)
    urgent = pl.format("{} ({}, {})", "id", "priority", personal.days("days_left", "late", "due"))
    return Document(
        *_opening(overdue, at_risk, figures, ask),
        tables=(
            Table(
                "overdue",
                "Overdue, worst first",
                overdue.select("id", "title", "priority", "owner", "due_on", "days_late", "urgency", *COLUMNS[7:]),
                note="By days late times priority (P1 four times, P4 once).",
                labels=LABELS,
                state=STATES,
                hidden=(*HIDDEN, "urgency"),
            ),
            Table(
                "at_risk",
                "At risk, next due first",
                at_risk.select(COLUMNS),
                labels=LABELS,
                state=STATES,
                hidden=(*HIDDEN, "clock", "paused_minutes"),
            ),
            Table(
                "owners",
                "To each owner",
                personal.sections(queue, "clock", SAID, urgent),
                note="One section of the digest for each; the backup's where the owner has left.",
            ),
            Table(
                "metrics", "By priority, in the period", request_measures.by_priority(queue, closed, ask), hidden=rare
            ),
            Table("by_owner", "By owner, in the period", request_measures.by(queue, closed, "owner"), hidden=rare),
            Table(
                "by_framework",
                "By framework, in the period",
                request_measures.by(queue, closed, "framework"),
                hidden=rare,
            ),
            Table("aging", "Age of the open requests", request_measures.aging(queue)),
        ),
        definitions=_definitions(ask),
        warnings=_warnings(queue, figures),
    )


def _opening(overdue: pl.DataFrame, at_risk: pl.DataFrame, figures: Figures, ask: Ask) -> Opening:
    if not figures["requests_recorded"]:
        return Opening(
            "No auditor's request is recorded, so nothing is known about how fast they are answered.",
            setup.fill("evidence_requests"),
        )
    late, closed = figures["requests_overdue"], figures["requests_closed_in_period"]
    in_time = part_of(figures["requests_closed_on_time_in_period"], closed + late, "request", ("was", "were"))
    in_time = f"In {count(ask.period_days, 'day')} {in_time}"
    share = figures["requests_on_time_pct"]
    start = "Nothing was closed in the period" if share is None else f"{in_time} answered in time ({share} %)"
    risk = f"{figures['requests_at_risk']:,} at risk"
    if late:
        first = overdue.row(0, named=True)
        who = f"{first['priority']}, {count_of(first['days_late'], 'day')} late, with {first['recipient'] or 'nobody'}"
        slow = closed - figures["requests_closed_on_time_in_period"]
        also = f", {risk}" if at_risk.height else ""
        also += f" and {count_of(slow, 'was', 'were')} answered late" if slow else ""
        do = sentence(TO_DO[first["next_step"]].format(first["id"]))
        return Opening(f"{start}; {count_of(late, 'is', 'are')} overdue{also}.", f"{do} first ({who}).")
    if at_risk.height:
        first = at_risk.row(0, named=True)
        return Opening(
            f"{start}; none is overdue, {risk}.", f"Answer {first['id']}, due {spelled_day(first['due_on'])}."
        )
    if not figures["requests_open"]:
        return Opening(f"{start}; no request is open.")
    return Opening(f"{start}; of {count_of(figures['requests_open'], 'open request')} none is overdue or at risk.")


def _warnings(queue: pl.DataFrame, figures: Figures) -> list[str]:
    nobody, closed = queue["recipient"].null_count(), figures["requests_closed_in_period"]
    warnings: list[str] = (
        [Alarm(f"{count_of(nobody, 'open request')} without an owner: the digest reaches nobody.")] if nobody else []
    )
    if 0 < closed < FEW:
        warnings.append(f"Only {count_of(closed, 'request')} closed in the period: the percentiles say little.")
    return warnings


def _definitions(ask: Ask) -> dict[str, str]:
    sla = ", ".join(f"{p} {ask.settings[f'request_sla_{p.lower()}_days']:g}" for p in PRIORITIES)
    share = f"{100 * ask.settings['at_risk_fraction']:g} %"
    return {
        "SLA": f"Business days from opening, unless a due date was agreed: {sla}.",
        "At risk": f"In the last {share} of the time allowed, at least one business day.",
        "Turnaround, open age": "Closed requests alone flatter a backlog: read what answers took together with the "
        "age of what is still open.",
        "Paused": "The clock stands only while the status is waiting on requester.",
    }


REPORT = Report(
    name="evidence-request-sla",
    title="Evidence request SLA",
    description="Overdue and at-risk requests of auditors, on-time and first-pass shares, and how long answers take.",
    build=build,
    figures=select(
        *("requests_recorded", "requests_open", *(f"requests_{clock}" for clock in CLOCKS)),
        *("requests_closed_in_period", "requests_closed_on_time_in_period", "requests_closed_late_in_period"),
        *("requests_on_time_pct", "requests_accepted_in_period", "requests_accepted_first_pass_in_period"),
        *("requests_first_pass_pct", *(f"request_turnaround_p{pct}_days" for pct in PERCENTILES)),
        *(f"request_open_age_p{pct}_days" for pct in PERCENTILES),
        *("requests_open_paused_minutes", "request_recipients"),
    ),
    schema_version=2,
)
