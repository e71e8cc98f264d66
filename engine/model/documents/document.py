"""What a report says, before anything decides how it looks.

A ``Document`` is the content (pure data), an ``Edition`` is a document together with what it was computed
from. Renderers (``engine/render``) turn an edition into bytes; nothing here knows a format.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from engine.model.days import spelled_days
from engine.model.documents.heat import HeatScale
from engine.model.documents.pictures import Picture
from engine.model.documents.story import BoardStory
from engine.model.documents.tones import Tone
from engine.model.entities import HASHED_COLUMNS
from engine.model.vocabulary import Better

if TYPE_CHECKING:  # a position is read at the start of every command, and frames are then not needed
    import polars as pl

# columns that hold words of the program alone; or, for each, which of its cells are one, beside names that people gave
Words = Sequence[str] | Mapping[str, Collection[str]]


MOST_WORDS = 30  # of a headline: what a person takes in at a glance

FrameRow: TypeAlias = dict[str, Any]  # a row of a frame: Polars does not type its cells


_ADDRESS = re.compile(r"[\w.+'-]+@[\w-]+(?:\.[\w-]+)+")


def _name_and_address(people: Mapping[str, str], address: str) -> str:
    name = people.get(address, address)
    return name if address in name else f"{name} ({address})"


@dataclass(frozen=True)
class Coverage:
    """How much of what should have been assessed was (REPORTS R3): a percentage never travels without it.

    ``said`` is what people read for assessed, where a report counts something else than controls whose state is known.
    """

    assessed: int
    total: int
    said: str = field(default="assessed", compare=False)

    @property
    def pct(self) -> float | None:
        """Percent with one decimal; None when there was nothing to assess."""
        return round(100 * self.assessed / self.total, 1) if self.total else None

    @property
    def sufficient(self) -> bool:
        """True from 50 % on: below, a grade or a colour is ``insufficient_data``."""
        return self.total > 0 and 2 * self.assessed >= self.total


@dataclass(frozen=True)
class Table:
    """Rows under a name. ``frame`` is sorted totally; list columns are rendered joined by ``; ``.

    ``labels`` replaces the headings that ``engine/model/columns/`` has for people (HTML, Markdown), where a framework
    has its own word; machines get the column names.
    ``heat`` names a numeric column group to shade in HTML by the bands of ``scale``; the number stays in the cell.
    Without a scale shades are amounts and judge nothing.
    ``state`` names columns holding a state word, which HTML shows as a badge. ``words`` names columns that hold other
    words of the program, such as kinds and reasons. People read both with spaces for underscores; whatever else is in
    a table may have been typed by somebody and is shown as it is.
    ``hidden`` columns are for machines only: JSON and CSV have them, HTML and Markdown do not.
    ``headings`` is for a CSV that somebody else prescribes: it has these columns alone, in this order, under exactly
    these headings.
    ``comparison``: it compares two days itself; what changed between two days leaves it out.
    ``part_of`` names tables of the same document that have its rows too, such as the whole of a list of the worst; a
    CSV has each of them once.
    ``units`` says, where rows compare figures, what the numbers of each are in, by the cell of its first column: people
    read ``12 days 22 h`` for minutes and ``18`` for a count.
    """

    name: str
    title: str
    frame: "pl.DataFrame"
    note: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    heat: Sequence[str] = ()
    scale: HeatScale | None = None
    state: Sequence[str] = ()
    words: Words = ()
    hidden: Sequence[str] = ()
    headings: Mapping[str, str] = field(default_factory=dict)
    comparison: bool = False
    part_of: Sequence[str] = ()
    units: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def unseen(self) -> frozenset[str]:
        """The columns that pages do not have: ``hidden`` ones, and identifiers that are hashes and have no label."""
        return frozenset(self.hidden) | (HASHED_COLUMNS - self.labels.keys())

    @cached_property
    def schema(self) -> "pl.Schema":
        """The columns with their types; a frame makes the mapping anew each time that it is asked."""
        return self.frame.schema


class ChartMark(NamedTuple):
    """A place of ``x`` that is marked in a picture of lines, or a stretch of them until another; ``text`` says why."""

    at: str
    text: str
    tone: Tone = "third"
    until: str | None = None


@dataclass(frozen=True)
class Chart:
    """A picture of figures that also stand in a table: horizontal ``bars`` (category, value) or ``lines``.

    ``x`` and ``y`` are columns of ``frame``; ``series`` splits into several lines or bar colours; ``y`` of bars is in
    percent when ``percent`` is true. ``alt`` says in one sentence what the picture shows. ``words`` names those of
    ``x`` and ``series`` that hold words of the program, as in a table. ``tones`` says what the colour of a series
    means, or that of a bar of a chart without series; state words have their own. ``marks`` are drawn behind lines.
    """

    kind: Literal["bars", "lines", "stacked"]
    title: str
    frame: "pl.DataFrame"
    x: str
    y: str
    alt: str
    series: str | None = None
    percent: bool = False
    words: Words = ()
    tones: Mapping[str, Tone] = field(default_factory=dict)
    marks: Sequence[ChartMark] = ()


@dataclass(frozen=True)
class CalendarEvent:
    """A dated duty for a calendar. ``on`` is the last day on which it is in time, ``at`` the moment, where it has one.

    ``remind`` is for duties that are still to be done.
    """

    uid: str
    on: date
    title: str
    description: str
    categories: tuple[str, ...]
    sequence: int
    status: Literal["CONFIRMED", "CANCELLED", "TENTATIVE"]
    changed_on: date
    url: str | None = None
    remind: bool = True
    at: datetime | None = None  # in UTC


class Alarm(str):
    """A warning on which somebody has to act: pages show it in red, and other warnings as what a reader should know."""

    __slots__ = ()


class Opening(NamedTuple):
    """The first thing that a person reads: what is so, and what to do now where something is to be done."""

    headline: str
    next_step: str = ""


def at_most(text: str, more: str) -> str:
    """What is said, with ``more`` where a headline has room for both."""
    return f"{text}{more}" if len(f"{text}{more}".split()) <= MOST_WORDS else text


@dataclass(frozen=True)
class Document:
    """The content of one report.

    ``headline`` is one plain sentence of at most ``MOST_WORDS`` words with the main figure: what people typed does not
    belong there, or briefly. ``next_step`` says what to do now, or what would fill a report that has nothing to say.
    ``summary`` holds ordered scalars; ``titles`` say what people read for its keys, ``words`` names those that are
    words of the program, as in a table, ``units`` what its numbers are in, ``better`` whether more or less of them is
    good. ``tables`` carry the rows; all formats show the same ones. ``warnings`` that are an ``Alarm`` ask for an act.
    ``footnotes`` say where a figure can be looked up (route) or which rule it follows.
    ``pictures`` and ``story`` are for pages; what they show stands in the tables. ``title`` takes the place of the
    report's where what was asked changes what it is about, and ``foremost`` names the key figures that a page then
    leads with, all others being behind its disclosure. ``unfounded`` are figures about which nothing is on record.
    """

    headline: str
    next_step: str = ""
    summary: Mapping[str, Any] = field(default_factory=dict)  # scalars
    tables: Sequence[Table] = ()
    coverage: Coverage | None = None
    charts: Sequence[Chart] = ()
    events: Sequence[CalendarEvent] = ()
    definitions: Mapping[str, str] = field(default_factory=dict)
    warnings: Sequence[str] = ()
    footnotes: Sequence[str] = ()
    words: Sequence[str] = ()
    titles: Mapping[str, str] = field(default_factory=dict)
    pictures: Sequence[Picture] = ()
    story: BoardStory | None = None
    units: Mapping[str, str] = field(default_factory=dict)
    better: Mapping[str, Better] = field(default_factory=dict)
    title: str = ""
    foremost: Sequence[str] = ()
    unfounded: Sequence[str] = ()

    def table(self, name: str) -> Table:
        """The table of that name; KeyError without one."""
        for table in self.tables:
            if table.name == name:
                return table
        raise KeyError(f"there is no table {name!r}; there are: {', '.join(table.name for table in self.tables)}")


@dataclass(frozen=True)
class Organization:
    """Who a report is about. ``as_of`` days are in its time zone."""

    id: str
    name: str
    time_zone: str = "UTC"


@dataclass(frozen=True)
class Position:
    """A position in an organization's audit chain: the last sequence number and its hash."""

    seq: int
    hash: str


@dataclass(frozen=True)
class Edition:
    """A document and everything that it is a function of. Same edition, same bytes."""

    report: str
    title: str
    description: str
    schema_version: int
    organization: Organization
    as_of: date
    revision: Position
    parameters: Mapping[str, Any]  # what the report declares: numbers and texts
    settings_version: int
    document: Document
    people: Mapping[str, str] = field(default_factory=dict)  # address → what people call whom it belongs to
    titles: Mapping[str, str] = field(default_factory=dict)  # identifier of a record → what people call it
    own_frameworks: Mapping[str, str] = field(
        default_factory=dict
    )  # identifier → what a framework of one's own is called

    def readable(self, text: str) -> str:
        """A sentence as people read it: days spelled, the names of people before their addresses."""
        sentence = spelled_days(text)
        return (
            _ADDRESS.sub(lambda match: _name_and_address(self.people, match[0]), sentence) if self.people else sentence
        )
