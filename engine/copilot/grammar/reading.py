"""A question read for one kind of thing: its words in order, each with what it means there, and what is left over."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime

import polars as pl

from engine.copilot.entities.entity import Entity, RowState, phrases
from engine.copilot.grammar import windows
from engine.copilot.grammar.everyday import FILLERS, is_everyday, is_filler, plain_speech
from engine.copilot.grammar.lexicon import Lexicon, Sense
from engine.copilot.grammar.moments import ClockHours, TimeWindow, clock
from engine.copilot.grammar.pieces import SPANS, TURNS, Piece, in_reasons, in_titles, join_controls, turn
from engine.copilot.grammar.text import by_ending, nearest, plain, root, stem, words
from engine.copilot.grammar.wording import write_out

LONGEST_PHRASE = 7
_TO_COME = {("will",), ("might",), ("may",)}  # what stands behind is a verb of what has not happened, no title
_NEVER = ("not", "never")
_AUXILIARIES = ("do", "does", "did")
_WE = (("we",), ("they",), ("you",), ("i",), ("it",), ("our",), ("the",))
SIGNS = {
    **dict.fromkeys(
        phrases(
            "above, over, greater than, longer than, more than, higher than, exceeding, exceeded, exceed, >, worse than"
        ),
        ">",
    ),
    **dict.fromkeys(("below", "under", "less than", "lower than", "fewer than", "<"), "<"),
    **dict.fromkeys(
        phrases(
            "at least, >=, reach, reached, hit, get to, got to, no less than, no fewer than, not less than, minimum"
        ),
        ">=",
    ),
    **dict.fromkeys(("at most", "within", "<=", "no more than", "not more than", "up to", "maximum"), "<="),
    **dict.fromkeys(("exactly", "precisely", "="), "="),
}
_TIMES = {"m": 1 / 60, "h": 1, "d": 24, "w": 168}  # hours of a unit, by its first letter
_UNIT = r"\s*(?P<unit>%|(?:percent|minutes?|mins?|hours?|hrs?|days?|weeks?|points?)\b)?"
_NUMBER = r"\d+(?:\.\d+)?"
SIGN = "|".join(sorted(SIGNS, key=len, reverse=True))
_BOUND = re.compile(
    rf"(?P<sign>{SIGN})\s*(?P<number>{_NUMBER})(?![\w-]){_UNIT}"
    rf"|\bbetween (?P<low>{_NUMBER}) and (?P<high>{_NUMBER})(?![\w-])(?P<range_unit>\s*%|\s*percent\b)?"
    rf"|(?<![\w.-])(?P<from>{_NUMBER})(?:\+|\s*%? or (?:more|higher|above|over))(?!\w)"
    rf"|(?<![\w.-])(?P<to>{_NUMBER})\s*%? or (?:less|fewer|lower|below|under)\b"
)


@dataclass(frozen=True)
class NumberLimit:
    """A number that something is held against."""

    sign: str
    number: float
    words: str
    upper: float | None = None
    at: int = 0  # how many words of the question stand before it
    hours: float | None = None  # what it is as a time, where it has such a unit

    def within(self, column: pl.Expr) -> pl.Expr:
        """Which rows are within it."""
        if self.upper is not None:
            return column.is_between(self.number, self.upper)
        return {
            ">": column > self.number,
            ">=": column >= self.number,
            "<": column < self.number,
            "<=": column <= self.number,
            "=": column == self.number,
        }[self.sign]


@dataclass(frozen=True)
class CopilotQuestion:
    """The words of a question and the spans of time in it, the same for whatever it may be about."""

    text: str
    words: tuple[str, ...]
    windows: tuple[TimeWindow, ...]
    bound: NumberLimit | None = None
    clock: ClockHours | None = None

    def matches(self, pattern: str | re.Pattern[str]) -> bool:
        """Whether the plain text matches."""
        return re.search(pattern, self.text) is not None


@dataclass(frozen=True)
class Reading:
    """What a question says about one kind of thing. ``unknown`` are the words that mean nothing there."""

    entity: Entity
    asked: CopilotQuestion
    pieces: tuple[Piece, ...]
    unknown: tuple[str, ...] = ()
    corrections: tuple[tuple[str, str], ...] = field(default=())
    turned: tuple[Piece, ...] = ()  # what "not" stands before
    excluded: tuple[Piece, ...] = ()  # what "except" stands before

    @property
    def rows(self) -> tuple[str, ...]:
        """The rows that identifiers name."""
        return tuple(
            dict.fromkeys(sense.value for piece in self.pieces for sense in piece.senses if sense.kind == "row")
        )

    @property
    def has_own_measure(self) -> bool:
        """Whether it names a measure that is one of this thing alone, as "time to resolve" or "MTTR"."""
        return any(
            piece.sense("measure") and (len(piece.phrase) > 1 or piece.phrase[0].startswith("mtt"))
            for piece in self.pieces
        )

    @property
    def passed_over(self) -> list[tuple[int, str]]:
        """The words that no piece holds, each with its place."""
        pieces = (*self.pieces, *self.turned, *self.excluded)
        held = {at for piece in pieces for at in range(piece.at, piece.end)}
        return [(at, word) for at, word in enumerate(self.asked.words) if at not in held]

    @property
    def title_words(self) -> tuple[str, ...]:
        """The words that some title has."""
        return tuple(dict.fromkeys(sense.value for piece in self.pieces if (sense := piece.sense("title"))))

    @property
    def understood_words(self) -> int:
        """How many words it understands, fillers aside."""
        pieces = (*self.pieces, *self.turned, *self.excluded)
        return sum(len(piece.phrase) for piece in pieces if piece.sense("filler", "title") is None)

    @property
    def noun(self) -> int:
        """The length of the longest noun that names the thing; 0 without one."""
        return max((len(piece.phrase) for piece in self.pieces if piece.sense("noun")), default=0)

    @property
    def at(self) -> int:
        """The place of its first noun."""
        return next((number for number, piece in enumerate(self.pieces) if piece.sense("noun")), 999)


def ask(text: str, today: date, now: datetime | None = None) -> CopilotQuestion:
    """The question of a text, asked on a day and at a moment."""
    lowered = write_out(plain_speech(plain(text)))
    hours, rest = clock(lowered)
    spans, rest = windows.find(rest, today, now)
    time_windows = tuple(sorted(spans, key=lambda one: lowered.find(one.words)))
    match = _BOUND.search(rest)
    if match is None:
        return CopilotQuestion(lowered, words(rest), time_windows, clock=hours)
    sentence = " ".join(match[0].split())
    at = len(words(rest[: match.start()]))
    if match["low"] is not None:
        bound = NumberLimit(">=", float(match["low"]), sentence, float(match["high"]), at)
    elif match["from"] is not None or match["to"] is not None:
        bound = NumberLimit(">=" if match["to"] is None else "<=", float(match["from"] or match["to"]), sentence, at=at)
    else:
        unit = _TIMES.get((match["unit"] or "")[:1]) if (match["unit"] or "p")[0] != "p" else None
        number = float(match["number"])
        bound = NumberLimit(
            SIGNS[match["sign"]], number, sentence, at=at, hours=None if unit is None else number * unit
        )
    return CopilotQuestion(lowered, words(f"{rest[: match.start()]} {rest[match.end() :]}"), time_windows, bound, hours)


def read(asked: CopilotQuestion, entity: Entity, known: Lexicon, frame: pl.DataFrame) -> Reading:
    """The question as one about ``entity``, whose rows are ``frame``; once more with what was misspelt as it was meant,
    since a word may be a part of a longer phrase."""
    first = _read(asked, entity, known, frame)
    if not first.corrections:
        return first
    meant = dict(first.corrections)
    text = re.sub(r"[\w-]+", lambda word: meant.get(word[0], word[0]), asked.text)
    spelt = replace(asked, text=text, words=tuple(meant.get(word, word) for word in asked.words))
    return replace(_read(spelt, entity, known, frame), corrections=first.corrections)


def _read(asked: CopilotQuestion, entity: Entity, known: Lexicon, frame: pl.DataFrame) -> Reading:
    pieces: list[Piece] = []
    unknown: list[Piece] = []
    corrections: list[tuple[str, str]] = []
    because = asked.words.index("because") if "because" in asked.words else len(asked.words)
    for piece in _cut(asked, known, entity):
        if piece.words in _AUXILIARIES and asked.words[piece.end : piece.end + 1] in _WE:
            continue  # "which vendor do we review next"
        if because < piece.at and piece.size == 1 and in_reasons(entity, frame, stem(asked.words[piece.at])):
            pieces.append(replace(piece, senses=(Sense("title", value=stem(asked.words[piece.at])),)))
            continue
        if piece.senses:
            pieces.append(piece)
            continue
        (word,) = piece.phrase
        keys = _keys(entity, frame, word)
        if keys:
            pieces.append(replace(piece, senses=tuple(Sense("row", entity.key, key) for key in keys)))
        elif word in TURNS:
            unknown.append(piece)
        elif (opposite := _opposite(word, known)) is not None:
            pieces.append(replace(piece, senses=(opposite,)))
        elif (
            (word == "under" and (_names_follow(piece, asked, known) or _row_follows(piece, asked, entity, frame)))
            or is_filler(word)
            or is_everyday(word)
            or (len(word) > 5 and nearest(word, FILLERS, most=1) is not None and nearest(word, known.singles) is None)
            or (word.isdigit() and any(one.sense("order") for one in pieces))
        ):
            continue
        elif (
            word not in SPANS
            and asked.words[piece.at - 1 : piece.at] not in _TO_COME
            and in_titles(entity, frame, stem(word))
        ):
            pieces.append(replace(piece, senses=(Sense("title", value=stem(word)),)))
        elif (near := _meant(word, entity, known)) is not None:
            pieces.append(Piece((near,), known.senses((near,)), piece.at))
            corrections.append((word, near))
        else:
            unknown.append(piece)
    kept, left, turned, excluded = turn(asked.words, pieces, unknown)
    left = [piece for piece in left if not is_verb_of(piece, kept)]
    return Reading(
        entity,
        asked,
        tuple(join_controls(kept)),
        tuple(dict.fromkeys(piece.words for piece in left)),
        tuple(corrections),
        tuple(turned),
        tuple(excluded),
    )


def _cut(asked: CopilotQuestion, known: Lexicon, entity: Entity) -> Iterator[Piece]:
    """The words as phrases, the longest that means something first; "not attested" are two where a span says when."""
    said, at, since = asked.words, 0, bool(asked.windows) and not entity.dated
    while at < len(said):
        for length in range(min(LONGEST_PHRASE, len(said) - at), 0, -1):
            raw = tuple(said[at : at + length])
            phrase = next((one for one in (raw, tuple(map(stem, raw))) if known.senses(one)), None)
            if since and raw[0] in _NEVER and any(one.kind == "date" for one in known.senses(raw[1:])):
                continue
            if phrase is not None:
                since = since and not any(one.kind == "date" for one in known.senses(phrase))
                yield Piece(phrase, known.senses(phrase), at, length)
                at += length
                break
        else:
            yield Piece((said[at],), at=at)
            at += 1


def _meant(word: str, entity: Entity, known: Lexicon) -> str | None:
    """The known word that is meant by a misspelt one, or one of another ending; "reviewed" is no review ahead."""
    near = nearest(stem(word), known.singles) or by_ending(word, known.roots)
    ahead = near is not None and any(one.kind == "date" and one.column == entity.due for one in known.senses((near,)))
    return None if ahead and word.removesuffix("ed") == near else near


def is_verb_of(word: Piece, pieces: Sequence[Piece]) -> bool:
    """Whether it is the verb of the state behind it in another form: "handling phi", where that is "handles phi"."""
    states = [
        sense.state for piece in pieces if piece.at == word.end for sense in piece.senses if sense.state is not None
    ]
    return any(
        root(word.words) == root(text)
        for state in states
        for one in (state.label, *state.words)
        for text in one.split()
    )


def _opposite(word: str, known: Lexicon) -> Sense | None:
    """The sense of "unsegmented" where "segmented" says which rows."""
    rest = word.removeprefix("un") if word.startswith("un") else word.removeprefix("non")
    state = next((one.state for one in known.senses((rest,)) if one.state is not None), None) if rest != word else None
    return (
        None
        if state is None
        else Sense("state", state=RowState(f"not {state.label}", _without(state), after=state.after))
    )


def _without(state: RowState) -> Callable[[date], pl.Expr]:
    return lambda today: ~state.where(today).fill_null(False)


def _names_follow(piece: Piece, asked: CopilotQuestion, known: Lexicon) -> bool:
    """Whether a name stands right behind: "under ISO 27001"."""
    following = asked.words[piece.end :]
    return any(one.kind == "name" for size in range(1, 4) for one in known.senses(tuple(following[:size])))


def _row_follows(piece: Piece, asked: CopilotQuestion, entity: Entity, frame: pl.DataFrame) -> bool:
    """Whether the identifier of rows stands right behind: "under CHG-7898"."""
    return any(_keys(entity, frame, word) for word in asked.words[piece.end : piece.end + 1])


def _keys(entity: Entity, frame: pl.DataFrame, word: str) -> list[str]:
    """The rows that an identifier names."""
    if not any(c.isdigit() for c in word) and "-" not in word:
        return []
    named = [name for name in (entity.key, *entity.names) if name in frame.columns and frame.schema[name] == pl.String]
    if not named:
        return []
    match = pl.any_horizontal(pl.col(name).str.to_lowercase() == word for name in named)
    return frame.filter(match)[entity.key].to_list()


def names_row(entity: Entity, frame: pl.DataFrame, said: Sequence[str]) -> bool:
    """Whether one of the words is the identifier of a row."""
    return any("-" in word and any(c.isdigit() for c in word) and _keys(entity, frame, word) for word in said)
