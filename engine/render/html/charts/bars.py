"""Horizontal bars: one for each category, one for each of its series, or its series one after the other."""

from collections.abc import Mapping

from markupsafe import escape

from engine.model.documents.document import Chart
from engine.render.html.charts import palette, strokes
from engine.render.html.charts.chart_points import Parts, groups_of, label_of, plain_label, series_names, tick_label
from engine.render.html.charts.marks import SeriesMark, marks, patterns, tone_of
from engine.render.html.charts.strokes import LONGEST_LABEL, NARROW, Scale, breadth, px

ROW, GAP, LABEL = 26.0, 4.0, 17.0
Marks = Mapping[str, SeriesMark]


def draw_bars(chart: Chart, width: int, key: str) -> tuple[str, float]:
    """The bars of a chart on a picture of that width, and its height."""
    groups = groups_of(chart)
    series_marks = marks(chart, series_names(chart), key) if chart.series else _by_place(chart, groups, key)
    is_narrow = width == NARROW
    left = 6.0 if is_narrow else max(breadth(label_of(name, chart, chart.x)) for name, _ in groups) + 12
    legend, top = _legend(series_marks, chart, width) if chart.series else ("", 4.0)
    rows = [_Row(chart, parts, LABEL if is_narrow else 0.0) for _, parts in groups]
    height = top + sum(row.height + GAP for row in rows)
    scale = strokes.scale(_extent(chart, groups), left, width - 64, percent=chart.percent)
    out = [patterns(series_marks), legend, _grid(scale, top, height, chart)]
    y = top
    for (name, parts), row in zip(groups, rows, strict=True):
        out.append(_label(name, chart, left, y, row))
        out.append(_draw_row(chart, name, parts, series_marks, scale, y, row))
        y += row.height + GAP
    out.append(strokes.line(scale(0), top, scale(0), height, "axis"))
    return "".join(out), height + 22


class _Row:
    """How much room a category takes; on narrow pages its name stands above."""

    def __init__(self, chart: Chart, parts: Parts, above: float) -> None:
        several = chart.kind != "stacked" and len(parts) > 1
        self.above = above
        self.thick = ROW * 0.7 if several else ROW
        self.height = above + self.thick * (len(parts) if several else 1)


def _draw_row(chart: Chart, name: str, parts: Parts, series_marks: Marks, scale: Scale, y: float, row: _Row) -> str:
    y += row.above + 3
    own = series_marks if chart.series else dict.fromkeys(parts, series_marks[name])
    if chart.kind == "stacked":
        return _stack(parts, own, scale, y, row.thick - 6, chart)
    return "".join(
        _bar(value, own[part], scale, y + index * row.thick, row.thick - 6, chart)
        for index, (part, value) in enumerate(parts.items())
    )


def _bar(value: float | None, mark: SeriesMark, scale: Scale, y: float, thick: float, chart: Chart) -> str:
    middle = y + thick / 2
    if value is None:
        return strokes.text("no data", scale(0) + 6, middle, "muted")
    start, end = sorted((scale(0), scale(value)))
    text = strokes.text(tick_label(value, chart), end + 6, middle, "figure")
    return mark.area(start, y, end - start, thick) + text


def _stack(parts: Parts, series_marks: Marks, scale: Scale, y: float, thick: float, chart: Chart) -> str:
    out, positive, negative = [], 0.0, 0.0
    for part, value in parts.items():
        if not value:
            continue
        base = positive if value > 0 else negative
        start, end = sorted((scale(base), scale(base + value)))
        positive, negative = (base + value, negative) if value > 0 else (positive, base + value)
        mark, text = series_marks[part], plain_label(value, chart)
        gap = 1.5 if end - start > 3 else 0.0  # parts are told apart by paper between them
        out.append(mark.area(start, y, end - start - gap, thick, f"<title>{escape(part)}: {text}</title>"))
        if end - start > breadth(text) + 6:
            out.append(_figure_on(mark, text, (start + end - gap) / 2, y + thick / 2))
    return "".join(out)


def _figure_on(mark: SeriesMark, text: str, x: float, y: float) -> str:
    """A figure on a part, on a plate of the part's colour where the part is hatched."""
    room = breadth(text) + 6
    place = f'x="{px(x - room / 2)}" y="{px(y - 8)}" width="{px(room)}" height="16"'
    plate = f"<rect {place} {palette.fill(mark.tone)}/>" if mark.hatch else ""
    return plate + strokes.text(text, x, y, f"on-{mark.tone}", "middle")


def _by_place(chart: Chart, groups: list[tuple[str, Parts]], key: str) -> Marks:
    """Bars of one series: each has the colour of its word where it is one, else all are the measure."""
    names = list(dict.fromkeys(name for name, _ in groups))
    if chart.tones or chart.x in chart.words:
        judged = {name: tone_of(chart, name) for name in names}
        if all(judged.values()):
            return marks(chart, names, key)
    return {name: SeriesMark("main", "", key) for name in names}


def _legend(series_marks: Marks, chart: Chart, width: int) -> tuple[str, float]:
    out, x, y = [], 4.0, 10.0
    for name, mark in series_marks.items():
        text = label_of(name, chart, chart.series)
        room = 26 + breadth(text) + 18
        if x + room > width and x > 4:
            x, y = 4.0, y + 20
        out.append(mark.area(x, y - 7, 18, 14))
        out.append(strokes.text(text, x + 24, y, "legend"))
        x += room
    return "".join(out), y + 16


def _grid(scale: Scale, top: float, bottom: float, chart: Chart) -> str:
    labels = [tick_label(tick, chart) for tick in scale.ticks]
    room = (scale.end - scale.start) / max(1, len(labels) - 1)
    every = 1 if max(map(breadth, labels)) + 6 < room else 2
    out = []
    for index, (tick, label) in enumerate(zip(scale.ticks, labels, strict=True)):
        out.append(strokes.line(scale(tick), top, scale(tick), bottom, "grid"))
        if index % every == 0:
            at, is_cut = scale(tick), scale(tick) < breadth(label) / 2  # at the left edge
            out.append(strokes.text(label, 0 if is_cut else at, bottom + 13, "tick", "start" if is_cut else "middle"))
    return "".join(out)


def _extent(chart: Chart, groups: list[tuple[str, Parts]]) -> tuple[float, float]:
    rows = [[value or 0.0 for value in parts.values()] for _, parts in groups]
    if chart.kind == "stacked":
        rows = [[sum(v for v in row if v < 0), sum(v for v in row if v > 0)] for row in rows]
    values = [value for row in rows for value in row]
    return min(values), max(values)


def _label(name: str, chart: Chart, left: float, y: float, row: _Row) -> str:
    text, full = label_of(name, chart, chart.x), name if len(name) > LONGEST_LABEL else ""
    if row.above:
        return strokes.text(text, left, y + row.above / 2 + 1, "label", "start", full)
    return strokes.text(text, left - 8, y + row.height / 2, "label", "end", full)
