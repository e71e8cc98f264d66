"""What proposed and decided changes of requirements would do to readiness: gaps, effort, and weeks that are left."""

from datetime import timedelta
from typing import Any

import polars as pl

from engine.model.days import spelled_day
from engine.model.declarations.ask import Ask, Parameter
from engine.model.declarations.report import Report
from engine.model.documents.document import Chart, Document, Opening, Table
from engine.model.figures.figure import Figures
from reports.figures import select
from reports.programme.regulation.scenario_effect import (
    ALL,
    STANDINGS,
    requirement_changes,
    scenario_effects,
    scenarios_to_show,
)
from reports.shared import packs
from reports.shared.wording import count, hours, percent, with_whom

SCENARIOS = ("hipaa-security-nprm", "fedramp-vdr-ver", "nist-800-171-r3", "iso-27001-amd-1", "pci-dss-future-dated")
SCENARIO = Parameter("scenario", ALL, "one scenario alone, or all", choices=(ALL, *SCENARIOS))
CHECKED_DAYS = 90  # a status that was looked up earlier may have changed
SHOWN = ("title", "status", "effective_on", "new_gap", "effort_hours")
SOON_DAYS = 28  # before a change takes effect, from which on its days are counted and not its weeks
# what a page leads with
FOREMOST = (
    *("regulatory_next_on", "regulatory_new_gaps", "regulatory_effort_hours", "regulatory_existing_gaps"),
    *("regulatory_satisfied", "regulatory_scenarios_in_scope"),
)
DEFINITIONS = {
    "After": "Readiness with all changes of the scenario in force and today's evidence: nothing is assumed to be done "
    "until then.",
    "Mandatory": "A specification that may be met by an alternative today. One that is answered by an alternative or "
    "not implemented becomes a gap.",
    "New": "Already satisfied through the crosswalk when a control that answers it fully, in any framework in scope, "
    "is effective. One that answers it in part, or is partial itself, counts half.",
    "Extended": "Its text grows. An effective control counts half until it is signed again on or after the day on "
    "which the change takes effect.",
    "Merged, withdrawn": "Falls away; a merged one goes into others, which are then only as good as the worst of their "
    "parts.",
    "Weeks to effective": "Negative: in force since so many weeks. Empty: no date.",
    "Judgement": "Which controls answer a new requirement, its weight and its effort are judgements of the catalogue. "
    "A list of a proposal's duties may be incomplete.",
}


def build(
    scenarios: pl.DataFrame, readiness: pl.DataFrame, framework_proposals: pl.DataFrame, figures: Figures, ask: Ask
) -> Document:
    table, listed = figures.rows(scenario_effects), scenarios_to_show(scenarios, ask)
    touched, ours = figures.rows(requirement_changes).filter("in_scope"), table.filter("in_scope")
    return Document(
        *_opening(ours, touched, listed, figures, ask),
        tables=(
            Table(
                "scenarios",
                "Scenarios, the next to take effect first",
                table.select(
                    *SHOWN,
                    *("scenario", "authority", "framework", packs.pack_name(ask).alias("framework_name")),
                    *("in_scope", "in_force", "weeks_to_effective", "requirements"),
                    *(name for name in STANDINGS if name not in SHOWN),
                    *("hours_a_week", "strict_now", "strict_after", "strict_delta"),
                    *("weighted_now", "weighted_after", "weighted_delta"),
                ),
                note="The FedRAMP POA&M is a list of weaknesses without controls of its own: it has no readiness.",
                state=("status",),
                hidden=(
                    *("scenario", "authority", "framework", "framework_name", "in_scope", "in_force"),
                    *("weeks_to_effective", "requirements", *(name for name in STANDINGS if name not in SHOWN)),
                    *("hours_a_week", "strict_now", "strict_after", "strict_delta", "weighted_delta"),
                    *("weighted_now", "weighted_after"),
                ),
            ),
            Table(
                "requirements",
                "Changed requirements, new gaps first",
                _sort_requirements(touched, table),
                state=("change", "standing", "state"),
                hidden=("framework", "into", "control_id", "state", "answered_by"),
            ),
            Table(
                "sources",
                "Where the scenarios come from",
                listed.sort("position").select(
                    *("title", "authority", "status", "published_on", "status_as_of", "timing", "summary", "source")
                ),
                state=("status",),
            ),
            *_proposals(framework_proposals),
        ),
        coverage=packs.coverage(readiness),
        charts=_charts(ours),
        definitions=DEFINITIONS,
        foremost=FOREMOST if ours.height else (),
        warnings=[*packs.thin(readiness, ask), *_warnings(listed, table, ask)],
    )


def _proposals(changes: pl.DataFrame) -> tuple[Table, ...]:
    """What new versions of frameworks of one's own would change; no table where none waits."""
    if changes.is_empty():
        return ()
    note = "The catalogue stays as it is until hq import --framework is told to --accept the version."
    columns = ("framework", "version", "proposed_on", "change", "control_id", "title", "target_id")
    labels = {"version": "Version", "target_id": "New identifier"}
    return (Table("proposals", "Proposed versions of own frameworks", changes.select(columns), note, labels),)


def _sort_requirements(requirements: pl.DataFrame, table: pl.DataFrame) -> pl.DataFrame:
    """Requirements scenario by scenario, new gaps first, in the order of their text."""
    places = table.select("scenario", scenario_place=pl.int_range(pl.len()))
    standing = pl.col("standing").replace_strict(list(STANDINGS), list(range(len(STANDINGS))), return_dtype=pl.Int64)
    return (
        requirements.join(places, on="scenario")
        .sort("scenario_place", standing, "position")
        .select(
            *("requirement", "title", "standing", "change", "owner"),
            pl.when(pl.col("standing") == "new_gap").then("effort_hours"),
            *("scenario", "framework", "control_id", "state", "into", "answered_by"),
        )
    )


def _opening(ours: pl.DataFrame, touched: pl.DataFrame, listed: pl.DataFrame, figures: Figures, ask: Ask) -> Opening:
    if ours.is_empty():
        return Opening(
            "No scenario touches a framework in scope.",
            "Look at the list for changes that may concern you later; to bring a framework into scope, import "
            "organization_frameworks.csv with hq import.",
        )
    coming = ours.filter(pl.col("weeks_to_effective") > 0, pl.col("new_gap") > 0)
    if coming.height:
        first = coming.row(0, named=True)
        left, day = (first["effective_on"] - ask.as_of).days, spelled_day(first["effective_on"])
        soon = left <= SOON_DAYS
        when = count(left, "day") if soon else count(first["weeks_to_effective"], "week")
        work = (
            f"{hours(first['effort_hours'])} of work by {day}"
            if soon
            else f"{hours(first['hours_a_week'])} of work a week from now until {day}"
        )
        return Opening(
            f"{first['title']} takes effect in {when}: {_missing(first)}.",
            f"Plan {work}{_lead(touched, first)}.{_timing(listed, first)}",
        )
    worst = _worst(ours, "", ask).strip()
    if worst or not figures["regulatory_new_gaps"]:
        return Opening(
            worst or "The scenarios in scope add no gap: everything that they ask for is met or already a known gap."
        )
    most = ours.sort("new_gap", "scenario", descending=[True, False]).row(0, named=True)
    when = "already asks for" if most["in_force"] else "asks for"
    return Opening(
        f"{most['title']} {when} more than there is: {_missing(most)}.",
        f"Plan {hours(most['effort_hours'])} of work{_lead(touched, most)}.",
    )


def _lead(touched: pl.DataFrame, scenario: dict[str, Any]) -> str:
    """The first new gap of a scenario, with whom it is; empty where its requirements have none."""
    mine = touched.filter(pl.col("scenario") == scenario["scenario"], pl.col("standing") == "new_gap")
    if mine.is_empty():
        return ""
    row = mine.sort("position", "requirement").row(0, named=True)
    whom = with_whom(row["owner"]) if row["owner"] else "nobody owns it, so name an owner first"
    return f", first on {row['requirement']} {row['title']} ({whom})"


def _timing(listed: pl.DataFrame, scenario: dict[str, Any]) -> str:
    """What its source says of days and grace, behind the step; empty where it says nothing."""
    said = listed.filter(pl.col("scenario") == scenario["scenario"])["timing"].drop_nulls().to_list()
    return f" {said[0]}" if said else ""


def _missing(row: dict[str, Any]) -> str:
    gaps = "is a new gap" if row["new_gap"] == 1 else "are new gaps"
    return f"{row['new_gap']:,} of {count(row['requirements'], 'requirement')} {gaps}"


def _worst(ours: pl.DataFrame, text: str, ask: Ask) -> str:
    """The scenario without a date that costs most readiness."""
    others = ours.filter(pl.col("scenario") != text, pl.col("weighted_delta") < 0, ~pl.col("in_force"))
    if others.is_empty():
        return ""
    row = others.sort("weighted_delta", "scenario").row(0, named=True)
    verb = "would lower" if row["effective_on"] is None else "lowers"
    readiness = f"weighted {ask.framework_name(row['framework'])} readiness"
    lower = f"from {percent(row['weighted_now'])} to {percent(row['weighted_after'])}"
    return f" {row['title']} {verb} {readiness} {lower} ({count(row['new_gap'], 'new gap')})."


def _charts(ours: pl.DataFrame) -> list[Chart]:
    asking = ours.filter(pl.col("new_gap") > 0)
    if asking.is_empty():
        return []
    alt = "Requirements of each scenario that would be new gaps; scenarios without any are left out."
    return [Chart("bars", "New gaps by scenario", asking, "title", "new_gap", alt)]


def _warnings(scenarios: pl.DataFrame, table: pl.DataFrame, ask: Ask) -> list[str]:
    """Scenarios that are not in force and whose status was looked up long ago."""
    pending = table.filter("in_scope", ~pl.col("in_force"))["scenario"].to_list()
    old = scenarios.filter(
        pl.col("scenario").is_in(pending), pl.col("status_as_of") < ask.as_of - timedelta(days=CHECKED_DAYS)
    )
    return [
        f"{title}: its status is that of {day}; look at the source before you decide."
        for title, day in old.sort("position").select("title", "status_as_of").iter_rows()
    ]


REPORT = Report(
    name="regulatory-impact",
    title="Regulatory impact",
    description="Proposed and decided changes of requirements: readiness after them, new gaps, effort, weeks left.",
    build=build,
    figures=select(
        *("regulatory_scenarios", "regulatory_scenarios_in_scope", "regulatory_requirements", "regulatory_new_gaps"),
        *("regulatory_existing_gaps", "regulatory_satisfied", "regulatory_not_applicable", "regulatory_falls_away"),
        *("regulatory_effort_hours", "regulatory_next_on"),
    ),
    parameters=(SCENARIO,),
    schema_version=2,
)
