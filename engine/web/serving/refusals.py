"""What the server itself answers, before or instead of the application: its JSON or its page, the same headers."""

import logging
import math
import random
from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import TypeAlias

import msgspec
from waitress.task import Task

from engine.model import event_stream
from engine.model.file_errors import FileFault

log = logging.getLogger("hq.web")
_BODIES = {"application/json": "Content-Type", "no-store": "Cache-Control", "nosniff": "X-Content-Type-Options"}


RefusalPage: TypeAlias = Callable[[HTTPStatus, str], tuple[Sequence[tuple[str, str]], bytes]]
"""Headers and body of a refusal for people: what its status and its message become."""


class HttpRefusal:
    """An answer without the application. waitress takes it for the ``error`` of a request.

    ``retry_after`` in seconds; ``closes`` where the rest of what the client sends is not read.
    """

    def __init__(
        self, status: HTTPStatus, word: str, message: str, *, retry_after: float | None = None, closes: bool = True
    ) -> None:
        self.status = status
        self.word = word
        self.message = message
        self.retry_after = None if retry_after is None else max(1, math.ceil(retry_after))
        self.closes = closes

    @property
    def body(self) -> bytes:
        """The JSON that every error answers with."""
        content: dict[str, object] = {"error": self.word, "message": self.message}
        if self.retry_after is not None:
            content["retry_after"] = self.retry_after
        return msgspec.json.encode(content) + b"\n"

    @property
    def headers(self) -> list[tuple[str, str]]:
        """Those of every error, ``Retry-After`` where it helps."""
        found = [(name, value) for value, name in _BODIES.items()]
        found.append(("X-Request-Id", f"{random.getrandbits(96):024x}"))
        return found if self.retry_after is None else [*found, ("Retry-After", str(self.retry_after))]


_WORDS = {
    400: "bad_request",
    413: "body_too_large",
    431: "header_too_large",
    500: "internal_error",
    501: "not_implemented",
}


class RefusalTask(Task):  # type: ignore[misc] # waitress has no types
    """waitress's answer to a request that has an ``error``: ours, or one of its parser's."""

    complete = True

    def execute(self) -> None:
        """Write the refusal."""
        error = self.request.error
        refusal = error if isinstance(error, HttpRefusal) else _of_parser(error.code, error.reason, error.body)
        if refusal.status != HTTPStatus.SERVICE_UNAVAILABLE:
            log.info("%s: %d %s", self.channel.addr[0], refusal.status, refusal.message)
        headers, body = refusal.headers, refusal.body
        page = self.channel.server.refusal_page
        if page is not None:
            more, body = page(refusal.status, refusal.message)
            headers = list({**dict(headers), **dict(more)}.items())
        self.status = f"{refusal.status.value} {refusal.status.phrase}"
        self.response_headers.extend([*headers, ("Content-Length", str(len(body)))])
        if refusal.closes:
            self.set_close_on_finish()
        self.content_length = len(body)
        self.write(b"" if getattr(self.request, "command", "") == "HEAD" else body)


def _of_parser(code: int, reason: str, detail: str) -> HttpRefusal:
    """What waitress could not read, in our words: its detail says what was expected."""
    sentence = f"The request cannot be read: {detail or reason}."
    return HttpRefusal(HTTPStatus(code), _WORDS.get(code, "bad_request"), sentence)


def busy(what: str, retry_after: float, *, closes: bool = False) -> HttpRefusal:
    """503: everything that could serve ``what`` is taken."""
    seconds = max(1, math.ceil(retry_after))
    return HttpRefusal(
        HTTPStatus.SERVICE_UNAVAILABLE,
        "busy",
        f"Too many requests for {what} wait already; try again in {seconds} s.",
        retry_after=seconds,
        closes=closes,
    )


def too_slow(what: str, expected: str) -> HttpRefusal:
    """408: ``what`` did not come in time."""
    return HttpRefusal(HTTPStatus.REQUEST_TIMEOUT, "request_timeout", f"The {what} did not come in time: {expected}.")


def no_room(fault: FileFault) -> HttpRefusal:
    """503: what comes in cannot be kept until it is whole."""
    return HttpRefusal(
        HTTPStatus.SERVICE_UNAVAILABLE,
        fault.word,
        f"The body cannot be taken in: {fault.reason}; try again later.",
        retry_after=fault.retry_after,
    )


def stopping() -> HttpRefusal:
    """503: the server ends, another one answers soon."""
    return HttpRefusal(
        HTTPStatus.SERVICE_UNAVAILABLE, "stopping", "The console is stopping; try again in 5 s.", retry_after=5
    )


def last_chunks(refusal: HttpRefusal) -> bytes:
    """The end of a chunked stream of events that breaks off: an event that says why."""
    event = event_stream.error_event(refusal.message, refusal.word, refusal.word)
    return b"%X\r\n%b\r\n0\r\n\r\n" % (len(event), event)
