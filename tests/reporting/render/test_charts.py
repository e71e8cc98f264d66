from datetime import date
from xml.etree import ElementTree

import polars as pl
import pytest

from engine.model.document import Chart
from engine.reporting.render.charts import svg
from tests.reporting.render.editions import STATES, TREND

NAMESPACE = "{http://www.w3.org/2000/svg}"


def bars(values, kind="bars", **changes):
    frame = pl.DataFrame({"x": [f"c{index}" for index in range(len(values))], "y": values})
    return ElementTree.fromstring(svg(Chart(kind, "Title", frame, "x", "y", "Alt.", **changes), "k"))


def widths(picture):
    return [float(rect.get("width")) for rect in picture.iter(f"{NAMESPACE}rect")]


def texts(picture):
    return [text.text for text in picture.iter(f"{NAMESPACE}text")]


def test_a_picture_has_a_name_and_a_description():
    picture = bars([1, 2])
    assert picture.get("role") == "img"
    assert picture.get("aria-labelledby") == "k-title k-desc"
    assert [picture[0].text, picture[1].text] == ["Title", "Alt."]


def test_bars_are_as_long_as_their_values():
    first, second = widths(bars([10, 30]))
    assert second == pytest.approx(3 * first, abs=0.2)


def test_a_missing_value_is_no_data_and_not_zero():
    picture = bars([10, None])
    assert len(widths(picture)) == 1
    assert "no data" in texts(picture)


def test_percentages_are_drawn_against_a_hundred():
    assert "100\u00a0%" in texts(bars([10], percent=True))
    assert "140\u00a0%" in texts(bars([140.0], percent=True))


def test_negative_bars_go_left_of_zero():
    left, right = bars([-10, 10]).iter(f"{NAMESPACE}rect")
    assert float(left.get("x")) + float(left.get("width")) == pytest.approx(float(right.get("x")), abs=0.2)


@pytest.mark.parametrize("values", [[0], [0.0, 0.0], [-5], [1e-9], [5e-324], [-3e-12], [1e12]])
@pytest.mark.parametrize("kind", ["bars", "lines", "stacked"])
def test_odd_ranges_can_be_drawn(values, kind):
    assert bars(values, kind).tag == f"{NAMESPACE}svg"


@pytest.mark.parametrize("values", [[], [None]])
def test_nothing_is_drawn_from_nothing(values):
    frame = pl.DataFrame({"x": ["a"][: len(values)], "y": values}, schema={"x": pl.String, "y": pl.Float64})
    assert svg(Chart("bars", "T", frame, "x", "y", "A"), "k") == ""


def test_a_line_is_broken_where_data_is_missing():
    picture = ElementTree.fromstring(svg(Chart("lines", "T", TREND, "week", "value_pct", "A", series="kind"), "k"))
    moves = [path.get("d").count("M") for path in picture.iter(f"{NAMESPACE}path") if path.get("fill") == "none"]
    assert moves[-2:] == [2, 1]


def test_days_stand_where_their_time_is():
    frame = pl.DataFrame({"x": [date(2026, 1, 1), date(2026, 1, 2), date(2026, 1, 11)], "y": [1, 1, 1]})
    picture = ElementTree.fromstring(svg(Chart("lines", "T", frame, "x", "y", "A"), "k"))
    first, second, third = (float(circle.get("cx")) for circle in picture.iter(f"{NAMESPACE}circle"))
    assert (third - first) == pytest.approx(10 * (second - first), abs=1)


def test_states_have_the_colours_of_their_badges():
    picture = ElementTree.fromstring(
        svg(Chart("stacked", "T", STATES, "framework", "controls", "A", series="state"), "k")
    )
    colours = [rect.get("fill") for rect in picture.iter(f"{NAMESPACE}rect")]
    assert colours[:3] == ["#007a5e", "#e8a317", "#a3a3a3"]


@pytest.mark.parametrize(
    "frame", [pl.DataFrame({"x": ["a"], "y": ["b"]}), pl.DataFrame({"x": ["a"], "y": [float("nan")]})]
)
def test_what_is_not_a_number_is_refused(frame):
    with pytest.raises(ValueError, match="numbers"):
        svg(Chart("bars", "T", frame, "x", "y", "A"), "k")


def test_a_category_that_comes_twice_is_drawn_twice():
    frame = pl.DataFrame({"x": ["same", "same"], "y": [1, 2]})
    picture = ElementTree.fromstring(svg(Chart("bars", "T", frame, "x", "y", "A"), "k"))
    assert len(widths(picture)) == 2
    assert texts(picture).count("same") == 2
