"""What a committee compares from quarter to quarter: answers to auditors, duties kept, staffing actions completed."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.figures.figure import Figures

ROW = {
    "figure": pl.String,
    "now": pl.Float64,
    "now_of": pl.String,
    "before": pl.Float64,
    "before_of": pl.String,
    "change": pl.Float64,
    "unit": pl.String,
    "better": pl.String,
}
UNITS = {"percent": "%", "days": "days"}
# the figures that are compared, with what their rows are
COMPARED: Mapping[str, tuple[str, str]] = {
    "requests_on_time_in_quarter_pct": ("Auditors' requests answered in time", "requests"),
    "request_turnaround_in_quarter_days": ("Days in which nine of ten requests are answered", "answered"),
    "obligations_kept_in_quarter_pct": ("Duties completed in the week they were planned for", "duties"),
    "staffing_on_time_in_quarter_pct": ("Staffing actions completed within the SLA", "actions"),
}


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


def both(ask: Ask) -> pl.DataFrame:
    """The running quarter and the one before it, in two rows."""
    rows = [(quarter.key, quarter.start, quarter.end) for quarter in quarters(ask.as_of)]
    return pl.DataFrame(rows, schema={"quarter": pl.String, "start_on": pl.Date, "end_on": pl.Date}, orient="row")


def within(column: str, ask: Ask) -> pl.Expr:
    """Whether a day is in the quarter that runs on the day of the question."""
    running, _ = quarters(ask.as_of)
    return pl.col(column).is_between(running.start, running.end).fill_null(False)


def requests_judged(ask: Ask) -> pl.Expr:
    """F5: requests answered in the quarter, and those overdue at its end; who is due today still has the day."""
    end = ask.as_of
    unanswered = pl.col("finished_on").is_null() | (pl.col("finished_on") > end)
    return within("finished_on", ask) | ((pl.col("due_on") < end) & unanswered & (pl.col("clock") != "paused"))


def staffing_judged(ask: Ask) -> pl.Expr:
    """Actions completed in the quarter, and those past the SLA at its end."""
    end = ask.as_of
    taken_up = (pl.col("status") != "proposed") & (pl.col("standing") != "done_undated")
    unfinished = pl.col("completed_on").is_null() | (pl.col("completed_on") > end)
    return within("completed_on", ask) | (taken_up & (pl.col("sla_due_on") < end) & unfinished)


def comparison(now: Figures, ask: Ask) -> pl.DataFrame:
    """Each figure in this quarter and, asked on its last day, in the one before; with what it is of.

    ``change`` is null where either is unknown.
    """
    _, last = quarters(ask.as_of)
    declared = [now.declared[name] for name in COMPARED]
    frames = {fact: now.rows(fact) for figure in declared for fact in figure.facts}
    before = Figures(declared, frames, replace(ask, as_of=last.end))
    rows = []
    for figure in declared:
        title, _ = COMPARED[figure.id]
        values = now[figure.id], before[figure.id]
        change = None if None in values else round(values[0] - values[1], 1)
        good = 1 if figure.better == "more" else -1
        better = None if change is None else "unchanged" if not change else "better" if change * good > 0 else "worse"
        parts = [part for one in (now, before) for part in (one[figure.id], _of(one, figure.id))]
        rows.append((title, *parts, change, UNITS[figure.unit], better))
    return pl.DataFrame(rows, schema=ROW, orient="row", strict=False)


def units(figures: Figures) -> dict[str, str]:
    """What each of the figures compared is in, by its title."""
    return {title: figures.declared[name].unit for name, (title, _) in COMPARED.items()}


def _of(figures: Figures, name: str) -> str | None:
    """What a figure is of: ``3 of 4 requests``, or how many were measured."""
    held, (_, noun) = figures.explained_rows(name), COMPARED[name]
    if figures[name] is None:
        return None
    if "value" in held.columns:
        return f"{held.height} {noun}"
    ratio = "denominator" in held.columns
    part = int(held["numerator" if ratio else "flag"].sum())
    whole = int(held["denominator"].sum()) if ratio else held.height
    return f"{part:,} of {whole:,} {noun}"
