"""A framework handed out: as CSV with the columns that the import reads, or as an OSCAL catalog.

What goes out comes in as it was, and the second time byte for byte: rows are in one order, nothing says when. Text that
a spreadsheet would run as a formula gets an apostrophe before it, which the import takes away again.
"""

import base64
import json
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import polars as pl

from engine.catalogue import catalogue
from engine.catalogue.columns import CONTROL, EVIDENCE_ACTIONS
from engine.frameworks.content import COLUMNS, FrameworkContent, Row, position
from engine.frameworks.importing import require_own, stored_content
from engine.frameworks.oscal import NAMESPACE, TABLES
from engine.model.vocabulary import FRAMEWORKS
from engine.render.tables.csv_cells import lines, safe_cell
from engine.store.rows import Reader

OSCAL_VERSION = "1.1.3"
UNDATED = "1970-01-01T00:00:00Z"  # a catalog must say when; the bytes must not


def framework_content(connection: Reader, org_id: str, framework: str) -> FrameworkContent:
    """A framework of the program or of one's own in the one shape. Usage for any other."""
    require_own(connection, org_id, framework)
    return built_in_content(framework) if framework in FRAMEWORKS else stored_content(connection, org_id, framework)


def built_in_content(framework: str) -> FrameworkContent:
    """A framework of the program in the shape of one's own: with its pairs, rules, runbooks and inheritance."""
    known, content = catalogue(), FrameworkContent()
    about = known.frameworks.filter(framework=framework).row(0, named=True)
    own = {"id": framework, "title": about["name"], "version": about["version"], "publisher": about["authority"]}
    content.add("own_frameworks", own, framework)
    details = known.details(framework)
    further = [name for name in details.columns if name not in (*CONTROL, "framework", "position")]
    for row in details.iter_rows(named=True):
        content.add("framework_controls", _built_in_row(row, framework, further), framework)
    ends = (pl.col("source_framework") == framework) | (pl.col("target_framework") == framework)
    for row in pl.concat([known.crosswalk, known.nist_pairs]).filter(ends).iter_rows(named=True):
        content.add("framework_mappings", {**row, "source": row["basis"]}, framework)
    # what is bookkeeping here would be evidence of operation under a rule of one's own
    evidence = (pl.col("effect") != "neutral") & pl.col("kind").is_in(EVIDENCE_ACTIONS)
    supporting = known.actions.filter(evidence).select("action", "effect", "family")
    mapped = known.action_controls.filter(framework=framework).join(supporting, on="action")
    for row in mapped.iter_rows(named=True):
        content.add("organization_rules", {**row, "pattern": row["action"], "outcome": "any"}, framework)
    for row in known.runbook_controls.filter(framework=framework).iter_rows(named=True):
        content.add("framework_runbooks", {**row, "control_pattern": row["control_id"]}, framework)
    for row in known.vendor_inheritance.filter(framework=framework).iter_rows(named=True):
        content.add("framework_inheritance", row, framework)
    return content


def _built_in_row(row: Mapping[str, Any], framework: str, further: Sequence[str]) -> Row:
    words = {name: _word(row[name]) for name in further if row[name] is not None}
    kinds = row["evidence_kinds"]
    return {
        "framework": framework,
        "id": row["control_id"],
        "parent": row["parent_id"],
        "kind": "control" if row["assessable"] else "group",
        "evidence_kinds": None if kinds is None else ";".join(kinds),
        **{
            name: row[name]
            for name in ("title", "weight", "cadence", "assessable", "group_id", "group_title", "position")
        },
        "details": words or None,
    }


def _word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def csv_files(content: FrameworkContent) -> dict[str, bytes]:
    """A file for each table that has rows, by name."""
    files: dict[str, bytes] = {}
    for table, columns in COLUMNS.items():
        rows = content.sorted_rows(table)
        if rows:
            files[f"{table}.csv"] = lines([columns, *(tuple(_cell(row[name]) for name in columns) for row in rows)])
    return files


def csv_stream(content: FrameworkContent) -> bytes:
    """All tables as one CSV whose first column says of which each row is."""
    header = ("table", *dict.fromkeys(name for columns in COLUMNS.values() for name in columns))
    rows = [
        tuple(table if name == "table" else _cell(row.get(name)) for name in header)
        for table in COLUMNS
        for row in content.sorted_rows(table)
    ]
    return lines([header, *rows])


def _cell(value: object) -> str | None:
    if value is None:
        return None
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False, sort_keys=True)
    text = _word(value)
    return f"'{text}" if text.startswith("'") else safe_cell(text)


def oscal_catalog(content: FrameworkContent) -> bytes:
    """The framework as an OSCAL catalog in JSON. What OSCAL has no word for stands in properties of our namespace."""
    about = content.tables["own_frameworks"][0]
    details = about["details"] if isinstance(about["details"], dict) else None
    rows = sorted(content.tables["framework_controls"], key=position)
    props = [
        ("id", about["id"]),
        ("publisher", about["publisher"]),
        ("source", about["source"]),
        ("assessable-levels", about["assessable_levels"]),
        ("details", None if details is None else _json(details)),
        ("version", "none" if about["version"] is None else None),
    ]
    name = f"{NAMESPACE}/{about['id']}"
    catalog: dict[str, Any] = {
        "uuid": str(uuid5(NAMESPACE_URL, f"{name}/{content.digest()}")),
        "metadata": {
            "title": about["title"],
            "last-modified": UNDATED,
            "version": about["version"] or "unversioned",
            "oscal-version": OSCAL_VERSION,
            "props": _props(props),
        },
    }
    below: dict[object, list[Row]] = {}
    for row in rows:
        below.setdefault(row["parent"], []).append(row)
    catalog |= _members(None, below, of_group=True)
    tables = {
        table: content.sorted_rows(table) for table in COLUMNS if table not in ("own_frameworks", "framework_controls")
    }
    if any(tables.values()):
        data = base64.b64encode(_json({table: rows for table, rows in tables.items() if rows}).encode()).decode()
        resource = {
            "uuid": str(uuid5(NAMESPACE_URL, f"{name}/{TABLES}")),
            "title": "Pairs, rules, runbooks and vendor inheritance of the framework",
            "base64": {"filename": TABLES, "media-type": "application/json", "value": data},
        }
        catalog["back-matter"] = {"resources": [resource]}
    return (json.dumps({"catalog": catalog}, ensure_ascii=False, indent=2) + "\n").encode()


def _members(parent: object, below: Mapping[object, Sequence[Row]], *, of_group: bool) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for row in below.get(parent, ()):
        as_group = of_group and row["kind"] == "group"
        found.setdefault("groups" if as_group else "controls", []).append(_item(row, below, as_group=as_group))
    return {name: found[name] for name in ("groups", "controls") if name in found}


def _item(row: Row, below: Mapping[object, Sequence[Row]], *, as_group: bool) -> dict[str, Any]:
    details = row["details"] if isinstance(row["details"], dict) else None
    ours = details.get("oscal") if details is not None and set(details) == {"oscal"} else None
    kept: Mapping[str, Any] = ours if isinstance(ours, dict) else {}
    is_plain = ours is None and (row["text"] is not None or details is not None)
    props = [
        ("id", row["id"] if "id" in kept or not _is_token(str(row["id"])) else None),
        ("kind", row["kind"]),
        ("assessable", _word(row["assessable"])),
        *((name, row[name]) for name in ("weight", "cadence")),
        ("evidence-kinds", row["evidence_kinds"]),
        ("replaces", row["replaces"]),
        ("group-id", row["group_id"]),
        ("group-title", row["group_title"]),
        ("position", row["position"]),
        ("plain", "yes" if is_plain else None),
        ("details", _json(details) if is_plain and details is not None else None),
    ]
    item: dict[str, Any] = {"id": kept.get("id", _token(str(row["id"])))}
    if "class" in kept:
        item["class"] = kept["class"]
    item["title"] = row["title"]
    if row["parameters"]:
        item["params"] = row["parameters"]
    item["props"] = [*_props(props), *kept.get("props", [])]
    if "links" in kept:
        item["links"] = kept["links"]
    if is_plain and row["text"] is not None:
        item["parts"] = [{"id": f"{_token(str(row['id']))}_smt", "name": "statement", "prose": row["text"]}]
    elif "parts" in kept:
        item["parts"] = kept["parts"]
    return item | _members(row["id"], below, of_group=as_group)


def _is_token(text: str) -> bool:
    return _token(text) == text


def _token(text: str) -> str:
    """An identifier as OSCAL takes it: letters, digits, '.', '_' and '-', with a letter first."""
    plain = "".join(one if one.isalnum() or one in "._-" else "_" for one in text)
    return plain if plain[:1].isalpha() or plain[:1] == "_" else f"_{plain}"


def _props(pairs: Sequence[tuple[str, object]]) -> list[dict[str, str]]:
    return [{"name": name, "ns": NAMESPACE, "value": str(value)} for name, value in pairs if value is not None]


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=_day)


def _day(value: object) -> str:
    if isinstance(value, date):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} is no JSON")
