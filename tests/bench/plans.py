"""A plan over many gaps: processor time of the integer programme, and how far from the best it may be."""

import random
import time
from collections.abc import Iterator
from dataclasses import replace

from engine.planning.problem import GapGoal, PlanAction, PlanProblem, WorkPart
from engine.planning.schedule import schedule
from engine.planning.solve import solve
from tests.bench.table import Figure

GAPS, OWNERS, WEEKS = 1_000, 60, 52
TARGET = 0.85
LIMIT_SECONDS = 20
LENGTHS = (1, 2, 4, 13, 52)  # weeks that work may lie in
FRAMEWORKS = {"soc2": (0.75, 25), "iso27001": (0.6, 38), "pci-dss": (0.7, 51)}  # wanted share, and last week of each
CHAINED = 0.03  # of the gaps wait for another


def large_problem(seed: int = 1) -> PlanProblem:
    """Gaps of a thousand controls: one in five is served by another's work, one in four could be somebody else's."""
    draw = random.Random(seed)
    people = [f"p{number:02d}" for number in range(OWNERS)]
    actions = []
    for number in range(GAPS):
        length = draw.choice(LENGTHS)
        last = draw.randint(length - 1, WEEKS - 1)
        others = {f"g{draw.randrange(GAPS)}" for _ in range(draw.randint(1, 3))} if draw.random() < 0.2 else set()
        owner = draw.choice(people)
        own = (owner,) if draw.random() < 0.75 else (owner, draw.choice([one for one in people if one != owner]))
        part = WorkPart(draw.choice((0.5, 2.0, 3.0, 4.0, 8.0, 12.0, 20.0)), last - length + 1, last)
        actions.append(PlanAction(f"a{number}", own, (part,), frozenset({f"g{number}", *others})))
    capacity = {one: tuple(draw.choice((0.0, 2.0, 4.0, 6.0)) for _ in range(WEEKS)) for one in people}
    return PlanProblem(capacity, tuple(actions), round(TARGET * GAPS))


def three_frameworks(seed: int = 1) -> PlanProblem:
    """The same gaps as those of three frameworks with a day and a target each: work and a signature for a gap, a third
    of them renewals that could come before anything lapses, some that wait for another, and people who do it all."""
    known = large_problem(seed)
    draw = random.Random(f"three {seed}")
    names = list(FRAMEWORKS)
    of = {f"g{number}": draw.choice(names) for number in range(GAPS)}
    actions: list[PlanAction] = []
    needs: dict[str, frozenset[str]] = {}
    for number, action in enumerate(known.actions):
        gap, (work,) = f"g{number}", action.parts
        end = FRAMEWORKS[of[gap]][1]
        last = min(work.last, end)
        work = replace(work, first=min(work.first, last), last=last)
        sign = WorkPart(0.5, max(last - 8, 0), end, ("attestation",), 0, "")
        needs[gap] = frozenset({f"{gap}/operation", f"{gap}/attestation"})
        others = frozenset(f"{one}/operation" for one in action.closes if one != gap)
        after = (f"a{draw.randrange(number)}",) if number and draw.random() < CHAINED else ()
        whole = needs[gap] | others
        is_renewal = draw.random() < 1 / 3
        late = replace(action, parts=(work, sign), closes=whole, after=after, group=action.id, holes=int(is_renewal))
        actions.append(replace(late, least_hours=late.hours))
        if is_renewal:
            early = replace(work, hours=work.hours + 2.0, last=max(work.first, last - 6))
            actions.append(replace(actions[-1], id=f"{action.id}#early", parts=(early, sign), holes=0))
    goals = tuple(
        GapGoal(frozenset(mine), round(FRAMEWORKS[name][0] * len(mine)))
        for name in names
        if (mine := [gap for gap, its in of.items() if its == name])
    )
    return PlanProblem(known.capacity, tuple(actions), 0, needs, goals)


def figures() -> Iterator[Figure]:
    """Processor time of plans over ``large_problem``, their weeks included, beside the time that one may take."""
    known = large_problem()
    for wanted in (0.6, 0.75, TARGET):
        yield _figure(replace(known, wanted=round(wanted * GAPS)), "")
    yield _figure(three_frameworks(), f", {len(FRAMEWORKS)} frameworks with days of their own")


def _figure(problem: PlanProblem, more: str) -> Figure:
    began = time.process_time()
    choice = solve(problem)
    schedule(problem, choice)
    spent = time.process_time() - began
    wanted = sum(goal.wanted for goal in problem.gap_goals)
    chosen = [action for action in problem.actions if action.id in choice.done]
    core = sum(action.core_hours for action in chosen)  # without what renewing before a lapse takes besides
    gap = 100 * (core - choice.bound) / core if core else 0.0
    reached = "" if choice.closed == wanted else f", of which {choice.closed} can be closed"
    early = sum(action.hours for action in chosen) - core
    size = f"{wanted} of {GAPS:,} gaps{reached}, {OWNERS} owners, {WEEKS} weeks{more}"
    return Figure(
        f"plan: {size}, within {gap:.1f} % of the best, {early:,.0f} h to renew before a lapse",
        f"{spent:.2f} s of processor time",
        "the time that it may take",
        f"{LIMIT_SECONDS} s",
        LIMIT_SECONDS / spent,
    )
