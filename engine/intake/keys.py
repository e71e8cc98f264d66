"""Keys by which the same problem is known again: prefixed by source, at most 200 characters."""

import unicodedata
from collections.abc import Mapping
from hashlib import sha256

from engine.intake.redaction import is_secret
from engine.intake.values import plain

LONGEST = 200


def join_key(source: str, *parts: object) -> str:
    """``source:a|b|c``, absent parts empty; the parts are hashed when the key would grow too long."""
    text = "|".join((plain(part) or "").replace("%", "%25").replace("|", "%7C") for part in parts)
    return f"{source}:{text}" if len(source) + len(text) < LONGEST else f"{source}:sha256-{digest(*parts)}"


def digest(*parts: object) -> str:
    """SHA-256 over the cleaned parts, in hex; where one part ends and the next begins counts."""
    texts = [plain(part) or "" for part in parts]
    return sha256("".join(f"{len(text)}:{text}" for text in texts).encode()).hexdigest()


def label_digest(labels: Mapping[str, object]) -> str:
    """A hash over names and values whatever their order; secrets take no part."""
    pairs = sorted((plain(name) or "", plain(value) or "") for name, value in labels.items() if not is_secret(name))
    return digest(*(part for pair in pairs for part in pair))


def normalise(text: str) -> str:
    """Case, white space and compatibility forms of a title do not make a new problem."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
