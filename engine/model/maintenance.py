"""What a maintenance window covers: a service, and matchers as Alertmanager's silences have them, a label and a value
or a pattern for it.

Patterns are those of RE2, which Alertmanager reads, too: they take time in proportion to a label, whatever they are.
"""

from collections.abc import Mapping
from functools import lru_cache

import msgspec

from engine.model.vocabulary import Json

LONGEST_PATTERN = 1000
KEPT_MATCHES = 10_000


def matcher_problem(matchers: object) -> str | None:
    """Why matchers cannot be: what was expected of them; None where they can."""
    if not isinstance(matchers, list) or not matchers:
        return 'a list of matchers such as [{"name": "alertname", "value": "HostDown"}]'
    for one in matchers:
        if not isinstance(one, dict) or not isinstance(one.get("name"), str) or not isinstance(one.get("value"), str):
            return "matchers that each have a name and a value"
        if not all(isinstance(one.get(flag, False), bool) for flag in ("isRegex", "isEqual")):
            return "isRegex and isEqual of each matcher to be true or false"
        if one.get("isRegex") and _is_match(one["value"], "") is None:
            return f"patterns of at most {LONGEST_PATTERN:,} characters that can be read; {one['value'][:80]!r} cannot"
    return None


def is_of_all(matchers: Json) -> bool:
    """Whether matchers agree with an alert that has no label at all; such a silence Alertmanager refuses."""
    return matches(matchers, {})


def covers(service_id: str | None, matchers: Json, of_service: str | None, labels: Json) -> bool:
    """Whether a window for ``service_id`` with ``matchers`` is about an incident of a service with labels.

    One that is about nothing covers none: without a service, and without matchers or with such as agree with all.
    """
    if service_id is None and (matchers is None or is_of_all(matchers)):
        return False
    return service_id in (None, of_service) and (matchers is None or matches(matchers, labels))


def matches(matchers: Json, labels: Json) -> bool:
    """Whether all matchers agree with an alert's labels; False for none. Both may be JSON text."""
    rules, named = _value(matchers), _value(labels)
    if matcher_problem(rules) is not None or not isinstance(rules, list):
        return False
    known = named if isinstance(named, dict) else {}
    return all(isinstance(one, dict) and _agrees(one, str(known.get(str(one["name"]), ""))) for one in rules)


def _agrees(matcher: Mapping[str, Json], label: str) -> bool:
    value = str(matcher["value"])
    equal = _is_match(value, label) if matcher.get("isRegex") else label == value
    return equal == matcher.get("isEqual", True)


@lru_cache(KEPT_MATCHES)
def _is_match(pattern: str, text: str) -> bool | None:
    """Whether the whole of a text is as the pattern has it; None for a pattern that cannot be read."""
    import polars as pl  # what answers holds none of what computes, unless a window has a pattern

    if len(pattern) > LONGEST_PATTERN:
        return None
    try:
        return bool(pl.Series([text]).str.contains(rf"\A(?:{pattern})\z", strict=True).item())
    except pl.exceptions.ComputeError:
        return None


def _value(given: Json) -> Json:
    if not isinstance(given, str):
        return given
    try:
        return msgspec.json.decode(given)  # type: ignore[no-any-return]  # any JSON value
    except msgspec.DecodeError:
        return None
