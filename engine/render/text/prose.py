"""Prose in Markdown: what users write is shown as it is and never becomes markup."""

import re

from engine.render.plain_values import CONTROL as CONTROL_CHARACTERS

ESCAPES = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    "|": "&#124;",
    "\\": "&#92;",
    "`": "&#96;",
    "~": "&#126;",
    "*": "\\*",
    "_": "\\_",
    "[": "\\[",
    "]": "\\]",
}
HASH = "\\#"
SPECIAL = re.compile(r"[&<>|\\`~*_\[\]]")
INSIDE = re.compile(r"(?<=[0-9A-Za-z])\\_(?=[0-9A-Za-z])")
BLANK = re.compile(r"[ \t\r\n\x0b\x0c\x85\u2028\u2029]+")
CONTROL = re.compile(CONTROL_CHARACTERS)
LEADING = re.compile(r"^(\d*)([.)#+-])")


def inline(text: str) -> str:
    """One line of prose, escaped in the same way."""
    if not text.isprintable() or "  " in text:
        text = CONTROL.sub("\ufffd", BLANK.sub(" ", text))
    return literal(text.strip(" "))


def literal(text: str) -> str:
    """Text that Markdown shows as it is; underscores inside a word need no escape and keep none."""
    if not SPECIAL.search(text):
        return text
    return INSIDE.sub("_", SPECIAL.sub(lambda match: ESCAPES[match[0]], text))


def paragraph(text: str) -> str:
    """Prose at the start of a block, where a digit, a dash or a hash would open a list or a heading."""
    return LEADING.sub(r"\1\\\2", inline(text))


def heading(level: int, text: str) -> str:
    """A heading; trailing hashes of the text stay text."""
    return f"{'#' * level} {inline(text).replace('#', HASH)}"
