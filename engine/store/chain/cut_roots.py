"""What stays of the roots over changed rows when retention takes the events that held them.

The event of a purge says of how many writes they are gone, and one digest over their roots in order: ``digest[n] =
SHA-256(digest[n-1] || root[n])``, each as 64 hex digits, from 64 zeros on. So the log below a cut is still checked.
"""

from collections.abc import Iterable
from hashlib import sha256
from typing import NamedTuple

from sqlalchemy import Connection, select

from engine.store.chain.chain import GENESIS, own_event_id
from engine.store.schema.audit import audit_log

PURGED = "retention.purged"


class CutRoots(NamedTuple):
    """How many writes have lost their events, and the digest over their roots."""

    writes: int
    digest: str

    def add(self, roots: Iterable[str]) -> "CutRoots":
        """The same with further writes."""
        writes, digest = self
        for root in roots:
            writes, digest = writes + 1, sha256(f"{digest}{root}".encode()).hexdigest()
        return CutRoots(writes, digest)


NONE_CUT = CutRoots(0, GENESIS)


def cut_roots(connection: Connection, org_id: str) -> CutRoots | None:
    """What the newest purge of events says; None where none says anything of roots. Whoever imports an event of that
    name says nothing: the events of the console have identifiers that nobody else may give."""
    columns = (audit_log.c.seq, audit_log.c.event_id, audit_log.c.details)
    query = select(*columns).where(
        audit_log.c.org_id == org_id, audit_log.c.action == PURGED, audit_log.c.object_id == "audit_log"
    )
    for seq, event_id, details in connection.execute(query.order_by(audit_log.c.seq.desc())):
        if event_id == own_event_id(seq):
            match details:
                case {"cut_writes": int(writes), "cut_roots": str(digest)}:
                    return CutRoots(writes, digest)
            return None
    return None


def roots_until(connection: Connection, org_id: str, last: int) -> list[str]:
    """The roots that events up to a position hold, in order."""
    query = select(audit_log.c.changes).where(
        audit_log.c.org_id == org_id, audit_log.c.seq <= last, audit_log.c.changes.is_not(None)
    )
    return list(connection.execute(query.order_by(audit_log.c.seq)).scalars())
