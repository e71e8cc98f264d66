"""Lanes of spans over days: who does what until when, with today marked."""

import math
from collections.abc import Callable, Sequence
from datetime import date

from markupsafe import escape

from engine.model.days import MONTHS, spelled_day
from engine.model.documents.pictures import LaneSpan, TimelinePicture
from engine.render.html.charts import palette, strokes
from engine.render.html.charts.marks import patterns, tone_legend, tone_marks
from engine.render.html.charts.strokes import NARROW, breadth, px

ROW, LABEL = 22.0, 17.0


def draw_timeline(picture: TimelinePicture, width: int, key: str) -> tuple[str, float]:
    """The lanes one below the other; on narrow pages their names stand above them."""
    spans = [span for _, lane in picture.lanes for span in lane]
    series_marks = tone_marks([*picture.legend.values(), *(span.tone for span in spans)], key)
    legend, y = tone_legend(picture.legend, series_marks, width)
    is_narrow = width == NARROW
    left = 4.0 if is_narrow else max(breadth(strokes.shorten(name)) for name, _ in picture.lanes) + 12
    first = min(picture.today, *(span.first for span in spans))
    last = max(picture.today, *(span.last for span in spans))

    def across(day: date) -> float:
        return left + (width - left - 6) * (day - first).days / max(1, (last - first).days + 1)

    y += 22
    top = y
    bars, texts = [], []
    for name, lane in picture.lanes:
        rows = _rows(lane)
        height = len(rows) * ROW
        if is_narrow:
            texts.append(strokes.text(strokes.shorten(name), left, y + LABEL / 2, "label"))
            y += LABEL
        else:
            texts.append(strokes.text(strokes.shorten(name), left - 8, y + height / 2, "label", "end"))
        for number, row in enumerate(rows):
            for index, span in enumerate(row):
                start, end = across(span.first), max(across(span.last) + 2, across(span.first) + 6)
                free = across(row[index + 1].first) if index + 1 < len(row) else width
                text = f"<title>{escape(f'{span.text}: {spelled_day(span.first)} to {spelled_day(span.last)}')}</title>"
                at = y + number * ROW
                bars.append(series_marks[span.tone].area(start, at + 2, end - start, ROW - 5, text))
                texts.append(_span_label(span, start, end, free, at))
        y += height + 4
        bars.append(strokes.line(left, y - 2, width, y - 2, "grid"))
    today = across(picture.today)
    now = f'<path d="M{px(today)} {px(top - 4)}V{px(y)}" fill="none" {palette.stroke("main")} stroke-width="2"/>'
    label = strokes.text("today", today, y + 8, "tick", "end" if today > width - 40 else "middle")
    months = _ticks(_months(first, last), across, (top, y), width)
    return "".join([patterns(series_marks), legend, months, *bars, now, *texts, label]), y + 18


def _span_label(span: LaneSpan, start: float, end: float, free: float, y: float) -> str:
    """What a span is, in it where that fits, else behind it."""
    room = breadth(span.text) + 6
    if room + 6 < end - start:
        place = f'x="{px(start + 3)}" y="{px(y + 4)}" width="{px(room)}" height="{px(ROW - 9)}"'
        plate = f"<rect {place} {palette.fill(span.tone)}/>"
        return plate + strokes.text(span.text, start + 6, y + ROW / 2 - 0.5, f"on-{span.tone}")
    return strokes.text(span.text, end + 4, y + ROW / 2 - 0.5, "label") if end + room < free else ""


def _ticks(months: Sequence[date], across: Callable[[date], float], height: tuple[float, float], width: float) -> str:
    """The first days of months, as many as have room for their names."""
    every = max(1, math.ceil(len(months) * 44 / max(1.0, across(months[-1]) - across(months[0])))) if months else 1
    out = []
    for day in months[::every]:
        out.append(strokes.line(across(day), height[0] - 6, across(day), height[1], "grid"))
        if across(day) + 30 < width:
            year = f" {day.year}" if day.month == 1 else ""
            out.append(strokes.text(f"{MONTHS[day.month - 1][:3]}{year}", across(day) + 2, height[0] - 12, "tick"))
    return "".join(out)


def _rows(lane: Sequence[LaneSpan]) -> list[list[LaneSpan]]:
    """Spans that overlap stand below one another."""
    rows: list[list[LaneSpan]] = []
    for span in sorted(lane, key=lambda span: (span.first, span.last, span.text)):
        row = next((row for row in rows if row[-1].last < span.first), None)
        if row is None:
            rows.append([span])
        else:
            row.append(span)
    return rows


def _months(first: date, last: date) -> list[date]:
    every = [date(year, month, 1) for year in range(first.year, last.year + 1) for month in range(1, 13)]
    return [day for day in every if first <= day <= last]
