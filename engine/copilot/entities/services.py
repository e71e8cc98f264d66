"""Services with their objectives and error budgets, and what they need."""

import polars as pl

from engine.copilot.entities.entity import Records, RowState, flag, is_in, none, over
from engine.copilot.entities.wordbook import thing


def _budgets(records: Records) -> pl.DataFrame:
    """Services with their objective, what is left of their error budget, and what needs them."""
    needed = records.table("service_dependencies").group_by("depends_on_id").agg(dependents=pl.len().cast(pl.Int64))
    profiles = records.table("slo_profiles").select("service_id", "indicator", "objective_pct", "window_kind")
    sender = pl.format("{} / {}", "token", "source")
    watched = records.table("service_senders").group_by("service_id").agg(sender.sort().alias("watched_by"))
    frame = records.table("services").join(profiles, left_on="id", right_on="service_id", how="left")
    needs = records.table("service_dependencies").group_by("service_id").agg(upstreams=pl.len().cast(pl.Int64))
    frame = frame.join(needs, left_on="id", right_on="service_id", how="left")
    return (
        frame.join(records.budgets(), left_on="id", right_on="service_id", how="left")
        .join(needed, left_on="id", right_on="depends_on_id", how="left")
        .join(watched, left_on="id", right_on="service_id", how="left")
        .with_columns(pl.col("dependents", "upstreams").fill_null(0))
    )


def _dependencies(records: Records) -> pl.DataFrame:
    names = records.table("services").select("id", "name")
    frame = records.table("service_dependencies")
    return (
        frame.join(names.rename({"id": "service_id", "name": "service"}), on="service_id", how="left")
        .join(names.rename({"id": "depends_on_id", "name": "needs"}), on="depends_on_id", how="left")
        .with_columns(id=pl.format("{} → {}", "service", "needs"))
    )


SERVICE = thing(
    "service",
    _budgets,
    RowState("internet-facing", flag("internet_facing")),
    RowState("without an objective", none("objective_pct"), after=True),
    RowState("with an objective", lambda _: pl.col("objective_pct").is_not_null(), after=True),
    RowState("with customer data", flag("holds_customer_data"), after=True),
    RowState("with an exhausted error budget", over("used_30d_pct", 100), after=True),
    RowState("within its error budget", lambda _: pl.col("used_30d_pct") < 100, after=True),
    RowState("burning their error budget too fast", is_in("level", "critical", "warning"), after=True),
    RowState("that nothing depends on", lambda _: pl.col("dependents") == 0, after=True),
    RowState("that depend on nothing", lambda _: pl.col("upstreams") == 0, after=True),
    RowState("that nothing watches", none("watched_by"), after=True),
    RowState("watched by a sender", lambda _: pl.col("watched_by").is_not_null(), after=True),
    RowState("unowned", none("owner"), aside=True),
)

DEPENDENT = thing("dependent service", _dependencies)

DEPENDENCY = thing(
    "dependency",
    _dependencies,
    RowState("on a vendor", lambda _: pl.col("vendor_id").is_not_null(), after=True),
    turned={"on": {"service": "depends_on_id"}},
)
SERVICES = (SERVICE, DEPENDENT, DEPENDENCY)
