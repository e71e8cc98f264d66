"""The last phase of profile resolution: parameters are set, then alterations remove, then they add."""

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from engine.frameworks.content import refuse
from engine.model.errors import Usage

Json = dict[str, Any]  # an object of OSCAL
_LISTS = ("params", "props", "links", "parts")
_NAMED = {"param": "params", "prop": "props", "link": "links", "part": "parts"}
_SETTINGS = ("class", "depends-on", "label", "usage", "values", "select")
_ADDED = ("props", "links", "constraints", "guidelines")


def modify(name: str, catalog: Json, changes: Json) -> None:
    """Change a catalog in place. Usage for what is not there, or is removed and added to at once."""
    params = {str(param.get("id")): param for param in _params(catalog)}
    for number, one in enumerate(changes.get("set-parameters") or (), start=1):
        own_id = str(one.get("param-id"))
        if own_id not in params:
            raise refuse(f"{name}, set-parameter {number}", "the id of a parameter of a selected control", own_id)
        _set(params[own_id], one)
    controls = {str(control["id"]): control for control in _controls(catalog)}
    for number, alter in enumerate(changes.get("alters") or (), start=1):
        own_id = str(alter.get("control-id"))
        if own_id not in controls:
            raise refuse(f"{name}, alter {number}", "the id of a selected control", own_id)
        _alter(f"{name}, alter {own_id}", controls[own_id], alter)


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
            given = one[key]
            param[key] = copy.deepcopy(given) if key == "constraints" else [*param.get(key, []), *given]


def _alter(place: str, control: Json, alter: Json) -> None:
    removed: list[str] = []
    for number, one in enumerate(_each(alter, "removes", "remove"), start=1):
        here = f"{place}, remove {number}"
        names = {key: str(value) for key, value in one.items() if key.startswith("by-")}
        if not names:
            raise refuse(here, "by-name, by-class, by-id, by-item-name or by-ns", None)
        gone = _remove(control, names)
        if not gone:
            raise refuse(here, "something that the control has", " and ".join(f"{k} {v}" for k, v in names.items()))
        removed += gone
    for number, one in enumerate(_each(alter, "adds", "add"), start=1):
        here = f"{place}, add {number}"
        target = one.get("by-id")
        if target is not None and str(target) in removed:
            raise Usage(f"{here}: {target} is removed and added to by one alteration.")
        _add(here, control, one)


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


def _add(place: str, control: Json, one: Json) -> None:
    position = str(one.get("position", "ending"))
    if position not in ("before", "after", "starting", "ending"):
        raise refuse(f"{place}, position", "one of before, after, starting, ending", position)
    content = {key: copy.deepcopy(one[key]) for key in _LISTS if one.get(key)}
    if "by-id" not in one:
        _into(control, content, one, at_start=position in ("before", "starting"))
        return
    found = _find(control, str(one["by-id"]))
    if found is None:
        raise refuse(f"{place}, by-id", "the id of something that the control has", one["by-id"])
    holder, key, item = found
    if position in ("starting", "ending"):
        _into(item, content, one, at_start=position == "starting")
        return
    strange = [name for name in content if name != key]
    if strange:
        raise refuse(place, f"{key} beside {one['by-id']}", ", ".join(strange))
    at = holder[key].index(item) + (position == "after")
    holder[key][at:at] = content.get(key, [])


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
