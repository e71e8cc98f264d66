"""Who read what, from the access log."""

from datetime import datetime
from typing import TypedDict, cast

from sqlalchemy import Connection, and_, func, select

from engine.model.vocabulary import CredentialKind
from engine.store.schema.audit import access_log
from engine.store.schema.outputs import credentials


class CredentialCall(TypedDict):
    """A call that was made with a credential."""

    accessed_at: datetime
    token_id: str
    label: str
    resource: str
    format: str | None
    status: int
    address: str | None


def accesses(
    connection: Connection, org_id: str, kind: CredentialKind, *, since: datetime | None, limit: int
) -> tuple[int, list[CredentialCall]]:
    """How many calls were made with credentials of a kind, and the newest of them, refused ones too."""
    same = and_(credentials.c.org_id == access_log.c.org_id, credentials.c.id == access_log.c.credential_id)
    wanted = [access_log.c.org_id == org_id, credentials.c.kind == kind]
    if since is not None:
        wanted.append(access_log.c.accessed_at >= since)
    joined = access_log.join(credentials, same)
    total = connection.execute(select(func.count()).select_from(joined).where(*wanted)).scalar_one()
    query = (
        select(
            access_log.c.accessed_at,
            access_log.c.credential_id.label("token_id"),
            access_log.c.actor.label("label"),
            access_log.c.resource,
            access_log.c.format,
            access_log.c.status,
            access_log.c.address,
        )
        .select_from(joined)
        .where(*wanted)
        .order_by(access_log.c.accessed_at.desc(), access_log.c.id)
        .limit(limit)
    )
    calls = [dict(row) for row in connection.execute(query).mappings()]
    return total, cast("list[CredentialCall]", calls)
