"""Everyday English that says nothing of compliance: words that cost nothing where no kind of thing knows them.

A word belongs here when leaving it out leaves the question the same. Words that turn a question round, compare, count
or narrow ("not", "than", "only", "expired") do not, nor words for things that are no records here ("salary").
"""

import re

from engine.copilot.grammar.text import stem, ways_of_file, words_of_file

_INFLECTION = re.compile(r"(?:ing|e?s|ed|e)$")


def _base(word: str) -> str:
    return _INFLECTION.sub("", word) if len(word) > 4 else word


SAYINGS = words_of_file("everyday.txt")
FILLERS = words_of_file("fillers.txt")
EVERYDAY = frozenset(map(_base, SAYINGS))
_ASIDES = frozenset(map(_base, words_of_file("asides.txt")))


def is_filler(word: str) -> bool:
    """Whether a word says nothing about what is asked."""
    return word in FILLERS or stem(word) in FILLERS


def is_everyday(word: str) -> bool:
    """Whether a word, in any form, that no kind of thing knows leaves the question the same."""
    return _base(word) in EVERYDAY


def is_aside(word: str) -> bool:
    """Whether a word, in any form, is a plain verb or preposition: what stands beside it says what is asked."""
    return _base(word) in _ASIDES


# ways of speech for which the records have plain words, and what is said before or after the question itself
_SPEECH = ways_of_file("speech.txt")
_LONG = re.compile(r"(?<![\w\\?])(?:\\b)?([a-z]{6,})(?=[ |)]|\\b)")
_PARTS = {word for pattern, _ in _SPEECH for word in _LONG.findall(pattern.pattern)}
SPOKEN = frozenset(
    word for word in _PARTS if f"{word}e" not in _PARTS and f"{word}ed" not in _PARTS
)  # whole words of them


def plain_speech(text: str) -> str:
    """A question in lower case without what is said around it, ways of speech in the words of the records."""
    for pattern, plain in _SPEECH:
        text = pattern.sub(plain, text)
    return text
