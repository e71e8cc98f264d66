"""Frameworks with a target date: whether it holds if nothing is done, and who must act first."""

import polars as pl

from engine.model.days import spelled_day
from engine.model.declarations.ask import Ask
from engine.model.vocabulary import FRAMEWORK_NAMES
from engine.planning.outlook import PlanMaker, make_plan
from engine.planning.question import MOST_DAYS, Goal, PlanQuestion
from engine.planning.verdict.likelihood import EVEN, likelihoods, odds_of, ready_days, spread_of
from reports.shared.wording import count_of, hours

SCHEMA: dict[str, type[pl.DataType]] = {
    "framework": pl.String,
    "target_on": pl.Date,
    "strict_pct": pl.Float64,
    "not_effective": pl.Int64,
    "needed_hours": pl.Float64,
    "available_hours": pl.Float64,
    "first_short_week": pl.String,
    "owner": pl.String,
}

NEAREST: dict[str, type[pl.DataType]] = {
    **{"framework": pl.String, "name": pl.String, "target_on": pl.Date, "not_effective": pl.Int64, "left": pl.Int64},
    **{"plan_hours": pl.Float64, "reached": pl.Boolean, "likely_pct": pl.Float64},
}


def ready_by(
    control_horizons: pl.DataFrame,
    gaps: pl.DataFrame,
    owner_weeks: pl.DataFrame,
    days_away: pl.DataFrame,
    load: pl.DataFrame,
    signature_duties: pl.DataFrame,
    accepted_plans: pl.DataFrame,
    awaited_work: pl.DataFrame,
    framework_targets: pl.DataFrame,
    ask: Ask,
) -> pl.DataFrame:
    """Each framework with a target date within the year to come, the first date first: strict readiness on the day if
    nothing is done, what that lacks, and whose hours are short first; else whose work is due first."""
    frames = {
        "control_horizons": control_horizons,
        "gaps": gaps,
        "owner_weeks": owner_weeks,
        "days_away": days_away,
        "load": load,
        "signature_duties": signature_duties,
        "accepted_plans": accepted_plans,
        "awaited_work": awaited_work,
    }
    days = pl.col("target_on") - pl.lit(ask.as_of)
    near = framework_targets.filter(days >= pl.duration(days=0), days <= pl.duration(days=MOST_DAYS))
    asked = near.sort("target_on", "framework").select("framework", "target_on").rows()
    questions = [PlanQuestion.of(framework, 100, by) for framework, by in asked]
    rows = []
    plan_maker = PlanMaker(frames.__getitem__, ask.as_of)
    for (framework, by), plan in zip(asked, map(plan_maker.outlook, questions), strict=True):
        short = plan.first_short
        known = plan.projection.readiness([by])
        rows.append(
            (
                framework,
                by,
                known["strict_pct"][0],
                len(plan.mine),
                plan.needed_hours,
                plan.available_hours,
                short.week if short else None,
                short.owner if short else plan.first_owner,
            )
        )
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def nearest(
    control_horizons: pl.DataFrame,
    gaps: pl.DataFrame,
    owner_weeks: pl.DataFrame,
    days_away: pl.DataFrame,
    load: pl.DataFrame,
    signature_duties: pl.DataFrame,
    accepted_plans: pl.DataFrame,
    awaited_work: pl.DataFrame,
    framework_targets: pl.DataFrame,
    ask: Ask,
) -> pl.DataFrame:
    """What the plan for the nearest target date says: whether it is reached with it, how likely, the hours, and how
    many controls are short on the day if nothing is done (``not_effective``) and if the plan is (``left``)."""
    frames = {
        "control_horizons": control_horizons,
        "gaps": gaps,
        "owner_weeks": owner_weeks,
        "days_away": days_away,
        "load": load,
        "signature_duties": signature_duties,
        "accepted_plans": accepted_plans,
        "awaited_work": awaited_work,
    }
    days = pl.col("target_on") - pl.lit(ask.as_of)
    near = framework_targets.filter(days >= pl.duration(days=0), days <= pl.duration(days=MOST_DAYS))
    rows = []
    for framework, name, by in (
        near.sort("target_on", "framework").head(1).select("framework", "name", "target_on").rows()
    ):
        slack = int(ask.settings["plan_slack_days"])
        plan = make_plan(frames.__getitem__, PlanQuestion((Goal(framework, 100, by),), slack), ask.as_of)
        (likely,) = likelihoods(plan, ready_days(plan, spread_of(accepted_plans)))
        odds = round(100 * likely.probability, 1)
        left = plan.applicable - plan.effective_with
        rows.append((framework, name, by, len(plan.mine), left, plan.choice.hours, plan.is_reached, odds))
    return pl.DataFrame(rows, schema=NEAREST, orient="row")


def lead(near: pl.DataFrame) -> str:
    """What the plan for the nearest target date says, in a few words; empty without such a date."""
    if near.is_empty():
        return ""
    row = near.row(0, named=True)
    name = FRAMEWORK_NAMES.get(row["framework"], row["name"])
    day = spelled_day(row["target_on"])
    if not row["not_effective"]:
        return f"All controls of {name} will be effective on {day}"
    if row["reached"]:
        odds = row["likely_pct"] / 100
        promise = "will be" if odds >= EVEN else "will hardly be"
        work = hours(round(row["plan_hours"], 1))
        return f"All controls of {name} {promise} effective on {day}, {odds_of(odds)} with {work} of work"
    lacking = count_of(row["left"], "control")
    return f"{name} will not be ready on {day}: {lacking} short with the plan, {row['not_effective']:,} without"


def sentence(targets: pl.DataFrame, names: pl.DataFrame) -> str:
    """One sentence on the nearest target date: whether it holds, and who must act; empty without one."""
    if targets.is_empty():
        return ""
    row = targets.row(0, named=True)
    called = dict(names.select("framework", "name").iter_rows()).get(row["framework"], row["framework"])
    ready = f"{called} by {spelled_day(row['target_on'])}"
    if not row["not_effective"]:
        return f"{ready} holds if nothing changes."
    lacking = count_of(row["not_effective"], "control")
    acts = f"; {row['owner']} must act first" if row["owner"] else "; nobody owns the work"
    return f"{ready} does not hold by itself: {lacking} and {hours(round(row['needed_hours']))} of work are open{acts}."
