"""What holds for the error budgets of all buckets."""

import math
from dataclasses import fields, is_dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.incidents.slo.slo import budget, service_budget
from engine.incidents.slo.slo_rules import Objective
from engine.incidents.slo.slo_sums import EventCount, service_sums
from tests.incidents.slo.test_slo import NOW, both, frame


def numbers(value):
    """Every number in a dataclass, however deep."""
    if is_dataclass(value):
        return [n for field in fields(value) for n in numbers(getattr(value, field.name))]
    if isinstance(value, tuple):
        return [n for item in value for n in numbers(item)]
    return [value] if isinstance(value, int | float) else []


BUCKETS = st.lists(
    st.tuples(st.integers(0, 9000), st.integers(0, 10**6), st.integers(0, 10**6)), max_size=40, unique_by=lambda b: b[0]
).map(lambda rows: [(5 * ago, total, min(bad, total)) for ago, total, bad in rows])


@given(BUCKETS, st.floats(0, 100), st.sampled_from(["rolling", "calendar"]), st.randoms(use_true_random=False))
@settings(deadline=None)
def test_no_number_is_ever_nan_and_order_does_not_matter(buckets, objective_pct, kind, random):
    objective = Objective("s", objective_pct, kind)
    result = service_budget(objective, frame(*buckets), NOW)
    assert all(math.isfinite(number) for number in numbers(result))
    shuffled = random.sample(buckets, len(buckets))
    assert service_budget(objective, frame(*shuffled), NOW) == result


@given(st.integers(0, 10**9), st.integers(0, 10**9), st.floats(0, 100))
def test_used_and_remaining_are_100_together(total, bad, objective_pct):
    for window in budget(
        Objective("s", objective_pct), both((total, min(bad, total)), (total, min(bad, total)))
    ).windows:
        if window.used_pct is not None:
            assert window.used_pct + window.remaining_pct == pytest.approx(100)


@given(BUCKETS, st.integers(0, 40))
@settings(deadline=None)
def test_sums_of_parts_are_the_sums_of_the_whole(buckets, cut):
    parts = [service_sums(frame(*part), NOW).spans for part in (buckets[:cut], buckets[cut:])]
    for span, whole in service_sums(frame(*buckets), NOW).spans.items():
        left, right = parts[0][span], parts[1][span]
        assert whole == EventCount(left.total + right.total, left.bad + right.bad, left.buckets + right.buckets)
