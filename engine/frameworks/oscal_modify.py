"""The last phase of profile resolution: parameters are set, then alterations remove, then they add.

What has no effect by NIST's specification (a parameter that no selected control has, an addition at nothing, a removal
of nothing) is left out and said; the rest takes effect.
"""

import copy
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from engine.frameworks.content import refuse
from engine.model.errors import Usage

Json = dict[str, Any]  # an object of OSCAL
_LISTS = ("params", "props", "links", "parts")
_NAMED = {"param": "params", "prop": "props", "link": "links", "part": "parts"}
_SETTINGS = ("class", "depends-on", "label", "usage", "values", "select")
_ADDED = ("props", "links", "constraints", "guidelines")


def modify(name: str, catalog: Json, changes: Json) -> list[str]:
    """Change a catalog in place; returns a sentence for each change that has no effect.

    Usage for an alteration of a control that is not selected, and for one that removes and adds to the same part.
    """
    notes: list[str] = []
    params = {str(param.get("id")): param for param in _params(catalog)}
    for number, one in enumerate(changes.get("set-parameters") or (), start=1):
        own_id = str(one.get("param-id"))
        if own_id not in params:
            notes.append(f"{name}, set-parameter {number}: no selected control has the parameter {own_id}; left out.")
            continue
        _set(params[own_id], one)
    controls = {str(control["id"]): control for control in _controls(catalog)}
    for number, alter in enumerate(changes.get("alters") or (), start=1):
        own_id = str(alter.get("control-id"))
        if own_id not in controls:
            raise refuse(f"{name}, alter {number}", "the id of a selected control", own_id)
        notes += _alter(f"{name}, alter {own_id}", controls[own_id], alter)
    return notes


def drop_idle_params(catalog: Json, changes: Json) -> None:
    """Leave out parameters beside all controls that nothing refers to, sets, or says to keep."""
    loose = {str(param.get("id")): param for param in catalog.pop("params", [])}
    held = {name for name, param in loose.items() if {"name": "keep", "value": "always"} in map(_word, _props(param))}
    held |= loose.keys() & {str(one.get("param-id")) for one in changes.get("set-parameters") or ()}
    held |= _names_in(catalog, loose)
    while further := _names_in([loose[name] for name in held], loose) - held:
        held |= further
    if held:
        catalog["params"] = [param for name, param in loose.items() if name in held]


def _props(param: Json) -> list[Json]:
    return [one for one in param.get("props", []) if isinstance(one, dict)]


def _word(prop: Json) -> Json:
    return {"name": prop.get("name"), "value": prop.get("value")}


def _names_in(content: object, loose: Mapping[str, Json]) -> set[str]:
    text = json.dumps(content)
    return {name for name in loose if re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w.-])", text)}


def _controls(holder: Json) -> Iterator[Json]:
    for control in holder.get("controls", []):
        yield control
        yield from _controls(control)
    for group in holder.get("groups", []):
        yield from _controls(group)


def _params(holder: Json) -> Iterator[Json]:
    yield from holder.get("params", [])
    for part in (*holder.get("controls", []), *holder.get("groups", [])):
        yield from _params(part)


def _set(param: Json, one: Json) -> None:
    """Single members are replaced; properties, links, constraints and guidelines are added to."""
    for key in _SETTINGS:
        if key in one:
            param[key] = one[key]
    for key in _ADDED:
        if key in one:
            param[key] = [*param.get(key, []), *copy.deepcopy(one[key])]


def _alter(place: str, control: Json, alter: Json) -> list[str]:
    notes: list[str] = []
    removed: list[str] = []
    for number, one in enumerate(_each(alter, "removes", "remove"), start=1):
        here = f"{place}, remove {number}"
        names = {key: str(value) for key, value in one.items() if key.startswith("by-")}
        if not names:
            raise refuse(here, "by-name, by-class, by-id, by-item-name or by-ns", None)
        gone = _remove(control, names)
        if not gone:
            said = " and ".join(f"{key} {value}" for key, value in names.items())
            notes.append(f"{here}: the control has nothing {said}; left out.")
        removed += gone
    for number, one in enumerate(_each(alter, "adds", "add"), start=1):
        here = f"{place}, add {number}"
        target = one.get("by-id")
        if target is not None and str(target) in removed:
            raise Usage(f"{here}: {target} is removed and added to by one alteration.")
        if not _add(here, control, one):
            notes.append(f"{here}: the control has nothing of the id {target}; left out.")
    return notes


def _each(alter: Json, several: str, single: str) -> Sequence[Json]:
    found = alter.get(several, alter.get(single, []))
    return found if isinstance(found, list) else [dict(found or {})]


def _remove(holder: Json, names: Mapping[str, str]) -> list[str]:
    """Remove what matches at any depth; returns the identifiers that go, with those below them."""
    gone: list[str] = []
    found = False
    for key in _LISTS:
        left = []
        for item in holder.get(key, []):
            if _matches(key, item, names):
                found = True
                gone += _ids(item)
            else:
                inner = _remove(item, names) if key in ("parts", "params") else []
                found = found or bool(inner)
                gone += inner
                left.append(item)
        if key in holder:
            holder[key] = left
            if not left:
                del holder[key]
    return gone or ([""] if found else [])


def _matches(key: str, item: Json, names: Mapping[str, str]) -> bool:
    checks: Mapping[str, Callable[[str], bool]] = {
        "by-item-name": lambda text: _NAMED.get(text) == key,
        "by-name": lambda text: item.get("name") == text,
        "by-class": lambda text: item.get("class") == text,
        "by-id": lambda text: item.get("id") == text,
        "by-ns": lambda text: item.get("ns") == text,
    }
    return all(name in checks and checks[name](text) for name, text in names.items())


def _ids(item: Json) -> list[str]:
    return [str(item["id"])] * ("id" in item) + [
        one for key in _LISTS for part in item.get(key, []) for one in _ids(part)
    ]


def _add(place: str, control: Json, one: Json) -> bool:
    """Add to a control, or to what it has of an identifier; false where there is no such thing."""
    position = str(one.get("position", "ending"))
    if position not in ("before", "after", "starting", "ending"):
        raise refuse(f"{place}, position", "one of before, after, starting, ending", position)
    content = {key: copy.deepcopy(one[key]) for key in _LISTS if one.get(key)}
    if one.get("by-id", control["id"]) == control["id"]:  # NIST's own example names the control itself
        _into(control, content, one, at_start=position in ("before", "starting"))
        return True
    found = _find(control, str(one["by-id"]))
    if found is None:
        return False
    holder, key, item = found
    if position in ("starting", "ending"):
        _into(item, content, one, at_start=position == "starting")
        return True
    strange = [name for name in content if name != key]
    if strange:
        raise refuse(place, f"{key} beside {one['by-id']}", ", ".join(strange))
    at = holder[key].index(item) + (position == "after")
    holder[key][at:at] = content.get(key, [])
    return True


def _into(holder: Json, content: Json, one: Json, *, at_start: bool) -> None:
    if "title" in one:
        holder["title"] = one["title"]
    for key, items in content.items():
        there = holder.get(key, [])
        holder[key] = [*items, *there] if at_start else [*there, *items]


def _find(holder: Json, own_id: str) -> tuple[Json, str, Json] | None:
    for key in ("params", "parts"):
        for item in holder.get(key, []):
            if item.get("id") == own_id:
                return holder, key, item
            find = _find(item, own_id)
            if find is not None:
                return find
    return None
