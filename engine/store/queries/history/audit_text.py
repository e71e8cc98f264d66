"""Audit events joined to texts by the database itself, for those who want all of them: an event never is an object."""

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import ColumnElement, Text, and_, bindparam, case, func, literal, or_, select, type_coerce

from engine.store.queries.history.audit import COLUMNS, AuditEntry, entries
from engine.store.rows import TableQuery
from engine.store.schema.audit import audit_log
from engine.store.store import Store

PAGE = 2_000
_TIMES = ("occurred_at", "recorded_at")
_FIXED = ("seq", "revision", "hash")
_INSTEAD = "\x1a"  # ASCII's SUBSTITUTE, for what cannot be joined as it stands
_ISO = 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'


class JoinedEvents(NamedTuple):
    """A page of events as one text: ``COLUMNS`` joined by commas, CR LF after each event, nothing for null.

    Details with a quote or a comma stand in quotes; ``commas`` and ``quotes`` are how many there are in those. Other
    values are there as they are. SUBSTITUTE stands for empty text, and for what only ``cells`` has.
    """

    text: str
    rows: int
    commas: int
    quotes: int
    store: Store
    org_id: str
    after: int
    last: int
    condition: ColumnElement[bool]

    def cells(self) -> list[AuditEntry]:
        """The same events value by value."""
        return entries(self.store, self.org_id, self.after, self.last, self.condition)


def own_events(store: Store, org_id: str, actor: str, since: datetime | None) -> Iterator[JoinedEvents]:
    """What a person did in the organization, in chain order."""
    return _pages(store, org_id, since, audit_log.c.actor == actor)


def chat_deliveries(store: Store, org_id: str, since: datetime | None) -> Iterator[JoinedEvents]:
    """Deliveries over the chat service: events on a ``delivery`` whose details name the channel ``chat``."""
    chat = _text("details").contains('"channel":"chat"')
    return _pages(store, org_id, since, and_(audit_log.c.object_type == "delivery", chat))


def _pages(store: Store, org_id: str, since: datetime | None, condition: ColumnElement[bool]) -> Iterator[JoinedEvents]:
    """Each page is a transaction of its own, up to the head that stood at the first, which always comes."""
    head = store.head(org_id)
    after, last = 0, head.seq if head else 0
    if since is not None:
        condition = and_(condition, audit_log.c.occurred_at >= since)
    query = _query(store.dialect, org_id, condition)
    while True:
        with store.reader() as connection:
            row = connection.execute(query, {"after": after, "last": last}).one()
            if store.dialect == "sqlite":
                connection.exec_driver_sql("PRAGMA shrink_memory")  # its cache would grow to all that it may hold
        if row.rows or not after:
            counts = row.rows, row.commas or 0, row.quotes or 0
            yield JoinedEvents(row.text or "", *counts, store, org_id, after, row.end or 0, condition)
        if row.rows < PAGE:
            return
        after = row.end


def _query(dialect: str, org_id: str, condition: ColumnElement[bool]) -> TableQuery:
    lite = dialect == "sqlite"
    details = _text("details")
    within = case((_is_quoted(details, lite), 1), else_=0)
    line = (func.printf if lite else func.format)(
        literal(",".join(["%s"] * len(COLUMNS)) + "\r\n"), *(_value(name, lite, org_id) for name in COLUMNS)
    )
    page = (
        select(
            audit_log.c.seq,
            type_coerce(line, Text).label("line"),
            (within * _count(details, ",")).label("commas"),
            (within * (2 + 2 * _count(details, '"'))).label("quotes"),
        )
        .where(audit_log.c.org_id == org_id, audit_log.c.seq.between(bindparam("after") + 1, bindparam("last")))
        .where(condition)
        .order_by(audit_log.c.seq)
        .limit(PAGE)
        .subquery()
    )
    joined = (func.group_concat if lite else func.string_agg)(page.c.line, literal(""))
    sums = func.sum(page.c.commas).label("commas"), func.sum(page.c.quotes).label("quotes")
    return select(joined.label("text"), func.count().label("rows"), func.max(page.c.seq).label("end"), *sums)


def _value(name: str, lite: bool, org_id: str) -> ColumnElement[str]:
    if name == "previous_hash":
        before = audit_log.alias("before")
        there = before.c.org_id == org_id, before.c.seq == audit_log.c.seq - 1
        return func.coalesce(select(before.c.hash).where(*there).scalar_subquery(), _INSTEAD)
    if name in _FIXED or (lite and name in _TIMES):
        return _text(name)
    if name in _TIMES:
        return func.to_char(func.timezone("UTC", audit_log.c[name]), _ISO)
    text = _text(name)
    conditions: list[ColumnElement[bool]] = [text == ""]
    if lite:  # a text ends there for the function that joins
        conditions.append(_has(text, func.char(0), lite))
    values: list[tuple[ColumnElement[bool], ColumnElement[str]]] = [(or_(*conditions), literal(_INSTEAD))]
    if name == "details":
        spelled = '"' + func.replace(text, '"', '""', type_=Text) + '"'
        values.append((_is_quoted(text, lite), spelled))
    return case(*values, else_=text)


def _is_quoted(text: ColumnElement[str], lite: bool) -> ColumnElement[bool]:
    return or_(_has(text, literal('"'), lite), _has(text, literal(","), lite))


def _has(text: ColumnElement[str], what: ColumnElement[str], lite: bool) -> ColumnElement[bool]:
    condition: ColumnElement[int] = func.instr(text, what) if lite else func.strpos(text, what)
    return condition > 0


def _count(text: ColumnElement[str], of: str) -> ColumnElement[int]:
    return func.coalesce(func.length(text) - func.length(func.replace(text, of, "")), 0)


def _text(name: str) -> ColumnElement[str]:
    return type_coerce(audit_log.c[name], Text)
