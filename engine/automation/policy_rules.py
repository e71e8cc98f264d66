"""The rule language of policies: data, no code. ``docs/policy-rules.md`` describes it.

Every rule that checks out can be evaluated, ends, and touches nothing: conditions are finite trees of bounded size over
a fixed set of fields, without names, calls or loops.
"""

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from engine.automation.policy_fields import PolicyField, position

MOST_RULES, MOST_CONDITIONS, DEEPEST, MOST_VALUES, LONGEST = 50, 300, 6, 100, 200
EFFECTS = ("deny", "require")
_RULE_ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_CLOCK = re.compile(r"([01]\d|2[0-3]):[0-5]\d")
_COMPARE: Mapping[str, Callable[[Any, Any], bool]] = {
    "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge,
}  # fmt: skip
_EQUAL = ("eq", "ne", "in", "not_in", "present")
_ORDER = ("lt", "le", "gt", "ge", "between")
OPERATORS: Mapping[str, tuple[str, ...]] = {
    "text": (*_EQUAL, "starts_with"),
    "word": _EQUAL,
    "boolean": ("eq", "ne", "present"),
    "number": (*_EQUAL, *_ORDER),
    "ordered": (*_EQUAL, *_ORDER),
    "clock": (*_EQUAL, *_ORDER),
    "date": (*_EQUAL, *_ORDER),
}


@dataclass(frozen=True)
class RuleProblem:
    """Where a rule does not hold: a path such as ``rules[0].when.all[1].op``, what was expected, what came."""

    field: str
    expected: str
    got: str


@dataclass(frozen=True)
class Verdict:
    """What one rule says. ``holds`` is its condition; a ``deny`` refuses when it holds, a ``require`` when not."""

    rule: str
    effect: str
    holds: bool
    refuses: bool
    message: str


# -- checking ----------------------------------------------------------------------------------------------------------


def problems(rules: Any, fields: Mapping[str, PolicyField]) -> list[RuleProblem]:
    """Everything that keeps ``rules`` from being a policy over these fields, in order; empty when nothing does."""
    if not isinstance(rules, list) or len(rules) > MOST_RULES:
        return [RuleProblem("rules", f"a list of at most {MOST_RULES} rules", _came(rules))]
    found: list[RuleProblem] = []
    left = [MOST_CONDITIONS]
    seen: set[str] = set()
    for number, rule in enumerate(rules):
        found += _rule(rule, f"rules[{number}]", fields, left, seen)
    return found


def _rule(rule: Any, at: str, fields: Mapping[str, PolicyField], left: list[int], seen: set[str]) -> list[RuleProblem]:
    if not isinstance(rule, dict):
        return [RuleProblem(at, "an object with id, when, effect and message", _came(rule))]
    found = [
        RuleProblem(f"{at}.{name}", "one of id, when, effect, message", "an unknown member")
        for name in sorted(set(rule) - {"id", "when", "effect", "message"})
    ]
    name, effect, message = rule.get("id"), rule.get("effect"), rule.get("message")
    if not isinstance(name, str) or not _RULE_ID.fullmatch(name) or name in seen:
        wanted = "1 to 64 of a-z, 0-9, - and _, each once, the first a letter or digit"
        found.append(RuleProblem(f"{at}.id", wanted, _came(name)))
    else:
        seen.add(name)
    if effect not in EFFECTS:
        found.append(RuleProblem(f"{at}.effect", "deny or require", _came(effect)))
    if not isinstance(message, str) or not 0 < len(message) <= LONGEST or not message.isprintable():
        found.append(RuleProblem(f"{at}.message", f"a printable text of 1 to {LONGEST} characters", _came(message)))
    return found + _condition(rule.get("when"), f"{at}.when", fields, left, 1)


def _condition(
    given: Any, at: str, fields: Mapping[str, PolicyField], left: list[int], depth: int
) -> list[RuleProblem]:
    left[0] -= 1
    if left[0] == -1:
        return [RuleProblem(at, f"at most {MOST_CONDITIONS} conditions in a policy", "more")]
    if left[0] < 0:
        return []
    if depth > DEEPEST:
        return [RuleProblem(at, f"at most {DEEPEST} levels of conditions", "more")]
    if isinstance(given, dict) and len(given) == 1 and (word := next(iter(given))) in ("all", "any"):
        parts = given[word]
        if not isinstance(parts, list) or not parts:
            return [RuleProblem(f"{at}.{word}", "a list of at least one condition", _came(parts))]
        found: list[RuleProblem] = []
        for number, part in enumerate(parts):
            found += _condition(part, f"{at}.{word}[{number}]", fields, left, depth + 1)
        return found
    if isinstance(given, dict) and set(given) == {"not"}:
        return _condition(given["not"], f"{at}.not", fields, left, depth + 1)
    if not isinstance(given, dict) or set(given) != {"field", "op", "value"}:
        shape = "an object with field, op and value, or with one of all, any and not"
        came = "an object with " + ", ".join(sorted(given)[:8])[:80] if isinstance(given, dict) else _came(given)
        return [RuleProblem(at, shape, came)]
    return _comparison(given, at, fields)


def _comparison(given: Mapping[str, Any], at: str, fields: Mapping[str, PolicyField]) -> list[RuleProblem]:
    name, op, value = given["field"], given["op"], given["value"]
    if not isinstance(name, str) or name not in fields:
        return [RuleProblem(f"{at}.field", f"one of {', '.join(fields)}", _came(name))]
    field = fields[name]
    if op not in OPERATORS[field.type]:
        return [RuleProblem(f"{at}.op", f"one of {', '.join(OPERATORS[field.type])} for {name}", _came(op))]
    if op == "present":
        return [] if isinstance(value, bool) else [RuleProblem(f"{at}.value", "true or false", _came(value))]
    if op in ("in", "not_in", "between"):
        low, high = (2, 2) if op == "between" else (1, MOST_VALUES)
        if not isinstance(value, list) or not low <= len(value) <= high:
            wanted = "a list of two values" if op == "between" else f"a list of 1 to {MOST_VALUES} values"
            return [RuleProblem(f"{at}.value", wanted, _came(value))]
        places = [RuleProblem(f"{at}.value[{number}]", _wanted(field), _came(one))
                  for number, one in enumerate(value) if not _fits(field, one)]  # fmt: skip
        if (
            not places
            and op == "between"
            and field.type != "clock"
            and position(field, value[0]) > position(field, value[1])
        ):
            return [RuleProblem(f"{at}.value", "the lower value first", _came(value))]
        return places
    return [] if _fits(field, value) else [RuleProblem(f"{at}.value", _wanted(field), _came(value))]


def _fits(field: PolicyField, value: Any) -> bool:
    if field.type == "boolean":
        return isinstance(value, bool)
    if field.type == "number":
        return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e15
    if not isinstance(value, str) or len(value) > LONGEST:
        return False
    if field.type == "clock":
        return _CLOCK.fullmatch(value) is not None
    if field.type == "date":
        return _is_date(value)
    return value in field.words if field.words else value.isprintable()


def _is_date(value: str) -> bool:
    try:
        return date.fromisoformat(value).isoformat() == value
    except ValueError:
        return False


def _wanted(field: PolicyField) -> str:
    if field.words:
        return f"one of {', '.join(field.words)}"
    plain = {"boolean": "true or false", "number": "a number", "clock": "a time HH:MM", "date": "a date YYYY-MM-DD"}
    return plain.get(field.type, f"a printable text of at most {LONGEST} characters")


def _came(value: Any) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, list | dict):
        return f"{'a list' if isinstance(value, list) else 'an object'} of {len(value)}"
    return repr(value)[:80]


# -- evaluating --------------------------------------------------------------------------------------------------------


def evaluate(
    rules: Sequence[Mapping[str, Any]], fields: Mapping[str, PolicyField], context: Mapping[str, Any]
) -> list[Verdict]:
    """What each of the rules says about the context, in order. The rules must have no ``problems``."""
    found = []
    for rule in rules:
        holds = _holds(rule["when"], fields, context)
        refuses = holds if rule["effect"] == "deny" else not holds
        found.append(Verdict(rule["id"], rule["effect"], holds, refuses, rule["message"]))
    return found


def _holds(condition: Mapping[str, Any], fields: Mapping[str, PolicyField], context: Mapping[str, Any]) -> bool:
    if "all" in condition:
        return all(_holds(part, fields, context) for part in condition["all"])
    if "any" in condition:
        return any(_holds(part, fields, context) for part in condition["any"])
    if "not" in condition:
        return not _holds(condition["not"], fields, context)
    field, op, value = fields[condition["field"]], condition["op"], condition["value"]
    return _compare(field, op, context.get(condition["field"]), value)


def _compare(field: PolicyField, op: str, found: Any, value: Any) -> bool:
    """``ne`` and ``not_in`` negate ``eq`` and ``in``; every other comparison with a value that is absent is false."""
    if op == "present":
        return bool((found is not None) == value)
    if op in ("ne", "not_in"):
        return not _compare(field, "eq" if op == "ne" else "in", found, value)
    if found is None:
        return False
    if op == "eq":
        return bool(found == value)
    if op == "in":
        return bool(found in value)
    if op == "starts_with":
        return bool(found.startswith(value))
    here = position(field, found)
    if op == "between":
        low, high = position(field, value[0]), position(field, value[1])
        if low > high:  # a span of hours over midnight
            return bool(here >= low or here <= high)
        return bool(low <= here <= high)
    return _COMPARE[op](here, position(field, value))
