"""What changed in the catalogue and the crosswalks since the organization last saw them, and what it touches."""

import polars as pl

from engine.model.days import spelled_day
from engine.model.declarations.ask import Ask
from engine.model.declarations.report import Report
from engine.model.documents.document import Alarm, Chart, Document, Opening, Table
from engine.model.documents.tones import Tone
from engine.model.figures.figure import Figures
from reports.figures import select
from reports.mapping import changes, comparison
from reports.mapping.affected_controls import SAID, frameworks_of
from reports.shared import packs, personal
from reports.shared.wording import count_of, some_of, with_whom

_KEY = ["framework", "control_id"]
IMPACTS = {"lost_full": "full mapping lost", "edge": "mapping changed"}
LABELS = {
    "control_id": "Requirement",
    "source_id": "Requirement",
    "target_id": "Mapped to",
    "events": "Evidence in the period",
    "items": "Evidence linked",
    "recipient": "Owner",
    "impact": "What changed",
}
TONES: dict[str, Tone] = {"in full": "main", "in part": "third"}
# what a page leads with once there is something to compare with
FOREMOST = (
    *("controls_touched", "lost_last_full_edge", "requirements_added", "requirements_removed", "edges_changed"),
    "catalogue_seen_on",
)
DEFINITIONS = {
    "Snapshot": "The catalogue as it was when this digest last ran for the organization. Running it stores the present "
    "one, so that the next digest says what changed since.",
    "Effect": "Strict readiness with the requirements of now less that with the requirements of before, both with "
    "today's states. A removed requirement counts in its last recorded state. Edges alone change no readiness.",
}
CHANGES = {"requirements": ("added", "removed", "renamed"), "edges": ("added", "removed", "changed")}
RUN = "An administrator runs the digest once to keep this version: post to /api/governance/compliance/mapping-digest."


def build(
    organization: pl.DataFrame,
    catalogue_entries: pl.DataFrame,
    crosswalk: pl.DataFrame,
    control_status: pl.DataFrame,
    state_changes: pl.DataFrame,
    figures: Figures,
    ask: Ask,
) -> Document:
    scope, compared = comparison.scope(organization), figures["catalogue_compared"]
    frame, edges = figures.rows(comparison.requirement_changes), figures.rows(comparison.changed_edges)
    lost, touched = figures.rows(comparison.former_full), figures.rows(comparison.affected_rows)
    frameworks = frameworks_of(frame, edges, lost, changes.readiness(control_status, frame, state_changes), scope, ask)
    table = _catalogue(catalogue_entries, crosswalk, scope, ask)
    return Document(
        *_opening(figures, touched, lost, ask),
        tables=(
            Table(
                "touched",
                "Controls that the changes touch, gravest change first",
                touched.with_columns(pl.col("impact").replace(IMPACTS)).select(
                    *("framework", "control_id", "title", "impact", "state", "recipient", "events", "items")
                ),
                labels=LABELS,
                state=("state",),
            ),
            Table(
                "owners",
                "To each owner",
                personal.sections(touched, "impact", SAID, pl.format("{} {}", *_KEY)),
                note="Whose controls are touched.",
                labels={**LABELS, "items": "Controls"},
            ),
            Table("frameworks", "By framework", frameworks if compared else frameworks.clear(), hidden=("framework",)),
            Table(
                "requirements_changed",
                "Requirements added, removed, renamed",
                frame,
                labels=LABELS,
                hidden=("assessable",),
            ),
            Table("edges_changed", "Mappings added, removed, changed", edges, labels=LABELS),
            Table("lost_full", "Requirements that lost their last full mapping", lost, labels=LABELS),
            Table(
                "catalogue",
                "The catalogue today, frameworks in scope with fewest mappings first",
                table,
                note="A mapping counts for both of its frameworks; without one a framework shares only items that are "
                "linked to controls of both. Entries that are not assessed are headings and neighbouring provisions.",
                labels={
                    "requirements": "Entries",
                    "assessable_entries": "Assessed",
                    "pairs": "Mappings",
                    "full_pairs": "Full mappings",
                },
                hidden=("framework", "in_scope"),
            ),
        ),
        charts=_charts(table),
        definitions=DEFINITIONS,
        warnings=[*_warnings(compared, lost, ask), *_without_mapping(table)],
        foremost=FOREMOST if compared else ("catalogue_requirements", "catalogue_mappings"),
    )


def _catalogue(entries: pl.DataFrame, crosswalk: pl.DataFrame, scope: list[str], ask: Ask) -> pl.DataFrame:
    """Each framework with its requirements and the mappings that lead from or to it."""
    ends = pl.concat([crosswalk.select("full", framework=f"{end}_framework") for end in ("source", "target")])
    mapped = ends.group_by("framework").agg(
        pairs=pl.len().cast(pl.Int64), full_pairs=pl.col("full").sum().cast(pl.Int64)
    )
    return (
        entries.group_by("framework")
        .agg(requirements=pl.len().cast(pl.Int64), assessable_entries=pl.col("assessable").sum().cast(pl.Int64))
        .join(mapped, on="framework", how="left")
        .with_columns(
            pl.col("pairs", "full_pairs").fill_null(0),
            framework_name=packs.pack_name(ask),
            in_scope=pl.col("framework").is_in(scope),
        )
        .sort(~pl.col("in_scope"), "pairs", "framework_name", "framework")
        .select("framework", "framework_name", "in_scope", "requirements", "assessable_entries", "pairs", "full_pairs")
    )


def _opening(figures: Figures, touched: pl.DataFrame, lost: pl.DataFrame, ask: Ask) -> Opening:
    version = figures["catalogue_version"]
    if version is None:
        return Opening("The catalogue has no requirement, so there is nothing to map and nothing to compare.", RUN)
    if not figures["catalogue_compared"]:
        size = ", ".join(count_of(figures[f"catalogue_{what}s"], what) for what in ("requirement", "mapping"))
        return Opening(
            f"Nothing can be compared yet: no version of the catalogue ({size}) was kept for this organization.", RUN
        )
    before = figures["catalogue_version_before"]
    if not figures["catalogue_changed"]:
        same = "is unchanged" if before == version else "has other rules, but the same requirements"
        return Opening(f"The catalogue {same} since the last snapshot, and so are its mappings: nothing is to be done.")
    start = f"The catalogue changed since {spelled_day(figures['catalogue_seen_on'])}"
    if touched.is_empty():
        return Opening(f"{start}; none of your controls in scope is touched.")
    first = touched.row(0, named=True)
    weak = lost.filter("in_scope").height
    gone = f" and {count_of(weak, 'requirement')} lost the last full mapping" if weak else ""
    concerned = f"{count_of(touched.height, 'control')} in scope {'is' if touched.height == 1 else 'are'} touched"
    return Opening(
        f"{start}: {concerned}{gone}.",
        f"Look first at {ask.framework_name(first['framework'])} {first['control_id']}, {SAID[first['impact']]} "
        f"({with_whom(first['recipient'])}).",
    )


def _charts(table: pl.DataFrame) -> list[Chart]:
    """The mappings of the frameworks in scope: those that cover a requirement in full, and the others."""
    mine = table.filter("in_scope")
    if not mine["pairs"].sum():
        return []
    in_part = (pl.col("pairs") - pl.col("full_pairs")).alias("in part")
    bars = mine.select("framework_name", pl.col("full_pairs").alias("in full"), in_part)
    frame = bars.unpivot(index="framework_name", variable_name="covers", value_name="mappings")
    alt = "Mappings that lead from or to each framework in scope, in full or in part."
    title = "Mappings of the frameworks in scope"
    return [Chart("stacked", title, frame, "framework_name", "mappings", alt, series="covers", tones=TONES)]


def _without_mapping(table: pl.DataFrame) -> list[str]:
    """Frameworks in scope that are mapped to no other: they share items that are linked to controls of both alone."""
    alone = table.filter("in_scope", pl.col("pairs") == 0)["framework_name"].to_list()
    if not alone:
        return []
    has, it = ("has", "it") if len(alone) == 1 else ("have", "them")
    return [
        f"{some_of(alone)} {has} no mapping: evidence counts for {it} and another framework only where the item is "
        "linked to controls of both."
    ]


def _warnings(compared: bool, lost: pl.DataFrame, ask: Ask) -> list[str]:
    if not compared:  # which the headline says
        return []
    weak = lost.filter("in_scope")
    if weak.is_empty():
        return []
    names = [f"{ask.framework_name(framework)} {control}" for framework, control in weak.select(_KEY).rows()]
    return [
        Alarm(f"Evidence of another framework no longer covers {some_of(names)}: collect evidence for them directly.")
    ]


REPORT = Report(
    name="mapping-digest",
    title="Mapping digest",
    description="Changes of the catalogue and crosswalks since the organization's last snapshot, and what they touch.",
    build=build,
    figures=select(
        *("catalogue_requirements", "catalogue_mappings", "catalogue_seen_on", "catalogue_changed"),
        *("catalogue_compared", "catalogue_version_before", "catalogue_version"),
        *(f"{prefix}_{word}" for prefix, words in CHANGES.items() for word in words),
        *("lost_last_full_edge", "controls_touched", "evidence_touched"),
    ),
    parameters=(),
    schema_version=2,
)
