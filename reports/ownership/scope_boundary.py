"""Declared systems and data flows against what was observed at work: what nobody documented comes first."""

import polars as pl

from engine.model.declarations.report import Report
from engine.model.documents.document import Coverage, Document, FrameRow, Opening, Table
from engine.model.figures.figure import Figures
from reports.figures import select
from reports.ownership import scope_gaps
from reports.shared import arrivals, setup
from reports.shared.columns import share_pct
from reports.shared.packs import PACKS
from reports.shared.wording import all_of, count, count_of, with_whom

SYSTEM = (
    *("name", "owner", "boundary", "data_classes", "pci_class", "last_reviewed_on", "justification", "environment"),
    *("id", "region", "frameworks", "controls_named", "service"),
)
FLOW = (
    *("from_name", "to_name", "data_class", "leaves", "agreement_ref", "encrypted", "protocol", "id"),
    *("from_region", "to_region", "vendor", "from_system", "to_system", "vendor_id"),
)
LABELS = {"leaves": "Leaves the boundary", "justification": "Why excluded"}
GAP_LABELS = {"name": "System or data flow", "subject": "ID"}
DEFINITIONS = {
    "In scope": "Inside the boundary. A system outside needs a reason.",
    "PCI DSS class": "CDE stores, processes or transmits card data; connected-to reaches it; security-impacting could "
    "affect it; out does neither.",
    "Coverage": "Observed systems that are declared.",
}


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
        *_opening(figures, gaps),
        tables=(
            Table(
                "gaps",
                "Every gap of the scope, most urgent first",
                gaps.select("gap", "name", "detail", "todo", "owner", "subject"),
                labels=GAP_LABELS,
                state=("gap",),
                hidden=("subject",),
            ),
            Table(
                "undocumented",
                "Observed and not declared",
                strangers.select(
                    "name", "owner", "last_seen_on", "seen_in", pl.exclude("name", "owner", "last_seen_on", "seen_in")
                ),
                hidden=("service_id", "alerts", "findings", "dependencies", "environment"),
                note="Nobody protects on purpose what nobody knows of: declare these systems or switch them off.",
            ),
            Table(
                "flows",
                "Declared data flows, those with a gap first",
                _flows_first(data_flows),
                labels=LABELS,
                hidden=("id", "from_system", "to_system", "vendor_id", "from_region", "to_region", "vendor"),
            ),
            Table("frameworks", "Systems by framework", _frameworks(inside, organization)),
            *arrivals.tables(figures, senders),
            Table(
                "systems",
                "Declared systems",
                systems.sort("boundary", "name", "id").select(SYSTEM),
                labels={**LABELS, "name": "System"},
                words=("pci_class",),
                hidden=("environment", "id", "region", "controls_named", "service", "frameworks"),
            ),
            Table("observed_in", "Systems by where they were observed", _sources(observations)),
        ),
        coverage=Coverage(observations.height - strangers.height, observations.height, "declared"),
        definitions=DEFINITIONS,
        warnings=_warnings(inside),
    )


def _flows_first(data_flows: pl.DataFrame) -> pl.DataFrame:
    """Declared data flows: those that leave without an agreement or are not encrypted, then others that leave."""
    bare = pl.col("leaves") & pl.col("agreement_ref").is_null()
    urgent = pl.when(bare).then(0).when(~pl.col("encrypted").fill_null(False)).then(1).when("leaves").then(2)
    return data_flows.sort(urgent.otherwise(3), "from_name", "to_name", "id", nulls_last=True).select(FLOW)


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


def _opening(figures: Figures, gaps: pl.DataFrame) -> Opening:
    declared, observed, strangers = (
        figures[name] for name in ("systems_declared", "systems_observed", "systems_undocumented")
    )
    if not declared and not observed:
        return Opening("No system is declared and none was observed: the scope is not known.", setup.fill("systems"))
    if not declared:
        seen = count(observed, "system was", "systems were")
        return Opening(f"No system is declared, yet {seen} observed.", setup.fill("systems"))
    scope = "the scope" if strangers else "the declared scope"
    others = f"{scope} has {count(figures['scope_gaps'], 'gap')}{_flows(figures)}"
    if not observed:
        return Opening(
            f"Nothing was observed to compare with {count(declared, 'declared system')}; {others}.",
            setup.fill("data_flows"),
        )
    step = _step(gaps.row(0, named=True)) if gaps.height else ""
    if not strangers:
        return Opening(f"Every observed system is declared, {observed:,} in all; {others}.", step)
    verb = "is" if strangers == 1 else "are"
    return Opening(
        f"{strangers:,} of {count_of(observed, 'observed system')} {verb} not declared; in all {others}.", step
    )


def _flows(figures: Figures) -> str:
    """What is wrong with data flows, behind the number of gaps."""
    bare, open_flows = figures["scope_flow_without_agreement"], figures["scope_flow_unencrypted"]
    told = [f"{count(bare, 'data flow')} without an agreement"] if bare else []
    told += [f"{open_flows:,} not encrypted"] if open_flows else []
    return f": {all_of(told)} first" if told else ""


def _step(gap: FrameRow) -> str:
    """The first gap: what it is about, what to do about it and who does."""
    about = "data flow" if gap["gap"].startswith("flow_") else "system"
    todo = f"{gap['todo'][:1].lower()}{gap['todo'][1:-1]}"
    return f"For the {about} {gap['name']} ({gap['detail']}): {todo} ({with_whom(gap['owner'])})."


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
        *("systems_undocumented", "systems_observed", "systems_documented_pct", "scope_gaps"),
        *(f"scope_{gap}" for gap in scope_gaps.GAPS if gap != "undocumented_system"),
        *("systems_declared", "systems_in_scope", "systems_excluded", "flows_declared", "flows_leaving"),
        *arrivals.IDS,
    ),
    schema_version=2,
)
