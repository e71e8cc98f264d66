"""What a route declares: Bottle serves it, ``hq routes`` prints it, ``hq openapi`` describes it."""

import inspect
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any, TypeAlias

from engine.model.declarations.ask import Parameter
from engine.web.admission.access import Access
from engine.web.admission.limits import SMALL, BodyLimit, Limit
from engine.web.bodies import Body
from engine.web.http import PendingWrite, Request, Response
from engine.web.lanes import GENERAL, Lane

# of the request, and of the body where the route declares one that the console reads; the write is of any type
Handler: TypeAlias = Callable[..., Response | PendingWrite[Any]]


WITH_BODY = ("POST", "PUT", "PATCH", "DELETE")  # methods of which a body is read, and held to the limit


@dataclass(frozen=True)
class MediaContent:
    """What an answer holds that is no JSON of ours. ``text`` content has a character set."""

    media_type: str
    text: bool = True


CSV = MediaContent("text/csv")
HTML = MediaContent("text/html")
ICS = MediaContent("text/calendar")
MARKDOWN = MediaContent("text/markdown")
PDF = MediaContent("application/pdf", text=False)
XLSX = MediaContent("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", text=False)
ZIP = MediaContent("application/zip", text=False)
EVENTS = MediaContent("text/event-stream")
PLAIN = MediaContent("text/plain")
ANYTHING = MediaContent("*/*", text=False)  # what a backend answers is the backend's

Answer: TypeAlias = type[object] | MediaContent


@dataclass(frozen=True)
class Route:
    """One line of the interface. ``{id}`` in a path is one segment, a final ``*`` is the rest.

    ``parameters`` are read before the handler is called, and any other name is refused; None leaves the query to the
    handler. ``headers`` are those that the handler looks at, ``size`` bounds the body.
    ``answer`` is what a success holds, several where the caller chooses; ``status`` which one, several where it says
    what was found. ``errors`` are those that neither access, limit, query nor body bring along. ``lane`` has the
    threads that serve it; ``in_worker``: the handler runs in one of the lane's worker processes, and
    answers with bytes. ``from_memory``: what it answers is often in memory, and then needs no thread. ``together``:
    the handler leaves a small write, which shares a transaction with those of other requests.
    """

    method: str
    path: str
    access: Access
    handler: Handler
    limit: Limit | None = None
    _: KW_ONLY
    parameters: tuple[Parameter, ...] | None = ()
    headers: tuple[Parameter, ...] = ()
    size: BodyLimit = SMALL
    body: Body | None = None
    answer: Answer | tuple[Answer, ...] = ()
    status: int | tuple[int, ...] = 200
    errors: tuple[int, ...] = ()
    lane: Lane = GENERAL
    in_worker: bool = False
    from_memory: bool = False
    together: bool = False

    @property
    def forwards(self) -> bool:
        """Whether the rest of the path and the query are somebody else's to read."""
        return self.path.endswith("/*")

    @property
    def has_variables(self) -> bool:
        """Whether more than one path leads here."""
        return "{" in self.path or self.forwards

    def respond(self, request: Request, *arguments: object) -> Response:
        """What the handler answers, of a route that leaves no write to be shared."""
        response = self.handler(request, *arguments)
        if isinstance(response, PendingWrite):
            raise TypeError(f"{self.method} {self.path} leaves a write")
        return response

    @property
    def rule(self) -> str:
        """The path as Bottle writes it."""
        return self.path.replace("{id}", "<id>").replace("/*", "/<rest:path>")

    @property
    def answers(self) -> tuple[Answer, ...]:
        """What a success may hold."""
        return self.answer if isinstance(self.answer, tuple) else (self.answer,)

    @property
    def statuses(self) -> tuple[int, ...]:
        """The statuses of success."""
        return self.status if isinstance(self.status, tuple) else (self.status,)

    @property
    def summary(self) -> str:
        """What the route is for, in one sentence: its handler's, less the route in front."""
        own = getattr(self.handler, "summary", None)
        if isinstance(own, str):
            return own
        text = " ".join((inspect.getdoc(self.handler) or "").partition("\n\n")[0].split())
        sentence = text.removeprefix(f"{self.method} {self.path}: ")
        return sentence[:1].upper() + sentence[1:]
