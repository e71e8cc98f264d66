"""Vendors and the documents that assure them."""

from collections.abc import Callable
from datetime import date

import polars as pl

from engine.copilot.entities.entity import Entity, Records, RowState, flag, is_in, meanings, none, over, phrases
from engine.copilot.entities.operations import OWNER, UNOWNED
from engine.copilot.entities.programme import OVERDUE

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


VENDOR = Entity(
    "vendor", "vendors",
    phrases(
        "vendor, supplier, third party, provider, partner, contractor, 3rd party, outsourcer, subprocessor, sub- "
        "processor, vendor review, supplier review, whose outage"
    ),
    _vendors, "vendor_id",
    "{vendor_id} {name}: {service}, tier {tier}, assurance {assurance}, review {review} (next {next_review_on}), "
    "owner {owner}",
    names=("vendor_id", "name"),
    states=(
        RowState("without a SOC 2 report", _without(*_SOC2), none("soc2_kind"), after=True),
        RowState("with a SOC 2 report", _with(*_SOC2), lambda _: pl.col("soc2_kind").is_not_null(), after=True),
        RowState(
            "without a processing agreement", _without("dpa", "processing agreement", "data processing agreement"),
            none("dpa_on"), after=True
        ),
        RowState(
            "with a processing agreement", _with("dpa", "processing agreement", "data processing agreement"),
            lambda _: pl.col("dpa_on").is_not_null(), after=True
        ),
        RowState(
            "without an ISO 27001 certificate",
            _without("iso certificate", "iso 27001 certificate", "iso", "iso 27001"), none("iso_expires_on"),
            after=True
        ),
        RowState(
            "without assurance in force", (*_without("assurance", *_REPORT), "unassured", "not assured"),
            lambda _: ~pl.col("assurance").is_in(["assured", "expiring"]), after=True
        ),
        RowState("assured", ("with assurance", "covered"), is_in("assurance", "assured", "expiring")),
        RowState(
            "with assurance that lapsed",
            phrases(
                "assurance lapsed, lapsed assurance, expired assurance, assurance expired, lapsed, lost assurance, "
                "lost their assurance, expired report, report expired"
            ),
            is_in("assurance", "lapsed"), after=True
        ),
        RowState(
            "with assurance that expires soon",
            ("assurance expires soon", "expiring assurance", "expiring", "expire soon"),
            is_in("assurance", "expiring"), after=True
        ),
        RowState(
            "never assured", ("not assessed", "never assessed", "unassessed"), is_in("assurance", "not_assessed"),
            assumed="by documents, whatever was recorded of it"
        ),
        RowState(
            "due for review (overdue)",
            (
                *OVERDUE, "overdue review", "review overdue", "overdue for review", "due for review", "needs review",
                "need a review", "past review"
            ),
            is_in("review", "overdue", "never"), after=True
        ),
        RowState("reviewed in time", ("reviewed on time", "review current"), is_in("review", "current")),
        RowState("never reviewed", ("without review", "without a review"), is_in("review", "never")),
        RowState("with inherited gaps", ("inherited gap",), over("inherited_gaps", 1), after=True),
        RowState(
            "handling health data", ("health data", "phi", "handle phi", "patient data"), flag("handles_phi"),
            after=True
        ),
        RowState("unowned", UNOWNED, none("owner"), aside=True),
        RowState(
            "with customer data",
            tuple(
                f"{verb} customer data".strip()
                for verb in ("", "store", "stores", "handle", "handling", "hold", "keep", "with")
            ),
            flag("stores_customer_data"), after=True
        ),
        RowState(
            "with privileged access", ("privileged access", *_with("privileged access")), flag("privileged_access"),
            after=True
        ),
        RowState(
            "assessed", (), lambda _: pl.col("assurance") != "not_assessed",
            assumed="by documents, whatever was recorded of it"
        ),
        RowState(
            "whose outage stops us",
            phrases(
                "whose outage would stop the service, whose outage stops the service, outage would stop the "
                "service, take us down, stop us, stops us, stop our service, outage stops service, outage stops "
                "us, outage would stop us, outage would stop our service, outage takes us down"
            ),
            flag("outage_stops_service"), after=True
        ),
        RowState(
            "with a qualified opinion",
            tuple(
                f"qualified{kind} {said}"
                for kind in ("", " soc 2", " soc2", " audit", " auditor")
                for said in ("opinion", "report", "audit report")
            ),
            is_in("soc2_opinion", "qualified"), after=True
        ),
        *(
            state
            for label, prefix, words in _PLACES
            for state in (
                RowState(f"in {label}", tuple(f"in {word}" for word in words), _region(prefix), True, True),
                RowState(
                    f"outside {label}",
                    tuple(f"{said} {word}" for said in ("outside", "not in", "outside of") for word in words),
                    _region(prefix, inside=False),
                    True,
                    True,
                ),
            )
        ),
        RowState("current", ("active", "on the register", "on file"), lambda _: pl.lit(True))
    ),
    choices={
        "status": dict.fromkeys(phrases("ran out, run out, expired assessment, lapsed assessment"), "expired")
        | dict.fromkeys(_without("assessment"), "not_assessed"),
        "tier": meanings(
            "critical: crit, most important, tier 1, critical tier; high: high tier, high risk; medium: medium "
            "tier; low: low tier"
        ),
        "category": {"hosting": "cloud", "payment": "payments"}, "region": {}
    },
    dates={
        "next_review_on": ("review", "next review", "due", "reviewed next"),
        "last_review_on": ("last review", "last reviewed", "reviewed", "looked at", "checked"),
        "assured_until": ("assurance", "run out", "expire", "expires", "covered until", "assured until", "expiry"),
        "soc2_valid_until": ("soc 2", "soc2", "soc 2 report", "soc2 report", "soc 2 expire"),
        "iso_expires_on": ("iso certificate", "iso 27001 certificate"), "dpa_on": ("dpa",),
        "onboarded_on": ("onboarded", "signed up", "took on")
    },
    due="next_review_on", begun="onboarded_on", people={"owner": (*OWNER, "manages", "manage", "relationship")},
    links={"vendor": "vendor_id"},
    attributes={
        "tier": ("tier", "critical", "criticality", "important"),
        "service": ("service", "use", "provide", "do", "for"), "category": ("category", "kind", "type", "sort"),
        "assurance": ("assurance", "assured", "status", "covered"), "review": ("review",),
        "region": ("region", "where", "located", "location", "based", "sit"),
        "residual": ("risk", "risky", "rating", "residual", "residual risk"),
        "inherited_gaps": ("gap", "inherited gap"), "data_classes": ("data", "data class"),
        "soc2_opinion": ("opinion",), "dpa_on": ("dpa",),
        "soc2_kind": ("soc 2", "soc2", "soc 2 report", "soc2 report")
    },
    size="residual", scale="residual", dated=False, report="third-party-vendors",
    figures={
        frozenset(): "vendors", frozenset({"assured"}): "vendors_assured",
        frozenset({"never assured"}): "vendors_not_assessed", frozenset({"never reviewed"}): "vendor_reviews_never",
        frozenset({"with assurance that lapsed"}): "vendors_assurance_lapsed",
        frozenset({"with assurance that expires soon"}): "vendors_assurance_expiring"
    },
    fillers=("located", "based", "sit", "review", "register", "report", "use", "store data"),
    loose=phrases("contractor, partner, outsourcer, subprocessor"),
)  # fmt: skip

DOCUMENT = Entity(
    "vendor document", "vendor documents",
    phrases(
        "vendor document, assurance document, soc 2 report, soc2 report, dpa, certificate, pen test, penetration "
        "test, pentest, bridge letter, questionnaire, soc report, document, nda"
    ),
    _documents, "id", "{id} {kind} of {vendor}: issued {issued_on}, good until {valid_until}, opinion {opinion}",
    names=("id",),
    states=(
        RowState(
            "expired", phrases("lapsed, out of date, outdated, no longer valid, ended"),
            lambda today: (pl.col("valid_until") < today) & ~pl.col("replaced_state"),
            assumed="without those that have a newer one of their kind"
        ),
        RowState("replaced", phrases("superseded, with a newer one, outlived"), flag("replaced_state")),
        RowState(
            "in force", ("valid", "current"),
            lambda today: pl.col("valid_until").is_null() | (pl.col("valid_until") >= today), after=True
        ),
        RowState("qualified", ("qualified opinion", "with reservations"), is_in("opinion", "qualified"))
    ),
    choices={
        "kind": meanings(
            "dpa: dpa; soc2 type2: soc 2 report, soc2 report, soc report, soc 2, soc2, soc 2 document, soc2 "
            "document; pen test: pentest, penetration test; iso27001 certificate: iso certificate, certificate, "
            "iso, iso 27001, iso 27001 certificate"
        )
    },
    dates={
        "valid_until": ("expire", "expires", "run out", "runs out", "end", "ends", "lapse", "good until", "valid"),
        "issued_on": phrases(
            "issued, signed, dated, received, obtained, hand, hand in, handed in, sent, send, provided"
        )
    },
    due="valid_until", begun="issued_on", links={"vendor": "vendor_id"},
    fillers=("vendor", "supplier", "document", "report"),
    attributes={"opinion": ("opinion",), "kind": ("kind", "type")},
)  # fmt: skip
FORMER = Entity(
    "former vendor", "former vendors", ("former vendor", "vendor", "supplier"),
    lambda records: records.table("vendors").filter(pl.col("offboarded_on") <= records.today), "id",
    "{id} {name}: tier {tier}, onboarded on {onboarded_on}, offboarded on {offboarded_on}, owner {owner}",
    names=("id", "name"), choices={"tier": {}},
    dates={
        "offboarded_on": phrases(
            "offboarded, offboard, dropped, drop, terminated, left, let go, stopped using, gone, ended, former, "
            "got rid of, get rid of, part with, parted with, part ways, parted ways"
        )
    },
    people={"owner": OWNER}, loose=("vendor", "supplier"),
)  # fmt: skip
VENDORS = (VENDOR, DOCUMENT, FORMER)
