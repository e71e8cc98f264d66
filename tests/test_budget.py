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


def test_the_parts_of_the_suite_have_a_budget_each():
    assert list(budget.ALLOWED) == ["fast", "test", "coverage", "real"]
    assert budget.ALLOWED["fast"] < budget.ALLOWED["test"] < budget.ALLOWED["coverage"]
