"""OSCAL's XML as OSCAL's JSON: the same document, element by element; prose becomes the markup that JSON has."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn
from xml.parsers import expat

from engine.model.errors import Usage

MOST_ELEMENTS = 2_000_000
DEEPEST = 80
Element = tuple[str, dict[str, str], list["Element | str"]]
# elements that may be there several times, with the name of their list
_LISTS = {
    **{name: f"{name}s" for name in ("param", "prop", "link", "part", "group", "control", "value", "constraint")},
    **{name: f"{name}s" for name in ("guideline", "test", "import", "alter", "remove", "add", "resource", "rlink")},
    **{"role": "roles", "party": "parties", "revision": "revisions", "responsible-party": "responsible-parties"},
    **{"set-parameter": "set-parameters", "with-id": "with-ids", "matching": "matching", "choice": "choice"},
    **{"include-controls": "include-controls", "exclude-controls": "exclude-controls"},
    **{"insert-controls": "insert-controls", "location": "locations", "document-id": "document-ids"},
    **{"party-uuid": "party-uuids", "email-address": "email-addresses", "action": "actions", "hash": "hashes"},
    **{"telephone-number": "telephone-numbers", "address": "addresses", "addr-line": "addr-lines"},
    **{"external-id": "external-ids", "url": "urls", "location-uuid": "location-uuids"},
    "member-of-organization": "member-of-organizations",
}
_MARKUP = frozenset({"description", "remarks", "usage"})
_LINE = frozenset({"title", "label", "choice", "text"})
_BLOCKS = frozenset({"p", "ul", "ol", "pre", "table", "blockquote", *(f"h{number}" for number in range(1, 7))})
_EMPTY = frozenset({"include-all", "flat"})


class _Forbidden(Exception):
    """What a document may not hold."""


def oscal_of_xml(name: str, data: bytes) -> dict[str, Any]:
    """The document as JSON has it. Usage names the line of what cannot be read, or would need anything else."""
    root = _parse(name, data)
    tag, _, _ = root
    if tag not in ("catalog", "profile"):
        raise Usage(f"{name}: expected an OSCAL catalog or profile, got the element {tag!r}.")
    return {tag: _object(root)}


def _parse(name: str, data: bytes) -> Element:
    top: Element = ("", {}, [])
    stack = [top]
    count = 0
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True

    def start(tag: str, attributes: Mapping[str, str]) -> None:
        nonlocal count
        count += 1
        if count > MOST_ELEMENTS or len(stack) > DEEPEST:
            raise _Forbidden(f"more than {MOST_ELEMENTS:,} elements, or elements nested deeper than {DEEPEST}")
        element: Element = (_local(tag), {_local(key): value for key, value in attributes.items()}, [])
        stack[-1][2].append(element)
        stack.append(element)

    def end(tag: str) -> None:
        stack.pop()

    def text(part: str) -> None:
        stack[-1][2].append(part)

    def refuse(*_: object) -> NoReturn:
        raise _Forbidden("a document type or an entity; neither is read")

    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, text
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = parser.SkippedEntityHandler = refuse
    parser.ExternalEntityRefHandler = refuse
    try:
        parser.Parse(data, True)
    except _Forbidden as problem:
        raise Usage(f"{name}, line {parser.CurrentLineNumber}: the XML has {problem}.") from problem
    except (expat.ExpatError, LookupError, ValueError) as error:
        raise Usage(f"{name}, line {parser.CurrentLineNumber}: expected XML; {error}.") from error
    return next(child for child in top[2] if not isinstance(child, str))


def _local(name: str) -> str:
    return name.rpartition(" ")[2].rpartition(":")[2]


def _object(element: Element) -> dict[str, Any]:
    """An element with members: attributes, then children by name; prose of a part is one member."""
    tag, attributes, children = element
    found: dict[str, Any] = dict(attributes)
    prose: list[str] = []
    for child in children:
        if isinstance(child, str):
            continue
        name = child[0]
        if name in _BLOCKS and tag in ("part", "guideline"):
            prose.append(_block(child))
            continue
        value = _value(child, tag)
        if name in _LISTS:
            found.setdefault(_LISTS[name], []).append(value)
        else:
            found[name] = value
    if prose:
        found["prose"] = "\n\n".join(prose)
    return found


def _value(element: Element, parent: str) -> Any:
    name, attributes, children = element
    if name in _EMPTY:
        return {}
    if name == "as-is":
        return _text(element) == "true"
    if name in _MARKUP:
        blocks = [_block(child) for child in children if not isinstance(child, str) and child[0] in _BLOCKS]
        return "\n\n".join(blocks) if blocks else _inline(children)
    if name in _LINE or (name in ("value", "test", "with-id") and parent != "constraint"):
        return _inline(children)
    inner = [child for child in children if not isinstance(child, str)]
    if not inner and not attributes:
        return _text(element)
    if not inner and _text(element):
        return {**attributes, "value": _text(element)}
    return _object(element)


def _text(element: Element) -> str:
    parts = [child if isinstance(child, str) else _text(child) for child in element[2]]
    return re.sub(r"\s+", " ", "".join(parts)).strip()


_MARKS = {"em": "*", "i": "*", "strong": "**", "b": "**", "code": "`", "q": '"', "sub": "~", "sup": "^"}


def _inline(children: Sequence["Element | str"]) -> str:
    return re.sub(r"\s+", " ", "".join(_inlines(children))).strip()


def _inlines(children: Sequence["Element | str"]) -> list[str]:
    inlines: list[str] = []
    for child in children:
        if isinstance(child, str):
            inlines.append(child)
            continue
        name, attributes, inner = child
        if name == "insert":
            kind, target = attributes.get("type", "param"), attributes.get("id-ref", attributes.get("param-id", ""))
            inlines.append(f"{{{{ insert: {kind}, {target} }}}}")
        elif name == "a":
            inlines.append(f"[{_inline(inner)}]({attributes.get('href', '')})")
        else:
            mark = _MARKS.get(name, "")
            inlines.append(f"{mark}{''.join(_inlines(inner))}{mark}")
    return inlines


def _block(element: Element, indent: str = "") -> str:
    name, _, children = element
    if name in ("ul", "ol"):
        items = [child for child in children if not isinstance(child, str) and child[0] == "li"]
        marks = [f"{number}." if name == "ol" else "-" for number in range(1, len(items) + 1)]
        return "\n".join(_item(item, f"{indent}{mark} ", indent) for item, mark in zip(items, marks, strict=True))
    if name == "table":
        rows = [child for child in _descendants(element) if child[0] == "tr"]
        cells = [[_inline(cell[2]) for cell in row[2] if not isinstance(cell, str)] for row in rows]
        return "\n".join("| " + " | ".join(row) + " |" for row in cells)
    if name.startswith("h") and name[1:].isdigit():
        return f"{'#' * int(name[1:])} {_inline(children)}"
    if name == "pre":
        return "".join(child for child in children if isinstance(child, str))
    return indent + _inline(children)


def _item(item: Element, mark: str, indent: str) -> str:
    lists = [child for child in item[2] if not isinstance(child, str) and child[0] in ("ul", "ol")]
    rest = [child for child in item[2] if isinstance(child, str) or child[0] not in ("ul", "ol")]
    return "\n".join([mark + _inline(rest), *(_block(inner, indent + "  ") for inner in lists)])


def _descendants(element: Element) -> list[Element]:
    descendants: list[Element] = []
    for child in element[2]:
        if not isinstance(child, str):
            descendants.extend([child, *_descendants(child)])
    return descendants
