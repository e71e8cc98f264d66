"""From facts to a plan: what will be, the work that it takes, and what is chosen to be done."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

import polars as pl

from engine.facts.obligations.accepted_plans import WORK_KIND
from engine.model.declarations.plan_parameters import MORE_HOURS, WITHOUT
from engine.model.vocabulary import ROLES
from engine.planning.actions import EARLY, SIGN, actions_for, wanted_count
from engine.planning.agreed import agreements, under_way, with_agreed
from engine.planning.control_work import ControlWork
from engine.planning.horizons import HorizonRows
from engine.planning.needs import WorkFinder
from engine.planning.people import Capacity, Owners, capacities
from engine.planning.plan import ReadinessPlan
from engine.planning.problem import Choice, GapGoal, PlanAction, PlanProblem, WorkPart
from engine.planning.question import ONE_MORE, Goal, PlanQuestion
from engine.planning.schedule import schedule
from engine.planning.signatures import SIGNATURE, signatures
from engine.planning.solve import solve
from engine.planning.weeks import PlanWeeks

Fact = Callable[[str], pl.DataFrame]
OTHER_WORK_HOURS = 8.0  # of a remediation that something waits for, where nobody recorded any


def make_plan(fact: Fact, question: PlanQuestion, as_of: date) -> ReadinessPlan:
    """The plan that answers a question from the facts of ``as_of``; equal facts, equal plan."""
    return PlanMaker(fact, as_of).plan(question)


class PlanMaker:
    """Answers questions from the facts of ``as_of``: what does not depend on the question is read once."""

    def __init__(self, fact: Fact, as_of: date) -> None:
        self._fact, self._as_of = fact, as_of
        self._gaps: Mapping[str, Mapping[str, Any]] = {row["gap_id"]: row for row in fact("gaps").to_dicts()}
        self._duties = signatures(fact("signature_duties"))
        self._horizons = HorizonRows(fact("control_horizons"))

    def plan(self, question: PlanQuestion) -> ReadinessPlan:
        """The plan that answers it."""
        known = self.outlook(question)
        choice = solve(known.problem)
        return replace(known, choice=choice, items=schedule(known.problem, choice))

    def outlook(self, question: PlanQuestion) -> ReadinessPlan:
        """What will be and what it takes, with nothing chosen to be done."""
        fact, as_of, horizons = self._fact, self._as_of, self._horizons
        weeks, accepted = PlanWeeks(as_of, question.by), fact("accepted_plans")
        frameworks = [goal.framework for goal in question.goals]
        own = accepted.filter(pl.col("plan_framework").is_in(frameworks))
        own_duties = {duty for duties in own["duty_ids"].to_list() for duty in duties or []}
        counted = {f"{WORK_KIND}:{id}" for id in own["id"]} | {f"{SIGNATURE}:{duty}" for duty in own_duties}
        people = capacities(fact("owner_weeks"), fact("days_away"), fact("load"), weeks, counted)
        people, helpers = _with_more_hours(people, question, fact, weeks)
        agreed = agreements(own, as_of, weeks)
        owners = Owners(horizons.frame, people, helpers)
        finder = WorkFinder(question, weeks, self._gaps, self._duties, owners, own_duties, under_way(agreed))
        concerned, work = _work(fact, question, finder, horizons)
        actions = with_agreed(actions_for(work), agreed, people)
        work = _with_agreed_hours(work, actions)
        capacity = {owner: one.free for owner, one in people.items()}
        gap_needs = {one.id: one.needs for one in work if one.is_wanted and not one.reason}
        goals = []
        for goal in question.goals:
            mine = [one for one in work if one.framework == goal.framework and one.is_wanted]
            applicable = horizons.count_applicable(goal.framework, goal.by)
            missing = wanted_count(goal.target, applicable) - (applicable - len(mine))
            goals.append(GapGoal(frozenset(one.id for one in mine if not one.reason), max(missing, 0)))
        problem = PlanProblem(capacity, tuple(actions), 0, gap_needs, tuple(goals), question.keep)
        nothing = Choice({}, 0, 0.0, 0.0)
        return ReadinessPlan(
            question, as_of, tuple(work), problem, nothing, (), weeks, concerned, people, self._duties, agreed
        )


def _work(
    fact: Fact, question: PlanQuestion, finder: WorkFinder, horizons: HorizonRows
) -> tuple[pl.DataFrame, list[ControlWork]]:
    """The work on the controls of all goals, on those of other frameworks that serve them or that they wait for."""
    control_works: dict[str, ControlWork] = {}
    frameworks = [goal.framework for goal in question.goals]
    changes = fact("state_changes") if any(goal.start for goal in question.goals) else None
    tag = pl.format("{}:{}", "framework", "control_id")
    for goal in question.goals:
        failed = _failures(changes, goal.start) if changes is not None and goal.start else frozenset[str]()
        mine = horizons.numbers(goal.framework)
        control_works |= {one.id: one for one in finder.of_goal(horizons, mine, goal, failed)}
    for goal in sorted(question.goals, key=lambda goal: (goal.by, goal.framework)):
        if goal.start is None:
            others = _supporting(horizons, finder.gaps, goal, frameworks)
            control_works = {one.id: one for one in finder.of_goal(horizons, others, goal)} | control_works
    awaited = fact("awaited_work").filter(
        pl.col("id").is_in([one.waits_for for one in control_works.values() if one.waits_for])
    )
    known = {one.remediation_id for one in control_works.values()}
    for row in awaited.sort("id").iter_rows(named=True):
        name = f"{row['framework']}:{row['control_id']}"
        waiting = next(one for one in control_works.values() if one.waits_for == row["id"])
        if row["id"] in known or row["owner"] not in finder.owners.capacity:
            continue
        if name in control_works and control_works[name].remediation_id not in (None, row["id"]):
            continue
        hours = next((float(row[key]) for key in ("left_hours", "estimate_hours") if row[key] is not None), None)
        gap = finder.gaps.get(name)
        hours = hours if hours is not None else float(gap["effort_hours"]) if gap else OTHER_WORK_HOURS
        last = finder.weeks.last_week_by(waiting.goal.by)
        control_works[name] = control_works.get(name) or replace(
            waiting,
            framework=row["framework"],
            control_id=row["control_id"],
            title=row["title"] or row["control_id"],
            kinds=(),
            opposed_by=None,
            owners=(row["owner"],),
            parts=(WorkPart(hours, 0, last),),
            early=(),
            requirements=(),
            remediation_id=row["id"],
            waits_for=row["blocked_by"],
            reason="",
            is_awaited=True,
        )
    work = [
        replace(one, reason="left out, as was asked") if _is_named(one, question.without) else one
        for one in control_works.values()
    ]
    _must_know(question.without, work)
    concerned = horizons.frame.filter(tag.is_in(sorted(control_works)) | pl.col("framework").is_in(frameworks))
    return concerned, work


def _is_named(one: ControlWork, names: frozenset[str]) -> bool:
    return bool({one.id, one.control_id, one.remediation_id} & names)


def _must_know(names: frozenset[str], work: Sequence[ControlWork]) -> None:
    unknown = sorted(name for name in names if not any(_is_named(one, frozenset({name})) for one in work))
    if unknown:
        example = f", such as {work[0].id}" if work else ""
        raise WITHOUT.refusal(unknown[0], f"a control or remediation that the plan could work on{example}")


def _with_more_hours(
    people: Mapping[str, Capacity], question: PlanQuestion, fact: Fact, weeks: PlanWeeks
) -> tuple[dict[str, Capacity], dict[str, tuple[str, ...]]]:
    """The hours with those that were asked about: a person's own, or somebody new who does the work of a role."""
    found, helpers = dict(people), dict[str, tuple[str, ...]]()
    for name, hours in question.more_hours:
        more = tuple(round(hours * _share(weeks, week), 6) for week in range(len(weeks.mondays)))
        if name in found:
            one = found[name]
            summed = tuple(a + b for a, b in zip(one.available, more, strict=True))
            found[name] = replace(one, available=summed)
            continue
        if name not in ROLES:
            raise MORE_HOURS.refusal(name, f"a role ({', '.join(ROLES)}) or a person with hours on record")
        members = fact("members").filter(pl.col("role") == name)["email"].to_list()
        new = f"{ONE_MORE}{name}"
        found[new] = Capacity(more, (0.0,) * len(more), 0.0, weeks.last_share)
        for person in members:
            helpers[person] = (*helpers.get(person, ()), new)
    return found, helpers


def _share(weeks: PlanWeeks, week: int) -> float:
    return max(5 - weeks.as_of.weekday(), 0) / 5 if week == 0 else 1.0


def _with_agreed_hours(work: Sequence[ControlWork], actions: Sequence[PlanAction]) -> list[ControlWork]:
    """The work with the hours that agreed work still takes, where that is its way."""
    agreed = {action.name: action for action in actions if action.agreed and not action.id.endswith((EARLY, SIGN))}
    return [replace(one, parts=agreed[one.id].parts) if one.id in agreed else one for one in work]


def _failures(state_changes: pl.DataFrame, start: date) -> frozenset[str]:
    """Controls that were seen in a state that is not effective on the first day of a period or since."""
    tag = pl.format("{}:{}", "framework", "control_id").alias("tag")
    seen = state_changes.sort("observed_on").with_columns(tag)
    before = seen.filter(pl.col("observed_on") <= start).group_by("tag").agg(pl.col("state").last())
    within = seen.filter(pl.col("observed_on") > start).select("tag", "state")
    good = pl.col("state").is_in(["effective", "not_applicable"])
    return frozenset(pl.concat([before, within], how="diagonal").filter(~good)["tag"])


def _supporting(
    horizons: HorizonRows, gaps: Mapping[str, Mapping[str, Any]], goal: Goal, frameworks: Collection[str]
) -> list[int]:
    """The places of controls of further frameworks whose gaps support one of the goal's."""
    prefix = f"{goal.framework}:"
    supporting = {
        (gap["framework"], gap["control_id"])
        for gap in gaps.values()
        if gap["framework"] not in frameworks and any(one.startswith(prefix) for one in gap["requirements"])
    }
    return [number for number, row in enumerate(horizons.rows) if (row["framework"], row["control_id"]) in supporting]
