"""What a check constraint lets through, in words that are the same on both engines.

All of ours are lists of words that a column may be. SQLite keeps the text as it was written, PostgreSQL writes it anew
(``= ANY (ARRAY['a'::text])``); what is no such list stands as it is, so that it differs from what is declared.
"""

import re
from collections.abc import Sequence

_TOKEN = re.compile(r"'(?:[^']|'')*'|\"[^\"]+\"|\w+|::\s*\w+(?: varying)?(?:\[\])?|[^\s\w]")


def check_words(text: str) -> str:
    """``column: word, word`` of a list, else the text."""
    tokens = [token for token in _TOKEN.findall(text) if not token.startswith("::")]
    words = _list(_without_outer(tokens))
    return " ".join(text.split()) if words is None else words


def _without_outer(tokens: list[str]) -> list[str]:
    while len(tokens) > 1 and tokens[0] == "(" and _closes(tokens) == len(tokens) - 1:
        tokens = tokens[1:-1]
    return tokens


def _closes(tokens: Sequence[str]) -> int:
    """Where the bracket that is opened first is closed."""
    depth = 0
    for number, part in enumerate(tokens):
        depth += (part == "(") - (part == ")")
        if depth == 0:
            return number
    return -1


def _list(tokens: Sequence[str]) -> str | None:
    match [token.upper() if token.isalpha() else token for token in tokens[1:]]:
        case ["IN", "(", *_, ")"]:
            words = tokens[3:-1]
        case ["=", "ANY", "(", "ARRAY", "[", *_, "]", ")"]:
            words = tokens[6:-2]
        case ["=", _]:
            words = tokens[2:]
        case _:
            return None
    values, commas = words[::2], words[1::2]
    if len(values) != len(commas) + 1 or set(commas) - {","} or any(value[0] != "'" for value in values):
        return None
    return f"{tokens[0].strip(chr(34))}: {', '.join(sorted(value[1:-1] for value in values))}"
