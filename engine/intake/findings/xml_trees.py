"""XML as the JSON that converters make of it: attributes are ``@name``, text beside them ``#text``, several a list.

Every real Qualys file has a DOCTYPE that names a DTD elsewhere. It is accepted and nothing is fetched: no DTD, no
entity, no included file. Whatever would need one is refused, and so are declarations of entities, whether or not they
are used. Expat reads as the standard library brings it; the handlers here are all that a guard around it would add.
"""

from collections.abc import Mapping
from typing import NoReturn
from xml.parsers import expat

from engine.model.errors import BadRequest

DEEPEST = 40
ELEMENTS = 1_000_000


class _ForbiddenXml(Exception):
    """What the document may not hold; raised by a handler, through the parser."""


class _Tree:
    """Elements as they open and close."""

    def __init__(self) -> None:
        self.whole: dict[str, object] = {}
        self.open: list[tuple[dict[str, object], list[str]]] = [(self.whole, [])]
        self.count = 0

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        self.count += 1
        if len(self.open) > DEEPEST:
            raise _ForbiddenXml(f"is nested deeper than {DEEPEST} elements")
        if self.count > ELEMENTS:
            raise _ForbiddenXml(f"holds more than {ELEMENTS:,} elements")
        inside: dict[str, object] = {}
        for key, value in attributes.items():
            if not key.startswith("xmlns"):
                inside[f"@{_local(key)}"] = value
        self.open.append((inside, []))

    def text(self, data: str) -> None:
        self.open[-1][1].append(data)

    def end(self, name: str) -> None:
        inside, parts = self.open.pop()
        text = "".join(parts).strip()
        if inside and text:
            inside["#text"] = text
        value: object = inside or text or None
        around, name = self.open[-1][0], _local(name)
        if name not in around:
            around[name] = value
            return
        before = around[name]
        if isinstance(before, list):
            before.append(value)
        else:
            around[name] = [before, value]


def read_xml(data: bytes) -> dict[str, object]:
    """The root element under its name; BadRequest for what is no XML, or needs more than the body itself."""
    tree = _Tree()
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.specified_attributes = True  # defaults that a DOCTYPE declares are no part of the report
    parser.StartElementHandler = tree.start
    parser.EndElementHandler = tree.end
    parser.CharacterDataHandler = tree.text
    parser.EntityDeclHandler = _refuse_entity
    parser.SkippedEntityHandler = _refuse_reference
    parser.ExternalEntityRefHandler = _refuse_external
    try:
        parser.Parse(data, True)
    except _ForbiddenXml as problem:
        raise _bad(f"The XML {problem} (line {parser.CurrentLineNumber}).") from problem
    except (expat.ExpatError, LookupError, ValueError) as error:  # the latter two: an encoding that nobody knows
        raise _bad(f"The body begins as XML and is none ({error}).") from error
    return tree.whole


def _refuse_entity(name: str, *declared: object) -> NoReturn:
    raise _ForbiddenXml(f"declares the entity {name[:60]!r}; entities are not read")


def _refuse_reference(name: str, *_: object) -> NoReturn:
    raise _ForbiddenXml(f"refers to the entity {name[:60]!r}, which it does not hold; nothing is fetched for it")


def _refuse_external(context: str | None, base: str | None, system: str | None, public: str | None) -> NoReturn:
    raise _ForbiddenXml(f"refers to {(system or public or 'something')[:60]!r} elsewhere; nothing is fetched")


def _local(name: str) -> str:
    return name.rpartition(":")[2]


def _bad(message: str) -> BadRequest:
    return BadRequest(message, word="invalid_body")
