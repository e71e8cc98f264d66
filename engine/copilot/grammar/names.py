"""The organization's own names in a question: services, vendors, people, committees, frameworks, controls, records."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from engine.copilot.entities.columns import MOST_TEXTS
from engine.copilot.entities.entity import Records
from engine.copilot.grammar.everyday import is_everyday, is_filler
from engine.copilot.grammar.text import plain, root, stem, stems, words
from engine.model.vocabulary import FRAMEWORK_NAMES, ROLES

Phrase = tuple[str, ...]
_CALLED = ("service", "vendor", "person", "sender", "playbook")  # whose names may hold a noun
# how people write a framework; the first is how we do
FRAMEWORKS: Mapping[str, tuple[str, ...]] = {
    "soc2": ("soc 2", "soc2", "soc-2", "soc", "soc ii", "type ii", "soc 2 type ii", "trust services criteria", "tsc"),
    "iso27001": ("iso 27001", "iso27001", "iso-27001", "iso", "27001", "iso 27k", "annex a"),
    "pci-dss": ("pci dss", "pci-dss", "pci", "pci dss 4", "pci-dss v4"),
    "hipaa": ("hipaa", "security rule", "hippa"),
    "nist-csf": ("nist csf", "nist-csf", "nist", "csf", "nist cybersecurity framework"),
    "cis-v8": ("cis controls", "cis v8", "cis-v8", "cis", "cis 8"),
    "cmmc-l2": ("cmmc", "cmmc l2", "cmmc-l2", "cmmc level 2", "cmmc 2"),
    "gdpr-art32": ("gdpr", "gdpr article 32", "gdpr-art32", "article 32", "gdpr art 32"),
    "fedramp-poam": ("fedramp", "fedramp poam", "fedramp-poam"),
}
_TITLES = frozenset((*ROLES, "desk", "support", "info", "security", "compliance", "team"))  # no names of people
_TITLE_WORDS = 3  # of fewer the title of a control may be what anybody says
_SHORTEST_FAMILY = 3  # letters: "P1" is a priority
_COMMON = frozenset(("committee", "of", "the", "and", "board", "group"))


@dataclass(frozen=True)
class OwnName:
    """What a phrase names: a ``kind`` of thing and its keys (a control may be one of several frameworks)."""

    kind: str
    keys: tuple[str, ...]
    label: str


class Names:
    """All names of one organization, by the phrases that people use; what two things are called names neither."""

    def __init__(self, records: Records) -> None:
        self._records = records

    @cached_property
    def by_phrase(self) -> Mapping[Phrase, OwnName]:
        """Each name by its words."""
        own_names: dict[Phrase, OwnName] = {}
        for spoken in (
            self._senders(),
            self._playbooks(),
            self._people(),
            self._vendors(),
            self._committees(),
            self._services(),
            self._own_controls(),
            self._families(),
            self._controls(),
            self._frameworks(),
            self._incidents(),
        ):
            own_names.update(_unique(spoken))
        return own_names

    @cached_property
    def leavers(self) -> tuple[str, ...]:
        """The addresses of the people who left."""
        people = self._records.table("users")
        return tuple(people.filter(~pl.col("active"))["email"]) if "active" in people.columns else ()

    @cached_property
    def singles(self) -> frozenset[str]:
        """The names of one word."""
        return frozenset(phrase[0] for phrase in self.by_phrase if len(phrase) == 1)

    @cached_property
    def called_words(self) -> frozenset[str]:
        """The words that services, vendors and people are called by."""
        labels = {name.label for name in self.by_phrase.values() if name.kind in _CALLED}
        return frozenset(word for label in labels for word in words(plain(label.partition("@")[0])))

    def subject_words(self, said: Sequence[str]) -> tuple[str, ...]:
        """The words in the singular, but for those that name a service, a vendor or a person."""
        left: list[str] = []
        at = 0
        while at < len(said):
            for length in range(min(6, len(said) - at), 0, -1):
                raw = tuple(said[at : at + length])
                name = self.by_phrase.get(raw) or self.by_phrase.get(tuple(map(stem, raw)))
                if name is not None and name.kind in _CALLED:
                    at += length
                    left.append("")
                    break
            else:
                left.append(stem(said[at]))
                at += 1
        return tuple(left)

    def _services(self) -> Iterator[tuple[str, OwnName]]:
        for key, name in self._records.table("services").select("id", "name").iter_rows():
            known = OwnName("service", (key,), name)
            yield from ((said, known) for said in {name, key, name.replace("-", "")})

    def with_titles(self, text: str) -> str:
        """The text with a shared title where its words stand in order: "did a certificate come close to expiry"."""
        said = list(re.finditer(r"[\w-]+", text))
        roots = [root(stem(one[0].lower())) for one in said]
        for title, told in self._titles:
            ends = [n for n, one in enumerate(roots) if one == told[0]][:1]
            for one in told[1:] if ends else ():
                ends += [n for n in range(ends[-1] + 1, min(ends[-1] + 4, len(roots))) if roots[n] == one][:1]
            if len(ends) == len(told):
                kept = [said[n][0] for n in range(ends[0], ends[-1]) if n not in ends and not _is_idle(said[n][0])]
                return f"{text[: said[ends[0]].start()]}{title} {' '.join(kept)}{text[said[ends[-1]].end() :]}"
        return text

    @cached_property
    def _titles(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """The titles that many incidents or findings share, each with the roots of its telling words."""
        found = []
        for table in ("incidents", "findings"):
            titles = self._records.table(table)["title"].drop_nulls().unique().sort()
            for title in titles if titles.len() <= MOST_TEXTS else ():
                told = tuple(root(stem(word)) for word in words(plain(title)) if word == "not" or not _is_idle(word))
                found += [(title, told)] if len(told) > 1 else []
        return tuple(found)

    def _senders(self) -> Iterator[tuple[str, OwnName]]:
        rows = self._records.table("service_senders").select("token", "source").unique().sort("token", "source")
        for token, source in rows.iter_rows():
            known = OwnName("sender", (f"{token} / {source}",), token)
            yield from ((said, known) for said in {token, source, f"{token} {source}"})

    def _playbooks(self) -> Iterator[tuple[str, OwnName]]:
        for key in self._records.fact("automation_runs")["playbook"].unique().sort():
            yield key, OwnName("playbook", (key,), key)

    def _vendors(self) -> Iterator[tuple[str, OwnName]]:
        for key, name in self._records.fact("vendors").select("vendor_id", "name").iter_rows():
            known = OwnName("vendor", (key,), name)
            yield from ((said, known) for said in {name, key, name.split()[0]})

    def _people(self) -> Iterator[tuple[str, OwnName]]:
        for email, name, title in self._records.table("users").select("email", "name", "title").iter_rows():
            known = OwnName("person", (email,), email)
            yield from ((said, known) for said in _posts(title or ""))
            local = email.partition("@")[0]
            yield from ((said, known) for said in {email, local, local.replace(".", " ")} if said not in _TITLES)
            if name:
                yield from ((said, known) for said in {name, *name.split()} if said.lower() not in _TITLES)

    def _committees(self) -> Iterator[tuple[str, OwnName]]:
        for key, name in self._records.fact("committees").select("committee_id", "name").iter_rows():
            known = OwnName("committee", (key,), name)
            yield from ((said, known) for said in (name, key))
            if "Board" in name.split():
                yield from ((said, known) for said in ("board", "board meeting"))
            for word in {word.lower() for word in name.split()} - _COMMON:
                yield from (
                    (f"{word} {kind}", known) for kind in ("committee", "meeting", "committee meeting", "board")
                )
                if word == "steering":
                    yield word, known

    def _incidents(self) -> Iterator[tuple[str, OwnName]]:
        for key in self._records.table("incidents")["id"]:
            yield key, OwnName("incident", (key,), key)

    def _controls(self) -> Iterator[tuple[str, OwnName]]:
        rows = self._records.fact("control_status").select("framework", "control_id")
        keys: dict[str, tuple[str, ...]] = {}
        for framework, control in rows.iter_rows():
            keys[control] = (*keys.get(control, ()), f"{framework}:{control}")
        for control, found in keys.items():
            if any(c.isdigit() for c in control) and not control.isdigit():
                known = OwnName("control", found, control)
                yield from (
                    (text, known)
                    for text in {control, control.removeprefix("A."), f"control {control}", *found}
                    if text == control or ("." in text and (text.startswith("A") or " " in text or ":" in text))
                )

    def _families(self) -> Iterator[tuple[str, OwnName]]:
        """The controls whose numbers begin alike: "CC6", "A.8", "DE.CM", "164.312(a)"."""
        keys: dict[str, tuple[str, ...]] = {}
        for framework, control in self._records.fact("control_status").select("framework", "control_id").iter_rows():
            lettered = control[:1].isalpha() or framework == "hipaa"
            for sign in re.finditer(r"[.(-]", control) if lettered else ():
                family = control[: sign.start()]
                keys[family] = (*keys.get(family, ()), f"{framework}:{control}")
        for family, found in keys.items():
            if len(family) >= _SHORTEST_FAMILY and re.search(r"\w\.\w|[a-zA-Z]\d", family):
                known = OwnName("control", tuple(dict.fromkeys(found)), family)
                yield family, known
                if (
                    family.endswith(")") and f"{family}(1)" not in keys
                ):  # the standard that its specifications stand below
                    yield f"{family}(1)", known

    def _frameworks(self) -> Iterator[tuple[str, OwnName]]:
        for key, spellings in FRAMEWORKS.items():
            for spelling in spellings:
                yield spelling, OwnName("framework", (key,), FRAMEWORK_NAMES[key])
        for key, name in self._own_frameworks.items():
            for spelling in spellings_of(key, name):
                yield spelling, OwnName("framework", (key,), name)

    @cached_property
    def _own_frameworks(self) -> Mapping[str, str]:
        """The titles of the organization's own frameworks."""
        return dict(self._records.fact("own_frameworks").select("framework", "name").iter_rows())

    def _own_controls(self) -> Iterator[tuple[str, OwnName]]:
        """Controls of one's own, by identifiers that are no words and by titles that are no common phrase."""
        rows = self._records.fact("own_controls").filter("assessable").select("framework", "control_id", "title")
        for framework, control, title in rows.iter_rows():
            known = OwnName("control", (f"{framework}:{control}",), control)
            yield f"{framework}:{control}", known
            if not control.isdigit() and not control.isalpha():
                yield control, known
            if len(title.split()) >= _TITLE_WORDS:
                yield title, known


def _is_idle(word: str) -> bool:
    return is_everyday(word.lower()) or is_filler(word.lower())


def _posts(title: str) -> Iterator[str]:
    """A post of several words, and its short form: "Chief Information Security Officer" is the CISO."""
    said = title.split()
    if len(said) > 1 and not {word.lower() for word in said} <= _TITLES:
        yield title
    if "Chief" in said[:-2]:
        yield "".join(word[0] for word in said[said.index("Chief") :])


def spellings_of(framework: str, name: str) -> frozenset[str]:
    """How people write a framework of their own: its identifier, with blanks for signs, and its title."""
    return frozenset((framework, framework.replace("-", " ").replace("_", " "), name))


def _unique(spoken: Iterable[tuple[str, OwnName]]) -> dict[Phrase, OwnName]:
    """Phrases that name one thing alone."""
    pairs = {(stems(text), name) for text, name in spoken}
    counted = Counter(phrase for phrase, _ in pairs)
    return {phrase: name for phrase, name in pairs if phrase and counted[phrase] == 1}
