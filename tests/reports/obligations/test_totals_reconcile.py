"""Heatmap, rollup and forecast are views of one ledger: their totals are the same whatever it holds."""

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reports.obligations.forecast import obligation_forecast
from reports.obligations.rollup import obligation_heatmap, obligation_rollup
from reports.shared.duty_figures import TOTALS
from tests.factories import ask, document, lead, rows
from tests.laws import examples
from tests.reports.obligations.ledgers import ledgers, work

PLACES = ("pending", "overdue", "known", "beyond")


def documents(obligations, weeks):
    question = ask(weeks=weeks)
    return (
        document(obligation_heatmap.REPORT, question, obligations=obligations),
        document(obligation_rollup.REPORT, question, obligations=obligations),
        document(obligation_forecast.REPORT, question, obligations=obligations, owner_weeks=work(obligations)[0]),
    )


def frame(made, name):
    return made.table(name).frame


@pytest.mark.real
@settings(max_examples=examples(25), deadline=None)
@given(ledgers(), st.sampled_from([1, 4, 13, 26]))
def test_heatmap_rollup_and_forecast_count_the_same_duties(obligations, weeks):
    heatmap, rollup, forecast = documents(obligations, weeks)
    summaries = [{name: made.summary[name] for name in TOTALS} for made in (heatmap, rollup, forecast)]
    assert summaries[0] == summaries[1] == summaries[2]
    total = {name.removeprefix("obligations_"): value for name, value in summaries[0].items()}
    pending = obligations.filter(pl.col("state").is_in(["open", "overdue"]))
    assert total["pending"] == pending.height == total["overdue"] + total["known"] + total["beyond"]
    assert total["pending_hours"] == pending["effort_hours"].sum()
    assert total["pending_hours"] == total["overdue_hours"] + total["known_hours"] + total["beyond_hours"]

    assert frame(forecast, "weeks")["known"].sum() == total["known"]
    assert frame(forecast, "weeks")["known_hours"].sum() == total["known_hours"]
    for name in ("kinds", "frameworks", "owners"):
        table = frame(rollup, name)
        assert {place: table[place].sum() for place in PLACES} == {place: total[place] for place in PLACES}
        assert table["hours"].sum() == total["pending_hours"]
    months = frame(rollup, "months").filter(pl.col("status").is_in(["open", "overdue"]))
    assert months["obligations"].sum() == total["pending"]
    assert frame(rollup, "overdue").height == total["overdue"]

    assert frame(heatmap, "framework_week")["total"].sum() == total["pending"]
    assert frame(heatmap, "week_totals")["obligations"].sum() == total["pending"]
    assert frame(heatmap, "kind_schedule")["total"].sum() == total["pending"]
    assert frame(heatmap, "tier_totals")["obligations"].sum() == total["pending"]
    cells = frame(heatmap, "cells").filter(heatmap="framework_week")
    assert cells["obligations"].sum() == total["pending"]
    assert cells["hours"].sum() == total["pending_hours"]


@settings(max_examples=examples(12), deadline=None)
@given(ledgers())
def test_each_week_of_the_heatmap_is_that_of_the_forecast(obligations):
    heatmap, _, forecast = documents(obligations, None)
    columns = frame(heatmap, "week_totals").filter(pl.col("week_start_on").is_not_null())
    weeks = frame(forecast, "weeks")
    assert columns["week"].to_list() == weeks["week"].to_list()
    assert columns["obligations"].to_list() == weeks["known"].to_list()
    assert columns["hours"].to_list() == weeks["known_hours"].to_list()


@pytest.mark.real
@settings(max_examples=examples(12), deadline=None)
@given(ledgers())
def test_the_order_of_the_ledger_does_not_show(obligations):
    for one, two in zip(documents(obligations, None), documents(obligations.reverse(), None), strict=True):
        assert one.headline == two.headline
        assert all(a.frame.equals(b.frame) for a, b in zip(one.tables, two.tables, strict=True))


def test_an_empty_ledger_is_said_to_be_empty():
    heatmap, rollup, forecast = documents(rows("obligations"), None)
    assert lead(heatmap) == (
        "No duty is pending, so there is nothing to place on a heatmap.",
        "Import attestations.csv, evidence_requests.csv, testing_schedules.csv or vendors.csv with hq import to "
        "fill this report.",
    )
    assert lead(rollup) == (
        "No duty is pending.",
        "Import attestations.csv, evidence_requests.csv, testing_schedules.csv or vendors.csv with hq import to "
        "fill this report.",
    )
    assert lead(forecast) == (
        "No duty is known to fall due in the next 13 weeks.",
        "Import attestations.csv, evidence_requests.csv, testing_schedules.csv or vendors.csv with hq import to "
        "fill this report.",
    )
    for made in (heatmap, rollup, forecast):
        assert {made.summary[name] for name in TOTALS} == {0}
        assert not made.charts
    assert forecast.summary["forecast_backtest"] == forecast.summary["request_history"] == "insufficient_history"
    assert forecast.summary["forecast_mape_pct"] is None


@pytest.mark.real
@settings(max_examples=examples(12), deadline=None)
@given(ledgers())
def test_what_is_finished_or_cancelled_is_in_no_figure_of_pending_duties(obligations):
    pending = obligations.filter(pl.col("state").is_in(["open", "overdue"]))
    names = [*TOTALS, "obligations_without_owner"]
    for made, left in zip(documents(obligations, None), documents(pending, None), strict=True):
        assert {name: made.summary[name] for name in names} == {name: left.summary[name] for name in names}
