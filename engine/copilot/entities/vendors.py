"""Vendors and the documents that assure them."""

from collections.abc import Callable
from datetime import date

import polars as pl

from engine.copilot.entities.entity import Entity, Records, RowState, flag, is_in, none, over, phrases
from engine.copilot.entities.wordbook import possession, with_words

_SOC2 = ("soc 2", "soc2", "soc 2 report", "soc2 report", "soc report")
_REPORT = phrases(
    "current assurance, valid assurance, assurance in force, report, current report, assurance report, audit report"
)


def _without(*named: str) -> tuple[str, ...]:
    """The ways to say that something is not there."""
    return tuple(
        f"{phrase} {name}"
        for name in named
        for phrase in phrases("without, without a, without an, no, have no, missing, missing a, not have a, not have")
    )


def _with(*named: str) -> tuple[str, ...]:
    return tuple(
        f"{said} {name}" for name in named for said in ("with", "with a", "with an", "have a", "have", "has a")
    )


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


# how regions begin in a part of the world, and what people call it
_PLACES = (
    ("the EU", "eu-", ("the eu", "europe", "the european union", "eu")),
    ("Asia", "ap-", ("asia", "apac", "asia pacific")),
    ("the US", "us-", ("the us", "the usa", "america", "the states", "the united states", "us")),
)


def _region(prefix: str, *, inside: bool = True) -> Callable[[date], pl.Expr]:
    """Vendors whose region begins so, or does not; of an unknown region neither is said."""
    within = pl.col("region").str.starts_with(prefix)
    return lambda _: within if inside else ~within


VENDOR = with_words(
    Entity(
        "vendor",
        "vendors",
        _vendors,
        "vendor_id",
        "{vendor_id} {name}: {service}, tier {tier}, assurance {assurance}, review {review} (next {next_review_on}), "
        "owner {owner}",
        names=("vendor_id", "name"),
        states=(
            RowState("without a SOC 2 report", none("soc2_kind"), words=_without(*_SOC2), after=True),
            RowState(
                "with a SOC 2 report", lambda _: pl.col("soc2_kind").is_not_null(), words=_with(*_SOC2), after=True
            ),
            RowState(
                "without a processing agreement",
                none("dpa_on"),
                words=_without("dpa", "processing agreement", "data processing agreement"),
                after=True,
            ),
            RowState(
                "with a processing agreement",
                lambda _: pl.col("dpa_on").is_not_null(),
                words=_with("dpa", "processing agreement", "data processing agreement"),
                after=True,
            ),
            RowState(
                "without an ISO 27001 certificate",
                none("iso_expires_on"),
                words=_without("iso certificate", "iso 27001 certificate", "iso", "iso 27001"),
                after=True,
            ),
            RowState(
                "without assurance in force",
                lambda _: ~pl.col("assurance").is_in(["assured", "expiring"]),
                words=(*_without("assurance", *_REPORT), "unassured", "not assured"),
                after=True,
            ),
            RowState("assured", is_in("assurance", "assured", "expiring")),
            RowState("with assurance that lapsed", is_in("assurance", "lapsed"), after=True),
            RowState("with assurance that expires soon", is_in("assurance", "expiring"), after=True),
            RowState(
                "never assured", is_in("assurance", "not_assessed"), assumed="by documents, whatever was recorded of it"
            ),
            RowState("due for review (overdue)", is_in("review", "overdue", "never"), after=True),
            RowState("reviewed in time", is_in("review", "current")),
            RowState("never reviewed", is_in("review", "never")),
            RowState("with inherited gaps", over("inherited_gaps", 1), after=True),
            RowState("handling health data", flag("handles_phi"), words=possession("health data", "phi"), after=True),
            RowState("unowned", none("owner"), aside=True),
            RowState("with customer data", flag("stores_customer_data"), words=possession("customer data"), after=True),
            RowState(
                "with privileged access",
                flag("privileged_access"),
                words=("privileged access", *_with("privileged access")),
                after=True,
            ),
            RowState(
                "assessed",
                lambda _: pl.col("assurance") != "not_assessed",
                assumed="by documents, whatever was recorded of it",
            ),
            RowState("whose outage stops us", flag("outage_stops_service"), after=True),
            RowState(
                "with a qualified opinion",
                is_in("soc2_opinion", "qualified"),
                words=tuple(
                    f"qualified{kind} {said}"
                    for kind in ("", " soc 2", " soc2", " audit", " auditor")
                    for said in ("opinion", "report", "audit report", "soc 2")
                ),
                after=True,
            ),
            *(
                state
                for label, prefix, words in _PLACES
                for state in (
                    RowState(
                        f"in {label}",
                        _region(prefix),
                        words=tuple(f"in {word}" for word in words),
                        after=True,
                        aside=True,
                    ),
                    RowState(
                        f"outside {label}",
                        _region(prefix, inside=False),
                        words=tuple(f"{said} {word}" for said in ("outside", "not in", "outside of") for word in words),
                        after=True,
                        aside=True,
                    ),
                )
            ),
            RowState("current", lambda _: pl.lit(True)),
        ),
        due="next_review_on",
        begun="onboarded_on",
        links={"vendor": "vendor_id"},
        size="residual",
        scale="residual",
        unrated="rating_unknown",
        dated=False,
        report="third-party-vendors",
        figures={
            frozenset(): "vendors",
            frozenset({"assured"}): "vendors_assured",
            frozenset({"never assured"}): "vendors_not_assessed",
            frozenset({"never reviewed"}): "vendor_reviews_never",
            frozenset({"with assurance that lapsed"}): "vendors_assurance_lapsed",
            frozenset({"with assurance that expires soon"}): "vendors_assurance_expiring",
        },
    )
)

DOCUMENT = with_words(
    Entity(
        "vendor document",
        "vendor documents",
        _documents,
        "id",
        "{id} {kind} of {vendor}: issued {issued_on}, good until {valid_until}, opinion {opinion}",
        names=("id",),
        states=(
            RowState(
                "expired",
                lambda today: (pl.col("valid_until") < today) & ~pl.col("replaced_state"),
                assumed="without those that have a newer one of their kind",
            ),
            RowState("replaced", flag("replaced_state")),
            RowState(
                "in force", lambda today: pl.col("valid_until").is_null() | (pl.col("valid_until") >= today), after=True
            ),
            RowState("qualified", is_in("opinion", "qualified")),
        ),
        due="valid_until",
        begun="issued_on",
        links={"vendor": "vendor_id"},
    )
)
FORMER = with_words(
    Entity(
        "former vendor",
        "former vendors",
        lambda records: records.table("vendors").filter(pl.col("offboarded_on") <= records.today),
        "id",
        "{id} {name}: tier {tier}, onboarded on {onboarded_on}, offboarded on {offboarded_on}, owner {owner}",
        names=("id", "name"),
    )
)
VENDORS = (VENDOR, DOCUMENT, FORMER)
