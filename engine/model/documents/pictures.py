"""Pictures beyond charts, for what people look at rather than read: data alone, drawn by ``engine/render``.

Each has a ``title`` and an ``alt`` of one sentence; its figures also stand in a table.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import TypeAlias

from engine.model.documents.tones import Tone


@dataclass(frozen=True)
class TrendLine:
    """Figures by day; a day without one breaks the line."""

    name: str
    tone: Tone
    points: Sequence[tuple[date, float | None]]


@dataclass(frozen=True)
class TrendPicture:
    """Lines over days. ``marks`` are numbered from 1 on the first line; ``band`` has a low and a high for each day."""

    title: str
    alt: str
    lines: Sequence[TrendLine]
    marks: Sequence[date] = ()
    band: Sequence[tuple[date, float, float]] = ()
    band_name: str = ""
    from_zero: bool = True


@dataclass(frozen=True)
class CalendarPicture:
    """Months from that of ``first`` on, ``months`` of them; a day has a number of things and the tone of the worst."""

    title: str
    alt: str
    first: date
    months: int
    today: date
    days: Mapping[date, tuple[int, Tone]]
    legend: Mapping[str, Tone]


@dataclass(frozen=True)
class MatrixPicture:
    """Cells of rows by columns; a cell has a text and a tone, and is empty where there is none."""

    title: str
    alt: str
    rows: Sequence[str]
    columns: Sequence[str]
    cells: Mapping[tuple[str, str], tuple[str, Tone]]
    legend: Mapping[str, Tone] = field(default_factory=dict)


@dataclass(frozen=True)
class LaneSpan:
    """A stretch of days on a lane, both inclusive."""

    first: date
    last: date
    text: str
    tone: Tone


@dataclass(frozen=True)
class TimelinePicture:
    """Lanes with spans, one below the other where they overlap; ``today`` is marked."""

    title: str
    alt: str
    lanes: Sequence[tuple[str, Sequence[LaneSpan]]]
    today: date
    legend: Mapping[str, Tone] = field(default_factory=dict)


@dataclass(frozen=True)
class GraphPoint:
    """A thing of one of the layers, larger where more depends on it."""

    id: str
    label: str
    layer: int
    tone: Tone
    load: int


@dataclass(frozen=True)
class GraphPicture:
    """Nodes in two layers, left and right, and edges between them."""

    title: str
    alt: str
    nodes: Sequence[GraphPoint]
    edges: Sequence[tuple[str, str]]
    legend: Mapping[str, Tone]


Picture: TypeAlias = TrendPicture | CalendarPicture | MatrixPicture | TimelinePicture | GraphPicture
