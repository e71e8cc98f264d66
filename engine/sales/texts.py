"""Texts from people, as they are kept: one shape of Unicode, no invisible control characters, bounded."""

import re
import unicodedata

from engine.model.errors import BadRequest

# Embeddings, overrides and isolates reorder the text after them, wherever it is shown; marks and joiners stay.
_REORDERING = re.compile("[\u202a-\u202e\u2066-\u2069\ufeff]")
_BREAKS = re.compile("\r\n|[\r\u0085\u2028\u2029]")
_EMAIL = re.compile(r"[^\s@,;:<>()\[\]\"\\]{1,64}@(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.)+[^\W\d_][\w-]{0,61}[^\W_]")
MOST_EMAIL = 254


def line(field: str, text: str, most: int = 200) -> str:
    """One line with single spaces; emoji and any script, right-to-left marks included."""
    kept = " ".join(_clean(field, text, allowed="").split(" "))
    kept = " ".join(kept.split())
    return _bound(field, kept, most)


def prose(field: str, text: str, most: int) -> str:
    """Several lines; white space at their ends goes."""
    kept = _clean(field, _BREAKS.sub("\n", text), allowed="\n\t")
    return _bound(field, "\n".join(part.rstrip() for part in kept.split("\n")).strip(), most)


def email(field: str, text: str) -> str:
    """An address in lower case, fit for one recipient of one message."""
    kept = unicodedata.normalize("NFC", text.strip()).lower()
    if len(kept) > MOST_EMAIL or not kept.isprintable() or not _EMAIL.fullmatch(kept) or ".." in kept:
        raise invalid(field, f"an e-mail address of up to {MOST_EMAIL} characters, such as ana@company.example")
    return kept


def invalid(field: str, expected: str, got: object = None, word: str = "invalid_body") -> BadRequest:
    """A member of the body that does not fit. What people wrote is not repeated; ``got`` is for words and numbers."""
    detail = {"field": field, "expected": expected}
    if got is not None:
        detail["got"] = str(got)[:80]
    came = "" if got is None else f"; got {str(got)[:80]!r}"
    return BadRequest(f"The body does not fit: {field} must be {expected}{came}.", word=word, details=[detail])


def _clean(field: str, text: str, allowed: str) -> str:
    kept = _REORDERING.sub("", unicodedata.normalize("NFC", text))
    for character in kept:
        if unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") and character not in allowed:
            raise invalid(field, "text without control characters")
    return kept


def _bound(field: str, text: str, most: int) -> str:
    if not any(character.isprintable() and not character.isspace() for character in text) or len(text) > most:
        raise invalid(field, f"a text of 1 to {most:,} characters", f"{len(text):,} characters")
    return text
