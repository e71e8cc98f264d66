"""The cheapest choice of actions: as good as trying all of them, within everybody's hours, the same every time."""

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.planning.problem import Choice, PlanAction, PlanProblem, WorkPart
from engine.planning.schedule import fullest, schedule
from engine.planning.signatures import NEW_DUTY
from engine.planning.solve import solve
from tests.laws import examples

WEEKS = 4
PEOPLE = ("ana", "ben")


@st.composite
def parts(draw):
    first = draw(st.integers(0, WEEKS - 1))
    return WorkPart(draw(st.sampled_from((0.5, 1.0, 2.0, 3.5, 5.0))), first, draw(st.integers(first, WEEKS - 1)))


@st.composite
def problems(draw, most=6):
    gaps = [f"g{number}" for number in range(draw(st.integers(1, most)))]
    actions = tuple(
        PlanAction(
            f"a{number}",
            draw(st.sampled_from((("ana",), ("ben",), ("ana", "ben")))),
            tuple(draw(st.lists(parts(), min_size=1, max_size=2))),
            frozenset(draw(st.sets(st.sampled_from(gaps), min_size=1, max_size=3))),
        )
        for number in range(draw(st.integers(1, most)))
    )
    hours = st.sampled_from((0.0, 1.0, 2.0, 4.0, 8.0))
    capacity = {one: tuple(draw(hours) for _ in range(WEEKS)) for one in PEOPLE}
    return PlanProblem(capacity, actions, draw(st.integers(1, most)))


def fits(problem, done):
    return all(
        fullest(
            [part for action in problem.actions if done.get(action.id) == one for part in action.parts],
            problem.capacity[one],
        )
        <= 1 + 1e-9
        for one in problem.capacity
    )


def by_trying(problem):
    """The most gaps of those wanted, the fewest hours for them and the fewest changes, over every choice there is."""
    best = (0, 0.0, 0)
    for who in product(*((None, *action.owners) for action in problem.actions)):
        done = {action.id: one for action, one in zip(problem.actions, who, strict=True) if one}
        chosen = [action for action in problem.actions if action.id in done]
        closed = min(len(frozenset().union(*(action.closes for action in chosen))), problem.wanted)
        score = (closed, -sum(action.hours for action in chosen), -sum(done[a.id] != a.owners[0] for a in chosen))
        if score > best and fits(problem, done):
            best = score
    return best[0], -best[1], -best[2]


@pytest.mark.real
@settings(deadline=None, max_examples=examples(150))
@given(problems())
def test_it_is_as_good_as_the_best_of_all_choices(problem):
    choice = solve(problem)
    changes = sum(choice.done[a.id] != a.owners[0] for a in problem.actions if a.id in choice.done)
    assert (choice.closed, choice.hours, changes) == pytest.approx(by_trying(problem), abs=1e-5)
    assert choice.bound == pytest.approx(choice.hours, abs=1e-5)


@pytest.mark.real
@settings(deadline=None, max_examples=examples(15))
@given(problems(most=15))
def test_on_fifteen_gaps_it_is_as_good_as_well(problem):
    problem = replace(problem, actions=tuple(replace(a, owners=a.owners[:1]) for a in problem.actions))
    choice = solve(problem)
    assert (choice.closed, choice.hours) == pytest.approx(by_trying(problem)[:2], abs=1e-5)


@pytest.mark.real
@settings(deadline=None, max_examples=examples(100))
@given(problems(most=12))
def test_no_week_of_anybody_holds_more_hours_than_there_are_and_all_the_work_is_in_its_weeks(problem):
    choice = solve(problem)
    work = schedule(problem, choice)
    for one, weeks in problem.capacity.items():
        for week, there in enumerate(weeks):
            assert sum(i.hours for i in work if (i.owner, i.week) == (one, week)) <= there + 1e-6
    for action in problem.actions:
        mine = [item for item in work if item.action == action.id]
        assert sum(item.hours for item in mine) == pytest.approx(action.hours if action.id in choice.done else 0)
        assert all(min(p.first for p in action.parts) <= i.week <= max(p.last for p in action.parts) for i in mine)


@pytest.mark.real
@settings(deadline=None, max_examples=examples(60))
@given(problems(), st.sampled_from(PEOPLE), st.integers(0, WEEKS - 1))
def test_more_hours_an_earlier_start_or_a_lower_target_never_cost_more(problem, one, week):
    def cost(changed):
        choice = solve(changed)
        return problem.wanted - choice.closed, choice.hours

    def worse(a, b):
        return a[0] > b[0] or (a[0] == b[0] and a[1] > b[1] + 1e-5)

    before = cost(problem)
    more = tuple(hours + 2 * (number == week) for number, hours in enumerate(problem.capacity[one]))
    assert not worse(cost(replace(problem, capacity={**problem.capacity, one: more})), before)
    earlier = tuple(
        replace(a, parts=tuple(replace(p, first=max(p.first - 1, 0)) for p in a.parts)) for a in problem.actions
    )
    assert not worse(cost(replace(problem, actions=earlier)), before)
    lower = solve(replace(problem, wanted=problem.wanted - 1))
    if lower.closed == problem.wanted - 1:
        assert lower.hours <= before[1] + 1e-5 or before[0] > 0


@settings(deadline=None, max_examples=examples(25))
@given(problems(most=12))
def test_the_same_question_has_the_same_answer(problem):
    assert solve(problem) == solve(problem)
    assert schedule(problem, solve(problem)) == schedule(problem, solve(problem))


def test_nothing_to_do_costs_nothing():
    assert solve(PlanProblem({"ana": (8.0,)}, (), 3)) == Choice({}, 0, 0.0, 0.0)
    assert solve(PlanProblem({}, (PlanAction("a", ("ana",), (WorkPart(1.0, 0, 0),), frozenset({"g"})),), 1)) == Choice(
        {}, 0, 0, 0
    )


def test_what_waits_for_another_action_comes_after_it():
    first = PlanAction("first", ("ana",), (WorkPart(2.0, 0, 3),), frozenset({"g"}))
    second = PlanAction("second", ("ben",), (WorkPart(2.0, 0, 3),), frozenset({"h"}), after=("first",))
    problem = PlanProblem({"ana": (1.0,) * 4, "ben": (1.0,) * 4}, (second, first), 2)
    assert solve(problem).done == {"first": "ana", "second": "ben"}
    weeks = {
        name: [i.week for i in schedule(problem, solve(problem)) if i.action == name] for name in ("first", "second")
    }
    assert max(weeks["first"]) <= min(weeks["second"])
    alone = solve(replace(problem, capacity={"ana": (0.0,) * 4, "ben": (1.0,) * 4}))
    assert alone.done == {}, "what waits is not done alone"


def test_work_is_spread_evenly():
    action = PlanAction("a", ("ana",), (WorkPart(4.0, 0, 3),), frozenset({"g"}))
    problem = PlanProblem({"ana": (8.0,) * 4}, (action,), 1)
    assert [item.hours for item in schedule(problem, solve(problem))] == [1.0, 1.0, 1.0, 1.0]


def test_hours_beside_a_signature_are_kept_free_in_its_week():
    signature = WorkPart(0.5, 0, 2, ("attestation",), 0, NEW_DUTY)
    asides = (("ben", replace(signature, hours=0.125)),)
    actions = (
        PlanAction("signs", ("ana",), (signature,), frozenset({"g0"}), asides=asides),
        PlanAction("works", ("ben",), (WorkPart(7.8, 1, 2),), frozenset({"g1"})),
    )
    problem = PlanProblem({"ana": (0.0, 0.0, 4.0), "ben": (4.0, 4.0, 4.0)}, actions, 2)
    items = schedule(problem, Choice({"signs": "ana", "works": "ben"}, 2, 8.3, 8.3))
    assert [(item.owner, item.week) for item in items if item.action == "signs"] == [("ana", 2), ("ben", 2)]
    hours = {item.week: item.hours for item in items if item.action == "works"}
    assert sum(hours.values()) == pytest.approx(7.8)
    assert hours[2] <= 4.0 - 0.125
