"""The three lists of what people are reminded of, and the reminders that are owed now, one for each recipient."""

from datetime import date
from typing import Annotated, TypeAlias

import polars as pl

from engine.model.declarations.ask import Ask
from reports.evidence import steps
from reports.shared import personal

REMINDERS = {"overdue": "overdue", "regressed": "got worse", "due_soon": "due soon", "escalated": "escalated to you"}


Duties: TypeAlias = Annotated[pl.DataFrame, steps.duties]


def overdue(duties: Duties, reminders: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """Pending duties and open remediations past their date."""
    return steps.overdue(duties, reminders, ask)


def due_soon(duties: Duties, reminders: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """Pending duties and open remediations that have come down to one of their steps."""
    return steps.due_soon(duties, reminders, ask)


def regressions(
    control_status: pl.DataFrame,
    control_evidence: pl.DataFrame,
    state_changes: pl.DataFrame,
    people: pl.DataFrame,
    reminders: pl.DataFrame,
    readiness_weeks: pl.DataFrame,
) -> pl.DataFrame:
    """Controls that got worse."""
    last = readiness_weeks["taken_on"].max()
    seen_on = last if isinstance(last, date) else None
    return steps.regressions(control_status, control_evidence, state_changes, people, reminders, seen_on)


def to_send(
    past: Annotated[pl.DataFrame, overdue],
    coming: Annotated[pl.DataFrame, due_soon],
    worse: Annotated[pl.DataFrame, regressions],
) -> pl.DataFrame:
    """The reminders to send now: recipient, list and a line for each item, the most urgent first."""
    late, soon = past.filter("owed"), coming.filter("owed")
    at = pl.when(pl.col("due_at").is_not_null()).then(pl.col("due_at").dt.strftime(", %Y-%m-%d %H:%M UTC"))
    when = pl.format("{} ({}{})", "title", personal.days("days_left", "late", "due"), at.otherwise(pl.lit("")))
    was, now = (pl.col(name).str.replace_all("_", " ") for name in ("previous_state", "state"))
    change = pl.format("{} {} (was {}, is {})", "item", "title", was, now)
    parts = [
        late.select("item", "recipient", list=pl.lit("overdue"), line=when),
        worse.filter("owed").select("item", "recipient", list=pl.lit("regressed"), line=change),
        soon.select("item", "recipient", list=pl.lit("due_soon"), line=when),
        late.filter(pl.col("escalate_to").is_not_null()).select(
            "item", recipient="escalate_to", list=pl.lit("escalated"), line=when
        ),
    ]
    return pl.concat(parts)
