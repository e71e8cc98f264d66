"""A SQLite store copied into an empty PostgreSQL database: all of it, checked, in one transaction, or nothing."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple, TypeAlias

from sqlalchemy import Connection, func, inspect, select
from sqlalchemy.engine import make_url

from engine.model.documents.document import Position
from engine.model.errors import Conflict, Problem, Unavailable, Usage
from engine.store.chain.chain_segments import chain_check, chain_span, check_segment
from engine.store.copy.table_copy import (
    Row,
    TableLayout,
    read_table,
    rows_in,
    store_snapshot,
    table_shapes,
    write_table,
)
from engine.store.database.database import is_read_only, open_engines
from engine.store.database.faults import store_faults
from engine.store.database.migrations import upgrade
from engine.store.database.store_epoch import current
from engine.store.log.row_check import check_rows
from engine.store.schema import metadata
from engine.store.schema.organizations import heads

Counting: TypeAlias = Callable[[str, int, int], None]
"""Called with what is done, how much of it, of how much."""


class StoreCopy(NamedTuple):
    """What was copied: rows by table, and where the chain of each organization stands."""

    rows: Mapping[str, int]
    heads: Mapping[str, Position]


def copy_store(source: str, target: str, progress: Counting = lambda what, done, total: None) -> StoreCopy:
    """Copy the store at ``source`` into the database at ``target``, and check the copy before it counts.

    Nobody writes to the source meanwhile: who tries is told that the store is busy. Usage where the one is not SQLite
    or the other not PostgreSQL; Conflict for a target that is not empty; Unavailable for one that does not answer;
    Problem for a copy that is not what was copied. Then the target is as it was.
    """
    if make_url(source).get_backend_name() != "sqlite":
        raise Usage("The store is in PostgreSQL already; a SQLite store is what can be moved.")
    try:
        reader, writer = open_engines(target)
    except Usage as error:
        raise Usage(error.message.replace("SVC_DATABASE_URL", "--to")) from error
    try:
        if writer.dialect.name != "postgresql":
            raise Usage("--to must name a PostgreSQL database: postgresql+psycopg://user@host/name.")
        if not writer.url.database and not {"dbname", "service"} & writer.url.query.keys():
            raise Usage("--to must name a database, as in postgresql+psycopg://user@host/name; got none.")
        with _unwritten(source), store_snapshot(source) as connection, _named_faults(target), writer.begin() as into:
            _must_be_empty(into)
            upgrade(into, "head")
            return _copy(connection, into, progress)
    finally:
        reader.dispose()
        writer.dispose()


@contextmanager
def _unwritten(url: str) -> Iterator[None]:
    """In the block nobody writes to the store; of one that nobody can write, that holds anyhow."""
    if is_read_only(url):
        yield
        return
    reader, writer = open_engines(url)
    reader.dispose()
    try:
        with store_faults(url), writer.begin():
            yield
    finally:
        writer.dispose()


@contextmanager
def _named_faults(url: str) -> Iterator[None]:
    try:
        with store_faults(url):
            yield
    except Unavailable as error:
        render_as_string = make_url(url).render_as_string()
        raise Unavailable(
            f"{render_as_string}: {error.message.replace('SVC_DATABASE_URL', '--to')}", word=error.word
        ) from error


def _must_be_empty(into: Connection) -> None:
    table = rows_in(into)
    if table is not None:
        raise Conflict(f"The target is not empty: {table} has rows. Name an empty database.", word="target_not_empty")
    strange = sorted(set(inspect(into).get_table_names()) - set(metadata.tables) - {"alembic_version"})
    if strange or (current(into) is None and inspect(into).get_table_names()):
        named = strange[0] if strange else inspect(into).get_table_names()[0]
        raise Conflict(
            f"The target holds a table {named} of something else. Name an empty database.", word="target_not_empty"
        )


def _copy(connection: Connection, into: Connection, progress: Counting) -> StoreCopy:
    rows = {}
    for shape in table_shapes():
        total = _count(connection, shape)
        rows[shape.name] = write_table(into, shape, _count_along(shape, read_table(connection, shape), total, progress))
        there = _count(into, shape)
        if not rows[shape.name] == total == there:
            raise Problem(
                f"{shape.name} has {total} rows, {rows[shape.name]} were copied, and {there} came; nothing was."
            )
    stand = _heads(connection)
    if _heads(into) != stand:
        raise Problem("The heads of the copy are not those of the store; nothing was copied.")
    for number, org_id in enumerate(stand):
        progress("organizations checked", number, len(stand))
        _must_hold(into, org_id)
    progress("organizations checked", len(stand), len(stand))
    return StoreCopy(rows, stand)


def _count_along(
    shape: TableLayout, batches: Iterator[list[Row]], total: int, progress: Counting
) -> Iterator[Sequence[Row]]:
    done = 0
    for batch in batches:
        yield batch
        done += len(batch)
        progress(shape.name, done, total)


def _count(connection: Connection, shape: TableLayout) -> int:
    return int(connection.execute(select(func.count()).select_from(metadata.tables[shape.name])).scalar_one())


def _heads(connection: Connection) -> dict[str, Position]:
    query = select(heads.c.org_id, heads.c.last_seq, heads.c.hash)
    return {org_id: Position(seq, digest) for org_id, seq, digest in sorted(map(tuple, connection.execute(query)))}


def _must_hold(connection: Connection, org_id: str) -> None:
    span = chain_span(connection, org_id)
    segments = enumerate(span.segments())
    checks = (check_segment(connection, org_id, *ends, None if n else span.start[1]) for n, ends in segments)
    problem = chain_check(org_id, span, checks).problem or check_rows(connection, org_id).problem
    if problem is not None:
        raise Problem(f"{org_id} does not hold: {problem}. Run `hq verify --org {org_id}`; nothing was copied.")
