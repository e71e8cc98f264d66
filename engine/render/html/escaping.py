"""Text as HTML and as CSS, for what no template escapes."""

import re

from markupsafe import Markup

_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&#34;", "'": "&#39;"}
_MARKUP = re.compile("[&<>\"']")


def escape_text(text: str) -> str:
    """Text as HTML, as markupsafe.escape writes it."""
    if _MARKUP.search(text):
        for character, entity in _ENTITIES.items():  # the ampersand is the first
            text = text.replace(character, entity)
    return text


def css_string(text: str) -> Markup:
    """A quoted CSS string: every character but letters, digits and spaces is escaped, so it cannot end the style."""
    safe = "".join(char if char.isalnum() or char == " " else f"\\{ord(char):x} " for char in text)
    return Markup(f'"{safe}"')  # noqa: S704 - nothing but letters, digits and CSS escapes
