"""Pictures made of cells: months with their days, and rows by columns."""

from calendar import Calendar
from collections.abc import Mapping
from datetime import date

from markupsafe import escape

from engine.model.days import MONTHS, spelled_day
from engine.model.documents.pictures import CalendarPicture, MatrixPicture
from engine.model.documents.tones import Tone
from engine.render.html.charts import palette, strokes
from engine.render.html.charts.marks import SeriesMark, patterns, tone_legend, tone_marks
from engine.render.html.charts.strokes import NARROW, breadth, px

WEEKDAYS = ("Mo", "Tu", "We", "Th", "Fr", "Sa", "Su")
DAY_HEIGHT, MONTH_HEAD, GUTTER = 34.0, 40.0, 18.0
CELL_HEIGHT = 24.0


def draw_calendar(picture: CalendarPicture, width: int, key: str) -> tuple[str, float]:
    """Months side by side, on narrow pages one below the other."""
    series_marks = tone_marks([*picture.legend.values(), *(tone for _, tone in picture.days.values())], key)
    across = 1 if width == NARROW else 3
    room = (width - GUTTER * (across - 1)) / across
    legend, y = tone_legend(picture.legend, series_marks, width)
    out = [patterns(series_marks), legend]
    months = [_later(picture.first, number) for number in range(picture.months)]
    for start in range(0, len(months), across):
        row = months[start : start + across]
        weeks = [Calendar().monthdatescalendar(month.year, month.month) for month in row]
        for column, (month, days) in enumerate(zip(row, weeks, strict=True)):
            out.append(_month(picture, series_marks, month, days, column * (room + GUTTER), y, room / 7))
        y += MONTH_HEAD + max(map(len, weeks)) * DAY_HEIGHT + 10
    return "".join(out), y


def draw_matrix(picture: MatrixPicture, width: int, key: str) -> tuple[str, float]:
    """A cell for each pair of a row and a column that has one."""
    series_marks = tone_marks([*picture.legend.values(), *(tone for _, tone in picture.cells.values())], key)
    legend, top = tone_legend(picture.legend, series_marks, width)
    left = max(map(breadth, picture.rows)) + 10
    room = (width - left) / len(picture.columns)
    top += 20
    out = [patterns(series_marks), legend]
    for index, column in enumerate(picture.columns):
        out.append(strokes.text(column, left + (index + 0.5) * room, top - 10, "tick", "middle"))
    for number, row in enumerate(picture.rows):
        y = top + number * CELL_HEIGHT
        out.append(strokes.text(row, left - 6, y + CELL_HEIGHT / 2, "label", "end"))
        out.append(strokes.line(left, y + CELL_HEIGHT, width, y + CELL_HEIGHT, "grid"))
        for index, column in enumerate(picture.columns):
            if (row, column) in picture.cells:
                text, tone = picture.cells[row, column]
                x = left + index * room
                out.append(
                    series_marks[tone].area(
                        x + 1, y + 1, room - 2, CELL_HEIGHT - 2, _title_element(f"{row}, {column}: {text}")
                    )
                )
                out.append(_on(series_marks[tone], text, x + room / 2, y + CELL_HEIGHT / 2))
    return "".join(out), top + len(picture.rows) * CELL_HEIGHT + 4


def _month(
    picture: CalendarPicture,
    series_marks: Mapping[Tone, SeriesMark],
    month: date,
    weeks: list[list[date]],
    left: float,
    y: float,
    room: float,
) -> str:
    out = [strokes.text(f"{MONTHS[month.month - 1]} {month.year}", left, y + 10, "figure")]
    for index, name in enumerate(WEEKDAYS):
        out.append(strokes.text(name, left + (index + 0.5) * room, y + 28, "tick", "middle"))
    for number, week in enumerate(weeks):
        for index, day in enumerate(week):
            if day.month == month.month:
                place = (left + index * room, y + MONTH_HEAD + number * DAY_HEIGHT, room)
                out.append(_day(picture, series_marks, day, *place))
    return "".join(out)


def _day(
    picture: CalendarPicture, series_marks: Mapping[Tone, SeriesMark], day: date, x: float, y: float, room: float
) -> str:
    """The day with, where there is any, how many things it has."""
    out = []
    if day in picture.days:
        number, tone = picture.days[day]
        title_element = _title_element(f"{spelled_day(day)}: {number}")
        out.append(series_marks[tone].area(x + 1, y + 1, room - 2, DAY_HEIGHT - 2, title_element))
        out.append(_on(series_marks[tone], str(day.day), x + 4 + breadth(str(day.day)) / 2, y + 10, "day"))
        out.append(_on(series_marks[tone], f"{number}", x + room - 6 - breadth(str(number)) / 2, y + DAY_HEIGHT - 11))
    else:
        out.append(strokes.text(str(day.day), x + 4 + breadth(str(day.day)) / 2, y + 10, "muted", "middle"))
    if day == picture.today:
        place = f'x="{px(x + 1)}" y="{px(y + 1)}" width="{px(room - 2)}" height="{px(DAY_HEIGHT - 2)}"'
        out.append(f'<rect {place} fill="none" {palette.stroke("main")} stroke-width="2.5"/>')
    return "".join(out)


def _on(mark: SeriesMark, text: str, x: float, y: float, kind: str = "") -> str:
    """A text on a cell, on a plate of the cell's colour where the cell is hatched."""
    room = breadth(text) + 2
    place = f'x="{px(x - room / 2)}" y="{px(y - 8)}" width="{px(room)}" height="16"'
    plate = f"<rect {place} {palette.fill(mark.tone)}/>" if mark.hatch else ""
    return plate + strokes.text(text, x, y, f"on-{mark.tone}{' ' if kind else ''}{kind}", "middle")


def _title_element(text: str) -> str:
    return f"<title>{escape(text)}</title>"


def _later(first: date, months: int) -> date:
    years, month = divmod(first.month - 1 + months, 12)
    return date(first.year + years, month + 1, 1)
