import re
from datetime import date
from xml.etree import ElementTree

import polars as pl
import pytest

from engine.model.documents.document import Chart, ChartMark
from engine.render import TEMPLATES
from engine.render.html.charts.charts import MARK_HEIGHT, svg
from engine.render.html.charts.marks import marks
from engine.render.html.charts.strokes import breadth, scale
from tests.render.editions import STATES, TREND

NAMESPACE = "{http://www.w3.org/2000/svg}"


def draw_chart(chart, size="broad"):
    """The picture of a chart for a size of page."""
    both = ElementTree.fromstring(f"<div>{svg(chart, 'k')}</div>")
    return next(picture for picture in both if picture.get("class") == size)


def bars(values, kind="bars", **changes):
    frame = pl.DataFrame({"x": [f"c{index}" for index in range(len(values))], "y": values})
    return draw_chart(Chart(kind, "Title", frame, "x", "y", "Alt.", **changes))


def widths(picture):
    return [float(rect.get("width")) for rect in picture.iter(f"{NAMESPACE}rect")]


def texts(picture):
    return [text.text for text in picture.iter(f"{NAMESPACE}text")]


def test_a_picture_has_a_name_and_a_description():
    picture = bars([1, 2])
    assert picture.get("role") == "img"
    assert picture.get("aria-labelledby") == "k-broad-title k-broad-desc"
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
    picture = draw_chart(Chart("lines", "T", TREND, "week", "value_pct", "A", series="kind"))
    moves = [path.get("d").count("M") for path in picture.iter(f"{NAMESPACE}path") if path.get("fill") == "none"]
    assert moves[-2:] == [2, 1]


def test_days_stand_where_their_time_is():
    frame = pl.DataFrame({"x": [date(2026, 1, 1), date(2026, 1, 2), date(2026, 1, 11)], "y": [1, 1, 1]})
    picture = draw_chart(Chart("lines", "T", frame, "x", "y", "A"))
    first, second, third = (float(circle.get("cx")) for circle in picture.iter(f"{NAMESPACE}circle"))
    assert (third - first) == pytest.approx(10 * (second - first), abs=1)


def test_states_have_the_colours_of_their_badges():
    picture = draw_chart(Chart("stacked", "T", STATES, "framework", "controls", "A", series="state"))
    tones = [rect.get("class") for rect in picture.iter(f"{NAMESPACE}rect") if rect.get("class")]
    assert tones[:3] == ["f-good", "f-watch", "f-unknown"]


@pytest.mark.parametrize(
    "frame", [pl.DataFrame({"x": ["a"], "y": ["b"]}), pl.DataFrame({"x": ["a"], "y": [float("nan")]})]
)
def test_what_is_not_a_number_is_refused(frame):
    with pytest.raises(ValueError, match="numbers"):
        svg(Chart("bars", "T", frame, "x", "y", "A"), "k")


def test_a_category_that_comes_twice_is_drawn_twice():
    frame = pl.DataFrame({"x": ["same", "same"], "y": [1, 2]})
    picture = draw_chart(Chart("bars", "T", frame, "x", "y", "A"))
    assert len(widths(picture)) == 2
    assert texts(picture).count("same") == 2


def test_the_series_of_a_chart_differ_in_hatching_where_they_have_one_tone():
    frame = pl.DataFrame({"x": ["a"] * 3, "y": [1, 2, 3], "s": ["overdue", "rejected", "done"]})
    series_marks = marks(Chart("stacked", "T", frame, "x", "y", "A", series="s"), ["overdue", "rejected", "done"], "k")
    assert [mark.tone for mark in series_marks.values()] == ["bad", "bad", "good"]
    assert len({mark.hatch for mark in series_marks.values()}) == 3


def test_every_hatching_that_is_used_is_in_the_picture():
    frame = pl.DataFrame({"x": ["a"] * 3, "y": [1, 2, 3], "s": ["overdue", "rejected", "done"]})
    text = svg(Chart("stacked", "T", frame, "x", "y", "A", series="s"), "k")
    used = set(re.findall(r"url\(#([^)]+)\)", text))
    assert used == set(re.findall(r'<pattern id="([^"]+)"', text))
    assert len(used) == 4


def test_bars_of_one_series_are_judged_by_their_words_where_these_are_declared():
    frame = pl.DataFrame({"mapping": ["full", "none"], "y": [1, 2]})
    judged = draw_chart(Chart("bars", "T", frame, "mapping", "y", "A", words=("mapping",)))
    plain = draw_chart(Chart("bars", "T", frame, "mapping", "y", "A"))
    tones = [{rect.get("class") for rect in picture.iter(f"{NAMESPACE}rect")} - {None} for picture in (judged, plain)]
    assert tones == [{"f-good", "f-bad"}, {"f-main"}]


@pytest.mark.parametrize("size", ["broad", "slim"])
@pytest.mark.parametrize("kind", ["bars", "lines", "stacked"])
def test_no_text_leaves_its_picture(size, kind):
    names = ["A name that is rather long for its picture", "Another name, as long as the first one"]
    names = ["2026-W01", "2026-W02"] if kind == "lines" else names
    frame = pl.DataFrame(
        {"x": names * 3, "y": [100, 99, 98, 97, 96, 95], "s": [f"A series of figures {n // 2}" for n in range(6)]}
    )
    picture = draw_chart(Chart(kind, "T", frame, "x", "y", "A", series="s"), size)
    width = float(picture.get("viewBox").split()[2])
    for text in picture.iter(f"{NAMESPACE}text"):
        start = float(text.get("x")) - {"start": 0, "middle": 0.5, "end": 1}[text.get("text-anchor")] * breadth(
            text.text
        )
        assert -8 <= start <= start + breadth(text.text) <= width + 8, text.text


def test_the_first_label_of_narrow_bars_is_whole():
    frame = pl.DataFrame({"x": ["IG1", "IG2"], "strict_pct": [69.6, 63.1]})
    picture = draw_chart(Chart("bars", "T", frame, "x", "strict_pct", "A", percent=True), "slim")
    (first,) = [text for text in picture.iter(f"{NAMESPACE}text") if text.text.startswith("0")]
    assert (first.text, first.get("x"), first.get("text-anchor")) == ("0\u00a0%", "0", "start")


def test_a_picture_does_not_ask_for_paper_of_its_own():
    """``.wide`` is a landscape sheet for broad tables."""
    classes = re.findall('<svg[^>]* class="([^"]+)"', svg(Chart("lines", "T", TREND, "week", "value_pct", "A"), "k"))
    assert classes == ["broad", "slim"]
    assert not re.search(r"\.(broad|slim) \{ page:", (TEMPLATES / "page.css").read_text())


def test_marks_stand_at_their_places_and_stretches_lie_behind_the_lines():
    frame = pl.DataFrame({"week": ["W1", "W2", "W3"], "hours": [4.0, 8.0, 6.0]})
    marks_drawn = [
        ChartMark("W3", "the day"),
        ChartMark("W1", "lapsed", "bad", "W2"),
        ChartMark("W2", "lapsed", "bad", "W3"),
    ]
    picture = draw_chart(
        Chart("lines", "Title", frame, "week", "hours", "Alt.", marks=[*marks_drawn, ChartMark("W9", "gone")])
    )
    assert [texts(picture).count(one) for one in ("the day", "lapsed", "gone")] == [1, 1, 0]
    ground, again = [rect for rect in picture.iter(f"{NAMESPACE}rect") if rect.get("fill-opacity")]
    assert float(ground.get("x")) + float(ground.get("width")) == pytest.approx(float(again.get("x")) + 4, abs=0.2)
    drawn = [piece.tag for piece in picture]
    assert drawn.index(f"{NAMESPACE}rect") < drawn.index(f"{NAMESPACE}line")
    words = [float(one.get("y")) for one in picture.iter(f"{NAMESPACE}text") if one.text in ("the day", "lapsed")]
    assert words[0] + MARK_HEIGHT == words[1] < float(ground.get("y")), "words stand above the plot, a row for each"


@pytest.mark.parametrize(
    ("highest", "ticks"), [(1.0, (0, 1)), (2.0, (0, 1, 2)), (12.0, (0, 5, 10, 15)), (1.5, (0, 0.5, 1, 1.5))]
)
def test_whole_numbers_have_whole_ticks(highest, ticks):
    assert scale((0.0, highest), 0, 100, percent=False).ticks == ticks
