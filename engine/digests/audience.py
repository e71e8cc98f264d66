"""Whom a digest goes to: people whom it names, members by role, and admins for what reaches nobody."""

from dataclasses import dataclass

import polars as pl

from engine.accounts import preferences
from engine.delivery.message import address
from engine.digests.content import Content
from engine.model.declarations.digest import ADMINS, Items
from engine.store.queries.sending.digests import People

EVERYTHING = "everything"
OWN = "own"
ORPHANS = "orphans"
OWNERS = "owners"  # the table that has a personal sentence for each recipient


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
    reachable = {email: text for email, text in named.items() if reaches(email, people)}
    by_role = {email for email, role in people.roles.items() if role in digest.members}
    sees = dict.fromkeys(reachable, EVERYTHING if digest.whole else OWN)
    sees |= dict.fromkeys(by_role, EVERYTHING)
    lost = any(_any_orphans(content, items, people) for items in digest.items)
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
    if all(table.name != OWNERS for table in content.edition.document.tables):
        return {}
    rows = content.table(OWNERS).frame.select("recipient", "message").iter_rows()
    return {recipient.lower(): message for recipient, message in rows if recipient}


def wants(content: Content, people: People, email: str, channel: str) -> bool:
    """Whether somebody has not switched the digest off on a channel."""
    return preferences.flags(people.preferences.get(email))[f"{content.digest.preference}_{channel}"]


def reaches(email: str, people: People) -> bool:
    """Whether a mail can go there: one address, of nobody who left."""
    return address(email) is not None and email not in people.gone


def visible_rows(content: Content, items: Items, recipient: Recipient, people: People) -> pl.DataFrame:
    """The rows of a table that a recipient sees, in the table's order."""
    if recipient.sees == EVERYTHING:
        return content.rows(items)
    frame = content.rows(items)
    own = [recipient.email in addresses for addresses in _addresses(frame, items)]
    if recipient.sees == ORPHANS:
        own = [mine or lost for mine, lost in zip(own, _orphans(content, frame, items, people), strict=True)]
    return frame.filter(pl.Series(own, dtype=pl.Boolean))


def _any_orphans(content: Content, items: Items, people: People) -> bool:
    return any(_orphans(content, content.rows(items), items, people))


def _orphans(content: Content, frame: pl.DataFrame, items: Items, people: People) -> list[bool]:
    """For each row whether it concerns people and reaches nobody."""
    if not items.to or not content.digest.people:
        return [False] * frame.height
    return [not any(reaches(email, people) for email in addresses) for addresses in _addresses(frame, items)]


def _addresses(frame: pl.DataFrame, items: Items) -> list[set[str]]:
    """For each row the addresses that it names, in the columns of one or of several."""
    found: list[set[str]] = [set() for _ in range(frame.height)]
    for name in items.to:
        for addresses, value in zip(found, frame[name].to_list(), strict=True):
            addresses.update(part.lower() for part in (value if isinstance(value, list) else [value]) if part)
    return found
