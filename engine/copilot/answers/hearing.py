"""A question that was not understood, heard once more: without what was said before it, with words as they are spelt.

Nothing that was understood is heard otherwise, and whatever is answered so is not sure: it says what was left aside.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import polars as pl

from engine.copilot.answers.library import Library
from engine.copilot.answers.sentences import sort_rows
from engine.copilot.entities import ENTITIES
from engine.copilot.entities.entity import Entity
from engine.copilot.grammar.everyday import FILLERS, SAYINGS, SPOKEN, is_aside, is_everyday, is_filler
from engine.copilot.grammar.lexicon import ORDERS, WEEKDAYS
from engine.copilot.grammar.moments import preceding
from engine.copilot.grammar.planner import Planner
from engine.copilot.grammar.query import Query
from engine.copilot.grammar.reading import SIGNS
from engine.copilot.grammar.text import ASKING, nearest, plain, stem, words

_BREAK = re.compile(
    r"(?<=[.!?;:])\s+|\s+[-–—]+\s+|,\s+(?:so|but)(?:\s+please)?,?\s+(?=(?:which|how|who|what|when|is|are)\b)|"
    r",\s+(?=(?:which|how (?:many|much|long)|who|whose|what|when|why|show|list|give)\b)"
)
_SHORT = 5  # letters: a word of so few is near to many that say nothing
_LEAST_TOLD, _LEAST_ASKED = 4, 3  # words
_MOST_ASIDE = 2  # words
_SAID_OF_TIME = "january february march april june july august september october november december today tomorrow " \
    "yesterday week month quarter year last next since until before after between within during past"  # fmt: skip


@dataclass(frozen=True)
class Hearing:
    """A question as it may have been meant, and what was taken for granted."""

    text: str
    reason: str
    loose: bool = False  # a word of the question is not used: such an answer is never more than low


def each_span(said: Sequence[str]) -> Iterator[str]:
    """The questions, one for each of two spans of time or ends that stand side by side: "this week vs next"."""
    for text in said:
        if (ends := _TWO_ENDS.search(text)) is not None:
            yield from (f"{text[: ends.start()]}{one}{text[ends.end() :]}" for one in ends.groups())
            continue
        two = _TWO_SPANS.fullmatch(text.strip(" ?.!"))
        if two is None or _COUNTING.search(text):
            yield text
            continue
        yield f"{two['rest']} {two['one']}"
        yield f"{two['rest']} {two['other']}{'' if two['unit'] or two['day'] else ' ' + two['one'].split()[-1]}"


_UNIT = r"(?:week|month|quarter|weekend|friday|saturday|sunday|monday|tuesday|wednesday|thursday)"
_TWO_SPANS = re.compile(
    rf"(?P<rest>(?:who|which|what|when)\b.*?) (?P<one>(?:this|last|next) {_UNIT}|today|tonight|now|yesterday),? "
    rf"(?:and|vs\.?|versus|or|compared (?:to|with)|against) (?:then )?"
    rf"(?P<other>(?:this|last|next|the next|the last)(?P<unit> {_UNIT})?|(?P<day>tomorrow|yesterday|today|now))",
    re.IGNORECASE,
)
_END = r"(last|latest|newest|oldest|first|next|previous|biggest|smallest)"
_TWO_ENDS = re.compile(rf"\b{_END} and (?:the )?{_END}\b(?! (?:week|month|quarter|year|\d))", re.IGNORECASE)
_COUNTING = re.compile(r"\b(?:how many|more|fewer|less|most|same|both|share|percent)\b", re.IGNORECASE)


def hearings(question: str, planner: Planner) -> Iterator[Hearing]:
    """The question in other words, the likeliest first; nothing where it is well spelt and asks alone."""
    spelt, slips = _spelt(question, planner)
    alone = _without_preface(question, planner)
    if slips:
        yield Hearing(spelt, _read_as(slips))
    if alone is not None:
        yield Hearing(alone, LEFT_ASIDE)
        if slips:
            spelt, slips = _spelt(alone, planner)
            yield Hearing(spelt, f"{LEFT_ASIDE}; {_read_as(slips)}")
    for text in filter(None, (question, alone)):
        if (less := _without_asides(text, planner)) is not None:
            yield less


def _without_asides(question: str, planner: Planner) -> Hearing | None:
    """The question without plain verbs and prepositions that no kind of thing knows, where all else is understood."""
    asked = planner.question(question)
    plans = planner.plans(asked)
    plain_verbs = (word for word in asked.words if is_aside(word) and not (is_filler(word) or is_everyday(word)))
    lost = plans[0].unknown if len(plans) == 1 else () if plans else tuple(plain_verbs)
    if not 0 < len(lost) <= _MOST_ASIDE or not all(map(is_aside, lost)):
        return None
    text = re.sub(rf"(?<![\w-])(?:{'|'.join(map(re.escape, lost))})(?![\w-])", " ", plain(question))
    heard = planner.plans(planner.question(text))
    if len(heard) != 1 or heard[0].unknown or not _is_narrow(heard[0]):
        return None
    words = " and ".join(f"'{word}'" for word in lost)
    return Hearing(text, f"{words} {'was' if len(lost) == 1 else 'were'} not used", loose=True)


def _is_narrow(query: Query) -> bool:
    """Whether it asks for more than all things of a kind."""
    chosen = len(query.constraints) > query.presumed
    return chosen or bool(query.order or query.group or query.columns or query.measure or query.halves)


def aside(question: str, planner: Planner) -> Hearing | None:
    """The question without what was told before it, where that names a day and no thing: it chooses no rows."""
    alone = _without_preface(question, planner)
    told = "" if alone is None else question.strip().removesuffix(alone)
    if alone is None or not _WHEN.search(told) or planner.has_subject(planner.question(told)):
        return None
    return Hearing(alone, LEFT_ASIDE) if planner.has_subject(planner.question(alone)) else None


_WHEN = re.compile(rf"\b(?:{'|'.join(WEEKDAYS)}|weekend|{'|'.join(_SAID_OF_TIME.split())}|\d+)\b", re.IGNORECASE)
LEFT_ASIDE = "what was said before the question is left aside"


def _read_as(slips: dict[str, str]) -> str:
    return "; ".join(f"'{said}' read as '{meant}'" for said, meant in slips.items())


def _spelt(question: str, planner: Planner) -> tuple[str, dict[str, str]]:
    """The question with misspelt words mended, and which."""
    slips: dict[str, str] = {}
    for word in dict.fromkeys(words(plain(question))):
        if has_meaning(word) or planner.has_name(word):
            continue
        near = nearest(word, _vocabulary()) or planner.near_name(word)
        near = near or (nearest(word, _sayings(), most=1) if len(word) > _SHORT else None)
        if near is not None:
            slips[word] = near
    text = plain(question)
    for word, near in slips.items():
        text = re.sub(rf"(?<![\w@.]){re.escape(word)}(?![\w@])", near, text)
    return text, slips


def has_meaning(word: str) -> bool:
    """Whether some kind of thing is asked with a word, or it says nothing."""
    known = _vocabulary()
    return not word.isalpha() or word in known or stem(word) in known or is_filler(word) or is_everyday(word)


def _without_preface(question: str, planner: Planner) -> str | None:
    """What is asked after somebody told why; None where nothing was told, or where the question is about that."""
    # "for the call I need the systems …", "I have to tell the board which holds are active"
    if (wish := ASKING["wish"].match(question.strip())) is not None:
        asked = f"show {question.strip()[wish.end() :]}"
        return None if _narrows(wish[0], asked, planner) else asked
    if (tell := ASKING["tell"].match(question.strip())) is not None:
        asked = question.strip()[tell.end() :]
        return None if len(asked.split()) < _LEAST_ASKED or _narrows(tell[0], asked, planner) else asked
    said = [part for part in re.split(_BREAK, question.strip()) if part]
    at = next((number for number, part in enumerate(said) if ASKING["asks"].match(part)), None)
    if at is None and len(said) == 2 and not planner.has_subject(planner.question(said[0])):
        at = 1 if planner.has_subject(planner.question(said[1])) else None
    if not at:
        return None
    colon = ":" in question and ASKING["question"].match(said[at]) is not None  # "the renewal comes up: which risks …"
    told, asked = " ".join(said[:at]), ASKING["opening"].sub("", " ".join(said[at:]))
    if (
        len(told.split()) < _LEAST_TOLD
        or len(asked.split()) < _LEAST_ASKED
        or not (colon or ASKING["tells"].search(told))
    ):
        return None
    back = ASKING["back"].search(asked)
    if back is not None and not planner.has_subject(planner.question(asked[: back.start()])):
        return None
    return None if _narrows(told, asked, planner) else asked


def written_out(question: str, last: str, before: Query | None, planner: Planner, library: Library) -> str:
    """A follow-up with the days and the person that it means: "and the week before?", "in that window", "after him"."""
    window = None if before is None or before.window is None else before.window[1]
    if window is not None and (named := preceding(planner.question(question).text, window)) is not None:
        return f"and {named[1].strip(' ?.!')} from {named[0].first} to {named[0].last}"
    if window is not None and window.first is not None and window.last is not None:
        question = ASKING["span"].sub(f"from {window.first} to {window.last}", question)
    if before is not None and before.entity.links.get("incident") == before.entity.key:  # when the one incident began
        keys = library.rows(before.entity).filter(before.where)[before.entity.key]
        question = _THEN.sub(f"when {keys[0]} began", question) if len(keys) == 1 else question
    people = {name.keys[0] for name in planner.names(planner.question(last)) if name.kind == "person"}
    if not people and before is not None:
        entity, rows = before.entity, library.rows(before.entity)
        column = next((one for one in (*before.columns, *entity.people) if one in entity.people), entity.key)
        held = sort_rows(before, rows.filter(before.where), library)[column]
        held = held.explode() if held.dtype == pl.List(pl.String) else held
        people = {*held.drop_nulls()} if column in entity.people or column == "email" else people
    return ASKING["person"].sub(people.pop(), question) if len(people) == 1 else question


_THEN = re.compile(
    r"\b(?:then|(?:at|around) (?:that|the) (?:time|moment)|when (?:it|that) (?:happened|began|started))(?=\W*$)"
)


def is_preface(said: str, following: str, planner: Planner) -> bool:
    """Whether a sentence before a question says how somebody is placed, and the question does not lean on it."""
    placed = ASKING["placed"].match(said) is not None and ASKING["back"].search(following) is None
    return placed and not _narrows(said, following, planner)


def _narrows(told: str, asked: str, planner: Planner) -> bool:
    """Whether what was told names what the question is about, and the question itself names nothing."""
    there, here = ({name.kind for name in planner.names(planner.question(text))} for text in (told, asked))
    return bool(there - here - {"person", "incident", "committee"}) and not here


@cache
def _vocabulary() -> frozenset[str]:
    """The words that all kinds of things are asked with, four letters at least."""
    found = {word for entity in ENTITIES for text in _phrases(entity) for word in words(text)}
    found |= {word for text in (*FILLERS, *ORDERS, *SIGNS, *WEEKDAYS, _SAID_OF_TIME) for word in words(text)}
    found |= SPOKEN
    return frozenset(word for word in found if len(word) > 3 and word.isalpha())


@cache
def _sayings() -> frozenset[str]:
    """Words that say nothing of a record, by themselves."""
    return frozenset(word for word in SAYINGS if len(word) > _SHORT)


def _phrases(entity: Entity) -> Iterator[str]:
    yield from (entity.name, entity.plural, *entity.words, *entity.hints, *entity.fillers)
    for state in entity.states:
        yield from (state.label, *state.words)
    for spellings in entity.choices.values():
        yield from (word for pair in spellings.items() for word in pair)
    for given in (entity.dates, entity.people, entity.attributes, entity.measures):
        yield from (word for said in given.values() for word in said)
