"""Charts as inline SVG, written here rather than by a plotting library.

The kinds that reports use are rectangles, lines and text. Drawn by hand they cost well under a millisecond each,
need no fonts or JavaScript engine, have the same bytes on every machine, and carry a title and description for
screen readers. Altair with vl-convert takes most of a second to import and tens of milliseconds for each chart.

Each is drawn twice, for broad and for narrow pages, and the style sheet shows one: a picture that shrinks with its
page has letters that nobody can read. Colours are those of the palette; lines also differ by dashes and markers,
areas by hatching, so that nothing is lost in grey.
"""

import math
from collections.abc import Collection, Iterator, Mapping
from datetime import date

from markupsafe import Markup, escape

from engine.model.documents.document import Chart
from engine.render.html.charts import palette, strokes
from engine.render.html.charts.bars import draw_bars
from engine.render.html.charts.chart_points import check, label_of, place_name, points, series_names, tick_label
from engine.render.html.charts.marks import marks
from engine.render.html.charts.strokes import NARROW, WIDE, breadth, px

PLOT_HEIGHT = 190
MARK_HEIGHT = 15  # of a row of words above the plot
SIZES = {"broad": WIDE, "slim": NARROW}


def svg(chart: Chart, key: str) -> Markup:
    """The chart as SVG, one for each size of page; ``key`` makes its ids unique in the page."""
    check(chart)
    if not chart.frame.get_column(chart.y).drop_nulls().len():
        return Markup("")
    draw = {"bars": draw_bars, "stacked": draw_bars, "lines": _lines}[chart.kind]
    return Markup("\n").join(
        picture(chart.title, chart.alt, f"{key}-{size}", size, *draw(chart, width, f"{key}-{size}"))
        for size, width in SIZES.items()
    )


def picture(title: str, alt: str, key: str, size: str, body: str, height: float) -> Markup:
    """A drawing of that height with its name and its description, for pages of a size."""
    return Markup(  # noqa: S704 - every text is escaped where it is drawn
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{size}" viewBox="0 0 {SIZES[size]} {px(height)}" role="img" '
        f'font-family="system-ui, sans-serif" font-size="12" aria-labelledby="{key}-title {key}-desc">'
        f'<title id="{key}-title">{escape(title)}</title><desc id="{key}-desc">{escape(alt)}</desc>{body}</svg>'
    )


def _lines(chart: Chart, width: int, key: str) -> tuple[str, float]:
    series = marks(chart, series_names(chart), key)
    places = _places(chart)
    legend, top = _legend(chart, list(series), width, key) if chart.series else ("", 4.0)
    top += 8 + MARK_HEIGHT * len(_mark_rows(chart, places))
    bottom = top + PLOT_HEIGHT
    lines: dict[str, list[tuple[float, float] | None]] = {name: [] for name in series}
    values = [value for value in chart.frame.get_column(chart.y).to_list() if value is not None]
    scale = strokes.scale((min(values), max(values)), bottom, top, percent=chart.percent)
    left = max(breadth(tick_label(tick, chart)) for tick in scale.ticks) + 14
    right = width - max(24.0, max(map(breadth, places)) / 2 + 4)
    step = right - left
    for name, place, value in points(chart):
        lines[name].append(None if value is None else (left + places[place] * step, scale(value)))
    out = [legend, *_behind(chart, {name: left + at * step for name, at in places.items()}, (top, bottom), right)]
    for tick in scale.ticks:
        out.append(strokes.line(left, scale(tick), right, scale(tick), "grid" if tick else "axis"))
        out.append(strokes.text(tick_label(tick, chart), left - 8, scale(tick), "tick", "end"))
    for name in _fitting_names(list(places), step):
        out.append(strokes.text(name, left + places[name] * step, bottom + 16, "tick", "middle"))
    for index, (name, mark) in enumerate(series.items()):
        out.append(strokes.path(lines[name], mark.tone, index))
    return "".join(out), bottom + 30


def _behind(chart: Chart, across: Mapping[str, float], height: tuple[float, float], right: float) -> Iterator[str]:
    """A ground for stretches and a line for places, each with its words once, one below the other above the plot,
    where no line of figures runs through them."""
    top, bottom = height
    waiting = _mark_rows(chart, across)
    highest = top - MARK_HEIGHT * len(waiting)
    rows = {words: highest + MARK_HEIGHT * number for number, words in enumerate(waiting)}
    for mark in (mark for mark in chart.marks if mark.at in across):
        x, end = across[mark.at], across.get(mark.until or mark.at, across[mark.at])
        y = rows[mark.text]
        is_new = mark.text in waiting
        if mark.until is not None:
            place = f'x="{px(x - 2)}" y="{px(top)}" width="{px(end - x + 4)}" height="{px(bottom - top)}"'
            words = f"<title>{escape(mark.text)}</title>"
            yield f'<rect {place} {palette.fill(mark.tone)} fill-opacity=".16">{words}</rect>'
        else:
            yield (
                f'<path d="M{px(x)} {px(y - 6)}V{px(bottom)}" fill="none" {palette.stroke(mark.tone)} '
                f'stroke-width="1.5" stroke-dasharray="4 3"/>'
            )
        if is_new:
            waiting.remove(mark.text)
            is_late = x + 6 + breadth(mark.text) > right
            yield strokes.text(mark.text, x - 5 if is_late else x + 5, y, "tick", "end" if is_late else "start")


def _mark_rows(chart: Chart, places: Collection[str]) -> list[str]:
    """The words of marks in the plot, in their order."""
    return list(dict.fromkeys(mark.text for mark in chart.marks if mark.at in places))


def _legend(chart: Chart, names: list[str], width: int, key: str) -> tuple[str, float]:
    out, x, y = [], 4.0, 10.0
    for index, (name, mark) in enumerate(marks(chart, names, key).items()):
        text = label_of(name, chart, chart.series)
        room = 26 + breadth(text) + 24
        if x + room > width and x > 4:
            x, y = 4.0, y + 20
        out.append(strokes.path([(x, y), (x + 20, y)], mark.tone, index))
        out.append(strokes.text(text, x + 26, y, "legend"))
        x += room
    return "".join(out), y + 16


def _places(chart: Chart) -> dict[str, float]:
    """Where each x stands between 0 and 1: dates by time, everything else in equal steps."""
    items = list(dict.fromkeys(chart.frame.get_column(chart.x).to_list()))
    if all(isinstance(item, date) for item in items):
        first, last = min(items), max(items)
        span = (last - first).total_seconds() or 1.0
        return {place_name(item): (item - first).total_seconds() / span for item in items}
    return {place_name(item): index / max(1, len(items) - 1) for index, item in enumerate(items)}


def _fitting_names(names: list[str], room: float) -> list[str]:
    """The names that fit under the axis, from the last backwards so that today is always told."""
    fitting = max(2, int(room / (max(map(breadth, names)) + 10)))
    return names[:: -max(1, math.ceil(len(names) / fitting))]
