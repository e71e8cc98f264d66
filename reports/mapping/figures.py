"""Figures of mappings: the crosswalk of SOC 2 and ISO 27001, and what changed in the catalogue."""

import polars as pl

from engine.model.figures.aggregates import Count, First, Share, Sum
from engine.model.figures.figure import Figure
from engine.model.vocabulary import Better
from reports.mapping import comparison, overlay

_PAIR = "{relation}, strength {strength}; evidence {source_events} and {target_events}"
_FULL, _APPLICABLE, _MAPPING = pl.col("full"), pl.col("applicable"), pl.col("mapping")
_BEST = "pairs: {pairs}, full: {full_pairs}, best: {best_relation} {best_strength}"
OVERLAYS: tuple[tuple[str, str, Better], ...] = (
    ("both", "both sides", "more"),
    ("one_side", "one side alone", "neither"),
    ("none", "neither side", "less"),
)
COVERS: tuple[tuple[str, str, str, Better], ...] = (
    ("full", "fully", "at least one full pair leads", "more"),
    ("partial", "in part", "pairs lead, none of them full", "neither"),
    ("none", "not at all", "no pair leads", "less"),
)
PAIRS = (
    Figure(
        "crosswalk_pairs",
        "Pairs of {source_name} and {target_name}",
        "count",
        "neither",
        "Pairs of a {source_name} criterion and an {target_name} requirement that the crosswalk lists.",
        overlay.pairs,
        Count(),
        reason=_PAIR,
    ),
    Figure(
        "crosswalk_pairs_full",
        "Full pairs of {source_name} and {target_name}",
        "count",
        "neither",
        "Pairs whose relation is equal or superset with a strength of at least 0.8.",
        overlay.pairs,
        Count(),
        _FULL,
        _PAIR,
    ),
    *(
        Figure(
            f"crosswalk_evidence_{overlaid}",
            f"Pairs with evidence on {title}",
            "count",
            better,
            f"Pairs, both sides in scope, with a supporting event from {{period_start}} to {{as_of}} on {title}.",
            overlay.pairs,
            Count(),
            pl.col("overlay") == overlaid,
            _PAIR,
        )
        for overlaid, title, better in OVERLAYS
    ),
    Figure(
        "crosswalk_reuse",
        "Pairs that can share evidence",
        "count",
        "neither",
        "Pairs with evidence in the period on one side alone that serves the other side too: to the target for full "
        "pairs, to the source for equal or subset with a strength of at least 0.8.",
        overlay.pairs,
        Count(),
        pl.col("reuse").is_not_null(),
        "{reuse}",
    ),
    Figure(
        "crosswalk_conflicts",
        "Pairs in conflict",
        "count",
        "neither",
        "Pairs whose criterion is effective and whose requirement is ineffective: one of the two judgements, or the "
        "mapping, is wrong.",
        overlay.pairs,
        Count(),
        pl.col("conflict"),
        "{relation}, strength {strength}",
    ),
    Figure(
        "crosswalk_conflicts_full",
        "Full pairs in conflict",
        "count",
        "neither",
        "Full pairs whose criterion is effective and whose requirement is ineffective.",
        overlay.pairs,
        Count(),
        pl.col("conflict") & _FULL,
        "{relation}, strength {strength}",
    ),
)

TARGETS = (
    Figure(
        "crosswalk_targets",
        "Requirements of {target_name}, with a pair or without",
        "count",
        "neither",
        "{target_name} requirements in scope; without {target_name} in scope, those that a pair leads to.",
        overlay.targets,
        Count(),
        reason=_BEST,
    ),
    Figure(
        "crosswalk_targets_applicable",
        "Applicable {target_name} requirements",
        "count",
        "neither",
        "{target_name} requirements that are not excluded with justification, approver and date.",
        overlay.targets,
        Count(),
        _APPLICABLE,
        _BEST,
    ),
    *(
        Figure(
            f"crosswalk_targets_{mapping}",
            f"{{target_name}} requirements that {{source_name}} covers {title}",
            "count",
            better,
            f"Applicable {{target_name}} requirements to which {meaning}.",
            overlay.targets,
            Count(),
            _APPLICABLE & (mapping == _MAPPING),
            _BEST,
        )
        for mapping, title, meaning, better in COVERS
    ),
    Figure(
        "crosswalk_targets_full_pct",
        "Share of {target_name} requirements that {source_name} covers fully",
        "percent",
        "neither",
        "Applicable {target_name} requirements to which at least one full pair leads, as a share of all.",
        overlay.targets,
        Share(_MAPPING == "full"),
        _APPLICABLE,
        _BEST,
    ),
    Figure(
        "crosswalk_targets_without_full_pair",
        "{target_name} requirements without a full pair",
        "count",
        "less",
        "Applicable {target_name} requirements to which no full pair leads.",
        overlay.targets,
        Count(),
        _APPLICABLE & (_MAPPING != "full"),
        _BEST,
    ),
)


def _marked_sum(mark: pl.Expr) -> Sum:
    """How many rows bear a mark; not known without rows, because nothing was compared."""
    return Sum(mark.fill_null(False).cast(pl.Int64), known_without_rows=False)


_IMPACT = pl.col("impact")
CATALOGUE = (
    Figure(
        "catalogue_compared",
        "Catalogue compared",
        "flag",
        "neither",
        "Whether a snapshot of the catalogue is stored, so that changes can be told.",
        comparison.snapshots,
        First("compared"),
        reason="snapshot of {taken_on}",
    ),
    Figure(
        "catalogue_seen_on",
        "Day of the last snapshot of the catalogue",
        "date",
        "neither",
        "The day on which this digest last stored the catalogue for the organization.",
        comparison.snapshots,
        First("taken_on"),
        reason="version {version_before}",
    ),
    Figure(
        "catalogue_version_before",
        "Version of the catalogue at the last snapshot",
        "text",
        "neither",
        "The version of the catalogue that this digest last stored.",
        comparison.snapshots,
        First("version_before"),
        reason="snapshot of {taken_on}",
    ),
    Figure(
        "catalogue_version",
        "Version of the catalogue",
        "text",
        "neither",
        "The version of the catalogue that the program ships with.",
        "catalogue_entries",
        First("version"),
        reason="{framework} {control_id}",
    ),
    Figure(
        "catalogue_changed",
        "Catalogue changed",
        "flag",
        "neither",
        "Whether any requirement or mapping was added, removed or changed since the last snapshot; not known "
        "without one.",
        comparison.snapshots,
        First("changed"),
        reason="{requirements} requirements, {mappings} mappings",
    ),
    Figure(
        "catalogue_requirements",
        "Requirements of the catalogue",
        "count",
        "neither",
        "Requirements of all frameworks of the catalogue, in scope or not.",
        "catalogue_entries",
        Count(),
        reason="{title}",
    ),
    Figure(
        "catalogue_mappings",
        "Mappings of the catalogue",
        "count",
        "neither",
        "Pairs of requirements of two frameworks that the crosswalks list.",
        "crosswalk",
        Count(),
        reason="{relation}, strength {strength}",
    ),
    *(
        Figure(
            f"requirements_{change}",
            f"Requirements {change}",
            "count",
            "neither",
            f"Requirements of the catalogue that were {change} since the last snapshot; not known without one.",
            comparison.requirements,
            _marked_sum(pl.col("change") == change),
            reason="{change}",
        )
        for change in ("added", "removed", "renamed")
    ),
    *(
        Figure(
            f"edges_{change}",
            f"Mappings {change}",
            "count",
            "neither",
            f"Mappings that were {change}{meaning} since the last snapshot; not known without one.",
            comparison.edges,
            _marked_sum(pl.col("change") == change),
            reason="{change}",
        )
        for change, meaning in (("added", ""), ("removed", ""), ("changed", " in relation or strength"))
    ),
    Figure(
        "lost_last_full_edge",
        "Requirements that lost their last full mapping",
        "count",
        "less",
        "Requirements to which a full mapping, equal or superset with a strength of at least 0.8, led at the last "
        "snapshot and none leads any more; not known without a snapshot.",
        comparison.mapping_losses,
        _marked_sum(pl.col("lost")),
        reason="covered by {covered_by}",
    ),
    Figure(
        "controls_touched",
        "Controls touched by the catalogue",
        "count",
        "neither",
        "Controls in scope that were added, removed or renamed, that a changed mapping leads to or from, or that "
        "lost their last full mapping; not known without a snapshot.",
        comparison.controls,
        _marked_sum(_IMPACT.is_not_null()),
        reason="{impact}",
    ),
    Figure(
        "evidence_touched",
        "Evidence linked to touched controls",
        "count",
        "neither",
        "Pieces of evidence that are linked to the controls that the catalogue touches, counted for each control.",
        comparison.controls,
        Sum(pl.when(_IMPACT.is_not_null()).then(pl.col("items")).otherwise(0), known_without_rows=False),
        reason="{impact}",
    ),
)

FIGURES = (*PAIRS, *TARGETS, *CATALOGUE)
