"""The chance of a union of paths: against all subsets of what they need, and estimates against exact values."""

from itertools import product
from math import prod
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.exposure.attack_union import SAMPLES, UnionChance, union_chances
from tests.laws import examples

NEEDS = "abcdefgh"
PATHS = st.lists(st.lists(st.sampled_from(NEEDS), min_size=1, max_size=5, unique=True), min_size=1, max_size=8)
CHANCES = st.fixed_dictionaries({need: st.sampled_from([0.0, 0.2, 0.3, 0.7, 0.95, 1.0]) for need in NEEDS})


def by_subsets(paths, chances):
    """The slow way: every subset of needs that may hold."""
    total = 0.0
    for holds in product((True, False), repeat=len(NEEDS)):
        state = dict(zip(NEEDS, holds, strict=True))
        if any(all(state[need] for need in path) for path in paths):
            total += prod(chances[need] if state[need] else 1 - chances[need] for need in NEEDS)
    return total


def one(paths, chances, **given):
    return union_chances({0: paths}, chances, **given)[0]


def ladder(rungs):
    """The needs of all ways along a ladder: two rails with a dependency across at every rung."""
    ways = [[]]
    for rung in range(rungs):
        ways = [
            [*way, f"{rung}{start}{end}"]
            for way in ways
            for start in "lr"
            for end in "lr"
            if not way or way[-1][-1] == start
        ]
    return ways


@given(PATHS, CHANCES)
@settings(deadline=None, max_examples=examples(60))
def test_exact_is_the_sum_over_all_subsets(paths, chances):
    row = one(paths, chances)
    assert (row.method, row.standard_error) == ("exact", 0.0)
    assert row.value == pytest.approx(by_subsets(paths, chances), abs=1e-12)


@given(PATHS, CHANCES)
@settings(deadline=None, max_examples=examples(30))
def test_an_estimate_is_exact_within_five_of_its_errors(paths, chances):
    estimate = one(paths, chances, steps_of_one=-1)
    if estimate.method == "monte_carlo":
        assert abs(estimate.value - by_subsets(paths, chances)) <= 5 * estimate.standard_error


@pytest.mark.parametrize("rungs", [3, 4, 5])
def test_a_middling_estimate_is_exact_within_three_of_its_errors(rungs):
    ways = ladder(rungs)
    draw = Random(rungs)
    chances = {need: draw.choice((0.3, 0.7, 0.9)) for need in sorted({need for way in ways for need in way})}
    exact = one(ways, chances)
    estimate = one(ways, chances, steps_of_one=0)
    assert (exact.method, estimate.method) == ("exact", "monte_carlo")
    assert abs(exact.value - estimate.value) <= 3 * estimate.standard_error
    assert estimate.standard_error < 0.004


def test_an_estimate_is_the_same_every_time_and_one_more_path_never_lowers_it():
    ways, fewer = ladder(4), ladder(4)[:-5]
    chances = dict.fromkeys({need for way in ways for need in way}, 0.7)
    first, again, part = (one(paths, chances, steps_of_one=0) for paths in (ways, ways, fewer))
    assert first == again
    assert part.value <= first.value


def test_what_never_or_always_holds_in_the_sample_has_an_error_all_the_same():
    square = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")]
    error = (1 / (SAMPLES + 2) * (1 - 1 / (SAMPLES + 2)) / SAMPLES) ** 0.5
    for chance in (0.0, 1.0):
        row = one(square, dict.fromkeys("abcd", chance), steps_of_one=0)
        assert row == UnionChance(chance, "monte_carlo", pytest.approx(error))


def test_the_steps_of_all_go_to_those_with_few_paths():
    unions = {1: ladder(4), 2: ladder(3)}
    chances = dict.fromkeys(
        {need for way in unions[1] for need in way} | {need for way in unions[2] for need in way}, 0.7
    )
    found = union_chances(unions, chances, steps_of_all=20)
    assert {key: chance.method for key, chance in found.items()} == {1: "monte_carlo", 2: "exact"}


def test_nothing_is_the_union_of_nothing():
    assert union_chances({}, {}) == {}
