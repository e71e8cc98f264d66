"""Whom a digest goes to: people whom it names, members by role, and admins for what reaches nobody."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from engine.accounts import preferences
from engine.delivery.message import address
from engine.digests.content import Content
from engine.model.digest import ADMINS, Items
from engine.store.queries.digests import People

EVERYTHING = "everything"
OWN = "own"
ORPHANS = "orphans"


@dataclass(frozen=True)
class Recipient:
    """Somebody and what is shown: everything, the ``own`` items, or those that reach nobody (``orphans``)."""

    email: str
    sees: str
    message: str | None = None


def recipients(content: Content, people: People) -> list[Recipient]:
    """Who gets a mail, each once, in order of their addresses; people who switched the mail off or left get none."""
    digest = content.digest
    named = messages(content) if digest.people else {}
    reachable = {email: said for email, said in named.items() if reaches(email, people)}
    by_role = {email for email, role in people.roles.items() if role in digest.members}
    sees = dict.fromkeys(reachable, EVERYTHING if digest.whole else OWN)
    sees |= dict.fromkeys(by_role, EVERYTHING)
    lost = any(orphans(content, items, people) for items in digest.items)
    if lost or not sees:
        rest = ORPHANS if reachable else EVERYTHING
        for email, role in people.roles.items():
            if role in ADMINS and email not in sees:
                sees[email] = rest
    return [
        Recipient(email, what, named.get(email))
        for email, what in sorted(sees.items())
        if reaches(email, people) and wants(content, people, email, "email")
    ]


def messages(content: Content) -> dict[str, str]:
    """The personal sentence of each address that the digest names."""
    rows = content.json.get("owners", [])
    return {row["recipient"].lower(): row["message"] for row in rows if row["recipient"]}


def wants(content: Content, people: People, email: str, channel: str) -> bool:
    """Whether somebody has not switched the digest off on a channel."""
    return preferences.flags(people.preferences.get(email))[f"{content.digest.preference}_{channel}"]


def reaches(email: str, people: People) -> bool:
    """Whether a mail can go there: one address, of nobody who left."""
    return address(email) is not None and email not in people.gone


def visible_rows(content: Content, items: Items, recipient: Recipient, people: People) -> list[int]:
    """The places of the rows of a table that a recipient sees."""
    if recipient.sees == EVERYTHING:
        return content.rows(items)
    if recipient.sees == ORPHANS:
        own = own_rows(content, items, recipient.email)
        return sorted({*orphans(content, items, people), *own})
    return own_rows(content, items, recipient.email)


def own_rows(content: Content, items: Items, email: str) -> list[int]:
    """The rows that name an address."""
    return [place for place in content.rows(items) if email in _named(content.json[items.table][place], items)]


def orphans(content: Content, items: Items, people: People) -> list[int]:
    """The rows that concern people and reach nobody."""
    if not items.to or not content.digest.people:
        return []
    return [
        place
        for place in content.rows(items)
        if not any(reaches(email, people) for email in _named(content.json[items.table][place], items))
    ]


def _named(row: dict[str, Any], items: Items) -> set[str]:
    return {email.lower() for name in items.to for email in _addresses(row[name])}


def _addresses(value: Any) -> Iterable[str]:
    return [part for part in (value if isinstance(value, list) else [value]) if part]
