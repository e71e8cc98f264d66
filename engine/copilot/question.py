"""A question, taken apart: its words, the frameworks and controls that it names, whose rows it is about."""

import re
import unicodedata
from dataclasses import dataclass

from engine.copilot.topics import FRAMEWORKS

_WORD = re.compile(r"[^\W_][\w.@:+/-]*", re.UNICODE)
_LATE = ("overdue", "late", "missed", "behind")
_MINE = ("my", "mine")
_FILLERS = frozenset(
    re.findall(
        r"\w+",
        "a about all am an and any anything are as at be been but by can could did do does for from get give "
        "had has have how i if in into is it its list many me much my no not now of on or our please show so "
        "some tell than that the their them then there these they this to up us was we were what when where "
        "which who why will with would you your ",
    )
)
_FRAMEWORK_WORDS = {
    joined.join(spelling.split())
    for _, spellings in FRAMEWORKS.values()
    for spelling in spellings
    for joined in ("", "-")
}
SUBJECT_WORDS = 8


@dataclass(frozen=True)
class CopilotQuestion:
    """``words`` in order and in lower case; ``frameworks`` by identifier."""

    words: tuple[str, ...]
    frameworks: tuple[str, ...]

    @property
    def late(self) -> bool:
        """Whether it asks for what is past its date."""
        return any(word in _LATE for word in self.words)

    @property
    def mine(self) -> bool:
        """Whether it asks for the asker's own."""
        return any(word in _MINE for word in self.words)

    @property
    def codes(self) -> tuple[str, ...]:
        """Words that may be the identifier of a control or a record: those with a digit and something else."""
        return tuple(
            word
            for word in self.words
            if any(c.isdigit() for c in word) and not word.isdigit() and word not in _FRAMEWORK_WORDS
        )

    @property
    def subject(self) -> str:
        """What it is about, in its own words without fillers, for 'I have no data on'."""
        telling = [word for word in self.words if word not in _FILLERS]
        return " ".join(telling[:SUBJECT_WORDS])

    def hits(self, beginnings: tuple[str, ...]) -> int:
        """How many of these beginnings of words it has."""
        return sum(any(word.startswith(beginning) for word in self.words) for beginning in beginnings)


def read(text: str) -> CopilotQuestion:
    """The question in ``text``; the same for every way to write the same letters."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    words = tuple(word.rstrip(".:+/-")[:80] for word in _WORD.findall(plain))
    named = tuple(key for key, (_, spellings) in FRAMEWORKS.items() if any(_names(plain, s) for s in spellings))
    return CopilotQuestion(words, named)


def _names(text: str, spelling: str) -> bool:
    pattern = r"[\s-]?".join(map(re.escape, spelling.split()))
    return re.search(rf"(?<!\w){pattern}(?!\w)", text) is not None
