"""Everybody's words for how bad it is, on five levels."""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from engine.intake.values import line
from engine.model.vocabulary import SEVERITIES, Severity

_SPELLED: dict[Severity, str] = {
    "critical": "critical crit fatal emergency emerg page urgent disaster blocker p0 p1 sev0 sev1",
    "high": "high error err major p2 sev2",
    "medium": "medium moderate warning warn average p3 sev3",
    "low": "low minor notice p4 sev4",
    "info": "info informational information debug none ok p5 sev5",
}
_RANKS = {level: rank for rank, level in enumerate(SEVERITIES)}
EXPECTED_SEVERITY = f"one of {', '.join(SEVERITIES)}, or a usual word for one"
WORDS: Mapping[str, Severity] = MappingProxyType(
    {word: level for level, words in _SPELLED.items() for word in words.split()}
)

_FILLERS = re.compile(r"[\s_-]+")


class SeverityRating(NamedTuple):
    """``given`` is False when the sender said nothing, or a word that nobody knows; ``text`` is what it said."""

    level: Severity
    text: str | None
    given: bool


def severity(*candidates: object, words: Mapping[str, Severity] = WORDS) -> SeverityRating:
    """The first candidate that ``words`` knows; else medium, with the first text that came."""
    unknown = None
    for candidate in candidates:
        text = None if candidate is None else line(candidate, 60)
        if text is None:
            continue
        level = words.get(text) or words.get(_spelling(text))
        if level is not None:
            return SeverityRating(level, text, True)
        unknown = unknown or text
    return SeverityRating("medium", unknown, False)


def highest(left: Severity, right: Severity) -> Severity:
    """The worse of two levels."""
    return left if _RANKS[left] <= _RANKS[right] else right


def _spelling(text: str) -> str:
    """What tables of severity words are keyed by: ``SEV-1`` is sev1."""
    return _FILLERS.sub("", text).lower()
