"""One page of a table: filtered, sorted, counted by state and owner, all in the database."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from sqlalchemy import Column, ColumnElement, Connection, Table, and_, case, false, func, or_, select, true, tuple_

from engine.desk.queries.words import ListWords, one_of, shows
from engine.model.rights import DUTIES, NO_DUTY
from engine.store.schema import IMPORTABLE

PAGE_ROWS = 50
MOST_OWNERS = 200
EMPTY = "-"  # in place of a state or an owner: none


@dataclass(frozen=True)
class ListQuery:
    """What to see of a table. ``due``: late, week, month or nothing; ``sort``: a column, or ``-column``."""

    text: str = ""
    state: str = ""
    owner: str = ""
    due: str = ""
    sort: str = ""
    page: int = 1


@dataclass(frozen=True)
class ListPage:
    """``rows`` of the page; ``matching`` with all filters, ``all_rows`` without any; counts with every other filter."""

    rows: Sequence[Mapping[str, object]]
    matching: int
    all_rows: int
    states: Sequence[tuple[str | None, int]]
    owners: Sequence[tuple[str | None, int]]
    late: int

    @property
    def pages(self) -> int:
        """How many pages there are, at least one."""
        return max(1, -(-self.matching // PAGE_ROWS))


def list_page(
    connection: Connection,
    name: str,
    org_id: str,
    query: ListQuery,
    *,
    today: date,
    texts: Sequence[str],
    words: ListWords,
    late: Collection[str] | None = None,
) -> ListPage:
    """A page of an importable table; ``texts`` are the columns that words are looked for in, and ``words``
    what they show.

    ``late`` are the keys of what a report calls late; without one, what is still to do on a day that is over.
    """
    table, duty = IMPORTABLE[name], DUTIES.get(name, NO_DUTY)
    is_late = _is_late(table, name, today, late) if duty.due else false()
    mine = _mine(table, org_id)
    parts: dict[str, ColumnElement[bool]] = {}
    if query.text:
        parts["text"] = shows(connection, table, mine, texts, query.text, words)
    state = table.c[duty.state] if duty.state else None
    if query.state and state is not None:
        parts["state"] = state.is_(None) if query.state == EMPTY else state == query.state
    owner = table.c[duty.owners[0]] if duty.owners else None
    if query.owner and owner is not None:
        columns = [table.c[column] for column in duty.owners]
        parts["owner"] = (
            owner.is_(None) if query.owner == EMPTY else or_(*(column == query.owner for column in columns))
        )
    if query.due and duty.due:
        parts["due"] = is_late if query.due == "late" else _within(table, name, query.due, today)
    every = [mine, *parts.values()]
    order = _order(table, query.sort) if query.sort else _by_need(table, name, is_late)
    others = [mine, *(part for what, part in parts.items() if what != "due")]
    return ListPage(
        rows=_rows(connection, table, every, order, query.page),
        matching=_count(connection, table, every),
        all_rows=_count(connection, table, [mine]),
        states=_groups(connection, state, [mine, *(part for what, part in parts.items() if what != "state")]),
        owners=_groups(connection, owner, [mine, *(part for what, part in parts.items() if what != "owner")]),
        late=_count(connection, table, [*others, is_late]) if duty.due else 0,
    )


def _rows(
    connection: Connection,
    table: Table,
    where: Sequence[ColumnElement[bool]],
    order: Sequence[ColumnElement[object]],
    page: int,
) -> list[dict[str, object]]:
    """The rows of a page: their keys first, so that what is sorted is narrow."""
    keys = _keys(table)
    query = select(*keys).where(*where).order_by(*order).limit(PAGE_ROWS).offset((page - 1) * PAGE_ROWS)
    places = {tuple(key): place for place, key in enumerate(connection.execute(query))}
    if not places:
        return []
    owner = where[0]
    rows = connection.execute(select(table).where(owner, tuple_(*keys).in_(list(places)))).mappings()
    return sorted((dict(row) for row in rows), key=lambda row: places[tuple(row[key.name] for key in keys)])


def live(name: str) -> list[ColumnElement[bool]]:
    """The conditions under which a row of the table is still to do."""
    table, duty = IMPORTABLE[name], DUTIES.get(name, NO_DUTY)
    conditions: list[ColumnElement[bool]] = [table.c[column].is_(None) for column in duty.unless]
    if duty.state and duty.live:
        state = table.c[duty.state]
        words = [word for word in duty.live if word is not None]
        conditions.append(or_(state.in_(words), state.is_(None)) if None in duty.live else state.in_(words))
    return conditions


def counts(connection: Connection, org_id: str) -> dict[str, int]:
    """How many rows the organization has in each importable table."""
    return {name: _count(connection, table, [_mine(table, org_id)]) for name, table in IMPORTABLE.items()}


def _within(table: Table, name: str, due: str, today: date) -> ColumnElement[bool]:
    column = table.c[str(DUTIES[name].due)]
    days = 7 if due == "week" else 30
    return and_(column >= today, column < today + timedelta(days=days), *live(name))


def _is_late(table: Table, name: str, today: date, late: Collection[str] | None) -> ColumnElement[bool]:
    if late is None:
        return and_(table.c[str(DUTIES[name].due)] < today, *live(name))
    return has_key(name, late)


def has_key(name: str, keys: Collection[str]) -> ColumnElement[bool]:
    """Whether a row is one of many that are named."""
    return one_of(key_column(name), keys)


def key_column(name: str) -> Column[str]:
    """What names a row of a table by itself."""
    (column,) = IMPORTABLE[name].info["primary"]
    found: Column[str] = IMPORTABLE[name].c[column]
    return found


def _mine(table: Table, org_id: str) -> ColumnElement[bool]:
    owner: Column[str] = table.c.id if table.name == "organizations" else table.c.org_id
    return owner == org_id


def _keys(table: Table) -> list[Column[object]]:
    return [table.c[name] for name in table.info["primary"]] or [table.c.id]


def _order(table: Table, sort: str) -> list[ColumnElement[Any]]:
    """By a column; words of the vocabulary in the order in which it has them, the worst or the first first."""
    column = table.c[sort.removeprefix("-")]
    choices = column.info.get("choices")
    by = case({word: place for place, word in enumerate(choices)}, value=column) if choices else column
    return [column.is_(None), by.desc() if sort.startswith("-") else by.asc(), *_keys(table)]


def _by_need(table: Table, name: str, is_late: ColumnElement[bool]) -> list[ColumnElement[Any]]:
    """What is still to do comes first, what is late before it; what is done after it, the newest first."""
    if name == "audit_log":
        return [table.c.seq.desc()]
    conditions, due = live(name), DUTIES.get(name, NO_DUTY).due
    is_live = and_(true(), *conditions)
    order: list[ColumnElement[Any]] = [case((is_live, 0), else_=1).asc()] if conditions else []
    if due is not None:
        column = table.c[due]
        order += [case((is_late, 0), else_=1).asc()]
        order += [column.is_(None).asc(), case((is_live, column)).asc(), column.desc()]
    return [*order, *_keys(table)]


def _count(connection: Connection, table: Table, where: Sequence[ColumnElement[bool]]) -> int:
    return connection.execute(select(func.count()).select_from(table).where(*where)).scalar_one()


def _groups(
    connection: Connection, column: ColumnElement[str] | None, where: Sequence[ColumnElement[bool]]
) -> list[tuple[str | None, int]]:
    """The values of a column, the most frequent first, at most ``MOST_OWNERS``."""
    if column is None:
        return []
    many = func.count().label("many")
    query = select(column, many).where(*where).group_by(column).order_by(many.desc(), column).limit(MOST_OWNERS)
    return [(value, number) for value, number in connection.execute(query)]
