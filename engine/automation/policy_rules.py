"""The rule language of policies: data, no code. ``docs/reference/policy-rules.md`` describes it.

Every rule that checks out can be evaluated, ends, and touches nothing: conditions are finite trees of bounded size over
a fixed set of fields, without names, calls or loops.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from engine.automation.policy_fields import FieldType, PolicyField, position
from engine.model.vocabulary import RULE_EFFECTS, RuleEffect

MOST_RULES, MOST_CONDITIONS, DEEPEST, MOST_VALUES, LONGEST = 50, 300, 6, 100, 200
_RULE_ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_CLOCK = re.compile(r"([01]\d|2[0-3]):[0-5]\d")
_EQUAL = ("eq", "ne", "in", "not_in", "present")
_ORDER = ("lt", "le", "gt", "ge", "between")
OPERATORS: Mapping[FieldType, tuple[str, ...]] = {
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
class RuleVerdict:
    """What one rule says. ``holds`` is its condition; a ``deny`` refuses when it holds, a ``require`` when not."""

    rule: str
    effect: RuleEffect
    holds: bool
    refuses: bool
    message: str


# -- checking ----------------------------------------------------------------------------------------------------------


def problems(rules: object, fields: Mapping[str, PolicyField]) -> list[RuleProblem]:
    """Everything that keeps ``rules`` from being a policy over these fields, in order; empty when nothing does."""
    if not isinstance(rules, list) or len(rules) > MOST_RULES:
        return [RuleProblem("rules", f"a list of at most {MOST_RULES} rules", _value_text(rules))]
    rule_problems: list[RuleProblem] = []
    left = [MOST_CONDITIONS]
    seen: set[str] = set()
    for number, rule in enumerate(rules):
        rule_problems += _rule(rule, f"rules[{number}]", fields, left, seen)
    return rule_problems


def _rule(
    rule: object, at: str, fields: Mapping[str, PolicyField], left: list[int], seen: set[str]
) -> list[RuleProblem]:
    if not isinstance(rule, dict):
        return [RuleProblem(at, "an object with id, when, effect and message", _value_text(rule))]
    rule_problems = [
        RuleProblem(f"{at}.{name}", "one of id, when, effect, message", "an unknown member")
        for name in sorted(set(rule) - {"id", "when", "effect", "message"})
    ]
    name, effect, message = rule.get("id"), rule.get("effect"), rule.get("message")
    if not isinstance(name, str) or not _RULE_ID.fullmatch(name) or name in seen:
        wanted = "1 to 64 of a-z, 0-9, - and _, each once, the first a letter or digit"
        rule_problems.append(RuleProblem(f"{at}.id", wanted, _value_text(name)))
    else:
        seen.add(name)
    if effect not in RULE_EFFECTS:
        rule_problems.append(RuleProblem(f"{at}.effect", "deny or require", _value_text(effect)))
    if not isinstance(message, str) or not 0 < len(message) <= LONGEST or not message.isprintable():
        rule_problems.append(
            RuleProblem(f"{at}.message", f"a printable text of 1 to {LONGEST} characters", _value_text(message))
        )
    return rule_problems + _condition(rule.get("when"), f"{at}.when", fields, left, 1)


def _condition(
    given: object, at: str, fields: Mapping[str, PolicyField], left: list[int], depth: int
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
            return [RuleProblem(f"{at}.{word}", "a list of at least one condition", _value_text(parts))]
        rule_problems: list[RuleProblem] = []
        for number, part in enumerate(parts):
            rule_problems += _condition(part, f"{at}.{word}[{number}]", fields, left, depth + 1)
        return rule_problems
    if isinstance(given, dict) and set(given) == {"not"}:
        return _condition(given["not"], f"{at}.not", fields, left, depth + 1)
    if not isinstance(given, dict) or set(given) != {"field", "op", "value"}:
        shape = "an object with field, op and value, or with one of all, any and not"
        came = "an object with " + ", ".join(sorted(given)[:8])[:80] if isinstance(given, dict) else _value_text(given)
        return [RuleProblem(at, shape, came)]
    return _comparison(given, at, fields)


def _comparison(given: Mapping[str, object], at: str, fields: Mapping[str, PolicyField]) -> list[RuleProblem]:
    name, op, value = given["field"], given["op"], given["value"]
    if not isinstance(name, str) or name not in fields:
        return [RuleProblem(f"{at}.field", f"one of {', '.join(fields)}", _value_text(name))]
    field = fields[name]
    if op not in OPERATORS[field.type]:
        return [RuleProblem(f"{at}.op", f"one of {', '.join(OPERATORS[field.type])} for {name}", _value_text(op))]
    if op == "present":
        return [] if isinstance(value, bool) else [RuleProblem(f"{at}.value", "true or false", _value_text(value))]
    if op in ("in", "not_in", "between"):
        low, high = (2, 2) if op == "between" else (1, MOST_VALUES)
        if not isinstance(value, list) or not low <= len(value) <= high:
            wanted = "a list of two values" if op == "between" else f"a list of 1 to {MOST_VALUES} values"
            return [RuleProblem(f"{at}.value", wanted, _value_text(value))]
        places = [
            RuleProblem(f"{at}.value[{number}]", _expectation(field), _value_text(one))
            for number, one in enumerate(value)
            if not _fits(field, one)
        ]
        if (
            not places
            and op == "between"
            and field.type != "clock"
            and _before(position(field, value[1]), position(field, value[0]))
        ):
            return [RuleProblem(f"{at}.value", "the lower value first", _value_text(value))]
        return places
    return [] if _fits(field, value) else [RuleProblem(f"{at}.value", _expectation(field), _value_text(value))]


def _fits(field: PolicyField, value: object) -> bool:
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


def _expectation(field: PolicyField) -> str:
    if field.words:
        return f"one of {', '.join(field.words)}"
    plain = {"boolean": "true or false", "number": "a number", "clock": "a time HH:MM", "date": "a date YYYY-MM-DD"}
    return plain.get(field.type, f"a printable text of at most {LONGEST} characters")


def _value_text(value: object) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, list | dict):
        return f"{'a list' if isinstance(value, list) else 'an object'} of {len(value)}"
    return repr(value)[:80]


# -- evaluating --------------------------------------------------------------------------------------------------------


def evaluate(rules: object, fields: Mapping[str, PolicyField], context: Mapping[str, object]) -> list[RuleVerdict]:
    """What each of the rules says about the context, in order. The rules must have no ``problems``."""
    rule_verdicts = []
    for rule in rules if isinstance(rules, list) else ():
        effect: RuleEffect = rule["effect"]
        holds = _is_true(rule["when"], fields, context)
        refuses = holds if effect == "deny" else not holds
        rule_verdicts.append(RuleVerdict(rule["id"], effect, holds, refuses, rule["message"]))
    return rule_verdicts


def _is_true(condition: object, fields: Mapping[str, PolicyField], context: Mapping[str, object]) -> bool:
    match condition:
        case {"all": [*parts]}:
            return all(_is_true(part, fields, context) for part in parts)
        case {"any": [*parts]}:
            return any(_is_true(part, fields, context) for part in parts)
        case {"not": part}:
            return not _is_true(part, fields, context)
        case {"field": str(name), "op": str(op), "value": value}:
            return _compare(fields[name], op, context.get(name), value)
    raise ValueError(f"{_value_text(condition)} is no condition")


def _compare(field: PolicyField, op: str, found: object, value: object) -> bool:
    """``ne`` and ``not_in`` negate ``eq`` and ``in``; every other comparison with a value that is absent is false."""
    if op == "present":
        return (found is not None) == value
    if op in ("ne", "not_in"):
        return not _compare(field, "eq" if op == "ne" else "in", found, value)
    if found is None:
        return False
    match op, value:
        case "eq", _:
            return found == value
        case "in", [*several]:
            return found in several
        case "starts_with", str(start):
            return isinstance(found, str) and found.startswith(start)
        case "between", [low, high]:
            return _between(position(field, found), position(field, low), position(field, high))
    here, there = position(field, found), position(field, value)
    match op:
        case "lt":
            return _before(here, there)
        case "le":
            return not _before(there, here)
        case "gt":
            return _before(there, here)
        case "ge":
            return not _before(here, there)
    raise ValueError(f"{op} does not compare {_value_text(value)}")


def _between(here: object, low: object, high: object) -> bool:
    """Both ends included; a lower end that comes after the higher one is a span of hours over midnight."""
    since, until = not _before(here, low), not _before(high, here)
    return since or until if _before(high, low) else since and until


def _before(one: object, other: object) -> bool:
    """The order of two numbers, or of two texts (clocks and dates are written so that it is theirs)."""
    if isinstance(one, str) and isinstance(other, str):
        return one < other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return one < other
    raise TypeError(f"{_value_text(one)} and {_value_text(other)} have no order")
