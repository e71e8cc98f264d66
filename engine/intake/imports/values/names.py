"""Names as people write them: headers, file names, words of a list."""

import difflib
import re
import unicodedata
from collections.abc import Iterable, Sequence


def squash(text: str) -> str:
    """Letters and digits alone, in lower case: ``Due On``, ``due_on`` and ``dueOn`` become equal."""
    return "".join(character for character in unicodedata.normalize("NFKC", text).casefold() if character.isalnum())


def by_squashed(names: Iterable[str]) -> dict[str, str]:
    """What is looked up when a name arrives in any spelling."""
    return {squash(name): name for name in names}


def closest_name(text: str, names: Sequence[str]) -> str | None:
    """The name that was probably meant; None when nothing is near."""
    known = by_squashed(names)
    found = difflib.get_close_matches(squash(text), list(known), n=1, cutoff=0.5)
    return known[found[0]] if found else None


def slug(text: str) -> str:
    """An identifier made from a name: ``Müller & Söhne`` becomes ``muller-sohne``; empty when nothing is left."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))
    return re.sub(r"[\W_]+", "-", plain).strip("-")
