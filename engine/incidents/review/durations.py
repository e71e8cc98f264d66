"""How long an incident took, and how alike the words of two incidents are."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

# Words of alerts that say nothing about the cause.
STOP_WORDS = frozenset(
    {"and", "are", "for", "from", "has", "have", "into", "its", "over", "than", "that", "the", "this", "under", "was"}
    | {"were", "when", "with", "alert", "alerting", "incident", "firing", "resolved", "warning", "critical", "high"}
    | {"low"}
)
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class IncidentTimes:
    """Minutes with one decimal: TTD from the start of the trouble to detection; TTA, TTM, TTR from detection.

    A time that is not there is None, and ``blanks`` says why under its name.
    """

    ttd_minutes: float | None
    tta_minutes: float | None
    ttm_minutes: float | None
    ttr_minutes: float | None
    blanks: Mapping[str, str]


_STEPS = (
    ("ttd_minutes", "started_at", "opened_at", "when the trouble began is not recorded"),
    ("tta_minutes", "opened_at", "acknowledged_at", "not acknowledged"),
    ("ttm_minutes", "opened_at", "mitigated_at", "not mitigated"),
    ("ttr_minutes", "opened_at", "resolved_at", "not resolved"),
)


def incident_times(incident: Mapping[str, object]) -> IncidentTimes:
    """TTD, TTA, TTM and TTR of an incident row; an end before its beginning is a blank, never a negative time."""
    minutes: dict[str, float | None] = {}
    blanks: dict[str, str] = {}
    for name, begin, end, missing in _STEPS:
        since, until = incident.get(begin), incident.get(end)
        minutes[name] = _minutes(since, until)
        if since is None or until is None:
            blanks[name] = missing if incident.get("opened_at") is not None else "when it was opened is not recorded"
        elif minutes[name] is None:
            blanks[name] = f"{end} is before {begin}"
    return IncidentTimes(**minutes, blanks=blanks)


def _minutes(begin: object, end: object) -> float | None:
    if not isinstance(begin, datetime) or not isinstance(end, datetime) or end < begin:
        return None
    return round((end - begin).total_seconds() / 60, 1)


def span(length: timedelta) -> str:
    """A length of time for people: 12 min, 3.5 h, 10.2 days."""
    minutes = round(length.total_seconds() / 60)
    if minutes < 1:
        return "less than a minute"
    if minutes < 120:
        return f"{minutes} min"
    return f"{minutes / 60:.1f} h" if minutes < 2880 else f"{minutes / 1440:.1f} days"


def tokens(*texts: str | None) -> frozenset[str]:
    """The words that matter, for comparing: no case, no numbers, nothing of fewer than three letters."""
    words = (word for text in texts if text for word in _WORD.findall(unicodedata.normalize("NFKC", text).casefold()))
    return frozenset(
        word for word in words if len(word) > 2 and word not in STOP_WORDS and not any(map(str.isdigit, word))
    )


def similarity(left: frozenset[str], right: frozenset[str]) -> float:
    """Dice coefficient of two sets of tokens, 0 to 1; 0 when either is empty."""
    return 2 * len(left & right) / (len(left) + len(right)) if left and right else 0.0
