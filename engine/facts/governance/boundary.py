"""The declared scope, systems and flows, and what was observed at work."""

import polars as pl

from engine.facts.expressions import local_day, shape

_SERVICE = ["org_id", "service_id"]


def _words(column: str) -> pl.Expr:
    """A text joined by '; ' as a sorted list without repeats."""
    parts = pl.col(column).fill_null("").str.split(";").list.eval(pl.element().str.strip_chars())
    return parts.list.eval(pl.element().filter(pl.element() != "")).list.unique().list.sort()


def _match_key(column: str) -> pl.Expr:
    """A name as two people would both write it."""
    return pl.col(column).str.to_lowercase().str.strip_chars()


def systems(
    systems_rows: pl.DataFrame,
    profile_systems_rows: pl.DataFrame,
    service_facts_rows: pl.DataFrame,
    organization: pl.DataFrame,
) -> pl.DataFrame:
    """Declared systems; ``controls_named`` counts the controls that name the system by its id or name."""
    named = (
        profile_systems_rows.with_columns(system=_words("systems"))
        .explode("system", empty_as_null=False)
        .with_columns(key=_match_key("system"))
        .unique(["org_id", "framework", "control_id", "key"])
        .select("org_id", "key", "framework", "control_id")
    )
    keys = pl.concat(
        [
            systems_rows.select("org_id", "id", key=_match_key("id")),
            systems_rows.select("org_id", "id", key=_match_key("name")),
        ]
    ).unique()
    counts = (
        keys.join(named, on=["org_id", "key"])
        .group_by("org_id", "id")
        .agg(controls_named=pl.struct("framework", "control_id").n_unique().cast(pl.Int64))
    )
    known = service_facts_rows.select("org_id", service_id="id", service="name")
    frame = (
        systems_rows.join(known, on=_SERVICE, how="left")
        .join(counts, on=["org_id", "id"], how="left")
        .join(organization.select("org_id", followed="frameworks"), on="org_id")
        .with_columns(
            data_classes=_words("data_classes"),
            frameworks=_words("frameworks").list.set_intersection("followed").list.sort(),
            in_scope=pl.col("boundary") == "inside",
            controls_named=pl.col("controls_named").fill_null(0),
        )
    )
    return shape("systems", frame).sort("org_id", "id")


def data_flows(data_flows_rows: pl.DataFrame, systems: pl.DataFrame, vendors_rows: pl.DataFrame) -> pl.DataFrame:
    """Declared flows with both ends; ``leaves``: from inside the boundary to outside it or to a vendor."""

    def end(side: str) -> pl.DataFrame:
        return systems.select(
            "org_id",
            pl.col("id").alias(f"{side}_system"),
            pl.col("name").alias(f"{side}_name"),
            pl.col("boundary").alias(f"{side}_boundary"),
            pl.col("region").alias(f"{side}_region"),
        )

    outside = (pl.col("to_boundary").fill_null("outside") == "outside") | pl.col("vendor_id").is_not_null()
    frame = (
        data_flows_rows.join(end("from"), on=["org_id", "from_system"], how="left")
        .join(end("to"), on=["org_id", "to_system"], how="left")
        .join(vendors_rows.select("org_id", vendor_id="id", vendor="name"), on=["org_id", "vendor_id"], how="left")
        .with_columns(leaves=(pl.col("from_boundary").fill_null("inside") == "inside") & outside)
    )
    return shape("data_flows", frame).sort("org_id", "id")


def observations(
    sightings_rows: pl.DataFrame,
    strange_alerts_rows: pl.DataFrame,
    service_facts_rows: pl.DataFrame,
    systems: pl.DataFrame,
    asked: pl.DataFrame,
) -> pl.DataFrame:
    """Everything that was seen at work, and the declared system that it is: by its service, else by its name."""
    known = service_facts_rows.select(
        "org_id",
        "owner",
        "criticality",
        "environment",
        "internet_facing",
        "holds_customer_data",
        service_id="id",
        service="name",
    )
    strangers = strange_alerts_rows.select(
        "org_id",
        pl.lit(None, dtype=pl.String).alias("service_id"),
        pl.col("details").str.json_path_match("$.unknown_service").alias("name"),
        pl.lit("alerts").alias("source"),
        "sightings",
        "last_at",
    )
    called = pl.concat(
        [known.select("org_id", key=_match_key(name), called="service_id") for name in ("service_id", "service")]
    ).unique(["org_id", "key"], keep="first", maintain_order=True)
    seen = (
        pl.concat([sightings_rows.select(strangers.columns), strangers], how="vertical_relaxed")
        .join(called, left_on=["org_id", _match_key("name")], right_on=["org_id", "key"], how="left")
        .with_columns(service_id=pl.coalesce("service_id", "called"))
        .join(known, on=_SERVICE, how="left")
        .with_columns(name=pl.coalesce("service", "name", "service_id"))
        .with_columns(key=_match_key("name"), last_on=local_day("last_at", asked))
        .sort("org_id", "key", "service_id", "source", "name", nulls_last=True)
        .group_by("org_id", "key", "service_id", maintain_order=True)
        .agg(
            pl.col("name", "owner", "criticality", "environment").first(),
            pl.col("internet_facing", "holds_customer_data").first(),
            seen_in=pl.col("source").unique().sort(),
            alerts=pl.col("sightings").filter(pl.col("source") == "alerts").sum().cast(pl.Int64),
            findings=pl.col("sightings").filter(pl.col("source") == "findings").sum().cast(pl.Int64),
            dependencies=pl.col("sightings").filter(pl.col("source") == "dependencies").sum().cast(pl.Int64),
            last_seen_on=pl.col("last_on").max(),
            last_alert_at=pl.col("last_at").filter(pl.col("source") == "alerts").max(),
        )
    )
    by_service = _first(systems.filter(pl.col("service_id").is_not_null()), _SERVICE, "by_service")
    by_name = _first(systems.with_columns(key=_match_key("name")), ["org_id", "key"], "by_name")
    by_id = _first(systems.with_columns(key=_match_key("id")), ["org_id", "key"], "by_id")
    frame = (
        seen.join(by_service, on=_SERVICE, how="left")
        .join(by_name, on=["org_id", "key"], how="left")
        .join(by_id, on=["org_id", "key"], how="left")
        .with_columns(system_id=pl.coalesce("by_service", "by_name", "by_id"))
    )
    return shape("observations", frame).sort("org_id", "name", "service_id", nulls_last=True)


def _first(systems: pl.DataFrame, key: list[str], name: str) -> pl.DataFrame:
    return systems.sort("id").group_by(key, maintain_order=True).agg(pl.col("id").first().alias(name))
