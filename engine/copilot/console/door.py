"""A door of the console: the questions that it takes, word by word, and what answers them."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from engine.copilot.answers.answers import AnswerPart, CitationList
from engine.copilot.answers.library import Library
from engine.copilot.answers.sources import route_of
from engine.copilot.grammar.everyday import is_everyday, is_filler
from engine.copilot.grammar.names import OwnName
from engine.copilot.grammar.reading import CopilotQuestion
from engine.copilot.grammar.text import stem

MOST_NAME = 6  # words of a name

Answer = Callable[[CopilotQuestion, Sequence[OwnName], Library, CitationList], AnswerPart | None]


@dataclass(frozen=True)
class Door:
    """``asks`` is a pattern of the questions; ``words`` are those that they may have beside names, spans of time and
    words that say nothing; ``kinds`` are the kinds of names that they may hold. ``answer`` may still say None.
    """

    asks: str
    words: frozenset[str]
    kinds: frozenset[str]
    answer: Answer
    windows: int = 0  # the most spans of time
    bound: bool = False  # whether it takes a number


def door(asks: str, words: str, *kinds: str, windows: int = 0, bound: bool = False) -> Callable[[Answer], Door]:
    """Makes a function the answer of a door; ``words`` is one text."""
    return lambda answer: Door(
        asks,
        frozenset(form for word in words.split() for form in (word, stem(word))),
        frozenset(kinds),
        answer,
        windows,
        bound,
    )


def is_for(one: Door, asked: CopilotQuestion, names: Sequence[OwnName], library: Library) -> bool:
    """Whether a question is for this door: it asks so, and no word, name, span of time or number is left over."""
    if (
        (asked.bound is not None) is not one.bound
        or len(asked.windows) > one.windows
        or not re.search(one.asks, asked.text)
    ):
        return False
    if any(name.kind not in one.kinds for name in names):
        return False
    return all(
        word in one.words or stem(word) in one.words or is_filler(word) or is_everyday(word)
        for word in _without_names(asked.words, library)
    )


def _without_names(said: Sequence[str], library: Library) -> Iterator[str]:
    at = 0
    while at < len(said):
        for length in range(min(MOST_NAME, len(said) - at), 0, -1):
            raw = tuple(said[at : at + length])
            if raw in library.names.by_phrase or tuple(map(stem, raw)) in library.names.by_phrase:
                at += length
                break
        else:
            yield said[at]
            at += 1


def names_of_kind(names: Sequence[OwnName], kind: str) -> list[OwnName]:
    """The names of one kind, each once."""
    return list(dict.fromkeys(name for name in names if name.kind == kind))


def route(report: str, **query: object) -> str:
    """The route of a report as it is asked."""
    asked = {name: str(value) for name, value in query.items() if value is not None}
    return f"{route_of(report)}?{urlencode(asked)}" if asked else route_of(report)
