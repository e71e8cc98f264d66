"""How well staffing actions are completed: figures of any group of them."""

from collections.abc import Sequence
from typing import Any

import polars as pl

from engine.model.document import Coverage
from engine.model.formulas import nearest_rank

DEFINITIONS = {
    "Completed": "Of the actions that were taken up: tracked, open and completed ones.",
    "On time": "Completed within the committee's SLA, of those completed on a known day and those past the SLA.",
    "Relief realised": "Hours of relief that came, of those planned; of completed actions whose relief is recorded.",
    "Median days": "From taking up (else proposing) an action to its completion; nearest rank.",
}
FIGURES: dict[str, Any] = {
    "taken_up": pl.Int64, "tracked": pl.Int64, "open": pl.Int64, "completed": pl.Int64, "completion_pct": pl.Float64,
    "completed_on_time": pl.Int64, "breached": pl.Int64, "on_time_of": pl.Int64, "on_time_pct": pl.Float64,
    "relief_planned_hours": pl.Float64, "relief_actual_hours": pl.Float64, "realised_pct": pl.Float64,
    "median_days": pl.Int64,
}  # fmt: skip


def figures(actions: pl.DataFrame) -> dict[str, Any]:
    """Counts, percentages with what they are of, hours of relief and the median; null where nothing is known."""
    held = {status: actions.filter(pl.col("status") == status) for status in ("tracked", "open", "completed")}
    done = held["completed"]
    taken_up = sum(part.height for part in held.values())
    on_time = done.filter(pl.col("standing") == "done_on_time").height
    late = done.filter(pl.col("standing") == "done_late").height
    breached = actions.filter(pl.col("standing") == "breached").height
    judged = on_time + late + breached
    recorded = done.drop_nulls("relief_actual_hours").sort("action_id")
    planned, came = (float(recorded[name].sum()) for name in ("relief_hours", "relief_actual_hours"))
    took = (pl.col("completed_on") - pl.coalesce("tracked_on", "proposed_on")).dt.total_days()
    median = nearest_rank(done.select(days=took)["days"].drop_nulls().to_list(), 50)
    return {
        "taken_up": taken_up,
        **{status: part.height for status, part in held.items()},
        "completion_pct": Coverage(done.height, taken_up).pct,
        "completed_on_time": on_time,
        "breached": breached,
        "on_time_of": judged,
        "on_time_pct": Coverage(on_time, judged).pct,
        "relief_planned_hours": round(planned, 2),
        "relief_actual_hours": round(came, 2),
        "realised_pct": round(100 * came / planned, 1) if planned else None,
        "median_days": None if median is None else int(median),
    }


def by(actions: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """The figures of each group of taken-up actions, in the order of ``columns``."""
    taken_up = actions.filter(pl.col("status") != "proposed")
    groups = taken_up.partition_by(list(columns), as_dict=True)
    rows = [{**dict(zip(columns, key, strict=True)), **figures(part)} for key, part in groups.items()]
    schema = {name: actions.schema[name] for name in columns} | FIGURES
    return pl.DataFrame(rows, schema=schema, orient="row").sort(columns, nulls_last=True)
