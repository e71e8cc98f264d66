"""A request as handlers see it, and what they answer. Nothing here knows Bottle."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cached_property
from typing import Any, TypeVar

import msgspec

from engine.model.document import Position
from engine.model.errors import BadRequest
from engine.runtime.services import Services

MAX_BODY = 1024 * 1024
T = TypeVar("T")
NO_STORE = "no-store"
REVALIDATE = "private, no-cache"


class Headers(Mapping[str, str]):
    """The request's headers by lower-case name, read from the WSGI environment when they are asked for."""

    def __init__(self, environ: Mapping[str, Any]) -> None:
        self._environ = environ

    def __getitem__(self, name: str) -> str:
        key = name.upper().replace("-", "_")
        value: str = self._environ[key if key in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{key}"]
        return value

    def __iter__(self) -> Iterator[str]:
        for key in self._environ:
            if key.startswith("HTTP_"):
                yield key[5:].replace("_", "-").lower()
            elif key in ("CONTENT_TYPE", "CONTENT_LENGTH"):
                yield key.replace("_", "-").lower()

    def __len__(self) -> int:
        return sum(1 for _ in self)


@dataclass(frozen=True)
class Principal:
    """Who asks: the organization comes from the credential alone. ``role`` is None for machines.

    ``head`` is where the organization's chain stood when the request was let in, where that was looked up.
    ``secret_sha256`` tells the credential that the write has to confirm.
    """

    org_id: str
    actor: str
    role: str | None = None
    credential_id: str | None = None
    workspace_id: str | None = None
    head: Position | None = None
    secret_sha256: str = ""


@dataclass
class Request:
    """One request. ``query`` holds each parameter once; ``raw_path`` and ``raw_query`` are as they came."""

    method: str
    path: str
    arguments: Mapping[str, str]
    query: Mapping[str, str]
    headers: Mapping[str, str]
    read_body: Callable[[], bytes]
    address: str
    id: str
    now: datetime
    services: Services
    principal: Principal | None = None
    raw_path: str = ""
    raw_query: str = ""

    @property
    def caller(self) -> Principal:
        """The authenticated caller; only handlers of public routes have none."""
        if self.principal is None:
            raise RuntimeError(f"{self.method} {self.path} is public and has no caller")
        return self.principal

    @cached_property
    def body(self) -> bytes:
        """The whole body; TooLarge over the limit."""
        return self.read_body()

    @cached_property
    def json(self) -> dict[str, Any]:
        """The body as a JSON object; BadRequest says what came instead."""
        if not self.body:
            raise BadRequest("The body must be a JSON object; it is empty.", word="invalid_body")
        try:
            value = msgspec.json.decode(self.body)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise BadRequest(
                f"The body must be a JSON object; it is not JSON ({error}).", word="invalid_body"
            ) from error
        if b"\\u0000" in self.body:
            raise BadRequest("The body may not hold the character U+0000.", word="invalid_body")
        if not isinstance(value, dict):
            kind = type(value).__name__.replace("list", "array").replace("NoneType", "null")
            raise BadRequest(f"The body must be a JSON object; it is a JSON {kind}.", word="invalid_body")
        return value

    def parsed(self, kind: type[T]) -> T:
        """The body as a msgspec struct; BadRequest names the member at fault, what was expected and what came."""
        try:
            return msgspec.convert(self.json, kind)
        except msgspec.ValidationError as error:
            expected, _, place = str(error).partition(" - at `$")
            member = place.rstrip("`").lstrip(".") or "body"
            if not place and expected.startswith("Object "):  # a member too many, or one too few
                known = ", ".join(one.encode_name for one in msgspec.structs.fields(kind))  # type: ignore[arg-type]
                expected = f"{expected}; its members are {known}"
            raise BadRequest(
                f"The body does not fit: {expected}" + (f" (at {member})." if place else "."),
                word="invalid_body",
                details=[{"field": member, "expected": expected}],
            ) from error


@dataclass
class Response:
    """What goes back. ``body`` may be an iterable of chunks, which is streamed."""

    body: bytes | Iterable[bytes] = b""
    content_type: str = "application/json"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    cache: str = NO_STORE


Handler = Callable[[Request], Response]


def _as_text(value: Any) -> str:
    """What msgspec writes for plain dates, for subclasses of them."""
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, date):
        return value.isoformat()
    raise NotImplementedError(f"an answer cannot hold {type(value).__name__}")


_encode = msgspec.json.Encoder(enc_hook=_as_text).encode


def answer(value: Any, *, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """A JSON answer."""
    return Response(_encode(value) + b"\n", status=status, headers=dict(headers or {}))
