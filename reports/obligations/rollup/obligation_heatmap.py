"""Where pending duties gather: framework by week, framework by vendor tier, kind by state of the testing schedule."""

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.declarations.report import Report
from engine.model.documents.document import Alarm, Document, Opening, Table
from engine.model.figures.figure import Figures
from reports.figures import select
from reports.obligations.rollup import matrices
from reports.shared import ledger, setup
from reports.shared.duty_figures import TOTALS
from reports.shared.wording import count, hours, inside

LABELS = {"name": "Framework"}


def build(test_windows: pl.DataFrame, vendor_controls: pl.DataFrame, figures: Figures, ask: Ask) -> Document:
    duties = matrices.with_places(figures.rows(ledger.pending), test_windows)
    weeks = ledger.horizon(ask)
    columns = ["overdue", *weeks["week"], "beyond"]
    by_week = matrices.matrix(duties, "framework", "column", columns, ledger.FRAMEWORK_ROWS)
    slots = {
        name: "overdue" if name == "overdue" else "beyond" if name == "beyond" else f"week_{number:02d}"
        for number, name in enumerate(columns)
    }
    tiered = matrices.with_tiers(duties, vendor_controls)
    by_tier = matrices.matrix(tiered, "framework", "tier", matrices.TIER_COLUMNS, ledger.FRAMEWORK_ROWS)
    by_state = matrices.matrix(duties, "kind", "schedule", matrices.SCHEDULE_COLUMNS, ledger.KINDS).insert_column(
        1, ledger.kind_name().alias("name")
    )
    hot = matrices.hottest(duties, ask)
    return Document(
        *_opening(hot, ledger.first_overdue(duties), figures, ask),
        tables=(
            Table(
                "framework_week",
                "Frameworks by week",
                _with_framework_name(by_week.rename(slots), ask),
                note="Each duty stands in one cell; the totals by week are in the next table.",
                labels={**LABELS, **{slot: ledger.week_label(name) for name, slot in slots.items() if slot != name}},
                heat=tuple(slots.values()),
                hidden=("framework",),
            ),
            Table("week_totals", "All frameworks by week", matrices.week_totals(duties, weeks)),
            Table("hottest", f"The {matrices.HOTTEST} fullest cells", hot, labels=LABELS, hidden=("framework",)),
            Table(
                "framework_tier",
                "Frameworks by vendor tier",
                _with_framework_name(by_tier, ask),
                note="A vendor review stands in every framework that the vendor carries controls of, "
                "so rows may sum to more than there is; the next table counts each duty once.",
                labels=LABELS,
                heat=matrices.TIER_COLUMNS,
                hidden=("framework",),
            ),
            Table("tier_totals", "All frameworks by vendor tier", matrices.tier_totals(duties), words=("tier",)),
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
                matrices.cells(duties, tiered, ask),
                note="The figures of the three heatmaps with hours and the share that is overdue.",
                labels={**LABELS, "name": "Row"},
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
        warnings=_warnings(figures),
    )


def _with_framework_name(frame: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    return frame.insert_column(1, ledger.framework_name(ask).alias("name"))


def _opening(hot: pl.DataFrame, first_late: str, figures: Figures, ask: Ask) -> Opening:
    pending, overdue = figures["obligations_pending"], figures["obligations_overdue"]
    if not pending:
        return Opening("No duty is pending, so there is nothing to place on a heatmap.", setup.DUTIES)
    start = f"{count(pending, 'duty', 'duties')} {'is' if pending == 1 else 'are'} pending, {overdue or 'none'} overdue"
    if hot.is_empty():
        weeks = count(ask.horizon_weeks, "week")
        return Opening(f"{start} and none due within {weeks}.", f"Begin with {first_late}." if overdue else "")
    top = hot.row(0, named=True)
    first = f"Begin with {first_late}, then plan" if overdue else "Plan"
    where = inside(top["name"]) if top["framework"] in ("several", "none") else top["name"]
    return Opening(
        f"{start}.",
        f"{first} for {top['week']}, when {where} has most at once: {count(top['obligations'], 'duty', 'duties')}, "
        f"{hours(top['hours'])}.",
    )


def _warnings(figures: Figures) -> list[str]:
    nobody = figures["obligations_without_owner"]
    return [Alarm(f"{count(nobody, 'pending duty has', 'pending duties have')} no owner.")] if nobody else []


REPORT = Report(
    name="obligation-heatmap",
    title="Obligation heatmap",
    description="Pending duties by framework and week, by vendor tier, and by state of the testing schedule.",
    build=build,
    figures=select(
        "horizon_weeks", *TOTALS, "obligations_without_owner", "frameworks_with_obligations", "busiest_week"
    ),
    parameters=(ledger.WEEKS,),
    schema_version=2,
)
