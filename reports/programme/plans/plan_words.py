"""What a plan says in sentences: whether targets are reached, what to do first, and what to be careful of."""

from collections.abc import Sequence
from datetime import date

import polars as pl

from engine.model.days import quarters, spelled_day
from engine.model.declarations.ask import Ask
from engine.model.documents.document import FrameRow, Opening, at_most
from engine.planning.plan import ReadinessPlan
from engine.planning.question import Goal
from engine.planning.verdict.likelihood import EVEN, Likelihood, odds_of
from reports.programme.plans import plan_rows
from reports.shared import setup
from reports.shared.packs import titled_control
from reports.shared.wording import all_of, count_of, hours, inside, percent, with_whom

MOST_NAMED = 3
LACK = ("owner", "missing_hours")


def opening(
    plan: ReadinessPlan, work: pl.DataFrame, likely: Sequence[Likelihood], people: pl.DataFrame, ask: Ask
) -> Opening:
    """The verdict and what to do first; ``people`` are owners with the hours of gaps that they do not have."""
    short = people.filter(pl.col("missing_hours") > 0).sort("missing_hours", "owner", descending=[True, False])
    missing_hours = _missing(short)
    failing = len(plan.mine)
    if not plan.applicable:
        name = ask.framework_name(plan.question.first.framework)
        return Opening(f"{name} is not in scope, or nothing of it applies: nothing can be said.", setup.IN_SCOPE)
    if all(goal.effective >= goal.target_count for goal in plan.goals):
        hold = f"{plan.effective:,} of {plan.applicable:,} controls hold even if nothing is done"
        return Opening(f"{_promise(plan, ask, 'will be')}: {hold}.")
    many = f"{failing:,} of {count_of(plan.applicable, 'control')} will not be effective if nothing is done"
    if plan.is_reached:
        odds = min(one.probability for one in likely)
        promised = _promise(plan, ask, "will be" if odds >= EVEN else "will hardly be")
        promise = f"{promised}, {odds_of(odds)}, with {hours(plan.choice.hours)} of work"
        return Opening(f"{at_most(promise, f'; {many}')}.", _step(plan, work, short, ask, odds))
    best = percent(100 * plan.effective_with / plan.applicable)
    start = f"{_refusal(plan, ask)}: at best {best}{_below_today(plan)}"
    said = at_most(start, _need(plan))
    more = _lack(plan, missing_hours) if said != start else _short_of(plan, missing_hours)
    said = at_most(said, more)
    return Opening(f"{said}.", _step(plan, work, short, ask))


def _below_today(plan: ReadinessPlan) -> str:
    """What is effective at best, and that it is less than today where more lapses than work can hold."""
    ready = pl.col("state") == "effective"
    today = sum(goal.projection.on(plan.as_of).filter(ready).height for goal in plan.goals)
    applicable = sum(
        goal.projection.on(plan.as_of).filter(pl.col("state") != "not_applicable").height for goal in plan.goals
    )
    if today * plan.applicable <= plan.effective_with * applicable:
        return " of controls are effective"
    return f", below today's {percent(100 * today / applicable)}"


def _need(plan: ReadinessPlan) -> str:
    """What is open today and what lapses by then, apart: pages of today count the former alone. Of a gap, too, more can
    lapse by then than it lacks today."""
    later = sum(1 for one in plan.mine if one.is_renewal)
    today, need = len(plan.mine) - later, hours(plan.needed_hours)
    if not later:
        lapses = {f"{goal.goal.framework}:{one}" for goal in plan.goals for one in goal.projection.lapses["control_id"]}
        more = ", renewals included," if lapses & {one.id for one in plan.mine} else ""
        return f"; all {count_of(today, 'gap')}{more} {'takes' if today == 1 else 'take'} {need}"
    return f"; {today:,} open today and {later:,} that lapse by then take {need}"


def _promise(plan: ReadinessPlan, ask: Ask, verdict: str) -> str:
    """What will be, and when; of controls alone, as a framework can ask for more than effective controls:
    ``All controls of SOC 2 will be effective on 26 Jan 2027``."""
    if len(plan.goals) > 1:
        return f"As many controls as is asked of {len(plan.goals)} frameworks {verdict} effective on their days"
    goal: Goal = plan.goals[0].goal
    many = "All controls" if goal.target == 100 else f"{goal.target} % of the controls"
    return f"{many} of {ask.framework_name(goal.framework)} {verdict} effective {_when(goal)}"


def _refusal(plan: ReadinessPlan, ask: Ask) -> str:
    """What will not be: ``SOC 2 will not be ready on 26 Jan 2027``."""
    if len(plan.goals) > 1:
        return f"Not all of {len(plan.goals)} frameworks will be ready on their days"
    goal: Goal = plan.goals[0].goal
    name = ask.framework_name(goal.framework)
    what = name if goal.target == 100 else f"{goal.target} % of {name}"
    return f"{what} will not be ready {_when(goal)}"


def _when(goal: Goal) -> str:
    day = spelled_day(goal.by)
    return f"on {day}" if goal.start is None else f"throughout from {spelled_day(goal.start)} to {day}"


def _lack(plan: ReadinessPlan, missing_hours: float) -> str:
    """What is wrong with the hours that are needed: nobody's, or of people who lack them, or too late."""
    nobodys = round(sum(one.hours for one in plan.nobodys), 2)
    if nobodys and nobodys == plan.needed_hours:
        return " that nobody owns"
    parts = [f"{hours(nobodys)} of it nobody's"] if nobodys else []
    parts += [f"{hours(missing_hours)} beyond what its people have"] if missing_hours else []
    return f", {', '.join(parts)}" if parts else ", for which there are hours, but not in time"


def _short_of(plan: ReadinessPlan, missing_hours: float) -> str:
    """The same where there is no room for the hours that are needed."""
    if missing_hours:
        return f"; {hours(missing_hours)} are beyond what its people have"
    lost = sum(1 for one in plan.open if one.reason)
    of = "" if lost == len(plan.open) else f", {lost:,} of them"
    whatever = f"{of} whatever the hours" if lost else ""
    stay = "stays" if len(plan.open) == 1 else "stay"
    return f"; {count_of(len(plan.open), 'control')} {stay} open{whatever}" if plan.open else ""


def _step(plan: ReadinessPlan, work: pl.DataFrame, short: pl.DataFrame, ask: Ask, odds: float = 0.0) -> str:
    """``short`` are the owners who lack hours, whoever lacks most first."""
    first = plan_rows.first_work(work)
    if first is None:
        if plan.nobodys:
            gap, *others = plan.nobodys
            more = f" and {count_of(len(others), 'more control')}" if others else ""
            return (
                f"Say who owns {gap.control_id} {gap.title}{more} (control_owners), and what hours they have "
                "(owner_capacity)."
            )
        if short.height:
            need, lack = hours(plan.needed_hours), hours(_missing(short))
            return f"Hours are missing: {need} of work would change that, {lack} beyond what its people have."
        return "No work changes that by then: look at what stays open, and why."
    start = f"{work_text(first, ask)}{_passed_over(work, first)}"
    if plan.is_reached:
        surely = "" if odds >= EVEN else ", which suffices only if nothing takes longer than estimated"
        return f"Begin with {start}. The plan has work on {count_of(len(plan.chosen), 'control')}{surely}."
    return f"Decide on {_decision(plan, short)}; until then begin with {start}."


def _passed_over(work: pl.DataFrame, first: FrameRow) -> str:
    """Why the plan's first row is not what to begin with: ``, as A1.1 waits for the migration``."""
    row = work.row(0, named=True)
    same = (row["framework"], row["control_id"]) == (first["framework"], first["control_id"])
    return "" if same or not row["waits_for"] else f", as {row['control_id']} waits for {row['waits_for']}"


def work_text(work: FrameRow, ask: Ask) -> str:
    """``PCI DSS 12.3.3 Annual cipher review: sign by 4 Dec 2026 (with ann@acme.example, overdue since 27 Nov 2026)``.

    Of the day of the plan and the day on record the earlier counts: the plan moves none that is still to come.
    """
    day: date = work["done_by"]
    record, due_on = "", work["due_on"] if work["against_due"] else None
    if due_on and due_on < ask.as_of:
        record = f", overdue since {spelled_day(due_on)}"
    elif due_on:
        day = due_on
    waits = f", waits for {work['waits_for']}" if work["waits_for"] else ""
    does = f"{inside(work['action'])} by {spelled_day(day)}"
    return f"{titled_control(work, ask)}: {does} ({with_whom(work['owner'])}{record}{waits})"


def _missing(short: pl.DataFrame) -> float:
    lacks: list[float] = short["missing_hours"].to_list()
    return round(sum(lacks), 2)


def _decision(plan: ReadinessPlan, short: pl.DataFrame) -> str:
    """A later day; or more hours, where some are missing, and whose."""
    nobodys = round(sum(one.hours for one in plan.nobodys), 2)
    if short.height or nobodys:
        total, rest = round(_missing(short) + nobodys, 2), short[MOST_NAMED:]
        parts = [f"{quarters(lack)} of {owner}" for owner, lack in short.head(MOST_NAMED).select(LACK).iter_rows()]
        others = [f"{quarters(_missing(rest))} of {all_of(rest['owner'].to_list())}"] if rest.height == 1 else []
        others += [f"{quarters(_missing(rest))} of {rest.height:,} more people"] if rest.height > 1 else []
        others += [f"{quarters(nobodys)} that nobody owns"] if nobodys else []
        lack = f"{hours(total)} {'is' if total == 1 else 'are'} missing"
        return f"a later day or more hours, as {lack}: {all_of([*parts, *others])}"
    first = plan.first_short
    if first is None:
        return "a later day"
    then = f"{first.owner} lacks {hours(first.missing_hours)} by the end of {first.week}, though not until the day"
    return f"a later day or more hours, as {then}"


def warnings_of(plan: ReadinessPlan, likely: Sequence[Likelihood], ask: Ask) -> list[str]:
    warnings = []
    short = plan.first_short
    if short and not plan.is_reached:
        lack = f"{short.owner} lacks {hours(short.missing_hours)} by the end of {short.week}"
        warnings.append(f"Short first: {lack}; what each lacks until the day is in the table of owners.")
    for owner, week, over in plan.overload[:1]:
        monday = plan.weeks.mondays[week]
        warnings.append(f"It does not hold: {owner} has {hours(round(over, 2))} too many from {monday:%G-W%V} on.")
    lost = [one for one in plan.open if one.reason]
    if lost and not plan.is_reached:
        noun = "1 control cannot" if len(lost) == 1 else f"{len(lost):,} controls cannot"
        others = len(plan.open) - len(lost)
        more = f"; {others:,} more {'stays' if others == 1 else 'stay'} open too" if others else ""
        warnings.append(f"{noun} be ready by then whatever the hours{more}: see what stays open.")
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
