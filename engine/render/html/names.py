"""Cells that name things, as links to what tells more of them."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import repeat
from typing import Any

from engine.model.documents.document import Table
from engine.model.entities import framework_column
from engine.render.cell_texts import ACTIONS, DictionaryColumn, is_word_column, plain_action, readable
from engine.render.html.escaping import escape_text
from engine.render.links import NAMED, NODES, Links, ThingKey, kind_of
from engine.render.record_names import names_records, record_name

IDENTIFIERS = ("id", "control_id", "gap_id", "policy_id", "requirement", "control")
TITLES = ("title", "name")
TITLES_OF = {"procedure": ("schedule_id", "check_id"), "label": ("node", "id"), "action": ("event_id",)}
"""Columns of titles by another name, and the identifiers that they belong to."""
_HASH = re.compile(r"[a-z]+_[0-9a-f]{12,}|(?:source|control|requirement):.+|check[ -].+-r\d+(?:-[a-z]+)*|check .+")
MOST_NAMES = 6  # in one cell; more are behind a disclosure


def title_columns(table: Table) -> Mapping[str, str]:
    """The columns of identifiers that have one of titles: both are read in one cell, the title first.

    A title belongs to the identifier of its own name, else to the nearest one before it; the name of a vendor or a
    service to its identifier.
    """
    seen = [name for name in table.frame.columns if name not in table.unseen and not table.schema[name].is_nested()]
    columns: dict[str, str] = {}
    for place, name in enumerate(seen):
        stem, _, last = name.rpartition("_")
        before = [other for other in seen[:place] if other in IDENTIFIERS]
        if f"{name}_id" in seen and kind_of(name, table) in NAMED and kind_of(f"{name}_id", table) in NAMED:
            owner = f"{name}_id"
        elif name in TITLES_OF:
            owner = next((other for other in seen[:place] if other in TITLES_OF[name]), "")
        elif last in TITLES and stem:
            owner = f"{stem}_id" if f"{stem}_id" in seen else ""
        else:
            owner = before[-1] if name in TITLES and before else ""
        if owner:
            columns.setdefault(owner, name)
    return columns


def named_cells(table: Table, columns: Collection[str], links: Links) -> Mapping[str, DictionaryColumn]:
    """The columns that name things, as HTML; ``columns`` are those that people see."""
    titles = title_columns(table)
    naming = [name for name in columns if is_naming(table, name, titles, links)]
    return {name: _name_column(table, name, titles.get(name), links) for name in naming}


def is_naming(table: Table, name: str, titles: Mapping[str, str], links: Links) -> bool:
    """Whether the cells of a column name things or records."""
    return bool(
        kind_of(name, table)
        or name in titles
        or (name == "id" and links.ids)
        or (name in NODES and is_word_column(table.schema[name]))
        or names_records(table, name, links.records)
    )


def named_texts(table: Table, name: str, links: Links) -> list[str]:
    """What people read in a column that names things, for each different cell."""
    found = []
    for cells, framework, title in dict.fromkeys(_cells(table, name, title_columns(table).get(name), links)):
        things = cells if isinstance(cells, tuple) else (cells,)
        named = [(str(one), links.thing(name, table, one, framework)) for one in things if one is not None]
        texts = [_reading(text, thing, links) for text, thing in named]
        if len(texts) == 1 and not isinstance(cells, tuple):
            called = _title_of(*named[0], title, links)
            texts = [" ".join(filter(None, (called, *texts)))]
        found.append("; ".join(texts) if len(texts) <= MOST_NAMES else max(texts, key=len))  # of a list that opens
    return found


def frameworks_beside(table: Table, name: str, otherwise: str) -> list[str]:
    """The framework of each row for the controls of a column: of the column beside it, or of the report."""
    beside = framework_column(name)
    if beside in table.schema and not table.schema[beside].is_nested():
        return [framework or "" for framework in table.frame.get_column(beside).to_list()]
    return [otherwise] * table.frame.height


def _name_column(table: Table, name: str, title: str | None, links: Links) -> DictionaryColumn:
    places: dict[tuple[Any, str, str], int] = {}
    rows = [places.setdefault(cell, len(places)) for cell in _cells(table, name, title, links)]
    return DictionaryColumn([_cell(table, name, *cell, links) for cell in places], rows)


def _cells(table: Table, name: str, title: str | None, links: Links) -> Iterator[tuple[Any, str, str]]:
    """Of each row what the cell names, the framework beside it, and the title beside it."""
    things = map(_hashable, table.frame.get_column(name).to_list())
    titles = table.frame.get_column(title).to_list() if title else repeat("", table.frame.height)
    if title in ACTIONS:
        titles = [plain_action(action or "") for action in titles]
    return zip(things, frameworks_beside(table, name, links.framework), (one or "" for one in titles), strict=True)


def _hashable(thing: Any) -> Any:  # a text, or several
    return tuple(thing) if isinstance(thing, list) else thing


def _cell(table: Table, name: str, thing: Any, framework: str, title: str, links: Links) -> str:
    if not isinstance(thing, tuple):
        named = links.thing(name, table, thing, framework)
        text = "" if thing is None else str(thing)
        called = _title_of(text, named, title, links)
        if called:
            return _title_link(called, text, named, links)
    things: Sequence[str] = thing if isinstance(thing, tuple) else [thing]
    anchors = [_anchor(str(one), links.thing(name, table, one, framework), links) for one in things if one is not None]
    if len(anchors) > MOST_NAMES:
        return f"<details><summary>{len(anchors)}</summary>{'; '.join(anchors)}</details>"
    return "; ".join(anchors)


def _title_of(text: str, thing: ThingKey | None, title: str, links: Links) -> str:
    """What a thing or a record with an identifier is called, where people read both; a request as on its page, which
    tells it from others of its title."""
    distinct = links.titles.get(thing, "") if thing and thing[0] == "request" else ""
    return distinct or title or (links.title(*thing) if thing else "") or record_name(text, links.records)


def _reading(text: str, thing: ThingKey | None, links: Links) -> str:
    """What people read for a name among several."""
    name = links.name(*thing, text) if thing else text
    return record_name(text, links.records) or name if name == text else name


def _title_link(title: str, text: str, thing: ThingKey | None, links: Links) -> str:
    """A title that leads to what it names, and the identifier small beside it."""
    label = escape_text(readable(title))
    address = links.href(*thing) if thing else ""
    if thing and thing[0] in NAMED:
        full = f' title="{escape_text(text)}"' if text != title else ""
        return f'<a href="{escape_text(address)}"{full}>{label}</a>' if address else f"<span{full}>{label}</span>"
    identifier = readable(links.name(*thing, text)) if thing else readable(text)
    is_indirect = thing is None and text not in links.records and bool(record_name(text, links.records))
    small = "" if is_indirect or _HASH.fullmatch(identifier) or identifier in ("", title) else identifier
    beside = small and f" <small>{escape_text(small)}</small>"
    return f'<a href="{escape_text(address)}">{label}</a>{beside}' if address else f"{label}{beside}"


def _anchor(text: str, thing: ThingKey | None, links: Links) -> str:
    """One name as HTML: a link where its thing has a page."""
    label = readable(_reading(text, thing, links))
    address = links.href(*thing) if thing else ""
    full = f' title="{escape_text(text)}"' if label != text else ""
    if not address:
        return f"<span{full}>{escape_text(label)}</span>" if full else escape_text(label)
    return f'<a href="{escape_text(address)}"{full}>{escape_text(label)}</a>'
