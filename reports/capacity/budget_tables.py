"""Rows of the capacity budget: owners by week, overdue work, committees."""

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.documents.document import Table
from engine.model.documents.heat import HeatScale
from reports.shared import ledger
from reports.shared.ordering import rank

FILLING, BEYOND = 15, 1.5  # points below the warning from which a week fills; times critical that is far beyond


def utilisation(grid: pl.DataFrame, ask: Ask) -> list[Table]:
    """How full each owner is in each week, a column for each week."""
    names = ledger.horizon(ask)["week"].to_list()
    slots = [f"week_{number:02d}_pct" for number in range(1, len(names) + 1)]
    cells = [
        pl.col("utilisation_pct").filter(pl.col("week") == name).first().alias(slot)
        for name, slot in zip(names, slots, strict=True)
    ]
    missing = pl.col("shortfall_hours").sort().sum()
    frame = (
        grid.filter(pl.col("owner").is_not_null())
        .group_by("owner")
        .agg(*cells, missing=missing)
        .sort("missing", "owner", descending=[True, False])
        .drop("missing")
    )
    return [
        Table(
            "utilisation",
            "Utilisation of each owner (%), whoever lacks most hours first",
            frame,
            note="A dash: no hours in that week, for instance because of absence.",
            labels={slot: ledger.week_label(name) for name, slot in zip(names, slots, strict=True)},
            heat=slots,
            scale=_bands(ask),
        )
    ]


def _bands(ask: Ask) -> HeatScale:
    """Where weeks warn and are critical; below, where hours begin to be short, and beyond, where no plan helps."""
    warn, critical = sorted(ask.settings[f"utilisation_{level}_pct"] for level in ("warn", "critical"))
    return HeatScale((warn - FILLING, warn, critical, critical * BEYOND))


def by_owner(grid: pl.DataFrame, load: pl.DataFrame) -> pl.DataFrame:
    """Owner and week with the demand of each kind, in a column each and as a text for people."""
    key = ["owner", "week"]
    kinds = load.group_by(*key, "kind").agg(pl.col("hours").sort().sum().round(3))
    texts = (
        kinds.sort(*key, "hours", rank("kind", ledger.KINDS), descending=[False, False, True, False])
        .group_by(key, maintain_order=True)
        .agg(kinds=pl.format("{} {}", ledger.kind_name(), "hours"))
    )
    columns = kinds.group_by(key).agg(
        pl.col("hours").filter(pl.col("kind") == kind).sum().alias(f"{kind}_hours") for kind in ledger.KINDS
    )
    return (
        grid.join(texts, on=key, how="left", nulls_equal=True, maintain_order="left")
        .join(columns, on=key, how="left", nulls_equal=True, maintain_order="left")
        .with_columns(pl.col("kinds").fill_null([]), *(pl.col(f"{kind}_hours").fill_null(0.0) for kind in ledger.KINDS))
        .select(
            *("week", "week_start_on", "owner", "budget_hours", "absence_hours", "available_hours", "demand_hours"),
            *("kinds", "utilisation_pct", "shortfall_hours", "unowned_hours", "flag"),
            *(f"{kind}_hours" for kind in ledger.KINDS),
        )
    )


def overdue(load: pl.DataFrame) -> pl.DataFrame:
    """Overdue work of each owner, most hours first; that of nobody comes last of equals."""
    return (
        load.filter(pl.col("state") == "overdue", pl.col("role") == "R")
        .group_by("owner")
        .agg(
            duties=pl.len().cast(pl.Int64),
            overdue_hours=pl.col("hours").sort().sum().round(3),
            oldest_due_on=pl.col("due_on").min(),
        )
        .sort("overdue_hours", "owner", descending=[True, False], nulls_last=True)
    )


def by_committee(grid: pl.DataFrame, load: pl.DataFrame, committees: pl.DataFrame) -> pl.DataFrame:
    """Each committee with its next meeting and the hours of its members over the horizon."""
    meetings = (
        load.filter(pl.col("kind") == "committee", pl.col("role") == "R", pl.col("state") == "open")
        .group_by(name=pl.col("title").str.strip_suffix(" meets"))
        .agg(next_on=pl.col("due_on").min())
    )
    work = (
        committees.select("committee_id", owner="members")
        .explode("owner", empty_as_null=False)
        .join(grid, on="owner")
        .sort("shortfall_hours", "week_start_on", descending=[True, False])
        .group_by("committee_id", maintain_order=True)
        .agg(
            *(pl.col(name).sum().round(3) for name in ("available_hours", "demand_hours", "shortfall_hours")),
            weeks_short=pl.col("week").filter(pl.col("shortfall_hours") > 0).n_unique().cast(pl.Int64),
            peak_week=pl.col("week").filter(pl.col("shortfall_hours") > 0).first(),
        )
    )
    return (
        committees.join(meetings, on="name", how="left")
        .join(work, on="committee_id", how="left")
        .with_columns(pl.col("^.*_hours$").fill_null(0.0), pl.col("weeks_short").fill_null(0))
        .select(
            *("committee_id", "name", "chair", "next_on", pl.col("members").list.len().cast(pl.Int64)),
            *("available_hours", "demand_hours", "shortfall_hours", "weeks_short", "peak_week"),
        )
        .sort("name", "committee_id")
    )
