"""Which phrases mean what, for one kind of thing: its nouns, states, choices, dates, attributes, all names."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Literal, get_args

import polars as pl

from engine.copilot.entities import ENTITIES
from engine.copilot.entities.columns import words_of
from engine.copilot.entities.entity import Entity, RowState, phrases
from engine.copilot.entities.wordbook import shared_columns, shared_words
from engine.copilot.grammar.everyday import is_everyday, is_filler
from engine.copilot.grammar.names import Names, OwnName, Phrase
from engine.copilot.grammar.text import root, stems, ways_of_file
from engine.model import vocabulary

Kind = Literal[
    "noun",
    "state",
    "choice",
    "date",
    "role",
    "attribute",
    "measure",
    "name",
    "order",
    "group",
    "mine",
    "filler",
    "row",
    "title",
]
MOST_CHOICES = 400
_VOCABULARY: Mapping[str, tuple[str, ...]] = {
    "severity": vocabulary.SEVERITIES,
    "tier": vocabulary.VENDOR_TIERS,
    "cadence": vocabulary.CADENCES,
    "environment": vocabulary.ENVIRONMENTS,
    "role": vocabulary.ROLES,
    "priority": get_args(vocabulary.RequestPriority),
    "treatment": get_args(vocabulary.RiskTreatment),
}
# superlatives: by what the rows are ordered (a date, or the size of the thing), and whether the largest comes first
ORDERS: Mapping[str, tuple[str, bool]] = {
    word: (what, end == "down")
    for one, said in ways_of_file("orders.txt")
    for what, end in [one.pattern.split()]
    for word in phrases(said)
}
GROUPS = phrases("by, per, for each, each, broken down by, grouped by, split by, across, breakdown by, breakdown")
# what people count by: words for a column that many things have
GROUP_WORDS: Mapping[str, str] = {said: column for column, words in shared_columns("groups").items() for said in words}
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
WEEKEND = RowState(
    "at a weekend",
    lambda _: pl.col("weekday").is_in(WEEKDAYS[5:]),
    ("weekend", "on weekends", "on a weekend", "at the weekend", "at weekends", "on the weekend"),
    after=True,
    aside=True,
)
# what the day of a verb is called, where that is no form of the verb
DAYS = shared_columns("days")
LATE = ("days overdue", "days late", "how late", "how overdue", "days past due", "days behind", "days over")
MINE = ("my", "mine", "me", "i", "for me", "myself", "i am")


@dataclass(frozen=True)
class Sense:
    """One meaning of a phrase; ``value`` is the column, and what it must be where that is given."""

    kind: Kind
    column: str = ""
    value: str = ""
    state: RowState | None = None
    name: OwnName | None = None


class Lexicon:
    """All phrases that mean something for a kind of thing whose rows are ``frame``, and the organization's names."""

    def __init__(self, entity: Entity, frame: pl.DataFrame, names: Names) -> None:
        found: defaultdict[Phrase, dict[Sense, None]] = defaultdict(dict)
        for text, sense in (*_senses(entity, frame), *_of_leavers(entity, frame, names)):
            for phrase in {stems(text), tuple(text.split())}:
                found[phrase][sense] = None
        for text, sense in _without_articles(entity):
            found[stems(text)][sense] = None
        declared = frozenset(found)
        for text, sense in _infinitives(entity):
            if stems(text) not in declared:
                found[stems(text)][sense] = None
        for word in words_of(entity, frame):
            phrase = stems(word.said)
            if phrase not in declared and phrase not in names.by_phrase and not _is_plain(phrase):
                found[phrase][Sense(word.kind, word.column, word.value, word.state)] = None
        self._own = {phrase: tuple(senses) for phrase, senses in found.items() if phrase}
        self._names = names

    def senses(self, phrase: Phrase) -> tuple[Sense, ...]:
        """What a phrase means; nothing where it means nothing."""
        name = self._names.by_phrase.get(phrase)
        return (*self._own.get(phrase, ()), *(() if name is None else (Sense("name", name=name),)))

    @cached_property
    def singles(self) -> frozenset[str]:
        """Its phrases of one word."""
        return frozenset(phrase[0] for phrase in self._own if len(phrase) == 1) | self._names.singles

    @cached_property
    def roots(self) -> Mapping[str, set[str]]:
        """Its words without their endings, each with the words that have it."""
        found: defaultdict[str, set[str]] = defaultdict(set)
        for word in self.singles:
            found[root(word)].add(word)
        return found


def nouns(entity: Entity) -> Iterator[Phrase]:
    """The phrases that name the kind of thing."""
    for text in (entity.name, entity.plural, *entity.words):
        yield stems(text)


def _senses(entity: Entity, frame: pl.DataFrame) -> Iterator[tuple[str, Sense]]:
    for text in (entity.name, entity.plural, *entity.words):
        yield text, Sense("noun")
    for state in entity.states:
        yield from ((said, Sense("state", state=state)) for said in (state.label, *state.words))
    for column, spellings in entity.choices.items():
        called = frozenset((entity.name, entity.plural, *entity.words)) if column == "role" else frozenset()
        yield from _choices(column, spellings, frame, called)
    for kind, given in (
        ("date", entity.dates),
        ("role", entity.people),
        ("attribute", entity.attributes),
        ("measure", entity.measures),
    ):
        for column, said_of in given.items():
            yield from ((said, Sense(kind, column)) for said in said_of)  # type: ignore[arg-type]
    yield from ((sentence, Sense("date", column)) for column in entity.dates for sentence in DAYS.get(column, ()))
    for text, (what, down) in ORDERS.items():
        yield text, Sense("order", what, "down" if down else "up")
    yield from ((said, Sense("group")) for said in GROUPS)
    own = {word for phrase in nouns(entity) for word in phrase}
    if entity.reason is not None and entity.reason in frame.columns:
        yield "reason", Sense("attribute", entity.reason)
    usual = next(iter(entity.people), "owner")
    yield from (
        (said, Sense("attribute", column))
        for said, named in GROUP_WORDS.items()
        if (column := usual if named == "owner" and named not in frame.columns else named) in frame.columns
        and said not in own
    )
    if "age_days" in frame.columns:
        yield from ((said, Sense("attribute", "age_days")) for said in ("age", "old", "days open"))
    if "late_days" in frame.columns:
        yield from ((said, Sense("attribute", "late_days")) for said in LATE)
    if "weekday" in frame.columns:
        yield from ((said, Sense("choice", "weekday", day)) for day in WEEKDAYS for said in (day, f"{day}s"))
        yield from ((said, Sense("state", state=WEEKEND)) for said in WEEKEND.words)
    yield from ((said, Sense("mine")) for said in MINE)
    yield from _deadlines(entity, frame)
    yield from ((filler, Sense("filler")) for filler in entity.fillers)


def _of_leavers(entity: Entity, frame: pl.DataFrame, names: Names) -> Iterator[tuple[str, Sense]]:
    """That whoever has a thing left the organization."""
    usual = next((one for one in entity.people if frame.schema.get(one) == pl.String), None)
    if usual is not None:
        gone = RowState("with an owner who left", lambda _: pl.col(usual).is_in(names.leavers), after=True, aside=True)
        yield "with departed owner", Sense("state", state=gone)


def _without_articles(entity: Entity) -> Iterator[tuple[str, Sense]]:
    """The words of states as they are said in a hurry: "reachable from internet"."""
    for state in entity.states:
        for said in (state.label, *state.words):
            text = _ARTICLES.sub("", said)
            if text != said and " " in text:
                yield text, Sense("state", state=state)


_ARTICLES = re.compile(r"\b(?:the|an?) ")
_LATE, _IN_TIME = shared_words("done_late"), shared_words("done_in_time")


def _deadlines(entity: Entity, frame: pl.DataFrame) -> Iterator[tuple[str, Sense]]:
    """What stands to a day that something is due on: not due yet, done late, done in time."""
    due, done = entity.due, entity.done
    if due is None or frame.schema.get(due) != pl.Date:
        return
    later = RowState("not due yet", lambda today: pl.col(due) >= today, after=True, aside=True)
    yield from ((said, Sense("state", state=later)) for said in ("not due yet", "not yet due", "not due", "due later"))
    if done is None:
        return
    late = pl.col(done) > pl.col(due)
    for verb in entity.dates[done]:
        for tails, label, where in ((_LATE, "late", late), (_IN_TIME, "on time", ~late)):
            state = RowState(f"{verb} {label}", _constant(where))
            bases = (verb, verb.removesuffix("ed"), verb.removesuffix("d")) if verb.endswith("ed") else (verb,)
            for said in (f"{one} {tail}" for one in bases for tail in tails):
                yield said, Sense("state", state=state)
                yield said, Sense("date", done)


def _constant(where: pl.Expr) -> Callable[[date], pl.Expr]:
    """A predicate that is the same on each day."""
    return lambda _: where


def _infinitives(entity: Entity) -> Iterator[tuple[str, Sense]]:
    """The verbs of dates as they stand behind "to" and "did": "finish" for "finished"."""
    for column, said in entity.dates.items():
        for verb in said:
            first, _, rest = verb.partition(" ")
            if rest and rest not in ORDERS and first.endswith("ed"):  # "sign up" of "signed up"
                yield from ((f"{first.removesuffix(end)} {rest}", Sense("date", column)) for end in ("ed", "d"))
            elif not rest and verb.endswith("ed"):
                yield from ((base, Sense("date", column)) for base in (verb.removesuffix("ed"), verb.removesuffix("d")))
            if column == entity.due and f"{verb}s" in said:
                yield f"{verb.removesuffix('e')}ing", Sense("date", column)
    for column, said in entity.people.items():
        for verb in (one for one in said if " " not in one and one.endswith("ed")):
            yield from ((base, Sense("role", column)) for base in (verb.removesuffix("ed"), verb.removesuffix("d")))


def _choices(
    column: str, spellings: Mapping[str, str], frame: pl.DataFrame, nouns: AbstractSet[str]
) -> Iterator[tuple[str, Sense]]:
    """The words of a column as they occur and as the house declares them, and what else people call them.

    One of ``nouns`` names the thing itself: members are everybody, and those of that role have "role member".
    """
    present = frame[column].cast(pl.String).drop_nulls().unique().sort().to_list() if column in frame.columns else []
    kinds = Counter(value.rpartition(".")[0] for value in present if "." in value)
    for value in {*present[:MOST_CHOICES], *_VOCABULARY.get(column, ())}:
        if value in nouns:
            yield from ((text, Sense("choice", column, value)) for text in (f"{column} {value}", f"{value} {column}"))
        elif not value.isdigit():
            yield value.replace("_", " "), Sense("choice", column, value)
            yield value, Sense("choice", column, value)
        if column == "region":  # "in us-east" is no "in the US"
            yield f"in {value}", Sense("choice", column, value)
        if column == "source":  # a monitor may be called as a service is
            yield from (
                (f"{value} {thing}", Sense("choice", column, value)) for thing in ("monitor", "monitoring", "system")
            )
        if "." in value:  # "login.locked_out" is "login locked out" and "locked out login"
            thing, _, done = value.replace("_", " ").rpartition(".")
            yield from (
                (said.replace(".", " "), Sense("choice", column, value))
                for said in (
                    f"{thing} {done}",
                    *(f"{thing} {be} {done}" for be in ("was", "were", "been", "is")),
                    f"{done} {thing}",
                    *((thing,) if kinds[value.rpartition(".")[0]] == 1 else ()),
                )
            )
        if value.count("-") == 1:  # "the image scanner" is scanner-image
            yield " ".join(reversed(value.split("-"))), Sense("choice", column, value)
    for text, value in spellings.items():
        yield text, Sense("choice", column, value)


def _is_plain(phrase: Phrase) -> bool:
    """Whether a phrase is one word of filler or everyday English, which no column takes by its name alone."""
    return len(phrase) == 1 and (is_filler(phrase[0]) or is_everyday(phrase[0]))


BY_NAME = {entity.name: entity for entity in ENTITIES}
NOUNS: dict[str, tuple[Phrase, ...]] = {entity.name: tuple(nouns(entity)) for entity in ENTITIES}
# a measure of several words, or a short form of one, says of what it is one
MEASURES: dict[str, tuple[Phrase, ...]] = {
    entity.name: tuple(
        phrase
        for words in entity.measures.values()
        for word in words
        if len(phrase := stems(word)) > 1 or word.startswith("mtt")
    )
    for entity in ENTITIES
}
SINGLE = {phrase[0] for phrases in NOUNS.values() for phrase in phrases if len(phrase) == 1}
