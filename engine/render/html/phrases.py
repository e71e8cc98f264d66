"""Names of things within sentences, as links: ``SOC 2 CC6.1``, ``REQ-2026-0061``, an address, a person, a vendor."""

import re
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache

from markupsafe import Markup, escape

from engine.catalogue import catalogue
from engine.model.days import spelled_days
from engine.model.entities import EntityKind
from engine.model.vocabulary import FRAMEWORK_NAMES
from engine.render.links import NAMED, Links, ThingKey
from engine.render.words import label

_FRAMEWORKS = {
    **{f"{name} ": framework for framework, name in FRAMEWORK_NAMES.items()},
    **{f"{framework}:": framework for framework in FRAMEWORK_NAMES},
}  # as people say them, and as keys do
_CONTROL = rf"(?P<framework>{'|'.join(map(re.escape, _FRAMEWORKS))})(?P<control>[0-9A-Z][0-9A-Za-z.()/:-]*)"
_OWN_CONTROL = r"(?P<own_control>[0-9A-Za-z][0-9A-Za-z._()/:-]*)"
_ADDRESS = r"(?P<address>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)"
_ID = r"(?P<id>\b[A-Z][0-9A-Za-z]*(?:-[0-9A-Za-z]+)+)"
_LOW = r"(?P<low>\b[a-z]+(?:-[0-9a-zA-Z]+)+)"
_BARE = r"(?P<bare>\b[0-9A-Z][0-9A-Za-z]*\.[0-9A-Za-z.()/-]*|\b[A-Z]{1,3}\d[0-9.]*)"
ROUTES = "/api/"
_ROUTE = re.compile(r"(/api/[a-z0-9/_-]+(?:\?[\w=&]+)?)(?: \([a-z_]+(?:, [a-z_]+)*\))?")
_POSTED = re.compile(r"(?:, or|:) post (?:it )?to /api/[a-z0-9/_-]+,?")
_WHOLE = re.compile(
    r"(?<!\S)\(?[\d,.]*\d (?:%|(?:h|hours?|points?|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\b)"
)  # a number and what it is of, or a day and its month
_BEHIND = ".,:;)/-"  # what may follow an identifier within a sentence and is no part of it


def with_links(text: str, links: Links) -> Markup:
    """A sentence as HTML, in which each thing that has a page leads to it, people are called by name, days spelled.

    A route of the interface is called by what it answers, and leads to its page; how a program posts to it is left out.
    """
    if text not in links.sentences:
        links.sentences[text] = _with_links(text, links)
    return links.sentences[text]


def _with_links(text: str, links: Links) -> Markup:
    if ROUTES not in text:
        return _with_things(text, links)
    parts = _ROUTE.split(_POSTED.sub("", text))
    return Markup("").join(
        _report_link(part, links) if place % 2 else _with_things(part, links) for place, part in enumerate(parts)
    )


def _report_link(route: str, links: Links) -> Markup:
    name = route.partition("?")[0].rpartition("/")[2]
    text, address = FRAMEWORK_NAMES.get(name) or label(name), links.report(name, route.partition("?")[0])
    return Markup('<a href="{}">{}</a>').format(address, text) if address else escape(text)


def _with_things(text: str, links: Links) -> Markup:
    text, markups, at = spelled_days(text), [], 0
    for start, end, thing in _things(text, links):
        sentence = text[start:end]
        address = links.href(*thing) if thing else ""
        reading = _reading(sentence, thing, text, links)
        if address or reading != sentence:
            full = Markup(' title="{}"').format(sentence) if reading != sentence else ""
            tag = Markup('<a href="{}"{}>{}</a>').format(address, full, reading)
            bare = Markup("<span{}>{}</span>").format(full, reading) if full and thing is None else escape(reading)
            markups += [_plain(text[at:start]), tag if address else bare]
            at = end
    return Markup("").join([*markups, _plain(text[at:])])


def _plain(text: str) -> Markup:
    """Text as HTML in which a number keeps its unit, and a day its month, on one line."""
    return Markup(_WHOLE.sub(_whole, str(escape(text))))  # noqa: S704 - escaped, and a span around digits and words


def _whole(found: re.Match[str]) -> str:
    return f'<span class="whole">{found[0]}</span>'


def _reading(sentence: str, thing: ThingKey | None, text: str, links: Links) -> str:
    """What people read for a name in a sentence: a title, unless the sentence has it already."""
    if thing is None or thing[0] in ("request", "incident"):
        title = (links.title(*thing) if thing else "") or links.records.get(sentence, "")
        return sentence if not title or title in text else title
    return links.name(*thing, thing[1]) if thing[0] in NAMED or ":" in sentence else sentence


def _things(text: str, links: Links) -> Iterator[tuple[int, int, ThingKey | None]]:
    """What a sentence names, from where to where; None is a record without a page."""
    own = {called: name for name, title in links.own_frameworks.items() for called in (f"{title} ", f"{name}:")}
    for match in _pattern(frozenset(links.phrases), frozenset(own)).finditer(text):
        start, end = match.span()
        sentence = match[0]
        if match["control"]:
            control = _leading_control(_FRAMEWORKS[match["framework"]], match["control"], links)
            if control:
                _, _, name = control.partition(":")
                yield start, match.start("control") + len(name), ("control", control)
        elif match["own_control"]:
            control = _leading_control(own[match["own_framework"]], match["own_control"], links)
            if control:
                yield start, match.start("own_control") + len(control.partition(":")[2]), ("control", control)
        elif match["address"]:
            yield start, end, ("owner", sentence)
        elif match["bare"]:
            control = _leading_control(links.framework, sentence, links) if _is_no_number(sentence) else ""
            if control:
                yield start, start + len(control.partition(":")[2]), ("control", control)
        elif match["id"]:
            if sentence in links.ids:
                yield start, end, (links.ids[sentence], sentence)
            elif control := _leading_control(links.framework, sentence, links):
                yield start, start + len(control.partition(":")[2]), ("control", control)
            elif sentence in links.records:
                yield start, end, None
        elif match["low"]:
            if sentence in links.ids or sentence in links.records:
                yield start, end, (links.ids[sentence], sentence) if sentence in links.ids else None
        else:
            yield start, end, links.phrases[sentence]


def _is_no_number(text: str) -> bool:
    """Whether an identifier alone, without its framework, could be nothing else: 8.2 may be a figure."""
    return text.count(".") > 1 or any(map(str.isalpha, text))


def _leading_control(framework: str, text: str, links: Links) -> str:
    """``framework:control`` of the control that a text begins with; empty where the catalogue has none.

    Of a framework of one's own a control is there that has a page.
    """
    known, is_own = catalogue(), framework in links.own_frameworks
    while text:
        if known.has_control(framework, text) or (is_own and links.href("control", f"{framework}:{text}")):
            return f"{framework}:{text}"
        if text[-1] not in _BEHIND:
            return ""
        text = text[:-1]
    return ""


def phrases(names: Mapping[EntityKind, Mapping[str, str]]) -> dict[str, ThingKey]:
    """What people and vendors are called, of ``names`` by kind and key; a name that two have leads nowhere."""
    found: dict[str, list[ThingKey]] = {}
    called: tuple[EntityKind, ...] = ("owner", "vendor")
    for kind in called:
        for key, name in names.get(kind, {}).items():
            if name != key:
                found.setdefault(name, []).append((kind, key))
    return {name: things[0] for name, things in found.items() if len(things) == 1}


@lru_cache(maxsize=16)
def _pattern(names: Collection[str], own_frameworks: Collection[str]) -> re.Pattern[str]:
    """Longer names first, so that none is taken for the beginning of another."""
    every = "|".join(map(re.escape, sorted(names, key=_longest_first)))
    called = [rf"\b(?:{every})(?!\w)"] if names else []  # one look at the word's edge for all of them
    owns = "|".join(map(re.escape, sorted(own_frameworks, key=_longest_first)))
    own = [rf"\b(?P<own_framework>{owns}){_OWN_CONTROL}"] if owns else [r"(?P<own_control>(?!))"]
    return re.compile("|".join([_CONTROL, *own, _ADDRESS, _ID, *called, _LOW, _BARE]))


def _longest_first(name: str) -> tuple[int, str]:
    return -len(name), name
