"""Who a click in the chat service belongs to: the member that an administrator has named for that chat user."""

from engine.accounts.chat_members import AN_ADDRESS, named_member
from engine.model.errors import Forbidden
from engine.model.vocabulary import Role
from engine.store import Reader


def member(connection: Reader, org_id: str, team_id: str | None, user_id: str) -> tuple[str, Role]:
    """E-mail address and role of the active member behind a chat user; Forbidden says how one is named."""
    named = named_member(connection, org_id, team_id, user_id)
    if named is not None and named.role is not None:
        return named.email, named.role
    team = f" of the team {team_id}" if team_id else ""
    is_named = "is not named for a member" if named is None else "is named for somebody who is no active member"
    shape = f'{{"{user_id}": "<e-mail address>"}}'
    raise Forbidden(
        f"The chat user {user_id}{team} {is_named}; an owner or administrator sends {shape} in settings.members of the "
        "chat connection to POST /api/integrations/connections.",
        word="unknown_chat_user",
        details=[{"field": f"settings.members.{user_id}", "expected": AN_ADDRESS}],
    )
