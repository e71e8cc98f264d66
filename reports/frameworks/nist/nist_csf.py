"""NIST CSF 2.0 as a profile: where each outcome is, where it should be, and what to do about the difference."""

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.declarations.report import Report
from engine.model.documents.document import Chart, Document, Opening, Table
from engine.model.figures.figure import Figures
from reports.figures import select
from reports.frameworks.assessments import evidence_coverage, first_step, tally
from reports.frameworks.nist.nist_profile import profile
from reports.programme.plans.plan_starts import PlanStarts, Starts
from reports.shared import setup
from reports.shared.columns import share_pct
from reports.shared.wording import count_of, part_of, percent

LABELS = {
    "control_id": "Outcome",
    "applicable": "In scope",
    "state": "Current status",
    "last_evidence_id": "Current evidence",
    "status": "Action status",
    "due_on": "Remediation due",
    "priority": "Gain per hour",
}
DEFINITIONS = {
    "current": "Evidence in four steps: effective 100, partial 50, stale 25, ineffective or without evidence 0.",
    "target": "The percentage that the organization aims for, else its wanted state (effective 100, partial 50, "
    "none 0). An outcome without a target counts as if all of it were wanted.",
    "gap": "Target less current, in points; an outcome at or above its target has none.",
    "priority": "Severity x outcomes and requirements unlocked x weight, divided by the hours of work.",
    "tiers": "The tiers from Partial to Adaptive describe how risk is governed in the organization as a whole. They "
    "are no maturity levels of outcomes, so none is given here and nothing is averaged into one.",
}


def build(gaps: pl.DataFrame, starts: Starts, figures: Figures, ask: Ask) -> Document:
    rows = figures.rows(profile)
    functions, actions = _rollup(rows, "function_id", "function"), _actions(rows)
    unset = figures["csf_target_not_set"]
    return Document(
        *_opening(rows, actions, gaps, starts, figures, ask),
        tables=(
            Table("functions", "By function", functions),
            Table(
                "actions",
                "Below target, highest priority first",
                actions,
                labels=LABELS,
                state=["state", "status"],
                hidden=["why", "state", "current_pct", "target_pct", "action"],
                part_of=("profile",),
            ),
            Table("categories", "By category", _rollup(rows, "category_id", "category_name")),
            Table(
                "profile",
                "Organizational profile: every outcome",
                rows.select(
                    *("control_id", "title", "applicable", "state", "practice", "last_evidence_id", "evidence_place"),
                    *("last_evidence_on", "current_pct", "target_pct", "gap_points", "priority", "action", "owner"),
                    *("target_set", "justification"),
                ),
                labels=LABELS,
                state=["state"],
                hidden=[
                    "practice",
                    "last_evidence_id",
                    "evidence_place",
                    "priority",
                    "action",
                    "target_set",
                    "justification",
                ],
            ),
        ),
        coverage=evidence_coverage(rows),
        charts=_charts(functions),
        definitions=DEFINITIONS,
        warnings=[f"{count_of(unset, 'outcome')} in scope without a target: counted as if all were wanted."]
        if unset
        else [],
    )


def _rollup(rows: pl.DataFrame, key: str, title: str) -> pl.DataFrame:
    """Outcomes are counted, never averaged."""
    in_scope = pl.col("applicable")
    return (
        rows.group_by(key, title)
        .agg(
            outcomes=pl.len().cast(pl.Int64),
            in_scope=tally(in_scope),
            at_target=tally(pl.col("at_target")),
            below_target=tally(in_scope & ~pl.col("at_target")),
            no_evidence=tally(pl.col("state") == "no_data"),
            target_not_set=tally(in_scope & ~pl.col("target_set")),
            position=pl.col("position").min(),
        )
        .with_columns(at_target_pct=share_pct(pl.col("at_target"), pl.col("in_scope")))
        .sort("position", key)
        .drop("position")
    )


def _actions(rows: pl.DataFrame) -> pl.DataFrame:
    return (
        rows.filter(pl.col("gap_points") > 0)
        .sort(-pl.col("priority").fill_null(0), "control_id")
        .select(
            *("control_id", "title", "gap_points", "priority", "work_owner", "due_on", "status", "why", "state"),
            *("current_pct", "target_pct", "action"),
        )
    )


def _opening(
    rows: pl.DataFrame, actions: pl.DataFrame, gaps: pl.DataFrame, starts: PlanStarts, figures: Figures, ask: Ask
) -> Opening:
    if rows.is_empty():
        return Opening("NIST CSF 2.0 is not in scope, so there is no profile.", setup.IN_SCOPE)
    if not figures["csf_in_scope"]:
        return Opening("No outcome of NIST CSF 2.0 is in scope of the profile.", setup.fill("control_profiles"))
    share = f"{part_of(figures['csf_at_target'], figures['csf_in_scope'], 'outcome')} at target"
    if actions.is_empty():
        return Opening(f"{share}: the current profile meets the target profile.")
    first = actions.row(0, named=True)
    gap = f"{count_of(first['gap_points'], 'point')} below its target; {first['why']}"
    unplanned = actions.filter(pl.col("due_on").is_null()).height
    left = part_of(unplanned, actions.height, "of the gap", ("has", "have")).replace("of the gap", "gap")
    pct = percent(100 * figures["csf_at_target"] / figures["csf_in_scope"])
    below = gaps.join(actions.select("control_id"), on="control_id", how="semi")
    step = first_step("nist-csf", below, starts, first | {"why": gap}, ask)
    return Opening(f"{share} ({pct}); {left} no planned day.", step)


def _charts(functions: pl.DataFrame) -> list[Chart]:
    used = functions.filter(pl.col("in_scope") > 0)
    frame = used.rename({"at_target": "at target", "below_target": "below target"}).drop("outcomes")
    if frame.is_empty():
        return []
    long = frame.unpivot(
        ["at target", "below target"], index="function", variable_name="standing", value_name="outcomes"
    )
    alt = "Outcomes in scope at their target and below it, for each function."
    return [Chart("stacked", "Outcomes by function", long, "function", "outcomes", alt, series="standing")]


REPORT = Report(
    name="nist-csf",
    title="NIST CSF 2.0 profile",
    description="Current and target profile of the 106 outcomes with gaps, actions and a roll-up by function.",
    build=build,
    figures=select(
        *("csf_outcomes", "csf_in_scope", "csf_at_target", "csf_below_target", "csf_target_not_set"),
        "csf_actions_planned",
    ),
    schema_version=2,
    plans="nist-csf",
)
