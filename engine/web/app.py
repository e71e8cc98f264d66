"""The Bottle application: routes from a table, one order of checks, one shape of errors."""

import logging
import re
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Protocol
from wsgiref.types import WSGIApplication, WSGIEnvironment

import bottle
import msgspec

from engine.model.errors import (
    BadRequest,
    MethodNotAllowed,
    NotFound,
    Problem,
    Unauthorized,
)
from engine.model.file_errors import door_problem
from engine.runtime.services import Services
from engine.store.patience import request_patience
from engine.web.computing import Computing, WorkerPool
from engine.web.environ import body_of, query_of, request_id
from engine.web.gate import Gate
from engine.web.http import (
    Headers,
    Request,
    Response,
)
from engine.web.lanes import GENERAL, LANES, STREAMS, Lane
from engine.web.limits import Limit, Limiter
from engine.web.linked_limits import RateLimits
from engine.web.local_mode import check_local
from engine.web.parameters import parameters
from engine.web.routes import WITH_BODY, Route
from engine.web.sessions import Sessions

log = logging.getLogger("hq.web")
_HEADERS = (
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Vary", "Accept, Authorization, Cookie"),
    ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
)
_SECURE = (("Strict-Transport-Security", "max-age=31536000"),)


class _Refusal(Protocol):
    """What Bottle refuses by itself."""

    status_code: int


class Console:
    """The routes over the services of one process. ``wsgi`` is the application."""

    def __init__(
        self,
        routes: Sequence[Route],
        services: Services,
        workers: Mapping[str, WorkerPool] | None = None,
        limiter: RateLimits | None = None,
    ) -> None:
        self.routes = tuple(routes)
        self.services = services
        self._computing = Computing(workers or {})
        limiter = limiter or Limiter(services.settings.rate_limit_url)
        self.gate = Gate(services, Sessions(services.settings), limiter)
        self._proxies = frozenset(services.settings.trusted_proxies)
        secure = services.settings.base_url.startswith("https://")
        always = (*_HEADERS, *(_SECURE if secure else ()))
        self._headers = {name: [value] for name, value in always}
        self.wsgi = self._bottle()

    def _bottle(self) -> WSGIApplication:
        app = bottle.Bottle()
        app.config["catchall"] = False
        for route in self.routes:
            app.route(route.rule, method=route.method, callback=self._callback(route), lane=route.lane)
        app.default_error_handler = self._unrouted
        self._router = app.router
        served: WSGIApplication = app
        return served

    def lanes(self, threads: int) -> tuple[Lane, ...]:
        """Every lane; the general one has as many threads as the settings or an option say."""
        return tuple(replace(lane, threads=threads, share=threads) if lane is GENERAL else lane for lane in LANES)

    def lane_of(self, method: str, path: str, signed: bool) -> Lane:
        """Where a request runs, ``signed`` with any credential; what no route answers runs in general.

        Without one the copilot streams nothing, unless the settings say that it may ask a provider.
        """
        try:
            route, _ = self._router.match({"REQUEST_METHOD": method, "PATH_INFO": path})
        except bottle.HTTPError:
            return GENERAL
        lane: Lane = route.config["lane"]
        settings = self.services.settings
        if lane is STREAMS and not signed and settings.session_auth and not settings.copilot_anonymous:
            return GENERAL
        return lane

    def _callback(self, route: Route) -> Callable[..., bytes | Iterable[bytes]]:
        """What Bottle calls. HEAD comes here as well as GET: Bottle sends the same headers, and no body."""

        def call(**arguments: str) -> bytes | Iterable[bytes]:
            environ = bottle.request.environ
            identifier = request_id(environ)
            if (
                "\0" in environ["PATH_INFO"] and not route.forwards
            ):  # no store keeps it, and not all can be asked for it
                nowhere = NotFound("There is nothing under a path with the character U+0000.")
                return self._send(self._failed(nowhere, identifier), identifier)
            return self._send(self._answer(route, environ, arguments, identifier), identifier)

        return call

    def _answer(
        self, route: Route, environ: WSGIEnvironment, arguments: Mapping[str, str], identifier: str
    ) -> Response:
        """The answer, noted where the route keeps a log: nothing leaves that could not be noted."""
        request = Request(
            method=route.method,
            path=environ["PATH_INFO"],
            arguments=arguments,
            query={},
            headers=Headers(environ),
            read_body=lambda: body_of(environ, route.size, self.services.settings),
            address=self._address(environ),
            id=identifier,
            now=datetime.now(UTC),
            services=self.services,
            computing=self._computing,
            raw_path=environ.get("REQUEST_URI", "").partition("?")[0],
            raw_query=environ.get("QUERY_STRING", ""),
            gone=environ.get("waitress.client_disconnected", _stays),
        )
        with request_patience():
            response = self._checked(route, request)
            if route.access.note is None:
                return response
            try:
                route.access.note(request, response)
            except Problem as problem:
                return self._failed(problem, identifier)
            return response

    def _checked(self, route: Route, request: Request) -> Response:
        """The checks in their order: credential and role, rate, size and form of what came; then the handler."""
        try:
            if not self.services.settings.session_auth:
                check_local(request)
            request.principal = route.access.check(self.gate, request)
            if route.limit is not None:
                self._limit(route.limit, request)
            request.query = {} if route.forwards else query_of(request.raw_query)
            if route.method in WITH_BODY:
                _ = request.body
            if route.parameters is not None and not route.forwards:
                request.options = parameters(request, *route.parameters)
            arguments = () if route.body is None else route.body.arguments(request)
            return self._computing.handle(route, request, arguments)
        except Problem as problem:
            return self._failed(self._rechecked(route, request, problem), request.id)
        except Exception as error:
            # The last resort of the door: the trace goes to the log under the request's id, the client gets no inside.
            log.error("request %s failed\n%s", request.id, traceback.format_exc())
            fault = door_problem(error) or Problem(
                f"Something went wrong on our side; the log has it under request {request.id}."
            )
            return self._failed(self._rechecked(route, request, fault), request.id)

    def computed(self, method: str, path: str, request: Request) -> Response:
        """What the handler of a route answers in a worker; the checks were made where the request came in."""
        route = next(route for route in self.routes if (route.method, route.path) == (method, path))
        arguments = () if route.body is None else route.body.arguments(request)
        with request_patience():
            return route.handler(request, *arguments)

    def _rechecked(self, route: Route, request: Request, problem: Problem) -> Problem:
        """What to answer: a credential that is not good any more is said before anything else."""
        if route.access.recheck is not None and request.principal is not None:
            try:
                route.access.recheck(self.gate, request)
            except Unauthorized as refusal:
                return refusal
            except Problem as unknown:  # what was wrong first is still true
                log.warning("request %s: the credential was not looked at again: %s", request.id, unknown.message)
        return problem

    def _limit(self, limit: Limit, request: Request) -> None:
        count = limit.count if limit.setting is None else limit.setting(self.services.settings)
        who = request.address
        if limit.by == "caller" and request.principal is not None:
            who = f"{request.principal.org_id} {request.principal.actor} {request.address}"
        self.gate.limiter.check(limit, who, count)

    def _unrouted(self, error: _Refusal) -> bytes:
        """What Bottle itself refuses: unknown paths and methods, paths that are no UTF-8."""
        environ = bottle.request.environ
        problem: Problem
        if error.status_code == 405:
            problem = self._not_allowed(environ)
        elif error.status_code == 404:
            problem = NotFound(f"There is no route {environ.get('PATH_INFO', '')[:200]}.", word="no_such_route")
        else:
            problem = BadRequest("The request line cannot be read.")
            problem.status = error.status_code
        identifier = request_id(environ)
        body = self._send(self._failed(problem, identifier), identifier)
        return body if isinstance(body, bytes) else b"".join(body)

    def _not_allowed(self, environ: WSGIEnvironment) -> MethodNotAllowed:
        path = environ["PATH_INFO"]
        found = {route.method for route in self.routes if _matches(route.path, path)}
        allowed = sorted(found | ({"HEAD"} if "GET" in found else set()))
        method = environ["REQUEST_METHOD"][:20]
        if method == "HEAD":  # as long as the answer to GET
            method = "GET"
        return MethodNotAllowed(
            f"This path answers {_and(allowed)}; got {method}.", headers={"Allow": ", ".join(allowed)}
        )

    def _failed(self, problem: Problem, identifier: str) -> Response:
        content: dict[str, object] = {"error": problem.word, "message": problem.message}
        if problem.details:
            content["details"] = problem.details
        if "Retry-After" in problem.headers:
            content["retry_after"] = int(problem.headers["Retry-After"])
        if problem.status >= 500:
            log.warning("request %s: %s %s", identifier, problem.status, problem.word)
        return Response(msgspec.json.encode(content) + b"\n", status=problem.status, headers=dict(problem.headers))

    def _send(self, response: Response, identifier: str) -> bytes | Iterable[bytes]:
        out = bottle.response
        out.status = response.status
        headers = out._headers = {**self._headers, **{name: [value] for name, value in response.headers.items()}}
        headers["Content-Type"] = [response.content_type]
        headers["Cache-Control"] = [response.cache]
        headers["X-Request-Id"] = [identifier]
        return response.body

    def _address(self, environ: WSGIEnvironment) -> str:
        """The client's address: the socket's, or behind a trusted proxy the last one that it did not add itself."""
        address: str = environ.get("REMOTE_ADDR", "")
        if address not in self._proxies:
            return address
        for hop in reversed(environ.get("HTTP_X_FORWARDED_FOR", "").split(",")):
            if hop.strip() and hop.strip() not in self._proxies:
                return str(hop.strip())
        return address


def _stays() -> bool:
    """A client of which nobody can tell that it hung up."""
    return False


def _and(words: Sequence[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if words[1:] else words)


def _matches(pattern: str, path: str) -> bool:
    expression = re.escape(pattern).replace(r"\{id\}", "[^/]+").replace(r"/\*", "/.+")
    return re.fullmatch(expression, path) is not None
