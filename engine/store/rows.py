"""Point reads of the operational store: rows of one organization as plain mappings."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Table, select

from engine.model.errors import NotFound


def one(connection: Connection, table: Table, org_id: str, **where: Any) -> dict[str, Any]:
    """The row of the organization that matches; NotFound says what was looked for. Foreign rows do not exist."""
    found = first(connection, table, org_id, **where)
    if found is None:
        named = where.get("id") or ", ".join(str(value) for value in where.values())
        raise NotFound(f"There is no such {table.name.rstrip('s').replace('_', ' ')}: {str(named)[:200]}.")
    return found


def first(connection: Connection, table: Table, org_id: str, **where: Any) -> dict[str, Any] | None:
    """The first row that matches, in key order, or None."""
    found = many(connection, table, org_id, limit=1, **where)
    return found[0] if found else None


def many(
    connection: Connection,
    table: Table,
    org_id: str,
    *,
    order: Sequence[str] = (),
    limit: int | None = None,
    **where: Any,
) -> list[dict[str, Any]]:
    """The rows that match, by key or by ``order`` (``-name`` descends). A list or tuple as value means any of them."""
    query = select(table).where(table.c.org_id == org_id)
    for name, value in where.items():
        column = table.c[name]
        query = query.where(column.in_(value) if isinstance(value, list | tuple) else column == value)
    for name in (*order, *table.primary_key.columns.keys()):
        query = query.order_by(table.c[name[1:]].desc() if name.startswith("-") else table.c[name])
    return [dict(row) for row in connection.execute(query.limit(limit)).mappings()]
