"""Whether each part of the records is said to stand where the newest write to it ended.

A part that is set back would let a report stay as it was built, though what it looks at has changed since.
"""

from collections.abc import Mapping

from sqlalchemy import Connection, func, select

from engine.store.log.part_heads import read_part_heads
from engine.store.log.parts import part_of
from engine.store.schema.audit import audit_log, chain_cuts, change_log


def wrong_part(connection: Connection, org_id: str, tables: Mapping[str, int]) -> str | None:
    """The first part that is said to stand elsewhere; ``tables``: the newest write to each, by the change log.

    Of writes whose events retention removed, and of those from before there was a log, no more is known than that they
    stand below.
    """
    mine = audit_log.c.org_id == org_id
    cut = connection.execute(select(func.max(chain_cuts.c.seq)).where(chain_cuts.c.org_id == org_id)).scalar() or 0
    logged = connection.execute(select(func.min(change_log.c.revision)).where(change_log.c.org_id == org_id)).scalar()
    began = 1 if logged is None else int(logged)
    actions = connection.execute(
        select(audit_log.c.action, func.max(audit_log.c.revision))
        .where(mine, audit_log.c.revision >= began)
        .group_by(audit_log.c.action)
    )
    newest = {**tables, **{part_of(action): revision for action, revision in actions}}
    last = (
        select(func.max(audit_log.c.seq))
        .where(mine, audit_log.c.revision.in_(set(newest.values())))
        .group_by(audit_log.c.revision)
    )
    ends = {
        revision: (seq, digest)
        for revision, seq, digest in connection.execute(
            select(audit_log.c.revision, audit_log.c.seq, audit_log.c.hash).where(mine, audit_log.c.seq.in_(last))
        )
    }
    heads = read_part_heads(connection, org_id)
    below = max(cut, began - 1)
    for part in sorted({*newest, *heads}):
        position, revision = heads.get(part), newest.get(part)
        there = "nowhere" if position is None else f"at {position.seq}"
        if revision is None:
            if position is not None and position.seq > below:
                return f"table_heads has {part} {there}, and no write changed it"
        elif revision in ends:
            if position is None or (position.seq, position.hash) != ends[revision]:
                ended = ends[revision][0]
                return f"table_heads has {part} {there}, and revision {revision} changed it, which ended at {ended}"
        elif position is None or not revision <= position.seq <= cut:
            return f"table_heads has {part} {there}, and revision {revision} changed it, which ended by {cut}"
    return None
