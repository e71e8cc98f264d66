"""Incidents with their durations, and error budgets of services (REPORTS 14)."""

import polars as pl

from engine.facts.expressions import shape
from engine.facts.governance.incident_cover import with_duty, with_maintenance
from engine.model.vocabulary import LIVE_INCIDENTS

BUCKETS_30D = 30 * 24 * 12  # five-minute buckets
LEAST_SHARE = 0.10  # fewer buckets than this part of the window say nothing


def incidents(
    incidents_rows: pl.DataFrame,
    on_call_shifts_rows: pl.DataFrame,
    maintenance_windows_rows: pl.DataFrame,
    asked: pl.DataFrame,
) -> pl.DataFrame:
    """Incidents opened up to the day; a step that happened later has not happened, and one before the opening, or the
    resolution of an incident that goes on, is none."""
    steps = ("acknowledged_at", "mitigated_at", "resolved_at")
    frame = (
        incidents_rows.join(asked.select("org_id", "ends_at"), on="org_id")
        .with_columns(
            pl.when(pl.col(step) >= pl.col("opened_at"), pl.col(step) < pl.col("ends_at")).then(step).alias(step)
            for step in steps
        )
        .with_columns(resolved_at=pl.when(~pl.col("status").is_in(LIVE_INCIDENTS)).then("resolved_at"))
    )
    minutes = {
        "minutes_to_acknowledge": "acknowledged_at",
        "minutes_to_mitigate": "mitigated_at",
        "minutes_to_resolve": "resolved_at",
    }
    frame = frame.with_columns(
        ((pl.col(step) - pl.col("opened_at")).dt.total_seconds() / 60).round(1).alias(name)
        for name, step in minutes.items()
    )
    transit = (pl.col("opened_heard_at") - pl.col("opened_at")).dt.total_seconds() / 60
    frame = frame.with_columns(minutes_in_transit=transit.clip(0).round(1))
    frame = frame.with_columns(has_cause=pl.col("root_cause").fill_null("").str.strip_chars() != "")
    frame = with_maintenance(with_duty(frame, on_call_shifts_rows, asked), maintenance_windows_rows)
    return shape("incidents", with_families(frame)).sort("org_id", "opened_at", "id")


def with_families(incidents: pl.DataFrame) -> pl.DataFrame:
    """With ``family_id``: the incident at the top of the confirmed relations above each; of a cycle each its own."""
    confirmed = pl.col("parent_state") == "confirmed"
    above = incidents.filter(confirmed & pl.col("parent_id").is_not_null()).select("org_id", "id", "parent_id")
    parents = {(org, name): parent for org, name, parent in above.iter_rows()}
    known = set(incidents.select("org_id", "id").iter_rows())

    def top(org: str, name: str) -> str:
        way = [name]
        while (parent := parents.get((org, way[-1]))) is not None and (org, parent) in known:
            if parent in way:
                return name
            way.append(parent)
        return way[-1]

    tops = [top(org, name) for org, name in incidents.select("org_id", "id").iter_rows()]
    return incidents.with_columns(pl.Series("family_id", tops, pl.String))


def service_health(
    services_rows: pl.DataFrame, slo_profiles_rows: pl.DataFrame, slo_sums_rows: pl.DataFrame
) -> pl.DataFrame:
    """Error budgets of services with an objective over 7 and 30 days; too little history is a level of its own."""
    budget = 1 - pl.col("objective_pct") / 100
    frame = (
        slo_profiles_rows.join(services_rows.rename({"id": "service_id"}), on=["org_id", "service_id"])
        .join(slo_sums_rows, on=["org_id", "service_id"], how="left")
        .with_columns(pl.col("total_30d", "bad_30d", "total_7d", "bad_7d", "buckets").fill_null(0).cast(pl.Int64))
        .with_columns(buckets_share=(pl.col("buckets") / BUCKETS_30D).round(4))
    )
    for window in ("30d", "7d"):
        total, bad = pl.col(f"total_{window}"), pl.col(f"bad_{window}")
        there = (total > 0) & (budget > 0)
        frame = frame.with_columns(
            pl.when(there).then(100 * bad / (total * budget)).alias(f"used_{window}_pct"),
            pl.when(there).then(bad / total / budget).alias(f"burn_{window}"),
        )
    used, burn = pl.col("used_30d_pct").round(6), pl.col("burn_7d").fill_null(0).round(6)  # noise of binary fractions
    frame = frame.with_columns(
        level=pl.when((pl.col("buckets") < LEAST_SHARE * BUCKETS_30D) | used.is_null())
        .then(pl.lit("insufficient_history"))
        .when((burn >= 2) | (used >= 100))
        .then(pl.lit("critical"))
        .when((burn >= 1) | (used >= 75))
        .then(pl.lit("warning"))
        .otherwise(pl.lit("ok"))
    ).with_columns(pl.col("^used_.*_pct$").round(1), pl.col("^burn_.*$").round(2))
    return shape("service_health", frame).sort("org_id", "service_id")


def bundles(bundles_rows: pl.DataFrame) -> pl.DataFrame:
    """Sealed bundles, oldest first."""
    return shape("bundles", bundles_rows).sort("org_id", "sealed_on", "id")
