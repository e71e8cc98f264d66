"""The doors of the copilot. A chat answers as OpenAI's chat completions do, so that their clients can read it."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Annotated, Literal

import msgspec

from engine import copilot
from engine.copilot import Conversations, Lookup, ProviderError, Turn
from engine.intake.redaction import redact_own_keys
from engine.model import event_stream
from engine.model.declarations.ask import Parameter
from engine.model.errors import BadRequest, Problem, Unauthorized
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


Keep = Callable[[Turn, str], list[dict[str, object]]]


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
    if keep is None and request.principal is not None:
        _conversations(request).note_figures(turn, now=request.now)
    about = {"id": new_id("chat"), "created": int(request.now.timestamp()), "model": turn.model}
    if body.stream:
        events = _events(turn, about, keep, body.thread_id)
        sent = events if turn.completion else b"".join(events)  # what is there already keeps no thread waiting
        return Response(sent, event_stream.CONTENT_TYPE, headers={"X-Accel-Buffering": "no"})
    text = "".join(turn.pieces)
    if keep is not None:
        keep(turn, text)
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": turn.finish}
    return answer(
        {**about, "object": "chat.completion", "choices": [choice], **_origin(turn), **_sources(turn, body.thread_id)}
    )


def list_threads(request: Request) -> Response:
    """The caller's own conversations."""
    return answer({"threads": _conversations(request).newest(request.options["limit"])})


def create_thread(request: Request, body: NewThread) -> Response:
    """Begin a conversation with the copilot; the body may be empty."""
    title = None if body.title is None else _text(body.title)
    return answer({"thread": _conversations(request).create(title, now=request.now)}, status=201)


def list_messages(request: Request) -> Response:
    """A conversation of the caller, oldest message first."""
    thread, messages = _conversations(request).read(request.arguments["id"])
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


def _run(request: Request, conversation: Sequence[dict[str, str]], *, stream: bool) -> Turn:
    look = None if request.principal is None else partial(_look_up, request, request.principal)
    return copilot.answer(request.services.settings, conversation, look, stream=stream)


def _look_up(request: Request, caller: Principal, question: str, before: Sequence[str], for_model: bool) -> Lookup:
    arguments = (caller.org_id, caller.actor, request.now, question, tuple(before), for_model)
    return request.computing.call(request, copilot.look_up, arguments)


def _conversations(request: Request) -> Conversations:
    caller = request.caller
    return copilot.conversations(request.services.store, caller.org_id, caller.actor)


def _history(request: Request, thread_id: str) -> list[dict[str, str]]:
    """What was said in a conversation; it must be the caller's, and have room for a turn."""
    if request.principal is None:
        raise Unauthorized("A conversation that is kept needs a session.")
    return _conversations(request).history(thread_id)


def _keeper(request: Request, thread_id: str, question: str) -> Keep:
    """Keeps the turn that answers ``question`` once its text is there."""

    def keep(turn: Turn, text: str) -> list[dict[str, object]]:
        return _conversations(request).append(thread_id, question, turn, text, now=request.now)

    return keep


def _events(turn: Turn, about: dict[str, object], keep: Keep | None, thread_id: str | None) -> Iterator[bytes]:
    """Chunks of the answer; one that breaks off ends with an error and without the mark of the end."""

    def chunk(delta: dict[str, str], more: dict[str, object] = NOTHING, finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return event_stream.event({**about, "object": "chat.completion.chunk", "choices": [choice], **more})

    said = []
    try:
        yield chunk({"role": "assistant", "content": ""}, _origin(turn))
        for piece in turn.pieces:
            said.append(piece)
            yield chunk({"content": piece})
        if keep is not None:
            keep(turn, "".join(said))
        yield chunk({}, _sources(turn, thread_id), turn.finish)
        yield event_stream.end_event()
    except ProviderError as error:
        yield event_stream.error_event("The provider broke off its answer.", "provider_error", error.reason)
    except Problem as problem:
        yield event_stream.error_event(problem.message, "not_kept", problem.word)
    finally:
        turn.close()


def _origin(turn: Turn) -> dict[str, object]:
    return {"provider": turn.provider, "skipped": turn.skipped}


def _sources(turn: Turn, thread_id: str | None) -> dict[str, object]:
    sources: dict[str, object] = {"citations": turn.citations, "confidence": turn.confidence}
    return sources if thread_id is None else {**sources, "thread_id": thread_id}


def _text(given: str) -> str:
    """What was written, without the secrets in it; BadRequest when nothing is left but space."""
    if not given.strip():
        raise _invalid("content", "some text", "only space")
    return redact_own_keys(given)


def _invalid(field: str, expected: str, got: str) -> BadRequest:
    return BadRequest(
        f"The body does not fit: {field} must have {expected}; got {got}.",
        word="invalid_body",
        details=[{"field": field, "expected": expected, "got": got}],
    )
