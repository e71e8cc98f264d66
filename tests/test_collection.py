"""Every worker loads every module, each from a place of its own on."""

import pytest

from tests.collection import from_own_place, module_names, spared_cases, spared_twins


@pytest.mark.parametrize(
    ("worker", "workers", "order"),
    [(0, 1, "abcde"), (0, 2, "abcde"), (1, 2, "cdeab"), (1, 3, "bcdea"), (2, 3, "deabc")],
)
def test_workers_begin_at_their_own_share_and_go_round(worker, workers, order):
    assert from_own_place(list("abcde"), worker, workers) == list(order)


def test_nothing_to_load_is_nothing():
    assert from_own_place([], 1, 2) == []


def test_modules_are_named_as_they_are_imported():
    assert {__name__, "tests.reports.test_columns"} <= set(module_names())


def test_of_the_twins_of_a_module_each_third_is_tried_and_of_what_has_no_twin_all():
    twins = [f"tests/test_a.py::test_{number}[postgresql]" for number in range(4)]
    alone = ["tests/test_a.py::test_backup[postgresql]", "tests/test_b.py::test_cluster"]
    every = {*alone, *twins, *(name.replace("postgresql", "sqlite") for name in twins)}
    spared = spared_twins([*alone, *twins, "tests/test_c.py::test_0[postgresql]"], every, 3)
    assert spared == {twins[1], twins[2]}
    assert spared_twins([], every, 3) == set()


def test_of_the_cases_of_a_test_each_third_is_tried_and_a_test_without_cases_is():
    cases = [f"tests/test_a.py::test_damage[{what}]" for what in "abcd"]
    others = ["tests/test_a.py::test_whole", "tests/test_b.py::test_damage[a]"]
    assert spared_cases([*cases, *others], 3) == {cases[1], cases[2]}
    assert spared_cases([], 3) == set()
