"""The harness finds what it is for: with a rule of the product taken out, claims that are less improve figures."""

import inspect
from datetime import date, timedelta

import polars as pl
import pytest

from engine.facts.assurance import vendors
from engine.facts.obligations import duties
from tests.claims.harness import look
from tests.claims.organizations import Organization, small

DAY = date(2026, 11, 20)


@pytest.fixture(scope="module")
def cobalt():
    return small("cobalt", DAY, seed=1)


@pytest.fixture
def without(monkeypatch):
    """Takes a rule out of a function: its text stands there once, and another one in its place."""

    def take_out(function, rule, instead):
        source = inspect.getsource(function)
        assert source.count(rule) == 1, f"{rule!r} must stand once in {function.__name__}"
        made = {}
        exec(source.replace(rule, instead), function.__globals__, made)
        monkeypatch.setattr(function, "__code__", made[function.__name__].__code__)

    return take_out


def with_columns(org, table, *columns):
    tables = {**org.tables, table: org.tables[table].with_columns(*columns)}
    return Organization(org.name, org.day, org.zone, tables)


@pytest.mark.real
@pytest.mark.weekly
def test_without_the_rule_on_requests_of_no_recorded_day_they_improve_what_is_accepted(cobalt, without):
    closed = (pl.lit(DAY - timedelta(days=5)).alias("closed_on"), pl.lit("closed").alias("status"))
    org = with_columns(cobalt, "evidence_requests", *closed, pl.lit(DAY - timedelta(days=20)).alias("due_on"))
    rule = 'finished_on=pl.when("done").then(pl.coalesce("closed_on", "as_of"))'
    without(duties.requests, rule, 'finished_on="closed_on"')
    figure = "requests_first_pass_pct"
    places = look(org, seed=1, each=2, only=["evidence_requests.closed_on"], figures=[figure]).improved.keys()
    assert ("evidence_requests.closed_on blank", figure) in places


@pytest.mark.real
@pytest.mark.weekly
def test_without_the_rule_on_first_reviews_a_vendor_that_nobody_reviewed_owes_none(cobalt, without):
    reviewed = pl.lit(DAY - timedelta(days=1_200)).alias("last_review_on")
    org = with_columns(cobalt, "vendors", reviewed, pl.lit(None, pl.Date).alias("next_review_on"))
    without(vendors.vendors, '.then(pl.min_horizontal("next_review_on", first))', '.then("next_review_on")')
    figures = ("vendor_reviews_overdue", "obligations_overdue")
    places = look(org, seed=1, each=1, only=["vendors.last_review_on"], figures=figures).improved.keys()
    assert {("vendors.last_review_on blank", name) for name in figures} <= places
