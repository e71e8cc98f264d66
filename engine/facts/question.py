"""Who is asked about, for which day: the frame that every fact function starts from."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import polars as pl

from engine.model.thresholds import DEFAULTS, Thresholds


@dataclass(frozen=True)
class FactQuestion:
    """One organization, its day and its thresholds. The period is ``period_days`` long and ends on ``as_of``."""

    org_id: str
    time_zone: str
    as_of: date
    period_days: int
    settings: Thresholds


def start_of(day: date, time_zone: str) -> datetime:
    """The instant, UTC without zone, at which ``day`` begins in ``time_zone``. Safe across daylight saving."""
    return datetime.combine(day, time(), ZoneInfo(time_zone)).astimezone(UTC).replace(tzinfo=None)


# what scans of the replica need to know; all of ``asked`` would only make each of them slower to bind
BOUNDS = ("org_id", "time_zone", "as_of", "ends_at", "starts_at", "before_at")
OF_PERIOD = ("period_days", "period_start", "before_start", "starts_at", "before_at")
"""What a period adds to a day: facts that look at none of it are the same over every period."""


def question_frame(questions: Sequence[FactQuestion]) -> pl.DataFrame:
    """One row for each question: days, the UTC instants that bound them (end exclusive), and all thresholds."""
    rows = []
    for question in sorted(questions, key=lambda q: q.org_id):
        start = question.as_of - timedelta(days=question.period_days - 1)
        before = start - timedelta(days=question.period_days)
        rows.append(
            {
                "org_id": question.org_id,
                "time_zone": question.time_zone,
                "as_of": question.as_of,
                "period_days": question.period_days,
                "period_start": start,
                "before_start": before,
                "ends_at": start_of(question.as_of + timedelta(days=1), question.time_zone),
                "starts_at": start_of(start, question.time_zone),
                "before_at": start_of(before, question.time_zone),
                **{name: float(question.settings[name]) for name in DEFAULTS},
            }
        )
    dates = ("as_of", "period_start", "before_start")
    instants = ("ends_at", "starts_at", "before_at")
    schema: dict[str, pl.DataType | type[pl.DataType]] = {
        "org_id": pl.String,
        "time_zone": pl.String,
        "as_of": pl.Date,
        "period_days": pl.Int64,
        **dict.fromkeys(dates, pl.Date),
        **dict.fromkeys(instants, pl.Datetime("us")),
        **dict.fromkeys(DEFAULTS, pl.Float64),
    }
    return pl.DataFrame(rows, schema=schema, orient="row")
