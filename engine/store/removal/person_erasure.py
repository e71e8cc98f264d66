"""Erase a person from current and logged rows, in one revision.

Events keep who acted: they are the chain. What a legal hold names stays as it is.
"""

import zlib
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from sqlalchemy import ColumnElement, Connection, String, Table, Text, false, or_, select, type_coerce, update

from engine.model.records import IngestPayloadRow
from engine.model.records.pseudonyms import Pseudonym
from engine.store.log.log_lines import ERASED, LoggedRow, read_json
from engine.store.log.parts import PERSON_ERASED
from engine.store.removal.personal_tables import PERSONAL
from engine.store.removal.retention import active_holds, start_replicas_over
from engine.store.removal.row_erasure import rewrite_versions
from engine.store.rows import select_first
from engine.store.schema import LOGGED, metadata
from engine.store.schema.audit import audit_log, change_log, signed_heads, table_heads
from engine.store.schema.ingest import ingest_payloads
from engine.store.schema.organizations import heads, organizations
from engine.store.schema.outputs import deliveries
from engine.store.types import Json
from engine.store.writing.revisions import Revision
from engine.store.writing.statements import Values

_CHAIN = (audit_log, change_log, heads, signed_heads, table_heads)
_LEDGER = ("kind", "period", "channel")


@dataclass
class ErasedRows:
    """What an erasure changed: rows by table, earlier versions of rows; and rows by table that a legal hold keeps."""

    rows: Counter[str] = field(default_factory=Counter)
    held: Counter[str] = field(default_factory=Counter)
    versions: int = 0

    @property
    def is_empty(self) -> bool:
        """Whether the person was in no row."""
        return not self.rows and not self.versions


def erase_person(revision: Revision, person: Pseudonym, files: int = 0) -> ErasedRows:
    """Put the pseudonym in place of the person; ``person.erased`` says how much it was, and nothing of who.

    ``files``: of how many items the revision erased the bytes before.
    """
    done = ErasedRows(Counter({"evidence_files": files} if files else {}))
    held = _HeldRows(revision)
    owned: dict[str, set[object]] = {}
    for table in _tables():
        for row in _candidates(revision.records, revision.org_id, table, person, owned):
            _erase_row(revision, table, row, person, owned, held, done)
    _erase_bodies(revision, person, done)
    rewriting = _Versions(person, owned, held)
    for erasure in rewrite_versions(revision.side_tables, revision.org_id, rewriting.rewritten, before=revision.seq):
        revision.log_erasure(erasure)
        done.versions += len(erasure.places)
    if not done.is_empty:
        start_replicas_over(revision)
        details = {"rows": dict(sorted(done.rows.items())), "versions": done.versions}
        revision.record(PERSON_ERASED, object_type="person", object_id=person.said, details=details)
    return done


def events_naming(connection: Connection, org_id: str, person: Pseudonym) -> int:
    """How many audit events name the person: they stay until their retention."""
    columns = [audit_log.c[name] for name in _texts(audit_log)]
    query = select(*columns).where(audit_log.c.org_id == org_id, _mentions(audit_log, person))
    rows = connection.execute(query.execution_options(yield_per=5000)).mappings()
    return sum(bool(_without(audit_log, dict(event), person, {})[0]) for event in rows)


# -- the tables --------------------------------------------------------------------------------------------------------


@cache
def _tables() -> tuple[Table, ...]:
    there = [table for table in metadata.tables.values() if "org_id" in table.c and table not in _CHAIN]
    first = [metadata.tables[name] for name in PERSONAL]
    return (*first, *(table for table in there if table not in first), organizations)


@cache
def _texts(table: Table) -> Mapping[str, bool]:
    kinds = (String, Text, Json)
    return {
        column.name: bool(column.info.get("person"))
        for column in table.columns
        if isinstance(column.type, kinds) and "choices" not in column.info and column.name != "org_id"
    }


def _mentions(table: Table, person: Pseudonym) -> ColumnElement[bool]:
    conditions: list[ColumnElement[bool]] = []
    for name, names_people in _texts(table).items():
        column = type_coerce(table.c[name], Text)
        for parts in (*person.needles, *(person.words if names_people else ())):
            conditions.append(column.ilike("%".join(["", *parts, ""])))
    return or_(false(), *conditions)


def _candidates(
    connection: Connection, org_id: str, table: Table, person: Pseudonym, owned: Mapping[str, Collection[object]]
) -> list[dict[str, object]]:
    owner = table.c.id if table is organizations else table.c.org_id
    wanted = _mentions(table, person)
    mine = _owners(table, owned)
    if mine:
        wanted = or_(wanted, table.c[PERSONAL[table.name].column].in_(sorted(map(str, mine))))
    columns = [column for column in table.columns if column is not ingest_payloads.c.body]
    return [dict(row) for row in connection.execute(select(*columns).where(owner == org_id, wanted)).mappings()]


def _owners(table: Table, owned: Mapping[str, Collection[object]]) -> set[object]:
    personal = PERSONAL.get(table.name)
    return set() if personal is None else {one for name in personal.of for one in owned.get(name, ())}


def _without(
    table: Table, row: Mapping[str, object], person: Pseudonym, owned: Mapping[str, Collection[object]]
) -> tuple[dict[str, object], bool]:
    """The values of a row, or of a version of it, that change; and whether it is about the person."""
    changed: dict[str, object] = {}
    for name, names_people in _texts(table).items():
        old = row.get(name)
        if old is None:
            continue
        new = person.in_people(old) if names_people and isinstance(old, str) else person.in_value(old)
        if new != old:
            changed[name] = new
    personal = PERSONAL.get(table.name)
    if personal is None:
        return changed, False
    whose = row.get(personal.column)
    about = whose in _owners(table, owned) if personal.of else person.is_person(whose)
    for name in personal.cleared if about else ():
        if row.get(name) is not None:
            changed[name] = None if table.c[name].nullable else person.said
    return changed, about


def _erase_row(
    revision: Revision,
    table: Table,
    row: dict[str, object],
    person: Pseudonym,
    owned: dict[str, set[object]],
    held: "_HeldRows",
    done: ErasedRows,
) -> None:
    changed, about = _without(table, row, person, owned)
    if about:
        owned.setdefault(table.name, set()).add(row.get("id"))
        for name, becomes in PERSONAL[table.name].ended.items():
            if row[name] in becomes:
                changed[name] = becomes[row[name]]
    if not changed:
        return
    if held.is_held(table, row):
        done.held[table.name] += 1
        return
    if table is deliveries and "recipient" in changed:
        changed["recipient"] = _free_recipient(revision, row, str(changed["recipient"]))
    key = {column.name: row[column.name] for column in table.primary_key if column.name != "org_id"}
    if "revision" not in table.c:
        mine = [table.c.org_id == revision.org_id, *(table.c[name] == value for name, value in key.items())]
        revision.side_tables.execute(update(table).where(*mine).values(changed))
    elif changed.keys() & key.keys():
        revision.replace(table, key, {**row, **changed})
    else:
        revision.update(table, key, changed)
    done.rows[table.name] += 1


def _free_recipient(revision: Revision, row: Values, text: str) -> str:
    """The ledger has each recipient once: two spellings of one person would be two."""
    same = [deliveries.c[name] == row[name] for name in _LEDGER]
    query = select(deliveries.c.id).where(deliveries.c.org_id == revision.org_id, *same, deliveries.c.recipient == text)
    return text if revision.records.execute(query).first() is None else f"{text}.{row['id']}"


def _erase_bodies(revision: Revision, person: Pseudonym, done: ErasedRows) -> None:
    mine = ingest_payloads.c.org_id == revision.org_id
    for identifier in revision.records.execute(select(ingest_payloads.c.id).where(mine)).scalars().all():
        one = select(ingest_payloads).where(mine, ingest_payloads.c.id == identifier)
        row: IngestPayloadRow | None = select_first(revision.records, ingest_payloads, one)
        if row is None:
            continue
        body = zlib.decompress(row["body"]).decode(errors="surrogateescape")
        without = person.in_text(body)
        if without != body:
            packed = zlib.compress(without.encode(errors="surrogateescape"))
            revision.side_tables.execute(
                update(ingest_payloads).where(mine, ingest_payloads.c.id == identifier).values(body=packed)
            )
            done.rows[ingest_payloads.name] += 1


# -- what a legal hold keeps -------------------------------------------------------------------------------------------


class _HeldRows:
    """Rows of incidents under a legal hold, and the holds themselves."""

    def __init__(self, revision: Revision) -> None:
        holds = active_holds(revision.connection, revision.org_id, revision.now)
        self._incidents = {hold.incident_id for hold in holds} - {None}
        self._holds = {hold.id for hold in holds}

    def is_held(self, table: Table, row: Mapping[str, object]) -> bool:
        """Whether a row, or a version of it, stays as it is."""
        if table.name == "legal_holds":
            return row.get("id") in self._holds
        return row.get("id" if table.name == "incidents" else "incident_id") in self._incidents


# -- the log -----------------------------------------------------------------------------------------------------------


class _Versions:
    def __init__(self, person: Pseudonym, owned: Mapping[str, Collection[object]], held: _HeldRows) -> None:
        self._person = person
        self._owned = owned
        self._held = held
        self._needles = (*person.needles, *person.words)
        belonging = (name for name in LOGGED if _owners(LOGGED[name], owned))
        self._starts = tuple(f'["{name}",'.encode() for name in belonging)

    def rewritten(self, text: bytes) -> LoggedRow | None:
        """The row of a line of the log without the person; None where it stays as it is."""
        if not text.startswith(self._starts) and not self._names_person(text):
            return None
        if text.startswith(b'["%s",' % ERASED.encode()):
            return None
        row = read_json(text)
        table = LOGGED[row.table]
        primary: Sequence[str] = table.info["primary"]
        whole = {**dict(zip(primary, row.key, strict=True)), **(row.values or {})}
        if self._held.is_held(table, whole):
            return None
        changed, _ = _without(table, whole, self._person, self._owned)
        if not changed:
            return None
        key = tuple(changed.get(name, value) for name, value in zip(primary, row.key, strict=True))
        values = None if row.values is None else dict(self._values(row.values, changed))
        return row._replace(key=key, values=values)

    def _values(self, before: Mapping[str, object], changed: Mapping[str, object]) -> Iterator[tuple[str, object]]:
        for name, value in before.items():
            yield name, changed.get(name, value)

    def _names_person(self, text: bytes) -> bool:
        lowered = text.decode().lower()
        return any(all(part in lowered for part in parts) for parts in self._needles)
