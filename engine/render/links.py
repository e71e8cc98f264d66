"""Where names on a page lead: what a control, a person, a vendor is called, and the page that tells more of it."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import quote

from markupsafe import Markup

from engine.catalogue import catalogue
from engine.model.documents.document import Edition, Table
from engine.model.entities import FRAMEWORK_REPORTS, NAMING_COLUMNS, EntityKind
from engine.model.vocabulary import FRAMEWORK_NAMES

Href = Callable[[EntityKind, str], str]
"""The address of a thing's page; empty where there is none."""
ThingKey = tuple[EntityKind, str]
KINDS: Mapping[str, EntityKind] = {column: kind for kind, columns in NAMING_COLUMNS.items() for column in columns}
_REPORTS = "/api/governance/compliance/"
_BY_KIND: Mapping[EntityKind, str] = {
    "owner": f"{_REPORTS}obligation-load-balancing?format=html&owner=",
    "vendor": "/api/governance/third-party/vendors?format=html&vendor=",
}

NAMED: tuple[EntityKind, ...] = ("owner", "vendor", "service")
"""The kinds of things that people call by their name, and others by what it is about."""
NODES = ("node", "source", "target")
"""Columns of the graph, whose cells have the kind of a thing before its key."""
_NODE = re.compile(r"(?:control|requirement):(.+:.+)")
_OWN_FRAMEWORK = re.compile(r"[a-z0-9][a-z0-9._-]*")


def route_of(kind: EntityKind, key: str) -> str:
    """The report that says most of a thing, by its route; empty for what no report lists."""
    if kind in _BY_KIND:
        return f"{_BY_KIND[kind]}{quote(key)}"
    framework, _, control = key.partition(":")
    report = FRAMEWORK_REPORTS.get(framework, "")
    if kind == "framework" and report:
        return f"{_REPORTS}{report}?format=html"
    if kind == "control" and report and control:
        return f"{_REPORTS}{report}?format=html&control={quote(control)}"
    if kind == "request":
        return f"{_REPORTS}evidence-requests?format=html"
    if kind == "service":
        return f"{_REPORTS}scope-boundary?format=html"
    return ""


def page_of_route(name: str, route: str) -> str:
    """The page of a report over HTTP; empty for a route that answers no report."""
    return f"{route}?format=html" if route.startswith((_REPORTS, "/api/governance/third-party/")) and name else ""


@dataclass(frozen=True)
class Links:
    """How cells that name things are shown: ``href`` gives their pages, ``names`` what people call them.

    ``framework`` is that of controls in tables without such a column; ``ids`` are identifiers that a column ``id`` may
    have, ``aliases`` the keys of things that are called by name, ``phrases`` what sentences may call a thing,
    ``titles`` what is read in the place of an identifier, ``records`` the titles of records by their identifiers,
    whether they have a page or not, ``report`` the page of a report by its name and route, ``own_frameworks`` the
    titles of frameworks of one's own.
    """

    href: Href = route_of
    names: Mapping[EntityKind, Mapping[str, str]] = field(default_factory=dict)
    framework: str = ""
    ids: Mapping[str, EntityKind] = field(default_factory=dict)
    aliases: Mapping[EntityKind, Mapping[str, str]] = field(default_factory=dict)
    phrases: Mapping[str, ThingKey] = field(default_factory=dict)
    titles: Mapping[ThingKey, str] = field(default_factory=dict)
    records: Mapping[str, str] = field(default_factory=dict)
    report: Callable[[str, str], str] = page_of_route
    own_frameworks: Mapping[str, str] = field(default_factory=dict)
    sentences: dict[str, Markup] = field(default_factory=dict, init=False, repr=False, compare=False)  # read before

    def of_report(self, report: str) -> "Links":
        """The same on the page of a report: one that shows a framework control by control names no framework."""
        return replace(self, framework=framework_of(report))

    def thing(self, column: str, table: Table, cell: Any, framework: str) -> "ThingKey | None":  # cell: a text
        """What a cell of a column names; None where it names nothing."""
        if column in NODES and (node := _NODE.fullmatch(str(cell))):
            return "control", node[1]
        kind = kind_of(column, table) or (self.ids.get(str(cell)) if column == "id" else None)
        if kind is None:
            return None
        key = _key(kind, str(cell), framework)
        return (kind, self.aliases.get(kind, {}).get(key, key)) if key else None

    def title(self, kind: EntityKind, key: str) -> str:
        """What a thing with an identifier is called; empty where nothing else is known of it."""
        if kind == "control":
            framework, _, control = key.partition(":")
            return catalogue().control_title(framework, control) or self.titles.get((kind, key), "")
        return self.titles.get((kind, key), "")

    def name(self, kind: EntityKind, key: str, text: str) -> str:
        """What people read for it; ``text`` where it has no other name."""
        if kind == "framework":
            return self._framework_name(key, text)
        if kind == "control" and (text == key or _NODE.fullmatch(text)):
            framework, _, control = key.partition(":")
            return f"{self._framework_name(framework, framework)} {control}"
        return self.names.get(kind, {}).get(key) or (self.records.get(key, text) if kind in NAMED else text)

    def _framework_name(self, framework: str, text: str) -> str:
        return FRAMEWORK_NAMES.get(framework) or self.own_frameworks.get(framework, text)


def links_of(edition: Edition) -> Links:
    """Names that lead to routes, as an edition knows them."""
    return Links(names={"owner": edition.people}, records=edition.titles, own_frameworks=edition.own_frameworks)


def framework_of(report: str) -> str:
    """The framework that a report shows control by control; empty for any other report."""
    return next((framework for framework, name in FRAMEWORK_REPORTS.items() if name == report), "")


def kind_of(name: str, table: Table) -> EntityKind | None:
    """What the cells of a column name; None for a column that names nothing, or counts."""
    kind = KINDS.get(name)
    if kind is None or table.schema[name].is_numeric() or table.schema[name].is_temporal():
        return None
    return kind


def _key(kind: EntityKind, text: str, framework: str) -> str:
    """``framework:control`` of a control, of anything else the text itself."""
    if kind == "owner":
        return text if "@" in text and " " not in text else ""  # others are roles
    if kind != "control":
        return text
    before, colon, _ = text.partition(":")
    if colon and (before in FRAMEWORK_NAMES or _OWN_FRAMEWORK.fullmatch(before)):
        return text
    return f"{framework}:{text}" if framework else ""
