"""A framework that goes out and comes in under another name counts as it did. ``python -m tests.soak figures`` has all."""

from itertools import repeat

import pytest

from tests.claims.twins import BY_NAME, crosswalk_values, generic, twin, twin_name, unequal
from tests.claims.values import REPORTS_OF_FIGURES, worlds
from tests.demo import DAY, demo
from tests.laws import share_of

FRAMEWORKS = share_of(("soc2", "pci-dss"), 2)


def test_few_figures_are_left_out_and_each_for_what_it_is_about():
    every = {figure.id for report in REPORTS_OF_FIGURES for figure in report.figures}
    assert len(every - generic()) <= 124
    unused = [name for name in BY_NAME if name not in every and not any(map(str.startswith, every, repeat(name)))]
    assert unused == []


@pytest.mark.real
def test_every_generic_figure_of_a_twin_is_equal():
    tables = demo("aurora")
    zone = tables["organizations"]["time_zone"][0]
    (base,) = worlds([tables], DAY, zone)
    for framework in FRAMEWORKS:
        (other,) = worlds([twin(tables, framework)], DAY, zone)
        assert unequal(base.values, other.values, framework) == {}


@pytest.mark.real
@pytest.mark.weekly
def test_the_crosswalk_of_a_twin_is_that_of_its_framework():
    tables = demo("aurora")
    ours = crosswalk_values(tables, DAY, "soc2", "iso27001")
    assert ours["crosswalk_conflicts"] > 0
    assert crosswalk_values(twin(tables, "soc2"), DAY, twin_name("soc2"), "iso27001") == ours
    assert crosswalk_values(twin(tables, "iso27001"), DAY, "soc2", twin_name("iso27001")) == ours
