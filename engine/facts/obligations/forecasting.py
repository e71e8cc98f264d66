"""What forecasts are made from: recorded weeks, alerts sent, plays, evidence that controls share."""

import msgspec
import polars as pl

from engine.facts.expressions import has_happened, shape
from engine.facts.governance.deliveries import payload_of

ALERTS = "obligation-density-alerts"  # the kind of a delivery that carries density alerts
_STEPS = pl.List(pl.Struct(dict.fromkeys(("step", "status", "by", "at", "evidence"), pl.String)))
_PAYLOAD = payload_of("breaches", rows=("alert_id", "week", "level"))


def obligation_weeks(obligation_snapshots_rows: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    """Past weeks as they were recorded; the present week is not over and is left out."""
    frame = (
        obligation_snapshots_rows.with_columns(
            week_start_on=pl.format("{}-1", "week").str.to_date("%G-W%V-%u", strict=False)
        )
        .join(asked.select("org_id", this_week=pl.col("as_of").dt.truncate("1w")), on="org_id")
        .filter(pl.col("week_start_on") < pl.col("this_week"))
    )
    return shape("obligation_weeks", frame).sort("org_id", "week_start_on")


def plays(plays_rows: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    """Consolidation plays, one row for each of their steps; a play without steps has one row without a step.

    One that is called completed on a day that is still to come, or begun on one, is as it was before: active, proposed.
    """
    begun = pl.col("started_on").is_null() | has_happened("started_on")
    over = pl.col("closed_on").is_null() | has_happened("closed_on")
    called = (
        pl.when(~begun & pl.col("status").is_in(["active", "completed"]))
        .then(pl.lit("proposed"))
        .when(~over & (pl.col("status") == "completed"))
        .then(pl.lit("active"))
        .otherwise("status")
    )
    frame = (
        plays_rows.join(asked.select("org_id", "as_of"), on="org_id")
        .with_columns(status=called, closed_on=pl.when(over).then("closed_on"))
        .with_columns(steps=_objects("steps").str.json_decode(_STEPS))
        .with_columns(number=pl.int_ranges(1, pl.col("steps").list.len().cast(pl.Int64) + 1))
        .explode("steps", "number", empty_as_null=True)
        .with_columns(pl.col("steps").struct.unnest().name.prefix("step_"))
        .with_columns(play_id="id", step="step_step", step_at=pl.col("step_at").str.head(10).str.to_date(strict=False))
    )
    return shape("plays", frame.rename({"step_at": "step_on"})).sort("org_id", "play_id", "number", nulls_last=True)


def density_alerts(deliveries_rows: pl.DataFrame, density_cleared_rows: pl.DataFrame) -> pl.DataFrame:
    """Each alert about a week in each delivery that carried it; ``breaches`` in the payload are the report's rows.

    A week that was found to be clear without anybody being told is a row of level ``ok`` without a channel.
    """
    told = (
        deliveries_rows.filter(pl.col("kind") == ALERTS)
        .with_columns(alert=pl.col("payload").str.json_decode(_PAYLOAD).struct.field("breaches"))
        .explode("alert", empty_as_null=False)
        .drop_nulls("alert")
        .unnest("alert")
        .with_columns(delivery_id="id")
    )
    noted = density_cleared_rows.with_columns(level=pl.lit("ok"), status=pl.lit("sent"))
    columns = ("org_id", "delivery_id", "week", "level", "status", "created_at", "created_on")
    frame = pl.concat([told, noted.select(columns)], how="diagonal_relaxed")
    return shape("density_alerts", frame).sort("org_id", "created_at", "delivery_id", "week", "alert_id")


def linked_evidence(linked_evidence_rows: pl.DataFrame, controls: pl.DataFrame) -> pl.DataFrame:
    """Evidence items and the controls in scope that each of them supports."""
    key = ["org_id", "framework", "control_id"]
    frame = linked_evidence_rows.join(controls.select(key), on=key, how="semi")
    return shape("linked_evidence", frame).sort("org_id", "evidence_id", "framework", "control_id")


def committees(committee_members_rows: pl.DataFrame) -> pl.DataFrame:
    """Committees with their members; the chair is one of them."""
    members = pl.col("members").str.split("; ").fill_null([])
    frame = committee_members_rows.with_columns(
        committee_id="id",
        members=pl.concat_list(members, pl.concat_list("chair").list.drop_nulls()).list.unique().list.sort(),
    )
    return shape("committees", frame).sort("org_id", "committee_id")


def _objects(column: str) -> pl.Expr:
    """JSON text with the objects of a list alone, their values as texts: what was imported may be any JSON."""

    def as_json(text: str) -> str:
        document = msgspec.json.decode(text)
        objects = [row for row in document if isinstance(row, dict)] if isinstance(document, list) else []
        return msgspec.json.encode([{name: _text(value) for name, value in row.items()} for row in objects]).decode()

    return pl.col(column).map_elements(as_json, return_dtype=pl.String)


def _text(value: object) -> str | None:
    return value if value is None or isinstance(value, str) else msgspec.json.encode(value).decode()
