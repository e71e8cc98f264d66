"""Which SOC 2 and ISO 27001 controls saw activity in the period: events of the audit log and accepted policies."""

import polars as pl

from engine.model.document import (
    Chart,
    Coverage,
    Document,
    Table,
)
from engine.model.report import Ask, Report
from reports.shared import packs
from reports.shared.columns import in_order
from reports.shared.ordering import rank
from reports.shared.wording import all_of, count, percent

FRAMEWORKS = ("soc2", "iso27001")
LOGGED = ("operation", "test")
CONTROL = ("framework", "control_id")
FAMILY = ("framework", "framework_name", "group_id", "group_title")
LABELS = {
    "framework_name": "Framework",
    "group_id": "ID",
    "group_title": "Category",
    "covered_pct": "Covered (%)",
    "covered_change": "Change (points)",
    "by_events": "By events",
    "by_policy_only": "By policy only",
    "newest_event_at": "Newest event (UTC)",
    "control_id": "Control",
    "last_evidence_on": "Last evidence",
    "last_source": "Source",
    "action": "Action",
    "title": "Title",
    "untagged": "Without a control",
    "untagged_pct": "Without a control (%)",
    "last_at": "Newest (UTC)",
}
DEFINITIONS = {
    "Covered": "An applicable control with at least one event of the audit log that supports it in the period, or an "
    "accepted policy in force. This is activity, not effectiveness: a covered control may still fail.",
    "By policy only": "Covered by an accepted policy, without any event in the period.",
    "Change": "Percentage points against the period of the same length before.",
    "Without a control": "Events whose action maps to no control in scope. A high share means that work is done which "
    "no control gets credit for.",
    "Coverage": "Applicable controls that have any evidence at all, however old.",
}


def build(
    control_status: pl.DataFrame,
    control_evidence: pl.DataFrame,
    policies: pl.DataFrame,
    audit_actions: pl.DataFrame,
    readiness: pl.DataFrame,
    ask: Ask,
) -> Document:
    controls = _controls(control_status, control_evidence, policies, ask)
    frameworks = _totals(controls, FAMILY[:2]).sort(rank("framework", FRAMEWORKS))
    categories = _totals(controls, FAMILY).sort(
        "covered_pct", rank("framework", FRAMEWORKS), in_order("group_id"), "group_title"
    )
    uncovered = _uncovered(controls)
    actions = _actions(audit_actions)
    covered = Coverage(controls.filter("covered").height, controls.height)
    before = Coverage(controls.filter("covered_before").height, controls.height)
    events, untagged = int(actions["events"].sum()), int(actions["untagged"].sum())
    return Document(
        headline=_headline(covered, before, uncovered, ask),
        summary={
            "covered_pct": covered.pct,
            "covered_controls": covered.assessed,
            "applicable_controls": covered.total,
            "covered_change": _difference(covered.pct, before.pct),
            "uncovered_controls": uncovered.height,
            "newest_event_at": controls["newest_event_at"].max(),
            "events": events,
            "untagged_events": untagged,
            "untagged_pct": Coverage(untagged, events).pct,
        },
        tables=(
            Table("frameworks", "By framework", frameworks, labels=LABELS, hidden=("framework",)),
            Table(
                "categories",
                "By category, least covered first",
                categories,
                labels=LABELS,
                hidden=("framework",),
            ),
            Table(
                "uncovered",
                "Controls without activity, most important first",
                uncovered,
                labels={**LABELS, "title": "Control title", "weight": "Weight (1–5)"},
                hidden=("framework",),
            ),
            Table(
                "untagged_actions",
                "Actions that no control gets credit for",
                actions.filter(pl.col("untagged") > 0),
                note="Map the actions at the top to controls, if they show that one operates.",
                labels=LABELS,
            ),
        ),
        coverage=packs.coverage(readiness.filter(pl.col("framework").is_in(FRAMEWORKS))),
        charts=_charts(categories),
        definitions=DEFINITIONS,
        warnings=_warnings(controls, readiness, ask),
    )


def _controls(
    control_status: pl.DataFrame, control_evidence: pl.DataFrame, policies: pl.DataFrame, ask: Ask
) -> pl.DataFrame:
    logged = (
        control_evidence.filter(pl.col("source").is_in(LOGGED))
        .group_by(CONTROL)
        .agg(
            in_period=pl.col("events").sum(),
            in_period_before=pl.col("events_before").sum(),
            newest_event_at=pl.col("last_at").max(),
        )
    )
    accepted = (
        policies.filter(pl.col("control_id").is_not_null() & (pl.col("accepted_on") <= ask.as_of))
        .group_by(CONTROL)
        .agg(policy_since=pl.col("accepted_on").min())
    )
    return (
        control_status.filter("applicable", pl.col("framework").is_in(FRAMEWORKS))
        .join(logged, on=CONTROL, how="left")
        .join(accepted, on=CONTROL, how="left")
        .with_columns(
            framework_name=packs.pack_name(),
            by_events=(pl.col("in_period") > 0).fill_null(False),
            by_policy=pl.col("policy_since").is_not_null(),
            covered_before=(pl.col("in_period_before") > 0).fill_null(False)
            | (pl.col("policy_since") < ask.period_start).fill_null(False),
        )
        .with_columns(covered=pl.col("by_events") | pl.col("by_policy"))
    )


def _totals(controls: pl.DataFrame, by: tuple[str, ...]) -> pl.DataFrame:
    return controls.group_by(by).agg(
        applicable=pl.len().cast(pl.Int64),
        covered=pl.col("covered").sum().cast(pl.Int64),
        covered_pct=(100 * pl.col("covered").mean()).round(1),
        covered_change=(100 * (pl.col("covered").mean() - pl.col("covered_before").mean())).round(1),
        by_events=pl.col("by_events").sum().cast(pl.Int64),
        by_policy_only=(~pl.col("by_events") & pl.col("by_policy")).sum().cast(pl.Int64),
        newest_event_at=pl.col("newest_event_at").max(),
    )


def _uncovered(controls: pl.DataFrame) -> pl.DataFrame:
    return (
        controls.filter(~pl.col("covered"))
        .sort("weight", rank("framework", FRAMEWORKS), in_order("control_id"), descending=[True, False, False])
        .select(
            *("framework", "framework_name", "control_id", "title", "group_title", "weight", "cadence", "owner"),
            *("last_evidence_on", "last_source"),
        )
    )


def _actions(audit_actions: pl.DataFrame) -> pl.DataFrame:
    untagged = pl.col("events") - pl.col("tagged_events")
    return (
        audit_actions.filter(pl.col("events") > 0)
        .select(
            *("action", "title", "events"),
            untagged.alias("untagged"),
            (100 * untagged / pl.col("events")).round(1).alias("untagged_pct"),
            "last_at",
        )
        .sort("untagged", "action", descending=[True, False])
    )


def _difference(now: float | None, before: float | None) -> float | None:
    return None if now is None or before is None else round(now - before, 1)


def _headline(covered: Coverage, before: Coverage, uncovered: pl.DataFrame, ask: Ask) -> str:
    if covered.pct is None or before.pct is None:
        return "Neither SOC 2 nor ISO 27001 has an applicable control, so there is no coverage to report."
    days = count(ask.period_days, "day")
    moved = round(covered.pct - before.pct, 1)
    change = f"{'up' if moved > 0 else 'down'} {abs(moved)} points" if moved else "unchanged"
    share = (
        f"{percent(covered.pct)} of the SOC 2 and ISO 27001 controls saw activity in {days} "
        f"({covered.assessed:,} of {covered.total:,}), {change} against the {days} before"
    )
    if uncovered.is_empty():
        return f"{share}."
    first = uncovered.head(3)
    names = all_of([f"{name} {control}" for name, control in first.select("framework_name", "control_id").iter_rows()])
    return f"{share}; of {count(uncovered.height, 'uncovered control')} look at {names} first."


def _charts(categories: pl.DataFrame) -> list[Chart]:
    if categories.is_empty():
        return []
    frame = categories.with_columns(category=pl.format("{} {}", "framework_name", "group_id"))
    alt = "Share of the applicable controls of each category that saw activity in the period, the lowest first."
    return [Chart("bars", "Covered controls by category", frame, "category", "covered_pct", alt, percent=True)]


def _warnings(controls: pl.DataFrame, readiness: pl.DataFrame, ask: Ask) -> list[str]:
    absent = [packs.pack(name) for name in FRAMEWORKS if name not in controls["framework"]]
    warnings = packs.thin(readiness.filter(pl.col("framework").is_in(FRAMEWORKS)), ask.settings)
    if len(absent) == 1:
        warnings.append(f"{absent[0]} is not in scope: the figures are of the other framework alone.")
    return warnings


REPORT = Report(
    name="summary",
    title="Compliance summary",
    description="SOC 2 and ISO 27001 controls with activity in the period, from the audit log and accepted policies.",
    build=build,
)
