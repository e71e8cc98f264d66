"""Which rule a SARIF result breaks, and messages that a rule holds in pieces."""

import re
from collections.abc import Mapping

from engine.intake.values import as_list, line, mapping, plain

_PLACEHOLDER = re.compile(r"\{(\d{1,2})\}")


def rule_of(result: Mapping[str, object], run: Mapping[str, object]) -> Mapping[str, object]:
    """The rule's descriptor, from the tool or from the extension that the result names; empty where there is none.

    By its index, else by its identifier, of which a result may have one level more (``CA1000/1``).
    """
    tool, pointer = mapping(run.get("tool")), mapping(result.get("rule"))
    extensions = [mapping(one) for one in as_list(tool.get("extensions"))]
    component = mapping(pointer.get("toolComponent"))
    place = component.get("index")
    if isinstance(place, int) and 0 <= place < len(extensions):
        holders = [extensions[place]]
    else:
        holders = [mapping(tool.get("driver")), *extensions]
    index = pointer.get("index", result.get("ruleIndex"))
    rules = as_list(holders[0].get("rules"))
    name = plain(result.get("ruleId")) or plain(pointer.get("id"))
    if isinstance(index, int) and 0 <= index < len(rules) and _is_named(mapping(rules[index]), name):
        return mapping(rules[index])
    mappings = (mapping(rule) for holder in holders for rule in as_list(holder.get("rules")))
    return next((rule for rule in mappings if name is not None and _is_named(rule, name)), {})


def words_of(message: object, rule: Mapping[str, object]) -> str | None:
    """The text of a message, also one that stands at the rule with places for the result's own words."""
    held = mapping(message)
    template = line(held.get("text"), 1000)
    if template is None:
        known = mapping(rule.get("messageStrings")).get(plain(held.get("id")) or "")
        template = line(mapping(known).get("text"), 1000)
    if template is None:
        return line(held.get("markdown"))
    arguments = [plain(one) or "" for one in as_list(held.get("arguments"))]
    return line(_PLACEHOLDER.sub(lambda hit: _argument(arguments, hit), template) if arguments else template)


def _argument(arguments: list[str], hit: re.Match[str]) -> str:
    number = int(hit[1])
    return arguments[number][:200] if number < len(arguments) else hit[0]


def _is_named(rule: Mapping[str, object], name: str | None) -> bool:
    known = plain(rule.get("id"))
    return bool(rule) and (name is None or known is None or name == known or name.startswith(f"{known}/"))
