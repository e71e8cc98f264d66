"""Answers that are found before the server sends them: one that is in memory, or those of requests that write together.

They travel in the WSGI environment, so that they leave as any other.
"""

from collections.abc import Sequence
from http import HTTPStatus
from wsgiref.types import StartResponse, WSGIEnvironment

from engine.web.http import Response

_READY = "hq.answer"
_NO_BODY = (204, 304)
_LINES = {status.value: f"{status.value} {status.phrase}" for status in HTTPStatus}
_LEFT_OUT = {204: ("Content-Type", "Content-Length"), 304: ("Content-Type", "Content-Length", "Last-Modified")}

ReadyAnswer = tuple[str, Response]
"""The identifier of a request, and what to say to it."""


def keep_answer(environ: WSGIEnvironment, answer: ReadyAnswer) -> None:
    """Leave the answer to a request with it."""
    environ[_READY] = answer


def take_answer(environ: WSGIEnvironment) -> ReadyAnswer | None:
    """The answer that was left, None where there is none."""
    answer: ReadyAnswer | None = environ.get(_READY)
    return answer


def send_bytes(
    response: Response, headers: dict[str, list[str]], environ: WSGIEnvironment, start_response: StartResponse
) -> Sequence[bytes]:
    """An answer whose body is bytes, as Bottle would send it."""
    data = response.body
    if not isinstance(data, bytes):
        raise TypeError(f"The body of a ready answer must be bytes; got {type(data).__name__}.")
    headers["Content-Length"] = [str(len(data))]
    left_out = _LEFT_OUT.get(response.status, ())
    start_response(
        _LINES[response.status],
        [(name, value) for name, values in headers.items() if name not in left_out for value in values],
    )
    return [data] if data and response.status not in _NO_BODY and environ["REQUEST_METHOD"] != "HEAD" else []
