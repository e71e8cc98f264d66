"""Declared systems and data flows against what was observed at work: what nobody documented comes first."""

import polars as pl

from engine.model.declarations.report import Report
from engine.model.documents.document import Coverage, Document, Opening, Table
from engine.model.figures.figure import Figures
from reports.figures import select
from reports.ownership import scope_gaps
from reports.shared import arrivals, setup
from reports.shared.columns import share_pct
from reports.shared.packs import PACKS
from reports.shared.wording import all_of, count, count_of, percent, with_whom

SYSTEM = (
    *("id", "name", "owner", "boundary", "environment", "region", "data_classes", "frameworks", "controls_named"),
    *("pci_class", "service", "justification", "last_reviewed_on"),
)
FLOW = (
    *("id", "from_name", "to_name", "data_class", "protocol", "encrypted", "leaves", "from_region", "to_region"),
    *("vendor", "agreement_ref", "from_system", "to_system", "vendor_id"),
)
LABELS = {"leaves": "Leaves the boundary", "justification": "Why excluded", "subject": "ID"}
DEFINITIONS = {
    "In scope": "Inside the boundary. A system outside needs a reason.",
    "PCI DSS class": "CDE stores, processes or transmits card data; connected-to reaches it; security-impacting could "
    "affect it; out does neither.",
    "Coverage": "Observed systems that are declared.",
}
NAMED = 3  # undocumented systems that the headline names


def build(
    systems: pl.DataFrame,
    data_flows: pl.DataFrame,
    observations: pl.DataFrame,
    organization: pl.DataFrame,
    senders: pl.DataFrame,
    figures: Figures,
) -> Document:
    strangers = scope_gaps.undeclared_systems(observations)
    gaps = figures.rows(scope_gaps.gaps)
    inside = systems.filter("in_scope")
    return Document(
        *_opening(figures, strangers),
        tables=(
            Table(
                "undocumented",
                "Observed and not declared",
                strangers,
                hidden=("service_id",),
                note="Nobody protects on purpose what nobody knows of: start here.",
            ),
            Table("gaps", "Every gap of the scope, most urgent first", gaps, labels=LABELS, state=("gap",)),
            Table("observed_in", "Where it was observed", _sources(observations)),
            Table("frameworks", "Systems by framework", _frameworks(inside, organization)),
            Table(
                "systems",
                "Declared systems",
                systems.sort("boundary", "name", "id").select(SYSTEM),
                labels=LABELS,
                words=("pci_class",),
            ),
            Table(
                "flows",
                "Declared data flows, those that leave first",
                data_flows.sort(~pl.col("leaves"), "from_name", "to_name", "id", nulls_last=True).select(FLOW),
                labels=LABELS,
                hidden=("from_system", "to_system", "vendor_id"),
            ),
            *arrivals.tables(figures, senders),
        ),
        coverage=Coverage(observations.height - strangers.height, observations.height),
        definitions=DEFINITIONS,
        warnings=_warnings(inside),
    )


def _sources(observed: pl.DataFrame) -> pl.DataFrame:
    """How many systems each source saw, and how many of them are declared."""
    known = pl.col("system_id").is_not_null()
    return (
        observed.explode("seen_in", empty_as_null=False)
        .group_by(source="seen_in")
        .agg(
            observed=pl.len().cast(pl.Int64),
            documented=known.sum().cast(pl.Int64),
            undocumented=(~known).sum().cast(pl.Int64),
            documented_pct=share_pct(known.sum(), pl.len()),
        )
        .sort("source")
    )


def _frameworks(inside: pl.DataFrame, organization: pl.DataFrame) -> pl.DataFrame:
    """Systems in scope of each framework that the organization follows; none means that its scope is not written."""
    followed = organization.select(framework="frameworks").explode("framework", empty_as_null=False)
    held = (
        inside.explode("frameworks", empty_as_null=False)
        .group_by(framework="frameworks")
        .agg(systems=pl.len().cast(pl.Int64), with_data=(pl.col("data_classes").list.len() > 0).sum().cast(pl.Int64))
    )
    return (
        followed.join(held, on="framework", how="left", maintain_order="left")
        .with_columns(pl.col("systems", "with_data").fill_null(0))
        .with_columns(pl.col("framework").replace(PACKS))
    )


def _opening(figures: Figures, unknown: pl.DataFrame) -> Opening:
    strangers = unknown["name"].to_list()
    declared, observed = figures["systems_declared"], figures["systems_observed"]
    if not declared and not observed:
        return Opening("No system is declared and none was observed: the scope is not known.", setup.fill("systems"))
    if not declared:
        seen = count(observed, "system was", "systems were")
        return Opening(f"No system is declared, yet {seen} observed.", setup.fill("systems"))
    others = f"{count(figures['scope_gaps'] - len(strangers), 'other gap')} in the declared scope"
    if not observed:
        return Opening(
            f"{count(declared, 'system')} declared and nothing observed to compare with; {others}.",
            setup.fill("data_flows"),
        )
    if not strangers:
        return Opening(f"Every observed system is declared, {observed:,} in all; {others}.")
    more = [f"{len(strangers) - NAMED:,} more"] if len(strangers) > NAMED else []
    share = f"{len(strangers):,} of {count_of(observed, 'observed system')}"
    verb = "is" if len(strangers) == 1 else "are"
    known = percent(figures["systems_documented_pct"])
    whom = with_whom(unknown["owner"][0], unknown["last_seen_on"][0], "last seen")
    return Opening(
        f"{share} {verb} undocumented ({known} documented); {others}.",
        f"Declare {all_of([*strangers[:NAMED], *more])} ({whom}).",
    )


def _warnings(inside: pl.DataFrame) -> list[str]:
    if inside.is_empty() or inside["controls_named"].sum():
        return []
    return [
        "No control names the systems that it protects, so the frameworks of a system stand for its controls: "
        "fill in the systems of control profiles."
    ]


REPORT = Report(
    name="scope-boundary",
    title="Scope and boundary",
    description="Systems and data flows as declared against what alerts, findings, services and dependencies show.",
    build=build,
    figures=select(
        *("systems_declared", "systems_in_scope", "systems_excluded", "flows_declared", "flows_leaving"),
        *("systems_observed", "systems_undocumented", "systems_documented_pct", "scope_gaps"),
        *(f"scope_{gap}" for gap in scope_gaps.GAPS if gap != "undocumented_system"),
        *arrivals.IDS,
    ),
    schema_version=2,
)
