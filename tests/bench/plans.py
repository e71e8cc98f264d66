"""A plan over many gaps: processor time of the integer programme, and how far from the best it may be."""

import random
import time
from collections.abc import Iterator
from dataclasses import replace

from engine.planning.problem import PlanAction, PlanProblem, WorkPart
from engine.planning.schedule import schedule
from engine.planning.solve import solve
from tests.bench.table import Figure

GAPS, OWNERS, WEEKS = 1_000, 60, 52
TARGET = 0.85
LIMIT_SECONDS = 10
LENGTHS = (1, 2, 4, 13, 52)  # weeks that work may lie in


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


def figures() -> Iterator[Figure]:
    """Processor time of plans over ``large_problem``, their weeks included, beside the time that one may take."""
    known = large_problem()
    for wanted in (0.6, 0.75, TARGET):
        problem = replace(known, wanted=round(wanted * GAPS))
        began = time.process_time()
        choice = solve(problem)
        schedule(problem, choice)
        spent = time.process_time() - began
        gap = 100 * (choice.hours - choice.bound) / choice.hours if choice.hours else 0.0
        reached = "" if choice.closed == problem.wanted else f", of which {choice.closed} can be closed"
        yield Figure(
            f"plan: {problem.wanted} of {GAPS:,} gaps{reached}, {OWNERS} owners, {WEEKS} weeks, within {gap:.1f} % of the best",
            f"{spent:.2f} s of processor time",
            "the time that it may take",
            f"{LIMIT_SECONDS} s",
            LIMIT_SECONDS / spent,
        )
