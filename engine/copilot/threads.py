"""Conversations that are kept: each belongs to one member, and does not exist for anybody else."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from msgspec import to_builtins

from engine.copilot.turns import Turn
from engine.model.errors import Conflict
from engine.store import Revision, Store
from engine.store.ids import new_id
from engine.store.rows import many, one
from engine.store.schema.automation import copilot_messages, copilot_threads

MOST_MESSAGES = 500
UNTITLED = "New conversation"


@dataclass(frozen=True)
class Conversations:
    """Those of one member of an organization."""

    store: Store
    org_id: str
    email: str

    def create(self, title: str | None, *, now: datetime) -> dict[str, object]:
        """Begin a conversation."""

        def change(revision: Revision) -> dict[str, object]:
            thread_id = new_id("thr")
            row = {"id": thread_id, "email": self.email, "title": title or UNTITLED, "created_at": revision.now}
            revision.insert(copilot_threads, [row])
            revision.record("copilot.thread.created", object_type="copilot_thread", object_id=thread_id)
            return _thread(row)

        return self.store.write(self.org_id, self.email, change, now=now)

    def newest(self, limit: int) -> list[dict[str, object]]:
        """The conversations, newest first."""
        with self.store.reader() as connection:
            rows = many(connection, copilot_threads, self.org_id, email=self.email, order=("-created_at",), limit=limit)
        return [_thread(row) for row in rows]

    def read(self, thread_id: str) -> tuple[dict[str, object], list[dict[str, object]]]:
        """A conversation and its messages, oldest first; NotFound when it is not the member's."""
        with self.store.reader() as connection:
            thread = one(connection, copilot_threads, self.org_id, id=thread_id, email=self.email)
            rows = many(connection, copilot_messages, self.org_id, thread_id=thread_id)
        return _thread(thread), [_message(row) for row in rows]

    def history(self, thread_id: str) -> list[dict[str, str]]:
        """The messages as a model reads them. NotFound as ``read`` raises it, Conflict without room for more."""
        _, messages = self.read(thread_id)
        _check_capacity(messages)
        return [{"role": str(message["role"]), "content": str(message["content"])} for message in messages]

    def append(self, thread_id: str, question: str, turn: Turn, text: str, *, now: datetime) -> list[dict[str, object]]:
        """Keep a turn and the text that it came to, both messages or none, and note it without what they say."""

        def change(revision: Revision) -> list[dict[str, object]]:
            one(revision.connection, copilot_threads, self.org_id, id=thread_id, email=self.email)
            _check_capacity(many(revision.connection, copilot_messages, self.org_id, thread_id=thread_id))
            common = {"thread_id": thread_id, "created_at": now}
            sources = {
                "provider": turn.provider,
                "confidence": turn.confidence,
                "citations": to_builtins(turn.citations),
            }
            number = f"msg_{revision.seq:012d}"  # sorts in the order of writing
            rows = [
                {"id": f"{number}_1", "role": "user", "body": question, "citations": None, **common},
                {"id": f"{number}_2", "role": "assistant", "body": text, "citations": sources, **common},
            ]
            revision.insert(copilot_messages, rows)
            revision.record(
                "copilot.message.answered",
                object_type="copilot_thread",
                object_id=thread_id,
                details={"provider": turn.provider, "sent_to": list(turn.providers_used)},
            )
            return [_message(row) for row in rows]

        return self.store.write(self.org_id, self.email, change, now=now)

    def note_figures(self, turn: Turn, *, now: datetime) -> None:
        """Note that figures of the organization left for a provider, in a conversation that is not kept."""
        if turn.providers_used:
            details = {"sent_to": list(turn.providers_used)}
            self.store.write(
                self.org_id,
                self.email,
                lambda revision: revision.record("copilot.figures.sent", details=details),
                now=now,
            )


def conversations(store: Store, org_id: str, email: str) -> Conversations:
    """The conversations of a member; everybody else's are not there."""
    return Conversations(store, org_id, email)


def _check_capacity(messages: Sequence[object]) -> None:
    """Conflict when a conversation can take no further turn."""
    if len(messages) + 2 > MOST_MESSAGES:
        raise Conflict(
            f"A conversation may have {MOST_MESSAGES} messages, and this one is full; begin another.",
            word="thread_full",
        )


def _thread(row: Mapping[str, object]) -> dict[str, object]:
    return {name: row[name] for name in ("id", "title", "created_at")}


def _message(row: Mapping[str, object]) -> dict[str, object]:
    shown = {"id": row["id"], "role": row["role"], "content": row["body"], "created_at": row["created_at"]}
    sources = row["citations"]
    return {**shown, **sources} if isinstance(sources, dict) else shown
