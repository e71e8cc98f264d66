"""Versions of rows that retention removed go from the change log, too.

Their leaves stay, so that the roots that the chain commits to still hold. The write that erases them must log which.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from sqlalchemy import Connection, Row, select, update

from engine.store.row_log import LoggedRow, pack, read_json, read_part
from engine.store.schema.audit import change_log

PAGE = 500  # parts that are read at a time


class Erasure(NamedTuple):
    """Lines of a part of the log, by their places in it, that are erased."""

    revision: int
    part: int
    places: list[int]


def erase_versions(
    connection: Connection, org_id: str, gone: Mapping[str, Collection[tuple[object, ...]]], *, before: int
) -> list[Erasure]:
    """Leave of each version of these rows, by table, that was written before revision ``before`` its leaf."""
    erased = []
    starts = tuple(f'["{table}",'.encode() for table in gone)
    for revision, part, body in _parts(connection, org_id, before):
        lines, places = [], []
        for place, line in enumerate(read_part(body)):
            text = line.text
            going = text is not None and text.startswith(starts) and _is_of(read_json(text), gone)
            lines.append(line.leaf.hex().encode() if going else line.stored)
            places += [place] * going
        if places:
            mine = (change_log.c.org_id == org_id, change_log.c.revision == revision, change_log.c.part == part)
            connection.execute(update(change_log).where(*mine).values(body=pack(lines)))
            erased.append(Erasure(revision, part, places))
    return erased


def _is_of(row: LoggedRow, gone: Mapping[str, Collection[tuple[object, ...]]]) -> bool:
    return row.key in gone[row.table]


def _parts(connection: Connection, org_id: str, before: int) -> Iterator[Row[int, int, bytes]]:
    query = select(change_log.c.revision, change_log.c.part, change_log.c.body).where(
        change_log.c.org_id == org_id, change_log.c.revision < before
    )
    query = query.order_by(change_log.c.revision, change_log.c.part).limit(PAGE)
    after = (-1, -1)
    while True:
        later = (change_log.c.revision > after[0]) | (
            (change_log.c.revision == after[0]) & (change_log.c.part > after[1])
        )
        page = connection.execute(query.where(later)).all()
        yield from page
        if len(page) < PAGE:
            return
        after = (page[-1].revision, page[-1].part)
