from datetime import date

import polars as pl
import pytest

from engine.facts.expressions import WINDOW_DAYS, freshness, local_day, pct, window_of
from tests.factories import DAY, moment


def word(age, window):
    frame = pl.DataFrame({"age": [age], "window": [window]}, schema={"age": pl.Int64, "window": pl.Int64})
    return frame.select(freshness(pl.col("age"), pl.col("window"))).item()


@pytest.mark.parametrize("window", [35, 100, 200, 380])
def test_evidence_is_fresh_up_to_exactly_four_fifths_of_its_window_and_due_up_to_all_of_it(window):
    edge = window * 4 // 5
    assert [word(age, window) for age in (0, edge, edge + 1, window, window + 1)] == [
        "fresh",
        "fresh",
        "due_soon",
        "due_soon",
        "stale",
    ]


@pytest.mark.parametrize(("window", "last_fresh"), [(3, 2), (7, 5), (9, 7)])
def test_a_window_that_fifths_do_not_divide_is_fresh_below_four_fifths(window, last_fresh):
    assert (word(last_fresh, window), word(last_fresh + 1, window)) == ("fresh", "due_soon")


def test_evidence_that_never_was_is_missing():
    assert word(None, 35) == "missing"


def test_windows_follow_the_cadence_with_a_tenth_of_grace():
    cadences = pl.DataFrame({"cadence": [*WINDOW_DAYS, "unheard-of"]})
    assert cadences.select(window_of("cadence"))["cadence"].to_list() == [7, 3, 9, 35, 100, 200, 380, None]


def test_a_percentage_of_nothing_is_null():
    frame = pl.DataFrame({"part": [0, 1], "whole": [0, 3]})
    assert frame.select(pct("part", "whole")).to_series().to_list() == [None, 33.3]


def test_the_business_date_of_an_instant_follows_each_organizations_own_zone():
    asked = pl.DataFrame({"org_id": ["akl", "lax"], "time_zone": ["Pacific/Auckland", "America/Los_Angeles"]})
    frame = pl.DataFrame({"org_id": ["akl", "lax"], "at": [moment("2026-11-20 07:00")] * 2})
    assert frame.select(local_day("at", asked)).to_series().to_list() == [DAY, date(2026, 11, 19)]
