"""The doors of the copilot. A chat answers as OpenAI's chat completions do, so that their clients can read it."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from functools import partial
from typing import Annotated, Literal

import msgspec

from engine.copilot import sse, threads, turns
from engine.copilot.prompts import without_secrets
from engine.copilot.providers import ProviderError
from engine.model.declarations.ask import Parameter
from engine.model.errors import BadRequest, Problem, Unauthorized
from engine.runtime.services import Services
from engine.store.ids import new_id
from engine.web.http import Principal, Request, Response, answer

NOTHING: dict[str, object] = {}
MOST_CHARACTERS = 40_000
LIMIT = Parameter("limit", 50, "how many conversations, newest first", 1, 200)
Content = Annotated[str, msgspec.Meta(min_length=1, max_length=8_000)]


class ChatMessage(msgspec.Struct):
    role: Literal["system", "user", "assistant"]
    content: Content


class Chat(msgspec.Struct):
    messages: Annotated[list[ChatMessage], msgspec.Meta(min_length=1, max_length=50)]
    stream: bool = False
    thread_id: Annotated[str, msgspec.Meta(min_length=1, max_length=200)] | None = None


class NewThread(msgspec.Struct, forbid_unknown_fields=True):
    title: Annotated[str, msgspec.Meta(min_length=1, max_length=200)] | None = None


class NewMessage(msgspec.Struct, forbid_unknown_fields=True):
    content: Content


Keep = Callable[[turns.Turn, str], list[dict[str, object]]]


def chat(request: Request, body: Chat) -> Response:
    """Answer the last message, whole or as a stream.

    With ``thread_id`` the turn is kept, and what was said before in that thread stands in for the messages before the
    last.
    """
    conversation = [{"role": message.role, "content": _text(message.content)} for message in body.messages]
    if conversation[-1]["role"] != "user":
        raise _invalid("messages", "the last message to be the user's", f"one of the {conversation[-1]['role']}")
    characters = sum(len(message["content"]) for message in conversation)
    if characters > MOST_CHARACTERS:
        raise _invalid("messages", f"at most {MOST_CHARACTERS:,} characters together", f"{characters:,}")
    keep = None
    if body.thread_id is not None:
        conversation = [*_history(request, body.thread_id), conversation[-1]]
        keep = _keeper(request, body.thread_id, conversation[-1]["content"])
    turn = _run(request, conversation, stream=body.stream)
    if keep is None and request.principal is not None and turn.providers_used:
        caller = request.principal
        threads.note_figures(request.services.store, caller.org_id, caller.actor, turn.providers_used, now=request.now)
    about = {"id": new_id("chat"), "created": int(request.now.timestamp()), "model": turn.model}
    if body.stream:
        events = _events(turn, about, keep, body.thread_id)
        sent = events if turn.completion else b"".join(events)  # what is there already keeps no thread waiting
        return Response(sent, sse.CONTENT_TYPE, headers={"X-Accel-Buffering": "no"})
    text = "".join(turn.pieces)
    if keep is not None:
        keep(turn, text)
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": turn.finish}
    return answer(
        {**about, "object": "chat.completion", "choices": [choice], **_origin(turn), **_sources(turn, body.thread_id)}
    )


def list_threads(request: Request) -> Response:
    """The caller's own conversations."""
    caller, limit = request.caller, request.options["limit"]
    return answer({"threads": threads.list_threads(request.services.store, caller.org_id, caller.actor, limit)})


def create_thread(request: Request, body: NewThread) -> Response:
    """Begin a conversation with the copilot; the body may be empty."""
    caller = request.caller
    title = None if body.title is None else _text(body.title)
    made = request.services.store.write(
        caller.org_id, caller.actor, lambda revision: threads.create(revision, title), now=request.now
    )
    return answer({"thread": made}, status=201)


def list_messages(request: Request) -> Response:
    """A conversation of the caller, oldest message first."""
    caller = request.caller
    thread, messages = threads.read(request.services.store, caller.org_id, caller.actor, request.arguments["id"])
    return answer({"thread": thread, "messages": messages})


def create_message(request: Request, body: NewMessage) -> Response:
    """Say something in a conversation and get the answer; both are kept."""
    text = _text(body.content)
    thread_id = request.arguments["id"]
    history = _history(request, thread_id)
    turn = _run(request, [*history, {"role": "user", "content": text}], stream=False)
    kept = _keeper(request, thread_id, text)(turn, "".join(turn.pieces))
    return answer(
        {"thread_id": thread_id, "messages": kept, **_origin(turn), "confidence": turn.confidence}, status=201
    )


def _run(request: Request, conversation: Sequence[dict[str, str]], *, stream: bool) -> turns.Turn:
    look = None if request.principal is None else partial(_look_up, request, request.principal)
    return turns.run(request.services.settings, conversation, look, stream=stream)


def _look_up(
    request: Request, caller: Principal, question: str, before: Sequence[str], for_model: bool
) -> turns.Lookup:
    arguments = (caller.org_id, caller.actor, request.now, question, tuple(before), for_model)
    return request.computing.call(request, look_up, arguments)


def look_up(
    services: Services, org_id: str, asker: str, now: datetime, question: str, before: Sequence[str], for_model: bool
) -> turns.Lookup:
    """What the records of an organization say to a question."""
    from engine.copilot.answers.library import Library

    return turns.look_up(Library(services.snapshots, org_id, now=now), asker, question, before, for_model)


def _history(request: Request, thread_id: str) -> list[dict[str, str]]:
    """What was said in a conversation; it must be the caller's, and have room for a turn."""
    caller = request.principal
    if caller is None:
        raise Unauthorized("A conversation that is kept needs a session.")
    _, messages = threads.read(request.services.store, caller.org_id, caller.actor, thread_id)
    threads.check_capacity(messages)
    return [{"role": str(message["role"]), "content": str(message["content"])} for message in messages]


def _keeper(request: Request, thread_id: str, question: str) -> Keep:
    """Keeps the turn that answers ``question`` once its text is there."""

    def keep(turn: turns.Turn, text: str) -> list[dict[str, object]]:
        said = threads.ThreadMessage(text, turn.provider, turn.confidence, turn.citations, turn.providers_used)
        caller, store = request.caller, request.services.store
        return threads.append(store, caller.org_id, caller.actor, thread_id, question, said, now=request.now)

    return keep


def _events(turn: turns.Turn, about: dict[str, object], keep: Keep | None, thread_id: str | None) -> Iterator[bytes]:
    """Chunks of the answer; one that breaks off ends with an error and without the mark of the end."""

    def chunk(delta: dict[str, str], more: dict[str, object] = NOTHING, finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return sse.event({**about, "object": "chat.completion.chunk", "choices": [choice], **more})

    said = []
    try:
        yield chunk({"role": "assistant", "content": ""}, _origin(turn))
        for piece in turn.pieces:
            said.append(piece)
            yield chunk({"content": piece})
        if keep is not None:
            keep(turn, "".join(said))
        yield chunk({}, _sources(turn, thread_id), turn.finish)
        yield sse.end_event()
    except ProviderError as error:
        yield _error("The provider broke off its answer.", "provider_error", error.reason)
    except Problem as problem:
        yield _error(problem.message, "not_kept", problem.word)
    finally:
        turn.close()


def _error(message: str, kind: str, code: str) -> bytes:
    return sse.event({"error": {"message": message, "type": kind, "code": code}})


def _origin(turn: turns.Turn) -> dict[str, object]:
    return {"provider": turn.provider, "skipped": turn.skipped}


def _sources(turn: turns.Turn, thread_id: str | None) -> dict[str, object]:
    sources: dict[str, object] = {"citations": turn.citations, "confidence": turn.confidence}
    return sources if thread_id is None else {**sources, "thread_id": thread_id}


def _text(given: str) -> str:
    """What was written, without the secrets in it; BadRequest when nothing is left but space."""
    if not given.strip():
        raise _invalid("content", "some text", "only space")
    return without_secrets(given)


def _invalid(field: str, expected: str, got: str) -> BadRequest:
    return BadRequest(
        f"The body does not fit: {field} must have {expected}; got {got}.",
        word="invalid_body",
        details=[{"field": field, "expected": expected, "got": got}],
    )
