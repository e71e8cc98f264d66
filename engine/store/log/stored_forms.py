"""Whether each value is held in the one form in which it is written.

SQLite takes whatever it is given: a flag of 2, a day in another notation, bytes for a text. A reader may take that for
the value that it stands for, and a query for another. PostgreSQL takes days that no calendar of ours has.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from functools import cache

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    Connection,
    Date,
    Float,
    LargeBinary,
    Table,
    Text,
    TextClause,
    and_,
    case,
    cast,
    func,
    not_,
    or_,
    select,
    text,
)

from engine.store.log.log_check import key_text
from engine.store.log.log_lines import read_part
from engine.store.rows import FEW_THOUSAND
from engine.store.schema import metadata
from engine.store.schema.audit import change_log
from engine.store.types import Instant

_DAY = "[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]"
_MOMENT = f"{_DAY}T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].{'[0-9]' * 6}Z"
_SHOWN = 60  # characters of what was found


def wrong_form(connection: Connection, org_id: str) -> str | None:
    """The first value of the organization that is stored in another form than its column's."""
    if connection.dialect.name != "sqlite":
        return _out_of_calendar(connection, org_id)
    for table, owner in _tables():
        name = connection.exec_driver_sql(_wrong_column(table), (org_id,)).scalar()
        if name is not None:
            column = table.c[str(name)]
            wrong = text(f"NOT ({_form(column)})")
            return next(_sentences(connection, org_id, table, column, owner == org_id, wrong, _expectation(column)))
    return None


@cache
def _wrong_column(table: Table) -> str:
    """The query for the column of the first row that has a value in another form: as text, since to build and compile
    that of every table takes longer than SQLite has to do."""
    forms = [(column.name, _form(column)) for column in table.columns]
    wrong = " ".join(f"WHEN NOT ({form}) THEN '{name}'" for name, form in forms)
    fit = " AND ".join(form for _, form in forms)
    order = ", ".join(column.name for column in table.primary_key.columns)
    owner = "id" if table.name == "organizations" else "org_id"
    where = f"{owner} = ? AND NOT ({fit})"
    return f"SELECT CASE {wrong} END FROM {table.name} WHERE {where} ORDER BY {order} LIMIT 1"  # noqa: S608 - all ours


def _out_of_calendar(connection: Connection, org_id: str) -> str | None:
    for table, owner in _tables():
        bounds = [(column, span) for column in table.columns if (span := _span(column)) is not None]
        wrong = [(not_(column.between(*span)), column.name) for column, span in bounds]
        if not wrong:
            continue
        mine, order = owner == org_id, table.primary_key.columns
        query = select(case(*wrong)).where(mine, or_(*[beyond for beyond, _ in wrong])).order_by(*order).limit(1)
        name = connection.execute(query).scalar()
        if name is not None:
            column = table.c[str(name)]
            cells = [cast(each, Text) for each in (*_key(table), column)]
            beyond = not_(column.between(*(_span(column) or ())))
            *key, value = connection.execute(select(*cells).where(mine, beyond).order_by(*order).limit(1)).one()
            return _sentence(
                connection,
                org_id,
                table,
                column,
                [str(each).encode() for each in key],
                "a day of the years 1 to 9999",
                repr(value),
            )
    return None


def _span(column: Column[object]) -> tuple[date, date] | None:
    if isinstance(column.type, Instant):
        return datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
    return (date.min, date.max) if isinstance(column.type, Date) else None


def undecodable(connection: Connection, org_id: str) -> str | None:
    """The first text of the organization that is no UTF-8, which nobody can read; None on PostgreSQL."""
    if connection.dialect.name != "sqlite":
        return None
    for table, owner in _tables():
        for column in table.columns:
            is_text = func.typeof(column) == "text"
            for body in _values(connection, table, column, owner == org_id, is_text):
                try:
                    body[-1].decode()
                except UnicodeDecodeError:
                    condition = and_(is_text, cast(column, LargeBinary) == body[-1])
                    return next(_sentences(connection, org_id, table, column, owner == org_id, condition, "UTF-8"))
    return None


def _tables() -> Iterator[tuple[Table, ColumnElement[str]]]:
    for table in metadata.sorted_tables:
        owner = table.c.get("id" if table.name == "organizations" else "org_id")
        if owner is not None:
            yield table, owner


def _form(column: Column[object]) -> str:
    name, kind = f"{column.table.name}.{column.name}", _kind(column)
    if isinstance(column.type, Boolean):
        fits = f"typeof({name}) = 'integer' AND {name} IN (0, 1)"
    elif isinstance(column.type, Date | Instant):
        form = _DAY if isinstance(column.type, Date) else _MOMENT
        fits = f"typeof({name}) = 'text' AND {name} GLOB '{form}'"
    else:
        fits = f"typeof({name}) = '{kind}'"
    return f"({name} IS NULL OR {fits})" if column.nullable else f"({fits})"


def _kind(column: Column[object]) -> str:
    for of_type, kind in ((BigInteger, "integer"), (Float, "real"), (LargeBinary, "blob")):
        if isinstance(column.type, of_type):
            return kind
    return "text"


def _expectation(column: Column[object]) -> str:
    if isinstance(column.type, Boolean):
        return "0 or 1"
    if isinstance(column.type, Date):
        return "a day as YYYY-MM-DD"
    if isinstance(column.type, Instant):
        return "a moment as YYYY-MM-DDTHH:MM:SS.ffffffZ"
    return {"integer": "a whole number", "real": "a number", "blob": "bytes", "text": "a text"}[_kind(column)]


def _values(
    connection: Connection, table: Table, column: Column[object], *where: ColumnElement[bool] | TextClause
) -> Iterator[list[bytes]]:
    cells = [cast(one, LargeBinary) for one in (*_key(table), column)]
    query = select(*cells).where(*where).order_by(*table.primary_key.columns)
    with connection.execute(query.execution_options(yield_per=FEW_THOUSAND)) as rows:
        for row in rows:
            yield list(row)


def _key(table: Table) -> list[Column[object]]:
    own = table.info.get("primary") or [c.name for c in table.primary_key.columns if c.name != "org_id"]
    return [table.c[name] for name in own] if table.name != "organizations" else []


def _sentences(
    connection: Connection,
    org_id: str,
    table: Table,
    column: Column[object],
    mine: ColumnElement[bool],
    wrong: ColumnElement[bool] | TextClause,
    expected: str,
) -> Iterator[str]:
    for *key, value in _values(connection, table, column, mine, wrong):
        kind = connection.execute(
            select(func.typeof(column)).where(mine, wrong).order_by(*table.primary_key.columns)
        ).scalar()
        found = "nothing" if value is None else f"the {kind} {value[:_SHOWN].decode(errors='backslashreplace')!r}"
        yield _sentence(connection, org_id, table, column, key, expected, found)


def _sentence(
    connection: Connection,
    org_id: str,
    table: Table,
    column: Column[object],
    key: Sequence[bytes | None],
    expected: str,
    found: str,
) -> str:
    name = key_text([_number_or_text(one, each) for one, each in zip(_key(table), key, strict=True)]).decode()
    by = _last_write(connection, org_id, table, name)
    sentence = f"{table.name} {name} has in {column.name} what is none of it: expected {expected}, found {found}"
    return sentence if by is None else f"{sentence}; revision {by} wrote it last"


def _number_or_text(column: Column[object], value: bytes | None) -> object:
    text = (value or b"").decode(errors="backslashreplace")
    return int(text) if isinstance(column.type, BigInteger) and text.isdecimal() else text


def _last_write(connection: Connection, org_id: str, table: Table, key: str) -> int | None:
    """The newest revision of the change log that holds a row; None where none does, or it cannot be read."""
    if table.info["unlogged"] is not None:
        return None
    query = select(change_log.c.revision, change_log.c.body).where(change_log.c.org_id == org_id)
    start = b'["%s",%s,' % (table.name.encode(), key.encode())
    parts = connection.execute(query.order_by(change_log.c.revision.desc(), change_log.c.part.desc()))
    try:
        for revision, body in parts:
            if any(line.text is not None and line.text.startswith(start) for line in read_part(body)):
                return int(revision)
    except ValueError:  # the log has its own check
        return None
    return None
