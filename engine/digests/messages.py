"""A digest as messages: one mail for each person, one chat message, one webhook call."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import polars as pl

from engine.delivery import Channels, Message
from engine.digests import audience
from engine.digests.audience import EVERYTHING, Recipient
from engine.digests.buttons import Button
from engine.digests.chat import blocks, fallback
from engine.digests.content import Content
from engine.digests.desk_acts import DeskActs
from engine.facts.governance.deliveries import DELIVERED
from engine.model.declarations.digest import Items
from engine.model.documents.document import Table
from engine.model.vocabulary import Json
from engine.render.mail import mail
from engine.render.text.json import plain_rows
from engine.store.queries.sending.digests import People

ACTION_ID = "action_id"  # the column by which buttons find their row
ENVELOPE = ("report", "title", "schema_version", "organization", "as_of", "revision", "settings_version", "headline")


@dataclass(frozen=True)
class Occasion:
    """What all messages of one run share. ``buttons`` are those of items, by their identifiers."""

    period: str
    late: bool
    base_url: str
    buttons: Mapping[str, Sequence[Button]]
    desk: DeskActs

    def link(self, content: Content) -> str:
        """Where the whole report is to be read; a digest without a preview leads to the program."""
        route = content.digest.route if content.digest.route == content.digest.report.name else "program"
        return f"{self.base_url.rstrip('/')}/api/governance/compliance/{route}?format=html"


def messages(content: Content, people: People, channels: Channels, occasion: Occasion) -> list[Message]:
    """What leaves over the channels that are declared and configured."""
    ways = content.digest.channels
    found: list[Message] = []
    if "email" in ways and channels.email.leaves:
        found += [_mail(content, one, people, occasion) for one in audience.recipients(content, people)]
    if "chat" in ways and channels.chat.leaves:
        found += [_chat(content, people, occasion, name) for name in channels.chat.recipients]
    if "webhook" in ways and channels.webhook.leaves:
        text = content.edition.document.headline
        found += [
            Message(
                content.digest.name,
                occasion.period,
                "webhook",
                url,
                content.hash,
                content.edition.title,
                content.payload,
                text,
            )
            for url in channels.webhook.recipients
        ]
    return found


def _mail(content: Content, to: Recipient, people: People, occasion: Occasion) -> Message:
    whole = to.sees == EVERYTHING
    seen = {
        items.table: audience.visible_rows(content, items, to, people)
        for items in content.digest.items
        if whole or items.to
    }
    names = content.edition.own_frameworks
    sheets = [
        mail.narrow(_part(content, items, seen), _columns(items, seen[items.table], to), items.title, items.hint, names)
        for items in content.digest.items
        if items.table in seen
    ]
    letter = mail.Mail(
        edition=content.edition,
        tables=sheets,
        link=occasion.link(content),
        reader=to.email,
        greeting=to.message,
        late=occasion.late,
        whole=whole or to.message is None,
        desk=occasion.desk.front_page(to.email),
        acts=occasion.desk.acts(content.digest.name, list(seen.values()), to.email),
        record=occasion.desk.record(content.digest.name, list(seen.values()), to.email),
    )
    return Message(
        kind=content.digest.name,
        period=occasion.period,
        channel="email",
        recipient=to.email,
        content_hash=content.hash,
        subject=mail.subject(content.edition, occasion.period, occasion.late, content.figure),
        payload=payload(content, occasion, seen, to.message),
        text=mail.text(letter),
        html=mail.html(letter),
    )


def _chat(content: Content, people: People, occasion: Occasion, channel: str) -> Message:
    seen = {items.table: content.rows(items) for items in content.digest.items}
    names = content.edition.own_frameworks
    tables = [
        mail.narrow(_part(content, items, seen), items.shows, items.title, own_frameworks=names)
        for items in content.digest.items
    ]
    keys = [_keys(seen[items.table]) for items in content.digest.items]
    said = [
        f"{email}: {message}"
        for email, message in audience.messages(content).items()
        if audience.wants(content, people, email, "chat")
    ]
    return Message(
        kind=content.digest.name,
        period=occasion.period,
        channel="chat",
        recipient=channel,
        content_hash=content.hash,
        subject=content.edition.title,
        payload=payload(content, occasion, seen, None),
        text=fallback(content.edition, occasion.link(content)),
        blocks=blocks(content.edition, tables, said, occasion.link(content), keys, occasion.buttons),
    )


def payload(
    content: Content, occasion: Occasion, seen: Mapping[str, pl.DataFrame], message: str | None
) -> dict[str, Json]:
    """What was told: the envelope, and of the rows that were sent what names them, as facts read it back for years."""
    told = {name: content.payload[name] for name in ENVELOPE}
    told |= {"period": occasion.period, "late": occasion.late, "message": message}
    for name, frame in seen.items():
        kept = [column for column in frame.columns if column in DELIVERED]
        told[name] = plain_rows(replace(content.table(name), frame=frame.select(kept)))
    return told


def _part(content: Content, items: Items, seen: Mapping[str, pl.DataFrame]) -> Table:
    return replace(content.table(items.table), frame=seen[items.table])


def _columns(items: Items, seen: pl.DataFrame, to: Recipient) -> Sequence[str]:
    """What a mail shows of a table; nobody is told on every line that it is about them."""
    owners = seen["owner"].to_list() if "owner" in seen.columns else [None] * seen.height
    if all((owner or "").lower() == to.email for owner in owners):
        return [name for name in items.shows if name != "owner"]
    return items.shows


def _keys(seen: pl.DataFrame) -> list[str | None]:
    """The identifier of each row of a table, where its rows have one."""
    return seen[ACTION_ID].to_list() if ACTION_ID in seen.columns else [None] * seen.height
