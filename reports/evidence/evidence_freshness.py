"""How old the newest evidence of each control is against its window, and what to collect first."""

from typing import Any

import polars as pl

from engine.model.document import (
    Chart,
    Coverage,
    Document,
    Table,
)
from engine.model.report import Ask, Report
from reports.shared.columns import in_order, share_pct
from reports.shared.packs import pack
from reports.shared.wording import count_of, part_of, some_of

STATES = ("fresh", "due_soon", "stale", "missing", "error", "not_applicable")
HIDDEN = ("last_evidence_at", "group_id", "cadence")
LABELS = {
    "framework": "Framework",
    "control_id": "Control",
    "weight": "Weight",
    "window_days": "Window (days)",
    "last_evidence_on": "Last evidence",
    "last_evidence_id": "Evidence ID",
    "last_source": "Source",
    "age_days": "Age (days)",
    "age_ratio": "Age ÷ window",
    "days_over": "Days over",
    "next_due_on": "Next due",
    "change_invalidated": "Changed since",
    "in_window_pct": "In window (%)",
    "debt_days": "Debt (days)",
    "error": "Future-dated",
}
DEFINITIONS = {
    "window": "Days for which evidence of a cadence counts, with about a tenth of grace: continuous 7, daily 3, "
    "weekly 9, monthly 35, quarterly 100, semi-annual 200, annual 380.",
    "fresh, due soon, stale, missing": "Age divided by window: up to 0.8, up to 1.0, above 1.0, and no evidence ever.",
    "changed since": "The control's text, system or policy changed after the evidence was captured, "
    "so that it no longer shows how the control works today.",
    "error": "Some evidence is dated after the day of the report. The dates of the control cannot be trusted until "
    "that is corrected, so it counts as neither fresh nor stale.",
    "freshness debt": "Sum over the controls of the days by which evidence is older than its window. "
    "A control without any evidence has no age: it is counted as missing and adds no days.",
    "in window": "Fresh or due soon, as a share of the applicable controls.",
    "stale queue": "Stale, missing and future-dated controls by weight (5 first), then by age ratio; "
    "missing evidence counts as the oldest.",
}


def build(control_status: pl.DataFrame, control_evidence: pl.DataFrame, ask: Ask) -> Document:
    controls = _controls(control_status, control_evidence)
    oldest_first = pl.when(pl.col("state") == "stale").then(pl.col("age_ratio"))
    queue = controls.filter(pl.col("state").is_in(["stale", "missing", "error"])).sort(
        "weight", oldest_first, "framework", in_order("control_id"), descending=[True, True, False, False]
    )
    frameworks = _totals(controls, "framework")
    counts = {state: controls.filter(pl.col("state") == state).height for state in STATES}
    applicable = controls.height - counts["not_applicable"]
    in_window = counts["fresh"] + counts["due_soon"]
    in_window_pct = Coverage(in_window, applicable).pct
    coverage = Coverage(applicable - counts["missing"], applicable)
    return Document(
        headline=_headline(queue, counts, in_window_pct, in_window, applicable),
        summary={
            "controls": controls.height,
            "applicable": applicable,
            **counts,
            "in_window_pct": in_window_pct,
            "change_invalidated": controls.filter(pl.col("state") != "not_applicable")["change_invalidated"].sum(),
            "freshness_debt_days": controls["days_over"].sum(),
        },
        tables=(
            Table("queue", "Stale queue, most urgent first", queue, labels=LABELS, state=["state"], hidden=HIDDEN),
            Table("frameworks", "By framework", frameworks, labels=LABELS),
            Table(
                "owners",
                "By owner",
                _totals(controls, "owner").sort("debt_days", "missing", "owner", descending=[True, True, False]),
                note="An empty owner is nobody: those controls will not refresh themselves.",
                labels=LABELS,
            ),
            Table("controls", "Every control", controls, labels=LABELS, state=["state"], hidden=HIDDEN),
        ),
        coverage=coverage,
        charts=_charts(frameworks),
        definitions=DEFINITIONS,
        warnings=_warnings(controls, coverage),
    )


def _controls(status: pl.DataFrame, evidence: pl.DataFrame) -> pl.DataFrame:
    newest = evidence.select(
        "framework", "control_id", last_source="source", last_evidence_id="last_id", last_evidence_at="last_at"
    )
    return (
        status.join(newest, on=["framework", "control_id", "last_source", "last_evidence_id"], how="left")
        .with_columns(
            state=pl.when(~pl.col("applicable"))
            .then(pl.lit("not_applicable"))
            .when(pl.col("future_dated"))
            .then(pl.lit("error"))
            .otherwise(pl.col("freshness")),
            days_over=pl.when("applicable").then((pl.col("age_days") - pl.col("window_days")).clip(0)),
        )
        .sort("framework", "position", "control_id")
        .select(
            *(
                "framework",
                "control_id",
                "title",
                "owner",
                "group_id",
                "weight",
                "cadence",
                "window_days",
                "last_evidence_at",
            ),
            *("last_evidence_on", "last_evidence_id", "last_source", "age_days", "age_ratio", "state", "days_over"),
            *("change_invalidated", "next_due_on"),
        )
    )


def _totals(controls: pl.DataFrame, by: str) -> pl.DataFrame:
    applicable = pl.col("applicable")
    return (
        controls.group_by(by)
        .agg(
            applicable=(pl.col("state") != "not_applicable").sum().cast(pl.Int64),
            **{state: (pl.col("state") == state).sum().cast(pl.Int64) for state in STATES},
            debt_days=pl.col("days_over").sum(),
        )
        .with_columns(in_window_pct=share_pct(pl.col("fresh") + pl.col("due_soon"), applicable))
        .sort(by)
    )


def _headline(queue: pl.DataFrame, counts: dict[str, int], pct: float | None, in_window: int, applicable: int) -> str:
    if not applicable:
        return "No control applies, so there is no evidence whose freshness could be measured."
    have = part_of(in_window, applicable, "applicable control", ("has", "have"))
    share = f"{have} evidence inside the window ({pct} %)"
    if queue.is_empty():
        return f"{share}; nothing is stale or missing."
    first = queue.row(0, named=True)
    return (
        f"{share}; {counts['stale']:,} stale, {counts['missing']:,} missing: "
        f"start with {pack(first['framework'])} {first['control_id']} ({_why(first)}, weight {first['weight']})."
    )


def _why(row: dict[str, Any]) -> str:
    match row["state"]:
        case "missing":
            return "no evidence ever"
        case "error":
            return "evidence dated in the future"
    if row["days_over"]:
        return f"{count_of(row['days_over'], 'day')} over its window"
    return "changed since its evidence was captured"


def _warnings(controls: pl.DataFrame, coverage: Coverage) -> list[str]:
    warnings = []
    future = controls.filter(pl.col("state") == "error")
    if future.height:
        names = some_of(
            [f"{framework} {control}" for framework, control in future.select("framework", "control_id").rows()]
        )
        warnings.append(f"Evidence dated after the day of the report: {names}. Correct the dates at the source.")
    changed = controls.filter((pl.col("state") != "not_applicable") & pl.col("change_invalidated")).height
    if changed:
        warnings.append(f"{count_of(changed, 'control')} changed after the newest evidence was captured.")
    if coverage.total and not coverage.sufficient:
        warnings.append("Fewer than half of the applicable controls have ever had evidence: read no grade from this.")
    return warnings


def _charts(frameworks: pl.DataFrame) -> list[Chart]:
    frame = frameworks.unpivot(STATES[:4], index="framework", variable_name="state", value_name="controls").filter(
        pl.col("framework").is_in(frameworks.filter(pl.col("applicable") > 0)["framework"].implode())
    )
    if frame.is_empty():
        return []
    alt = (
        "Applicable controls of each framework by the age of their newest evidence; future-dated evidence is left out."
    )
    return [
        Chart("stacked", "Evidence by framework", frame, "framework", "controls", alt, series="state", words=("state",))
    ]


REPORT = Report(
    name="evidence-freshness",
    title="Evidence freshness",
    description="Last evidence of each control against its window, the stale queue, and the freshness debt.",
    build=build,
)
