"""Where pending duties gather: framework by week, framework by vendor tier, kind by state of the testing schedule."""

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.declarations.report import Report
from engine.model.documents.document import Document, Opening, Table, at_most
from engine.model.figures.figure import Figures
from reports.figures import select
from reports.obligations.rollup import matrices
from reports.shared import ledger, setup
from reports.shared.duty_figures import TOTALS
from reports.shared.wording import count, hours, inside, sentence

FOREMOST = (
    *("obligations_overdue", "obligations_known", "obligations_known_hours", "busiest_week"),
    *("obligations_beyond", "obligations_without_owner"),
)
LABELS = {"beyond": ledger.LABELS["beyond"], "name": "Framework"}


def build(
    test_windows: pl.DataFrame, vendor_controls: pl.DataFrame, requests: pl.DataFrame, figures: Figures, ask: Ask
) -> Document:
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
        *_opening(hot, duties, ledger.first_overdue(duties, requests, ask), figures, ask),
        tables=(
            Table(
                "framework_week",
                "Frameworks by week",
                _with_framework_name(by_week.rename(slots), ask),
                note="Each duty stands in one cell; weeks are shaded, what is overdue or comes later is not.",
                labels={**LABELS, **{slot: ledger.week_label(name) for name, slot in slots.items() if slot != name}},
                heat=[slot for slot in slots.values() if slot.startswith("week_")],
                hidden=("framework", "hours", "overdue_pct"),
            ),
            Table(
                "hottest",
                f"The {matrices.HOTTEST} fullest weeks of a framework",
                hot,
                labels=LABELS,
                hidden=("framework", "week_start_on"),
            ),
            Table("week_totals", "All frameworks by week", matrices.week_totals(duties, weeks), words=("week",)),
            Table(
                "framework_tier",
                "Frameworks by vendor tier",
                _with_framework_name(by_tier, ask),
                note="A vendor review stands in every framework that the vendor carries controls of, "
                "so rows may sum to more than there is; the next table counts each duty once.",
                labels=LABELS,
                heat=matrices.TIER_COLUMNS[:-1],
                hidden=("framework", "overdue_pct"),
            ),
            Table("tier_totals", "All frameworks by vendor tier", matrices.tier_totals(duties), words=("tier",)),
            Table(
                "kind_schedule",
                "Kinds of duty by the state of the tests of their controls",
                by_state,
                labels={**LABELS, "name": "Duty"},
                heat=matrices.SCHEDULE_COLUMNS[:-1],
                hidden=("kind", "hours", "overdue_pct"),
            ),
            Table(
                "cells",
                "Every filled cell",
                matrices.cells(duties, tiered, ask),
                note="The figures of the three maps in one list, with hours and the share that is overdue.",
                labels={**LABELS, "name": "Row"},
                state=("heatmap",),
                words=("column",),
                hidden=("row", "intensity"),
            ),
        ),
        definitions={
            **ledger.DEFINITIONS,
            "Intensity": "The same five shades in every edition: 0, 1–2, 3–5, 6–9, 10 and more duties.",
            "Testing schedule": "The worst state of any test window of the controls that the duty names: missed, "
            "open, upcoming; never tested without a schedule.",
        },
        warnings=ledger.without_owner(duties),
        foremost=FOREMOST,
    )


def _with_framework_name(frame: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    return frame.insert_column(1, ledger.framework_name(ask).alias("name"))


def _opening(hot: pl.DataFrame, duties: pl.DataFrame, first_late: str, figures: Figures, ask: Ask) -> Opening:
    pending, overdue = figures["obligations_pending"], figures["obligations_overdue"]
    if not pending:
        return Opening("No duty is pending, so there is nothing to place on a heatmap.", setup.DUTIES)
    waiting = f"{pending:,} {'is' if pending == 1 else 'are'} pending, {overdue or 'none'} overdue"
    if hot.is_empty():
        weeks = count(ask.horizon_weeks, "week")
        text = f"No duty is due within {weeks}; {waiting}."
        return Opening(text, f"{sentence(first_late)}." if overdue else "")
    top = hot.row(0, named=True)
    where = inside(top["name"]) if top["framework"] in ("several", "none") else top["name"]
    most = f"{count(top['obligations'], 'duty', 'duties')} ({hours(top['hours'])}, mostly {inside(top['mostly'])})"
    mine = ledger.most_with(
        duties.filter(
            pl.col("place") == "known", pl.col("week") == top["week"], pl.col("framework") == top["framework"]
        )
    )
    part = "it" if top["obligations"] == 1 else f"{mine[1]:,} of them" if mine else ""
    who = f"{mine[0]}, who has {part}" if mine else "whoever is accountable, as nobody owns what is due"
    plan = f"plan {top['week']} with {who}"
    return Opening(
        at_most(f"Most falls due at once in {top['week']}, for {where}: {most}", f"; {waiting}") + ".",
        f"{sentence(first_late)}; then {plan}." if overdue else f"{sentence(plan)}.",
    )


REPORT = Report(
    name="obligation-heatmap",
    title="Obligation heatmap",
    description="Pending duties by framework and week, by vendor tier, and by state of the testing schedule.",
    build=build,
    figures=select(
        "horizon_weeks",
        *TOTALS,
        *("obligations_overdue_week_change", "obligations_without_owner", "frameworks_with_obligations"),
        "busiest_week",
    ),
    parameters=(ledger.WEEKS,),
    schema_version=2,
)
