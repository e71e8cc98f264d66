"""How likely a plan comes true: its work is drawn with uncertain hours many times over, and done in its order.

The hours of a piece of work are those that are planned times a factor. Its spread is what was recorded as least and
most hours, else that of accepted work whose hours were recorded when it was done, else a declared one. Half of the
spread is shared by all work of one person: who is late once is late again. The same plan draws the same numbers.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from hashlib import sha256
from math import ceil, log, sqrt

import numpy as np
import numpy.typing as npt
import polars as pl

from engine.model.figures.formulas import odds
from engine.planning.plan import GoalPlan, ReadinessPlan, WorkStep

DRAWS = 2_000
DECLARED_USUAL, DECLARED_HIGH = 1.1, 2.0  # times the planned hours: half of all work, and one piece in ten, take more
LEAST_HISTORY = 8  # pieces of work whose hours were recorded, from which their spread is taken
SHARED = 0.5  # of the variance, by all work of one person
LIKELY = 0.9
EVEN = 0.5  # below it a plan that adds up is no promise
_Q90, _Q85 = 1.2816, 1.0364  # of the normal distribution; what people call least and most holds seven times of ten
_FAR = 520  # weeks: what is not done by then is not done

Draws = npt.NDArray[np.float64]
ReadyDays = Mapping[tuple[str, int], Draws]  # of each step, by action and part


@dataclass(frozen=True)
class Likelihood:
    """How likely a goal is reached on its day, with the standard error of the draws; the day by which it is reached in
    nine of ten, where there is one."""

    framework: str
    probability: float
    error: float
    likely_on: date | None
    draws: int = DRAWS


@dataclass(frozen=True)
class HoursSpread:
    """Logarithms of the factor on hours: mean and standard deviation. ``pieces`` of finished work say so."""

    mean: float
    deviation: float
    pieces: int = 0


def spread_of(accepted: pl.DataFrame) -> HoursSpread:
    """The spread of accepted work that is done; the declared one where too little of it has hours on record."""
    done = accepted.filter(pl.col("standing") == "done", pl.col("done_hours") > 0, pl.col("work_hours") > 0)
    logs = [log(spent / planned) for spent, planned in done.select("done_hours", "work_hours").iter_rows()]
    if len(logs) < LEAST_HISTORY:
        return HoursSpread(log(DECLARED_USUAL), log(DECLARED_HIGH / DECLARED_USUAL) / _Q90)
    mean = sum(logs) / len(logs)
    return HoursSpread(mean, sqrt(sum((one - mean) ** 2 for one in logs) / (len(logs) - 1)), len(logs))


def promise_of(probability: float) -> str:
    """What a plan that adds up may be called, given how likely all of its work is done in time."""
    controls = "all controls effective with the plan"
    return controls if probability >= EVEN else f"hardly {controls}"


def verdict_of(is_reached: bool, probability: float) -> str:
    """``no`` where hours do not reach; ``hardly`` where they do and it is less than even that they suffice; ``yes``."""
    return "no" if not is_reached else "yes" if probability >= EVEN else "hardly"


def odds_of(probability: float) -> str:
    """``62 % likely``, as figures and cells have it."""
    return f"{odds(round(100 * probability, 1))} % likely"


def likelihoods(plan: ReadinessPlan, ready: ReadyDays) -> list[Likelihood]:
    """How likely each goal of a plan is reached on its day."""
    return [_of_goal(plan, goal, ready) for goal in plan.goals]


def steps_by_control(plan: ReadinessPlan, goal: GoalPlan) -> dict[str, list[WorkStep]]:
    """The steps that the controls of a goal need which are effective on its day, by ``framework:control``."""
    good = set(goal.with_plan.on(goal.goal.by).filter(pl.col("state") == "effective")["control_id"])
    work_steps: dict[str, list[WorkStep]] = {}
    for step in plan.steps:
        for need in step.action.closes:
            control, _, kind = need.rpartition("/")
            framework, _, name = control.partition(":")
            if framework == goal.goal.framework and name in good and (kind in step.kinds or control == step.work.id):
                work_steps.setdefault(control, []).append(step)
    return work_steps


def _of_goal(plan: ReadinessPlan, goal: GoalPlan, ready: ReadyDays) -> Likelihood:
    missing = goal.target_count - goal.effective
    by = float(goal.goal.by.toordinal())
    if goal.effective_with < goal.target_count:
        return Likelihood(goal.goal.framework, 0.0, 0.0, None)
    if missing <= 0:
        return Likelihood(goal.goal.framework, 1.0, 0.0, plan.as_of)
    days = [
        np.max(np.stack([ready[step.action.id, step.part] for step in mine]), axis=0)
        for _, mine in sorted(steps_by_control(plan, goal).items())
    ]
    if len(days) < missing:
        return Likelihood(goal.goal.framework, 0.0, 0.0, None)
    reached = np.sort(np.stack(days), axis=0)[missing - 1]
    share = float(np.mean(reached <= by))
    likely = float(np.sort(reached)[ceil(LIKELY * DRAWS) - 1])
    likely_on = date.fromordinal(int(likely)) if likely < date.max.toordinal() else None
    error = max(sqrt(share * (1 - share) / DRAWS), 1 / DRAWS)  # draws that all agree tell no less than one of them
    return Likelihood(goal.goal.framework, share, round(error, 4), likely_on)


def ready_days(plan: ReadinessPlan, spread: HoursSpread) -> ReadyDays:
    """For each step the day from which there is evidence of it, by draw, as ordinals."""
    days_by_part: dict[tuple[str, int], Draws] = {}
    names = "\n".join([plan.as_of.isoformat(), *(goal.goal.id for goal in plan.goals)])
    by_owner: dict[str, list[WorkStep]] = {}
    for step in plan.steps:
        by_owner.setdefault(step.owner, []).append(step)
    for owner, steps in sorted(by_owner.items()):
        seed = int.from_bytes(sha256(f"{names}\n{owner}".encode()).digest()[:8], "big")
        draw = np.random.Generator(np.random.PCG64(seed))
        common = draw.standard_normal(DRAWS)
        free = plan.problem.capacity[owner]
        total = np.concatenate([[0.0], np.cumsum(np.asarray(free))])
        usual = float(np.mean(free[-8:])) if free else 0.0
        finish = np.zeros(DRAWS)
        for step in steps:
            own = draw.standard_normal(DRAWS)
            factor = _factors(step, spread, common, own)
            part = step.action.parts[step.part]
            release = total[min(part.first, len(free))]
            begun = np.maximum(finish, release)
            finish = begun + step.hours * factor if step.hours else finish
            here = (
                finish
                if step.hours
                else np.full(DRAWS, total[min(plan.last_week[step.action.id, step.part], len(free))])
            )
            days_by_part[step.action.id, step.part] = _days(here, total, usual, plan, step)
    return days_by_part


def _factors(step: WorkStep, spread: HoursSpread, common: Draws, own: Draws) -> Draws:
    mean, deviation = spread.mean, spread.deviation
    if step.work.high > 1.0 or step.work.low < 1.0:
        mean, deviation = 0.0, max(log(step.work.high), -log(max(step.work.low, 0.01))) / _Q85
    return np.exp(mean + deviation * (sqrt(SHARED) * common + sqrt(1 - SHARED) * own))


def _days(finish: Draws, total: Draws, usual: float, plan: ReadinessPlan, step: WorkStep) -> Draws:
    """The days on which so many hours of somebody are over; beyond the plan at the pace of its last weeks."""
    weeks = np.searchsorted(total[1:], finish - 1e-9).astype(np.float64)
    last = len(total) - 1
    beyond = finish > total[-1] + 1e-9
    if usual > 0:
        weeks[beyond] = last + np.ceil((finish[beyond] - total[-1]) / usual) - 1
    else:
        weeks[beyond] = _FAR
    weeks = np.minimum(weeks, _FAR)
    ends = np.array([plan.weeks.end(number).toordinal() for number in range(last)], dtype=np.float64)
    friday = plan.weeks.mondays[0] + timedelta(days=4)
    far = friday.toordinal() + 7 * weeks
    inside = weeks < last
    days = far.copy()
    days[inside] = ends[weeks[inside].astype(np.int64)]
    lead = step.action.parts[step.part].lead_days
    return np.where(weeks >= _FAR, float(date.max.toordinal()), days + lead)
