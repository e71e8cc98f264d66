"""A report told on two sheets: what happened, why, what is to be decided, and what comes otherwise."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from engine.model.documents.pictures import TrendPicture


@dataclass(frozen=True)
class StoryMark:
    """What happened at a mark of the picture."""

    on: date
    change: float
    what: str


@dataclass(frozen=True)
class StoryDecision:
    """What is asked of whom, by when and for how many hours; ``otherwise`` is what comes without it."""

    what: str
    why: str
    who: str | None
    due_on: date | None
    hours: float | None
    otherwise: str


@dataclass(frozen=True)
class BoardStory:
    """The first sheet of a report; the second has its tables. ``picture`` is None where there is nothing to draw."""

    picture: TrendPicture | None
    marks: Sequence[StoryMark]
    why: Sequence[str]
    decisions: Sequence[StoryDecision]
