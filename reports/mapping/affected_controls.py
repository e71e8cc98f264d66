"""What a change of the catalogue touches: controls in scope with their owners and evidence, frameworks in figures."""

import polars as pl

from engine.model.declarations.ask import Ask
from reports.shared.ledger import framework_name, framework_rank

_KEY = ["framework", "control_id"]
# the gravest first
SAID = {
    "removed": "removed from its framework",
    "lost_full": "without its last full mapping",
    "added": "new in its framework",
    "renamed": "renamed",
    "edge": "with a changed mapping",
}


def touched_by(
    frame: pl.DataFrame, edges: pl.DataFrame, lost: pl.DataFrame, status: pl.DataFrame, linked: pl.DataFrame
) -> pl.DataFrame:
    """Each control in scope that is touched, once, by the gravest change, with what hangs on it."""
    ends = pl.concat(
        [
            edges.select(framework=f"{end}_framework", control_id=f"{end}_id", impact=pl.lit("edge"))
            for end in ("source", "target")
        ]
    )
    gravest = {word: rank for rank, word in enumerate(SAID)}
    every = pl.concat(
        [
            frame.filter("in_scope", "assessable").select(*_KEY, impact="change"),
            lost.filter("in_scope").select(*_KEY, impact=pl.lit("lost_full")),
            ends.join(status, on=_KEY, how="semi"),
        ]
    )
    items = linked.group_by(_KEY).agg(items=pl.len().cast(pl.Int64))
    controls = status.select(*_KEY, "title", "state", "events", "position", recipient="owner")
    titles = frame.select(*_KEY, other_title=pl.coalesce("title", "previous_title"))
    return (
        every.with_columns(rank=pl.col("impact").replace_strict(gravest, return_dtype=pl.Int64))
        .sort("rank")
        .unique(_KEY, keep="first", maintain_order=True)
        .join(controls, on=_KEY, how="left")
        .join(items, on=_KEY, how="left")
        .join(titles, on=_KEY, how="left")
        .with_columns(pl.col("items", "events").fill_null(0), title=pl.coalesce("title", "other_title"))
        .sort("rank", framework_rank(), "framework", "position", "control_id", nulls_last=True)
        .select("impact", *_KEY, "title", "state", "recipient", "events", "items")
    )


def frameworks_of(
    found: pl.DataFrame, edges: pl.DataFrame, lost: pl.DataFrame, effect: pl.DataFrame, scope: list[str], ask: Ask
) -> pl.DataFrame:
    """Frameworks in scope, and any other that changed."""
    ends = pl.concat([edges.select(framework=f"{end}_framework") for end in ("source", "target")])
    changed = [*found["framework"], *ends["framework"], *lost["framework"]]
    names = pl.DataFrame({"framework": sorted({*scope, *changed} - {"fedramp-poam"})}, schema={"framework": pl.String})

    def counted_as(frame: pl.DataFrame, name: str) -> pl.DataFrame:
        return frame.group_by("framework").agg(pl.len().cast(pl.Int64).alias(name))

    parts = [counted_as(found.filter(pl.col("change") == word), word) for word in ("added", "removed", "renamed")]
    parts += [counted_as(ends, "edge"), counted_as(lost, "lost_full")]
    for part in parts:
        names = names.join(part, on="framework", how="left")
    return (
        names.join(effect, on="framework", how="left")
        .with_columns(
            pl.col("added", "removed", "renamed", "edge", "lost_full").fill_null(0),
            in_scope=pl.col("framework").is_in(scope),
            effect_points=(pl.col("now_strict_pct") - pl.col("previous_strict_pct")).round(1),
        )
        .sort(framework_rank(), "framework")
        .select(
            "framework",
            framework_name(ask).alias("name"),
            "in_scope",
            "added",
            "removed",
            "renamed",
            "edge",
            "lost_full",
            "previous_effective",
            "previous_applicable",
            "previous_strict_pct",
            "now_effective",
            "now_applicable",
            "now_strict_pct",
            "effect_points",
        )
    )
