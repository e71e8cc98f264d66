"""Versions of rows go from the change log: those of rows that retention removed, and those that name an erased person.

Their leaves stay, so that the roots that the chain commits to still hold. The write that erases them must log which.
"""

from collections.abc import Callable, Collection, Iterator, Mapping

from sqlalchemy import Connection, Row, select, update

from engine.store.log.log_lines import Erasure, LoggedRow, LogLine, line_instead, pack, read_json, read_part
from engine.store.schema.audit import change_log

PAGE = 500  # parts that are read at a time


def erase_versions(
    connection: Connection, org_id: str, gone: Mapping[str, Collection[tuple[object, ...]]], *, before: int
) -> list[Erasure]:
    """Leave of each version of these rows, by table, that was written before revision ``before`` its leaf."""
    starts = tuple(f'["{table}",'.encode() for table in gone)

    def bare(line: LogLine) -> LogLine:
        text = line.text
        going = text is not None and text.startswith(starts) and _is_of(read_json(text), gone)
        return LogLine(line.leaf.hex().encode(), line.leaf, None) if going else line

    return _erase(connection, org_id, bare, before)


def rewrite_versions(
    connection: Connection, org_id: str, rewritten: Callable[[bytes], LoggedRow | None], *, before: int
) -> list[Erasure]:
    """Have each version for which ``rewritten`` has another, and that was written before ``before``, read as that."""

    def erase_line(line: LogLine) -> LogLine:
        row = None if line.text is None else rewritten(line.text)
        return line if row is None else line_instead(line, row)

    return _erase(connection, org_id, erase_line, before)


def _erase(connection: Connection, org_id: str, change: Callable[[LogLine], LogLine], before: int) -> list[Erasure]:
    erased = []
    for revision, part, body in _parts(connection, org_id, before):
        lines = list(read_part(body))
        changed = [change(line) for line in lines]
        places = [place for place, line in enumerate(changed) if line is not lines[place]]
        if places:
            mine = (change_log.c.org_id == org_id, change_log.c.revision == revision, change_log.c.part == part)
            connection.execute(update(change_log).where(*mine).values(body=pack(line.stored for line in changed)))
            instead = [leaf.hex() for place in places if (leaf := changed[place].instead) is not None]
            erased.append(Erasure(revision, part, places, instead))
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
