"""Plans that were accepted: the work that each asked for, beside how it stands."""

import msgspec
import polars as pl

from engine.facts.expressions import shape

PLAN = "plan"  # in the details of a remediation: what the plan that it was accepted with asked for


class PlannedWork(msgspec.Struct, frozen=True):
    """What a plan asked for of one remediation. ``strict_pct`` is the readiness that it saw for ``due_on``."""

    id: str
    framework: str
    by: str
    made_on: str
    target: int
    owner: str
    due_on: str
    ready_on: str
    hours: float
    kinds: list[str]
    closes: list[str]
    strict_pct: float | None = None


def planned_work(details: str | None) -> PlannedWork | None:
    """What the details of a remediation say of a plan; None where they say nothing, or it is not ours to read."""
    try:
        found = msgspec.json.decode(details or "null")
        return msgspec.convert(found[PLAN], PlannedWork) if isinstance(found, dict) and PLAN in found else None
    except (msgspec.ValidationError, msgspec.DecodeError):
        return None


def accepted_plans(
    remediations: pl.DataFrame, remediation_details_rows: pl.DataFrame, asked: pl.DataFrame
) -> pl.DataFrame:
    """Every remediation that is of a plan: done, late, changed since by somebody, or as planned."""
    told = [(*key, planned_work(details)) for *key, details in remediation_details_rows.iter_rows()]
    columns = (
        "org_id",
        "id",
        "plan_id",
        "plan_framework",
        "by_on",
        "made_on",
        "target_pct",
        "planned_owner",
        "planned_due_on",
        "effort_hours",
        "planned_strict_pct",
    )
    rows = [
        (
            org_id,
            id,
            one.id,
            one.framework,
            one.by,
            one.made_on,
            one.target,
            one.owner,
            one.due_on,
            one.hours,
            one.strict_pct,
        )
        for org_id, id, one in told
        if one is not None
    ]
    texts = dict.fromkeys(columns[:9], pl.String) | {"target_pct": pl.Int64}
    planned = pl.DataFrame(rows, schema={**texts, **dict.fromkeys(columns[9:], pl.Float64)}, orient="row").with_columns(
        pl.col("by_on", "made_on", "planned_due_on").str.to_date(strict=False)
    )
    done, late = pl.col("status") == "closed", pl.col("planned_due_on") < pl.col("as_of")
    moved = (pl.col("due_on") > pl.col("planned_due_on")) | (pl.col("owner") != pl.col("planned_owner"))
    frame = (
        remediations.join(planned, on=["org_id", "id"])
        .join(asked.select("org_id", "as_of"), on="org_id")
        .with_columns(
            standing=pl.when(done)
            .then(pl.lit("done"))
            .when(late)
            .then(pl.lit("late"))
            .when(moved.fill_null(True))
            .then(pl.lit("changed"))
            .otherwise(pl.lit("as_planned"))
        )
    )
    return shape("accepted_plans", frame).sort("org_id", "plan_id", "planned_due_on", "id")
