"""Values out of JSON that somebody else wrote: absent in four ways, numbers as text, text of any size.

Nothing here recurses: an object or a list where a plain value belongs counts as absent.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from math import isfinite

from engine.intake.redaction import REDACTED, is_secret, redact

LINE, BLOCK, LABELS = 300, 4000, 50
ABSENT = frozenset({"", "null", "'-"})
LONGEST_ABSENT = 4
YES = frozenset({"true", "yes", "y", "1", "on"})
NO = frozenset({"false", "no", "n", "0", "off"})

_LARGEST = 2**63
_CONTROLS = [*range(1, 9), 0x0B, 0x0C, *range(0x0E, 0x20), *range(0x7F, 0xA0), 0x2028, 0x2029]
_CLEAN: dict[int, str | None] = {
    **dict.fromkeys([0, *range(0xD800, 0xE000)], "\ufffd"),
    **dict.fromkeys(_CONTROLS, " "),
    **dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)], None),  # they turn the reading direction
}
_SEPARATORS = re.compile(r"[\s.-]+")
_LINK = re.compile(r"https?://[^\s/?#]", re.IGNORECASE)


def plain(value: object) -> str | None:
    """A scalar as clean text of any length; NUL and lone surrogates become U+FFFD. None when absent."""
    if isinstance(value, str):
        text = (value if value.isprintable() else value.translate(_CLEAN)).strip()
        return None if len(text) <= LONGEST_ABSENT and text.lower() in ABSENT else text
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value) if abs(value) < _LARGEST else None
    return f"{value:.15g}" if isinstance(value, float) and isfinite(value) else None


def line(value: object, limit: int = LINE) -> str | None:
    """Text on one line of at most ``limit`` characters, secrets replaced."""
    if value is None:
        return None
    if isinstance(value, str) and not value.isprintable():
        value = " ".join(value[: 2 * limit].split())  # quicker than cleaning, and most often enough
    text = _bound(value, limit)
    if text is None:
        return None
    return _cut(redact(text if text.isprintable() else " ".join(text.split())), limit)


def block(value: object, limit: int = BLOCK) -> str | None:
    """Text of several lines, bounded like ``line``."""
    text = None if value is None else _bound(value, limit)
    return None if text is None else _cut(redact(text), limit)


def number(value: object) -> float | None:
    """A finite number, also when it came as text."""
    if value is None or isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        found = float(value[:40] if isinstance(value, str) else value)
    except (ValueError, OverflowError):
        return None
    return found if isfinite(found) else None


def whole_number(value: object, low: int = 0, high: int = 2**31) -> int | None:
    """A whole number between two bounds, also when it came as text or as 443.0."""
    found = number(value)
    return int(found) if found is not None and found.is_integer() and low <= found <= high else None


def flag(value: object) -> bool | None:
    """True or false in the spellings that occur; None for anything else."""
    text = (plain(value) or "").lower()
    return True if text in YES else False if text in NO else None


def link(value: object) -> str | None:
    """An absolute http or https address; anything else (relative, javascript:) is dropped."""
    text = line(value, 2000)
    return text if text and _LINK.match(text) and " " not in text else None


def mapping(value: object) -> Mapping[str, object]:
    """The object itself, or an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: object) -> list[object]:
    """A list as it is, a single value as a list of one: what converted XML leaves to guess."""
    if isinstance(value, list):
        return value
    return [] if value is None or value == "" else [value]


def labels(value: Mapping[str, object], limit: int = LINE) -> dict[str, str]:
    """The first 50 plain values by name; those with the name of a secret keep only the name."""
    kept: dict[str, str] = {}
    for name, held in sorted(value.items(), key=lambda item: str(item[0])):
        clean, text = line(str(name), 100), line(held, limit)
        if clean is not None and text is not None:
            kept[clean] = REDACTED if is_secret(clean) else text
        if len(kept) == LABELS:
            break
    return kept


def first(record: Mapping[str, object], names: tuple[str, ...], limit: int = LINE) -> str | None:
    """The first of the named values that is there, on one line."""
    for name in names:
        value = record.get(name)
        if value is not None and (text := line(value, limit)) is not None:
            return text
    return None


@lru_cache(maxsize=4096)
def folded_name(name: str) -> str:
    """``First Found``, ``first-found`` and ``FIRST_FOUND`` are one name: first_found."""
    return _SEPARATORS.sub("_", name.strip().lower())


def fold(record: Mapping[str, object]) -> dict[str, object]:
    """The record under folded names; where two fall together the first that holds something stays."""
    found: dict[str, object] = {}
    for name, value in record.items():
        short = folded_name(name) if len(name) <= 64 else name
        if short not in found or found[short] in (None, ""):
            found[short] = value
    return found


def _bound(value: object, limit: int) -> str | None:
    return plain(value[: 2 * limit] if isinstance(value, str) and len(value) > limit else value)


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
