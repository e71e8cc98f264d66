"""Which SOC 2 and ISO 27001 controls saw activity in the period: events of the audit log and accepted policies."""

import polars as pl

from engine.model.days import spelled_day
from engine.model.declarations.ask import Ask
from engine.model.declarations.report import Report
from engine.model.documents.document import Chart, Document, Opening, Table
from engine.model.figures.figure import Figures
from reports.figures import select
from reports.programme.activity.activity import (
    FRAMEWORKS,
    activity_totals,
    control_activity,
    inactive_controls,
    untagged_actions,
)
from reports.shared import packs, records, setup
from reports.shared.columns import in_order
from reports.shared.ordering import rank
from reports.shared.wording import all_of, count, in_points, percent, with_whom

FAMILY = ("framework", "framework_name", "group_id", "group_title")
SEEN = {"covered": "With activity or policy", "covered_pct": "With activity or policy (%)"}
LABELS = {**SEEN, "group_id": "Category", "group_title": "Title of the category"}
# what a page leads with
FOREMOST = (
    *("activity_pct", "controls_inactive", "activity_controls", "audit_events_untagged", "audit_events_untagged_pct"),
    "audit_events_attributable",
)
DEFINITIONS = {
    "By policy only": "Covered by an accepted policy, without any event in the period.",
    "Change": "Percentage points against the period of the same length before.",
    "Coverage": packs.COVERAGE,
}


def build(
    audit_actions: pl.DataFrame, readiness: pl.DataFrame, known_since: pl.DataFrame, figures: Figures, ask: Ask
) -> Document:
    controls = figures.rows(control_activity)
    frameworks = activity_totals(controls, FAMILY[:2]).sort(rank("framework", FRAMEWORKS))
    categories = activity_totals(controls, FAMILY).sort(
        "covered_pct", rank("framework", FRAMEWORKS), in_order("group_id"), "group_title"
    )
    uncovered = inactive_controls(controls)
    return Document(
        *_opening(frameworks, uncovered, known_since, figures, ask),
        tables=(
            Table(
                "uncovered",
                "Controls without activity, most important first",
                uncovered,
                labels={**LABELS, "group_title": "Category", "title": "Control title", "weight": "Weight (1–5)"},
                hidden=("framework", "cadence"),
            ),
            Table(
                "frameworks",
                "By framework",
                frameworks,
                labels=SEEN,
                hidden=("framework", "newest_event_at"),
                note="With activity: by events of the audit log in the period, else by a policy that was accepted.",
            ),
            Table(
                "categories",
                "By category, least active first",
                categories,
                labels=LABELS,
                hidden=("framework", "newest_event_at"),
            ),
            Table(
                "untagged_actions",
                "Actions that no control gets credit for",
                untagged_actions(audit_actions),
                note="Map the actions at the top to controls, if they show that one operates.",
                hidden=("title", "untagged_pct"),
            ),
        ),
        coverage=packs.coverage(readiness.filter(pl.col("framework").is_in(FRAMEWORKS))),
        charts=_charts(categories),
        definitions=DEFINITIONS,
        warnings=_warnings(controls, readiness, known_since, figures, ask),
        foremost=FOREMOST if frameworks.height else (),
    )


def _opening(
    frameworks: pl.DataFrame, uncovered: pl.DataFrame, known_since: pl.DataFrame, figures: Figures, ask: Ask
) -> Opening:
    share, moved = figures["activity_pct"], figures["activity_change"]
    if share is None:
        return Opening(
            "Neither SOC 2 nor ISO 27001 has an applicable control, so there is no coverage to report.", setup.IN_SCOPE
        )
    known = records.since(known_since, *FRAMEWORKS)
    if moved is None:
        compared = (
            "; no earlier record to compare with" if known is None else f"; their records begin on {spelled_day(known)}"
        )
    else:
        points = in_points(abs(moved))
        compared = f", {'up' if moved > 0 else 'down'} {points}" if moved else ", unchanged"
    text = (
        f"{percent(share)} of {all_of(frameworks['framework_name'].to_list())} controls had activity in "
        f"{count(ask.period_days, 'day')} or have an accepted policy{compared}"
    )
    if uncovered.is_empty():
        return Opening(f"{text}.")
    first = uncovered.row(0, named=True)
    without = figures["controls_inactive"]
    which = "the only one without any" if without == 1 else f"one of {without:,} without any"
    return Opening(f"{text}.", f"Begin with {packs.titled_control(first, ask)}, {which} ({with_whom(first['owner'])}).")


def _charts(categories: pl.DataFrame) -> list[Chart]:
    if categories.is_empty():
        return []
    short = categories.filter(pl.col("covered_pct") < 100)
    if short.is_empty():
        return []
    frame = short.with_columns(category=pl.format("{} {}", "framework_name", pl.coalesce("group_title", "group_id")))
    alt = (
        "Share of the applicable controls of each category with activity or a policy; categories with all are left out."
    )
    return [
        Chart(
            "bars",
            "Controls with activity, by category that has one without",
            frame,
            "category",
            "covered_pct",
            alt,
            percent=True,
        )
    ]


def _warnings(
    controls: pl.DataFrame, readiness: pl.DataFrame, known_since: pl.DataFrame, figures: Figures, ask: Ask
) -> list[str]:
    absent = [ask.framework_name(name) for name in FRAMEWORKS if name not in controls["framework"]]
    warnings = packs.thin(readiness.filter(pl.col("framework").is_in(FRAMEWORKS)), ask)
    if len(absent) == 1:
        warnings.append(f"{absent[0]} is not in scope: the figures are of the other framework alone.")
    if figures["activity_change"] is None and not controls.is_empty():
        warnings.append(records.sentence(records.since(known_since, *FRAMEWORKS), "these controls"))
    return warnings


REPORT = Report(
    name="summary",
    title="Compliance summary",
    description="SOC 2 and ISO 27001 controls with activity in the period, from the audit log and accepted policies.",
    build=build,
    figures=select(
        *("activity_pct", "controls_active", "activity_controls", "activity_change", "controls_inactive"),
        *("activity_newest_at", "audit_events_in_period", "audit_events_attributable"),
        *("audit_events_untagged", "audit_events_untagged_pct"),
    ),
    schema_version=2,
)
