"""A question read for one kind of thing: its words in order, each with what it means there, and what is left over."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date

import polars as pl

from engine.copilot import windows
from engine.copilot.entities.entity import Entity
from engine.copilot.lexicon import Lexicon, Sense, is_filler
from engine.copilot.names import Phrase
from engine.copilot.text import nearest, plain, stem, words
from engine.copilot.windows import TimeWindow

LONGEST_PHRASE = 7
# words that turn a question round: never part of a name, and never passed over
_TURNS = frozenset(
    ("not", "no", "non", "except", "excluding", "besides", "other", "without", "never", "neither", "nor")
)


_SIGNS = {
    **dict.fromkeys(("above", "over", "greater than", "more than", "higher than", "exceeding", ">"), ">"),
    **dict.fromkeys(("below", "under", "less than", "lower than", "fewer than", "<"), "<"),
    **dict.fromkeys(("at least", ">="), ">="), **dict.fromkeys(("at most", "<="), "<="),
}  # fmt: skip
_BOUND = re.compile(
    rf"(?P<sign>{'|'.join(sorted(_SIGNS, key=len, reverse=True))})\s*(?P<number>\d+(?:\.\d+)?)(?![\w-])"
    r"\s*(?P<unit>%|(?:percent|hours?|points?)\b)?"
)


@dataclass(frozen=True)
class NumberLimit:
    """A number that something is held against."""

    sign: str
    number: float
    words: str


@dataclass(frozen=True)
class CopilotQuestion:
    """The words of a question and the spans of time in it, the same for whatever it may be about."""

    text: str
    words: tuple[str, ...]
    windows: tuple[TimeWindow, ...]
    bound: NumberLimit | None = None

    def says(self, pattern: str) -> bool:
        """Whether the plain text matches."""
        return re.search(pattern, self.text) is not None


@dataclass(frozen=True)
class Piece:
    """A phrase of the question with what it may mean; no senses where it means nothing."""

    phrase: Phrase
    senses: tuple[Sense, ...] = ()
    corrected: str | None = None

    def sense(self, *kinds: str) -> Sense | None:
        """Its first sense of one of these kinds."""
        return next((sense for kind in kinds for sense in self.senses if sense.kind == kind), None)


@dataclass(frozen=True)
class Reading:
    """What a question says about one kind of thing. ``unknown`` are the words that mean nothing there."""

    entity: Entity
    asked: CopilotQuestion
    pieces: tuple[Piece, ...]
    rows: tuple[str, ...] = ()
    titled: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    corrections: tuple[tuple[str, str], ...] = field(default=())

    @property
    def known(self) -> int:
        """How many words it understands, fillers aside."""
        return sum(len(piece.phrase) for piece in self.pieces if piece.sense("filler") is None) + len(self.rows)

    @property
    def noun(self) -> int:
        """The length of the longest noun that names the thing; 0 without one."""
        return max((len(piece.phrase) for piece in self.pieces if piece.sense("noun")), default=0)

    @property
    def at(self) -> int:
        """The place of its first noun."""
        return next((number for number, piece in enumerate(self.pieces) if piece.sense("noun")), 999)


def ask(text: str, today: date) -> CopilotQuestion:
    """The question of a text."""
    lowered = plain(text)
    found, rest = windows.find(lowered, today)
    match = _BOUND.search(rest)
    if match is None:
        return CopilotQuestion(lowered, words(rest), found)
    bound = NumberLimit(_SIGNS[match["sign"]], float(match["number"]), " ".join(match[0].split()))
    return CopilotQuestion(lowered, words(f"{rest[: match.start()]} {rest[match.end() :]}"), found, bound)


def read(asked: CopilotQuestion, entity: Entity, known: Lexicon, frame: pl.DataFrame) -> Reading:
    """The question as one about ``entity``, whose rows are ``frame``."""
    pieces: list[Piece] = []
    rows: list[str] = []
    titled: list[str] = []
    unknown: list[str] = []
    corrections: list[tuple[str, str]] = []
    for piece in _cut(asked.words, known):
        if piece.senses:
            pieces.append(piece)
            continue
        (word,) = piece.phrase
        keys = _keys(entity, frame, word)
        if keys:
            rows.extend(keys)
        elif is_filler(word) or (word.isdigit() and any(one.sense("order") for one in pieces)):
            continue
        elif word not in _TURNS and _titles(entity, frame, stem(word)):
            titled.append(stem(word))
        elif word not in _TURNS and (near := nearest(stem(word), known.singles)) is not None:
            pieces.append(Piece((near,), known.senses((near,)), corrected=word))
            corrections.append((word, near))
        else:
            unknown.append(word)
    return Reading(
        entity, asked, tuple(pieces), tuple(dict.fromkeys(rows)), tuple(dict.fromkeys(titled)),
        tuple(dict.fromkeys(unknown)), tuple(corrections),
    )  # fmt: skip


def _cut(said: Sequence[str], known: Lexicon) -> Iterator[Piece]:
    """The words as phrases, the longest that means something first."""
    at = 0
    while at < len(said):
        for length in range(min(LONGEST_PHRASE, len(said) - at), 0, -1):
            raw = tuple(said[at : at + length])
            phrase = next((one for one in (raw, tuple(map(stem, raw))) if known.senses(one)), None)
            if phrase is not None:
                yield Piece(phrase, known.senses(phrase))
                at += length
                break
        else:
            yield Piece((said[at],))
            at += 1


def _keys(entity: Entity, frame: pl.DataFrame, word: str) -> list[str]:
    """The rows that an identifier names."""
    if not any(c.isdigit() for c in word) and "-" not in word:
        return []
    named = [name for name in (entity.key, *entity.names) if name in frame.columns and frame.schema[name] == pl.String]
    if not named:
        return []
    match = pl.any_horizontal(pl.col(name).str.to_lowercase() == word for name in named)
    return frame.filter(match)[entity.key].to_list()


def _titles(entity: Entity, frame: pl.DataFrame, word: str) -> bool:
    return len(word) > 2 and any(
        frame[name].str.contains(title_pattern(word)).any() for name in entity.names if _is_text(entity, name, frame)
    )


def _is_text(entity: Entity, name: str, frame: pl.DataFrame) -> bool:
    return name != entity.key and name in frame.columns and frame.schema[name] == pl.String


def title_has(entity: Entity, frame: pl.DataFrame, word: str) -> pl.Expr:
    """Rows whose name or title has the word."""
    named = [name for name in entity.names if _is_text(entity, name, frame)]
    return pl.any_horizontal(pl.col(name).str.contains(title_pattern(word)).fill_null(False) for name in named)


def title_pattern(word: str) -> str:
    """The word and its plural, whole, in any case."""
    return rf"(?i)\b{re.escape(word)}(s|es)?\b"
