"""Which write last changed a part of an organization's records: a table, or the audit events of one action.

A report is a function of the parts that it looks at: a write to any other part leaves it as it was.
"""

from collections.abc import Mapping

from sqlalchemy import Connection, bindparam, select

from engine.model.documents.document import Position
from engine.store.schema.audit import table_heads
from engine.store.writing.statements import CompiledStatement, put_rows

_READ = CompiledStatement(
    select(table_heads.c.part, table_heads.c.revision, table_heads.c.hash).where(
        table_heads.c.org_id == bindparam("org")
    )
)


def move_parts(connection: Connection, org_id: str, heads: Mapping[str, tuple[int, str]]) -> None:
    """Set the parts that writes changed to where these ended: sequence number and hash of their last events."""
    rows = [{"org_id": org_id, "part": part, "revision": seq, "hash": digest} for part, (seq, digest) in heads.items()]
    if rows:
        put_rows(connection, table_heads, ("org_id", "part", "revision", "hash"), rows)


def read_part_heads(connection: Connection, org_id: str) -> dict[str, Position]:
    """Where the newest write to each part ended; a part that nothing ever changed is not among them."""
    return {part: Position(seq, digest) for part, seq, digest in _READ.all(connection, {"org": org_id})}
