"""What stays of the roots over changed rows when retention takes the events that held them.

The event of a purge says of how many writes they are gone, and one digest over their roots in order: ``digest[n] =
SHA-256(digest[n-1] || root[n])``, each as 64 hex digits, from 64 zeros on. So the log below a cut is still checked.
"""

from collections.abc import Iterable
from hashlib import sha256
from typing import NamedTuple

from sqlalchemy import Connection, select

from engine.store.chain import GENESIS
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
    """What the newest purge of events says; None where none says anything of roots."""
    query = select(audit_log.c.details).where(
        audit_log.c.org_id == org_id, audit_log.c.action == PURGED, audit_log.c.object_id == "audit_log"
    )
    details = connection.execute(query.order_by(audit_log.c.seq.desc()).limit(1)).scalar()
    if not isinstance(details, dict) or "cut_roots" not in details:
        return None
    return CutRoots(int(details["cut_writes"]), str(details["cut_roots"]))


def roots_until(connection: Connection, org_id: str, last: int) -> list[str]:
    """The roots that events up to a position hold, in order."""
    query = select(audit_log.c.changes).where(
        audit_log.c.org_id == org_id, audit_log.c.seq <= last, audit_log.c.changes.is_not(None)
    )
    return list(connection.execute(query.order_by(audit_log.c.seq)).scalars())
