"""Where the texts of a picture are, to find those that nobody can read."""

from itertools import combinations
from xml.etree import ElementTree

from engine.render.html.charts.pictures import drawing
from engine.render.html.charts.strokes import breadth

NAMESPACE = "{http://www.w3.org/2000/svg}"


def draw_picture(picture, size):
    both = ElementTree.fromstring(f"<div>{drawing(picture, 'k')}</div>")
    return next(one for one in both if one.get("class") == size)


def boxes(svg):
    """The texts with the boxes that they fill."""
    found = []
    for text in svg.iter(f"{NAMESPACE}text"):
        width = breadth(text.text) * 0.85  # what a text takes, not the room that is kept for the widest of fonts
        start = float(text.get("x")) - {"start": 0, "middle": 0.5, "end": 1}[text.get("text-anchor")] * width
        found.append((text.text, start, start + width, float(text.get("y")) - 9, float(text.get("y"))))
    return found


def outside(svg):
    """The texts that leave the picture."""
    *_, width, height = map(float, svg.get("viewBox").split())
    return [
        text
        for text, left, right, top, bottom in boxes(svg)
        if left < -2 or right > width + 2 or top < -2 or bottom > height + 2
    ]


def overlaps(svg):
    """Pairs of texts that lie on one another."""
    return [
        (one[0], other[0])
        for one, other in combinations(boxes(svg), 2)
        if one[1] < other[2] and other[1] < one[2] and one[3] < other[4] and other[3] < one[4]
    ]
