"""What a plan says in sentences: whether targets are reached, what to do first, and what to be careful of."""

from collections.abc import Sequence

import polars as pl

from engine.model.days import spelled_day
from engine.model.declarations.ask import Ask
from engine.model.documents.document import Opening, at_most
from engine.planning.plan import ReadinessPlan
from engine.planning.question import Goal
from engine.planning.verdict.likelihood import EVEN, Likelihood, odds_of, promise_of
from reports.shared import setup
from reports.shared.wording import count_of, hours, percent


def opening(
    plan: ReadinessPlan, work: pl.DataFrame, likely: Sequence[Likelihood], missing_hours: float, ask: Ask
) -> Opening:
    """The verdict and what to do first; ``missing_hours`` are those of gaps whose owners do not have them."""
    failing = len(plan.mine)
    if not plan.applicable:
        name = ask.framework_name(plan.question.first.framework)
        return Opening(f"{name} is not in scope, or nothing of it applies: nothing can be said.", setup.IN_SCOPE)
    ready = (
        _promise(plan.goals[0].goal, ask)
        if len(plan.goals) == 1
        else f"{len(plan.goals)} frameworks ready on their days"
    )
    if all(goal.effective >= goal.target_count for goal in plan.goals):
        return Opening(f"{ready}: yes, {plan.effective:,} of {plan.applicable:,} controls hold if nothing is done.")
    many = f"{failing:,} of {count_of(plan.applicable, 'control')} will not be effective if nothing is done"
    left = round(plan.available_hours)
    if plan.is_reached:
        odds = min(one.probability for one in likely)
        promise = f"{promise_of(odds)}, {odds_of(odds)}"
        need = f"; it takes {hours(plan.choice.hours)}, duties leave their owners {left:,}"
        return Opening(
            f"{at_most(at_most(f'{ready}: {promise}', f'. {many}'), need)}.", _step(plan, work, missing_hours, odds)
        )
    short = plan.first_short
    need = f"; {hours(plan.needed_hours)} are needed{_lack(plan, missing_hours)}"
    first = f"; first short in {short.week}" if short else ""
    return Opening(f"{at_most(at_most(f'{ready}: no. {many}', need), first)}.", _step(plan, work, missing_hours))


def _promise(goal: Goal, ask: Ask) -> str:
    name, day = ask.framework_name(goal.framework), spelled_day(goal.by)
    what = name if goal.target == 100 else f"{goal.target} % of {name}"
    if goal.start is not None:
        return f"{what} throughout from {spelled_day(goal.start)} to {day}"
    return f"Ready for {what} on {day}"


def _lack(plan: ReadinessPlan, missing_hours: float) -> str:
    """What is wrong with the hours that are needed: nobody's, or of people who lack them, or too late."""
    nobodys = round(sum(one.hours for one in plan.nobodys), 2)
    if nobodys and nobodys == plan.needed_hours:
        return " and nobody's"
    parts = [f"{nobodys:g} of them nobody's"] if nobodys else []
    parts += [f"{missing_hours:g} of them of people who lack them"] if missing_hours else []
    return f", {', '.join(parts)}" if parts else " and there, but not in time"


def _step(plan: ReadinessPlan, work: pl.DataFrame, missing_hours: float, odds: float = 0.0) -> str:
    if work.is_empty():
        if plan.nobodys:
            gap, *others = plan.nobodys
            more = f" and {count_of(len(others), 'more control')}" if others else ""
            return (
                f"Say who owns {gap.control_id} {gap.title}{more} (control_owners), and what hours they have "
                "(owner_capacity)."
            )
        if missing_hours:
            need, lack = hours(plan.needed_hours), hours(missing_hours)
            return f"Hours are missing: {need} of work would change that, {lack} beyond what its people have."
        return "No work changes that by then: look at what stays open, and why."
    first = work.row(0, named=True)
    start = f"start with {first['control_id']} {first['title']}, {first['owner']}, by {first['done_by']}"
    takes = f"{count_of(len(plan.chosen), 'control')} in {hours(plan.choice.hours)}"
    if plan.is_reached:
        surely = "" if odds >= EVEN else " only if nothing takes longer than estimated,"
        return f"The plan gets there{surely} with work on {takes}: {start}."
    reached = percent(100 * plan.effective_with / plan.applicable)
    return f"It cannot be reached: the best plan comes to {reached} with work on {takes}; {start}."


def warnings_of(plan: ReadinessPlan, likely: Sequence[Likelihood], ask: Ask) -> list[str]:
    warnings = []
    short = plan.first_short
    if short and not plan.is_reached:
        warnings.append(f"First short: {short.owner} lacks {hours(short.missing_hours)} by the end of {short.week}.")
    for owner, week, over in plan.overload[:1]:
        monday = plan.weeks.mondays[week]
        warnings.append(f"It does not hold: {owner} has {hours(round(over, 2))} too many from {monday:%G-W%V} on.")
    lost = [one for one in plan.open if one.reason]
    if lost and not plan.is_reached:
        noun = "1 control cannot" if len(lost) == 1 else f"{len(lost):,} controls cannot"
        warnings.append(f"{noun} be ready by then whatever the hours: see what stays open.")
    tight = [action for action in plan.chosen if plan.work_by_control[action.name].is_tight]
    if tight:
        noun = "1 control has" if len(tight) == 1 else f"{len(tight):,} controls have"
        warnings.append(
            f"{noun} no slack: its evidence is good for too short a time to end {plan.question.slack_days} days before."
        )
    alone = (plan.work_by_control[action.name] for action in plan.chosen if not action.after)
    waiting = [work for work in alone if work.waits_for]
    if waiting:
        what = "1 control waits" if len(waiting) == 1 else f"{len(waiting):,} controls of the plan wait"
        warnings.append(f"{what} for something that no plan knows the end of: see what each waits for.")
    for one in likely:
        goal = plan.question.goal_of(one.framework)
        if goal is not None and 0 < one.probability < 1 and one.likely_on is not None:
            name, odds = ask.framework_name(one.framework), odds_of(one.probability)
            error = f"error {100 * one.error:.1f} points over {one.draws:,} draws, calibrated on drawn histories"
            warnings.append(
                f"{name} ready on {spelled_day(goal.by)}: {odds} ({error}); 90 % on {spelled_day(one.likely_on)}."
            )
    return warnings
