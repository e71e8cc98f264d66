"""The budget of a run counts what it and its children took, and says it beside what is allowed."""

import pytest

from tests import budget


def test_what_is_spent_grows_with_work_and_not_with_waiting():
    before = budget.spent()
    sum(range(2_000_000))
    assert budget.spent() > before > 0


@pytest.mark.parametrize("name", budget.ALLOWED)
def test_exactly_what_is_allowed_is_within_the_budget(name):
    allowed = budget.ALLOWED[name]
    assert (budget.is_beyond(name, allowed), budget.is_beyond(name, allowed + 0.1)) == (False, True)
    assert budget.line(name, allowed / 2) == (
        f"{allowed / 2:.0f} of {allowed} processor seconds, the budget {name!r} of tests/budget.toml"
    )


def test_a_slower_machine_is_allowed_as_much_work_and_no_more():
    allowed = budget.ALLOWED["test"]
    assert (budget.is_beyond("test", 2 * allowed, 2.0), budget.is_beyond("test", 2 * allowed + 0.1, 2.0)) == (
        False,
        True,
    )
    assert budget.line("test", allowed, 2.0) == (
        f"{allowed / 2:.0f} of {allowed} processor seconds, the budget 'test' of tests/budget.toml "
        f"({allowed} here, where work takes 2.00 times as long)"
    )


def test_the_yardstick_is_the_mean_of_what_was_drawn_and_never_below_one():
    yardstick = budget.Yardstick()
    yardstick.pieces = [budget.PIECE_SECONDS, 3 * budget.PIECE_SECONDS]
    assert yardstick.slowness() == pytest.approx(2)
    yardstick.pieces = [budget.PIECE_SECONDS / 2]
    assert yardstick.slowness() == 1


def test_the_yardstick_is_drawn_until_it_is_stopped():
    yardstick = budget.Yardstick(pause=0.0)
    yardstick.start()
    while len(yardstick.pieces) < 3:
        pass
    yardstick.stop()
    drawn = len(yardstick.pieces)
    yardstick.stop()
    assert len(yardstick.pieces) == drawn >= 3
    assert all(piece > 0 for piece in yardstick.pieces)


def test_the_parts_of_the_suite_have_a_budget_each():
    assert list(budget.ALLOWED) == ["fast", "test", "coverage", "real"]
    assert budget.ALLOWED["fast"] < budget.ALLOWED["test"] < budget.ALLOWED["coverage"]


def test_the_dearest_tests_come_first_and_equal_ones_by_name():
    assert budget.dearest({"b": 1.0, "c": 12.34, "a": 1.0, "d": 0.1}, most=3) == [
        "    12.3  c",
        "     1.0  a",
        "     1.0  b",
    ]
    assert budget.dearest({}) == []
