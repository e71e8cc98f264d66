"""What changed in the catalogue and the crosswalks since the organization last saw them, and what it touches."""

from typing import Any

import polars as pl

from engine.model.document import Document, Table
from engine.model.report import Ask, Report
from reports.mapping import changes
from reports.mapping.affected_controls import SAID, frameworks_of, touched_by
from reports.shared import personal
from reports.shared.packs import pack
from reports.shared.wording import count_of, some_of

_KEY = ["framework", "control_id"]
IMPACTS = {"lost_full": "full mapping lost", "edge": "mapping changed"}
LABELS = {
    **personal.LABELS,
    "framework": "Framework",
    "control_id": "Requirement",
    "in_scope": "In scope",
    "source_framework": "From",
    "source_id": "Requirement",
    "target_framework": "To",
    "target_id": "Mapped to",
    "previous_relation": "Relation before",
    "previous_strength": "Strength before",
    "previous_title": "Title before",
    "covered_by": "Was covered by",
    "events": "Evidence in the period",
    "items": "Evidence linked",
    "previous_strict_pct": "Strict before (%)",
    "now_strict_pct": "Strict now (%)",
    "effect_points": "Effect (points)",
    "edge": "Mapping changed",
    "lost_full": "Full mapping lost",
}
DEFINITIONS = {
    "Snapshot": "The catalogue as it was when this digest last ran for the organization. Running it stores the present "
    "one, so that the next digest says what changed since.",
    "Full mapping": "Relation equal or superset with a strength of at least 0.8: the target is covered by its source.",
    "Touched": "Controls in scope that were added, removed or renamed, that a changed edge leads to or from, or that "
    "lost their last full mapping.",
    "Effect": "Strict readiness with the requirements of now less that with the requirements of before, both with "
    "today's states. A removed requirement counts in its last recorded state. Edges alone change no readiness.",
}


def build(
    organization: pl.DataFrame,
    catalogue_entries: pl.DataFrame,
    crosswalk: pl.DataFrame,
    catalogue_seen: pl.DataFrame,
    requirements_seen: pl.DataFrame,
    edges_seen: pl.DataFrame,
    control_status: pl.DataFrame,
    state_changes: pl.DataFrame,
    linked_evidence: pl.DataFrame,
    ask: Ask,
) -> Document:
    scope = organization["frameworks"].explode(empty_as_null=False).to_list()
    known = catalogue_seen.height > 0
    seen, edges_before = (requirements_seen, edges_seen) if known else (catalogue_entries, crosswalk)
    found = changes.requirements(catalogue_entries, seen).with_columns(in_scope=pl.col("framework").is_in(scope))
    edges = changes.edges(crosswalk, edges_before).with_columns(
        in_scope=pl.col("source_framework").is_in(scope) & pl.col("target_framework").is_in(scope)
    )
    lost = changes.lost_full(crosswalk, edges_before).with_columns(in_scope=pl.col("framework").is_in(scope))
    touched = touched_by(found, edges, lost, control_status, linked_evidence)
    frameworks = frameworks_of(found, edges, lost, changes.readiness(control_status, found, state_changes), scope)
    counts = _counts(found, edges, lost)
    versions = (catalogue_seen["version"][0] if known else None, catalogue_entries["version"][0])
    return Document(
        headline=_headline(known, counts, versions, touched, lost, (catalogue_entries.height, crosswalk.height)),
        summary={
            "compared": known,
            "snapshot_on": catalogue_seen["taken_on"][0] if known else None,
            "previous_version": versions[0],
            "version": versions[1],
            "changed": bool(found.height or edges.height) if known else None,
            "requirements": catalogue_entries.height,
            "edges": crosswalk.height,
            **(counts if known else dict.fromkeys(counts)),
            "controls_touched": touched.height if known else None,
            "evidence_touched": int(touched["items"].sum()) if known else None,
        },
        tables=(
            Table("frameworks", "By framework", frameworks if known else frameworks.clear(), labels=LABELS,
                  hidden=("framework",)),
            Table("owners", "To each owner",
                  personal.sections(touched, "impact", SAID, pl.format("{} {}", *_KEY)),
                  note="Whose controls are touched. An empty name is nobody.",
                  labels={**LABELS, "items": "Controls"}),
            Table("touched", "Controls that the changes touch",
                  touched.with_columns(pl.col("impact").replace(IMPACTS)), labels=LABELS, state=("state",),
                  hidden=("recipient",)),
            Table("requirements_changed", "Requirements added, removed, renamed", found, labels=LABELS,
                  hidden=("assessable",)),
            Table("edges_changed", "Mappings added, removed, changed", edges, labels=LABELS),
            Table("lost_full", "Requirements that lost their last full mapping", lost, labels=LABELS),
        ),
        definitions=DEFINITIONS,
        warnings=_warnings(known, lost),
    )  # fmt: skip


def _counts(found: pl.DataFrame, edges: pl.DataFrame, lost: pl.DataFrame) -> dict[str, int]:
    return {
        **{f"requirements_{word}": found.filter(pl.col("change") == word).height
           for word in ("added", "removed", "renamed")},
        **{f"edges_{word}": edges.filter(pl.col("change") == word).height for word in ("added", "removed", "changed")},
        "lost_last_full_edge": lost.height,
    }  # fmt: skip


def _headline(
    known: bool,
    counts: dict[str, int],
    versions: tuple[Any, str],
    touched: pl.DataFrame,
    lost: pl.DataFrame,
    size: tuple[int, int],
) -> str:
    if not known:
        return (
            f"No snapshot of the catalogue is stored yet, so nothing can be compared: run the digest once to keep "
            f"version {versions[1]} ({count_of(size[0], 'requirement')}, {count_of(size[1], 'mapping')})."
        )
    words = [f"{number:,} {name.partition('_')[2]}" for name, number in counts.items() if number]
    if not words:
        same = "is unchanged" if versions[0] == versions[1] else "has other rules, but the same requirements"
        return f"The catalogue {same} since the last snapshot, and so are its mappings: nothing is to be done."
    groups = []
    for prefix, noun in (("requirements_", "requirements"), ("edges_", "mappings")):
        parts = [f"{n:,} {name.removeprefix(prefix)}" for name, n in counts.items() if n and name.startswith(prefix)]
        groups += [f"{noun}: {', '.join(parts)}"] if parts else []
    start = f"The catalogue changed from {versions[0]} to {versions[1]} ({'; '.join(groups)})"
    if touched.is_empty():
        return f"{start}; none of your controls in scope is touched."
    first = touched.row(0, named=True)
    weak = lost.filter("in_scope").height
    gone = f", {count_of(weak, 'requirement')} in scope lost the last full mapping" if weak else ""
    concerned = f"{count_of(touched.height, 'control')} in scope {'is' if touched.height == 1 else 'are'} touched"
    return (
        f"{start}; {concerned}{gone}: "
        f"look first at {pack(first['framework'])} {first['control_id']}, {SAID[first['impact']]}."
    )


def _warnings(known: bool, lost: pl.DataFrame) -> list[str]:
    if not known:
        return ["Nothing is compared: no snapshot is stored."]
    weak = lost.filter("in_scope")
    if weak.is_empty():
        return []
    names = [f"{pack(framework)} {control}" for framework, control in weak.select(_KEY).rows()]
    return [f"Evidence of another framework no longer covers {some_of(names)}: collect evidence for them directly."]


REPORT = Report(
    name="mapping-digest",
    title="Mapping digest",
    description="Changes of the catalogue and crosswalks since the organization's last snapshot, and what they touch.",
    build=build,
    parameters=(),
)
