"""Whether every row is as the change log says: the tables are rebuilt from it and compared, in memory that stays flat.

What the log says of each row is held as a hash in a temporary database on disk, and so is what the tables say.
"""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from hashlib import sha256
from typing import NamedTuple, TypeAlias

import msgspec
from sqlalchemy import Connection, Table, func, select

from engine.model import merkle
from engine.store.batches import in_batches
from engine.store.cut_roots import NONE_CUT, cut_roots
from engine.store.part_check import wrong_part
from engine.store.row_log import Erasure, as_written_now, key_json, read_erased, read_json, read_part, row_json
from engine.store.rows import all_rows
from engine.store.schema import LOGGED
from engine.store.schema.audit import audit_log, chain_cuts, change_log

Counting: TypeAlias = Callable[[int, int], None]
"""Called with how many of how many revisions were read."""

BATCH = 2_000
_Erased: TypeAlias = tuple[int, int, int, str | None]
"""A line of which the leaf alone is left: revision, part, place, and the leaf of the line in its place."""
_key_text = msgspec.json.Encoder().encode


class RowDifference(NamedTuple):
    """The first row that is not as the log says. ``column`` None for a row that is missing or was added; ``revision``
    is the one that last wrote it, None where no revision did."""

    table: str
    key: str
    column: str | None
    revision: int | None
    problem: str


@dataclass(frozen=True)
class RowCheck:
    """What a check of an organization's rows found. ``problem`` is None when all of them are as logged."""

    org_id: str
    rows: int
    revisions: int
    problem: str | None
    difference: RowDifference | None = None

    @property
    def ok(self) -> bool:
        return self.problem is None


class _UnsoundLogError(Exception):
    """A part of the log is not what the chain committed to, or a table cannot be read at all."""


def check_rows(connection: Connection, org_id: str, progress: Counting = lambda done, total: None) -> RowCheck:
    """Rebuild the rows of an organization from the change log and compare them with those that are there.

    ``connection`` sees one state of the store for as long as that takes.
    """
    with closing(sqlite3.connect("")) as ledger:  # no name: SQLite puts it into a file where it grows
        ledger.execute("CREATE TABLE logged (name, key, revision, hash, PRIMARY KEY (name, key)) WITHOUT ROWID")
        ledger.execute("CREATE TABLE present (name, key, hash, PRIMARY KEY (name, key)) WITHOUT ROWID")
        for name in ("erased", "said"):
            columns = "revision, part, place, instead, PRIMARY KEY (revision, part, place)"
            ledger.execute(f"CREATE TABLE {name} ({columns}) WITHOUT ROWID")
        try:
            revisions = _read_log(connection, org_id, ledger, progress)
            _nothing_hidden(ledger)
            rows = sum(_read_table(connection, org_id, table, ledger) for table in LOGGED.values())
        except _UnsoundLogError as error:
            return RowCheck(org_id, 0, 0, str(error))
        found = _first_difference(connection, org_id, ledger)
        newest = dict(ledger.execute("SELECT name, max(revision) FROM logged GROUP BY name").fetchall())
    if found is None:
        return RowCheck(org_id, rows, revisions, wrong_part(connection, org_id, newest))
    by = "no revision wrote it" if found.revision is None else f"revision {found.revision} wrote it last"
    return RowCheck(org_id, rows, revisions, f"{found.problem}; {by}", found)


# -- the log -----------------------------------------------------------------------------------------------------------


def _read_log(connection: Connection, org_id: str, ledger: sqlite3.Connection, progress: Counting) -> int:
    """Check each revision's rows against the root that its last event commits to; how many there are."""
    mine = audit_log.c.org_id == org_id, audit_log.c.changes.is_not(None)
    total = connection.execute(select(func.count()).where(*mine)).scalar_one()
    cut = connection.execute(select(func.max(chain_cuts.c.seq)).where(chain_cuts.c.org_id == org_id)).scalar() or 0
    query = select(audit_log.c.revision, audit_log.c.changes).where(*mine).order_by(audit_log.c.seq)
    done, below, gone = 0, cut_roots(connection, org_id), NONE_CUT
    with connection.execute(query.execution_options(yield_per=5000)) as committed:
        roots = iter(committed)
        expected = next(roots, None)
        for revision, root in _revisions(connection, org_id, ledger):
            if expected is None or revision < expected.revision:
                if revision <= cut:  # its event is gone
                    gone = gone.add([root])
                    continue
                raise _UnsoundLogError(f"the change log has a revision {revision} that no event commits to")
            if revision > expected.revision:
                raise _UnsoundLogError(f"the change log misses what revision {expected.revision} changed")
            if root != expected.changes:
                raise _UnsoundLogError(
                    f"what the change log has of revision {revision} is not what its event commits to: "
                    f"expected {expected.changes}, found {root}"
                )
            expected = next(roots, None)
            done += 1
            if done % 500 == 0:
                progress(done, total)
        if expected is not None:
            raise _UnsoundLogError(f"the change log misses what revision {expected.revision} changed")
    if below not in (None, gone):
        raise _UnsoundLogError(
            "what the change log has of the writes whose events retention removed is not what they had committed to"
        )
    progress(done, total)
    return done


def _revisions(connection: Connection, org_id: str, ledger: sqlite3.Connection) -> Iterator[tuple[int, str]]:
    """Each revision of the log with the root over its rows, which go into the ledger."""
    columns = (change_log.c.revision, change_log.c.part, change_log.c.rows, change_log.c.body)
    query = select(*columns).where(change_log.c.org_id == org_id)
    query = query.order_by(change_log.c.revision, change_log.c.part)
    leaves: list[bytes] = []
    current: int | None = None
    with connection.execute(query.execution_options(yield_per=200)) as parts:
        for revision, part, count, body in parts:
            if current is not None and revision != current:
                yield current, merkle.root(leaves).hex()
                leaves = []
            current = revision
            rows, before = [], len(leaves)
            erased: list[_Erased] = []
            said: list[_Erased] = []
            try:
                for place, line in enumerate(read_part(body)):
                    leaves.append(line.leaf)
                    if line.erased:
                        erased.append((revision, part, place, line.instead.hex() if line.instead else None))
                    if line.text is None:
                        continue
                    if (gone := read_erased(line.text)) is not None:
                        said += _each(gone)
                    else:
                        row = read_json(line.text)
                        text = None if row.values is None else as_written_now(line.text, row)
                        there = None if text is None else _stamped(text, row.written or revision)
                        rows.append((row.table, _key_text(row.key).decode(), revision, there))
            except (ValueError, msgspec.DecodeError) as error:
                problem = f"what the change log has of revision {revision} cannot be read: {error}"
                raise _UnsoundLogError(problem) from error
            if len(leaves) - before != count:
                said_count = f"part {part} of what revision {revision} changed is said to have {count} rows"
                raise _UnsoundLogError(f"{said_count}, and has {len(leaves) - before}")
            ledger.executemany("INSERT OR REPLACE INTO logged VALUES (?, ?, ?, ?)", rows)
            ledger.executemany("INSERT INTO erased VALUES (?, ?, ?, ?)", erased)
            ledger.executemany("INSERT OR REPLACE INTO said VALUES (?, ?, ?, ?)", said)
    if current is not None:
        yield current, merkle.root(leaves).hex()


def _stamped(text: bytes, revision: object) -> bytes:
    """The hash of a row with the revision that wrote it."""
    return sha256(b"%s %s" % (text, str(revision).encode())).digest()


def _each(erasure: Erasure) -> list[_Erased]:
    """What a write said of each of the lines that it erased."""
    instead: Sequence[str | None] = erasure.instead or [None] * len(erasure.places)
    pairs = zip(erasure.places, instead, strict=True)
    return [(erasure.revision, erasure.part, place, leaf) for place, leaf in pairs]


def _nothing_hidden(ledger: sqlite3.Connection) -> None:
    """A line of which only the leaf is left was erased by a write that said so, and said what is read in its place;
    else a version of a row is hidden."""
    hidden = ledger.execute("SELECT * FROM erased EXCEPT SELECT * FROM said ORDER BY 1, 2, 3 LIMIT 1").fetchone()
    if hidden is not None:
        revision, part, place, instead = hidden
        problem = "is gone from the change log, and no revision says that it was erased"
        if instead is not None:
            problem = "is another in the change log, and no revision says that it is"
        raise _UnsoundLogError(f"line {place + 1} of part {part} of what revision {revision} changed {problem}")


# -- the tables --------------------------------------------------------------------------------------------------------


def _read_table(connection: Connection, org_id: str, table: Table, ledger: sqlite3.Connection) -> int:
    """How many rows of the organization a table has; their hashes go into the ledger."""
    count = 0
    try:
        for batch in in_batches(all_rows(connection, table, org_id), BATCH):
            found = [
                (table.name, key_json(table, row).decode(), _stamped(row_json(table, row), row["revision"]))
                for row in batch
            ]
            ledger.executemany("INSERT INTO present VALUES (?, ?, ?)", found)
            count += len(found)
    except (ValueError, TypeError, AttributeError) as error:  # SQLite keeps whatever it is given
        raise _UnsoundLogError(f"{table.name} has a value that is none of its column: {error}") from error
    return count


# -- what differs ------------------------------------------------------------------------------------------------------

_DIFFERENCES = """
    SELECT name, key, l.revision, l.hash IS NOT NULL, p.hash IS NOT NULL
    FROM logged l LEFT JOIN present p USING (name, key) WHERE l.hash IS NOT p.hash
    UNION ALL
    SELECT name, key, NULL, 0, 1 FROM present p
    WHERE NOT EXISTS (SELECT 1 FROM logged l WHERE l.name = p.name AND l.key = p.key)
    ORDER BY 1, 2 LIMIT 1
"""


def _first_difference(connection: Connection, org_id: str, ledger: sqlite3.Connection) -> RowDifference | None:
    row = ledger.execute(_DIFFERENCES).fetchone()
    if row is None:
        return None
    name, key, revision, logged, present = row
    said = f"{name} {key}"
    if not logged:
        return RowDifference(name, key, None, revision, f"{said} is there and the log has no such row")
    if not present:
        return RowDifference(name, key, None, revision, f"{said} is missing")
    was = _logged_row(connection, org_id, revision, name, key)
    now = _present_row(connection, org_id, LOGGED[name], key)
    columns = sorted(column for column in {**was, **now} if was.get(column) != now.get(column))
    if not columns:
        return RowDifference(
            name, key, "revision", revision, f"{said} differs in revision: it is not that of its write"
        )
    shown = f"{said} differs in {columns[0]}: logged {was.get(columns[0])!r}, found {now.get(columns[0])!r}"
    return RowDifference(name, key, columns[0], revision, shown)


def _logged_row(connection: Connection, org_id: str, revision: int, name: str, key: str) -> dict[str, object]:
    query = select(change_log.c.body).where(change_log.c.org_id == org_id, change_log.c.revision == revision)
    found: dict[str, object] = {}
    for body in connection.execute(query.order_by(change_log.c.part)).scalars():
        for line in read_part(body):
            row = None if line.text is None else read_json(line.text)
            if row is not None and row.table == name and _key_text(row.key).decode() == key:
                found = row.values or {}
    return found


def _present_row(connection: Connection, org_id: str, table: Table, key: str) -> dict[str, object]:
    for row in all_rows(connection, table, org_id):
        if key_json(table, row).decode() == key:
            return read_json(row_json(table, row)).values or {}
    return {}
