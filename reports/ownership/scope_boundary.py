"""Declared systems and data flows against what was observed at work: what nobody documented comes first."""

import polars as pl

from engine.model.document import Coverage, Document, Table
from engine.model.report import Ask, Report
from reports.ownership import scope_gaps
from reports.shared.columns import share_pct
from reports.shared.packs import PACKS
from reports.shared.wording import all_of, count, percent

SYSTEM = (
    *("id", "name", "owner", "boundary", "environment", "region", "data_classes", "frameworks", "controls_named"),
    *("pci_class", "service", "justification", "last_reviewed_on"),
)
FLOW = (
    *("id", "from_name", "to_name", "data_class", "protocol", "encrypted", "leaves", "from_region", "to_region"),
    *("vendor", "agreement_ref", "from_system", "to_system", "vendor_id"),
)
LABELS = {
    "id": "ID",
    "from_name": "From",
    "to_name": "To",
    "leaves": "Leaves the boundary",
    "agreement_ref": "Agreement",
    "controls_named": "Controls that name it",
    "pci_class": "PCI DSS class",
    "service": "Service",
    "justification": "Why excluded",
    "last_reviewed_on": "Last reviewed",
    "last_seen_on": "Last seen",
    "holds_customer_data": "Customer data",
    "documented_pct": "Documented (%)",
    "todo": "What to do",
    "subject": "ID",
}
DEFINITIONS = {
    "Undocumented": "Seen in the register of services, in alerts, in findings of scanners or at an end of a "
    "dependency, and no declared system is it: none names that service, and none has its name or identifier.",
    "In scope": "Inside the boundary. A system outside needs a reason.",
    "Leaves the boundary": "From a system inside to one outside, or to a vendor.",
    "PCI DSS class": "CDE stores, processes or transmits card data; connected-to reaches it; security-impacting could "
    "affect it; out does neither.",
    "No controls": "In scope with neither a framework that applies to it nor a control that names it.",
    "Review": f"The scope of a system is confirmed at least every {scope_gaps.REVIEW_MONTHS} months.",
    "Coverage": "Observed systems that are declared.",
}


def build(
    systems: pl.DataFrame, data_flows: pl.DataFrame, observations: pl.DataFrame, organization: pl.DataFrame, ask: Ask
) -> Document:
    strangers = scope_gaps.undeclared_systems(observations)
    services = observations.filter(pl.col("seen_in").list.contains("services"))["service_id"].drop_nulls().to_list()
    gaps = scope_gaps.gaps(systems, data_flows, strangers, services, ask.as_of)
    inside = systems.filter("in_scope")
    leaving = data_flows.filter("leaves")
    counts = {name: gaps.filter(pl.col("gap") == name).height for name in scope_gaps.GAPS}
    coverage = Coverage(observations.height - strangers.height, observations.height)
    return Document(
        headline=_headline(systems, observations, strangers, gaps),
        summary={
            "systems": systems.height,
            "in_scope": inside.height,
            "excluded": systems.height - inside.height,
            "flows": data_flows.height,
            "flows_leaving": leaving.height,
            "observed": observations.height,
            "undocumented": strangers.height,
            "documented_pct": coverage.pct,
            "gaps": gaps.height,
            **{f"gap_{name}": number for name, number in counts.items()},
        },
        tables=(
            Table(
                "undocumented", "Observed and not declared", strangers, labels=LABELS, hidden=("service_id",),
                note="Nobody protects on purpose what nobody knows of: start here.",
            ),
            Table("gaps", "Every gap of the scope, most urgent first", gaps, labels=LABELS, state=("gap",)),
            Table("observed_in", "Where it was observed", _sources(observations), labels=LABELS),
            Table("frameworks", "Systems by framework", _frameworks(inside, organization), labels=LABELS),
            Table(
                "systems", "Declared systems", systems.sort("boundary", "name", "id").select(SYSTEM), labels=LABELS,
                words=("pci_class",),
            ),
            Table(
                "flows", "Declared data flows, those that leave first",
                data_flows.sort(~pl.col("leaves"), "from_name", "to_name", "id", nulls_last=True).select(FLOW),
                labels=LABELS, hidden=("from_system", "to_system", "vendor_id"),
            ),
        ),
        coverage=coverage,
        definitions=DEFINITIONS,
        warnings=_warnings(inside),
    )  # fmt: skip


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


def _headline(systems: pl.DataFrame, observed: pl.DataFrame, strangers: pl.DataFrame, gaps: pl.DataFrame) -> str:
    if systems.is_empty() and observed.is_empty():
        return "No system is declared and none was observed: the scope is not known."
    if systems.is_empty():
        seen = count(observed.height, "system was", "systems were")
        return f"No system is declared, yet {seen} observed: write the scope down."
    rest = gaps.filter(pl.col("gap") != "undocumented_system").height
    others = f"{count(rest, 'other gap')} in the declared scope"
    if strangers.is_empty():
        if observed.is_empty():
            return f"{count(systems.height, 'system')} declared and nothing observed to compare with; {others}."
        return f"Every observed system is declared, {observed.height:,} in all; {others}."
    share = f"{count(strangers.height, 'observed system')} of {observed.height:,}"
    more = [f"{strangers.height - 3:,} more"] if strangers.height > 3 else []
    names = all_of([*strangers["name"].to_list()[:3], *more])
    known = percent(100 * (observed.height - strangers.height) / observed.height)
    verb = "is" if strangers.height == 1 else "are"
    return f"{share} {verb} undocumented ({known} documented): declare {names}; {others}."


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
)
