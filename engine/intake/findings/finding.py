"""One weakness on one host, whichever scanner found it."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import islice
from typing import NamedTuple, TypedDict

from engine.intake.severity import WORDS, SeverityRating, highest, severity
from engine.intake.times import instant
from engine.intake.values import as_list, flag, line, number, whole_number
from engine.model.vocabulary import SCAN_STATES, SEVERE, Disposition, ScanState, Severity

CVES = 100
LOOKED_AT = 500

# Least score of each level, CVSS version 3.
BANDS: Mapping[Severity, float] = {"critical": 9.0, "high": 7.0, "medium": 4.0, "low": 0.1, "info": 0.0}

KNOWN_EXPLOITED = ("known_exploited", "kev", "cisa_kev", "in_kev", "cisa_known_exploited")
PACKAGE_RATINGS: Mapping[str, Severity] = {**WORDS, "negligible": "info"}
REFERENCES = ("xref", "xrefs", "rti", "threat_intel", "threat_intelligence", "threat_intelligences")
BASES = ("#text", "BASE", "base", "score", "CVSS3_BASE", "CVSS_BASE")
DETAIL = 300

_CVE = re.compile(r"CVE-\d{4}-\d{4,10}", re.IGNORECASE)
_SCORE = re.compile(r"\s*(\d{1,2}(?:\.\d{1,4})?)(?![\d.])")
_KEV = re.compile(r"cisa.{0,3}known.{0,3}exploited", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Finding:
    """``key`` identifies it for upserts; ``check`` is the scanner's number of the test, or the sender's finding_id.

    ``rule`` is what it has in common with those of other hosts, where ``check`` is of one host.
    ``first_seen_at`` and ``last_seen_at`` default to the receipt and are never later. ``disposition`` is a person's
    decision in the scanner (accepted, false_positive), which opens no incident. ``fixed_at`` goes with status fixed.
    ``stated_at`` is the scanner's time of the statement, where it sends one for each change and these may overtake.
    """

    source: str
    key: str
    check: str
    host: str
    title: str
    severity: Severity
    severity_text: str | None
    severity_given: bool
    status: ScanState
    first_seen_at: datetime
    last_seen_at: datetime
    fixed_at: datetime | None = None
    disposition: Disposition | None = None
    asset_id: str | None = None
    service: str | None = None
    port: int | None = None
    protocol: str | None = None
    cves: tuple[str, ...] = ()
    cvss: float | None = None
    epss: float | None = None
    known_exploited: bool = False
    internet_reachable: bool | None = None
    details: Mapping[str, str] = field(default_factory=dict)
    stated_at: datetime | None = None
    rule: str | None = None

    @property
    def opens_incident(self) -> bool:
        """Critical or high, not fixed, and nobody decided to live with it."""
        return self.severity in SEVERE and self.status != "fixed" and self.disposition is None

    def is_overtaken(self, fixed_at: datetime | None, last_seen_at: datetime) -> bool:
        """Whether what is known of it was stated later: that it was fixed since, or that it was seen after the fix."""
        known = last_seen_at if self.status == "fixed" else fixed_at
        return self.stated_at is not None and known is not None and self.stated_at < known


class HostNames(NamedTuple):
    """What a scanner calls a host: the number of its asset, its address, its name. At least one is there."""

    asset: str | None
    address: str | None
    name: str | None

    @property
    def label(self) -> str:
        """For people: the name first."""
        return self.name or self.address or self.asset or ""

    @property
    def key(self) -> str:
        """For keys: the number first, which a new name or address does not change."""
        return (self.asset or self.address or self.name or "").lower()


class FindingTimes(TypedDict):
    """The fields of a finding that say when, and the state that ``fixed_at`` goes with."""

    status: ScanState
    first_seen_at: datetime
    last_seen_at: datetime
    fixed_at: datetime | None


def order_times(
    status: ScanState, first_seen: object, last_seen: object, fixed: object, received_at: datetime
) -> FindingTimes:
    """First seen, last seen and fixed, in order and none after the receipt."""
    last = min(instant(last_seen) or received_at, received_at)
    return {
        "status": status,
        "first_seen_at": min(instant(first_seen) or last, last),
        "last_seen_at": last,
        "fixed_at": min(instant(fixed) or received_at, received_at) if status == "fixed" else None,
    }


def rate_by_score(stated: SeverityRating, cvss: float | None) -> SeverityRating:
    """A severity that nobody stated, out of the CVSS score."""
    if stated.text is not None or stated.given or cvss is None:
        return stated
    return SeverityRating(next(level for level, least in BANDS.items() if cvss >= least), f"CVSS {cvss:g}", True)


def rate_by_words(cvss: float | None, *words: object) -> SeverityRating:
    """The first word of a scanner of packages that says how bad it is; "unknown" leaves it to the score."""
    stated = severity(*words, words=PACKAGE_RATINGS)
    return stated if stated.given or cvss is None else rate_by_score(SeverityRating("medium", None, False), cvss)


def score(*candidates: object, high: float = 10.0) -> float | None:
    """The first number from 0 to ``high``, also out of ``8.1 (AV:N/…)`` or an object that holds one."""
    for candidate in candidates:
        value = _inner_score(candidate) if isinstance(candidate, dict) else candidate
        if isinstance(value, str):
            matched = _SCORE.match(value[:60])
            value = matched[1] if matched else None
        found = number(value)
        if found is not None and 0 <= found <= high:
            return found
    return None


def _inner_score(value: Mapping[str, object]) -> object:
    inner = next((value[name] for name in BASES if name in value), None)
    return inner.get("#text") if isinstance(inner, dict) else inner


def cves(*candidates: object) -> tuple[str, ...]:
    """All CVE identifiers in lists, comma lists and objects with an ID, sorted; at most 100."""
    found: set[str] = set()
    for candidate in candidates:
        for entry in _inner(candidate)[:1000] if candidate is not None else ():
            text = entry.get("ID", entry.get("id")) if isinstance(entry, dict) else entry
            if isinstance(text, str):
                found.update(identifier.upper() for identifier in _CVE.findall(text[:20_000]))
    return tuple(sorted(found)[:CVES])


def is_known_exploited(*records: Mapping[str, object]) -> bool:
    """Whether a flag says so, or a reference to CISA's catalogue of known exploited vulnerabilities."""
    for record in records:
        if any(name in record and flag(record[name]) for name in KNOWN_EXPLOITED):
            return True
        for name in REFERENCES:
            if name in record and any(_KEV.search(text) for text in _texts(record[name])):
                return True
    return False


def details(**values: object) -> dict[str, str]:
    """What is worth keeping beside the columns: short, without what is absent."""
    return {name: text for name, value in values.items() if value is not None and (text := line(value, DETAIL))}


def merge(left: Finding, right: Finding) -> Finding:
    """Two reports of one finding in one body, such as a row for each CVE."""
    status = min(left.status, right.status, key=SCAN_STATES.index)
    worse = left if highest(left.severity, right.severity) == left.severity else right
    fixed = [moment for moment in (left.fixed_at, right.fixed_at) if moment is not None and status == "fixed"]
    return replace(
        left,
        severity=worse.severity,
        severity_text=worse.severity_text,
        severity_given=worse.severity_given,
        status=status,
        first_seen_at=min(left.first_seen_at, right.first_seen_at),
        last_seen_at=max(left.last_seen_at, right.last_seen_at),
        fixed_at=max(fixed, default=None),
        disposition=left.disposition if left.disposition == right.disposition else None,
        cves=tuple(sorted({*left.cves, *right.cves})[:CVES]),
        cvss=_larger(left.cvss, right.cvss),
        epss=_larger(left.epss, right.epss),
        known_exploited=left.known_exploited or right.known_exploited,
        internet_reachable=left.internet_reachable or right.internet_reachable,
        details={**right.details, **left.details},
    )


def _larger(left: float | None, right: float | None) -> float | None:
    return max((value for value in (left, right) if value is not None), default=None)


def _inner(value: object) -> list[object]:
    if isinstance(value, dict):
        value = next((value[name] for name in ("CVE", "cve", "CVE_ID") if name in value), value)
    return as_list(value)


def _texts(value: object) -> Iterator[str]:
    """The texts inside lists and objects, as far as the first 500 values."""
    waiting: list[object] = [value]
    seen = 0
    while waiting and seen < LOOKED_AT:
        inner, seen = waiting.pop(), seen + 1
        if isinstance(inner, str):
            yield inner[:200]
        else:
            entries = inner.values() if isinstance(inner, dict) else inner if isinstance(inner, list) else ()
            waiting.extend(islice(entries, LOOKED_AT))


def port_of(value: object) -> int | None:
    """A port; 0 stands for the host as a whole."""
    return whole_number(value, 1, 65535)
