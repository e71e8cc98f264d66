"""Figures: a value, the rows behind it, and what is said of both."""

from dataclasses import replace
from datetime import date
from typing import Annotated

import polars as pl
import pytest

from engine.facts.memory import DerivedMemory
from engine.model.figures.aggregates import (
    Count,
    Distinct,
    First,
    Maximum,
    Minimum,
    Percentile,
    Ratio,
    Score,
    Share,
    Sum,
    WeightedMean,
)
from engine.model.figures.figure import Figure, Figures, facts_of
from tests.factories import ask

FRAME = pl.DataFrame(
    {
        "id": ["a", "b", "c", "d"],
        "owner": ["ann", None, "ann", "bob"],
        "state": ["open", "open", "done", "open"],
        "hours": [1.5, 2.25, 4.0, 0.25],
        "weight": [1, 3, 1, 5],
        "due_on": [date(2026, 11, 1), date(2026, 11, 21), None, date(2026, 11, 20)],
    }
)
OPEN = pl.col("state") == "open"


def figure(aggregate, where=None, unit="count", reason=None, fact="work", **texts):
    words = {"title": "Work", "definition": "Work that counts.", **texts}
    return Figure("work", words["title"], unit, "less", words["definition"], fact, aggregate, where, reason)


def figures(declared, frame=FRAME, **options):
    return Figures([declared], {"work": frame}, ask(**options))


@pytest.mark.parametrize(
    ("aggregate", "unit", "value", "nothing"),
    [
        (Count(), "count", 3, 0),
        (Distinct("owner"), "count", 2, 0),
        (Sum("hours"), "hours", 4.0, 0.0),
        (Sum("weight"), "count", 9, 0),
        (Sum("weight", known_without_rows=False), "count", 9, None),
        (Share(pl.col("owner").is_not_null()), "percent", 66.7, None),
        (Ratio("hours", "weight"), "percent", 44.4, None),
        (Ratio("hours", "weight", scale=1.0), "ratio", 0.44, None),
        (WeightedMean("hours", "weight"), "hours", 1.06, None),
        (WeightedMean("hours"), "hours", 1.33, None),
        (Percentile("hours"), "hours", 1.5, None),
        (Percentile("hours", 90), "hours", 2.25, None),
        (Minimum("due_on"), "date", date(2026, 11, 1), None),
        (Maximum("weight", empty=0), "count", 5, 0),
        (Maximum("due_on"), "date", date(2026, 11, 21), None),
        (First("id"), "word", "a", None),
        (Score(of="hours", contribution="weight"), "points", 9, None),
    ],
)
def test_each_aggregate_counts_the_rows_that_its_predicate_names(aggregate, unit, value, nothing):
    declared = figure(aggregate, OPEN, unit)
    assert figures(declared)["work"] == value
    assert figures(declared, FRAME.clear())["work"] == nothing


def test_the_rows_behind_a_count_have_a_reason_and_a_flag():
    declared = figure(Count(), OPEN, reason="{state}, due {due_on}")
    assert figures(declared).explained_rows("work").rows(named=True) == [
        {
            "id": "a",
            "owner": "ann",
            "state": "open",
            "due_on": date(2026, 11, 1),
            "reason": "open, due 2026-11-01",
            "flag": 1,
        },
        {
            "id": "b",
            "owner": None,
            "state": "open",
            "due_on": date(2026, 11, 21),
            "reason": "open, due 2026-11-21",
            "flag": 1,
        },
        {
            "id": "d",
            "owner": "bob",
            "state": "open",
            "due_on": date(2026, 11, 20),
            "reason": "open, due 2026-11-20",
            "flag": 1,
        },
    ]


def test_without_words_of_its_own_a_reason_names_the_columns_that_decide():
    rows = figures(figure(Sum("hours"), OPEN, "hours")).explained_rows("work")
    assert rows.select("id", "reason", "amount").rows() == [
        ("a", "state open; hours 1.5", 1.5),
        ("b", "state open; hours 2.25", 2.25),
        ("d", "state open; hours 0.25", 0.25),
    ]


def test_a_share_lists_its_population_and_flags_what_counts():
    rows = figures(figure(Share(pl.col("owner").is_not_null()), OPEN, "percent")).explained_rows("work")
    assert rows.select("id", "flag").rows() == [("a", 1), ("b", 0), ("d", 1)]


def test_different_values_stand_once_each():
    rows = figures(figure(Distinct("owner"), OPEN)).explained_rows("work")
    assert rows.select("id", "owner", "flag").rows() == [("a", "ann", 1), ("d", "bob", 1)]


def test_ratios_and_means_show_both_of_their_sides():
    assert figures(figure(Ratio("hours", "weight"), OPEN, "percent")).explained_rows("work").columns[-2:] == [
        "numerator",
        "denominator",
    ]
    rows = figures(figure(WeightedMean("hours", "weight"), OPEN, "hours")).explained_rows("work")
    assert rows.select("numerator", "denominator", "value").row(1) == (6.75, 3, 2.25)


def test_a_predicate_may_look_at_the_day_and_the_title_names_the_setting():
    declared = figure(
        Count(),
        lambda question: pl.col("due_on") < question.as_of,
        title="Due within {due_soon_days} days",
        definition="Due before {as_of}, over {period_days} days from {period_start}, {horizon_weeks} weeks.",
    )
    held = figures(declared)
    assert held["work"] == 1
    assert held.title("work") == "Due within 7 days"
    assert held.definition("work") == "Due before 2026-11-20, over 30 days from 2026-10-22, 13 weeks."


def test_rows_may_come_from_a_function_of_facts_which_is_called_once():
    calls = []

    def open_work(work, ask):
        calls.append(ask.as_of)
        return work.filter(OPEN)

    declared = [figure(Count(), fact=open_work), Figure("h", "H", "hours", "less", "h", open_work, Sum("hours"))]
    held = Figures(declared, {"work": FRAME}, ask())
    assert (held["work"], held["h"], held.rows(open_work).height) == (3, 4.0, 3)
    assert calls == [date(2026, 11, 20)]
    assert (declared[0].facts, declared[0].fact_name) == (("work",), "open_work")


def test_a_figure_that_is_not_declared_is_refused():
    with pytest.raises(KeyError, match="'other' is not declared by this report; it has work"):
        figures(figure(Count()))["other"]


def open_work(work: pl.DataFrame):
    return work.filter(OPEN)


def owners_of_open(rows: Annotated[pl.DataFrame, open_work], ask):
    return rows.select("owner", "due_on").unique("owner", maintain_order=True).filter(pl.col("due_on") < ask.as_of)


def test_rows_may_be_made_of_the_rows_of_another_function_which_are_computed_once():
    assert facts_of(owners_of_open) == ("work",)
    declared = [figure(Count(), fact=open_work), replace(figure(Count(), fact=owners_of_open), id="owners")]
    found = Figures(declared, {"work": FRAME}, ask())
    assert (found["work"], found["owners"]) == (3, 1)
    assert found.rows(open_work) is found.rows(open_work)


def hours_by_owner(work):
    return dict(work.select("owner", "hours").iter_rows())


def busy(hours: Annotated[dict, hours_by_owner], ask):
    return pl.DataFrame({"owner": [owner for owner, spent in hours.items() if spent >= ask.options.get("least", 2)]})


def test_rows_are_those_of_another_report_that_is_asked_the_same():
    memory, frames = DerivedMemory(99), {"work": FRAME}
    one, two = (Figures([], frames, ask(**options), memory.recall) for options in ({"periodDays": 30}, {}))
    other = Figures([], frames, ask(least=4), memory.recall)
    fewer = Figures([], {"work": FRAME.clear()}, ask(), memory.recall)
    assert one.rows(busy) is two.rows(busy)
    assert one.rows(hours_by_owner) is two.rows(hours_by_owner)
    assert [one.rows(busy).height, other.rows(busy).height, fewer.rows(busy).height] == [2, 1, 0]
    assert one.rows(busy).equals(Figures([], frames, ask()).rows(busy))


def test_counts_of_one_fact_differ_by_what_they_count():
    late = pl.col("due_on") < pl.lit(date(2026, 11, 20))
    declared = [
        replace(figure(Count(), where), id=name)
        for name, where in [
            ("all", None),
            ("open", OPEN),
            ("late", late),
            ("none", pl.lit(False)),
            ("every", pl.lit(True)),
        ]
    ]
    for frame in (FRAME, FRAME.clear()):
        found = Figures(declared, {"work": frame}, ask())
        assert {each.id: found[each.id] for each in declared} == {
            each.id: found.explained_rows(each.id).height for each in declared
        }
    assert [Figures(declared, {"work": FRAME}, ask())[each.id] for each in declared] == [4, 3, 1, 0, 4]


def late(work: pl.DataFrame) -> pl.DataFrame:
    """Work that is late: none of it may be good news."""
    return work.filter(pl.col("due_on") < date(2026, 1, 1))


def later(rows: Annotated[pl.DataFrame, late]) -> pl.DataFrame:
    """What is made from it."""
    return rows


@pytest.mark.parametrize("fact", ["work", late, later])
def test_a_figure_is_founded_where_there_is_anything_that_it_could_count(fact):
    assert figures(figure(Count(), fact=fact)).is_founded("work")
    assert not figures(figure(Count(), fact=fact), FRAME.clear()).is_founded("work")
