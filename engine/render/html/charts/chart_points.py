"""The points of a chart, and how its places, series and figures read."""

from collections.abc import Mapping

from engine.model.days import quarters
from engine.model.documents.document import Chart
from engine.model.vocabulary import FRAMEWORK_NAMES
from engine.render import words
from engine.render.html.charts.strokes import shorten

Parts = dict[str, float | None]


def check(chart: Chart) -> None:
    """ValueError: what is to be drawn is no number."""
    values = chart.frame.get_column(chart.y)
    if not values.dtype.is_numeric():
        raise ValueError(f"Chart {chart.title}: expected numbers in {chart.y}, found {values.dtype}.")
    if values.dtype.is_float() and not values.is_finite().all():
        raise ValueError(f"Chart {chart.title}: expected finite numbers in {chart.y}, found NaN or infinity.")


def points(chart: Chart) -> list[tuple[str, str, float | None]]:
    """(series, place, value) in the order of the frame."""
    frame = chart.frame
    places = [place_name(item) for item in frame.get_column(chart.x).to_list()]
    values = frame.get_column(chart.y).to_list()
    names = (
        [place_name(name) for name in frame.get_column(chart.series).to_list()] if chart.series else [""] * len(values)
    )
    return [(n, p, None if v is None else float(v)) for n, p, v in zip(names, places, values, strict=True)]


def series_names(chart: Chart) -> list[str]:
    """Each series once, in the order of the frame."""
    return list(dict.fromkeys(name for name, _, _ in points(chart)))


def groups_of(chart: Chart) -> list[tuple[str, Parts]]:
    """The values of each category by series; a category that comes twice, as titles may, is drawn twice."""
    groups: list[tuple[str, Parts]] = []
    latest: dict[str, Parts] = {}
    for name, place, value in points(chart):
        if name in latest.get(place, {name: None}):
            latest[place] = {}
            groups.append((place, latest[place]))
        latest[place][name] = value
    return groups


def place_name(item: object) -> str:
    """A category as text."""
    return "" if item is None else str(item)


def label_of(name: str, chart: Chart, column: str | None) -> str:
    """A place or a series as it is drawn: in full where it fits, and spelled where it is a word of the program."""
    if column is None or column not in chart.words:
        return shorten(FRAMEWORK_NAMES.get(name, name))
    known = chart.words[column] if isinstance(chart.words, Mapping) else (name,)
    return shorten(words.spell(name, column) if name in known else name)


def tick_label(value: float, chart: Chart) -> str:
    """A figure of the chart's own kind."""
    return words.value("y_pct", _number(value)) if chart.percent else plain_label(value, chart)


def plain_label(value: float, chart: Chart) -> str:
    """A figure without its unit; hours to the quarter, as cells have them."""
    if chart.y.rpartition("_")[2] == "hours":
        return quarters(value)
    return words.value("y", _number(value))


def _number(value: float) -> float | int:
    return int(value) if value == int(value) else round(value, 2)
