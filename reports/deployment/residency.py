"""Where data is kept and handled: subprocessors and destinations of messages, in the data region or not."""

import polars as pl

from engine.model.vocabulary import VENDOR_TIERS
from reports.shared.ordering import rank

OUTSIDE = "outside the region"
UNDECLARED = "not declared"
NO_DATA = ("none", "no data")
SUBPROCESSOR = "subprocessor"
# outside, and known to have data: a destination of messages, or a vendor whose classes of data are declared
WITH_DATA = (pl.col("reason") == OUTSIDE) & ((pl.col("kind") != SUBPROCESSOR) | (pl.col("data_classes") != UNDECLARED))


def subprocessors(vendors: pl.DataFrame, deployment: pl.DataFrame) -> pl.DataFrame:
    """Vendors that handle a class of data, or of which nobody says whether they do, those outside the region first."""
    classes = pl.col("data_classes").fill_null("").str.strip_chars()
    return (
        vendors.with_columns(data_classes=pl.when(classes == "").then(pl.lit(UNDECLARED)).otherwise(classes))
        .filter(~pl.col("data_classes").str.to_lowercase().is_in(NO_DATA))
        .with_columns(reason=_reason(_region(deployment)))
        .with_columns(in_region=pl.col("reason").is_null())
        .select(
            "name",
            "service",
            "tier",
            "data_classes",
            "region",
            "in_region",
            "dpa_on",
            "baa_on",
            "assurance",
            "status",
            "owner",
            "reason",
        )
        .sort("in_region", rank("tier", VENDOR_TIERS), "name", "service", nulls_last=True)
    )


def exceptions(vendors: pl.DataFrame, destinations: pl.DataFrame, deployment: pl.DataFrame) -> pl.DataFrame:
    """Subprocessors and destinations outside the data region, or whose region is not known, the most critical first."""
    columns = ("kind", "name", "tier", "data_classes", "owner", "region", "reason", "deliveries", "last_on")
    people = (
        subprocessors(vendors, deployment)
        .filter(pl.col("reason").is_not_null())
        .select(
            "name",
            "tier",
            "data_classes",
            "owner",
            "region",
            "reason",
            kind=pl.lit(SUBPROCESSOR),
            deliveries=pl.lit(None, dtype=pl.Int64),
            last_on=pl.lit(None, dtype=pl.Date),
        )
    )
    places = (
        destinations.with_columns(reason=_reason(_region(deployment)))
        .filter(pl.col("reason").is_not_null())
        .select(
            *("region", "reason", "deliveries", "last_on"),
            kind="channel",
            name="destination",
            **{name: pl.lit(None, dtype=pl.String) for name in ("tier", "data_classes", "owner")},
        )
    )
    return pl.concat([people.select(columns), places.select(columns)]).sort(
        pl.col("reason") != OUTSIDE, rank("tier", VENDOR_TIERS), "kind", "name", "region", nulls_last=True
    )


def _region(deployment: pl.DataFrame) -> str:
    declared = deployment["data_region"].first()
    return declared if isinstance(declared, str) else ""


def _reason(region: str) -> pl.Expr:
    """Why something is an exception; null where it is in the region."""
    known = pl.col("region").fill_null("") != ""
    there = pl.col("region").str.to_lowercase() == region.lower()
    return (
        pl.when(pl.lit(not region))
        .then(pl.lit("no data region declared"))
        .when(~known)
        .then(pl.lit("region unknown"))
        .when(~there)
        .then(pl.lit(OUTSIDE))
    )
