"""A few drawn organizations through import and HTTP; as many as one likes by `python -m tests.planning.soak --through sqlite`."""

import shutil

import pytest
from hypothesis import HealthCheck, given, settings

from tests.laws import examples
from tests.planning.doors import check
from tests.planning.drawn import organizations

SLOW = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]


@pytest.mark.real
@settings(deadline=None, max_examples=examples(6, share=2), derandomize=True, database=None, suppress_health_check=SLOW)
@given(drawn=organizations(most=6))
def test_a_plan_comes_true_through_the_doors(sqlite_template, tmp_path_factory, drawn):
    folder = tmp_path_factory.mktemp("doors")
    shutil.copy(sqlite_template, folder / "hq.db")
    tried = check(folder, f"sqlite:///{folder / 'hq.db'}", drawn, every_week=False)
    assert tried["weeks"] >= 1
