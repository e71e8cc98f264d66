"""How broad text is before a browser shows it: by the glyphs of DejaVu Sans, the broadest of the usual system types."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import islice

TYPE = 14.08  # pixels: the type of tables, .88rem
_USUAL = 0.7
_BOOK = 0.9  # of bold
_SAMPLE = 500  # texts: what decides on a width need not be exact
_NEAR = 4  # characters: a text so much shorter than the longest may be broader
_WIDTHS = {
    **dict.fromkeys("ijlIJ/|\\.,' ", 0.36),
    **dict.fromkeys("-:;!()[]ftr_`", 0.49),
    **dict.fromkeys("szc*?", 0.59),
    **dict.fromkeys("LvxyakEFTe", 0.67),
    **dict.fromkeys("AKRVXBCPZ", 0.77),
    **dict.fromkeys("UGDHNOQ&#+<=>", 0.84),
    **dict.fromkeys("wmMW%@", 1.05),
}  # of bold letters, in ems


def bold_width(text: str) -> float:
    """The breadth of a line of bold text in a table, in pixels."""
    return TYPE * sum(_WIDTHS.get(character, _USUAL) for character in text)


@dataclass(frozen=True)
class TextSize:
    """The longest text and the longest word of a column, in characters, and its broadest line in pixels, not bold."""

    longest: int = 0
    word: int = 0
    breadth: float = 0.0


def size_of(texts: Collection[str]) -> TextSize:
    """Of the texts of a column."""
    longest = max(map(len, texts), default=0)
    near = (text for text in texts if len(text) > longest - _NEAR)
    breadth = max(map(bold_width, islice(near, _SAMPLE)), default=0.0)
    return TextSize(longest, _longest_word(texts), breadth * _BOOK)


def _longest_word(texts: Iterable[str]) -> int:
    return max((len(word) for text in islice(texts, _SAMPLE) for word in text.split()), default=0)
