"""Episodes of one key, derived anew from all that was heard of it: whatever came when, the durations are the same.

A message counts at its sender's time, corrected where that clock is ahead of ours. A firing opens an episode, goes on
with one that is open, or opens one again that ended no longer ago than ``within``; a recovery ends it. What people did,
closing and opening again, are messages too.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Literal, NamedTuple, TypeAlias

from engine.model.vocabulary import LIVE_INCIDENTS, IncidentStatus, Json
from engine.store.queries.operations.ingest import LastIncident

A_MOMENT = timedelta(microseconds=1)  # by which messages of one moment stand apart
MOST_MESSAGES = 500  # that are kept of a key; of older ones only how the episodes that they made began and ended
MOST_EPISODES = 100  # of which that is kept
MessageKind: TypeAlias = Literal["firing", "acknowledged", "resolved", "close", "reopen"]
_ORDER: Mapping[str, int] = {"firing": 0, "reopen": 1, "acknowledged": 2, "resolved": 3, "close": 4}

FLAPS = 3  # times that an incident opens again before one line counts them


class KeyMessage(NamedTuple):
    """What was heard of a key. ``at`` is when it counts, ``sent_at`` the time that orders messages of one moment.

    ``incident_id`` is that of the incident that a firing opened, or that a person's step is about; ``by`` the person.
    """

    kind: MessageKind
    at: datetime
    sent_at: datetime
    heard_at: datetime
    began_at: datetime | None = None
    incident_id: str | None = None
    by: str | None = None

    @property
    def place(self) -> tuple[datetime, datetime, int, datetime]:
        """Where it stands among the messages of its key."""
        return self.at, self.sent_at, _ORDER[self.kind], self.heard_at

    def is_same(self, other: "KeyMessage") -> bool:
        """Whether the sender said the same of the same time."""
        return (self.kind, self.sent_at, self.by) == (other.kind, other.sent_at, other.by)


@dataclass
class Episode:
    """From a trigger to its end. ``ids`` are the incidents of its messages, the first of them is its own."""

    begin: KeyMessage
    members: list[KeyMessage] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    began_at: datetime | None = None
    taken: KeyMessage | None = None  # the first acknowledgement
    is_taken: bool = False  # since it was opened last
    end: KeyMessage | None = None
    closed: KeyMessage | None = None
    reopenings: list[KeyMessage] = field(default_factory=list)  # firings that opened it again
    again: tuple[KeyMessage, ...] = ()  # its last end that was none, and what opened it again

    def flap_line(self) -> str | None:
        """The one line that counts its reopenings from the third on; None before."""
        if (times := len(self.reopenings)) < FLAPS:
            return None
        state = "open" if self.end is None else f"resolved at {self.end.at:%Y-%m-%d %H:%M:%S} UTC"
        return (
            f"Flapping: opened again {times:,} times since {self.reopenings[0].at:%Y-%m-%d %H:%M:%S} UTC, now {state}"
        )

    @property
    def status(self) -> IncidentStatus:
        """The state of its incident."""
        if self.end is None:
            return "acknowledged" if self.is_taken else "open"
        return "closed" if self.closed else "resolved"

    @property
    def id(self) -> str | None:
        """The incident that it is; None before there is one."""
        return self.ids[0] if self.ids else None

    def columns(self) -> dict[str, Any]:  # values of a row
        """What it says about its incident."""
        return {
            "status": self.status,
            "started_at": self.began_at,
            "opened_at": self.begin.at,
            "opened_heard_at": self.begin.heard_at,
            "acknowledged_at": self.taken.at if self.taken else None,
            "acknowledged_heard_at": self.taken.heard_at if self.taken else None,
            "acknowledged_by": self.taken.by if self.taken else None,
            "resolved_at": self.end.at if self.end else None,
            "resolved_heard_at": self.end.heard_at if self.end else None,
            "closed_at": self.closed.at if self.closed else None,
            "closed_by": self.closed.by if self.closed else None,
        }

    def fire(self, message: KeyMessage) -> None:
        """It fires: for the first time, again while it is open, or again after its end."""
        if self.end is not None:
            self.open_again(message)
            self.reopenings.append(message)
        self.members.append(message)
        if message.incident_id and message.incident_id not in self.ids:
            self.ids.append(message.incident_id)
        if message.began_at and (self.began_at is None or message.began_at < self.began_at):
            self.began_at = message.began_at

    def open_again(self, message: KeyMessage) -> None:
        """Its end was none."""
        self.again = (*((self.end,) if self.end else ()), message)
        self.end = self.closed = None
        self.is_taken = False

    def take(self, message: KeyMessage) -> None:
        """Somebody took it."""
        self.taken = self.taken or message
        self.is_taken = True

    def outline(self) -> Iterator[KeyMessage]:
        """The messages without which it would be another: begin, incidents, who took it, and where it stands."""
        yield self.begin._replace(began_at=self.began_at)
        yield from (one for one in self.members[1:] if one.incident_id)
        if self.taken is not None:
            yield self.taken
        if self.end is None:
            yield from (one for one in self.again if one.incident_id is None or one.by)
        else:
            yield self.end
        if self.closed is not None and self.closed is not self.end:
            yield self.closed

    def goes_on_with(self, message: KeyMessage, within: timedelta) -> bool:
        """Whether a firing after its end opens it again: soon after a recovery, or after a close by hand at any time,
        since no recovery was heard then."""
        if self.end is None:
            return True
        if self.end.kind == "close":
            return True
        return self.closed is None and message.at - self.end.at <= within


def derive_episodes(messages: Iterable[KeyMessage], within: timedelta) -> list[Episode]:
    """The episodes of a key, in order of their begin."""
    episodes: list[Episode] = []
    for message in sorted(messages, key=lambda one: one.place):
        if message.kind == "firing":
            if not episodes or not episodes[-1].goes_on_with(message, within):
                episodes.append(Episode(message))
            episodes[-1].fire(message)
        for one in _meant(episodes, message):
            match message.kind:
                case "resolved" if one.end is None:
                    one.end = message
                case "acknowledged" if one.end is None:
                    one.take(message)
                case "close" if one.closed is None:
                    one.end = one.end or message
                    one.closed = message
                case "reopen" if one.end is not None:
                    one.open_again(message)
    for one in episodes:
        one.began_at = one.began_at or one.begin.at
    return episodes


def _meant(episodes: Sequence[Episode], message: KeyMessage) -> Sequence[Episode]:
    """The episodes that a message is about: the last one, or of a person's step that of the incident it names.

    Where its end was heard after the step, the person could not know that what was open by then was another incident:
    it was acknowledged and closed with it. What opens again is the last one, so that no two are open at once.
    """
    named = next((one for one in episodes if message.by and message.incident_id in one.ids), None)
    if named is None or named is episodes[-1] or message.kind == "reopen":
        return episodes[-1:]
    is_news = named.end is not None and named.end.heard_at > message.heard_at and episodes[-1].end is None
    return [named, episodes[-1]] if is_news else [named]


def messages_of_row(last: LastIncident) -> list[KeyMessage]:
    """What an incident's row says was heard, where nothing else of its key is kept."""
    row = last.row
    early = [at for at in (last.opened_at, last.started_at, last.sender_at) if at is not None]
    live = last.status in LIVE_INCIDENTS
    begin = min(early) if live and row.get("opened_heard_at") is None else last.opened_at
    heard = row.get("opened_heard_at") or last.opened_at
    key_messages = [KeyMessage("firing", begin, begin, heard, last.started_at, last.id)]
    if last.acknowledged_at is not None or last.status == "acknowledged":
        at = last.acknowledged_at or begin
        key_messages.append(
            KeyMessage(
                "acknowledged", at, at, row.get("acknowledged_heard_at") or at, None, None, row.get("acknowledged_by")
            )
        )
    ended = last.resolved_at or last.closed_at
    if not live:
        end = max(ended or begin, begin)
        sent = last.sender_at if last.sender_at is not None and begin <= last.sender_at <= end else end
        heard = row.get("resolved_heard_at") or end
        if last.status == "closed":
            closed = last.closed_at or end
            if last.resolved_at is not None:
                key_messages.append(KeyMessage("resolved", end, sent, heard))
            key_messages.append(
                KeyMessage("close", max(closed, end), max(closed, end), closed, by=row.get("closed_by"))
            )
        else:
            key_messages.append(KeyMessage("resolved", min(end, sent), sent, heard))
    return key_messages


def shorten(messages: Sequence[KeyMessage], within: timedelta) -> list[KeyMessage]:
    """The newest messages; of older ones those without which their episodes would be others."""
    ordered = sorted(messages, key=lambda one: one.place)
    old, new = ordered[:-MOST_MESSAGES], ordered[-MOST_MESSAGES:]
    return [message for one in derive_episodes(old, within)[-MOST_EPISODES:] for message in one.outline()] + new


def write_messages(messages: Sequence[KeyMessage]) -> list[Json]:
    """Messages as the store keeps them."""
    return [
        [one.kind, *(_text(at) for at in (one.at, one.sent_at, one.heard_at, one.began_at)), one.incident_id, one.by]
        for one in messages
    ]


def read_messages(value: object) -> list[KeyMessage]:
    """The same back from there."""
    return [
        KeyMessage(kind, _moment(at), _moment(sent), _moment(heard), _moment(began) if began else None, identifier, by)
        for kind, at, sent, heard, began, identifier, by in (value if isinstance(value, list) else ())
    ]


def _text(at: datetime | None) -> str | None:
    return at.isoformat() if at else None


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)
