"""How the console is deployed: tier, region, who operates what, limits, and where data leaves the region."""

from collections.abc import Mapping

import polars as pl

from engine.model.document import Document, Table
from engine.model.report import Ask, Report
from reports.shared.wording import count_of, some_of

TENANCY = {
    "shared": "one store for several organizations, kept apart by the credential of every request",
    "dedicated": "an instance and a store of its own",
    "self-hosted": "an instance that the organization runs itself",
}
# who operates what, by tier; keys follow the declared custody
OPERATORS: tuple[tuple[str, Mapping[str, str]], ...] = (
    ("servers and network", {"shared": "vendor", "dedicated": "vendor", "self-hosted": "organization"}),
    ("console software and updates", {"shared": "vendor", "dedicated": "vendor", "self-hosted": "organization"}),
    ("store, backups and restore", {"shared": "vendor", "dedicated": "vendor", "self-hosted": "organization"}),
    ("sign-in and identities", dict.fromkeys(TENANCY, "organization")),
    ("members, roles, keys and tokens", dict.fromkeys(TENANCY, "organization")),
    ("records, evidence and their accuracy", dict.fromkeys(TENANCY, "organization")),
)
# what a caller may do at most; requests are for each user and address, or for each address
LIMITS = (
    ("body of a request", 1_048_576, "bytes", "request"),
    ("proxied requests", 120, "in 60 seconds", "user and address"),
    ("sensitive requests", 30, "in 60 seconds", "user and address"),
    ("ingested bodies, unless the operator set another number", 6000, "in 60 seconds", "address"),
    ("turns of the copilot", 20, "in 60 seconds", "user and address"),
    ("contact form", 5, "in 600 seconds", "address"),
)
DECLARED = {
    "data_region": "data region",
    "boundary": "boundary",
    "key_custody": "key custody",
    "auth_mode": "sign-in",
}
LABELS = {
    "area": "What",
    "operator": "Operated by",
    "limit": "Limit",
    "amount": "At most",
    "per": "For each",
    "name": "Name",
    "data_classes": "Data",
    "dpa_on": "Processing agreement",
    "baa_on": "Business associate agreement",
    "last_on": "Last sent",
}
DEFINITIONS = {
    "subprocessor": "A vendor of the register that is not offboarded and handles a class of data.",
    "residency exception": "A subprocessor or a destination of messages that is outside the data region, or whose "
    "region nobody has declared. Unknown counts as outside until somebody says where it is.",
    "destination": "The domain of an e-mail address, the host of a webhook, a chat channel, or a connected system; "
    "never a person.",
    "profile version": "The revision in which the profile last changed.",
}


def build(
    deployment: pl.DataFrame, organization: pl.DataFrame, vendors: pl.DataFrame, destinations: pl.DataFrame, ask: Ask
) -> Document:
    profile = deployment.row(0, named=True)
    region = profile["data_region"]
    subprocessors = _subprocessors(vendors, region)
    exceptions = _exceptions(subprocessors, destinations, region)
    limits = pl.DataFrame(LIMITS, schema=["limit", "amount", "unit", "per"], orient="row")
    return Document(
        headline=_headline(organization["name"][0], profile, exceptions),
        summary={
            "tier": profile["tier"],
            "tenancy": TENANCY[profile["tier"]],
            **{name: profile[name] for name in DECLARED},
            "plan": profile["plan"],
            "modules": profile["modules"],
            "subprocessors": subprocessors.height,
            "residency_exceptions": exceptions.height,
            "profile_version": profile["version"],
            "profile_changed_on": profile["changed_on"],
        },
        tables=(
            Table("residency_exceptions", "Where data leaves the region, or may", exceptions, labels=LABELS),
            Table(
                "subprocessors",
                "Subprocessors that touch data",
                subprocessors.drop("reason"),
                labels=LABELS,
                words=("status",),
            ),
            Table("operators", "Who operates what", _operators(profile), labels=LABELS),
            Table("limits", "Limits in force", limits, labels=LABELS),
        ),
        definitions=DEFINITIONS,
        warnings=_warnings(profile),
    )


def _subprocessors(vendors: pl.DataFrame, region: str | None) -> pl.DataFrame:
    return (
        vendors.filter(pl.col("data_classes").fill_null("") != "")
        .with_columns(reason=_reason(region))
        .with_columns(in_region=pl.col("reason").is_null())
        .select(
            "name", "service", "tier", "data_classes", "region", "in_region", "dpa_on", "baa_on", "status", "reason"
        )
        .sort("in_region", "name", "service", nulls_last=True)
    )


def _reason(region: str | None) -> pl.Expr:
    """Why something is an exception; null where it is in the region."""
    known = pl.col("region").fill_null("") != ""
    there = pl.col("region").str.to_lowercase() == (region or "").lower()
    return (
        pl.when(pl.lit(not region)).then(pl.lit("no data region declared"))
        .when(~known).then(pl.lit("region unknown"))
        .when(~there).then(pl.lit("outside the region"))
    )  # fmt: skip


def _exceptions(subprocessors: pl.DataFrame, destinations: pl.DataFrame, region: str | None) -> pl.DataFrame:
    columns = ("kind", "name", "region", "reason", "deliveries", "last_on")
    people = subprocessors.filter(pl.col("reason").is_not_null()).select(
        "name", "region", "reason", kind=pl.lit("subprocessor"), deliveries=pl.lit(None, dtype=pl.Int64),
        last_on=pl.lit(None, dtype=pl.Date),
    )  # fmt: skip
    places = destinations.with_columns(reason=_reason(region)).filter(pl.col("reason").is_not_null())
    places = places.select("region", "reason", "deliveries", "last_on", kind="channel", name="destination")
    return pl.concat([people.select(columns), places.select(columns)]).sort(
        pl.col("reason") != "outside the region", "kind", "name", "region", nulls_last=True
    )


def _operators(profile: Mapping[str, str | None]) -> pl.DataFrame:
    tier = profile["tier"] or ""
    rows = [(area, by[tier]) for area, by in OPERATORS]
    rows.append(("encryption keys", profile["key_custody"] or "not declared"))
    return pl.DataFrame(rows, schema={"area": pl.String, "operator": pl.String}, orient="row").sort("area")


def _headline(name: str, profile: Mapping[str, str | None], exceptions: pl.DataFrame) -> str:
    region = profile["data_region"]
    where = f"keeps its data in {region}" if region else "has not declared in which region its data is kept"
    if exceptions.is_empty():
        leaving = "nothing is known to leave it" if region else "no destination outside is known"
    else:
        outside = exceptions.filter(pl.col("reason") == "outside the region").height
        leaving = f"{count_of(exceptions.height, 'residency exception')}, {outside:,} of them known to be outside"
    return f"{name} runs on the {profile['tier']} tier and {where}; {leaving}."


def _warnings(profile: Mapping[str, str | None]) -> list[str]:
    absent = [label for name, label in DECLARED.items() if not profile[name]]
    return [f"Not declared in the profile: {some_of(absent)}."] if absent else []


REPORT = Report(
    name="deployment-profile",
    title="Deployment profile",
    description="Tier, data region, boundary, key custody, limits, subprocessors and residency exceptions.",
    build=build,
    parameters=(),
)
