"""The rows of a list that show some words: in texts, or in what people, frameworks, states and controls are called."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

from sqlalchemy import Column, ColumnElement, Connection, String, Table, Text, and_, bindparam, func, or_, select

from engine.store.schema import IMPORTABLE

CALLED = frozenset({"person", "framework", "choices"})
"""What marks a column whose values a list calls by another name."""


class ListWords(NamedTuple):
    """What a list calls things: ``value`` of a column's name and value; ``controls`` by framework and identifier."""

    value: Callable[[str, object], str]
    controls: Mapping[tuple[str, str], str]


def search_columns(name: str, columns: Sequence[str]) -> list[str]:
    """Those of some columns, and of the key, that have text to look for words in."""
    table = IMPORTABLE[name]
    wanted = dict.fromkeys([*table.info["primary"], *columns])
    return [column for column in wanted if column in table.c and isinstance(table.c[column].type, String | Text)]


def shows(
    connection: Connection, table: Table, mine: ColumnElement[bool], columns: Sequence[str], text: str, words: ListWords
) -> ColumnElement[bool]:
    """Whether a row of ``mine`` has the text in one of some columns, in any case, or shows it there."""
    texts = [_has_text(connection, table.c[name], text) for name in columns]
    return or_(*texts, *_by_name(connection, table, mine, columns, text, words))


def one_of(column: Column[str], values: Collection[str]) -> ColumnElement[bool]:
    """Whether it is one of many values: they are written out, as a database takes some thousand parameters at most."""
    return column.in_(bindparam(None, sorted(values), expanding=True, literal_execute=True, type_=String))


def _by_name(
    connection: Connection, table: Table, mine: ColumnElement[bool], columns: Sequence[str], text: str, words: ListWords
) -> list[ColumnElement[bool]]:
    """The values in the store that are called so: of each column there are few."""
    found, wanted = [], text.casefold()
    for name in columns:
        column = table.c[name]
        if CALLED & column.info.keys():
            values = connection.execute(select(column).where(mine, column.is_not(None)).distinct()).scalars()
            found.append(one_of(column, [one for one in values if wanted in words.value(name, one).casefold()]))
    if "control_id" in columns:
        framework, control = table.c.framework, table.c.control_id
        by_framework: dict[str, list[str]] = {}
        for pair in connection.execute(select(framework, control).where(mine, control.is_not(None)).distinct()):
            if wanted in words.controls.get(tuple(pair), "").casefold():
                by_framework.setdefault(pair[0], []).append(pair[1])
        found += [and_(framework == name, one_of(control, ids)) for name, ids in by_framework.items()]
    return found


def _has_text(connection: Connection, column: Column[str], text: str) -> ColumnElement[bool]:
    """Databases fold the case of letters of ASCII alone, wherever they run; the others that are sought are folded here.

    SQLite's LIKE takes no account of case.
    """
    folded: ColumnElement[str] = column
    for letter in dict.fromkeys(text.lower()):
        capital = letter.upper()
        if not letter.isascii() and capital != letter and len(capital) == 1:
            folded = func.replace(folded, capital, letter, type_=Text)
    if connection.dialect.name != "sqlite":
        folded = func.lower(folded.collate("C"), type_=Text)
    return folded.contains(text.lower(), autoescape=True)
