"""Differences of tables: they lead from the one to the other, whatever came, went, changed or moved."""

from datetime import date

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from engine.reporting.difference.tables import ChangedCell, diff
from tests.reporting.difference.application import apply

DAY = date(2026, 11, 20)
SCHEMA = {
    "framework": pl.String,
    "control_id": pl.String,
    "state": pl.String,
    "days": pl.Int64,
    "pct": pl.Float64,
    "due_on": pl.Date,
    "late": pl.Boolean,
    "kinds": pl.List(pl.String),
}
WORD = st.sampled_from(["a", "b", "", "ü", None])
ROW = st.tuples(
    WORD,
    WORD,
    WORD,
    st.sampled_from([None, 0, 1, -1]),
    st.sampled_from([None, 0.0, -0.0, 1.0, 0.1]),
    st.sampled_from([None, DAY, date(1999, 1, 1)]),
    st.sampled_from([None, True, False]),
    st.one_of(st.none(), st.lists(st.sampled_from(["a", "b"]), max_size=2)),
)
COLUMNS = st.permutations(list(SCHEMA)).flatmap(lambda names: st.integers(0, len(names)).map(lambda n: names[:n]))


@st.composite
def tables(draw):
    """A table of some of the columns; rows may be equal."""
    frame = pl.DataFrame(draw(st.lists(ROW, max_size=7)), schema=SCHEMA, orient="row")
    return frame.select(draw(COLUMNS))


def frame(*rows):
    return pl.DataFrame(
        rows, schema={"framework": pl.String, "control_id": pl.String, "state": pl.String}, orient="row"
    )


@given(tables(), tables())
def test_the_difference_of_two_tables_applied_to_the_first_is_the_second(before, after):
    found = apply(diff(before, after), before)
    assert found.schema == after.schema
    assert found.rows() == after.rows()
    assert str(found.rows()) == str(after.rows())  # minus zero too


@given(tables())
def test_a_table_does_not_differ_from_itself(table):
    difference = diff(table, table)
    assert difference.is_empty
    assert apply(difference, table).equals(table)


def test_rows_are_told_apart_by_what_people_tell_them_apart_by():
    before = frame(("soc2", "CC6.1", "effective"), ("soc2", "CC7.2", "stale"), ("hipaa", "CC6.1", "stale"))
    after = frame(("soc2", "CC6.1", "stale"), ("hipaa", "CC6.1", "stale"), ("soc2", "A1.2", "partial"))
    difference = diff(before, after)
    assert difference.key == ("framework", "control_id")
    assert difference.came == {("soc2", "A1.2", 0): {"framework": "soc2", "control_id": "A1.2", "state": "partial"}}
    assert difference.went == {("soc2", "CC7.2", 0): {"framework": "soc2", "control_id": "CC7.2", "state": "stale"}}
    assert [(row.key, row.cells) for row in difference.changed] == [
        (("soc2", "CC6.1", 0), (ChangedCell("state", "effective", "stale"),))
    ]
    assert difference.order == (("soc2", "CC6.1", 0), ("hipaa", "CC6.1", 0), ("soc2", "A1.2", 0))


def test_equal_rows_are_told_apart_by_their_place():
    before, after = frame(("soc2", "CC6.1", "stale")), frame(("soc2", "CC6.1", "stale"), ("soc2", "CC6.1", "stale"))
    difference = diff(before, after)
    assert list(difference.came) == [("soc2", "CC6.1", 1)]
    assert apply(difference, before).equals(after)


def test_from_nothing_to_nothing_nothing_differs():
    assert diff(frame(), frame()).is_empty


def test_an_order_alone_is_a_difference():
    before = frame(("soc2", "CC6.1", "stale"), ("soc2", "CC7.2", "stale"))
    difference = diff(before, before.reverse())
    assert (difference.came, difference.went, difference.changed) == ({}, {}, ())
    assert not difference.is_empty
    assert apply(difference, before).equals(before.reverse())
