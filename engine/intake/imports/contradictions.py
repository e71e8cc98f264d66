"""Rows that contradict themselves: an end before its beginning, an end of what goes on, an incident above itself.

A file may lack columns: what a row says is what its cells say, and for the others what is on record. What a record
says already may stay, so that somebody can change the rest of it.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime
from itertools import chain, islice
from typing import NamedTuple

from sqlalchemy import Connection, select

from engine.intake.imports.checks import CHUNK, CheckResult
from engine.intake.imports.files.headers import ROW
from engine.intake.imports.problems import Problems
from engine.model.vocabulary import LIVE_INCIDENTS
from engine.store.schema import metadata
from engine.store.schema.services import incidents

ORDERED: Mapping[str, tuple[tuple[str, str], ...]] = {
    "absences": (("starts_on", "ends_on"),),
    "approvals": (("requested_at", "decided_at"), ("requested_at", "spent_at")),
    "audit_windows": (("starts_on", "ends_on"), ("fieldwork_from", "fieldwork_until")),
    "bundles": (("window_start_on", "window_end_on"),),
    "deploys": (("deployed_at", "rolled_back_at"),),
    "evidence_requests": tuple(("opened_on", last) for last in ("submitted_on", "accepted_on", "closed_on")),
    "findings": (("first_seen_at", "last_seen_at"), ("first_seen_at", "fixed_at")),
    "incidents": tuple(("opened_at", last) for last in ("acknowledged_at", "mitigated_at", "resolved_at", "closed_at")),
    "legal_holds": (("placed_at", "released_at"),),
    "maintenance_windows": (("starts_at", "ends_at"),),
    "on_call_shifts": (("starts_at", "ends_at"),),
    "plays": (("started_on", "closed_on"),),
    "poam_items": (("detected_on", "closed_on"),),
    "remediations": (("opened_on", "closed_on"),),
    "risks": (("loss_low", "loss_high"), ("identified_on", "reviewed_on"), ("identified_on", "accepted_on")),
    "staffing_actions": (("proposed_on", "tracked_on"), ("proposed_on", "completed_on")),
    "test_runs": (("window_open_on", "window_close_on"),),
    "testing_schedules": (("starts_on", "ends_on"),),
    "vendor_documents": (("period_start_on", "period_end_on"), ("issued_on", "expires_on")),
    "vendors": (("onboarded_on", "offboarded_on"),),
}
"""Pairs of columns by table of which the first is never above the second. What was due before it was opened is late."""
_APART = frozenset({"maintenance_windows", "on_call_shifts"})
"""Tables whose pairs are not equal either: a span without a length covers nothing."""
GOING_ON: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "approvals": (("pending",), ("decided_at", "spent_at")),
    "evidence_requests": (("open", "in_progress", "waiting_on_requester", "submitted"), ("closed_on",)),
    "findings": (("open",), ("fixed_at",)),
    "incident_actions": (("open",), ("closed_on",)),
    "incidents": (LIVE_INCIDENTS, ("resolved_at", "closed_at")),
    "plays": (("proposed", "active"), ("closed_on",)),
    "poam_items": (("open",), ("closed_on",)),
    "remediations": (("open", "in_progress", "blocked"), ("closed_on",)),
    "staffing_actions": (("proposed", "tracked", "open"), ("completed_on",)),
}
"""By table the states in which nothing has ended, and the columns that then are empty."""
_Row = Mapping[str, object]


class _Wrong(NamedTuple):
    """What is wrong at ``column``; what to say at ``other`` where the file has not that column."""

    column: str
    expected: str
    found: object
    other: str
    other_expected: str
    other_found: object


def check_contradictions(connection: Connection, org_id: str, checked: CheckResult, problems: Problems) -> None:
    """A bad cell for each contradiction that a row brings."""
    name = checked.table.name
    columns = _columns(name)
    given = sorted(columns & set(checked.columns))
    if not given or "id" not in checked.columns:
        return
    defaults = {column: checked.table.fields[column].default for column in columns}
    for rows in checked.spool:
        whole = rows.drop_nulls("id").select(ROW, "id", *given)
        stored = _rows_on_record(connection, org_id, name, columns, whole["id"].to_list())
        for cells in whole.iter_rows(named=True):
            before = stored.get(cells["id"], {})
            row = {**defaults, **before, **{column: cells[column] for column in given}}
            ends = _ends_of_live(name, row, before) if "status" in given else ()  # else an end may come by itself
            for wrong in chain(_backwards(name, row, before), ends):
                if wrong.column in given:
                    problems.add(checked.file, cells[ROW], wrong.column, wrong.expected, wrong.found)
                else:
                    problems.add(checked.file, cells[ROW], wrong.other, wrong.other_expected, wrong.other_found)
    if name == "incidents" and "parent_id" in checked.columns:
        _check_parents(connection, org_id, checked, problems)


def _columns(table: str) -> set[str]:
    return {*chain(*ORDERED.get(table, ())), *(("status", *GOING_ON[table][1]) if table in GOING_ON else ())}


def _rows_on_record(
    connection: Connection, org_id: str, name: str, columns: set[str], ids: list[str]
) -> dict[str, _Row]:
    table = metadata.tables[name]
    query = select(table.c.id, *(table.c[column] for column in sorted(columns))).where(table.c.org_id == org_id)
    found: dict[str, _Row] = {}
    rest = iter(ids)
    while part := list(islice(rest, CHUNK)):
        found |= {row["id"]: dict(row) for row in connection.execute(query.where(table.c.id.in_(part))).mappings()}
    return found


def _backwards(table: str, row: _Row, before: _Row) -> Iterator[_Wrong]:
    for first, last in ORDERED.get(table, ()):
        begins, ends = _value(row[first]), _value(row[last])
        if (begins, ends) == (_value(before.get(first)), _value(before.get(last))):
            continue
        if _is_after(begins, ends) or (table in _APART and begins is not None and begins == ends):
            start, end = _text(begins), _text(ends)
            if table in _APART:
                yield _Wrong(last, f"a moment after {first}, {start}", end, first, f"one before {last}, {end}", start)
            else:
                later, earlier = ("more", "less") if isinstance(begins, float) else ("later", "earlier")
                yield _Wrong(
                    *(last, f"{start}, which is {first}, or {later}", end),
                    *(first, f"{end}, which is {last}, or {earlier}", start),
                )


def _is_after(one: object, other: object) -> bool:
    if isinstance(one, datetime) and isinstance(other, datetime):
        return one > other
    if isinstance(one, date) and isinstance(other, date):
        return one > other
    return isinstance(one, float) and isinstance(other, float) and one > other


def _ends_of_live(table: str, row: _Row, before: _Row) -> Iterator[_Wrong]:
    live, ends = GOING_ON.get(table, ((), ()))
    status = row.get("status")
    for column in ends if status in live else ():
        end = _value(row[column])
        if end is not None and (status, end) != (before.get("status"), _value(before.get(column))):
            text = _text(end)
            yield _Wrong(
                *(column, f"nothing while status is {status}", text),
                *("status", f"what has ended, as {column} is {text}", status),
            )


def _check_parents(connection: Connection, org_id: str, checked: CheckResult, problems: Problems) -> None:
    """A bad cell for each incident that is newly put under one that is not there, or that is below it.

    A closed one may name one that is not there: retention takes the first of a family before the others.
    """
    query = select(incidents.c.id, incidents.c.parent_id, incidents.c.status).where(incidents.c.org_id == org_id)
    stored, states = {}, {}
    for name, parent, status in connection.execute(query):
        stored[name], states[name] = parent, status
    rows = [row for frame in checked.spool for row in frame.drop_nulls("id").select("id", "parent_id", ROW).iter_rows()]
    if "status" in checked.columns:
        states |= dict(
            row for frame in checked.spool for row in frame.drop_nulls("id").select("id", "status").iter_rows()
        )
    parents = stored | {name: parent for name, parent, _ in rows}
    for name, parent, row in rows:
        if parent is None or stored.get(name) == parent:
            continue
        if parent not in parents:
            if states.get(name) == "closed":
                continue
            problems.add(checked.file, row, "parent_id", "the id of a row of incidents", parent)
            continue
        way = [name]
        above: str | None = parent
        while above is not None and above not in way:
            way.append(above)
            above = parents.get(above)
        if above == name:
            wanted = f"an incident that is not {name} and not below it"
            problems.add(checked.file, row, "parent_id", wanted, " under ".join([*way, name]))


def _value(value: object) -> object:
    """A value of a cell or of the store as the same type."""
    if isinstance(value, datetime):
        return value.replace(tzinfo=value.tzinfo or UTC).astimezone(UTC)
    return float(value) if isinstance(value, int) else value


def _text(value: object) -> str:
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M:%S} UTC"
    return f"{value:g}" if isinstance(value, float) else str(value)
