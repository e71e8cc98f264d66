"""Where the change log of a store begins that is older than the log."""

from datetime import datetime

from sqlalchemy import Connection, exists, select

from engine.store.chain.heads import take_head
from engine.store.rows import all_rows
from engine.store.schema import LOGGED
from engine.store.schema.audit import change_log
from engine.store.schema.organizations import heads
from engine.store.writing.revisions import Revision

ACTOR = "system"
BEGUN = "history.began"


def begin_history(connection: Connection, now: datetime) -> list[str]:
    """Log every row of each organization that has no log, as it is now, under an event of its own; returns which.

    Nothing is claimed of what was before.
    """
    logged = exists().where(change_log.c.org_id == heads.c.org_id)
    org_ids = connection.execute(select(heads.c.org_id).where(heads.c.last_seq > 0, ~logged).order_by(heads.c.org_id))
    return [org_id for org_id in org_ids.scalars().all() if _begin(connection, org_id, now)]


def _begin(connection: Connection, org_id: str, now: datetime) -> bool:
    head = take_head(connection, org_id)
    if head is None:
        return False
    revision = Revision(connection, org_id, ACTOR, now, head)
    count = 0
    for table in LOGGED.values():
        for row in all_rows(connection, table, org_id):
            revision.log_as_it_is(table, row)
            count += 1
    revision.record(BEGUN, object_type="history", object_id=org_id, details={"rows": count})
    revision.close()
    return True
