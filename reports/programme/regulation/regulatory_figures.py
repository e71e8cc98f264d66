"""Figures of regulatory scenarios: what they change, how it stands today, and what closing the new gaps takes."""

from collections.abc import Mapping

import polars as pl

from engine.model.figures.aggregates import Count, Minimum, Sum
from engine.model.figures.figure import Figure
from engine.model.vocabulary import Better
from reports.programme.regulation.scenario_effect import requirement_changes, scenario_effects

STANDINGS: Mapping[str, tuple[str, str, Better, str]] = {
    "new_gap": (
        "regulatory_new_gaps",
        "New gaps by regulatory scenarios",
        "less",
        "that are no gap today and would be one with the scenario in force",
    ),
    "existing_gap": (
        "regulatory_existing_gaps",
        "Changed requirements that are gaps today",
        "less",
        "that are gaps today, whatever becomes of the scenario",
    ),
    "satisfied": (
        "regulatory_satisfied",
        "Changed requirements that are met",
        "more",
        "that today's controls meet, directly or through the crosswalk",
    ),
    "not_applicable": (
        "regulatory_not_applicable",
        "Changed requirements that do not apply",
        "neither",
        "whose control is excluded with justification",
    ),
    "falls_away": (
        "regulatory_falls_away",
        "Requirements that fall away",
        "neither",
        "that are merged into others or withdrawn",
    ),
}
_OURS = pl.col("in_scope")
_CHANGE = "{requirement}: {change}, {standing}"

FIGURES = (
    Figure(
        "regulatory_scenarios",
        "Regulatory scenarios",
        "count",
        "neither",
        "Proposed and decided changes of requirements that are asked about.",
        scenario_effects,
        Count(),
        reason="{title}, {status}",
    ),
    Figure(
        "regulatory_scenarios_in_scope",
        "Regulatory scenarios in scope",
        "count",
        "neither",
        "Those of them that change a framework that is followed.",
        scenario_effects,
        Count(),
        _OURS,
        "{title}, {status}",
    ),
    Figure(
        "regulatory_requirements",
        "Changed requirements in scope",
        "count",
        "neither",
        "Requirements that the scenarios change in frameworks that are followed, each once per scenario.",
        requirement_changes,
        Count(),
        _OURS,
        _CHANGE,
    ),
    *(
        Figure(
            name,
            title,
            "count",
            better,
            f"Changed requirements in scope {meaning}.",
            requirement_changes,
            Count(),
            _OURS & (pl.col("standing") == standing),
            _CHANGE,
        )
        for standing, (name, title, better, meaning) in STANDINGS.items()
    ),
    Figure(
        "regulatory_effort_hours",
        "Effort of new gaps by regulatory scenarios",
        "hours",
        "less",
        "Hours of work, as the catalogue estimates them, to close the new gaps of the scenarios in scope.",
        requirement_changes,
        Sum("effort_hours"),
        _OURS & (pl.col("standing") == "new_gap"),
        _CHANGE,
    ),
    Figure(
        "regulatory_next_on",
        "Next regulatory change",
        "date",
        "neither",
        "The first day after {as_of} on which a scenario in scope takes effect.",
        scenario_effects,
        Minimum("effective_on"),
        _OURS & (pl.col("weeks_to_effective") > 0),
        "{title} takes effect on {effective_on}",
    ),
)
