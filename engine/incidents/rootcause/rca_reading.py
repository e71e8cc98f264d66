"""What the words of a record say: the nature of the trouble, when a certificate ends, whom they name."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Literal, TypeAlias

from engine.incidents.review.durations import similarity, tokens

Nature: TypeAlias = Literal["certificate", "capacity", "vendor_outage", "symptom"]
SAME_SYMPTOM = 0.6  # from this likeness on, without the service's own name, two titles are one symptom
LEAST_NAME = 2  # letters of a name that is looked for in texts
LEAST_WORD = 5  # letters of the first word of a vendor's name that may stand for all of it

_CERTIFICATE = re.compile(
    r"\b(certificates?|certs?|x ?509|m?tls|ssl|handshakes?|(?:root|issuing|intermediate) ca|let s encrypt)\b"
)
_ENDS = re.compile(
    r"\bexpir|\b(ran|run|runs) out\b|\blapsed?\b|\bnot ?after\b|\bno longer valid\b|\binvalid\b|\brenew"
    r"|\bvalid(ity)? (until|to|ends?|ended)\b|\b(certificates?|certs?) (ends?|ended)\b|\bend date\b|\bout of date\b"
)
_ENDED = re.compile(
    r"\b(has |have |is |are )?expired\b|\bran out\b|\blapsed\b|\bnot ?after\b|\bno longer valid\b|\binvalid\b"
    r"|\bnot yet valid\b|\bended\b|\bpast its\b|\bout of date\b"
)
_RESOURCE = re.compile(
    r"\b(disks?|volumes?|file ?systems?|inodes?|storage|tablespace|memory|mem|heap|ram|swap|cpu|processor|connections?"
    r"|conns?|pools?|buffers?|threads?|workers?|queues?|backlog|consumers?|descriptors?|files|iops|bandwidth|quota|sockets?|slots"
    r"|licen[cs]es|node|capacity|cache|limits?|maxmemory|address(?:es)?|autoscal\w+"
    r"|(?:disk|log|data|root) partition)\b"
)
_SHORTAGE = re.compile(
    r"\b(full|fills?|filling|exhaust\w*|saturat\w*|starv\w*|maxed|max|limit|limits|reached|exceeded|ran out|run out"
    r"|running out|out of|insufficient|deplet\w*|busy|maximum|used up|leak\w*"
    r"|growing|grows|rising|rises|climbing|pressure|evict\w*|too many|too high|too small"
    r"|nearly|high|lag|used|usage|spike\w*)\b|\b(8[5-9]|9\d|100) (?:%|percent)"
)
_ALONE = re.compile(
    r"\boom|\bout of memory\b|\benospc\b|\bno space left\b|\bsaturat|\bthrottl|\boverload|\bexhaust|\brate limit"
    r"|\bmax connections\b|\btoo many (connections|open files|requests|clients)\b|\bgc thrash|\bcapacity\b|\bquota\b"
    r"|\bload average\b|\bremaining connection slots\b"
    r"|\blow (?:on )?(?:disk|memory|space|storage)\b|\b(?:disk|memory|space|storage) (?:is |too |very )?low\b"
)
_VENDOR = re.compile(
    r"\b(vendors?|(?<!identity )providers?|suppliers?|carriers?|third party|3rd party|status page|isps?|telcos?"
    r"|payment processor|partner apis?|external (?:apis?|services?|systems?|dependenc(?:y|ies)))\b"
)
# third parties that half the world uses: their outages are told by name, whether or not the register has them
_EVERYBODYS = re.compile(
    r"\b(aws|amazon|azure|gcp|google cloud|microsoft 365|cloudflare|fastly|akamai|stripe|adyen|paypal|twilio|sendgrid"
    r"|mailgun|okta|auth0|github|gitlab|slack|snowflake|salesforce|heroku|hetzner|ovh)\b"
)
_OUTAGE = re.compile(r"\b(outages?|down|degrad\w+|disruptions?|unavailable|incident|unreachable)\b")
_CHANGE = re.compile(
    r"\b(deploy\w*|release[ds]?|roll ?outs?|rolled (out|back)|changes?|changed|config\w*|migrations?|regressions?"
    r"|feature flags?|upgrades?|upgraded|patch\w*)\b"
)
_UPSTREAM = re.compile(r"\b(upstream|dependenc\w+|downstream|databases?|timeouts?)\b")
_CALLS = r"(?:upstream|dependency|from|to|calling|calls to|talking to|by|via|against|waiting for|because of)"
_IN = re.compile(r"\b(?:in|within) (\d{1,4}) (minute|hour|day|week)s?\b")
_DATE = re.compile(r"\b(20\d\d)[ -](\d\d)[ -](\d\d)\b")
_SPACES = re.compile(r"[^\w%]+|_+")
_SUFFIXES = frozenset({"inc", "ltd", "llc", "gmbh", "ag", "corp", "plc", "sa", "bv", "limited", "co"})
# first words of names of companies that say nothing on their own
_COMMON = frozenset(
    {"cloud", "global", "first", "united", "national", "general", "digital", "secure", "smart", "american"}
)


def plain(*texts: str | None) -> str:
    """The texts in small letters, words apart by one space: what the expressions here are written for."""
    sentence = " ".join(text for text in texts if text)
    return (
        _SPACES.sub(" ", unicodedata.normalize("NFKC", sentence).casefold())
        .replace("%", " %")
        .replace("  ", " ")
        .strip()
    )


def nature(text: str) -> Nature:
    """What sort of trouble a plain text speaks of; a symptom where it says nothing of a cause."""
    if _CERTIFICATE.search(text) and _ENDS.search(text):
        return "certificate"
    if _ALONE.search(text) or (_RESOURCE.search(text) and _shortage(text)):
        return "capacity"
    if _VENDOR.search(text) or (_EVERYBODYS.search(text) and _OUTAGE.search(text)):
        return "vendor_outage"
    return "symptom"


def _shortage(text: str) -> bool:
    """Whether something is short, by a word that is not the resource itself (a limit is both)."""
    resources = {match.start() for match in _RESOURCE.finditer(text)}
    return any(resources - {found.start()} for found in _SHORTAGE.finditer(text))


def mentions_tls(text: str) -> bool:
    """Whether a plain text speaks of certificates or the encryption that rests on them."""
    return _CERTIFICATE.search(text) is not None


def mentions_expiry(text: str) -> bool:
    """Whether a plain text says that a certificate ends or has ended; of its renewal it does not."""
    return nature(text) == "certificate" and "renew" not in text


def expiry(text: str, at: datetime) -> datetime | None:
    """When a certificate ends by a plain text of the moment ``at``; None where it only says that it will."""
    if within := _IN.search(text):
        return at + int(within[1]) * timedelta(**{f"{within[2]}s": 1})
    if "tomorrow" in text.split():
        return at + timedelta(days=1)
    if dated := _DATE.search(text):
        try:
            return datetime(int(dated[1]), int(dated[2]), int(dated[3]), tzinfo=UTC)
        except ValueError:
            return None  # looks like a date, is none
    return at if _ENDED.search(text) else None


def cause_kind(root_cause: str) -> str | None:
    """The kind of cause that an established cause speaks of, by its words; None when none does."""
    text = plain(root_cause)
    found = nature(text)
    if found != "symptom":
        return found
    if _CERTIFICATE.search(text):
        return "certificate"
    if _CHANGE.search(text):
        return "deploy"
    return "upstream" if _UPSTREAM.search(text) else None


class PlaceNames:
    """What places are called, found in plain texts."""

    def __init__(self, called: Mapping[str, Iterable[str]]) -> None:
        self._places: dict[str, list[str]] = {}
        for place, names in called.items():
            for name in names:
                if len(name) >= LEAST_NAME:
                    self._places.setdefault(name, []).append(place)
        self._longest = max((name.count(" ") + 1 for name in self._places), default=0)
        self._read: dict[str, Mapping[str, str]] = {}

    def within(self, text: str) -> Mapping[str, str]:
        """The places that a text names, each with the name; of names within one another the longest counts."""
        if text not in self._read:
            self._read[text] = dict(self._matches(text.split()))
        return self._read[text]

    def without(self, text: str) -> str:
        """A plain text without the names in it: a service called `queue` says nothing of a queue."""
        for name in sorted(self.within(text).values(), key=len, reverse=True):
            text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", " ", text)
        return " ".join(text.split())

    def _matches(self, words: Sequence[str]) -> Iterator[tuple[str, str]]:
        at = 0
        while at < len(words):
            sizes = range(min(self._longest, len(words) - at), 0, -1)
            name = next((one for size in sizes if (one := " ".join(words[at : at + size])) in self._places), None)
            if name is not None:
                yield from ((place, name) for place in self._places[name])
            at += 1 if name is None else name.count(" ") + 1


def blames(text: str, name: str) -> bool:
    """Whether a plain text says that the trouble comes from what it names."""
    return re.search(rf"\b{_CALLS} (?:the |our )?{re.escape(name)}\b", text) is not None


def service_names(service_id: str, name: str) -> tuple[str, ...]:
    """What a service is called in texts."""
    return tuple(dict.fromkeys((plain(name), plain(service_id))))


def vendor_names(vendor_id: str, name: str) -> tuple[str, ...]:
    """What a vendor is called in texts: also without its legal form, and by a first word that is its own."""
    words = [word for word in plain(name).split() if word not in _SUFFIXES]
    short = [words[0]] if words and len(words[0]) >= LEAST_WORD and words[0] not in _COMMON else []
    return tuple(dict.fromkeys((plain(name), " ".join(words), *short, plain(vendor_id))))


def same_symptom(left: str, right: str, names: Iterable[str]) -> bool:
    """Whether two titles say the same; the words of the service's own names are no likeness."""
    own = tokens(*names)
    return similarity(tokens(left) - own, tokens(right) - own) >= SAME_SYMPTOM
