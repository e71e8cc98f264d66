"""Pictures to look at: nothing leaves them, no two texts lie on one another, no two ids are the same."""

import random
import re
from datetime import date, timedelta
from itertools import pairwise

import pytest

from engine.model.documents.pictures import (
    CalendarPicture,
    GraphPicture,
    GraphPoint,
    LaneSpan,
    MatrixPicture,
    TimelinePicture,
    TrendLine,
    TrendPicture,
)
from engine.model.documents.tones import JUDGEMENTS
from engine.render.html.charts.graph import layer_order
from engine.render.html.charts.pictures import drawing
from tests.render.picture_boxes import NAMESPACE, boxes, draw_picture, outside, overlaps

DAY = date(2026, 11, 23)
LEGEND = {"overdue": "bad", "a deadline that is fixed": "watch", "still open": "neutral", "all of them done": "good"}


def days(count, step=1):
    return [DAY + timedelta(days=step * number) for number in range(count)]


TREND = TrendPicture(
    "Trend",
    "Alt.",
    [
        TrendLine("work that is known", "main", [(day, 60.0 + number % 7) for number, day in enumerate(days(58, 7))]),
        TrendLine("hours that there are", "third", [(day, None if day.month == 3 else 70.0) for day in days(58, 7)]),
    ],
    marks=[day for number, day in enumerate(days(58, 7)) if number in (3, 4, 5, 56, 57)],
    band=[(day, 60.0, 72.5) for day in days(58, 7)],
    band_name="likely to come (80 % of cases)",
    from_zero=False,
)
CALENDAR = CalendarPicture(
    "Days", "Alt.", DAY.replace(day=1), 6, DAY, {day: (day.day * 9, "bad") for day in days(150)}, LEGEND
)
MATRIX = MatrixPicture(
    "Matrix",
    "Alt.",
    [f"CC{n}" for n in range(12)],
    [f"A.{n}" for n in range(11)],
    {(f"CC{n}", f"A.{n % 11}"): (str(n * 13), JUDGEMENTS[n % 6]) for n in range(12)},
    LEGEND,
)
TIMELINE = TimelinePicture(
    "Lanes",
    "Alt.",
    [
        (
            f"person.number.{n}@organization.example",
            [
                LaneSpan(DAY - timedelta(days=40 + n), DAY - timedelta(days=20), "Pull forward", "good"),
                LaneSpan(DAY - timedelta(days=30), DAY + timedelta(days=5 * n), "Borrow hours", "bad"),
                LaneSpan(DAY + timedelta(days=60), DAY + timedelta(days=61), "Defer", "watch"),
            ],
        )
        for n in range(5)
    ],
    DAY,
    LEGEND,
)
GRAPH = GraphPicture(
    "Graph",
    "Alt.",
    [
        GraphPoint(f"n{n}", f"{n} A node with a name that is rather long", n % 2, JUDGEMENTS[n % 6], n)
        for n in range(40)
    ],
    [(f"n{n * 2}", f"n{(n * 7) % 20 * 2 + 1}") for n in range(20)],
    LEGEND,
)
PICTURES = {"trend": TREND, "calendar": CALENDAR, "matrix": MATRIX, "timeline": TIMELINE, "graph": GRAPH}
every_picture = pytest.mark.parametrize("picture", PICTURES.values(), ids=PICTURES)
sizes = pytest.mark.parametrize("size", ["broad", "slim"])


@every_picture
@sizes
def test_no_text_leaves_the_picture(picture, size):
    assert outside(draw_picture(picture, size)) == []


@every_picture
@sizes
def test_no_two_texts_lie_on_one_another(picture, size):
    assert overlaps(draw_picture(picture, size)) == []


@every_picture
def test_a_picture_has_its_name_its_description_and_ids_of_its_own(picture):
    text = drawing(picture, "a") + drawing(picture, "b")
    ids = re.findall(r' id="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r"url\(#([^)]+)\)", text)) <= set(ids)
    assert text.count("<title id=") == text.count("<desc id=") == 4
    assert text.count(f">{picture.alt}</desc>") == 4


@every_picture
def test_the_same_picture_has_the_same_bytes(picture):
    assert drawing(picture, "k") == drawing(picture, "k")


def test_the_order_of_a_graph_does_not_depend_on_the_order_of_its_nodes():
    nodes, edges = list(GRAPH.nodes), list(GRAPH.edges)
    random.Random(1).shuffle(nodes)
    random.Random(2).shuffle(edges)
    assert layer_order(nodes, edges) == layer_order(GRAPH.nodes, GRAPH.edges)


def test_neighbours_stand_beside_each_other():
    nodes = [GraphPoint(name, name, layer, "main", 1) for layer, names in enumerate(("abc", "xyz")) for name in names]
    left, right = layer_order(nodes, [("a", "z"), ("b", "y"), ("c", "x")])
    assert [node.id for node in left] == [{"z": "a", "y": "b", "x": "c"}[node.id] for node in right]


def test_a_line_of_a_few_weeks_says_where_it_begins_and_ends():
    short = TrendPicture("Trend", "Alt.", [TrendLine("Posture", "main", [(day, 4.0) for day in days(2, 6)])])
    texts = [text for text, *_ in boxes(draw_picture(short, "broad"))]
    assert [text for text in texts if "2026" in text] == ["23 Nov 2026", "29 Nov 2026"]


def test_marks_are_numbered_in_the_order_of_their_days():
    texts = [text for text, *_ in boxes(draw_picture(TREND, "broad"))]
    assert [text for text in texts if text in "12345" and len(text) == 1][-5:] == ["1", "2", "3", "4", "5"]


@sizes
def test_marks_stand_apart_and_inside_of_the_picture(size):
    svg = draw_picture(TREND, size)
    width = float(svg.get("viewBox").split()[2])
    places = [float(one.get("cx")) for one in svg.iter(f"{NAMESPACE}circle") if one.get("r") == "9"]
    assert len(places) == 5
    assert all(after - before >= 20 for before, after in pairwise(places))
    assert 9 <= places[0] <= places[-1] <= width - 9


def test_spans_that_overlap_stand_below_one_another():
    spans = [
        LaneSpan(DAY, DAY + timedelta(days=9), "A", "good"),
        LaneSpan(DAY + timedelta(days=9), DAY + timedelta(days=20), "B", "bad"),
    ]
    svg = draw_picture(TimelinePicture("T", "A.", [("x", spans)], DAY), "broad")
    tops = {rect.get("y") for rect in svg.iter(f"{NAMESPACE}rect") if rect.get("class") in ("f-good", "f-bad")}
    assert len(tops) >= 2
