"""A person's address and names in values of any kind, and what is put in their place."""

import re
from collections.abc import Iterable
from unicodedata import normalize
from urllib.parse import quote

SEVERAL = "; "  # between the addresses of a column that holds several
# what may stand before a word although it ends in a letter: an escape of JSON, or of a URL but for those of . - _ +
_ESCAPE = r"(?<=\\[bfnrt])|(?<=%[2-7][0-9A-F])(?<!%2[BDE])(?<!%5F)"
_BLANKS = r"(?:\s|\\[nrt]|%20|\+)+"
_APOSTROPHES = ("'", "’", "&#39;", "&#x27;", "&apos;")
_PARTS = re.compile(r"[a-hjl-rt-z0-9]+")  # of other letters than i, k, s there are forms that no database folds


class Pseudonym:
    """Puts ``said`` in place of a person. Letters count alike in either case, composed and escaped ones as well.

    An address is found in any text where it stands for itself: not as the end or the beginning of a longer one. A name
    is found in any text where it has two words or more; of one word only where a column for people holds nothing else.
    """

    def __init__(self, email: str, names: Iterable[str], said: str) -> None:
        self.email = _plain(email)
        self.said = said
        self._names = {_plain(" ".join(name.split())) for name in names} - {""}
        phrases = sorted((name for name in self._names if " " in name), key=len, reverse=True)
        end = r"(?!-*[^\W_]|\.[^\W_])"
        address = rf"(?:{_ESCAPE}|(?<![\w.+%-])(?<!\w')){_spellings(self.email)}{end}"
        whole = [rf"(?:{_ESCAPE}|(?<!\w)){_BLANKS.join(map(_spellings, name.split()))}(?!\w)" for name in phrases]
        self._pattern = re.compile("|".join([address, *whole]), re.IGNORECASE)
        self.needles = tuple(tuple(_PARTS.findall(each)) for each in (self.email, *phrases))
        self.words = tuple(tuple(_PARTS.findall(each)) for each in sorted(self._names - set(phrases)))

    def is_address(self, value: str | None) -> bool:
        """Whether a value is the address and nothing else."""
        return value is not None and _plain(value) == self.email

    def is_person(self, value: object) -> bool:
        """Whether a value is the address, or a name and nothing else."""
        return isinstance(value, str) and _plain(value) in (self.email, *self._names)

    def in_people(self, value: str) -> str:
        """The same for the value of a column that names people."""
        parts = [self.said if self.is_person(part) else self.in_text(part) for part in value.split(SEVERAL)]
        return SEVERAL.join(parts)

    def in_text(self, text: str) -> str:
        """A text without the person."""
        return self._pattern.sub(self.said, text)

    def in_value(self, value: object) -> object:
        """A JSON value without the person."""
        if isinstance(value, str):
            return self.in_text(value)
        if isinstance(value, list):
            return [self.in_value(each) for each in value]
        if isinstance(value, dict):
            return {self.in_text(name): self.in_value(each) for name, each in value.items()}
        return value


def _plain(text: str) -> str:
    return normalize("NFC", text).strip().lower()


def _spellings(word: str) -> str:
    """A pattern for a word as it may stand in a text, a URL, or HTML."""
    return "".join(map(_spelling, word))


def _spelling(letter: str) -> str:
    if letter.isascii() and letter.isalnum():
        return letter
    others = _APOSTROPHES if letter in _APOSTROPHES else (letter, normalize("NFD", letter))
    spelled = {*others, *(quote(each, safe="") for form in others for each in (form, form.upper()))}
    return f"(?:{'|'.join(map(re.escape, sorted(spelled)))})"
