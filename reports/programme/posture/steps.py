"""What raises the posture score: each piece of work with the points that it adds and the hours that it takes (F4).

The points are those that the formulas of the components give when the work is done and nothing else changes. A control
that becomes effective earns readiness by its weight, fresh evidence and its signature. A remediation counts as timely
only when it is closed by its date: what is overdue stays late for a quarter, so finishing it adds no timeliness.
"""

import polars as pl

from engine.facts import EFFORT_HOURS, REVIEW_HOURS
from engine.model.declarations.ask import Ask
from reports.shared import packs
from reports.shared.ordering import state_score

PARTS = ("readiness", "freshness", "attestation", "remediation", "vendor", "operations")
VERBS = {
    "ineffective": "Correct {}",
    "no_data": "Give the first evidence of {}",
    "partial": "Complete the evidence of {}",
    "stale": "Renew the evidence of {}",
}
DIGITS = 4  # of points: exact enough to add up hundreds of steps
COLUMNS = {
    "kind": pl.String,
    "action": pl.String,
    "component": pl.String,
    "points": pl.Float64,
    "effort_hours": pl.Float64,
    "points_per_hour": pl.Float64,
    "owner": pl.String,
    "gap_id": pl.String,
    "vendor_id": pl.String,
    "service_id": pl.String,
    "in_time": pl.Boolean,
}
_KEY = ["framework", "control_id"]
_SIGNED = pl.col("kinds_required").list.contains("attestation")
_LOST = {"critical": 1.0, "warning": 0.5}  # of a service's part in operational health


def steps(
    posture: pl.DataFrame,
    gaps: pl.DataFrame,
    control_status: pl.DataFrame,
    vendors: pl.DataFrame,
    service_health: pl.DataFrame,
    ask: Ask,
) -> pl.DataFrame:
    """Everything that raises the score, most points per hour first; what has no known hours stands last.

    A control stands here once: by its signature where nothing else is missing, else by all that makes it effective.
    ``rank`` counts from 1; ``added`` are the points of a step when those above it are done too.
    """
    each = _each(posture)
    parts = (
        _closing_points(gaps, control_status, posture, ask),
        _vendor_reviews(vendors, each),
        _service_recoveries(service_health, each),
    )
    order = ("points_per_hour", "points", "gap_id", "vendor_id", "service_id")
    return (
        pl.concat([_complete(part) for part in parts])
        .filter(pl.col("points") > 0)
        .sort(order, descending=[True, True, False, False, False], nulls_last=True)
        .with_columns(rank=pl.int_range(1, pl.len() + 1), added=_added_points(posture))
    )


def closings(posture: pl.DataFrame, gaps: pl.DataFrame, control_status: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """Open gaps, those that add most points first, with ``rank`` and ``added`` as in ``steps``."""
    return (
        _closing_points(gaps, control_status, posture, ask)
        .sort("points", "priority", "gap_id", descending=[True, True, False], nulls_last=True)
        .with_columns(rank=pl.int_range(1, pl.len() + 1), added=_added_points(posture))
    )


def levers(work: pl.DataFrame) -> pl.DataFrame:
    """What the kinds of steps add in all, most points per hour first; their points sum to those of all steps."""
    hours = pl.when(pl.col("effort_hours").null_count() == 0).then(pl.col("effort_hours").sum())
    return (
        work.group_by("kind")
        .agg(steps=pl.len().cast(pl.Int64), points=pl.col("added").sum(), effort_hours=hours)
        .with_columns(points_per_hour=pl.col("points") / pl.col("effort_hours"))
        .sort("points_per_hour", "points", "kind", descending=[True, True, False], nulls_last=True)
        .with_columns(pl.col("points", "points_per_hour").round(2), pl.col("effort_hours").round(1))
    )


def _each(posture: pl.DataFrame) -> dict[str, float]:
    """Points that one member of a component's population adds when it turns from nothing to full marks."""
    present = posture.filter(pl.col("value").is_not_null() & (pl.col("weight") > 0))
    each = 100 * pl.col("weight") / pl.col("weight").sum() / pl.col("population")
    shares = present.select("component", each=each).filter(pl.col("each").is_finite())
    return {**dict.fromkeys(PARTS, 0.0), **dict(shares.iter_rows())}


def _closing_points(gaps: pl.DataFrame, control_status: pl.DataFrame, posture: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """Open gaps with the points that each component gains when the control is effective and its remediation closed."""
    each, applicable = _each(posture), control_status.filter("applicable")
    weights = float(applicable["weight"].sum() or 1)
    kinds = ("kinds_required", "kinds_present", "kinds_stale")  # as the control has them
    points = {
        "readiness": each["readiness"] * applicable.height / weights * pl.col("weight") * (1 - state_score()),
        "freshness": each["freshness"] * ~pl.col("freshness").is_in(["fresh", "due_soon"]),
        "attestation": each["attestation"] * (_SIGNED & ~pl.col("attested")),
        "remediation": pl.when("in_time").then(_timely(posture, pl.lit(1))).otherwise(0.0),
    }
    most = pl.max_horizontal(list(points.values()))
    control = pl.format("{} {} {}", packs.pack_name(ask), "control_id", "title")
    verbs = [pl.when(pl.col("state") == state).then(pl.format(verb, control)) for state, verb in VERBS.items()]
    sign = pl.when(_lacks_a_signature_alone()).then(pl.format("Sign the attestation of {}", control))
    frame = (
        gaps.drop(kinds)
        .join(applicable.select(*_KEY, *kinds, "attested", "freshness"), on=_KEY)
        .with_columns(in_time=pl.col("remediation_id").is_not_null() & (pl.col("due_on") >= ask.as_of).fill_null(False))
        .with_columns(
            points=pl.sum_horizontal(list(points.values())).round(DIGITS),
            component=pl.coalesce(pl.when(gain == most).then(pl.lit(part)) for part, gain in points.items()),
            action=pl.concat_str(pl.coalesce(sign, *verbs), _date(ask)),
            kind=pl.when(_lacks_a_signature_alone())
            .then(pl.lit("signature"))
            .when(pl.col("state") == "ineffective")
            .then(pl.lit("correction"))
            .otherwise(pl.lit("evidence")),
            gap_hours="effort_hours",
            effort_hours=pl.when(_lacks_a_signature_alone())
            .then(EFFORT_HOURS["attestation"])
            .otherwise("effort_hours"),
        )
    )
    return frame.with_columns(points_per_hour=pl.col("points") / pl.col("effort_hours"))


def _lacks_a_signature_alone() -> pl.Expr:
    """Whether signing makes the control effective (F2)."""
    missing = pl.col("kinds_required").list.set_difference("kinds_present")
    wanting = missing.list.set_union("kinds_stale").list.set_difference(["attestation"])
    return _SIGNED & ~pl.col("attested") & (pl.col("state") != "ineffective") & (wanting.list.len() == 0)


def _date(ask: Ask) -> pl.Expr:
    """The day of the remediation, by which it counts as timely: a signature can be due on another."""
    late = pl.when(pl.col("due_on") < ask.as_of).then(pl.format(", remediation overdue since {}", "due_on"))
    return pl.coalesce(pl.when("in_time").then(pl.format(", remediation due {}", "due_on")), late, pl.lit(""))


def _vendor_reviews(vendors: pl.DataFrame, each: dict[str, float]) -> pl.DataFrame:
    """Vendors without assurance; the hours are those of a review of their tier."""
    hours = pl.col("tier").replace_strict(REVIEW_HOURS, default=3.0, return_dtype=pl.Float64)
    return vendors.filter(~pl.col("assurance").is_in(["assured", "expiring"])).select(
        *("vendor_id", "owner"),
        kind=pl.lit("vendor_assurance"),
        action=pl.format("Get assurance in force from {}", "name"),
        component=pl.lit("vendor"),
        points=pl.lit(each["vendor"]).round(DIGITS),
        effort_hours=hours,
        points_per_hour=each["vendor"] / hours,
    )


def _service_recoveries(service_health: pl.DataFrame, each: dict[str, float]) -> pl.DataFrame:
    """Services that spend their error budget too fast; nobody knows how many hours it takes to change that."""
    lost = pl.col("level").replace_strict(_LOST, default=0.0, return_dtype=pl.Float64)
    return service_health.filter(lost > 0).select(
        "service_id",
        kind=pl.lit("error_budget"),
        action=pl.format("Bring {} back within its error budget", "name"),
        component=pl.lit("operations"),
        points=(each["operations"] * lost).round(DIGITS),
    )


def _complete(part: pl.DataFrame) -> pl.DataFrame:
    held = [
        pl.col(name).cast(dtype) if name in part.columns else pl.lit(None, dtype).alias(name)
        for name, dtype in COLUMNS.items()
    ]
    return part.select(held)


def _timely(posture: pl.DataFrame, nth: pl.Expr) -> pl.Expr:
    """Points of the nth further remediation that is closed in time: each adds less than the one before."""
    row = posture.filter((pl.col("component") == "remediation") & pl.col("value").is_not_null())
    each = _each(posture)["remediation"]
    if row.is_empty() or not each:
        return pl.lit(0.0)
    timely, population = int(row["measured"][0]), int(row["population"][0])
    before, now = (timely + nth - 1) / (population + nth - 1), (timely + nth) / (population + nth)
    return each * population * (now - before)


def _added_points(posture: pl.DataFrame) -> pl.Expr:
    in_time = pl.col("in_time").fill_null(False)
    nth = _timely(posture, in_time.cast(pl.Int64).cum_sum()) - _timely(posture, pl.lit(1))
    return (pl.col("points") + pl.when(in_time).then(nth).otherwise(0.0)).round(DIGITS)
