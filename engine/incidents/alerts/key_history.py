"""All that was heard of one key, and the incidents that follow from it."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, NamedTuple

from engine.incidents.alerts.episodes import (
    Episode,
    KeyMessage,
    derive_episodes,
    messages_of_row,
    read_messages,
    shorten,
    write_messages,
)
from engine.store import Lookups, Revision
from engine.store.queries.accounts.settings import thresholds_by_name
from engine.store.queries.operations.ingest import EarlyEvents, LastIncident, as_last, early_by_key, last_incidents
from engine.store.rows import one
from engine.store.schema.ingest import early_events
from engine.store.schema.services import incidents

REOPEN = "alert_reopen_minutes"
PARENT = ("parent_id", "parent_state", "parent_reason")
PART_OF = "its alerts are part of it, as a message that came late shows"


class HistoryStep(NamedTuple):
    """What a message did to the episodes of its key: those before it and those after, and whether it was news."""

    before: list[Episode]
    after: list[Episode]
    is_news: bool

    def was(self, identifier: str | None) -> Episode | None:
        """The episode of an incident as it was before."""
        return next((episode for episode in self.before if identifier and identifier in episode.ids), None)


def prefetch_histories(keys: Sequence[str]) -> Lookups:
    """What histories of these keys will look up."""
    return (last_incidents, keys), (early_by_key, keys), (thresholds_by_name, [REOPEN])


class KeyHistory:
    """The messages of a key within one revision. ``kept``: they are in the store beside its incidents."""

    def __init__(self, revision: Revision, key: str, last: LastIncident | None, *, kept: bool = True) -> None:
        self.revision = revision
        self.key = key
        self.last = last
        self._kept = kept
        self._early: EarlyEvents | None = revision.look_up(early_by_key, [key])[key] if kept else None
        minutes = revision.look_up(thresholds_by_name, [REOPEN])[REOPEN]
        self._within = timedelta(minutes=minutes or 0)
        self.messages = self._initial_messages()
        self._rows: dict[str, Mapping[str, Any]] = {}

    def _initial_messages(self) -> list[KeyMessage]:
        if self._early is not None and self._early.messages is not None:
            kept = read_messages(self._early.messages)
            if self.last is not None:
                return kept
            # its incidents went with their time: what was heard of them makes none again
            return [one for one in kept if one.kind in ("resolved", "acknowledged") and one.incident_id is None]
        key_messages = messages_of_row(self.last) if self.last else []
        if self._early is not None:
            for kind, at in (("resolved", self._early.recovered_at), ("acknowledged", self._early.acknowledged_at)):
                if at is not None:
                    key_messages.append(KeyMessage(kind, at, at, at))  # type: ignore[arg-type]  # one of two words
        return key_messages

    def episodes(self) -> list[Episode]:
        """As they are by what is known now."""
        return derive_episodes(self.messages, self._within)

    def no_step(self) -> HistoryStep:
        """The step of a message that says nothing new."""
        known = self.episodes()
        return HistoryStep(known, known, False)

    def take(self, message: KeyMessage) -> HistoryStep:
        """The episodes with one more message; nothing is written before ``save``."""
        before = self.episodes()
        known = any(message.is_same(one) for one in self.messages)
        if not known:
            self.messages = [*self.messages, message]
        return HistoryStep(before, self.episodes(), not known)

    def name(self, episode: Episode, incident_id: str) -> None:
        """The incident that an episode without one now has."""
        begin = episode.begin._replace(incident_id=incident_id)
        self.messages = [begin if one is episode.begin else one for one in self.messages]
        episode.ids.insert(0, incident_id)

    def save(self) -> None:
        """Keep the messages."""
        if not self._kept:
            return
        recovered = [one.sent_at for one in self.messages if one.kind == "resolved"]
        taken = [one.sent_at for one in self.messages if one.kind == "acknowledged"]
        known = EarlyEvents(
            max(recovered, default=None), max(taken, default=None), write_messages(shorten(self.messages, self._within))
        )
        row = {**known._asdict(), "seen_at": self.revision.now}
        if self._early is None:
            self.revision.buffer_insert(early_events, {"dedupe_key": self.key, **row})
        else:
            self.revision.buffer_update(early_events, {"dedupe_key": self.key}, row)
        self._early = known
        self.revision.cache_lookup(early_by_key, self.key, known)

    # -- the incidents ---------------------------------------------------------------------------------------------

    def differences(self, step: HistoryStep) -> dict[str, dict[str, Any]]:  # values of rows
        """What a message changes of each incident that there is already."""
        changed, before = {}, _columns_by_incident(step.before)
        for identifier, now in _columns_by_incident(step.after).items():
            was = before.get(identifier, {})
            now = {**dict.fromkeys(PARENT if "parent_id" in was else ()), **now}
            values = {name: value for name, value in now.items() if name not in was or was[name] != value}
            if values:
                changed[identifier] = values
        return changed

    def row(self, identifier: str) -> Mapping[str, Any]:  # a row
        """An incident of the key, whole."""
        if self.last is not None and identifier == self.last.id:
            return self.last.row
        if identifier not in self._rows:
            self._rows[identifier] = dict(one(self.revision.records, incidents, self.revision.org_id, id=identifier))
            self._restore_lookups()
        return self._rows[identifier]

    def update(self, identifier: str, values: Mapping[str, Any]) -> None:  # values of a row
        """Change an incident of the key."""
        row = self.row(identifier)
        self.revision.buffer_update(incidents, row, dict(values))
        self._learn({**row, **values})

    def insert(self, row: Mapping[str, Any]) -> None:  # a row
        """A new incident of the key."""
        self._learn(self.revision.buffer_insert(incidents, row))

    def origin(self, step: HistoryStep, episode: Episode) -> str:
        """The incident that the first message of an episode counted on; the last one where that was forgotten."""
        before = next((one.id for one in step.before if one.id and episode.begin in one.members), None)
        if before is not None:
            return before
        if self.last is None:
            raise ValueError(f"an episode of {self.key} comes from no incident")
        return self.last.id

    # Any: values of a row
    def split_row(self, origin: str, step: HistoryStep, episode: Episode, identifier: str) -> dict[str, Any]:
        """An incident like the one that its alerts counted on, of which it turned out to be no part."""
        values = {name: value for name, value in self.row(origin).items() if name not in ("org_id", "revision")}
        return {
            **values,
            **dict.fromkeys(("owner", "mitigated_at", *PARENT)),
            **episode.columns(),
            "id": identifier,
            "alert_count": len(episode.members),
            "related_to": earlier_incident(step.after, episode),
        }

    def _learn(self, row: Mapping[str, Any]) -> None:  # a row
        known = as_last(row)
        if self.last is None or known.id == self.last.id:
            self.last = known
        elif (known.opened_at, known.id) > (self.last.opened_at, self.last.id):
            self._rows[self.last.id] = self.last.row
            self.last = known
        else:
            self._rows[known.id] = row
        newest = max((self.last, *map(as_last, self._rows.values())), key=lambda one: (one.opened_at, one.id))
        if newest.id != self.last.id:
            self._rows[self.last.id] = self.last.row
            self._rows.pop(newest.id)
            self.last = newest
        self._restore_lookups()

    def _restore_lookups(self) -> None:
        """Whoever reads the store itself is taken to change it: what is known of this key is known still."""
        if self._kept:
            self.revision.cache_lookup(last_incidents, self.key, self.last)
            self.revision.cache_lookup(early_by_key, self.key, self._early)


def earlier_incident(episodes: Sequence[Episode], episode: Episode) -> str | None:
    """The incident of the same key before an episode, by the sender's clock."""
    return next((one.id for one in reversed(episodes) if one.id and one.begin.place < episode.begin.place), None)


def _columns_by_incident(episodes: Sequence[Episode]) -> dict[str, dict[str, Any]]:  # values of rows
    incident = {}
    for episode in episodes:
        for number, identifier in enumerate(episode.ids):
            whole = {**episode.columns(), "related_to": earlier_incident(episodes, episode)}
            incident[identifier] = _columns_of_part(episode, identifier) if number else whole
    return incident


def _columns_of_part(episode: Episode, identifier: str) -> dict[str, Any]:  # values of a row
    """An incident whose alerts turned out to be those of an earlier one: it stays, and lasted no time of its own."""
    begin = _begin_of(episode, identifier)
    return {
        **dict.fromkeys(episode.columns()),
        "status": "closed",
        "opened_at": begin.at,
        "opened_heard_at": begin.heard_at,
        "closed_at": begin.at,
        "parent_id": episode.ids[0],
        "parent_state": "confirmed",
        "parent_reason": PART_OF,
    }


def _begin_of(episode: Episode, identifier: str) -> KeyMessage:
    return next(one for one in episode.members if one.incident_id == identifier)
