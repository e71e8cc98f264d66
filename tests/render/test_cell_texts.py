"""Small tables are spelled in Python, large ones by Polars: to the same bytes."""

from datetime import UTC, date, datetime, timedelta

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.render import RENDERERS, cell_texts
from tests.laws import examples
from tests.render.editions import of_tables, table

SINCE, UNTIL = (datetime(year, 1, 1, tzinfo=UTC).replace(tzinfo=None) for year in (1678, 2200))
STATES = ("at_risk", "no_data", "effective", "Due_Soon", "")
TEXT = st.one_of(
    st.text(max_size=12),
    st.sampled_from(STATES),
    st.text(alphabet=" \t\r\n\x00\x01\x0b\x85\u200b\u2028=+-@|%`\\＝,\"'<>&*_[]~aé１", max_size=6),
)
COLUMNS = {
    "name": (pl.String, TEXT),
    "state": (pl.String, st.sampled_from(STATES)),
    "reason": (pl.String, st.sampled_from(("dry_run_missing", "no_deploy"))),
    "number": (pl.Int64, st.integers(-(2**63), 2**63 - 1)),
    "small": (pl.UInt8, st.integers(0, 255)),
    "share": (pl.Float64, st.floats(allow_nan=False, allow_infinity=False)),
    "late": (pl.Boolean, st.booleans()),
    "due_on": (pl.Date, st.dates(date(1, 1, 1), date(9999, 12, 31))),
    "seen_at": (pl.Datetime("us"), st.datetimes(SINCE, UNTIL)),
    "told_at": (
        pl.Datetime("ms", "UTC"),
        st.datetimes(SINCE, UNTIL).map(
            lambda instant: instant.replace(microsecond=instant.microsecond // 1000 * 1000, tzinfo=UTC)
        ),
    ),
    "owners": (pl.List(pl.String), st.lists(st.none() | TEXT, max_size=3)),
    "counts": (pl.List(pl.Int64), st.lists(st.none() | st.integers(-9, 9), max_size=3)),
    "days": (pl.List(pl.Date), st.lists(st.none() | st.dates(), max_size=2)),
    "answers": (pl.List(pl.Boolean), st.lists(st.booleans(), max_size=2)),
    "heat": (pl.Int64, st.integers(0, 12)),
    "tier": (pl.Enum(["high_tier", "low"]), st.sampled_from(["high_tier", "low"])),
    "=nothing": (pl.Null, st.none()),
}


@st.composite
def tables(draw):
    names = draw(st.lists(st.sampled_from(sorted(COLUMNS)), unique=True, max_size=6))
    height = draw(st.integers(0, 4))
    frame = pl.DataFrame(
        {name: draw(st.lists(st.none() | COLUMNS[name][1], min_size=height, max_size=height)) for name in names},
        schema={name: COLUMNS[name][0] for name in names},
    )
    return {
        "frame": frame,
        "state": [name for name in ("state",) if name in names],
        "words": {name: ("dry_run_missing",) for name in ("reason", "tier") if name in names},
        "heat": [name for name in ("heat", "number") if name in names],
        "hidden": names[:1] if draw(st.booleans()) else (),
        "headings": {name: name.upper() for name in names[:2]} if draw(st.booleans()) else {},
    }


def tables_of(given, form):
    """Tables by name; several in one CSV have no headings of their own."""
    extra = {"headings": {}} if len(given) > 1 else {}
    made = of_tables(*(table(name=f"rows{number}", **{**one, **extra}) for number, one in enumerate(given)))
    return RENDERERS[form].render(made)


@settings(max_examples=examples(150), deadline=None)
@given(st.lists(tables(), min_size=1, max_size=3))
def test_both_ways_give_the_same_bytes(given_tables):
    for form in ("json", "csv", "html", "md"):
        small = tables_of(given_tables, form)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(cell_texts, "MOST_CELLS", -1)
            large = tables_of(given_tables, form)
        assert small == large, form


@given(st.floats(allow_nan=False, allow_infinity=False))
@settings(max_examples=examples(300))
def test_a_number_is_written_as_by_polars(value):
    assert cell_texts.number_text(value) == pl.Series([value]).cast(pl.String).item()


@pytest.mark.parametrize("rows", [1, 60_000])
def test_a_number_that_is_none_is_named_with_its_table_and_column(rows):
    frame = pl.DataFrame({"share": [1.0] * (rows - 1) + [float("nan")]})
    with pytest.raises(ValueError, match="^Table rows, column share: expected finite numbers, found NaN or infinity.$"):
        RENDERERS["json"].render(of_tables(table(frame)))


def test_instants_have_as_many_digits_as_they_need():
    begin = SINCE.replace(hour=8, minute=30)
    parts = [timedelta(), timedelta(milliseconds=5), timedelta(microseconds=5)]
    texts = cell_texts.cell_texts(table(pl.DataFrame({"at": [begin + part for part in parts]})))
    assert list(texts.plain["at"]) == [
        "1678-01-01T08:30:00Z",
        "1678-01-01T08:30:00.005Z",
        "1678-01-01T08:30:00.000005Z",
    ]


def test_a_value_is_spelled_once_for_all_rows_that_have_it():
    frame = pl.DataFrame({"state": ["not_met", "met", "not_met"], "tags": [["a", "b"], None, ["a", "b"]]})
    texts = cell_texts.cell_texts(table(frame, state=("state",)))
    assert (texts.display_columns["state"].values, texts.display_columns["tags"].values) == (
        ["not met", "met"],
        ["a; b", ""],
    )
    assert list(zip(texts.display_columns["state"], texts.display_columns["tags"], strict=True)) == [
        ("not met", "a; b"),
        ("met", ""),
        ("not met", "a; b"),
    ]


def test_numbers_that_are_equal_and_written_differently_stay_apart():
    texts = cell_texts.cell_texts(table(pl.DataFrame({"change": [0.0, -0.0, 0.0]})))
    assert list(texts.texts["change"]) == ["0.0", "-0.0", "0.0"]
