"""What a committee compares from quarter to quarter: answers to auditors, duties kept, staffing actions completed."""

from dataclasses import dataclass
from datetime import date, timedelta

import polars as pl

from engine.model.document import Coverage
from engine.model.formulas import nearest_rank
from reports.evidence.request_items import turnaround_days

ROW = {
    "figure": pl.String, "now": pl.Float64, "now_of": pl.String, "before": pl.Float64, "before_of": pl.String,
    "change": pl.Float64, "unit": pl.String, "better": pl.String,
}  # fmt: skip
Measure = tuple[float | None, str | None]


@dataclass(frozen=True)
class Quarter:
    """A calendar quarter up to ``end``: its last day, or the day of the report while it runs."""

    start: date
    end: date

    @property
    def key(self) -> str:
        """``2026-Q4``."""
        return f"{self.start.year}-Q{(self.start.month + 2) // 3}"


def quarters(as_of: date) -> tuple[Quarter, Quarter]:
    """The running quarter and the one before it."""
    start = as_of.replace(month=3 * ((as_of.month - 1) // 3) + 1, day=1)
    last = start - timedelta(days=1)
    return Quarter(start, as_of), Quarter(last.replace(month=last.month - 2, day=1), last)


def comparison(
    requests: pl.DataFrame, obligation_weeks: pl.DataFrame, staffing_actions: pl.DataFrame, as_of: date
) -> pl.DataFrame:
    """Each figure in this quarter and the last, with what it is of; ``change`` is null where either is unknown."""
    parts = [
        [*_requests(requests, quarter), _kept(obligation_weeks, quarter), _staffing(staffing_actions, quarter)]
        for quarter in quarters(as_of)
    ]
    names = (
        ("Auditors' requests answered in time", "%", 1),
        ("Days to answer a request, p90", "days", -1),
        ("Duties completed in the week they were planned for", "%", 1),
        ("Staffing actions completed within the SLA", "%", 1),
    )
    rows = []
    for (name, unit, good), now, before in zip(names, *parts, strict=True):
        change = None if now[0] is None or before[0] is None else round(now[0] - before[0], 1)
        better = None if change is None else "unchanged" if not change else "better" if change * good > 0 else "worse"
        rows.append((name, *now, *before, change, unit, better))
    return pl.DataFrame(rows, schema=ROW, orient="row")


def _within(column: str, quarter: Quarter) -> pl.Expr:
    return pl.col(column).is_between(quarter.start, quarter.end).fill_null(False)


def _requests(requests: pl.DataFrame, quarter: Quarter) -> list[Measure]:
    """F5: answered in time, of those answered in the quarter and those overdue at its end; p90 of days to answer."""
    closed = requests.filter(_within("finished_on", quarter))
    still = (pl.col("finished_on").is_null() | (pl.col("finished_on") > quarter.end)) & (pl.col("clock") != "paused")
    overdue = requests.filter((pl.col("due_on") < quarter.end) & still).height
    on_time = closed.filter(pl.col("finished_on") <= pl.col("due_on")).height
    days = closed.select(days=turnaround_days())["days"].drop_nulls().to_list()
    p90 = nearest_rank(days, 90)
    return [
        _share(on_time, closed.height + overdue, "requests"),
        (None if p90 is None else float(p90), f"{closed.height} answered" if p90 is not None else None),
    ]


def _kept(weeks: pl.DataFrame, quarter: Quarter) -> Measure:
    held = weeks.filter(_within("week_start_on", quarter))
    return _share(int(held["completed"].sum()), int(held["planned"].sum()), "duties")


def _staffing(actions: pl.DataFrame, quarter: Quarter) -> Measure:
    """Completed within the SLA, of those completed in the quarter and those past the SLA at its end."""
    done = actions.filter(_within("completed_on", quarter))
    taken_up = actions.filter(pl.col("status") != "proposed", pl.col("standing") != "done_undated")
    still = pl.col("completed_on").is_null() | (pl.col("completed_on") > quarter.end)
    late = taken_up.filter((pl.col("sla_due_on") < quarter.end) & still).height
    on_time = done.filter(pl.col("completed_on") <= pl.col("sla_due_on")).height
    return _share(on_time, done.height + late, "actions")


def _share(part: int, whole: int, noun: str) -> Measure:
    return Coverage(part, whole).pct, f"{part:,} of {whole:,} {noun}" if whole else None
