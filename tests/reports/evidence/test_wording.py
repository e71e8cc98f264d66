"""Numbers in sentences."""

from datetime import date

import polars as pl
import pytest

from reports.shared import personal
from reports.shared.wording import count_of, part_of, some_of, titled_first, whose_plan


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0 duties"), (1, "1 duty"), (2, "2 duties"), (12400, "12,400 duties")]
)
def test_a_number_agrees_with_its_noun(number, text):
    assert count_of(number, "duty", "duties") == text


def test_a_part_agrees_with_its_verb():
    assert part_of(1, 40, "control") == "1 of 40 controls is"
    assert part_of(0, 1, "control", ("has", "have")) == "0 of 1 control has"


def test_a_title_says_how_many_rows_there_are_where_a_table_has_the_first_alone():
    titles = [titled_first("Overdue duties", number, "oldest", 5) for number in (0, 5, 1200)]
    assert titles == ["Overdue duties", "Overdue duties", "Overdue duties, the oldest of 1,200"]


def test_a_long_list_says_how_many_more_there_are():
    assert some_of(["a", "b"]) == "a, b"
    assert some_of(list("abcdefg")) == "a, b, c, d, e and 2 more"
    assert some_of([]) == ""


def test_days_of_years_are_told_with_their_thousands():
    left = pl.DataFrame({"left": [-1574, -1, 0, 12, 12_003]})
    told = left.select(personal.days("left", "late", "due")).to_series().to_list()
    assert told == ["1,574 days late", "1 day late", "due today", "due in 12 days", "due in 12,003 days"]


@pytest.mark.parametrize(
    ("gap", "text"),
    [
        ({}, "with ann, not planned yet"),
        (
            {"poam_due_on": date(2026, 11, 20)},
            "with ann, not planned yet, due 20 Nov 2026 on the FedRAMP plan of action",
        ),
        (
            {"due_on": date(2026, 10, 31), "poam_due_on": date(2026, 11, 20), "blocked_by": "the migration"},
            "with ann, remediation due 31 Oct 2026, 1 day ago, waits for the migration",
        ),
    ],
    ids=("no day", "on the plan of action", "waits"),
)
def test_a_gap_has_one_day_and_says_what_it_waits_for(gap, text):
    known = {"owner": "ann", "due_on": None, "poam_due_on": None, "blocked_by": None}
    assert whose_plan(known | gap, date(2026, 11, 1)) == text
