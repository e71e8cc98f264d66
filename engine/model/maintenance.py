"""Matchers of maintenance windows, as Alertmanager's silences have them: a label and a value or a pattern for it."""

import re
from collections.abc import Mapping

import msgspec

from engine.model.vocabulary import Json

LONGEST_PATTERN = 1000


def matcher_problem(matchers: object) -> str | None:
    """Why matchers cannot be: what was expected of them; None where they can."""
    if not isinstance(matchers, list) or not matchers:
        return 'a list of matchers such as [{"name": "alertname", "value": "HostDown"}]'
    for one in matchers:
        if not isinstance(one, dict) or not isinstance(one.get("name"), str) or not isinstance(one.get("value"), str):
            return "matchers that each have a name and a value"
        if not all(isinstance(one.get(flag, False), bool) for flag in ("isRegex", "isEqual")):
            return "isRegex and isEqual of each matcher to be true or false"
        if one.get("isRegex") and _pattern(one["value"]) is None:
            return f"patterns of at most {LONGEST_PATTERN:,} characters that can be read; {one['value'][:80]!r} cannot"
    return None


def matches(matchers: Json, labels: Json) -> bool:
    """Whether all matchers agree with an alert's labels; False for none. Both may be JSON text."""
    rules, named = _value(matchers), _value(labels)
    if matcher_problem(rules) is not None or not isinstance(rules, list):
        return False
    known = named if isinstance(named, dict) else {}
    return all(isinstance(one, dict) and _agrees(one, str(known.get(str(one["name"]), ""))) for one in rules)


def _agrees(matcher: Mapping[str, Json], label: str) -> bool:
    value = str(matcher["value"])
    pattern = _pattern(value) if matcher.get("isRegex") else None
    equal = label == value if pattern is None else pattern.fullmatch(label) is not None
    return equal == matcher.get("isEqual", True)


def _pattern(text: str) -> re.Pattern[str] | None:
    if len(text) > LONGEST_PATTERN:
        return None
    try:
        return re.compile(text)
    except (re.error, RecursionError, OverflowError):
        return None


def _value(given: Json) -> Json:
    if not isinstance(given, str):
        return given
    try:
        return msgspec.json.decode(given)  # type: ignore[no-any-return]  # any JSON value
    except msgspec.DecodeError:
        return None
