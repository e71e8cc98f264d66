"""JSON, YAML and XML documents as plain values, and which reader each belongs to.

Nothing is fetched and nothing explodes: XML with a document type or entities is refused, and so are YAML aliases that
would make more than a million values of a file.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import yaml

from engine.frameworks.content import FrameworkContent
from engine.frameworks.oscal_xml import oscal_of_xml
from engine.model.errors import Usage

Document = dict[str, Any]  # as its format defines it; every reader looks at what it takes
MOST_VALUES = 2_000_000
DEEPEST = 80


def read_documents(path: Path, files: Sequence[Path], content: FrameworkContent, stem: str) -> None:
    """Add what the documents of a file or folder hold: OSCAL, a CISO Assistant library, FedRAMP's rules."""
    from engine.frameworks.ciso import read_library
    from engine.frameworks.fedramp import read_rules
    from engine.frameworks.oscal import read_oscal

    oscal: dict[Path, Document] = {}
    readers: Mapping[str, Callable[[str, Document, FrameworkContent, str], None]] = {
        "library": read_library,
        "rules": read_rules,
    }
    for file in files:
        document = load_document(file)
        kind = _kind(document)
        if kind == "oscal":
            oscal[file] = document
        elif kind in readers:
            readers[kind](file.name, document, content, stem)
        elif path.is_file():
            raise Usage(
                f"{file.name}: expected an OSCAL catalog or profile, a CISO Assistant library or FedRAMP's "
                f"consolidated rules, got {', '.join(map(str, list(document)[:5])) or 'nothing'} at its top."
            )
    if oscal:
        read_oscal(path, oscal, content, stem, load_document)


def _kind(document: Document) -> str:
    if "catalog" in document or "profile" in document:
        return "oscal"
    if "objects" in document and "urn" in document:
        return "library"
    return "rules" if isinstance(document.get("KSI"), dict) and "info" in document else ""


def load_document(file: Path) -> Document:
    """The document in a file. Usage names the place of what cannot be read."""
    data = file.read_bytes()
    if file.suffix.lower() == ".xml":
        return oscal_of_xml(file.name, data)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Usage(
            f"{file.name}: expected text in UTF-8, got the byte {data[error.start]:#04x} at {error.start}."
        ) from error
    found = _json(file.name, text) if file.suffix.lower() == ".json" else _yaml(file.name, text)
    if not isinstance(found, dict):
        raise Usage(f"{file.name}: expected an object at its top, got {type(found).__name__}.")
    return found


def _json(name: str, text: str) -> object:
    try:
        return json.loads(text, object_pairs_hook=lambda pairs: _once(name, pairs))
    except json.JSONDecodeError as error:
        raise Usage(f"{name}, line {error.lineno}: expected JSON; {error.msg}.") from error
    except RecursionError as error:
        raise Usage(f"{name}: expected JSON, got values nested too deep.") from error


def _once(name: str, pairs: list[tuple[str, object]]) -> dict[str, object]:
    once = dict(pairs)
    if len(once) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise Usage(f"{name}: the member {twice!r} is there twice in one object.")
    return once


def _yaml(name: str, text: str) -> object:
    """YAML without tags of Python; the values that aliases make are counted before they are made."""
    loader = yaml.CSafeLoader if hasattr(yaml, "CSafeLoader") else yaml.SafeLoader
    try:
        node = yaml.compose(text, Loader=loader)
        if node is not None:
            _count(name, node, {}, 0)
        return yaml.load(text, Loader=_Loader)  # noqa: S506 -- a SafeLoader
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        line = f", line {mark.line + 1}" if mark is not None else ""
        raise Usage(f"{name}{line}: expected YAML; {error.problem or error.context}.") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise Usage(f"{name}: expected YAML; {str(error).splitlines()[0]}.") from error


class _Loader(yaml.CSafeLoader if hasattr(yaml, "CSafeLoader") else yaml.SafeLoader):  # type: ignore[misc]
    """Days and moments stay the texts that they are."""

    yaml_implicit_resolvers: ClassVar = {
        first: [(tag, pattern) for tag, pattern in found if tag != "tag:yaml.org,2002:timestamp"]
        for first, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


def _count(name: str, node: yaml.Node, known: dict[int, int], depth: int) -> int:
    """How many values a node becomes with all its aliases."""
    line = node.start_mark.line + 1 if node.start_mark is not None else 1
    if depth > DEEPEST:
        raise Usage(f"{name}, line {line}: expected values nested at most {DEEPEST} deep.")
    if id(node) in known:
        if known[id(node)] == 0:
            raise Usage(f"{name}, line {line}: an alias leads to what it is part of.")
        return known[id(node)]
    known[id(node)] = 0
    total = 1
    if isinstance(node, yaml.SequenceNode):
        total += sum(_count(name, part, known, depth + 1) for part in node.value)
    elif isinstance(node, yaml.MappingNode):
        total += sum(_count(name, part, known, depth + 1) for pair in node.value for part in pair)
    if total > MOST_VALUES:
        raise Usage(f"{name}, line {line}: the aliases would make more than {MOST_VALUES:,} values.")
    known[id(node)] = total
    return total
