"""Hours and minutes that count back from now: "the last hour", "last 36 hours"."""

import re
from datetime import UTC, datetime, timedelta

_FEW = {"a": 1, "an": 1, "couple of": 2, "few": 3}
_RECENT = re.compile(
    r"(?:\b(?:in|over|for|during|within|from|of)\s+)?(?:\bthe\s+)?\b(?:last|past|previous)\s+"
    rf"(?:(?P<half>half (?:an )?)|(?P<n>\d{{1,4}}|{'|'.join(_FEW)})\s*)?(?P<unit>hours?|hrs?|h|minutes?|mins?)\b"
)


def find(text: str, now: datetime) -> tuple[datetime, str, str] | None:
    """The first such span of a plain text: since when, in UTC without zone, its words, and the text without them."""
    match = _RECENT.search(text)
    if match is None:
        return None
    said = match["n"] or "a"
    count = int(said) if said.isdigit() else _FEW[said]
    minutes = 30 if match["half"] else count * (1 if match["unit"].startswith("m") else 60)
    since = now.astimezone(UTC).replace(tzinfo=None) - timedelta(minutes=minutes)
    return since, " ".join(match[0].split()), f"{text[: match.start()]} {text[match.end() :]}"
