"""Point reads of the operational store: rows of one organization as plain mappings, typed by their table."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar, cast

from sqlalchemy import Connection, Select, Table, select

from engine.model.errors import NotFound
from engine.store.schema.columns import TypedTable

R = TypeVar("R")
FEW_THOUSAND = 2_000
Reader = Connection  # what a function that reads is handed: the name for those that may not know SQLAlchemy
# SQLAlchemy cannot say what a selected table consists of; ``selected`` says it of the rows
TableQuery: TypeAlias = Select[Any]  # a row of whichever table


def one(connection: Connection, table: TypedTable[R], org_id: str, **where: object) -> R:
    """The row of the organization that matches; NotFound says what was looked for. Foreign rows do not exist."""
    matching = _matching(connection, table, org_id, (), 1, where)
    if not matching:
        named = where.get("id") or ", ".join(str(value) for value in where.values())
        raise NotFound(f"There is no such {table.name.rstrip('s').replace('_', ' ')}: {str(named)[:200]}.")
    return matching[0]


def first(
    connection: Connection, table: TypedTable[R], org_id: str, *, order: Sequence[str] = (), **where: object
) -> R | None:
    """The first row that matches, by ``order`` and key, or None."""
    matching = _matching(connection, table, org_id, order, 1, where)
    return matching[0] if matching else None


def many(
    connection: Connection,
    table: TypedTable[R],
    org_id: str,
    *,
    order: Sequence[str] = (),
    limit: int | None = None,
    **where: object,
) -> list[R]:
    """The rows that match, by key or by ``order`` (``-name`` descends). A list or tuple as value means any of them."""
    return _matching(connection, table, org_id, order, limit, where)


def _matching(
    connection: Connection,
    table: TypedTable[R],
    org_id: str,
    order: Sequence[str],
    limit: int | None,
    where: Mapping[str, object],
) -> list[R]:
    query = select(table).where(table.c.org_id == org_id)
    for name, value in where.items():
        column = table.c[name]
        query = query.where(column.in_(value) if isinstance(value, list | tuple) else column == value)
    for name in (*order, *table.primary_key.columns.keys()):
        query = query.order_by(table.c[name[1:]].desc() if name.startswith("-") else table.c[name])
    return select_rows(connection, table, query.limit(limit))


def all_rows(connection: Connection, table: Table, org_id: str) -> Iterator[dict[str, object]]:
    """Every row of an organization, a few thousand at a time; ``organizations`` has its own."""
    owner = table.c.id if table.name == "organizations" else table.c.org_id
    query = select(table).where(owner == org_id).execution_options(yield_per=FEW_THOUSAND)
    with connection.execute(query) as rows:
        for row in rows.mappings():
            yield dict(row)


def pick(row: Mapping[str, object], names: Iterable[str]) -> dict[str, object]:
    """The named values of a row, in that order."""
    return {name: row[name] for name in names}


def without(row: Mapping[str, object], *names: str) -> dict[str, object]:
    """A row but for the named values."""
    return {name: value for name, value in row.items() if name not in names}


def select_rows(connection: Connection, table: TypedTable[R], query: TableQuery) -> list[R]:
    """The rows of a query for all columns of ``table``."""
    return cast("list[R]", [dict(row) for row in connection.execute(query).mappings()])


def select_first(connection: Connection, table: TypedTable[R], query: TableQuery) -> R | None:
    """The first row of a query for all columns of ``table``, or None."""
    rows = select_rows(connection, table, query.limit(1))
    return rows[0] if rows else None
