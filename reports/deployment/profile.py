"""How the console is deployed: tier, region, who operates what, limits, and where data leaves the region."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from engine.model.declarations.report import Report
from engine.model.documents.document import Chart, Document, FrameRow, Opening, Table
from engine.model.documents.tones import Tone
from engine.model.documents.vendor_documents import STATE_LABELS
from engine.model.figures.figure import Figures
from reports.deployment import residency
from reports.deployment.figures import TENANCY
from reports.figures import select
from reports.shared import setup
from reports.shared.wording import brief, count_of, some_of

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
UNKNOWN = "not declared"
# what is known to be outside, then data of which it is known what it is
GRAVEST_FIRST = (pl.col("reason") != residency.OUTSIDE, pl.col("data_classes").fill_null(UNKNOWN) == UNKNOWN)
DECLARED = {"data_region": "data region", "boundary": "boundary", "key_custody": "key custody", "auth_mode": "sign-in"}
LABELS = {
    "area": "What",
    "dpa_on": "Processing agreement",
    "baa_on": "Business associate agreement",
    "last_on": "Last sent",
    **STATE_LABELS,
}
DEFINITIONS = {
    "destination": "The domain of an e-mail address, the host of a webhook, a chat channel, or a connected system; "
    "never a person.",
    "their evidence, our assessment": "As in the vendor register: whether a document in force assures the vendor, and "
    "whether we assessed it and looked again in time.",
}
# what a page leads with
FOREMOST = (
    *("residency_exceptions_with_data", "residency_exceptions", "subprocessors", "deployment_tier", "data_region"),
    "profile_changed_on",
)
TONES: dict[str, Tone] = {"data declared": "main", "not declared": "third"}
NOTHING: Mapping[str, Any] = {**dict.fromkeys(("tier", *DECLARED)), "modules": []}


def build(deployment: pl.DataFrame, organization: pl.DataFrame, figures: Figures) -> Document:
    profile = deployment.row(0, named=True) if deployment.height else NOTHING
    subprocessors = figures.rows(residency.subprocessors)
    limits = pl.DataFrame(LIMITS, schema=["limit", "amount", "unit", "per"], orient="row")
    return Document(
        *_opening(organization, profile, figures),
        summary={**{name: profile[name] for name in DECLARED}, "modules": profile["modules"]},
        tables=(
            Table(
                "residency_exceptions",
                "Where data leaves the region, or may",
                figures.rows(residency.exceptions)
                .sort(*GRAVEST_FIRST, maintain_order=True)
                .select("name", "data_classes", "region", "reason", "tier", "owner", "kind", "deliveries", "last_on"),
                note="The owner of each moves its data into the region, or has the exception approved.",
                labels=LABELS,
                hidden=("kind", "deliveries", "last_on"),
            ),
            Table(
                "subprocessors",
                "Subprocessors that touch data",
                subprocessors.drop("reason", "owner"),
                labels=LABELS,
                state=("assurance",),
                words=("status",),
            ),
            Table("operators", "Who operates what", _operators(profile), labels=LABELS),
            Table("limits", "Limits in force", limits),
        ),
        charts=_charts(subprocessors, profile),
        definitions=DEFINITIONS,
        warnings=_warnings(profile),
        foremost=FOREMOST if profile["tier"] else (),
    )


def _operators(profile: Mapping[str, Any]) -> pl.DataFrame:
    rows = [(area, by.get(profile["tier"], UNKNOWN)) for area, by in OPERATORS]
    rows.append(("encryption keys", profile["key_custody"] or UNKNOWN))
    return pl.DataFrame(rows, schema={"area": pl.String, "operator": pl.String}, orient="row").sort("area")


def _opening(organization: pl.DataFrame, profile: Mapping[str, Any], figures: Figures) -> Opening:
    if organization.is_empty() or not profile["tier"]:
        return Opening(
            "No deployment profile is on record: where data is kept and who operates what is not known.",
            setup.fill("organizations"),
        )
    region = profile["data_region"]
    where = f"keeps its data in {brief(region)}" if region else "has not declared in which region its data is kept"
    if figures["residency_exceptions"]:
        known = figures["residency_exceptions_with_data"]
        unsure = figures["residency_exceptions"] - known
        away = count_of(known, "place outside it has data", "places outside it have data")
        others = count_of(unsure, "place") if not known else f"{unsure:,} more"
        more = f"of {others} nobody says{'' if known else ' whether data is outside'}"
        leaving = "; ".join([*([away] if known else []), *([more] if unsure else [])])
    else:
        leaving = "nothing is known to leave it" if region else "no destination outside is known"
    name = brief(organization["name"][0])
    declare = "" if region else "Declare the region: import organizations.csv with hq import."
    places = figures.rows(residency.exceptions)
    step = "Nobody has to act: every place on record is in the region; what nobody declared is not known."
    if places.height:
        step = f"{_settle(_gravest(places))}."
    return Opening(f"{name} {where} ({profile['tier']} tier); {leaving}.", declare or step)


def _charts(subprocessors: pl.DataFrame, profile: Mapping[str, Any]) -> list[Chart]:
    """Where subprocessors keep data: the declared region first, then where most are."""
    if subprocessors.is_empty():
        return []
    region = pl.col("region").fill_null(UNKNOWN)
    ours = profile["data_region"] or ""
    frame = (
        subprocessors.with_columns(
            region=pl.when("in_region").then(pl.format("{} (ours)", region)).otherwise(region),
            data=pl.when(pl.col("data_classes") == residency.UNDECLARED)
            .then(pl.lit("not declared"))
            .otherwise(pl.lit("data declared")),
        )
        .group_by("region", "data")
        .agg(vendors=pl.len().cast(pl.Int64))
        .sort(~pl.col("region").str.starts_with(ours), -pl.col("vendors").sum().over("region"), "region", "data")
    )
    alt = "Subprocessors by the region that they keep data in, with and without declared classes of data."
    return [Chart("stacked", "Subprocessors by region", frame, "region", "vendors", alt, series="data", tones=TONES)]


def _gravest(places: pl.DataFrame) -> FrameRow:
    """The first place outside the region with data of a class that is known; else the first."""
    return places.sort(*GRAVEST_FIRST, maintain_order=True).row(0, named=True)


def _settle(first: FrameRow) -> str:
    """Whose data lies where, what to do about it, and who answers for it."""
    what = ", ".join(word for word in (first["tier"], first["data_classes"]) if word and word != UNKNOWN)
    name = f"{first['name']} ({what})" if what else first["name"]
    who = first["owner"] or "Whoever answers for it"
    return f"Move the data of {name} into the region or have the exception approved ({first['reason']}): {who} decides"


def _warnings(profile: Mapping[str, Any]) -> list[str]:
    absent = [label for name, label in DECLARED.items() if not profile[name]]
    return [f"Not declared in the profile: {some_of(absent)}."] if absent else []


REPORT = Report(
    name="deployment-profile",
    title="Deployment profile",
    description="Tier, data region, boundary, key custody, limits, subprocessors and residency exceptions.",
    build=build,
    figures=select(
        *("deployment_tier", "tenancy", "plan", "subprocessors", "residency_exceptions"),
        *("residency_exceptions_outside", "residency_exceptions_with_data", "profile_version", "profile_changed_on"),
    ),
    parameters=(),
    schema_version=2,
)
