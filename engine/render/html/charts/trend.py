"""Lines over days, with a band that says how sure they are and numbered marks where something happened."""

import math
from datetime import date, timedelta

from engine.model.days import MONTHS, spelled_day
from engine.model.documents.pictures import TrendPicture
from engine.render import words
from engine.render.html.charts import palette, strokes
from engine.render.html.charts.strokes import NARROW, Scale, breadth, px

HEIGHT = 180.0
MARK = 9.0  # radius of a mark


def draw_trend(picture: TrendPicture, width: int) -> tuple[str, float]:
    """The picture on a drawing of that width, and its height."""
    legend, top = _legend(picture, width)
    top += 2 * MARK + 14 if picture.marks else 8
    bottom = top + HEIGHT
    days = [day for line in picture.lines for day, _ in line.points] + [day for day, _, _ in picture.band]
    first, last = min(days), max(days)
    up = _scale(picture, bottom, top)
    labels = [words.value("y", int(tick) if tick == int(tick) else tick) for tick in up.ticks]
    left, right = max(map(breadth, labels)) + 14, width - 16.0

    def across(day: date) -> float:
        return left + (right - left) * (day - first).days / max(1, (last - first).days)

    out = [legend]
    for tick, label in zip(up.ticks, labels, strict=True):
        out.append(strokes.line(left, up(tick), right, up(tick), "grid" if tick else "axis"))
        out.append(strokes.text(label, left - 8, up(tick), "tick", "end"))
    months = _months(first, last, right - left)
    if len(months) < 2:  # one month alone says neither where a line begins nor where it ends
        for day, anchor in ((first, "start"), (last, "end")):
            out.append(strokes.line(across(day), bottom, across(day), bottom + 4, "axis"))
            out.append(strokes.text(spelled_day(day), across(day), bottom + 14, "tick", anchor))
        months = []
    for day in months:
        out.append(strokes.line(across(day), bottom, across(day), bottom + 4, "axis"))
        text = (
            f"{MONTHS[day.month - 1][:3]} {day.year}"
            if day.month == 1 or width != NARROW
            else MONTHS[day.month - 1][:3]
        )
        if left + 10 < across(day) < right - breadth(text) / 2:
            out.append(strokes.text(text, across(day), bottom + 14, "tick", "middle"))
    if picture.band:
        high = [f"{px(across(day))} {px(up(most))}" for day, _, most in picture.band]
        low = [f"{px(across(day))} {px(up(least))}" for day, least, _ in reversed(picture.band)]
        filled = palette.fill(picture.lines[0].tone)
        out.append(f'<path d="M{"L".join([*high, *low])}Z" {filled} fill-opacity=".18"/>')
    for index, line in enumerate(picture.lines):
        points = [None if value is None else (across(day), up(value)) for day, value in line.points]
        out.append(strokes.path(points, line.tone, index))
    out.append(_marks(picture, [across(day) for day in picture.marks], up, (top, width)))
    return "".join(out), bottom + 26


def _scale(picture: TrendPicture, bottom: float, top: float) -> Scale:
    values = [value for line in picture.lines for _, value in line.points if value is not None]
    values += [value for _, low, high in picture.band for value in (low, high)]
    low, high = min(values), max(values)
    if picture.from_zero or high - low < 1:
        return strokes.scale((low, high), bottom, top, percent=False)
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100, math.inf) if (high - low) / step <= 6)
    first, final = math.floor(low / step), math.ceil(high / step)
    ticks = tuple(float(number * step) for number in range(first, final + 1))
    return Scale(ticks[0], ticks[-1], bottom, top, ticks)


def _months(first: date, last: date, room: float) -> list[date]:
    """The first days of months, as many as have room for their names."""
    days, day = [], date(first.year, first.month, 1)
    while day <= last:
        if day >= first:
            days.append(day)
        day = (day + timedelta(days=31)).replace(day=1)
    return days[:: max(1, math.ceil(len(days) * 62 / room))]


def _marks(picture: TrendPicture, places: list[float], up: Scale, corner: tuple[float, float]) -> str:
    """Numbers in circles over the line, each joined to its day; neighbours stand apart, and none beyond the edge."""
    values = dict(picture.lines[0].points)
    y = corner[0] - MARK - 6
    out = []
    for number, (day, x, at) in enumerate(zip(picture.marks, places, _apart(places, corner[1]), strict=True), 1):
        value = values.get(day)
        if value is not None:
            out.append(
                f'<path d="M{px(at)} {px(y + MARK)}L{px(x)} {px(up(value) - 3)}" fill="none" '
                f'{palette.stroke("third")} stroke-dasharray="2 2"/>'
                f'<circle cx="{px(x)}" cy="{px(up(value))}" r="4" {palette.fill("third")}/>'
            )
        out.append(f'<circle cx="{px(at)}" cy="{px(y)}" r="{px(MARK)}" {palette.fill("third")}/>')
        out.append(strokes.text(str(number), at, y, "on-third", "middle"))
    return "".join(out)


def _apart(places: list[float], width: float) -> list[float]:
    """Places from left to right that leave each mark its room."""
    step, apart = 2 * MARK + 3, list(places)
    for index in range(1, len(apart)):
        apart[index] = max(apart[index], apart[index - 1] + step)
    edge = width - MARK - 2
    for index in reversed(range(len(apart))):
        apart[index] = edge = min(apart[index], edge)
        edge -= step
    return apart


def _legend(picture: TrendPicture, width: int) -> tuple[str, float]:
    if len(picture.lines) < 2 and not picture.band:
        return "", 4.0
    out, x, y = [], 4.0, 10.0
    entries = [(line.name, line.tone, index) for index, line in enumerate(picture.lines)]
    for name, tone, index in entries:
        room = 26 + breadth(name) + 24
        if x + room > width and x > 4:
            x, y = 4.0, y + 20
        out.append(strokes.path([(x, y), (x + 20, y)], tone, index))
        out.append(strokes.text(name, x + 26, y, "legend"))
        x += room
    if picture.band:
        if x + 44 + breadth(picture.band_name) > width:
            x, y = 4.0, y + 20
        filled = palette.fill(picture.lines[0].tone)
        out.append(f'<rect x="{px(x)}" y="{px(y - 6)}" width="20" height="12" {filled} fill-opacity=".18"/>')
        out.append(strokes.text(picture.band_name, x + 26, y, "legend"))
    return "".join(out), y + 12
