"""Whom the users of a chat service are: the settings of a connection of kind ``chat``.

``{"team_id": "T0123", "members": {"U0123": "ann@acme.example"}}``: ``members`` maps the chat service's identifier of a
user to a member's e-mail address, ``team_id`` is the chat workspace that the identifiers belong to.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from engine.model.errors import BadRequest
from engine.model.vocabulary import ADMIN_ROLES, Role
from engine.store import Reader
from engine.store.rows import many
from engine.store.schema.organizations import memberships
from engine.store.schema.services import connections

USER_ID = "^[A-Za-z0-9_-]{1,100}$"
ADDRESS = "^[^\\s@]{1,64}@[^\\s@]{1,189}$"
AN_ID = "1 to 100 letters, digits, - or _, as the chat service names it"
AN_ADDRESS = "the e-mail address of a member"
SHAPE = 'an object such as {"U0123": "ann@acme.example"}: chat users and the e-mail addresses of their members'
CHAT_MEANING = (
    "Nothing is contacted and no credential is kept. Whom an owner or administrator names in settings.members decides "
    "approvals in the chat as that member."
)
SETTINGS_SCHEMA = {
    "properties": {
        "team_id": {
            "type": ["string", "null"],
            "pattern": USER_ID,
            "description": f"Kind chat: the workspace whose users are named, {AN_ID}; any workspace without it.",
        },
        "members": {
            "type": "object",
            "propertyNames": {"pattern": USER_ID},
            "additionalProperties": {"type": "string", "pattern": ADDRESS},
            "description": f"Kind chat: {SHAPE}. Who is named may decide approvals in the chat as that member.",
        },
    }
}


@dataclass(frozen=True)
class NamedMember:
    """The address that a chat user is named for, and the role there; None for one that is no active member's."""

    email: str
    role: Role | None


def check_chat_settings(settings: Mapping[str, object]) -> None:
    """BadRequest for a ``team_id`` or ``members`` of another shape."""
    team = settings.get("team_id")
    if team is not None and not (isinstance(team, str) and re.fullmatch(USER_ID, team)):
        raise bad_setting("settings.team_id", AN_ID, team)
    members = settings.get("members", {})
    if not isinstance(members, dict):
        raise bad_setting("settings.members", SHAPE, members)
    for user, email in members.items():
        if not re.fullmatch(USER_ID, user):
            raise bad_setting("settings.members", f"chat users of {AN_ID}", user)
        if not isinstance(email, str) or not re.fullmatch(ADDRESS, email):
            raise bad_setting(f"settings.members.{user}", AN_ADDRESS, email)


def named_member(connection: Reader, org_id: str, team_id: str | None, user_id: str) -> NamedMember | None:
    """Whom a chat user is named for; None where nobody is.

    Only those names count that an owner or administrator gave, so that nobody else can speak for another.
    """
    roles = _roles(connection, org_id)
    named_members: list[NamedMember] = []
    for row in many(
        connection, connections, org_id, kind="chat", status=("placeholder", "configured"), order=("name",)
    ):
        settings = row["settings"] or {}
        if settings.get("team_id", team_id) in (None, team_id) and roles.get(row["created_by"]) in ADMIN_ROLES:
            named_members += [
                NamedMember(email, roles.get(email)) for user, email in _names(settings) if user == user_id
            ]
    return next((one for one in named_members if one.role is not None), named_members[0] if named_members else None)


def without_effect(connection: Reader, org_id: str, settings: Mapping[str, object], author: str) -> str:
    """A sentence on the names of new settings that do not count now; empty when all do."""
    names, roles = list(_names(settings)), _roles(connection, org_id)
    if names and roles.get(author) not in ADMIN_ROLES:
        return " The names in members do not count until an owner or administrator sends them."
    strangers = [f"{user} ({email})" for user, email in names if email not in roles]
    return f" No active member, so without effect for now: {', '.join(strangers)}." if strangers else ""


def _names(settings: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Chat users and addresses; what was stored before shapes were checked is passed over where it has another."""
    members = settings.get("members")
    for user, email in members.items() if isinstance(members, dict) else ():
        if isinstance(email, str):
            yield user, email.lower()


def _roles(connection: Reader, org_id: str) -> dict[str | None, Role]:
    return {row["email"]: row["role"] for row in many(connection, memberships, org_id, status="active")}


def bad_setting(field: str, expected: str, got: object) -> BadRequest:
    came = f"{got!r}"[:80]
    return BadRequest(
        f"The settings do not fit: {field} must be {expected}; got {came}.",
        word="invalid_body",
        details=[{"field": field, "expected": expected, "got": came}],
    )
