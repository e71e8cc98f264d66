"""The connectors: what comes to /api/reasoning/* and /api/robot/* goes on to the backends that the settings name.

The caller's credentials stay here, and so does whatever concerns one connection only (RFC 9110, 7.6.1). Bodies are
passed as they are, encoded or not; redirects are the caller's to follow.
"""

import logging
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from http.cookiejar import DefaultCookiePolicy
from itertools import chain
from typing import NoReturn
from urllib.parse import quote, unquote

import httpx

from engine.model.errors import BadRequest, Problem, Unavailable
from engine.runtime.settings import Settings
from engine.web.admission.access import Access
from engine.web.admission.limits import PROXY
from engine.web.bodies import RawBody
from engine.web.http import Request, Response
from engine.web.lanes import PROXIES
from engine.web.routes import ANYTHING, Route

log = logging.getLogger("hq.web")
TIMEOUT = httpx.Timeout(60.0, connect=5.0)
_SENT = frozenset(
    {
        "accept",
        "accept-encoding",
        "accept-language",
        "content-type",
        "idempotency-key",
        "traceparent",
        "tracestate",
        "user-agent",
    }
)
_HOP_BY_HOP = frozenset(
    {
        "connection",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
_OURS = frozenset(
    {
        "cache-control", "content-security-policy", "content-type", "cross-origin-resource-policy", "date", "expires",
        "pragma", "referrer-policy", "server", "strict-transport-security", "vary", "x-content-type-options",
        "x-frame-options", "x-request-id",
    }
)  # fmt: skip
# credentials, and what would speak to a browser or to a server in front of us in our name
_NEVER = frozenset(
    {
        "alt-svc", "authentication-info", "authorization", "clear-site-data", "cookie", "nel", "refresh", "report-to",
        "reporting-endpoints", "service-worker-allowed", "set-cookie", "set-cookie2", "www-authenticate",
        "x-sendfile", "x-svc-api-key",
    }
)  # fmt: skip
_NEVER_BEGINS = ("access-control-", "x-accel-")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_AS_IT_CAME = "".join(chr(code) for code in range(0x21, 0x7F) if chr(code) not in "#?")


@dataclass(frozen=True)
class Connector:
    """A backend behind ``/api/<name>/``: where the settings say it is (in ``variable``), and what token it is sent."""

    name: str
    variable: str
    url: Callable[[Settings], str]
    token: Callable[[Settings], str]


REASONING = Connector(
    "reasoning", "SVC_REASONING_URL", lambda settings: settings.reasoning_url, lambda settings: settings.reasoning_token
)
ROBOT = Connector("robot", "SVC_ROBOT_URL", lambda settings: settings.robot_url, lambda settings: settings.robot_token)
CONNECTORS = (REASONING, ROBOT)


class UpstreamUnreachable(Problem):
    """The backend cannot be connected to, or hung up before it answered."""

    status = 502
    word = "upstream_unreachable"


class UpstreamTimeout(Problem):
    """The backend took the request and did not answer in time."""

    status = 504
    word = "upstream_timeout"


@cache
def client() -> httpx.Client:
    """The connections of this process to its backends. Proxy variables of the environment do not count.

    No cookie is kept: what a backend sets for one caller must not be sent for the next.
    """
    shared = httpx.Client(timeout=TIMEOUT, trust_env=False, follow_redirects=False)
    shared.cookies.jar.set_policy(DefaultCookiePolicy(allowed_domains=[]))
    return shared


@dataclass(frozen=True)
class ForwardHandler:
    """Passes a request on and streams the answer back."""

    connector: Connector

    @property
    def summary(self) -> str:
        """For the description of the interface."""
        return f"Pass the request on to the {self.connector.name} backend."

    def __call__(self, request: Request) -> Response:
        """The backend's answer."""
        connector = self.connector
        base = connector.url(request.services.settings)
        if not base:
            raise Unavailable(
                f"There is no {connector.name} backend; {connector.variable} names one.",
                word="connector_not_configured",
            )
        upstream = client().build_request(
            request.method,
            base,
            headers=_request_headers(request, request.services.settings, connector),
            content=request.body if request.method != "GET" else None,
            extensions={"target": _target(httpx.URL(base), request, f"/api/{connector.name}/")},
        )
        return _answer(upstream, connector)


def proxy_route(method: str, path: str, access: Access, connector: Connector) -> Route:
    """A route whose answers are those of a backend."""
    body = None if method == "GET" else RawBody(object, required=False, media_types=("*/*",))
    return Route(
        method,
        path,
        access,
        ForwardHandler(connector),
        PROXY,
        parameters=None,
        body=body,
        answer=ANYTHING,
        errors=(502, 503, 504),
        lane=PROXIES,
    )


def authorization(settings: Settings, connector: Connector) -> dict[str, str]:
    """The header with the backend's own token, where one is set."""
    token = connector.token(settings)
    return {"Authorization": f"Bearer {token}"} if token else {}


def _target(base: httpx.URL, request: Request, prefix: str) -> bytes:
    """Path and query on the wire: below the base path, percent-encoding and repeated parameters as they came."""
    if request.raw_path.startswith(prefix):
        rest = quote(request.raw_path[len(prefix) :].encode("latin-1"), safe=_AS_IT_CAME)
    else:  # the prefix itself was encoded, or the server does not say what came
        rest = quote(request.arguments["rest"], safe="/")
    _check(rest)
    query = quote(request.raw_query.encode("latin-1"), safe=_AS_IT_CAME + "?")
    path = base.raw_path.rstrip(b"/") + b"/" + rest.lstrip("/").encode()
    return path + (b"?" + query.encode() if query else b"")


def _check(rest: str) -> None:
    """BadRequest for a path that a backend might read as leaving its base, however often it decodes."""
    for _ in range(5):
        plain = unquote(rest)
        segments = (segment.partition(";")[0].strip() for segment in re.split(r"[/\\]", plain))
        if ".." in segments or _CONTROL.search(plain):
            break
        if plain == rest:
            return
        rest = plain
    raise BadRequest(
        "The path must stay below the connector: no '..' segment and no control character, encoded or not.",
        word="invalid_path",
    )


def _request_headers(request: Request, settings: Settings, connector: Connector) -> list[tuple[bytes, bytes]]:
    given = request.headers
    names = sorted(_SENT - _connection_headers(given.get("connection", "")))
    headers = {"accept-encoding": "identity"}  # else the client would ask for what ours may not understand
    headers |= {name: given[name] for name in names if name in given and not _CONTROL.search(given[name])}
    headers |= {"x-request-id": request.id, **authorization(settings, connector)}
    return [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]


def _connection_headers(connection: str) -> set[str]:
    """The headers that a Connection header declares to be meant for this connection alone."""
    return {token.strip().lower() for token in connection.split(",")}


def _answer(upstream: httpx.Request, connector: Connector) -> Response:
    """The backend's answer; its first bytes are awaited, so that what fails until then still has a status."""
    try:
        came = client().send(upstream, stream=True)
        try:
            chunks = came.iter_raw()
            first = next(chunks, b"")
        except BaseException:
            came.close()
            raise
    except httpx.TransportError as error:
        _refuse(error, connector)
    return Response(
        _stream(came, chain((first,), chunks)),
        came.headers.get("content-type", "application/octet-stream"),
        status=came.status_code,
        headers=_response_headers(came.headers),
    )


def _refuse(error: httpx.TransportError, connector: Connector) -> NoReturn:
    log.warning("connector %s: %s", connector.name, type(error).__name__)
    if isinstance(error, httpx.TimeoutException) and not isinstance(error, httpx.ConnectTimeout):
        raise UpstreamTimeout(f"The {connector.name} backend did not answer in time.") from error
    raise UpstreamUnreachable(f"The {connector.name} backend cannot be reached.") from error


def _stream(came: httpx.Response, chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The body as it arrives. A backend that breaks off breaks our answer off too: nobody takes it for whole."""
    try:
        yield from chunks
    finally:
        came.close()


def _response_headers(came: httpx.Headers) -> dict[str, str]:
    dropped = _HOP_BY_HOP | _OURS | _NEVER | _connection_headers(came.get("connection", ""))
    headers: dict[str, str] = {}
    for name, value in came.multi_items():
        name = name.lower()
        if name in dropped or name.startswith(_NEVER_BEGINS) or not value.isprintable():
            continue
        title = "-".join(part.capitalize() for part in name.split("-"))
        headers[title] = f"{headers[title]}, {value}" if title in headers else value
    return headers
