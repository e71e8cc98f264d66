"""What covers an incident: the window of maintenance that it fell into, and who on duty took it in time."""

import polars as pl

from engine.model.maintenance import covers

WINDOW = ("maintenance_id", "maintenance_state", "maintenance_reason")


def with_maintenance(incidents: pl.DataFrame, windows: pl.DataFrame) -> pl.DataFrame:
    """With the window that each incident was opened in: ``maintenance_state`` is ``planned`` where the window was
    recorded before its start, else ``declared_late``. A planned one goes before another."""
    empty = pl.lit(None, dtype=pl.String)
    if windows.is_empty() or incidents.is_empty():
        return incidents.with_columns(empty.alias(name) for name in WINDOW)
    near = incidents.select("org_id", "id", "service_id", "labels", "opened_at").join(
        windows.rename({"id": "maintenance_id", "service_id": "of_service"}), on="org_id"
    )
    near = near.filter(pl.col("opened_at") >= pl.col("starts_at"), pl.col("opened_at") < pl.col("ends_at"))
    covered = [
        covers(row["of_service"], row["matchers"], row["service_id"], row["labels"])
        for row in near.iter_rows(named=True)
    ]
    planned = pl.col("recorded_at").is_not_null() & (pl.col("recorded_at") <= pl.col("starts_at"))
    frame = (
        near.filter(pl.Series(covered, dtype=pl.Boolean))
        .with_columns(
            maintenance_state=pl.when(planned).then(pl.lit("planned")).otherwise(pl.lit("declared_late")),
            maintenance_reason="reason",
        )
        .sort("maintenance_state", "starts_at", "maintenance_id", descending=[True, False, False])
        .unique(["org_id", "id"], keep="first", maintain_order=True)
    )
    return incidents.join(frame.select("org_id", "id", *WINDOW), on=["org_id", "id"], how="left")


def with_duty(incidents: pl.DataFrame, shifts: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    """With ``on_call``: ``in_time``, ``late``, ``not_on_duty`` (somebody else took it, or nobody knows who),
    ``not_acknowledged``, ``nobody_on_duty``; null without any shift of the organization that began by the day. With
    ``on_call_recorded_late``: whether all shifts that made it ``in_time`` were recorded after it was acknowledged."""
    known = shifts.join(asked.select("org_id", "ends_at"), on="org_id", suffix="_asked").filter(
        pl.col("starts_at") < pl.col("ends_at_asked")
    )
    if known.is_empty():
        return incidents.with_columns(on_call=pl.lit(None, dtype=pl.String), on_call_recorded_late=False)
    people = known.select(
        *("org_id", "starts_at", "ends_at", "recorded_at"),
        of_service="service_id",
        person=pl.col("person").str.to_lowercase().str.split(";").list.eval(pl.element().str.strip_chars()),
    )
    key = ["org_id", "id"]
    near = incidents.select(*key, "service_id", "opened_at", "acknowledged_at", "acknowledged_by").join(
        people, on="org_id"
    )
    near = near.filter(pl.col("of_service").is_null() | (pl.col("of_service") == pl.col("service_id")))

    def at(moment: str) -> pl.Expr:
        return (pl.col(moment) >= pl.col("starts_at")) & (pl.col(moment) < pl.col("ends_at"))

    taker = pl.col("person").list.contains(pl.col("acknowledged_by").str.to_lowercase())
    covered = near.filter(at("opened_at")).select(key).unique().with_columns(covered=True)
    knew = (pl.col("recorded_at") <= pl.col("acknowledged_at")).fill_null(False)
    taken = near.filter(at("acknowledged_at"), taker).group_by(key).agg(on_duty=pl.lit(True), known=knew.any())
    in_time = pl.col("minutes_to_acknowledge") <= pl.col("acknowledge_minutes")
    state = (
        pl.when(pl.col("on_duty").fill_null(False) & in_time)
        .then(pl.lit("in_time"))
        .when(pl.col("on_duty").fill_null(False))
        .then(pl.lit("late"))
        .when(pl.col("covered").is_null())
        .then(pl.lit("nobody_on_duty"))
        .when(pl.col("acknowledged_at").is_null())
        .then(pl.lit("not_acknowledged"))
        .otherwise(pl.lit("not_on_duty"))
    )
    rostered = known.select("org_id").unique().with_columns(rostered=True)
    return (
        incidents.join(covered, on=key, how="left")
        .join(taken, on=key, how="left")
        .join(rostered, on="org_id", how="left")
        .join(asked.select("org_id", "acknowledge_minutes"), on="org_id", how="left")
        .with_columns(on_call=pl.when("rostered").then(state))
        .with_columns(on_call_recorded_late=((pl.col("on_call") == "in_time") & ~pl.col("known")).fill_null(False))
        .drop("covered", "on_duty", "known", "rostered", "acknowledge_minutes")
    )
