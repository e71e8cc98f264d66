"""How fast requests are answered (F5), for each priority, owner and framework, and how old the open ones are."""

from collections.abc import Sequence
from typing import Any

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.documents.document import Coverage, FrameRow
from engine.model.figures.formulas import nearest_rank
from reports.evidence.request_items import CLOCKS, is_accepted, is_first_pass

PRIORITIES = ("P1", "P2", "P3", "P4")
PERCENTILES = (50, 90, 95)
BUCKETS = (("0–7", 0, 7), ("8–14", 8, 14), ("15–30", 15, 30), ("31+", 31, None))


def _measures(queue: Sequence[FrameRow], closed: Sequence[FrameRow]) -> dict[str, Any]:
    """F5: closed in time of what was closed or is overdue; percentiles of closed and of still open requests."""
    on_time = sum(row["clock"] == "closed_on_time" for row in closed)
    open_now = {clock: sum(row["clock"] == clock for row in queue) for clock in CLOCKS}
    first = sum(row["first_pass"] for row in closed)
    return {
        "open": len(queue),
        **open_now,
        "closed": len(closed),
        "closed_on_time": on_time,
        "closed_late": len(closed) - on_time,
        "on_time_pct": Coverage(on_time, len(closed) + open_now["overdue"]).pct,
        "accepted": sum(row["accepted"] for row in closed),
        "accepted_first_pass": first,
        "first_pass_pct": Coverage(first, len(closed)).pct,
        **_ranks("turnaround", [row["turnaround"] for row in closed if row["turnaround"] is not None]),
        **_ranks("open_age", [row["age_days"] for row in queue]),
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
    waiting = _group(queue.select(column, "clock", "age_days"), column)
    outcome = {"accepted": is_accepted().fill_null(False), "first_pass": is_first_pass()}
    done = _group(closed.select(column, "clock", "turnaround", **outcome), column)
    found = {*waiting, *done}
    values = [*wanted, *sorted(found - {None, *wanted}), *({None} & found)]
    rows = [{column: value, **_measures(waiting.get(value, ()), done.get(value, ()))} for value in values]
    schema: dict[str, Any] = {column: pl.String}
    schema |= {name: pl.Float64 if name.endswith("_pct") else pl.Int64 for name in _measures((), ())}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _group(requests: pl.DataFrame, column: str) -> dict[Any, list[FrameRow]]:
    """The requests of each value of a column, in their order."""
    groups: dict[Any, list[FrameRow]] = {}
    for row in requests.iter_rows(named=True):
        groups.setdefault(row[column], []).append(row)
    return groups


def aging(queue: pl.DataFrame) -> pl.DataFrame:
    """Open requests by their age, for each priority."""
    rows = []
    for name, low, high in BUCKETS:
        inside = (pl.col("age_days") >= low) & (pl.lit(True) if high is None else pl.col("age_days") <= high)
        held = queue.filter(inside)
        rows.append((name, held.height, *(held.filter(pl.col("priority") == p).height for p in PRIORITIES)))
    schema = {"age": pl.String, "requests": pl.Int64, **dict.fromkeys(PRIORITIES, pl.Int64)}
    return pl.DataFrame(rows, schema=schema, orient="row").rename({p: p.lower() for p in PRIORITIES})
