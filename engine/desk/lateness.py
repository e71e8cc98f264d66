"""What is late: the rows that figures of reports count, so that one number has one value on every page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from types import MappingProxyType
from typing import TYPE_CHECKING

from engine.model.errors import NotFound
from engine.runtime.services import Services

if TYPE_CHECKING:  # loaded where it is computed: in a worker
    import polars as pl

    from engine.reporting.snapshot.snapshot import Snapshot

LateDays = Mapping[str, date | None]
"""The rows of a table that are late, by what names them, each with the day on which it was due."""


@dataclass(frozen=True)
class LateFigure:
    """The figure that says which rows of a table are late, in a report that has it.

    ``key`` and ``due`` are columns of what it counts; of duties of the ledger, those of a ``kind``.
    """

    report: str
    figure: str
    key: str
    due: str
    kind: str = ""


def _duty(kind: str) -> LateFigure:
    return LateFigure("calendar", "obligations_overdue", "obligation_id", "due_on", kind)


LATE: Mapping[str, LateFigure] = MappingProxyType(
    {
        "vendors": LateFigure("third-party-vendors", "vendor_reviews_overdue", "vendor_id", "next_review_on"),
        "evidence_requests": LateFigure("evidence-requests", "requests_overdue", "id", "due_on"),
        "attestations": LateFigure("attestations", "attestations_overdue", "id", "due_on"),
        "remediations": LateFigure("gap-remediations", "remediations_overdue", "remediation_id", "due_on"),
        "exceptions": LateFigure("exception-register", "exceptions_expired", "id", "expires_on"),
        "policies": _duty("policy_review"),
        "test_runs": _duty("test_window"),
        "poam_items": _duty("poam_milestone"),
        "committee_meetings": _duty("committee"),
        "organization_frameworks": _duty("audit_checkpoint"),
    }
)
"""Of the tables at the desk whose rows fall due, those of which a figure counts the rows that are late.

That of remediations counts gaps: each piece of work on one of these is late whose own day is over.
"""


def late_rows(services: Services, org_id: str, tables: Sequence[str], now: datetime) -> dict[str, LateDays]:
    """What is late of an organization, by table; nothing where nothing is recorded yet."""
    try:
        with services.snapshots.open(org_id, now=now) as snapshot:
            return {table: _late(snapshot, table) for table in tables}
    except NotFound as error:
        if error.word != "no_records":
            raise
        return {table: {} for table in tables}


def _late(snapshot: "Snapshot", table: str) -> LateDays:
    late = LATE[table]
    rows = snapshot.figures(late.report, {}).counted_rows(late.figure)
    if late.kind:
        rows = rows.filter(rows["kind"] == late.kind)
    if table == "remediations":
        return _by_gap(snapshot, rows)
    days: dict[str, date | None] = dict(rows.select(late.key, late.due).rows())
    if late.kind:
        days = {key.removeprefix(f"{late.kind}:"): day for key, day in days.items()}
    return _by_run(snapshot, days) if table == "test_runs" else days


def _by_gap(snapshot: "Snapshot", gaps: "pl.DataFrame") -> LateDays:
    """The open work on gaps that are late, of which several may be; none on a control that is effective by now."""
    work = snapshot.fact("remediations").join(gaps, on=["framework", "control_id"], how="semi")
    late = work.filter(work["status"] != "closed", work["due_on"] < snapshot.as_of)
    return dict(late.select("id", "due_on").rows())


def _by_run(snapshot: "Snapshot", windows: LateDays) -> LateDays:
    """The ledger knows windows of tests; the rows of those that nobody performed."""
    fact = snapshot.fact("test_windows")
    recorded = fact.filter(fact["run_id"].is_not_null(), fact["performed_on"].is_null())
    named = recorded.select("run_id", "schedule_id", "window_open_on").rows()
    keys = {run_id: f"{schedule_id}-{opened}" for run_id, schedule_id, opened in named}
    return {run_id: windows[key] for run_id, key in keys.items() if key in windows}
