"""Charts as inline SVG, written here rather than by a plotting library.

The three kinds that reports use are rectangles, lines and text. Drawn by hand they cost well under a millisecond
each, need no fonts or JavaScript engine, have the same bytes on every machine, and carry a title and description
for screen readers. Altair with vl-convert takes most of a second to import and tens of milliseconds for each chart.

Colours are told apart by colour-blind readers (Okabe and Ito); lines also differ by dashes and markers, stacked
parts by their order and their figures, so that nothing is lost in grey.
"""

import math
from collections.abc import Mapping
from datetime import date

from markupsafe import Markup, escape

from engine.model.document import Chart
from engine.reporting.render import strokes, words
from engine.reporting.render.strokes import (
    LONGEST_LABEL,
    Scale,
    breadth,
    px,
    shorten,
)

WIDTH = 760
ROW = 26
PLOT_HEIGHT = 190
PALETTE = ("#0b5cad", "#e08a00", "#007a5e", "#c2410c", "#4aa3df", "#8b4f9f", "#4d4d4d", "#a3a3a3")
TONE_COLOURS = {
    **{"good": "#007a5e", "watch": "#e8a317", "bad": "#b3261e"},
    **{"stale": "#8b4f9f", "unknown": "#a3a3a3", "neutral": "#d4d4d4"},
}
Parts = dict[str, float | None]

DARK = frozenset({"#0b5cad", "#007a5e", "#c2410c", "#8b4f9f", "#4d4d4d", "#b3261e"})


def svg(chart: Chart, key: str) -> Markup:
    """The chart as one SVG element; ``key`` makes its ids unique in the page."""
    _check(chart)
    if not chart.frame.get_column(chart.y).drop_nulls().len():
        return Markup("")
    body, height = {"bars": _bars, "stacked": _bars, "lines": _lines}[chart.kind](chart)
    return Markup(  # noqa: S704 - every text is escaped where it is drawn
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {px(height)}" role="img" '
        f'aria-labelledby="{key}-title {key}-desc"><title id="{key}-title">{escape(chart.title)}</title>'
        f'<desc id="{key}-desc">{escape(chart.alt)}</desc>{body}</svg>'
    )


def _bars(chart: Chart) -> tuple[str, float]:
    series = _series(chart)
    stacked = chart.kind == "stacked"
    groups = _grouped(chart)
    rows = [[key] if stacked else list(parts) for key, parts in groups]
    left = max(breadth(_shown(name, chart, chart.x)) for name, _ in groups) + 12
    legend, top = _legend(series, chart) if chart.series else ("", 4.0)
    height = top + sum(max(1, len(row)) * (ROW if len(row) < 2 else ROW * 0.7) + 4 for row in rows)
    scale = strokes.scale(_extent(chart, groups), left, WIDTH - 64, percent=chart.percent)
    out = [legend, _grid_x(scale, top, height, chart)]
    y = top
    for name, parts in groups:
        thick = ROW if stacked or len(parts) < 2 else ROW * 0.7
        block = thick * (1 if stacked else max(1, len(parts)))
        out.append(_label(name, left - 8, y + block / 2, chart))
        if stacked:
            out.append(_stack(parts, series, scale, y + 3, thick - 6))
        else:
            for index, (part, value) in enumerate(parts.items()):
                out.append(_bar(value, series[part], scale, y + index * thick + 3, thick - 6, chart))
        y += block + 4
    out.append(strokes.line(scale(0), top, scale(0), height, "axis"))
    return "".join(out), height + 22


def _bar(value: float | None, colour: str, scale: Scale, y: float, thick: float, chart: Chart) -> str:
    middle = y + thick / 2
    if value is None:
        return strokes.text("no data", scale(0) + 6, middle, "muted")
    start, end = sorted((scale(0), scale(value)))
    text = strokes.text(_figure(value, chart), end + 6, middle, "figure")
    return f'<rect x="{px(start)}" y="{px(y)}" width="{px(end - start)}" height="{px(thick)}" fill="{colour}"/>{text}'


def _stack(parts: Parts, colours: dict[str, str], scale: Scale, y: float, thick: float) -> str:
    out, positive, negative = [], 0.0, 0.0
    for part, value in parts.items():
        if not value:
            continue
        base = positive if value > 0 else negative
        start, end = sorted((scale(base), scale(base + value)))
        positive, negative = (base + value, negative) if value > 0 else (positive, base + value)
        colour = colours[part]
        out.append(
            f'<rect x="{px(start)}" y="{px(y)}" width="{px(end - start)}" height="{px(thick)}" fill="{colour}" '
            f'stroke="#fff"><title>{escape(part)}: {_plain(value)}</title></rect>'
        )
        text = _plain(value)
        if end - start > breadth(text) + 6:
            ink = "ink-light" if colour in DARK else "ink-dark"
            out.append(strokes.text(text, (start + end) / 2, y + thick / 2, ink, "middle"))
    return "".join(out)


def _lines(chart: Chart) -> tuple[str, float]:
    series = _series(chart)
    places = _places(chart)
    legend, top = _legend(series, chart) if chart.series else ("", 4.0)
    top += 8
    bottom = top + PLOT_HEIGHT
    lines: dict[str, list[tuple[float, float] | None]] = {name: [] for name in series}
    values = [value for value in chart.frame.get_column(chart.y).to_list() if value is not None]
    scale = strokes.scale((min(values), max(values)), bottom, top, percent=chart.percent)
    left = max(breadth(_figure(tick, chart)) for tick in scale.ticks) + 14
    right = WIDTH - max(24.0, max(map(breadth, places)) / 2 + 4)
    step = right - left
    for name, place, value in _points(chart):
        lines[name].append(None if value is None else (left + places[place] * step, scale(value)))
    out = [legend]
    for tick in scale.ticks:
        out.append(strokes.line(left, scale(tick), right, scale(tick), "grid" if tick else "axis"))
        out.append(strokes.text(_figure(tick, chart), left - 8, scale(tick), "tick", "end"))
    for name in _spaced(list(places)):
        out.append(strokes.text(name, left + places[name] * step, bottom + 16, "tick", "middle"))
    for index, (name, colour) in enumerate(series.items()):
        out.append(strokes.path(lines[name], colour, index))
    return "".join(out), bottom + 30


def _legend(series: dict[str, str], chart: Chart) -> tuple[str, float]:
    out, x, y = [], 4.0, 10.0
    for index, (name, colour) in enumerate(series.items()):
        text = _shown(name, chart, chart.series)
        width = 26 + breadth(text) + 24
        if x + width > WIDTH and x > 4:
            x, y = 4.0, y + 20
        if chart.kind == "lines":
            out.append(strokes.path([(x, y), (x + 20, y)], colour, index))
        else:
            out.append(f'<rect x="{px(x)}" y="{px(y - 6)}" width="12" height="12" fill="{colour}"/>')
        out.append(strokes.text(text, x + (26 if chart.kind == "lines" else 18), y, "legend"))
        x += width
    return "".join(out), y + 16


def _grid_x(scale: Scale, top: float, bottom: float, chart: Chart) -> str:
    out = []
    for tick in scale.ticks:
        out.append(strokes.line(scale(tick), top, scale(tick), bottom, "grid"))
        out.append(strokes.text(_figure(tick, chart), scale(tick), bottom + 13, "tick", "middle"))
    return "".join(out)


def _extent(chart: Chart, groups: list[tuple[str, Parts]]) -> tuple[float, float]:
    rows = [[value or 0.0 for value in parts.values()] for _, parts in groups]
    if chart.kind == "stacked":
        rows = [[sum(v for v in row if v < 0), sum(v for v in row if v > 0)] for row in rows]
    values = [value for row in rows for value in row]
    return min(values), max(values)


def _check(chart: Chart) -> None:
    values = chart.frame.get_column(chart.y)
    if not values.dtype.is_numeric():
        raise ValueError(f"Chart {chart.title}: expected numbers in {chart.y}, found {values.dtype}.")
    if values.dtype.is_float() and not values.is_finite().all():
        raise ValueError(f"Chart {chart.title}: expected finite numbers in {chart.y}, found NaN or infinity.")


def _points(chart: Chart) -> list[tuple[str, str, float | None]]:
    """(series, place, value) in the order of the frame."""
    frame = chart.frame
    places = [_place(item) for item in frame.get_column(chart.x).to_list()]
    values = frame.get_column(chart.y).to_list()
    names = [_place(name) for name in frame.get_column(chart.series).to_list()] if chart.series else [""] * len(values)
    return [(n, p, None if v is None else float(v)) for n, p, v in zip(names, places, values, strict=True)]


def _grouped(chart: Chart) -> list[tuple[str, Parts]]:
    """The values of each category by series; a category that comes twice, as titles may, is drawn twice."""
    groups: list[tuple[str, Parts]] = []
    latest: dict[str, Parts] = {}
    for name, place, value in _points(chart):
        if name in latest.get(place, {name: None}):
            latest[place] = {}
            groups.append((place, latest[place]))
        latest[place][name] = value
    return groups


def _series(chart: Chart) -> dict[str, str]:
    """The colour of each series; state words keep the colour of their badges."""
    names = list(dict.fromkeys(name for name, _, _ in _points(chart)))
    tones = [words.tone(name) for name in names]
    if all(tones) and len(set(tones)) == len(tones):
        return {name: TONE_COLOURS[tone] for name, tone in zip(names, tones, strict=True)}
    return {name: PALETTE[index % len(PALETTE)] for index, name in enumerate(names)}


def _places(chart: Chart) -> dict[str, float]:
    """Where each x stands between 0 and 1: dates by time, everything else in equal steps."""
    items = list(dict.fromkeys(chart.frame.get_column(chart.x).to_list()))
    if all(isinstance(item, date) for item in items):
        first, last = min(items), max(items)
        span = (last - first).total_seconds() or 1.0
        return {_place(item): (item - first).total_seconds() / span for item in items}
    return {_place(item): index / max(1, len(items) - 1) for index, item in enumerate(items)}


def _spaced(names: list[str]) -> list[str]:
    """The names that fit under the axis, from the last backwards so that today is always told."""
    room = max(2, int((WIDTH - 80) / (max(map(breadth, names)) + 10)))
    return names[:: -max(1, math.ceil(len(names) / room))]


def _place(item: object) -> str:
    return "" if item is None else str(item)


def _shown(name: str, chart: Chart, column: str | None) -> str:
    """A place or a series as it is drawn: in full where it fits, and spelled where it is a word of the program."""
    if column is None or column not in chart.words:
        return shorten(name)
    known = chart.words[column] if isinstance(chart.words, Mapping) else (name,)
    return shorten(words.spell(name) if name in known else name)


def _label(name: str, x: float, y: float, chart: Chart) -> str:
    return strokes.text(_shown(name, chart, chart.x), x, y, "label", "end", name if len(name) > LONGEST_LABEL else "")


def _figure(value: float, chart: Chart) -> str:
    return words.value("y_pct" if chart.percent else "y", _number(value))


def _plain(value: float) -> str:
    return words.value("y", _number(value))


def _number(value: float) -> float | int:
    return int(value) if value == int(value) else round(value, 2)
