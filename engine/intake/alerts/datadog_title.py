"""Datadog's titles: ``[P2] [Triggered on {host:db1}] Disk is filling`` taken apart."""

import re
from typing import NamedTuple

_TRANSITIONS = r"Triggered|Re-Triggered|Warn|Re-Warn|No Data|Re-No Data|Renotify|Recovered"
_PREFIX = re.compile(
    rf"\s*\[(?:(?P<priority>P[1-5])|(?P<transition>{_TRANSITIONS})(?:\s+on\s+\{{(?P<scope>[^{{}}]*)\}})?)\]\s*",
    re.IGNORECASE,
)


class Heading(NamedTuple):
    """``name`` is the title without its prefixes."""

    name: str
    transition: str | None
    priority: str | None
    scope: str | None


def heading(title: str) -> Heading:
    transition = priority = scope = None
    at = 0
    while match := _PREFIX.match(title, at):
        transition, priority = transition or match["transition"], priority or match["priority"]
        scope = scope or match["scope"]
        at = match.end()
    return Heading(title[at:].strip() or title.strip(), transition, priority, scope)
