"""CIS Controls v8.1 by implementation group, cumulative: 56, 130 and 153 safeguards, and the first that is missing."""

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.declarations.report import Report
from engine.model.documents.document import Alarm, Chart, Document, Opening, Table
from engine.model.documents.heat import SHARE_OF_GOOD
from engine.model.figures.figure import Figures
from reports.figures import select
from reports.frameworks.assessments import evidence_coverage, first_step, order_note, tally
from reports.frameworks.cis.cis_safeguards import GROUPS, MEASURES, declared_mean, implementation_groups, safeguards
from reports.programme.plans.plan_starts import PlanStarts, Starts
from reports.shared import setup
from reports.shared.columns import share_pct
from reports.shared.wording import count_of, part_of

LABELS = {
    "control_id": "Safeguard",
    "state": "Evidence state",
    "status": "Remediation",
    "due_on": "Planned for",
    "missing": "Not in place",
    "implemented_pct": "Declared as implemented (%)",
}
DEFINITIONS = {
    "implementation group": "Cumulative: IG2 contains IG1, IG3 contains both. A group is complete when each of its "
    "applicable safeguards is in place, so never before the group below it.",
    "in place": "Evidence of every mandatory kind is there and in its window. What is declared but not shown is not.",
    "policy defined, implemented, automated, reported": "How far the organization says it is, 0 to 100 %. A safeguard "
    "for which nothing is said counts as 0 in a mean; where nothing is said of any, there is no mean. They are "
    "self-assessed and decide nothing here.",
    "from IG": "The lowest implementation group that asks for the safeguard.",
}


def build(gaps: pl.DataFrame, starts: Starts, figures: Figures, ask: Ask) -> Document:
    rows = figures.rows(safeguards)
    groups, controls, missing = implementation_groups(rows), _controls(rows), _missing(rows)
    return Document(
        *_opening(groups, missing, figures["cis_group_reached"], gaps, starts, ask),
        tables=(
            Table(
                "implementation_groups",
                "Implementation groups, cumulative",
                groups.with_columns(group=pl.format("IG{}", "group")),
                labels=LABELS,
            ),
            Table(
                "missing",
                "Not in place, lowest group first",
                missing,
                labels=LABELS,
                state=["state", "status"],
                note=order_note(
                    "by implementation group, within each by weight",
                    "Declared is what the organization says of it; in place is what evidence shows.",
                ),
                hidden=["state", "weight", "effort_hours", "owner"],
                part_of=("safeguards",),
            ),
            Table("controls", "The eighteen controls", controls, heat=MEASURES, scale=SHARE_OF_GOOD),
            Table(
                "safeguards",
                "Every safeguard",
                rows.select(
                    *("control_id", "title", "ig", "asset_type", "security_function", "state", *MEASURES),
                    *(
                        "last_evidence_id",
                        "evidence_place",
                        "last_evidence_on",
                        "owner",
                        "implementation",
                        "justification",
                    ),
                ),
                labels=LABELS,
                state=["state"],
                hidden=["implementation", "justification"],
            ),
        ),
        coverage=evidence_coverage(rows),
        charts=_charts(controls),
        definitions=DEFINITIONS,
        warnings=_warnings(rows, figures),
    )


def _controls(rows: pl.DataFrame) -> pl.DataFrame:
    in_use = pl.col("applicable")
    open_ig1 = in_use & (pl.col("ig") == 1) & (pl.col("state") != "effective")
    return (
        rows.group_by(control=pl.col("group_id").cast(pl.Int64, strict=False), title=pl.col("group_title"))
        .agg(
            safeguards=pl.len().cast(pl.Int64),
            applicable=tally(in_use),
            in_place=tally(pl.col("state") == "effective"),
            ig1_missing=tally(open_ig1),
            **{name: declared_mean(name) for name in MEASURES},
        )
        .with_columns(in_place_pct=share_pct(pl.col("in_place"), pl.col("applicable")))
        .sort("control", "title")
    )


def _missing(rows: pl.DataFrame) -> pl.DataFrame:
    return (
        rows.filter("applicable", pl.col("state") != "effective")
        .sort("ig", -pl.col("weight").fill_null(5), "position", "control_id")
        .select(
            *("control_id", "title", "ig", "why", "state", "weight", "implemented_pct", "work_owner", "status"),
            *("due_on", "effort_hours", "owner"),
        )
    )


def _opening(
    groups: pl.DataFrame, missing: pl.DataFrame, reached: str | None, gaps: pl.DataFrame, starts: PlanStarts, ask: Ask
) -> Opening:
    if groups.is_empty():
        return Opening("CIS Controls v8.1 are not in scope, so there is nothing to assess.", setup.IN_SCOPE)
    if reached == f"IG{GROUPS[-1]}":
        return Opening(f"{reached} is complete: every applicable safeguard of the three groups is in place.")
    next_group = groups.filter(~pl.col("complete")).row(0, named=True)
    if missing.is_empty():
        return Opening(f"No safeguard of IG{next_group['group']} applies, so nothing can be said about it.")
    share = part_of(next_group["in_place"], next_group["applicable"], f"IG{next_group['group']} safeguard")
    so_far = f"{reached} is complete; " if reached else ""
    step = first_step("cis-v8", gaps, starts, missing.row(0, named=True), ask)
    return Opening(f"{so_far}{share} in place.", step)


def _warnings(rows: pl.DataFrame, figures: Figures) -> list[str]:
    warnings: list[str] = []
    cis_self_assessed = figures["cis_self_assessed"]
    silent = figures["cis_applicable"] - cis_self_assessed
    if silent:
        counts = ": counted as 0 %" if cis_self_assessed else ""
        warnings.append(f"Nothing is declared for {count_of(silent, 'applicable safeguard')}{counts}.")
    claimed = rows.filter((pl.col("implemented_pct") == 100) & (pl.col("state") == "no_data")).height
    if claimed:
        warnings.append(Alarm(f"{count_of(claimed, 'safeguard')} declared as fully implemented without any evidence."))
    return warnings


def _charts(controls: pl.DataFrame) -> list[Chart]:
    frame = controls.filter(pl.col("applicable") > 0).select(
        "in_place_pct", control=pl.format("{} {}", "control", "title")
    )
    if frame.is_empty():
        return []
    alt = "Share of the applicable safeguards in place, for each of the eighteen controls."
    return [Chart("bars", "In place by control", frame, "control", "in_place_pct", alt, percent=True)]


REPORT = Report(
    name="cis-v8",
    title="CIS Controls v8.1",
    description="Safeguards in place by implementation group, cumulative, with what is declared of each.",
    build=build,
    figures=select(
        *("cis_group_reached", "cis_ig1_in_place_pct", "cis_ig2_in_place_pct", "cis_ig3_in_place_pct"),
        *("cis_safeguards", "cis_applicable", "cis_in_place", "cis_self_assessed", "cis_policy_defined_pct"),
        *("cis_implemented_pct", "cis_automated_pct", "cis_reported_pct"),
    ),
    schema_version=2,
    plans="cis-v8",
)
