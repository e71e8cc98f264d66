"""Promises of plans against drawn histories: few of them here, as many as one likes by tests.planning.calibration."""

import pytest

from tests.planning.calibration import NEAR, brier, run, table
from tests.planning.histories import history, last_week


@pytest.mark.real
def test_what_is_called_likely_comes_true_about_as_often():
    promises = run(40)
    close = [came for _, said, came in promises if NEAR[0] <= said <= NEAR[1]]
    assert len(promises) > 80
    assert brier(promises) < 0.25, "better than to say one half of everything"
    assert 0.6 <= sum(close) / len(close) <= 0.95


def test_a_table_of_promises_says_what_was_said_and_what_came():
    promises = [("history", 0.82, True), ("history", 0.88, False), ("nothing", 1.0, True)]
    assert table(promises).splitlines()[2:] == [
        "| 80 to 90 % | 2 | 85 % | 50 % |",
        "| 90 to 100 % | 1 | 100 % | 100 % |",
    ]
    assert brier(promises) == pytest.approx((0.18**2 + 0.88**2) / 3)


def test_work_is_done_in_the_hours_that_there_are():
    took, weeks = {"a": 5.0, "b": 6.0}, {"ann": (4.0, 4.0, 4.0), "ben": (2.0, 2.0, 0.0)}
    assert last_week([("a", "ann"), ("b", "ann")], took, weeks) == 2
    assert last_week([("a", "ben")], took, weeks) is None
    assert last_week([], took, weeks) == 0
    assert history(7) == history(7)
