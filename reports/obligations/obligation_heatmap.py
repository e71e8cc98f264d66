"""Where pending duties gather: framework by week, framework by vendor tier, kind by state of the testing schedule."""

from collections.abc import Sequence

import polars as pl

from engine.model.document import Document, Table
from engine.model.report import Ask, Report
from reports.obligations import matrices
from reports.shared import ledger
from reports.shared.wording import count, hours

HOTTEST = 5
LABELS = {
    "name": "Framework",
    "week_start_on": "From",
    "obligations": "Duties",
    "overdue_pct": "Overdue (%)",
    "no_vendor": "No vendor",
    "no_schedule": "Never tested",
    "no_control": "No control",
    "mostly": "Mostly",
}


def build(obligations: pl.DataFrame, test_windows: pl.DataFrame, vendor_controls: pl.DataFrame, ask: Ask) -> Document:
    duties = matrices.with_places(ledger.pending(obligations, ask), test_windows, ask)
    weeks = ledger.horizon(ask)
    columns = ["overdue", *weeks["week"], "beyond"]
    by_week = matrices.matrix(duties, "framework", "column", columns, ledger.FRAMEWORK_ROWS)
    slots = {name: "overdue" if name == "overdue" else "beyond" if name == "beyond" else f"week_{number:02d}"
             for number, name in enumerate(columns)}  # fmt: skip
    tiered = matrices.with_tiers(duties, vendor_controls)
    by_tier = matrices.matrix(tiered, "framework", "tier", matrices.TIER_COLUMNS, ledger.FRAMEWORK_ROWS)
    by_state = matrices.matrix(duties, "kind", "schedule", matrices.SCHEDULE_COLUMNS, ledger.KINDS).insert_column(
        1, ledger.kind_name().alias("name")
    )
    hot = _hottest(duties, weeks)
    return Document(
        headline=_headline(duties, hot),
        summary={
            **ledger.totals(duties),
            "horizon_weeks": weeks.height,
            "frameworks": by_week.height,
            "busiest_week": None if hot.is_empty() else _weeks(duties, weeks)[0],
        },
        tables=(
            Table(
                "framework_week",
                "Frameworks by week",
                _named(by_week.rename(slots)),
                note="Each duty stands in one cell; the totals by week are in the next table.",
                labels={
                    **LABELS,
                    **{slot: name.partition("-")[2] or name.capitalize() for name, slot in slots.items()},
                },
                heat=tuple(slots.values()),
                hidden=("framework",),
            ),
            Table(
                "week_totals",
                "All frameworks by week",
                matrices.week_totals(duties, weeks),
                labels=LABELS,
            ),
            Table("hottest", f"The {HOTTEST} fullest cells", hot, labels=LABELS, hidden=("framework",)),
            Table(
                "framework_tier",
                "Frameworks by vendor tier",
                _named(by_tier),
                note="A vendor review stands in every framework that the vendor carries controls of, "
                "so rows may sum to more than there is; the next table counts each duty once.",
                labels=LABELS,
                heat=matrices.TIER_COLUMNS,
                hidden=("framework",),
            ),
            Table(
                "tier_totals",
                "All frameworks by vendor tier",
                matrices.tier_totals(duties),
                labels=LABELS,
                words=("tier",),
            ),
            Table(
                "kind_schedule",
                "Kinds of duty by state of the testing schedule",
                by_state,
                labels={**LABELS, "name": "Duty"},
                heat=matrices.SCHEDULE_COLUMNS,
                hidden=("kind",),
            ),
            Table(
                "cells",
                "Every filled cell",
                matrices.cells(duties, tiered),
                note="The figures of the three heatmaps with hours and the share that is overdue.",
                labels={**LABELS, "name": "Row", "column": "Column"},
                state=("heatmap",),
                words=("column",),
                hidden=("row",),
            ),
        ),
        definitions={
            **ledger.DEFINITIONS,
            "Intensity": "The same five shades in every edition: 0, 1–2, 3–5, 6–9, 10 and more duties.",
            "Testing schedule": "The worst state of any test window of the controls that the duty names: missed, "
            "open, upcoming; never tested without a schedule.",
        },
        warnings=_warnings(duties),
    )


def _named(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.insert_column(1, ledger.framework_name().alias("name"))


def _hottest(duties: pl.DataFrame, weeks: pl.DataFrame) -> pl.DataFrame:
    """The fullest cells of framework and week; ties to the earlier week, then in the order of frameworks."""
    kinds = pl.col("kind").value_counts(sort=True, name="n").struct.field("kind")
    return (
        duties.filter(pl.col("place") == "known")
        .sort("kind")
        .group_by("framework", "week", "week_start_on", maintain_order=True)
        .agg(**ledger.group_measures(), mostly=kinds.first())
        .sort("obligations", "week_start_on", ledger.framework_rank(), "framework", descending=[True] + [False] * 3)
        .head(HOTTEST)
        .select(
            "framework", ledger.framework_name().alias("name"), "week", "week_start_on", "obligations", "hours",
            ledger.kind_name("mostly"),
        )
    )  # fmt: skip


def _weeks(duties: pl.DataFrame, weeks: pl.DataFrame) -> Sequence[str]:
    totals = matrices.week_totals(duties, weeks).filter(pl.col("week_start_on").is_not_null())
    return totals.sort("obligations", "week_start_on", descending=[True, False])["week"].to_list()


def _headline(duties: pl.DataFrame, hot: pl.DataFrame) -> str:
    if duties.is_empty():
        return "No duty is pending, so there is nothing to place on a heatmap: check that duties are recorded."
    held = ledger.totals(duties)
    start = f"{count(held['pending'], 'duty', 'duties')} {'is' if held['pending'] == 1 else 'are'} pending"
    if hot.is_empty():
        return f"{start}, {held['overdue']:,} of them overdue and none due within the horizon: clear the overdue first."
    top = hot.row(0, named=True)
    first = "start with the overdue ones, then " if held["overdue"] else ""
    return (
        f"{start}, {held['overdue']:,} of them overdue; {first}plan for {top['week']}, when "
        f"{top['name'][:1].lower() + top['name'][1:] if top['framework'] in ('several', 'none') else top['name']} "
        f"has most at once: {count(top['obligations'], 'duty', 'duties')}, {hours(top['hours'])}."
    )


def _warnings(duties: pl.DataFrame) -> list[str]:
    nobody = duties.filter(pl.col("owner").is_null()).height
    return [f"{count(nobody, 'pending duty has', 'pending duties have')} no owner."] if nobody else []


REPORT = Report(
    name="obligation-heatmap",
    title="Obligation heatmap",
    description="Pending duties by framework and week, by vendor tier, and by state of the testing schedule.",
    build=build,
    parameters=(ledger.WEEKS,),
)
