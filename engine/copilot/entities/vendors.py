"""Vendors and the documents that assure them."""

from collections.abc import Callable
from datetime import date

import polars as pl

from engine.copilot.entities.entity import Records, RowState, flag, is_in, none, over
from engine.copilot.entities.wordbook import thing


def _vendors(records: Records) -> pl.DataFrame:
    more = records.table("vendors").select(
        "stores_customer_data", "privileged_access", "outage_stops_service", "onboarded_on", vendor_id="id"
    )
    return (
        records.fact("vendors")
        .join(more, on="vendor_id", how="left")
        .with_columns(
            pl.col("tier").replace_strict({"critical": 4, "high": 3, "medium": 2, "low": 1}, default=0).alias("rank")
        )
    )


def _documents(records: Records) -> pl.DataFrame:
    names = records.fact("vendors").select("vendor_id", vendor="name")
    return (
        records.fact("vendor_documents")
        .join(names, on="vendor_id")
        .with_columns(
            kind=pl.col("kind").str.replace_all("_", " "),
            replaced_state=pl.col("issued_on") < pl.col("issued_on").max().over("vendor_id", "kind"),
        )
        .with_columns(title=pl.format("{} of {}", "kind", "vendor"))
    )


# how regions begin in a part of the world
_PLACES = {"the EU": "eu-", "Asia": "ap-", "the US": "us-"}


def _region(prefix: str, *, inside: bool = True) -> Callable[[date], pl.Expr]:
    """Vendors whose region begins so, or does not; of an unknown region neither is said."""
    within = pl.col("region").str.starts_with(prefix)
    return lambda _: within if inside else ~within


VENDOR = thing(
    "vendor",
    _vendors,
    RowState("without a SOC 2 report", none("soc2_kind"), after=True),
    RowState("with a SOC 2 report", lambda _: pl.col("soc2_kind").is_not_null(), after=True),
    RowState("without a processing agreement", none("dpa_on"), after=True),
    RowState("with a processing agreement", lambda _: pl.col("dpa_on").is_not_null(), after=True),
    RowState("without an ISO 27001 certificate", none("iso_expires_on"), after=True),
    RowState("with an ISO 27001 certificate", lambda _: pl.col("iso_expires_on").is_not_null(), after=True),
    RowState("without assurance in force", lambda _: ~pl.col("assurance").is_in(["assured", "expiring"]), after=True),
    RowState("assured", is_in("assurance", "assured", "expiring")),
    RowState("with assurance that lapsed", is_in("assurance", "lapsed"), after=True),
    RowState("with assurance that expires soon", is_in("assurance", "expiring"), after=True),
    RowState("never assured", is_in("assurance", "not_assessed"), assumed="by documents, whatever was recorded of it"),
    RowState("due for review (overdue)", is_in("review", "overdue", "never"), after=True),
    RowState("reviewed in time", is_in("review", "current")),
    RowState("never reviewed", is_in("review", "never")),
    RowState("with inherited gaps", over("inherited_gaps", 1), after=True),
    RowState("handling health data", flag("handles_phi"), after=True),
    RowState("unowned", none("owner"), aside=True),
    RowState("with customer data", flag("stores_customer_data"), after=True),
    RowState("with privileged access", flag("privileged_access"), after=True),
    RowState(
        "assessed", lambda _: pl.col("assurance") != "not_assessed", assumed="by documents, whatever was recorded of it"
    ),
    RowState("whose outage stops us", flag("outage_stops_service"), after=True),
    RowState("with a qualified opinion", is_in("soc2_opinion", "qualified"), after=True),
    *(
        state
        for label, prefix in _PLACES.items()
        for state in (
            RowState(f"in {label}", _region(prefix), after=True, aside=True),
            RowState(f"outside {label}", _region(prefix, inside=False), after=True, aside=True),
        )
    ),
    RowState("current", lambda _: pl.lit(True)),
)

DOCUMENT = thing(
    "vendor document",
    _documents,
    RowState(
        "expired",
        lambda today: (pl.col("valid_until") < today) & ~pl.col("replaced_state"),
        assumed="without those that have a newer one of their kind",
    ),
    RowState("replaced", flag("replaced_state")),
    RowState("in force", lambda today: pl.col("valid_until").is_null() | (pl.col("valid_until") >= today), after=True),
    RowState("qualified", is_in("opinion", "qualified")),
)
FORMER = thing(
    "former vendor", lambda records: records.table("vendors").filter(pl.col("offboarded_on") <= records.today)
)
VENDORS = (VENDOR, DOCUMENT, FORMER)
