"""Secrets that stand in a file of pulls: it is read by many and kept in version control, so none may."""

import re
from collections.abc import Iterator

from engine.model.errors import Usage

_KEYS = re.compile(
    r"(?i)^(?:.*_)?(token|passwords?|passwd|pwd|secrets?|api_?key|access_?key|private_?key|credentials?)$"
)
_PREFIXES = re.compile(
    r"(?<![A-Za-z0-9])(?:gh[pousr]_[A-Za-z0-9]{10,}|github_pat_\w{10,}|glpat-[\w-]{10,}|xox[abeprs]-[\w-]{8,}"
    r"|sk-[\w-]{16,}|sk_(?:live|test)_\w{8,}|AKIA[A-Z0-9]{12,}|ASIA[A-Z0-9]{12,}|AIza[\w-]{20,}|npm_\w{20,}"
    r"|pypi-[\w-]{20,}|eyJ[\w-]{8,}\.[\w-]{8,}\.|hf_[A-Za-z0-9]{20,})|-----BEGIN [A-Z ]*PRIVATE KEY"
)
_URL = re.compile(r"[a-z][a-z0-9+.-]*://[^/\s:@]*:[^/\s@]+@", re.IGNORECASE)
_OPTION = re.compile(
    r"(?i)--?(?:[a-z0-9]+[-_])*(?:token|password|passwd|passphrase|pwd|secret|api[-_]?key|access[-_]?key|private[-_]?key)"
)
_AUTHORIZATION = re.compile(r"(?i)\b(?:authorization|x-api-key|private-token|x-auth-token)\s*:\s*\S|\bbearer\s+\S{8,}")
_LITERAL = re.compile(r"'(?:[^']|'')*'")
_ASSIGNED = re.compile(r"(?i)(?:^|[\s?&;-])(?:password|passwd|pwd|token|secret|api[_-]?key|access_token)=[^\s&;]+")
_HINT = "name an environment variable instead ({instead}), and set the secret there"
_QUERIES = ("query", "population", "exceptions")  # a column may be called password there


def refuse_secrets(data: object, text: str, file: str) -> None:
    """Usage for the first secret that a file holds, parsed and as a text, whose comments are read, too; it is named by
    its place and never shown."""
    before = ""
    for place, key, value in _leaves(data, ()):
        reason = _reason(key, value) or _reason_of_argument(key, before)
        if reason:
            raise Usage(f"{file}: {place} {reason}; {_HINT.format(instead=_instead(key))}.")
        before = value if isinstance(value, str) else ""
    for number, line in enumerate(text.splitlines(), start=1):
        if reason := _reason("", line, is_text=True):
            raise Usage(f"{file}: line {number} {reason}; {_HINT.format(instead=_instead(''))}.")


def _reason_of_argument(key: str, before: str) -> str:
    """Of an argument of a program: whether the one before it is an option that takes a secret."""
    return f"is what {before} sets" if key == "argv" and _OPTION.fullmatch(before) else ""


def _reason(key: str, value: object, *, is_text: bool = False) -> str:
    if _KEYS.match(key):
        return "is a key for a secret, which no file of pulls may hold"
    if not isinstance(value, str):
        return ""
    if _URL.search(value):
        return "has a password in its address"
    if _PREFIXES.search(value):
        return "looks like a key or token"
    texts = _LITERAL.findall(value) if key in _QUERIES else [value]
    if not is_text and any(_ASSIGNED.search(text.strip("'")) or _AUTHORIZATION.search(text) for text in texts):
        return "sets a password or token"
    return ""


def _instead(key: str) -> str:
    return {"url": "url_env", "query": "url_env"}.get(key, "token_env, url_env or env")


def _leaves(value: object, path: tuple[str, ...]) -> Iterator[tuple[str, str, object]]:
    """(place, key, value) of all that is written in the file; a table is looked at by its key, too."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if path[:1] != ("source",) or len(path) != 1:  # a source may be called tokens
                yield ".".join((*path, str(key))), str(key), None if isinstance(inner, dict | list) else inner
            yield from _inner(inner, (*path, str(key)))
    else:
        yield from _inner(value, path)


def _inner(value: object, path: tuple[str, ...]) -> Iterator[tuple[str, str, object]]:
    if isinstance(value, dict):
        yield from _leaves(value, path)
    elif isinstance(value, list):
        for number, one in enumerate(value, start=1):
            place = (*path[:-1], f"{path[-1]}[{number}]") if path else (f"[{number}]",)
            if isinstance(one, dict | list):
                yield from _inner(one, place)
            else:
                yield ".".join(place), path[-1] if path else "", one
