"""The phrases of a question with what each may mean, and those that "not" and "except" turn round."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import polars as pl

from engine.copilot.entities.entity import Entity, phrases
from engine.copilot.grammar.everyday import is_everyday, is_filler
from engine.copilot.grammar.lexicon import GROUP_WORDS, Sense
from engine.copilot.grammar.names import Phrase
from engine.copilot.grammar.text import title_pattern

# words that turn what follows them round: never part of a name, and never passed over
TURNS = frozenset(
    phrases("not, no, non, except, excluding, besides, other, without, never, neither, nor, minus, apart, outside")
)


SPANS = frozenset(
    phrases(
        "day, week, month, quarter, year, after, before, behind, since, until, next, nobody, noone, none, nothing, "
        "never, whole, half, twice"
    )
)  # never searched for in titles


@dataclass(frozen=True)
class Piece:
    """A phrase of the question with what it may mean, and where it stands; no senses where it means nothing."""

    phrase: Phrase
    senses: tuple[Sense, ...] = ()
    at: int = 0
    size: int = 1

    @property
    def end(self) -> int:
        """The place behind it."""
        return self.at + self.size

    @property
    def words(self) -> str:
        """The phrase as it is read."""
        return " ".join(self.phrase)

    def sense(self, *kinds: str) -> Sense | None:
        """Its first sense of one of these kinds."""
        return next((sense for kind in kinds for sense in self.senses if sense.kind == kind), None)


def join_controls(pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces with a framework that stands before one of its controls made a part of that: "SOC 2 CC6.1"."""
    left = list(pieces)
    for one, two in pairwise(pieces):
        framework, control = (None if (sense := piece.sense("name")) is None else sense.name for piece in (one, two))
        if framework is None or control is None or (framework.kind, control.kind) != ("framework", "control"):
            continue
        keys = tuple(key for key in control.keys if key.partition(":")[0] in framework.keys)
        if keys and two.at - one.end < 2:
            sense = Sense("name", name=replace(control, keys=keys))
            left[left.index(two)] = Piece((*one.phrase, *two.phrase), (sense,), one.at, two.end - one.at)
            left.remove(one)
    return left


# what "not" may stand before, and what may stand between
_TURNED = ("state", "choice", "name", "title", "row", "date", "mine")
_JOINED = frozenset(("or", "nor", "and", "any"))
_CLAUSE = frozenset(("have", "has", "had", "with", "that", "which", "who"))  # what holds of all begins here
_ONE = frozenset(("not", "non", "never", "neither", "nor"))
_BETWEEN = _JOINED | frozenset(
    phrases(
        "yet, been, be, being, is, are, was, were, have, has, on, in, of, by, to, the, a, an, for, at, from, with, "
        "currently, still, our, got, really, fully, it, those, that, under, as, set, either, come, came, out"
    )
)


def turn(
    said: Sequence[str], pieces: list[Piece], unknown: list[Piece]
) -> tuple[list[Piece], list[Piece], list[Piece], list[Piece]]:
    """Takes out what "not" and "except" turn round: the pieces that stay, the words left over, and those turned."""
    left = list(unknown)
    turned: list[Piece] = []
    excluded: list[Piece] = []
    for turner in unknown:
        if turner.words not in TURNS or turner not in left:
            continue
        after = [one for one in pieces if one.at >= turner.end and one not in turned and one not in excluded]
        close = [
            one for one in after if one.sense(*_TURNED) and (one.sense("noun") is None or one.sense("state", "choice"))
        ]
        following = said[turner.end] if turner.end < len(said) else ""
        if turner.words == "without" and close and not any(one.sense("noun") for one in after):
            bare = [
                one
                for one in close
                if not one.sense("date", "role", "measure") and (one.sense("state") or not one.sense("attribute"))
            ]
            found = _negate(said, turner, bare, set())
            excluded += found
        elif turner.words in _ONE or (turner.words == "no" and _states_follow(turner, pieces)):
            passed = {word for one in after if one.sense("role", "date") for word in said[one.at : one.end]}
            found = _negate(said, turner, close, passed) or _roles(said, turner, pieces)
            turned += found
        elif (
            (turner.words in ("without", "no") and any(one.sense("noun") for one in after))
            or turner.words == "no"
            or (turner.words in ("other", "apart") and following not in ("than", "from"))
        ):
            continue
        else:
            found = [one for one in close if one.sense(*(kind for kind in _TURNED if kind != "date"))]
            found = [one for one in found if not set(said[found[0].end : one.at + 1]) & _CLAUSE]
            excluded += found
        if found:
            left.remove(turner)
    # "neither … nor": the second is used up with the first where it turned something, too
    pairs = sum(one.words in ("nor", "neither") for one in unknown)
    left = [one for one in left if not (len(turned) >= pairs and one.words in ("nor", "neither"))]
    ats = [piece.at for piece in turned]  # "not critical and not high": the second "not" says no more
    left = [
        one for one in left if one.words not in ("not", "non") or not min(ats, default=0) < one.at < max(ats, default=0)
    ]
    return [one for one in pieces if one not in turned and one not in excluded], left, turned, excluded


def _states_follow(turner: Piece, pieces: list[Piece]) -> bool:
    """Whether a state stands right behind, and no noun: "but no customer data"."""
    after = [one for one in pieces if one.at >= turner.end]
    first = after[0] if after and after[0].at == turner.end else None
    return first is not None and first.sense("state") is not None and not any(one.sense("noun") for one in after)


def _roles(said: Sequence[str], turner: Piece, pieces: list[Piece]) -> list[Piece]:
    """What a "not" before a role turns: the person before it ("that Lena does not own"), else the role itself."""
    role = next((one for one in pieces if one.at >= turner.end and one.sense("role")), None)
    if role is None or not set(said[turner.end : role.at]) <= _BETWEEN or role.sense("state", "choice", "noun"):
        return []
    person = [one for one in pieces if one.sense("name", "mine") and one.end <= turner.at]
    if person and set(said[person[-1].end : turner.at]) <= {"does", "do", "did", "is", "are", "has", "have", "was"}:
        return [person[-1]]
    return [role] if not any(one.sense("name") for one in pieces if one.at > role.at) else []


def _negate(said: Sequence[str], turner: Piece, close: list[Piece], passed: set[str]) -> list[Piece]:
    """The piece right behind a "not", with a word or two between, and those that "or" joins to it."""
    pieces: list[Piece] = []
    at = turner.end
    for piece in close:
        between = said[at : piece.at]
        if len(between) > 3 or not set(between) <= _BETWEEN | passed | {"not", "nor"}:
            break
        if pieces and (not set(between) & _JOINED or _is_apart(pieces, piece, between, said[turner.at : at])):
            break
        pieces.append(piece)
        at = piece.end
    return pieces


def _is_apart(turned: list[Piece], piece: Piece, between: Sequence[str], before: Sequence[str]) -> bool:
    """Whether "and" begins what holds: "not critical and still open", "not critical and not low and overdue"."""
    if "and" not in between or {"not", "nor"} & set(between):
        return False
    one, two = (each.sense("choice") for each in (turned[-1], piece))
    return "still" in between or before.count("not") > 1 or (one is None) != (two is None)


def is_subject(phrase: Phrase, said: Sequence[str]) -> bool:
    """Whether a noun stands elsewhere than behind "by" and "per"."""
    grouped = len(phrase) == 1 and phrase[0] in GROUP_WORDS
    spots = [at for at in range(len(said) - len(phrase) + 1) if tuple(said[at : at + len(phrase)]) == phrase]
    return any(not grouped or tuple(said[max(at - 1, 0) : at]) not in (("by",), ("per",)) for at in spots)


def within(phrase: Phrase, said: Sequence[str]) -> bool:
    size = len(phrase)
    return any(tuple(said[at : at + size]) == phrase for at in range(len(said) - size + 1))


def in_titles(entity: Entity, frame: pl.DataFrame, word: str) -> bool:
    """Whether some name, title or cause has the word."""
    return len(word) > 2 and any(frame[name].str.contains(title_pattern(word)).any() for name in _texts(entity, frame))


def in_reasons(entity: Entity, frame: pl.DataFrame, word: str) -> bool:
    """Whether the words of why a row came to be have it: said behind "because", a word means nothing else."""
    known = entity.reason is not None and frame.schema.get(entity.reason) == pl.String
    known = known and not (word in SPANS or is_filler(word) or is_everyday(word))
    return known and len(word) > 2 and bool(frame[entity.reason or ""].str.contains(title_pattern(word)).any())


def _texts(entity: Entity, frame: pl.DataFrame) -> list[str]:
    """The columns of free text in which a telling word is looked for: names, titles, and why it came to be."""
    known = (*entity.names, *((entity.reason,) if entity.reason is not None else ()))
    return [one for one in known if one != entity.key and frame.schema.get(one) == pl.String]


def title_has(entity: Entity, frame: pl.DataFrame, word: str) -> pl.Expr:
    """Rows whose name, title or cause has the word."""
    pattern = title_pattern(word)
    return pl.any_horizontal(pl.col(name).str.contains(pattern).fill_null(False) for name in _texts(entity, frame))
