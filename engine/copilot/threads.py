"""Conversations that are kept: each belongs to one member, and does not exist for anybody else."""

from collections.abc import Mapping, Sequence
from datetime import datetime

import msgspec
from msgspec import to_builtins

from engine.copilot.answers.answers import Citation
from engine.model.errors import Conflict
from engine.model.vocabulary import Confidence
from engine.store import Revision, Store
from engine.store.ids import new_id
from engine.store.rows import many, one
from engine.store.schema.automation import copilot_messages, copilot_threads

MOST_MESSAGES = 500
UNTITLED = "New conversation"


class ThreadMessage(msgspec.Struct):
    """An assistant's message as it is kept."""

    text: str
    provider: str
    confidence: Confidence | None
    citations: tuple[Citation, ...]
    sent_to: tuple[str, ...]


def create(revision: Revision, title: str | None) -> dict[str, object]:
    """Begin a conversation of the revision's actor."""
    thread_id = new_id("thr")
    row = {"id": thread_id, "email": revision.actor, "title": title or UNTITLED, "created_at": revision.now}
    revision.insert(copilot_threads, [row])
    revision.record("copilot.thread.created", object_type="copilot_thread", object_id=thread_id)
    return _thread(row)


def list_threads(store: Store, org_id: str, email: str, limit: int) -> list[dict[str, object]]:
    """The member's conversations, newest first."""
    with store.reader() as connection:
        rows = many(connection, copilot_threads, org_id, email=email, order=("-created_at",), limit=limit)
    return [_thread(row) for row in rows]


def read(store: Store, org_id: str, email: str, thread_id: str) -> tuple[dict[str, object], list[dict[str, object]]]:
    """A conversation and its messages, oldest first; NotFound when it is not the member's."""
    with store.reader() as connection:
        thread = one(connection, copilot_threads, org_id, id=thread_id, email=email)
        rows = many(connection, copilot_messages, org_id, thread_id=thread_id)
    return _thread(thread), [_message(row) for row in rows]


def check_capacity(messages: Sequence[object]) -> None:
    """Conflict when a conversation can take no further turn."""
    if len(messages) + 2 > MOST_MESSAGES:
        raise Conflict(
            f"A conversation may have {MOST_MESSAGES} messages, and this one is full; begin another.",
            word="thread_full",
        )


def append(
    store: Store, org_id: str, email: str, thread_id: str, question: str, said: ThreadMessage, *, now: datetime
) -> list[dict[str, object]]:
    """Keep a turn, both messages or none, and note it without what was said; returns the two messages."""

    def change(revision: Revision) -> list[dict[str, object]]:
        one(revision.connection, copilot_threads, org_id, id=thread_id, email=email)
        check_capacity(many(revision.connection, copilot_messages, org_id, thread_id=thread_id))
        common = {"thread_id": thread_id, "created_at": now}
        sources = {"provider": said.provider, "confidence": said.confidence, "citations": to_builtins(said.citations)}
        number = f"msg_{revision.seq:012d}"  # sorts in the order of writing
        rows = [
            {"id": f"{number}_1", "role": "user", "body": question, "citations": None, **common},
            {"id": f"{number}_2", "role": "assistant", "body": said.text, "citations": sources, **common},
        ]
        revision.insert(copilot_messages, rows)
        revision.record(
            "copilot.message.answered",
            object_type="copilot_thread",
            object_id=thread_id,
            details={"provider": said.provider, "sent_to": list(said.sent_to)},
        )
        return [_message(row) for row in rows]

    return store.write(org_id, email, change, now=now)


def note_figures(store: Store, org_id: str, email: str, sent_to: Sequence[str], *, now: datetime) -> None:
    """Note that figures of the organization left for a provider, in a conversation that is not kept."""
    store.write(
        org_id,
        email,
        lambda revision: revision.record("copilot.figures.sent", details={"sent_to": list(sent_to)}),
        now=now,
    )


def _thread(row: Mapping[str, object]) -> dict[str, object]:
    return {name: row[name] for name in ("id", "title", "created_at")}


def _message(row: Mapping[str, object]) -> dict[str, object]:
    shown = {"id": row["id"], "role": row["role"], "content": row["body"], "created_at": row["created_at"]}
    sources = row["citations"]
    return {**shown, **sources} if isinstance(sources, dict) else shown
