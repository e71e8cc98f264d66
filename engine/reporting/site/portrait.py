"""What the page of a thing begins with: a sentence, and lines under headings."""

from collections.abc import Sequence
from typing import NamedTuple

MOST_LINES = 12
REPORTS = "/api/governance/compliance"
PROOFS = ("What proves it", "What is on record for it")  # of a control that is effective, of any other


class PortraitPart(NamedTuple):
    """Lines under a heading; ``more`` are not shown."""

    title: str
    lines: Sequence[str]
    more: int = 0


class Portrait(NamedTuple):
    """The sentence and what follows it."""

    sentence: str
    parts: Sequence[PortraitPart] = ()


def part(title: str, lines: Sequence[str]) -> PortraitPart:
    """The first of the lines, and how many others there are."""
    return PortraitPart(title, lines[:MOST_LINES], max(len(lines) - MOST_LINES, 0))


def number(count: int, what: str) -> str:
    """``1 gap``, ``1,204 gaps``."""
    return f"{count:,} {what if count == 1 else f'{what}s'}"
