"""The catalogue and the crosswalks of today beside those that an organization last saw; empty without a snapshot."""

from typing import Annotated

import polars as pl

from reports.mapping import affected_controls, changes

KEY = ["framework", "control_id"]
_ENDS = ["source_framework", "source_id", "target_framework", "target_id"]


def requirement_changes(
    organization: pl.DataFrame,
    catalogue_entries: pl.DataFrame,
    catalogue_seen: pl.DataFrame,
    requirements_seen: pl.DataFrame,
) -> pl.DataFrame:
    """Requirements that were added, removed or renamed."""
    seen = requirements_seen if catalogue_seen.height else catalogue_entries
    inside = pl.col("framework").is_in(scope(organization))
    return changes.requirements(catalogue_entries, seen).with_columns(in_scope=inside)


def changed_edges(
    organization: pl.DataFrame, crosswalk: pl.DataFrame, catalogue_seen: pl.DataFrame, edges_seen: pl.DataFrame
) -> pl.DataFrame:
    """Mappings that were added, removed, or changed in relation or strength."""
    followed = scope(organization)
    return changes.edges(crosswalk, edges_seen if catalogue_seen.height else crosswalk).with_columns(
        in_scope=pl.col("source_framework").is_in(followed) & pl.col("target_framework").is_in(followed)
    )


def former_full(
    organization: pl.DataFrame, crosswalk: pl.DataFrame, catalogue_seen: pl.DataFrame, edges_seen: pl.DataFrame
) -> pl.DataFrame:
    """Requirements that a full mapping led to and none leads to any more."""
    lost = changes.former_full(crosswalk, edges_seen if catalogue_seen.height else crosswalk)
    return lost.with_columns(in_scope=pl.col("framework").is_in(scope(organization)))


def affected_rows(
    moved: Annotated[pl.DataFrame, requirement_changes],
    ends: Annotated[pl.DataFrame, changed_edges],
    lost: Annotated[pl.DataFrame, former_full],
    control_assessments: pl.DataFrame,
    linked_evidence: pl.DataFrame,
) -> pl.DataFrame:
    """Controls in scope that a change touches, the gravest change first."""
    return affected_controls.touched_by(moved, ends, lost, control_assessments, linked_evidence)


def requirements(
    changed: Annotated[pl.DataFrame, requirement_changes],
    catalogue_entries: pl.DataFrame,
    catalogue_seen: pl.DataFrame,
    requirements_seen: pl.DataFrame,
) -> pl.DataFrame:
    """Every requirement of now and of before, with what happened to it: null where nothing did."""
    moved = changed.select("change", *KEY)
    every = pl.concat([catalogue_entries.select(KEY), requirements_seen.select(KEY)]).unique().sort(KEY)
    return _if_catalogue(every.join(moved, on=KEY, how="left", maintain_order="left"), catalogue_seen)


def edges(
    changed: Annotated[pl.DataFrame, changed_edges],
    crosswalk: pl.DataFrame,
    catalogue_seen: pl.DataFrame,
    edges_seen: pl.DataFrame,
) -> pl.DataFrame:
    """Every mapping of now and of before, with what happened to it: null where nothing did."""
    moved = changed.select("change", *_ENDS)
    every = pl.concat([crosswalk.select(_ENDS), edges_seen.select(_ENDS)]).unique().sort(_ENDS)
    return _if_catalogue(every.join(moved, on=_ENDS, how="left", maintain_order="left"), catalogue_seen)


def mapping_losses(crosswalk: pl.DataFrame, catalogue_seen: pl.DataFrame, edges_seen: pl.DataFrame) -> pl.DataFrame:
    """Every requirement that a mapping led to before, whether it lost its last full one, and what covered it."""
    lost = changes.former_full(crosswalk, edges_seen).with_columns(lost=pl.lit(True))
    before = edges_seen.select(framework="target_framework", control_id="target_id").unique().sort(KEY)
    every = before.join(lost, on=KEY, how="left", maintain_order="left").with_columns(pl.col("lost").fill_null(False))
    return _if_catalogue(every, catalogue_seen)


def controls(
    touched: Annotated[pl.DataFrame, affected_rows], catalogue_seen: pl.DataFrame, control_status: pl.DataFrame
) -> pl.DataFrame:
    """Controls that a change touches, and the other controls in scope without an ``impact``."""
    moved = touched.select("impact", *KEY, "title", "items")
    rest = control_status.join(moved, on=KEY, how="anti").sort(KEY).select(*KEY, "title")
    return _if_catalogue(pl.concat([moved, rest], how="diagonal"), catalogue_seen)


def snapshots(
    requirements_moved: Annotated[pl.DataFrame, requirement_changes],
    edges_moved: Annotated[pl.DataFrame, changed_edges],
    catalogue_seen: pl.DataFrame,
) -> pl.DataFrame:
    """One row: what was last seen, if anything, and how many requirements and mappings changed since."""
    moved, mappings = requirements_moved.height, edges_moved.height
    seen = bool(catalogue_seen.height)
    return pl.DataFrame(
        {
            "compared": [seen],
            "taken_on": catalogue_seen["taken_on"].to_list()[:1] or [None],
            "version_before": catalogue_seen["version"].to_list()[:1] or [None],
            "requirements": [moved if seen else None],
            "mappings": [mappings if seen else None],
            "changed": [bool(moved or mappings) if seen else None],
        },
        schema={
            "compared": pl.Boolean,
            "taken_on": pl.Date,
            "version_before": pl.String,
            "requirements": pl.Int64,
            "mappings": pl.Int64,
            "changed": pl.Boolean,
        },
    )


def scope(organization: pl.DataFrame) -> list[str]:
    """The frameworks that the organization follows."""
    return organization["frameworks"].explode(empty_as_null=False).to_list()


def _if_catalogue(frame: pl.DataFrame, catalogue_seen: pl.DataFrame) -> pl.DataFrame:
    return frame if catalogue_seen.height else frame.clear()
