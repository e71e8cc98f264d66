"""Everybody's words for how bad it is, on five levels."""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from engine.intake.values import line

LEVELS = ("critical", "high", "medium", "low", "info")
RANK: Mapping[str, int] = MappingProxyType({level: 5 - place for place, level in enumerate(LEVELS)})

_SPELLED = {
    "critical": "critical crit fatal emergency emerg page disaster blocker p1 sev1",
    "high": "high error err major p2 sev2",
    "medium": "medium moderate warning warn average p3 sev3",
    "low": "low minor notice p4 sev4",
    "info": "info informational information debug none ok p5 sev5",
}
WORDS: Mapping[str, str] = MappingProxyType(
    {word: level for level, words in _SPELLED.items() for word in words.split()}
)

_FILLERS = re.compile(r"[\s_-]+")


class Severity(NamedTuple):
    """``given`` is False when the sender said nothing, or a word that nobody knows; ``text`` is what it said."""

    level: str
    text: str | None
    given: bool


def word(text: str) -> str:
    """The spelling that tables of severity words are keyed by: ``SEV-1`` is sev1."""
    return _FILLERS.sub("", text).lower()


def severity(*candidates: Any, words: Mapping[str, str] = WORDS, default: str = "medium") -> Severity:
    """The first candidate that ``words`` knows; else ``default``, with the first text that came."""
    unknown = None
    for candidate in candidates:
        text = None if candidate is None else line(candidate, 60)
        if text is None:
            continue
        level = words.get(text) or words.get(word(text))
        if level is not None:
            return Severity(level, text, True)
        unknown = unknown or text
    return Severity(default, unknown, False)


def highest(left: str, right: str) -> str:
    """The worse of two levels."""
    return left if RANK[left] >= RANK[right] else right
