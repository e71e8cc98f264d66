"""Statements that add and change single rows, built once for each shape: building them anew costs more than running
them."""

from functools import cache

from sqlalchemy import ColumnElement, Table, and_, bindparam, case, update

from engine.store.schema.organizations import organizations
from engine.store.writing.statements import CompiledStatement


@cache
def defaults(table: Table) -> dict[str, object]:
    """The values of columns that nobody gave one, where their table says so."""
    return {c.name: c.info["default"] for c in table.columns if c.info.get("default") is not None}


@cache
def empty_row(table: Table) -> dict[str, object]:
    """A row without values: its columns have their defaults, else null."""
    return dict.fromkeys(table.c.keys()) | defaults(table)


@cache
def insert_one(table: Table, names: tuple[str, ...]) -> CompiledStatement:
    """Add a row with these columns."""
    return CompiledStatement(table.insert().values({name: bindparam(name, type_=table.c[name].type) for name in names}))


@cache
def update_one(table: Table, key: tuple[str, ...], values: tuple[str, ...]) -> CompiledStatement:
    """Change the row of an organization with that key and return it whole; counts moves of the table's due date."""
    owner = table.c.id if table is organizations else table.c.org_id
    new: dict[str, ColumnElement[object]] = {
        name: bindparam(f"_new_{name}", type_=table.c[name].type) for name in values
    }
    due: str | None = table.info.get("due")
    if due and due in new:
        moved = and_(table.c[due].is_not(None), table.c[due].is_distinct_from(new[due]))
        new["moves"] = case((moved, table.c.moves + 1), else_=table.c.moves)
    own = [table.c[name] == bindparam(f"_key_{name}", type_=table.c[name].type) for name in key]
    return CompiledStatement(update(table).where(owner == bindparam("_org"), *own).values(new).returning(*table.c))
