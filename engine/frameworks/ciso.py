"""Libraries of CISO Assistant: requirement nodes of a framework, implementation groups, mappings of two frameworks."""

import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from engine.frameworks.completion import Controls
from engine.frameworks.content import KEYS, FrameworkContent, Row, refuse
from engine.intake.imports.values.controls import framework as known_framework
from engine.intake.imports.values.names import slug

TITLE_CHARACTERS = 200
_RELATIONS = {
    "equal": ("equal", 1.0),
    "superset": ("superset", 0.8),
    "subset": ("subset", 0.5),
    "intersect": ("intersects", 0.5),
    "intersects": ("intersects", 0.5),
}


def read_library(file: str, document: dict[str, Any], content: FrameworkContent, stem: str) -> None:
    """Add the framework of a library, and the mappings that it has."""
    objects = document["objects"]
    if not isinstance(objects, dict):
        raise refuse(f"{file}, objects", "an object with framework or mapping sets", type(objects).__name__)
    frameworks = [one for one in (objects.get("framework"), *(objects.get("frameworks") or ())) if one]
    for one in frameworks:
        _framework(file, document, one, content, stem)
    sets = [
        one for one in (objects.get("requirement_mapping_set"), *(objects.get("requirement_mapping_sets") or ())) if one
    ]
    for one in sets:
        _mappings(file, one, content)
    if not frameworks and not sets:
        raise refuse(f"{file}, objects", "a framework or requirement mapping sets", ", ".join(objects) or None)


def _framework(
    file: str, document: Mapping[str, Any], one: Mapping[str, Any], content: FrameworkContent, stem: str
) -> None:
    name = slug(str(one.get("ref_id") or document.get("ref_id") or stem)) or stem
    groups = [
        f"{group.get('ref_id')}: {group.get('name')}" if group.get("name") else str(group.get("ref_id"))
        for group in one.get("implementation_groups_definition") or ()
    ]
    details = {
        key: document[key]
        for key in ("urn", "locale", "copyright", "publication_date", "description")
        if isinstance(document.get(key), str)
    }
    own = {
        "id": name,
        "title": one.get("name") or document.get("name") or name,
        "version": None if document.get("version") is None else str(document["version"]),
        "publisher": document.get("provider"),
        "source": document.get("urn"),
        "assessable_levels": "; ".join(groups) or None,
        "details": details or None,
    }
    content.add("own_frameworks", own, f"{file}, framework {name}")
    nodes = one.get("requirement_nodes")
    if not isinstance(nodes, list) or not nodes:
        raise refuse(f"{file}, requirement_nodes", "a list of requirements", None)
    ids: dict[str, str] = {}
    taken: set[str] = set()
    for number, node in enumerate(nodes, start=1):
        place = f"{file}, requirement node {number}"
        if not isinstance(node, dict) or not node.get("urn"):
            raise refuse(place, "an object with a urn", node)
        urn = str(node["urn"]).lower()
        if urn in ids:
            raise refuse(f"{place}, urn", "each urn once", urn)
        ids[urn] = _node_id(node, taken)
        taken.add(ids[urn])
    for number, node in enumerate(nodes, start=1):
        _node(f"{file}, requirement node {number}", node, name, ids, content)


def _node_id(node: Mapping[str, Any], taken: set[str]) -> str:
    """The reference of a node, else the end of its urn; never one that an earlier node has."""
    last = str(node["urn"]).rpartition(":")[2]
    for text in (node.get("ref_id"), last):
        found = "-".join(str(text or "").replace(",", " ").replace(";", " ").replace(":", " ").split())[:60]
        if found and found not in taken:
            return found
    return f"{last[:54]}-{len(taken) + 1}"


def _node(
    place: str, node: Mapping[str, Any], framework: str, ids: Mapping[str, str], content: FrameworkContent
) -> None:
    above = node.get("parent_urn")
    if above and str(above).lower() not in ids:
        raise refuse(f"{place}, parent_urn", "the urn of another node", above)
    assessable = bool(node.get("assessable"))
    description = node.get("description")
    title = node.get("name") or (_title_from(str(description)) if description else None)
    details = {
        key: node[key]
        for key in ("urn", "implementation_groups", "annotation", "typical_evidence", "depth")
        if node.get(key) is not None
    }
    weight = node.get("weight")
    content.add(
        "framework_controls",
        {
            "framework": framework,
            "id": ids[str(node["urn"]).lower()],
            "parent": ids[str(above).lower()] if above else None,
            "kind": "control" if assessable else "group",
            "title": title,
            "text": description,
            "weight": weight if assessable and isinstance(weight, int) and 1 <= weight <= 5 else None,
            "assessable": assessable,
            "details": details or None,
        },
        place,
    )


def _title_from(description: str) -> str:
    """The first line of what a node without a name says, at most TITLE_CHARACTERS of it, in whole words."""
    line = description.strip().splitlines()[0].rstrip(" ;:,")
    return line if len(line) <= TITLE_CHARACTERS else textwrap.shorten(line, TITLE_CHARACTERS, placeholder=" …")


def _mappings(file: str, one: Mapping[str, Any], content: FrameworkContent) -> None:
    source = _reference(one, "source")
    target = _reference(one, "target")
    for number, pair in enumerate(_pairs(one), start=1):
        place = f"{file}, mapping {number}"
        word = str(pair.get("relationship", "intersect")).lower()
        if word in ("no_relationship", "not_related"):
            continue
        if word not in _RELATIONS:
            raise refuse(f"{place}, relationship", f"one of {', '.join(_RELATIONS)}", word)
        relation, strength = _RELATIONS[word]
        given = pair.get("strength_of_relationship")
        content.add(
            "framework_mappings",
            {
                "source_framework": source,
                "source_id": _end(place, pair, "source"),
                "target_framework": target,
                "target_id": _end(place, pair, "target"),
                "relation": relation,
                "strength": round(given / 10, 2) if isinstance(given, int) and 0 <= given <= 10 else strength,
                "rationale": pair.get("rationale"),
                "source": one.get("urn"),
            },
            place,
            (_urn(pair, "source"), _urn(pair, "target")),
        )


def name_ends(content: FrameworkContent, known: Controls, urns: Mapping[str, tuple[str, str]]) -> None:
    """Pairs of a library name their ends by URN: each is the control that came with that URN, of the content itself or
    of what was imported before (``urns``), else the one of that identifier, in whatever case.

    A pair that stands there twice is kept once; where its relations differ it is one of which less is claimed.
    """
    own = {str(row["details"]["urn"]).lower(): (str(row["framework"]), str(row["id"])) for row in _with_urn(content)}
    by_case: dict[str, dict[str, str]] = {}
    pairs: dict[tuple[object, ...], Row] = {}
    rows, again, differing = [], 0, 0
    for row in content.tables["framework_mappings"]:
        ends = content.urns.get(id(row))
        if ends is None:
            rows.append(row)
            continue
        for end, urn in zip(("source", "target"), ends, strict=True):
            framework = str(row[f"{end}_framework"])
            if framework not in by_case:
                by_case[framework] = {one.lower(): one for one in known.get(framework, ())}
            last = str(row[f"{end}_id"])
            named = own.get(urn) or urns.get(urn) or (framework, by_case[framework].get(last.lower(), last))
            row[f"{end}_framework"], row[f"{end}_id"] = named
        key = tuple(row[name] for name in KEYS["framework_mappings"])
        first = pairs.setdefault(key, row)
        if first is row:
            rows.append(row)
            continue
        again += 1
        if first["relation"] != row["relation"]:
            differing += 1
            first["relation"], first["strength"] = _RELATIONS["intersects"]
    content.tables["framework_mappings"] = rows
    if again:
        some = f"{again:,} pairs stand there twice and are" if again > 1 else "1 pair stands there twice and is"
        more = f", {differing:,} of them as intersects, since their relations differ" if differing else ""
        content.notes.append(f"{some} kept once{more}.")


def _with_urn(content: FrameworkContent) -> Iterator[Mapping[str, Any]]:
    for row in content.tables["framework_controls"]:
        if isinstance(row["details"], dict) and "urn" in row["details"]:
            yield row


def _pairs(one: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    return (pair for pair in one.get("requirement_mappings") or () if isinstance(pair, dict))


def _reference(one: Mapping[str, Any], end: str) -> str:
    """The framework at one end of a mapping set, as we call it."""
    last = str(one.get(f"{end}_framework_urn") or "").rpartition(":")[2]
    return known_framework(last) or slug(last)


def _urn(pair: Mapping[str, Any], end: str) -> str:
    return str(pair.get(f"{end}_requirement_urn") or "").lower()


def _end(place: str, pair: Mapping[str, Any], end: str) -> str:
    text = str(pair.get(f"{end}_requirement_urn") or "").rpartition(":")[2]
    if not text:
        raise refuse(f"{place}, {end}_requirement_urn", "the urn of a requirement", None)
    return text.upper() if text.islower() else text
