"""What a file of a framework may leave out is filled in; what contradicts itself is refused with its place."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import date

from engine.catalogue import CADENCES, EVIDENCE_KINDS, catalogue
from engine.catalogue.columns import RELATIONS, VENDOR_EVIDENCE
from engine.catalogue.patterns import fits
from engine.frameworks.content import (
    COLUMNS,
    DEFAULT_CADENCE,
    DEFAULT_EVIDENCE,
    DEFAULT_WEIGHT,
    KEYS,
    LONGEST_ID,
    LONGEST_TEXT,
    LONGEST_TITLE,
    MOST_CONTROLS,
    FrameworkContent,
    Row,
    position,
    refuse,
    words,
)
from engine.intake.imports.values.controls import framework as known_framework
from engine.model.errors import Usage
from engine.model.vocabulary import FRAMEWORK_NAMES, VENDOR_DATA, VENDOR_TIERS

Controls = Mapping[str, AbstractSet[str]]
"""The controls of frameworks that the organization can name, by framework."""

PUBLISHED = "nist-800-53"
"""A framework that pairs may lead to before anybody has loaded it: its identifiers are public."""

_ID = re.compile(r"[a-z0-9][a-z0-9._-]{0,59}")
_PUBLISHED_ID = re.compile(r"[a-z]{2}-\d{1,2}(\.\d{1,2})?")
_BIDI = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_CONTROL_CHARACTERS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_PATTERN = re.compile(r"[A-Za-z0-9_.-]+\*?|\*")
EFFECTS = ("supports", "contradicts", "records")
OUTCOMES = ("any", "success", "failure", "denied")
MODELS = ("carve-out", "inclusive")


def framework_id(text: str, place: str) -> str:
    """An identifier that a framework of one's own may have; Usage for one that reads as one of the program's."""
    if not _ID.fullmatch(text):
        expected = "an identifier of lower case letters, digits, '.', '_' and '-', 60 at most (--id gives another)"
        raise refuse(place, expected, text)
    same = known_framework(text)
    if same is not None:
        raise Usage(
            f"{place}: {text!r} is read as {FRAMEWORK_NAMES[same]}, a framework of the program; give another name with "
            "--id."
        )
    return text


def complete(content: FrameworkContent) -> None:
    """Fill in what the file left out, and refuse what no framework can be."""
    for table in COLUMNS:
        _unique(content, table)
        for row in content.tables[table]:
            _texts(content, row)
    for framework in content.framework_ids:
        rows = list(content.controls(framework))
        if len(rows) > MOST_CONTROLS:
            place = content.place(rows[MOST_CONTROLS])
            raise Usage(f"{place}: expected at most {MOST_CONTROLS:,} controls of {framework}, got {len(rows):,}.")
        if not rows:
            raise Usage(f"{framework} has no controls: a framework needs at least one row of framework_controls.")
        _tree(content, rows)
        _controls(content, rows)
    for row in content.tables["organization_rules"]:
        _rule(content, row)
    for row in content.tables["framework_runbooks"]:
        _runbook(content, row)
    for row in content.tables["framework_inheritance"]:
        _inheritance(content, row)


def check_reviews(content: FrameworkContent, today: date) -> None:
    """Usage for a pair that was signed off on a day to come: it would count before anybody has looked at it."""
    for row in content.tables["framework_mappings"]:
        if isinstance(row["reviewed_on"], date) and row["reviewed_on"] > today:
            expected = f"a day up to today, {today}"
            raise refuse(f"{content.place(row)}, reviewed_on", expected, row["reviewed_on"].isoformat())


def check_references(content: FrameworkContent, known: Controls) -> None:
    """Usage for a pair, rule, runbook or inheritance that names a control which does not exist."""
    every: dict[str, AbstractSet[str]] = dict(known)
    for framework in content.framework_ids:
        every[framework] = {str(row["id"]) for row in content.controls(framework)}
    for row in content.tables["framework_mappings"]:
        _mapping(content, row, every)
    for table in ("organization_rules", "framework_inheritance"):
        for row in content.tables[table]:
            _exists(content, row, "framework", "control_id", every)
    for row in content.tables["framework_runbooks"]:
        pattern = str(row["control_pattern"])
        there = every.get(str(row["framework"]), frozenset())
        if not any(fits(pattern, name) for name in there):
            place, expected = content.place(row), f"a control of {row['framework']}, or the beginning of one and *"
            raise refuse(f"{place}, control_pattern", expected, pattern)


def _unique(content: FrameworkContent, table: str) -> None:
    seen: dict[tuple[object, ...], str] = {}
    for row in content.tables[table]:
        key = tuple(row[name] for name in KEYS[table])
        if key in seen:
            one = " ".join(str(part) for part in key)
            raise Usage(f"{content.place(row)}: {one} is there twice; {seen[key]} has it already.")
        seen[key] = content.place(row)


def _texts(content: FrameworkContent, row: Row) -> None:
    for name, value in list(row.items()):
        if not isinstance(value, str):
            continue
        row[name] = value.strip() or None
        place = f"{content.place(row)}, {name}"
        limit = LONGEST_TITLE if name in ("title", "group_title") else LONGEST_TEXT
        if len(value) > limit:
            raise Usage(f"{place}: expected at most {limit:,} characters, got {len(value):,}.")
        if match := _BIDI.search(value) or _CONTROL_CHARACTERS.search(value):
            character = unicodedata.name(match[0], f"U+{ord(match[0]):04X}")
            raise Usage(
                f"{place}: expected plain text, got the invisible character {character} at {match.start() + 1}."
            )


def _control_id(text: object, place: str) -> None:
    value = str(text or "")
    if not value:
        raise refuse(place, "an identifier", None)
    if len(value) > LONGEST_ID:
        raise Usage(
            f"{place}: expected an identifier of at most {LONGEST_ID} characters, got {len(value)}: {value[:80]!r}."
        )
    directions = {unicodedata.bidirectional(character) for character in value}
    if not value.isprintable() or directions & {"R", "AL", "AN"} or re.search(r"[;,:\s]", value):
        raise refuse(
            place, "an identifier of letters, digits and signs, read from left to right, without blanks", value
        )


def _tree(content: FrameworkContent, rows: Sequence[Row]) -> None:
    """Every parent is a row, and nothing is its own ancestor."""
    parents: dict[str, str | None] = {}
    for row in rows:
        _control_id(row["id"], f"{content.place(row)}, id")
        parents[str(row["id"])] = None if row["parent"] is None else str(row["parent"])
    settled: set[str] = set()
    for row in rows:
        path: list[str] = []
        name: str | None = str(row["id"])
        while name is not None and name not in settled:
            if name in path:
                raise Usage(f"{content.place(row)}, parent: {' is below '.join([*path, name])}: a circle.")
            path.append(name)
            above = parents[name]
            if above is not None and above not in parents:
                raise refuse(f"{content.place(row)}, parent", "the id of another row", above)
            name = above
        settled.update(path)


def _controls(content: FrameworkContent, rows: Sequence[Row]) -> None:
    by_id = {str(row["id"]): row for row in rows}
    tops: dict[str, str] = {}
    for number, row in enumerate(rows):
        place = content.place(row)
        if not row["title"]:
            row["title"] = row["id"]
        row["kind"] = row["kind"] or "control"
        _one_of(row, "kind", ("group", "control"), place)
        if row["assessable"] is None:
            row["assessable"] = row["kind"] == "control"
        if row["assessable"] and row["kind"] == "group":
            raise refuse(f"{place}, assessable", "a group without a state, or kind control", True)
        row["position"] = number if row["position"] is None else row["position"]
        _judgement(row, place)
        top = _top(str(row["id"]), by_id, tops)
        if row["group_id"] is None:
            row["group_id"] = top
        if row["group_title"] is None:
            above = by_id.get(str(row["group_id"]))
            row["group_title"] = row["group_id"] if above is None else above["title"] or above["id"]
    ordered = sorted(rows, key=position)
    for number, row in enumerate(ordered):
        row["position"] = number


def _top(name: str, by_id: Mapping[str, Row], tops: dict[str, str]) -> str:
    """The outermost row above one; itself where there is none."""
    path = []
    while name not in tops:
        path.append(name)
        above = by_id[name]["parent"]
        if above is None:
            tops[name] = name
            break
        name = str(above)
    for one in path:
        tops[one] = tops[name]
    return tops[name]


def _judgement(row: Row, place: str) -> None:
    """Weight, cadence and kinds of evidence: asked of assessable rows alone, with what they are without a word."""
    if not row["assessable"]:
        row["weight"] = row["cadence"] = row["evidence_kinds"] = None
        return
    if row["weight"] is None:
        row["weight"] = DEFAULT_WEIGHT
    if not isinstance(row["weight"], int) or not 1 <= row["weight"] <= 5:
        raise refuse(f"{place}, weight", "a whole number from 1 to 5", row["weight"])
    row["cadence"] = row["cadence"] or DEFAULT_CADENCE
    _one_of(row, "cadence", CADENCES, place)
    kinds = words(row["evidence_kinds"]) or (DEFAULT_EVIDENCE,)
    for kind in kinds:
        if kind not in EVIDENCE_KINDS:
            raise refuse(f"{place}, evidence_kinds", f"some of {', '.join(EVIDENCE_KINDS)}, joined by ;", kind)
    row["evidence_kinds"] = ";".join(kind for kind in EVIDENCE_KINDS if kind in kinds)


def _rule(content: FrameworkContent, row: Row) -> None:
    place = content.place(row)
    row["outcome"] = row["outcome"] or "any"
    row["effect"] = row["effect"] or "supports"
    _one_of(row, "outcome", OUTCOMES, place)
    _one_of(row, "effect", EFFECTS, place)
    if not _PATTERN.fullmatch(str(row["pattern"] or "")):
        raise refuse(f"{place}, pattern", "an action in dotted words, or the beginning of one and *", row["pattern"])


def _runbook(content: FrameworkContent, row: Row) -> None:
    place, known = content.place(row), catalogue().runbooks
    named = str(row["runbook"] or "")
    if not named:
        raise refuse(f"{place}, runbook", "the name of a runbook", None)
    if row["title"] is None and named not in known["runbook"]:
        raise refuse(f"{place}, runbook", "a runbook of the program, or a title for one of your own", named)
    hours = row["effort_hours"]
    if hours is not None and not (isinstance(hours, int | float) and 0.25 <= hours <= 1000):
        raise refuse(f"{place}, effort_hours", "hours from 0.25 to 1000", hours)


def _inheritance(content: FrameworkContent, row: Row) -> None:
    place = content.place(row)
    row["rule_version"] = row["rule_version"] or "1"
    row["tier"] = row["tier"] or "*"
    row["model"] = row["model"] or "carve-out"
    _one_of(row, "tier", ("*", *VENDOR_TIERS), place)
    _one_of(row, "model", MODELS, place)
    _one_of(row, "expected_evidence", VENDOR_EVIDENCE, place)
    if row["vendor_data"] is not None:
        _one_of(row, "vendor_data", VENDOR_DATA, place)
    for name in ("reason", "customer_side"):
        row[name] = row[name] or ""
    if not row["category"]:
        raise refuse(f"{place}, category", "a category of vendors", None)


def _mapping(content: FrameworkContent, row: Row, every: Controls) -> None:
    place = content.place(row)
    _exists(content, row, "source_framework", "source_id", every)
    _exists(content, row, "target_framework", "target_id", every)
    if (row["source_framework"], row["source_id"]) == (row["target_framework"], row["target_id"]):
        raise refuse(place, "two different controls", f"{row['source_framework']}:{row['source_id']}")
    row["relation"] = row["relation"] or "intersects"
    _one_of(row, "relation", RELATIONS, place)
    if row["strength"] is None:
        row["strength"] = 1.0 if row["relation"] == "equal" else 0.5
    strength = row["strength"]
    if not isinstance(strength, int | float) or not 0 <= strength <= 1:
        raise refuse(f"{place}, strength", "a number from 0 to 1", strength)
    row["strength"] = float(strength)
    if row["reviewed_on"] is not None and not isinstance(row["reviewed_on"], date):
        raise refuse(f"{place}, reviewed_on", "a date YYYY-MM-DD", row["reviewed_on"])


def _exists(content: FrameworkContent, row: Row, framework: str, control: str, every: Controls) -> None:
    place, name, value = content.place(row), str(row[framework] or ""), str(row[control] or "")
    if name not in every:
        if name == PUBLISHED and _PUBLISHED_ID.fullmatch(value):
            return
        raise refuse(f"{place}, {framework}", "a framework of the program or of your own", name or None)
    if value not in every[name]:
        raise refuse(f"{place}, {control}", f"a control of {name}", value or None)


def _one_of(row: Row, name: str, allowed: Sequence[str], place: str) -> None:
    if row[name] not in allowed:
        raise refuse(f"{place}, {name}", f"one of {', '.join(allowed)}", row[name])
