"""OSCAL catalogs, and what profiles resolve to, as the rows of a framework.

What OSCAL says of a control beyond our columns stays with it (``details``), so that it goes out as it came. What our
own export adds stands in properties of our namespace and is read back from there.
"""

import base64
import json
import re
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from engine.frameworks.content import COLUMNS, FrameworkContent, refuse
from engine.frameworks.oscal_profile import Resolver
from engine.frameworks.oscal_shape import check_shape
from engine.intake.imports.values.names import slug
from engine.model.errors import Usage

NAMESPACE = "https://hq.example/ns/oscal"
TABLES = "framework-tables.json"
VERSIONS = re.compile(r"1\.[0-9]+\.[0-9]+(-.*)?")
_PLACEHOLDER = re.compile(r"\{\{\s*(?:insert:\s*param,\s*|param:\s*)?([^\s{}]+)\s*\}\}")
Json = dict[str, Any]  # an object of OSCAL


def read_oscal(
    path: Path, documents: Mapping[Path, Json], content: FrameworkContent, stem: str, load: Callable[[Path], Json]
) -> None:
    """Add the catalog that a file is or resolves to; of a folder the one that nothing else in it imports.

    ``load`` reads a document beside the file, where that is a profile.
    """
    for file, document in documents.items():
        check_shape(file.name, document, named="profile" in document)
    every = dict(documents)
    if path.is_file():
        every = _neighbours(path, documents, load)
    if any("profile" in document for document in every.values()):
        for file, document in every.items():
            check_shape(file.name, document, named=True)
    resolver = Resolver(every)
    for name, document in resolver.documents.items():
        _version(name.name, document)
    roots = [path.resolve()] if path.is_file() else _roots(resolver)
    for root in roots:
        own = slug(root.stem) if len(roots) > 1 else stem
        _catalog(root.name, resolver.catalog(root), content, own)
    content.notes += resolver.notes


def _neighbours(path: Path, documents: Mapping[Path, Json], load: Callable[[Path], Json]) -> dict[Path, Json]:
    """The file, and where it is a profile the documents beside it that it imports, and those that these import.

    Others are not looked at: one of them that cannot be read concerns nobody.
    """
    wanted = (".json", ".yaml", ".yml", ".xml")
    beside = [one for one in sorted(path.parent.iterdir()) if one.suffix.lower() in wanted and one.is_file()]
    neighbours, waiting = dict(documents), [documents[path]]
    while waiting:
        stems = _imported_stems(waiting.pop())
        for file in beside:
            if file.stem in stems and file not in neighbours:
                document = neighbours[file] = load(file)
                if "profile" in document:
                    check_shape(file.name, document, named=True)
                    waiting.append(document)
    return {file: one for file, one in neighbours.items() if "catalog" in one or "profile" in one}


def _imported_stems(document: Json) -> set[str]:
    """How the files are called that a profile may import, without suffixes."""
    profile = document.get("profile") or {}
    resources = profile.get("back-matter", {}).get("resources", [])
    links = [*profile.get("imports", []), *(link for one in resources for link in one.get("rlinks", []))]
    return {Path(unquote(str(one.get("href", "")).split("#")[0].split("?")[0])).stem for one in links} - {""}


def _roots(resolver: Resolver) -> list[Path]:
    used: set[Path] = set()
    for path, document in resolver.documents.items():
        if "profile" in document:
            used |= {resolver.import_path(path, one.get("href")) for one in document["profile"].get("imports", [])}
    roots = sorted(set(resolver.documents) - used)
    if not roots:
        for path in resolver.documents:
            resolver.catalog(path)  # says which imports go in a circle
    return roots


def _version(name: str, document: Json) -> None:
    top = next(iter(document.values()))
    found = top.get("metadata", {}).get("oscal-version") if isinstance(top, dict) else None
    if not VERSIONS.fullmatch(str(found or "")):
        raise refuse(f"{name}, metadata, oscal-version", "a version 1.x.y of OSCAL", found)


def _catalog(file: str, catalog: Json, content: FrameworkContent, name: str) -> None:
    metadata = catalog.get("metadata") or {}
    props = _own_props(metadata)
    parties = {str(one.get("uuid")): one.get("name") for one in metadata.get("parties", [])}
    publisher = next((name for name in parties.values() if name), None)
    tables = _tables(file, catalog)
    framework = str(props.get("id") or name)
    details: Json = {}
    if catalog.get("params"):
        details["params"] = catalog["params"]
    kept = {key: value for key, value in metadata.items() if key not in ("title", "version", "props")}
    if "id" not in props:
        details["metadata"] = kept
        resources = [one for one in catalog.get("back-matter", {}).get("resources", []) if not _is_ours(one)]
        if resources:
            details["back-matter"] = {"resources": resources}
    own = {
        "id": framework,
        "title": metadata.get("title") or framework,
        "version": metadata.get("version"),
        "publisher": props.get("publisher") if "id" in props else publisher,
        "source": props.get("source") if "id" in props else None,
        "assessable_levels": props.get("assessable-levels"),
        "details": json.loads(props["details"]) if "details" in props else details or None,
    }
    if props.get("version") == "none":
        own["version"] = None
    content.add("own_frameworks", own, f"{file}, metadata")
    params = {str(one.get("id")): one for one in _all_params(catalog)}
    _rows(file, catalog, None, framework, content, params)
    for table, rows in tables.items():
        for number, row in enumerate(rows, start=1):
            content.add(table, row, f"{file}, {TABLES}, {table} {number}")


def _all_params(holder: Json) -> list[Json]:
    params = list(holder.get("params", []))
    for part in (*holder.get("controls", []), *holder.get("groups", [])):
        params += _all_params(part)
    return params


def _is_ours(resource: Json) -> bool:
    return resource.get("base64", {}).get("filename") == TABLES if isinstance(resource.get("base64"), dict) else False


def _tables(file: str, catalog: Json) -> dict[str, list[Json]]:
    """Pairs, rules, runbooks and inheritance, which OSCAL has no place for: a resource of our own export."""
    ours = [one for one in catalog.get("back-matter", {}).get("resources", []) if _is_ours(one)]
    if not ours:
        return {}
    try:
        document = json.loads(base64.b64decode(ours[0]["base64"]["value"], validate=True))
        for row in document.get("framework_mappings", []):
            row["reviewed_on"] = date.fromisoformat(row["reviewed_on"]) if row["reviewed_on"] else None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Usage(f"{file}, resource {TABLES}: expected the tables that an export writes; {error}.") from error
    return {table: rows for table, rows in document.items() if table in COLUMNS}


def _own_props(holder: Json) -> dict[str, str]:
    return {
        str(one.get("name")): str(one.get("value")) for one in holder.get("props", []) if one.get("ns") == NAMESPACE
    }


def _rows(
    file: str, holder: Json, parent: str | None, framework: str, content: FrameworkContent, params: Mapping[str, Json]
) -> None:
    for control in holder.get("controls", []):
        name = _row(file, control, "control", parent, framework, content, params)
        _rows(file, control, name, framework, content, params)
    for group in holder.get("groups", []):
        name = _row(file, group, "group", parent, framework, content, params)
        _rows(file, group, name, framework, content, params)


def _row(
    file: str,
    item: Json,
    kind: str,
    parent: str | None,
    framework: str,
    content: FrameworkContent,
    params: Mapping[str, Json],
) -> str:
    title = item.get("title")
    own = _own_props(item)
    name = str(own.get("id") or item.get("id") or slug(str(title or "")))
    if not name:
        raise refuse(f"{file}, {kind} below {parent or 'the catalog'}", "an id", None)
    place = f"{file}, {kind} {name}"
    withdrawn = _is_withdrawn(item)
    kept = {key: item[key] for key in ("class", "links", "parts") if item.get(key)}
    if item.get("id") != name and item.get("id"):
        kept["id"] = item["id"]
    props = [one for one in item.get("props", []) if one.get("ns") != NAMESPACE]
    if props:
        kept["props"] = props
    row: Json = {
        "framework": framework,
        "id": name,
        "parent": parent,
        "kind": own.get("kind", kind),
        "title": title,
        "text": own_text(item, params),
        "parameters": item.get("params"),
        "assessable": kind == "control" and not withdrawn,
        "details": {"oscal": kept} if kept else None,
    }
    if own:
        row |= _judgement(own, item)
    content.add("framework_controls", row, place)
    return name


def _judgement(own: Mapping[str, str], item: Json) -> Json:
    """What our own export says of a row beyond OSCAL."""
    judgement: Json = {
        "assessable": own.get("assessable") == "true",
        "weight": int(own["weight"]) if own.get("weight", "").isdigit() else None,
        "cadence": own.get("cadence"),
        "evidence_kinds": own.get("evidence-kinds"),
        "replaces": own.get("replaces"),
        "group_id": own.get("group-id"),
        "group_title": own.get("group-title"),
        "position": int(own["position"]) if own.get("position", "").isdigit() else None,
    }
    if "plain" in own:
        parts = item.get("parts") or [{}]
        judgement["text"] = parts[0].get("prose")
        judgement["details"] = json.loads(own["details"]) if "details" in own else None
        judgement["parameters"] = json.loads(own["parameters"]) if "parameters" in own else item.get("params")
    return judgement


def _is_withdrawn(item: Json) -> bool:
    return any(
        one.get("name") == "status" and str(one.get("value", "")).lower() == "withdrawn"
        for one in item.get("props", [])
    )


def own_text(item: Json, params: Mapping[str, Json]) -> str | None:
    """The statement of a control to be read: its items below each other, parameters as they are set or called."""
    parts = [part for part in item.get("parts", []) if part.get("name") == "statement"] or item.get("parts", [])
    lines = [line for part in parts for line in _lines(part, 0)]
    text = _PLACEHOLDER.sub(lambda match: _parameter(match[1], params), "\n".join(lines)).strip()
    return text or None


def _lines(part: Json, depth: int) -> list[str]:
    if part.get("name") in ("guidance", "assessment-objective", "assessment-method", "overview"):
        return []
    label = next((f"{one['value']} " for one in part.get("props", []) if one.get("name") == "label"), "")
    own = [f"{'  ' * depth}{label}{part['prose']}"] if part.get("prose") else []
    below = [line for inner in part.get("parts", []) for line in _lines(inner, depth + bool(own))]
    return own + below


def _parameter(name: str, params: Mapping[str, Json]) -> str:
    param = params.get(name)
    if param is None:
        return f"[{name}]"
    if param.get("values"):
        return ", ".join(map(str, param["values"]))
    constraints = [str(one.get("description", "")) for one in param.get("constraints", []) if one.get("description")]
    label = param.get("label")
    if isinstance(param.get("select"), dict):
        label = " or ".join(map(str, param["select"].get("choice", []))) or label
    return f"[{label or name}{': ' + '; '.join(constraints) if constraints else ''}]"
