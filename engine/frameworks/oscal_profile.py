"""Profile resolution as NIST specifies it: import, merge, modify, in that order, without reaching beyond a folder.

Import selects controls by identifier and pattern, with or without those below them, and takes the excluded ones out.
Merge combines controls of one identifier (``keep``, ``use-first``, ``merge``) and puts them into a flat list, as they
were, or into groups of the profile's own. Modify sets parameters, then removes, then adds.
"""

import copy
import fnmatch
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from engine.frameworks.content import refuse
from engine.frameworks.oscal_modify import drop_idle_params, modify
from engine.model.errors import Usage

Json = dict[str, Any]  # an object of OSCAL
DEEPEST = 50


class Resolver:
    """The documents of a folder, by path; each profile is resolved once."""

    def __init__(self, documents: Mapping[Path, Json]) -> None:
        self.documents = {path.resolve(): document for path, document in documents.items()}
        self.notes: list[str] = []  # what profiles say without effect
        self._resolved: dict[Path, Json] = {}

    def catalog(self, path: Path, way: tuple[Path, ...] = ()) -> Json:
        """The catalog in a file, or the one that its profile resolves to. Usage for a circle of imports."""
        path = path.resolve()
        document = self.documents[path]
        if "catalog" in document:
            return _object(path.name, document["catalog"], "catalog")
        if path in way:
            names = " imports ".join(one.name for one in (*way[way.index(path) :], path))
            raise Usage(f"{path.name}: the imports go in a circle: {names}.")
        if path not in self._resolved:
            if len(way) > DEEPEST:
                raise Usage(f"{path.name}: expected imports at most {DEEPEST} deep.")
            self._resolved[path] = self._resolve(path, _object(path.name, document["profile"], "profile"), way)
        return self._resolved[path]

    def import_path(self, path: Path, href: object) -> Path:
        """The file that an import names, by its path or by a resource of the profile. Usage where it is not there."""
        profile = self.documents[path.resolve()]["profile"]
        text = str(href or "")
        candidates = [text]
        if text.startswith("#"):
            resources = profile.get("back-matter", {}).get("resources", [])
            found = next((one for one in resources if one.get("uuid") == text[1:]), None)
            if found is None:
                raise refuse(f"{path.name}, import", "the uuid of a resource of its back-matter", text)
            candidates = [str(link.get("href", "")) for link in found.get("rlinks", [])]
        for candidate in candidates:
            name = unquote(candidate.split("#")[0].split("?")[0])
            exact = (path.parent / name).resolve()
            if exact in self.documents:
                return exact
            last = Path(name).name
            named = [one for one in self.documents if one.name == last]
            stems = [one for one in self.documents if one.stem == Path(last).stem and one != path.resolve()]
            if named or stems:
                return (named or stems)[0]
        raise Usage(
            f"{path.name}, import: expected {text!r} among the files of the imported folder, got "
            f"{', '.join(sorted(one.name for one in self.documents)) or 'none'}; nothing is fetched."
        )

    def _resolve(self, path: Path, profile: Json, way: tuple[Path, ...]) -> Json:
        parts, matter = [], [*profile.get("back-matter", {}).get("resources", [])]
        imports = _list(path.name, profile, "imports")
        if not imports:
            raise refuse(f"{path.name}, imports", "at least one import", None)
        for number, one in enumerate(imports, start=1):
            source = self.catalog(self.import_path(path, one.get("href")), (*way, path))
            parts.append(selection(f"{path.name}, import {number}", source, one))
            matter += source.get("back-matter", {}).get("resources", [])
        catalog = merge_parts(path.name, parts, profile)
        self.notes += modify(path.name, catalog, profile.get("modify") or {})
        drop_idle_params(catalog, profile.get("modify") or {})
        catalog["metadata"] = profile.get("metadata", {})
        unique = {str(one.get("uuid")): one for one in reversed(matter)}
        catalog["back-matter"] = {"resources": list(unique.values())[::-1]}
        return catalog


def selection(place: str, catalog: Json, one: Json) -> Json:
    """The part of a catalog that an import selects: groups that still hold something, and loose parameters."""
    known = {str(control["id"]) for control, _ in controls_of(catalog)}
    keep = _chosen(place, catalog, one.get("include-controls"), known) if "include-controls" in one else known
    if "include-all" in one and "include-controls" in one:
        raise refuse(place, "either include-all or include-controls", "both")
    keep = keep - _chosen(place, catalog, one.get("exclude-controls"), known)
    return _prune(copy.deepcopy(catalog), keep)


def controls_of(holder: Json, above: tuple[str, ...] = ()) -> Iterator[tuple[Json, tuple[str, ...]]]:
    """Every control below a catalog, group or control, with the identifiers of those above it."""
    for control in holder.get("controls", []):
        yield control, above
        yield from controls_of(control, (*above, str(control["id"])))
    for group in holder.get("groups", []):
        yield from controls_of(group, ())


def _chosen(place: str, catalog: Json, selections: Any, known: set[str]) -> set[str]:
    found: set[str] = set()
    for number, one in enumerate(_as_list(selections), start=1):
        here = f"{place}, selection {number}"
        ids = {str(name) for name in _as_list(one.get("with-ids"))}
        strange = sorted(ids - known)
        if strange:
            raise refuse(f"{here}, with-ids", "the id of a control of the imported catalog", strange[0])
        for match in _as_list(one.get("matching")):
            pattern = str(match.get("pattern", ""))
            if not pattern:
                raise refuse(f"{here}, matching", "a pattern", None)
            ids |= set(fnmatch.filter(known, pattern))
        if str(one.get("with-child-controls", "no")).lower() in ("yes", "true"):
            ids |= {str(control["id"]) for control, above in controls_of(catalog) if ids & set(above)}
        found |= ids
    return found


def _prune(holder: Json, keep: set[str]) -> Json:
    """Drop what is not kept; a control that is kept below one that is not takes its place."""
    if "controls" in holder:
        holder["controls"] = [left for control in holder["controls"] for left in _remaining(control, keep)]
    if "groups" in holder:
        pruned = [_prune(group, keep) for group in holder["groups"]]
        holder["groups"] = [group for group in pruned if any(True for _ in controls_of(group))]
    return holder


def _remaining(control: Json, keep: set[str]) -> list[Json]:
    below = [left for inner in control.get("controls", []) for left in _remaining(inner, keep)]
    if str(control["id"]) not in keep:
        return below
    if "controls" in control:
        control["controls"] = below
    return [control]


def merge_parts(name: str, parts: Sequence[Json], profile: Json) -> Json:
    """One catalog of the selection parts, structured as the profile says: flat where it says nothing."""
    merge = profile.get("merge") or {}
    method = _method(name, merge, profile)
    structures = [word for word in ("flat", "as-is", "custom") if merge.get(word) not in (None, False)]
    if len(structures) > 1:
        raise refuse(f"{name}, merge", "one of flat, as-is and custom", " and ".join(structures))
    params = [param for part in parts for param in part.get("params", [])]
    if structures == ["as-is"]:
        catalog = _as_is(name, parts, method)
    else:
        flat = [_alone(control) for part in parts for control, _ in controls_of(part)]
        flat = combine_controls(name, flat, method)
        groups = _group_params(parts)
        params += groups
        catalog = _custom(name, merge["custom"], flat) if structures == ["custom"] else {"controls": flat}
    if params:
        catalog["params"] = _first_of(params, "id")
    return catalog


def _method(name: str, merge: Json, profile: Json) -> str:
    """``combine.method``, wherever it stands: an object, a word alone, or beside ``merge``."""
    given = merge.get("combine", profile.get("combine"))
    method = given.get("method", "keep") if isinstance(given, dict) else given or merge.get("method") or "keep"
    if method not in ("keep", "use-first", "merge"):
        raise refuse(f"{name}, combine", "one of keep, use-first, merge", method)
    return str(method)


def combine_controls(name: str, controls: Sequence[Json], method: str) -> list[Json]:
    """Controls of one identifier made one. Under ``keep`` different ones stand side by side, which no framework can."""
    found: dict[str, Json] = {}
    for control in controls:
        before = found.get(str(control["id"]))
        if before is None:
            found[str(control["id"])] = control
        elif method == "merge":
            found[str(control["id"])] = _join_controls(before, control)
        elif method == "keep" and before != control:
            raise Usage(
                f"{name}, merge: the imports bring two different controls {control['id']}, and combine says keep: "
                "expected use-first or merge."
            )
    return list(found.values())


def _join_controls(one: Json, other: Json) -> Json:
    """A control with what another of its identifier has besides."""
    controls = dict(one)
    for key, value in other.items():
        if isinstance(value, list):
            mine = controls.get(key, [])
            ids = {part.get("id") for part in mine if isinstance(part, dict) and part.get("id")}
            new = [
                part for part in value if part not in mine and not (isinstance(part, dict) and part.get("id") in ids)
            ]
            controls[key] = [*mine, *new]
        else:
            controls.setdefault(key, value)
    return controls


def _alone(control: Json) -> Json:
    return {key: value for key, value in control.items() if key != "controls"}


def _group_params(parts: Sequence[Json]) -> list[Json]:
    """Parameters of groups become loose where the groups go."""
    params: list[Json] = []
    for part in parts:
        stack = [*part.get("groups", [])]
        while stack:
            group = stack.pop(0)
            params += group.get("params", [])
            stack = [*group.get("groups", []), *stack]
    return params


def _as_is(name: str, parts: Sequence[Json], method: str) -> Json:
    """Groups of one identifier made one, in the order of the imports; controls combine_controls where they stand."""
    seen: dict[str, Json] = {}
    catalog: Json = {}
    for part in parts:
        _graft(name, catalog, part, method, seen)
    return catalog


def _graft(name: str, into: Json, part: Json, method: str, seen: dict[str, Json]) -> None:
    for control in part.get("controls", []):
        own_id = str(control["id"])
        if own_id in seen:
            one = combine_controls(name, [_alone(seen[own_id]), _alone(control)], method)[0]
            seen[own_id].update(one)
            _graft(name, seen[own_id], {"controls": control.get("controls", [])}, method, seen)
            continue
        bare = _alone(control)
        seen[own_id] = bare
        into.setdefault("controls", []).append(bare)
        _graft(name, bare, {"controls": control.get("controls", [])}, method, seen)
    for group in part.get("groups", []):
        there = next((one for one in into.get("groups", []) if group.get("id") and one.get("id") == group["id"]), None)
        if there is None:
            there = {key: value for key, value in group.items() if key not in ("controls", "groups")}
            into.setdefault("groups", []).append(there)
        _graft(name, there, group, method, seen)


def _custom(name: str, custom: Json, controls: Sequence[Json]) -> Json:
    """Groups of the profile's own; a control stands once, in the first that takes it."""
    left = {str(control["id"]): control for control in controls}
    catalog: Json = {}
    taken = _insertions(f"{name}, custom", custom, left)
    groups = [_custom_group(name, group, left) for group in custom.get("groups", [])]
    if taken:
        catalog["controls"] = taken
    if groups:
        catalog["groups"] = groups
    return catalog


def _custom_group(name: str, group: Json, left: dict[str, Json]) -> Json:
    place = f"{name}, custom group {group.get('id') or group.get('title') or ''}".strip()
    made = {key: value for key, value in group.items() if key not in ("insert-controls", "groups")}
    taken = _insertions(place, group, left)
    if taken:
        made["controls"] = taken
    if inner := [_custom_group(name, one, left) for one in group.get("groups", [])]:
        made["groups"] = inner
    return made


def _insertions(place: str, holder: Json, left: dict[str, Json]) -> list[Json]:
    insertions: list[Json] = []
    for number, one in enumerate(_as_list(holder.get("insert-controls")), start=1):
        here = f"{place}, insert-controls {number}"
        pool = {"controls": list(left.values())}
        ids = set(left)
        keep = _chosen(here, pool, one.get("include-controls"), ids) if "include-controls" in one else ids
        keep = keep - _chosen(here, pool, one.get("exclude-controls"), ids)
        order = str(one.get("order", "keep"))
        if order not in ("keep", "ascending", "descending"):
            raise refuse(f"{here}, order", "one of keep, ascending, descending", order)
        names = [name for name in left if name in keep]
        if order != "keep":
            names = sorted(names, reverse=order == "descending")
        insertions += [left.pop(name) for name in names]
    return insertions


def _first_of(rows: Sequence[Json], key: str) -> list[Json]:
    found: dict[str, Json] = {}
    for row in rows:
        found.setdefault(str(row.get(key)), row)
    return list(found.values())


def _as_list(value: Any) -> list[Any]:
    return [] if value is None else value if isinstance(value, list) else [value]


def _list(name: str, holder: Json, key: str) -> list[Json]:
    value = holder.get(key, [])
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise refuse(f"{name}, {key}", "a list of objects", type(value).__name__)
    return value


def _object(name: str, value: Any, what: str) -> Json:
    if not isinstance(value, dict):
        raise refuse(f"{name}, {what}", "an object", type(value).__name__)
    return value
