"""Figures recomputed by SQL from their definitions agree: over the fixed corpus, a demo organization, and at the edges."""

import json
from datetime import date

import pytest

from engine.render.plain_values import plain_value
from reports.figures import FIGURES
from tests.claims.organizations import edge, small
from tests.claims.recomputation import different_values, figures_by_sql, queries
from tests.claims.values import worlds
from tests.factories import DAY
from tests.facts.conftest import facts_over
from tests.reports.figure_values import accepted_values, corpus

ORGANIZATIONS = {
    "cobalt": lambda: small("cobalt", date(2026, 11, 20), seed=1),
    "edge": lambda: edge(date(2028, 2, 29), 1),
}


@pytest.mark.real
def test_every_figure_that_is_recomputed_has_the_accepted_value_over_the_corpus(replica):
    records, accepted = corpus(), accepted_values()
    with replica.view() as view:
        facts_over(view, records)
        values = figures_by_sql(view._cursor, DAY, records["organizations"][0]["time_zone"])
    plain = {name: json.loads(json.dumps(plain_value(value, name))) for name, value in values.items()}
    assert {name: value for name, value in plain.items() if value != accepted[name]["value"]} == {}
    assert sum(value not in (0, None) for value in plain.values()) > len(plain) / 2, "most are figures of something"


@pytest.mark.real
@pytest.mark.parametrize("name", ORGANIZATIONS)
def test_every_figure_that_is_recomputed_agrees(name):
    org = ORGANIZATIONS[name]()
    (world,) = worlds([org.tables], org.day, org.zone)
    assert different_values(org, world) == {}


def test_statements_are_written_for_figures_that_there_are():
    assert queries().keys() - FIGURES.keys() == set()
    assert len(queries()) >= 300
