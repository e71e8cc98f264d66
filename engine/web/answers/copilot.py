"""Answers of the chapter Copilot. A chat answers as OpenAI's chat completions do, with where its figures come from."""

from datetime import date, datetime
from typing import Literal

from msgspec import UNSET, UnsetType

from engine.model.vocabulary import ChatRole
from engine.web.answers.shape import Shape


class ReportCitation(Shape):
    """Where a figure or a row stands: its route, null where no route lists the row, and the revision it was read at."""

    number: int
    report: str
    route: str | None
    row: str | None
    as_of: date
    revision: int


class ProviderSkip(Shape):
    provider: str
    reason: str


class CompletionMessage(Shape):
    role: Literal["assistant"]
    content: str


class CompletionChoice(Shape):
    index: int
    message: CompletionMessage
    finish_reason: str


class ChatCompletion(Shape):
    id: str
    created: int
    model: str
    object: Literal["chat.completion"]
    choices: list[CompletionChoice]
    provider: str
    skipped: list[ProviderSkip]
    citations: list[ReportCitation]
    confidence: str | None
    thread_id: str | UnsetType = UNSET


class ThreadAnswer(Shape):
    id: str
    title: str
    created_at: datetime


class Threads(Shape):
    threads: list[ThreadAnswer]


class ThreadReceipt(Shape):
    thread: ThreadAnswer


class MessageAnswer(Shape):
    """A message of a conversation; the members after ``created_at`` are those of the copilot's."""

    id: str
    role: ChatRole
    content: str
    created_at: datetime
    provider: str | UnsetType | None = UNSET
    confidence: str | UnsetType | None = UNSET
    citations: list[ReportCitation] | UnsetType | None = UNSET


class Conversation(Shape):
    thread: ThreadAnswer
    messages: list[MessageAnswer]


class ThreadTurn(Shape):
    thread_id: str
    messages: list[MessageAnswer]
    provider: str
    skipped: list[ProviderSkip]
    confidence: str | None
