"""Figures recomputed by SQL from their definitions agree, on a demo organization and on the edge of the calendar."""

from datetime import date

import pytest

from reports.figures import FIGURES
from tests.claims.organizations import edge, small
from tests.claims.recomputation import queries, sql_values
from tests.claims.values import worlds

ORGANIZATIONS = {
    "cobalt": lambda: small("cobalt", date(2026, 11, 20), seed=1),
    "edge": lambda: edge(date(2028, 2, 29), 1),
}


@pytest.mark.real
@pytest.mark.parametrize("name", ORGANIZATIONS)
def test_every_figure_that_is_recomputed_agrees(name):
    org = ORGANIZATIONS[name]()
    (world,) = worlds([org.tables], org.day, org.zone)
    values = sql_values(org)
    assert {figure: value for figure, value in values.items() if value != world.values[figure]} == {}


def test_statements_are_written_for_figures_that_there_are():
    assert queries().keys() - FIGURES.keys() == set()
    assert len(queries()) >= 80
