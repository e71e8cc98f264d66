"""Whether each part of the records is said to stand where the newest write to it ended.

A part that is set back would let a report stay as it was built, though what it looks at has changed since.
"""

from collections.abc import Mapping

from sqlalchemy import Connection, func, select

from engine.store.part_heads import part_of, read_part_heads
from engine.store.schema.audit import audit_log


def wrong_part(connection: Connection, org_id: str, tables: Mapping[str, int]) -> str | None:
    """The first part that is said to stand elsewhere; ``tables``: the newest write to each, by the change log.

    Of writes whose events retention removed nothing is known.
    """
    mine = audit_log.c.org_id == org_id
    began = min(tables.values(), default=0)
    actions = connection.execute(
        select(audit_log.c.action, func.max(audit_log.c.revision))
        .where(mine, audit_log.c.revision >= began)
        .group_by(audit_log.c.action)
    )
    newest = {**tables, **{part_of(action): revision for action, revision in actions}}
    ends = {
        revision: (seq, digest)
        for revision, seq, digest in connection.execute(
            select(audit_log.c.revision, audit_log.c.seq, audit_log.c.hash)
            .where(mine, audit_log.c.revision.in_(set(newest.values())))
            .order_by(audit_log.c.seq)
        )
    }
    heads = read_part_heads(connection, org_id)
    for part, revision in sorted(newest.items()):
        said, end = heads.get(part), ends.get(revision)
        if end is not None and (said is None or (said.seq, said.hash) != end):
            there = "nowhere" if said is None else f"at {said.seq}"
            return f"table_heads has {part} {there}, and revision {revision} changed it, which ended at {end[0]}"
    return None
