"""Whether the change log is what the chain committed to: each revision's lines against the root under its last event.

What it says of each row goes, as a hash, into a ledger: a temporary database on disk. Memory stays flat.
"""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

import msgspec
from sqlalchemy import Connection, func, select

from engine.model import merkle
from engine.store.chain.cut_roots import NONE_CUT, cut_roots
from engine.store.log.log_lines import Erasure, as_logged, read_erased, read_part, read_raw
from engine.store.log.stored_rows import row_hash
from engine.store.schema.audit import audit_log, chain_cuts, change_log

Counting: TypeAlias = Callable[[int, int], None]
"""Called with how many of how many revisions were read."""

TABLES = (
    "CREATE TABLE logged (name, key, revision, hash, present DEFAULT 0, PRIMARY KEY (name, key)) WITHOUT ROWID",
    "CREATE TABLE erased (revision, part, place, instead, PRIMARY KEY (revision, part, place)) WITHOUT ROWID",
    "CREATE TABLE said (revision, part, place, instead, PRIMARY KEY (revision, part, place)) WITHOUT ROWID",
)
_Erased: TypeAlias = tuple[int, int, int, str | None]
"""A line of which the leaf alone is left: revision, part, place, and the leaf of the line in its place."""
key_text = msgspec.json.Encoder().encode


class UnsoundLogError(Exception):
    """A part of the log is not what the chain committed to, or a table cannot be read at all."""


def read_log(connection: Connection, org_id: str, ledger: sqlite3.Connection, progress: Counting) -> int:
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
                if 0 < revision <= cut:  # its event is gone
                    gone = gone.add([root])
                    continue
                raise UnsoundLogError(f"the change log has a revision {revision} that no event commits to")
            if revision > expected.revision:
                raise UnsoundLogError(f"the change log misses what revision {expected.revision} changed")
            if root != expected.changes:
                raise UnsoundLogError(
                    f"what the change log has of revision {revision} is not what its event commits to: "
                    f"expected {expected.changes}, found {root}"
                )
            expected = next(roots, None)
            done += 1
            if done % 500 == 0:
                progress(done, total)
        if expected is not None:
            raise UnsoundLogError(f"the change log misses what revision {expected.revision} changed")
    if below not in (None, gone):
        raise UnsoundLogError(
            "what the change log has of the writes whose events retention removed is not what they had committed to"
        )
    _check_erasures(ledger)
    progress(done, total)
    return done


def _revisions(connection: Connection, org_id: str, ledger: sqlite3.Connection) -> Iterator[tuple[int, str]]:
    """Each revision of the log with the root over its rows, which go into the ledger."""
    columns = (change_log.c.revision, change_log.c.part, change_log.c.rows, change_log.c.body)
    query = select(*columns).where(change_log.c.org_id == org_id)
    query = query.order_by(change_log.c.revision, change_log.c.part)
    current, parts, tree = None, 0, merkle.LeafTree()
    with connection.execute(query.execution_options(yield_per=200)) as stored:
        for revision, part, rows, body in stored:
            if current is not None and revision != current:
                yield current, tree.root().hex()
                parts, tree = 0, merkle.LeafTree()
            current = revision
            if part != parts:
                raise UnsoundLogError(f"of what revision {revision} changed, part {parts} is missing: found {part}")
            parts += 1
            count = _read_lines(revision, part, body, tree, ledger)
            if count != rows or not count:
                text = f"part {part} of what revision {revision} changed is said to have {rows} rows"
                raise UnsoundLogError(f"{text}, and has {count}")
    if current is not None:
        yield current, tree.root().hex()


def _read_lines(revision: int, part: int, body: bytes, tree: merkle.LeafTree, ledger: sqlite3.Connection) -> int:
    rows = []
    erased: list[_Erased] = []
    said: list[_Erased] = []
    try:
        lines = list(read_part(body))
        for place, line in enumerate(lines):
            if line.is_erased:
                erased.append((revision, part, place, line.instead.hex() if line.instead else None))
            if line.text is None:
                continue
            if (gone := read_erased(line.text)) is not None:
                said += _each(gone)
            else:
                row = read_raw(line.text)
                text = None if row.is_gone else as_logged(line.text, row)
                there = None if text is None else row_hash(text, row.written or revision)
                rows.append((row.table, row.key.decode(), revision, there))
    except (ValueError, msgspec.DecodeError) as error:
        problem = f"what the change log has of revision {revision} cannot be read: {error}"
        raise UnsoundLogError(problem) from error
    tree.extend([line.leaf for line in lines])
    ledger.executemany("INSERT OR REPLACE INTO logged (name, key, revision, hash) VALUES (?, ?, ?, ?)", rows)
    ledger.executemany("INSERT INTO erased VALUES (?, ?, ?, ?)", erased)
    ledger.executemany("INSERT OR REPLACE INTO said VALUES (?, ?, ?, ?)", said)
    return len(lines)


def _each(erasure: Erasure) -> list[_Erased]:
    instead: Sequence[str | None] = erasure.instead or [None] * len(erasure.places)
    pairs = zip(erasure.places, instead, strict=True)
    return [(erasure.revision, erasure.part, place, leaf) for place, leaf in pairs]


_ERASED_AS_SAID = (
    ("erased", "said", "is gone from the change log, and no revision says that it was erased"),
    ("said", "erased", "is in the change log, and a revision says that it was erased"),
)


_ANOTHER = "is another in the change log than the one that a revision put in the place of what it erased"


def _check_erasures(ledger: sqlite3.Connection) -> None:
    """A line of which only the leaf is left was erased by a write that said so, else a version of a row is hidden; and
    what was erased did not come back."""
    for one, other, problem in _ERASED_AS_SAID:
        query = f"SELECT * FROM {one} EXCEPT SELECT * FROM {other} ORDER BY 1, 2, 3 LIMIT 1"  # noqa: S608 - both ours
        row = ledger.execute(query).fetchone()
        if row is not None:
            revision, part, place, instead = row
            if instead is not None:
                problem = _ANOTHER
            raise UnsoundLogError(f"line {place + 1} of part {part} of what revision {revision} changed {problem}")
