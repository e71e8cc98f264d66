"""How fast requests are answered (F5), for each priority, owner and framework, and how old the open ones are."""

from collections.abc import Sequence
from typing import Any

import polars as pl

from engine.model.ask import Ask
from engine.model.document import Coverage
from engine.model.formulas import nearest_rank
from reports.evidence.request_items import CLOCKS

PRIORITIES = ("P1", "P2", "P3", "P4")
PERCENTILES = (50, 90, 95)
BUCKETS = (("0–7", 0, 7), ("8–14", 8, 14), ("15–30", 15, 30), ("31+", 31, None))


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


def by_priority(queue: pl.DataFrame, closed: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """The measures for each priority, with its time allowed."""
    sla = [int(ask.settings[f"request_sla_{priority.lower()}_days"]) for priority in PRIORITIES]
    days = pl.col("priority").replace_strict(list(PRIORITIES), sla, default=None, return_dtype=pl.Int64)
    return by(queue, closed, "priority", PRIORITIES).insert_column(1, days.alias("sla_days"))


def by(queue: pl.DataFrame, closed: pl.DataFrame, column: str, wanted: Sequence[str] = ()) -> pl.DataFrame:
    """The measures for each value of a column, empty ones included; ``wanted`` values come even without rows."""
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


def aging(queue: pl.DataFrame) -> pl.DataFrame:
    """Open requests by their age, for each priority."""
    rows = []
    for name, low, high in BUCKETS:
        inside = (pl.col("age_days") >= low) & (pl.lit(True) if high is None else pl.col("age_days") <= high)
        held = queue.filter(inside)
        rows.append((name, held.height, *(held.filter(pl.col("priority") == p).height for p in PRIORITIES)))
    schema = {"age": pl.String, "requests": pl.Int64, **dict.fromkeys(PRIORITIES, pl.Int64)}
    return pl.DataFrame(rows, schema=schema, orient="row").rename({p: p.lower() for p in PRIORITIES})
