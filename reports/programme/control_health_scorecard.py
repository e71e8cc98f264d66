"""Health of each control family, worst first, with the one thing that costs it most."""

from typing import Any

import polars as pl

from engine.model.document import (
    Chart,
    Coverage,
    Document,
    Table,
)
from engine.model.report import Ask, Report
from reports.programme.health import (
    POINTS,
    VALUES,
    WEIGHTS,
    health_of,
)
from reports.shared.packs import pack_name
from reports.shared.wording import count, inside, sentence

COLOURS = ("red", "amber", "green", "insufficient_data")
LABELS = {
    "framework_name": "Framework",
    "health": "Health (0–100)",
    "rag": "Rating",
    "coverage_pct": "With evidence (%)",
    "state_change": "State moved (points)",
    "state_pct": "State (%)",
    "freshness_pct": "Fresh (%)",
    "ownership_pct": "Owned (%)",
    "tests_pct": "Tests passed (%)",
    "exceptions_pct": "Without exception (%)",
    "note": "What costs most",
}
DEFINITIONS = {
    "Health": ", ".join(f"{100 * weight:.0f} % {name}" for name, weight in WEIGHTS.items())
    + ". Where no test is required and none was performed, the weight of tests is shared among the others.",
    "State": "Effective controls count fully, partial ones half, stale ones a quarter, all others nothing, "
    "each by its weight from 1 to 5.",
    "Fresh": "Controls whose newest evidence is inside the window of its cadence.",
    "Owned": "Controls with someone responsible and exactly one person accountable.",
    "Tests passed": "Tests passed of those performed; a required one never performed counts as failed.",
    "Without exception": "Controls that do not rest on an open exception.",
    "Rating": "By health: green, amber or red at the organization's thresholds; insufficient data where too few "
    "controls of the family have any evidence.",
    "State moved": "Points by which the state component moved since the last snapshot before the period (with the "
    "default of 30 days about four weeks), over the controls known then; empty if under half are.",
}


def build(control_status: pl.DataFrame, ask: Ask) -> Document:
    families = health_of(control_status, ["framework", "group_id", "group_title"], ask.settings).insert_column(
        1, pack_name().alias("framework_name")
    )
    frameworks = health_of(control_status, ["framework"], ask.settings).insert_column(
        1, pack_name().alias("framework_name")
    )
    overall = health_of(control_status.with_columns(everything=pl.lit("all")), ["everything"], ask.settings)
    whole = overall.row(0, named=True) if overall.height else None
    colours = {colour: families.filter(pl.col("rag") == colour).height for colour in COLOURS}
    key = ("framework", "framework_name", "group_id", "group_title")
    return Document(
        headline=_headline(whole, families, colours),
        summary={
            "health": whole and whole["health"],
            "rating": whole["rag"] if whole else "insufficient_data",
            "state_change": whole and whole["state_change"],
            "families": families.height,
            **colours,
            "controls": whole["controls"] if whole else 0,
        },
        words=("rating",),
        tables=(
            Table(
                "families",
                "Families, worst first",
                families.select(
                    *(*key, "controls", "health", "rag", "state_change", "coverage_pct"),
                    *("worst_control", "owner", "note"),
                ),
                note="The owner is the person accountable for most controls of the family.",
                labels={**LABELS, "group_title": "Family", "worst_control": "Weakest control"},
                state=("rag",),
                hidden=("framework", "group_id"),
            ),
            Table(
                "frameworks",
                "Frameworks, worst first",
                frameworks.select(
                    *("framework", "framework_name", "controls", "health", "rag", "state_change", "coverage_pct"),
                    *(*VALUES, "note"),
                ),
                labels=LABELS,
                state=("rag",),
                hidden=("framework",),
            ),
            Table(
                "components",
                "How each family's health adds up",
                families.select(*key, *VALUES, *POINTS, "health"),
                note="The points of the components sum to the health of the family.",
                labels={**LABELS, "group_title": "Family"},
                hidden=("framework", "group_id"),
            ),
        ),
        coverage=_coverage(control_status),
        charts=_charts(frameworks),
        definitions=DEFINITIONS,
        warnings=_warnings(families, colours),
    )


def _coverage(control_status: pl.DataFrame) -> Coverage:
    applicable = control_status.filter("applicable")
    return Coverage(applicable.filter(pl.col("state") != "no_data").height, applicable.height)


def _headline(whole: dict[str, Any] | None, families: pl.DataFrame, colours: dict[str, int]) -> str:
    if whole is None:
        return "No control applies, so there is no control health to report."
    red = colours["red"] + colours["insufficient_data"]
    worst = families.row(0, named=True)
    name = f"{worst['framework_name']} {worst['group_title']} at {worst['health']}"
    how = f"Control health is {whole['health']} of 100 over {count(families.height, 'family', 'families')}"
    if not red:
        return f"{how}, none of them red; lowest is {name}."
    why = inside(worst["note"].removesuffix("."))
    return f"{how}, {red:,} of them red or without enough evidence to rate: begin with {name} ({why})."


def _charts(frameworks: pl.DataFrame) -> list[Chart]:
    if frameworks.is_empty():
        return []
    alt = "Control health of each framework, worst first."
    return [Chart("bars", "Health by framework", frameworks, "framework_name", "health", alt)]


def _warnings(families: pl.DataFrame, colours: dict[str, int]) -> list[str]:
    warnings = []
    if colours["insufficient_data"]:
        number = count(colours["insufficient_data"], "family", "families")
        warnings.append(f"{sentence(number)} cannot be rated: too few of their controls have any evidence.")
    untested = families.filter(pl.col("tests_pct").is_null()).height
    if untested:
        number = count(untested, "family", "families")
        warnings.append(f"{number} without any required or performed test: health rests on the other components.")
    return warnings


REPORT = Report(
    name="control-health-scorecard",
    title="Control health scorecard",
    description="Health, rating and the largest loss of each control family, for leadership.",
    build=build,
)
