"""Deployment, where data goes, retention, legal holds, and what policies refused (REPORTS 3)."""

from urllib.parse import urlsplit

import msgspec
import polars as pl

from engine.facts.expressions import days_between, local_day, shape


def deployment(deployment_rows: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    """How the console runs for an organization; ``modules`` are the enabled ones."""
    modules = [_enabled_names(raw) for raw in deployment_rows["modules"].to_list()]
    frame = deployment_rows.with_columns(
        pl.Series("modules", modules, dtype=pl.List(pl.String)),
        created_on=local_day("created_at", asked),
        changed_on=local_day("changed_at", asked),
    )
    return shape("deployment", frame).sort("org_id")


def _enabled_names(raw: str | None) -> list[str]:
    """Names of a JSON list, or those that a JSON object has as true."""
    value: object = msgspec.json.decode(raw) if raw else []
    if isinstance(value, dict):
        return sorted(name for name, on in value.items() if on is True)
    return sorted({str(name) for name in value}) if isinstance(value, list) else []


def destinations(connections_rows: pl.DataFrame, recipients_rows: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    """Hosts and mail domains that data was sent to, and connected systems with the region that they declare."""
    places = [_place(*row) for row in recipients_rows.select("channel", "recipient").iter_rows()]
    sent = recipients_rows.with_columns(
        pl.Series("destination", places, dtype=pl.String), region=pl.lit(None, dtype=pl.String)
    )
    regions = [_region(raw) for raw in connections_rows["settings"].to_list()]
    connected = connections_rows.select(
        "org_id",
        channel="kind",
        destination="name",
        region=pl.Series("region", regions, dtype=pl.String),
        deliveries=pl.lit(0, dtype=pl.Int64),
        last_at=pl.lit(None, dtype=pl.Datetime("us")),
    )
    columns = connected.columns
    frame = (
        pl.concat([sent.select(columns), connected])
        .group_by("org_id", "channel", "destination")
        .agg(pl.col("region").drop_nulls().min(), pl.col("deliveries").sum(), pl.col("last_at").max())
        .with_columns(last_on=local_day("last_at", asked))
    )
    return shape("destinations", frame).sort("org_id", "channel", "destination")


def _place(channel: str, recipient: str) -> str:
    """Where a recipient is, without saying who: the domain of an address, the host of a URL."""
    if channel == "email":
        return recipient.rpartition("@")[2].lower()
    return (urlsplit(recipient).hostname or recipient) if "://" in recipient else recipient


def _region(raw: str | None) -> str | None:
    settings: object = msgspec.json.decode(raw) if raw else None
    region = settings.get("region") if isinstance(settings, dict) else None
    return region if isinstance(region, str) and region else None


def legal_holds(legal_holds_rows: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    """Holds with the audit events that they keep; age in days from the day they were placed to their release."""
    frame = (
        legal_holds_rows.join(asked.select("org_id", "as_of"), on="org_id")
        .with_columns(placed_on=local_day("placed_at", asked), released_on=local_day("released_at", asked))
        .with_columns(
            released_on=pl.when(~pl.col("active")).then("released_on"),
            released_by=pl.when(~pl.col("active")).then("released_by"),
            purges_blocked=pl.col("purges_blocked").fill_null(0),
        )
        .with_columns(age_days=days_between(pl.coalesce("released_on", "as_of"), "placed_on"))
    )
    return shape("legal_holds", frame).sort("org_id", "id")


def retention(
    audit_retention_rows: pl.DataFrame, incident_retention_rows: pl.DataFrame, asked: pl.DataFrame
) -> pl.DataFrame:
    """What is kept for how long, and what the next purge takes. ``eligible`` = purgeable + held + waiting."""
    tomorrow = pl.col("as_of") + pl.duration(days=1)
    frame = (
        pl.concat([audit_retention_rows, incident_retention_rows], how="vertical_relaxed")
        .with_columns(
            source=pl.when(pl.col("override_days").is_null())
            .then(pl.lit("tier_default"))
            .otherwise(pl.lit("override")),
            oldest_on=local_day("oldest_at", asked),
            next_on=local_day("next_at", asked) + pl.duration(days=pl.col("days") + 1),
        )
        .with_columns(
            next_purge_on=pl.when(pl.col("purgeable") > 0)
            .then(tomorrow)
            .when(pl.col("next_on").is_not_null())
            .then(pl.max_horizontal("next_on", tomorrow))
        )
    )
    return shape("retention", frame).sort("org_id", "record_class")


def policy_blocks(policy_blocks_rows: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    """Refusals by a policy or a guard."""
    frame = policy_blocks_rows.with_columns(
        blocked_on=local_day("blocked_at", asked), overridden=pl.col("overridden").fill_null(False)
    )
    return shape("policy_blocks", frame).sort("org_id", "blocked_at", "id")


def automation_runs(automation_runs_rows: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    """Rehearsals and executions that were let through."""
    frame = automation_runs_rows.with_columns(ran_on=local_day("ran_at", asked))
    return shape("automation_runs", frame).sort("org_id", "ran_at", "kind", "id")
