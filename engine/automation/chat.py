"""Who a click in the chat service belongs to: the member that an administrator has named for that chat user."""

from engine.model.errors import Forbidden
from engine.model.vocabulary import ADMIN_ROLES, Role
from engine.store import Reader, rows
from engine.store.schema.organizations import memberships
from engine.store.schema.services import connections


def member(connection: Reader, org_id: str, team_id: str | None, user_id: str) -> tuple[str, Role]:
    """E-mail address and role of the active member behind a chat user; Forbidden when nobody is named for it.

    The names are in the settings of connections of kind ``chat``: ``{"team_id": "T…", "members": {"U…": "e-mail"}}``.
    Only those count that an owner or administrator made, so that nobody else can speak for another.
    """
    roles = {row["email"]: row["role"] for row in rows.many(connection, memberships, org_id, status="active")}
    for row in rows.many(connection, connections, org_id, kind="chat", status=("placeholder", "configured")):
        settings = row["settings"] or {}
        if settings.get("team_id", team_id) != team_id or roles.get(row["created_by"]) not in ADMIN_ROLES:
            continue
        named = settings.get("members")
        email = named.get(user_id) if isinstance(named, dict) else None
        if isinstance(email, str) and email.lower() in roles:
            return email.lower(), roles[email.lower()]
    raise Forbidden(
        "This chat user is named for no active member; an owner or administrator adds it to the chat connection.",
        word="unknown_chat_user",
    )
