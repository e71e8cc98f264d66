"""What proposed and decided changes of requirements would do to readiness: gaps, effort, and weeks that are left."""

from datetime import timedelta
from typing import Any

import polars as pl

from engine.model.document import Chart, Document, Table
from engine.model.report import Ask, Parameter, Report
from reports.programme.scenario_effect import STANDINGS, effects, requirements_of
from reports.shared import packs
from reports.shared.wording import count, hours, percent

SCENARIOS = (
    "hipaa-security-nprm",
    "fedramp-vdr-ver",
    "nist-800-171-r3",
    "iso-27001-amd-1",
    "pci-dss-future-dated",
)
SCENARIO = Parameter("scenario", "all", "one scenario alone, or all", choices=("all", *SCENARIOS))
CHECKED_DAYS = 90  # a status that was looked up earlier may have changed
LABELS = {
    "framework_name": "Framework",
    "effective_on": "Effective",
    "weeks_to_effective": "Weeks to effective",
    "new_gap": "New gaps",
    "existing_gap": "Gaps already open",
    "satisfied": "Already satisfied",
    "not_applicable": "Not applicable",
    "falls_away": "Falls away",
    "effort_hours": "Effort (h)",
    "hours_a_week": "Hours a week",
    "strict_now": "Strict now (%)",
    "strict_after": "Strict after (%)",
    "strict_delta": "Strict change",
    "weighted_now": "Weighted now (%)",
    "weighted_after": "Weighted after (%)",
    "weighted_delta": "Weighted change",
    "control_id": "Control",
    "answered_by": "Answered, at least in part, by",
    "published_on": "Published",
    "status_as_of": "Status known on",
}
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
    "New gaps": "Requirements that are no gap today. Effort is the catalogue's estimate for them alone.",
    "Gaps already open": "Requirements that are gaps today, whatever becomes of the scenario.",
    "Weeks to effective": "Negative: in force since so many weeks. Empty: no date.",
    "Judgement": "Which controls answer a new requirement, its weight and its effort are judgements of the catalogue. "
    "A list of a proposal's duties may be incomplete.",
}


def build(
    organization: pl.DataFrame,
    scenarios: pl.DataFrame,
    scenario_requirements: pl.DataFrame,
    scenario_answers: pl.DataFrame,
    readiness: pl.DataFrame,
    control_status: pl.DataFrame,
    control_profiles: pl.DataFrame,
    ask: Ask,
) -> Document:
    wanted = str(ask.options.get("scenario") or "all")
    chosen = scenarios
    if wanted != "all":
        chosen = scenarios.filter(pl.col("scenario") == wanted)
    in_scope = organization["frameworks"].explode().drop_nulls().to_list()
    every = requirements_of(scenario_requirements, scenario_answers, chosen, control_status, control_profiles, ask)
    table = effects(chosen, every, readiness, control_status, in_scope, ask)
    touched = every.filter(pl.col("framework").is_in(in_scope))
    ours = table.filter("in_scope")
    return Document(
        headline=_headline(ours),
        summary={
            "scenarios": table.height,
            "scenarios_in_scope": ours.height,
            "requirements": touched.height,
            **{f"{word}s" if word.endswith("gap") else word: int(ours[word].sum()) for word in STANDINGS},
            "effort_hours": round(float(ours["effort_hours"].sum()), 1),
            "next_effective_on": ours.filter(pl.col("weeks_to_effective") > 0)["effective_on"].min(),
        },
        tables=(
            Table(
                "scenarios",
                "Scenarios, the next to take effect first",
                table.select(
                    *("scenario", "title", "authority", "framework", packs.pack_name().alias("framework_name")),
                    *("status", "in_scope", "in_force", "effective_on", "weeks_to_effective", "requirements"),
                    *(*STANDINGS, "effort_hours", "hours_a_week", "strict_now", "strict_after", "strict_delta"),
                    *("weighted_now", "weighted_after", "weighted_delta"),
                ),
                note="The FedRAMP POA&M is a list of weaknesses without controls of its own: it has no readiness.",
                labels=LABELS,
                state=("status",),
                hidden=(
                    *("scenario", "authority", "framework", "in_force", "not_applicable", "falls_away"),
                    *("strict_delta", "weighted_delta"),
                ),
            ),
            Table(
                "requirements",
                "Changed requirements, new gaps first",
                _ordered(touched, table),
                labels=LABELS,
                state=("change", "standing", "state"),
                hidden=("framework", "into"),
            ),
            Table(
                "sources",
                "Where the scenarios come from",
                chosen.sort("position").select(
                    *("title", "authority", "status", "published_on", "status_as_of", "timing", "summary", "source")
                ),
                labels=LABELS,
                state=("status",),
            ),
        ),
        coverage=packs.coverage(readiness),
        charts=_charts(ours),
        definitions=DEFINITIONS,
        warnings=[*packs.thin(readiness, ask.settings), *_warnings(chosen, table, ask)],
    )


def _ordered(requirements: pl.DataFrame, table: pl.DataFrame) -> pl.DataFrame:
    """Requirements scenario by scenario, new gaps first, in the order of their text."""
    places = table.select("scenario", scenario_place=pl.int_range(pl.len()))
    standing = pl.col("standing").replace_strict(
        list(STANDINGS), list(range(len(STANDINGS))), return_dtype=pl.Int64
    )  # fmt: skip
    return (
        requirements.join(places, on="scenario")
        .sort("scenario_place", standing, "position")
        .select(
            *("scenario", "framework", "requirement", "title", "change", "standing", "control_id", "state", "into"),
            *("answered_by", "owner", pl.when(pl.col("standing") == "new_gap").then("effort_hours")),
        )
    )


def _headline(ours: pl.DataFrame) -> str:
    if ours.is_empty():
        return "No scenario touches a framework in scope; look at the list for changes that may concern you later."
    coming = ours.filter(pl.col("weeks_to_effective") > 0, pl.col("new_gap") > 0)
    if coming.height:
        first = coming.row(0, named=True)
        return (
            f"{first['title']} takes effect in {count(first['weeks_to_effective'], 'week')}, on "
            f"{first['effective_on']}: {_missing(first)}, {hours(first['effort_hours'])} of work, "
            f"{hours(first['hours_a_week'])} a week from now.{_worst(ours, first['scenario'])}"
        )
    worst = _worst(ours, "").strip()
    return worst or "The scenarios in scope add no gap: everything that they ask for is met or already a known gap."


def _missing(row: dict[str, Any]) -> str:
    gaps = "is a new gap" if row["new_gap"] == 1 else "are new gaps"
    return f"{row['new_gap']:,} of {count(row['requirements'], 'requirement')} {gaps}"


def _worst(ours: pl.DataFrame, told: str) -> str:
    """The scenario without a date that costs most readiness."""
    others = ours.filter(pl.col("scenario") != told, pl.col("weighted_delta") < 0, ~pl.col("in_force"))
    if others.is_empty():
        return ""
    row = others.sort("weighted_delta", "scenario").row(0, named=True)
    verb = "would lower" if row["effective_on"] is None else "lowers"
    readiness = f"weighted {packs.pack(row['framework'])} readiness"
    lower = f"from {percent(row['weighted_now'])} to {percent(row['weighted_after'])}"
    return f" {row['title']} {verb} {readiness} {lower} ({count(row['new_gap'], 'new gap')})."


def _charts(ours: pl.DataFrame) -> list[Chart]:
    known = ours.filter(pl.col("weighted_after").is_not_null())
    if known.is_empty():
        return []
    bars = known.select("title", now="weighted_now", after="weighted_after").unpivot(
        index="title", variable_name="readiness", value_name="pct"
    )
    alt = "Weighted readiness of the framework now and with the scenario in force."
    return [Chart("bars", "Weighted readiness now and after", bars, "title", "pct", alt, "readiness", percent=True)]


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
    parameters=(SCENARIO,),
)
