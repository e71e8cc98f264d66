"""Figures of the what-if: how full the weeks are now, the same of the scenario, and what the scenario would break."""

from collections.abc import Mapping
from dataclasses import replace

import polars as pl

from engine.model.figures.aggregates import Count, First, Sum
from engine.model.figures.figure import Figure, Rows
from reports.obligations.whatif import consequences, scenario
from reports.shared import duty_figures, ledger

BUSY = pl.col("demand_hours") > 0
LOAD = "{duties} duties, {demand_hours} of {available_hours} hours"
WEEKS = (
    Figure(
        "fullest_week",
        "Fullest week by utilisation",
        "word",
        "neither",
        "The week of the horizon whose work is most in percent of the hours of all owners: work that nobody has "
        "hours for is most of all, though not in a week whose working days are over, and of equal weeks the earliest "
        "counts.",
        scenario.base_weeks,
        First("week"),
        BUSY,
        LOAD,
    ),
    Figure(
        "fullest_week_obligations",
        "Duties of the fullest week",
        "count",
        "neither",
        "Pending duties that fall due in the fullest week by utilisation.",
        scenario.base_weeks,
        First("duties"),
        BUSY,
        LOAD,
    ),
    Figure(
        "fullest_week_utilisation_pct",
        "Utilisation of the fullest week",
        "percent",
        "less",
        "Hours of work of the fullest week in percent of the hours of all owners; not known where nobody has any.",
        scenario.base_weeks,
        First("utilisation_pct"),
        BUSY,
        LOAD,
    ),
    Figure(
        "weeks_over_capacity",
        "Weeks with more work than hours of all owners",
        "count",
        "less",
        "Weeks of the horizon whose work is more than the hours of all owners taken together; one whose working days "
        "are over is none.",
        scenario.base_weeks,
        Count(),
        BUSY & ~pl.col("is_over") & ~(pl.col("utilisation_pct") <= 100).fill_null(False),
        LOAD,
    ),
)

BASE = (*(figure for figure in duty_figures.PENDING if figure.id in duty_figures.TOTALS), *WEEKS)
THEN: Mapping[object, Rows] = {ledger.pending: scenario.after, scenario.base_weeks: scenario.scenario_weeks}
SCENARIO = tuple(
    replace(
        figure,
        id=f"scenario_{figure.id}",
        title=f"{figure.title} in the scenario",
        definition=f"{figure.definition} Counted as the scenario would leave the duties.",
        fact=THEN[figure.fact],
    )
    for figure in BASE
)

_FATE = pl.col("fate")
EFFECTS = (
    Figure(
        "scenario_moved",
        "Duties that the scenario moves",
        "count",
        "neither",
        "Pending duties that would have another due date.",
        scenario.scenario_duties,
        Count(),
        _FATE == "moved",
        "due {new_due_on} instead of {due_on}",
    ),
    Figure(
        "scenario_violations",
        "Fixed deadlines that the scenario would pass",
        "count",
        "less",
        "Pending duties that would move past their legal or contractual deadline; they are held where they are.",
        scenario.scenario_duties,
        Count(),
        _FATE == "held",
        "{wanted_on} is past the deadline of {due_on}",
    ),
    Figure(
        "scenario_descoped",
        "Duties that fall away in the scenario",
        "count",
        "neither",
        "Pending duties of the descoped framework alone.",
        scenario.scenario_duties,
        Count(),
        _FATE == "descoped",
        "of {frameworks} alone",
    ),
    Figure(
        "scenario_descoped_hours",
        "Hours that fall away in the scenario",
        "hours",
        "neither",
        "Effort, for whoever does them, of pending duties of the descoped framework alone.",
        scenario.scenario_duties,
        Sum("effort_hours"),
        _FATE == "descoped",
        "of {frameworks} alone",
    ),
    Figure(
        "scenario_turned_stale",
        "Controls turned stale by the scenario",
        "count",
        "less",
        "Controls whose evidence is renewed in time now, and would run out before it is renewed.",
        consequences.stale,
        Count(),
        reason="fresh until {fresh_until}, renewed on {renewed_on}",
    ),
    Figure(
        "scenario_without_path",
        "Controls without a path to evidence in the scenario",
        "count",
        "less",
        "Controls that stay in scope and would have neither a duty that renews their evidence, nor evidence from "
        "operations, nor a full mapping from a control that has.",
        consequences.stranded_controls,
        Count(),
        reason="{state}, last evidence {last_evidence_on}",
    ),
)

FIGURES = (*WEEKS, *SCENARIO, *EFFECTS)
