"""What the report of each framework says of a day to come: its own words on the states that controls will have."""

from collections.abc import Mapping
from dataclasses import replace

import polars as pl

from engine.model.days import spelled_day
from engine.model.declarations.ask import Ask
from engine.model.declarations.report import Report
from engine.planning.plan import GoalPlan, ReadinessPlan
from reports.frameworks.cis import cis_v8
from reports.frameworks.cmmc import cmmc_l2
from reports.frameworks.gdpr import gdpr_art32
from reports.frameworks.hipaa import hipaa
from reports.frameworks.iso27001 import iso_assessment
from reports.frameworks.nist import nist_csf
from reports.frameworks.pci import pci_dss

ISO = "iso27001"
ASSESSMENTS: Mapping[str, Report] = {
    ISO: iso_assessment.REPORT,
    "pci-dss": pci_dss.REPORT,
    "hipaa": hipaa.REPORT,
    "nist-csf": nist_csf.REPORT,
    "cis-v8": cis_v8.REPORT,
    "cmmc-l2": cmmc_l2.REPORT,
    "gdpr-art32": gdpr_art32.REPORT,
}
_STATES = ("control_assessments", "control_status")


def terms(plan: ReadinessPlan, frames: Mapping[str, pl.DataFrame], ask: Ask) -> pl.DataFrame:
    """What the framework's report says of today, of the day if nothing is done, and of the day with the plan done.

    ``frames`` hold the facts of all of ``ASSESSMENTS``. SOC 2 has no such report: its criteria are counted.
    """
    rows = []
    for goal in plan.goals:
        by, framework = goal.goal.by, goal.goal.framework
        name = "" if len(plan.goals) == 1 else f"{ask.framework_name(framework)}, "
        moments = [("Today", goal.projection, plan.as_of), (f"{spelled_day(by)}, nothing done", goal.projection, by)]
        if plan.chosen:
            moments.append((f"{spelled_day(by)}, the plan done", goal.with_plan, by))
        rows += [
            (name + moment, _stage_sentence(goal, projection.on(day), frames, replace(ask, as_of=day)))
            for moment, projection, day in moments
        ]
    return pl.DataFrame(rows, schema={"moment": pl.String, "says": pl.String}, orient="row")


def beyond_controls(plan: ReadinessPlan, told: pl.DataFrame, ask: Ask) -> list[str]:
    """Where enough controls will be effective, what the framework's own report says of the day all the same."""
    if not plan.is_reached:
        return []
    of_each = told.height // len(plan.goals)
    return [
        f"{ask.framework_name(goal.goal.framework)} asks for more than effective controls. {moment}: {says}"
        for goal, (moment, says) in zip(plan.goals, told.gather_every(of_each, of_each - 1).iter_rows(), strict=True)
        if goal.goal.framework in ASSESSMENTS
    ]


def _stage_sentence(plan: GoalPlan, states: pl.DataFrame, frames: Mapping[str, pl.DataFrame], ask: Ask) -> str:
    report = ASSESSMENTS.get(plan.goal.framework)
    if report is None:
        applicable = states.filter(pl.col("state") != "not_applicable")
        effective = applicable.filter(pl.col("state") == "effective").height
        return f"{effective:,} of {applicable.height:,} applicable criteria are effective on that day."
    then = states.select("framework", "control_id", then="state")
    moved = {
        name: frames[name]
        .join(then, on=["framework", "control_id"], how="left")
        .with_columns(state=pl.coalesce("then", "state"))
        .drop("then")
        for name in _STATES
    }
    moved["framework_targets"] = frames["framework_targets"].clear()  # the headline names no plan of its own
    headline = report.document({**frames, **moved}, replace(ask, options={})).headline
    return f"{headline} {_stages(states)}" if plan.goal.framework == ISO else headline


def _stages(states: pl.DataFrame) -> str:
    """What the two stages of a certification audit would find: the management system, and the controls in operation."""
    known = states.filter(pl.col("state") != "not_applicable").with_columns(
        annex=pl.col("control_id").str.starts_with("A."), good=pl.col("state") == "effective"
    )
    counted = {annex: known.filter(pl.col("annex") == annex)["good"] for annex in (False, True)}
    told = [f"{int(good.sum()):,} of {good.len():,}" for good in (counted[False], counted[True])]
    return f"Stage 1, clauses 4 to 10: {told[0]} effective; stage 2, Annex A: {told[1]}."
