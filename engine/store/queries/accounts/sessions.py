"""Sessions that were ended before their time."""

from datetime import datetime

from sqlalchemy import Connection

from engine.store.database.read_cache import SessionEnds
from engine.store.rows import many
from engine.store.schema.outputs import ended_sessions
from engine.store.writing.revisions import Revision

ALL = ""  # in place of a session's identifier


def session_ends(connection: Connection, org_id: str, email: str) -> SessionEnds:
    """What was ended of a person's sessions in an organization."""
    rows = many(connection, ended_sessions, org_id, email=email)
    until = next((row["ended_at"] for row in rows if row["session_id"] == ALL), None)
    return SessionEnds(frozenset(row["session_id"] for row in rows if row["session_id"] != ALL), until)


def end_sessions(revision: Revision, email: str, session_id: str = ALL) -> None:
    """End one session of a person, or all that had begun by now."""
    revision.upsert(ended_sessions, [{"email": email, "session_id": session_id, "ended_at": revision.now}])
    details = {"email": email, "session": session_id or "all"}
    revision.record("session.ended", object_type="session", object_id=session_id or email, details=details)


def prune_ended(revision: Revision, before: datetime) -> int:
    """Remove what was noted of sessions that were ended before an instant; returns how many rows."""
    removed = len(revision.delete(ended_sessions, ended_sessions.c.ended_at < before))
    if removed:
        revision.record("session.pruned", object_type="session", details={"removed": removed})
    return removed
