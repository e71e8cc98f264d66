"""A request as handlers see it, and what they answer. Nothing here knows Bottle."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cached_property
from typing import Any, BinaryIO, Generic, Protocol, TypeAlias, TypeVar
from wsgiref.types import WSGIEnvironment

import msgspec

from engine.model.declarations.as_of import AsOf
from engine.model.documents.document import Position
from engine.reporting.snapshot.snapshot import Artifact
from engine.runtime.services import Services
from engine.store import Write
from engine.web.lanes import REPORTS, Lane

T = TypeVar("T")
MAX_BODY = 1024 * 1024
NO_STORE = "no-store"
REVALIDATE = "private, no-cache"
# Any: a parameter's value is what its declaration says, an integer or a text, and handlers know which
Options: TypeAlias = Mapping[str, Any]


class Headers(Mapping[str, str]):
    """The request's headers by lower-case name, read from the WSGI environment when they are asked for."""

    def __init__(self, environ: WSGIEnvironment) -> None:
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


@dataclass(frozen=True)
class Question:
    """A report that is asked for, ``at`` a past moment or now; ``hashed`` where the hash of what it says is wanted
    beside it."""

    org_id: str
    report: str
    query: tuple[tuple[str, str], ...]
    form: str
    hashed: bool
    at: AsOf | None = None


class Computation(Protocol):
    """Where what takes long is computed."""

    def call(
        self, request: "Request", function: Callable[..., T], arguments: tuple[object, ...], lane: Lane = REPORTS
    ) -> T:
        """A function of a module, called with the services of whoever computes."""

    def report(self, request: "Request", question: Question, head: Position | None) -> tuple[Artifact, str | None]:
        """A report's artifact, and the hash of what it says; from the artifacts, or computed now.

        ``head`` spares the look where it was just read. Unavailable: it took too long, or the client hung up.
        """


@dataclass
class Request:
    """One request. ``query`` holds each parameter once as text, ``options`` those that the route declares with their
    values; ``raw_path`` and ``raw_query`` are as they came; ``gone`` tells whether the client hung up meanwhile."""

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
    computing: Computation
    principal: Principal | None = None
    options: Options = field(default_factory=dict)
    raw_path: str = ""
    raw_query: str = ""
    gone: Callable[[], bool] = bool

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


@dataclass
class Response:
    """What goes back. ``body`` may be an iterable of chunks, which is streamed, or a file, which the server reads."""

    body: bytes | Iterable[bytes] | BinaryIO = b""
    content_type: str = "application/json"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    cache: str = NO_STORE


@dataclass(frozen=True)
class PendingWrite(Generic[T]):
    """An answer that follows from a small write: those of several requests share a transaction, and its one sync."""

    write: Write[T]
    answer: Callable[[T], Response]


def _as_text(value: object) -> str:
    """What msgspec writes for plain dates, for subclasses of them."""
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, date):
        return value.isoformat()
    raise NotImplementedError(f"an answer cannot hold {type(value).__name__}")


json_bytes = msgspec.json.Encoder(enc_hook=_as_text).encode


def answer(value: object, *, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """A JSON answer."""
    return Response(json_bytes(value) + b"\n", status=status, headers=dict(headers or {}))
