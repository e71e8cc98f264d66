"""The Bottle application: routes from a table, one order of checks, one shape of errors."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Protocol
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

import bottle

from engine.model.errors import BadRequest, MethodNotAllowed, NotFound, Problem
from engine.runtime.services import Services
from engine.store.database.patience import NotInMemory, request_patience
from engine.web.admission.gate import Gate
from engine.web.admission.limits import Limiter
from engine.web.admission.linked_limits import RateLimits
from engine.web.admission.sessions import Sessions
from engine.web.admission.sign_in_page import browses, missing_page
from engine.web.computing import Computing, WorkerPool
from engine.web.environ import request_id
from engine.web.http import Headers, Request, Response
from engine.web.lanes import GENERAL, LANES, STREAMS, Lane
from engine.web.ready_answers import keep_answer, send_bytes, take_answer
from engine.web.responder import Responder, error_response
from engine.web.routes import Route

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
        limiter = limiter or Limiter(services.settings.rate_limit_url)
        self._responder = Responder(Gate(services, Sessions(services.settings), limiter), Computing(workers or {}))
        secure = services.settings.base_url.startswith("https://")
        always = (*_HEADERS, *(_SECURE if secure else ()))
        self._headers = {name: [value] for name, value in always}
        self._literal = {(route.method, route.path): route for route in self.routes if not route.has_variables}
        self._literal |= {("HEAD", path): route for (method, path), route in self._literal.items() if method == "GET"}

    @property
    def gate(self) -> Gate:
        """Who may ask, and how often."""
        return self._responder.gate

    @gate.setter
    def gate(self, gate: Gate) -> None:
        self._responder.gate = gate

    def wsgi(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """The application. Bottle finds the routes whose paths have variables, and streams what is streamed."""
        ready = take_answer(environ)
        if ready is None:
            route = self._literal.get((environ["REQUEST_METHOD"], environ["PATH_INFO"]))
            if route is None:
                return self._bottle(environ, start_response)
            identifier = request_id(environ)
            ready = identifier, self._responder.answer(route, environ, {}, identifier)
            keep_answer(environ, ready)
        identifier, response = ready
        if not isinstance(response.body, bytes):
            return self._bottle(environ, start_response)
        return send_bytes(response, self._headers_of(response, identifier), environ, start_response)

    def cacheable(self, method: str, path: str) -> bool:
        """Whether the answer to a request may be in memory."""
        route = self._literal.get((method, path))
        return route is not None and route.from_memory

    def serve_from_cache(self, environ: WSGIEnvironment) -> bool:
        """Whether the answer to a request was found without waiting for anything; it is left with the request."""
        route = self._literal[environ["REQUEST_METHOD"], environ["PATH_INFO"]]
        identifier = request_id(environ)
        try:
            with self.services.store.from_memory():
                keep_answer(environ, (identifier, self._responder.answer(route, environ, {}, identifier)))
        except NotInMemory:
            return False
        return True

    def batchable(self, method: str, path: str) -> bool:
        """Whether a request writes together with others: ``answer_together`` takes it."""
        route = self._literal.get((method, path))
        return route is not None and route.together

    def answer_together(self, environs: Sequence[WSGIEnvironment]) -> None:
        """Find the answers to requests that are ``batchable``, and leave each with its request: their writes share a
        transaction."""
        routes = [self._literal[environ["REQUEST_METHOD"], environ["PATH_INFO"]] for environ in environs]
        for environ, ready in zip(environs, self._responder.answer_together(routes, environs), strict=True):
            keep_answer(environ, ready)

    @cached_property
    def _bottle(self) -> WSGIApplication:
        """Built when the first path with a variable comes: most requests are found by the path as it stands."""
        served: WSGIApplication = self._rules
        return served

    @cached_property
    def _rules(self) -> bottle.Bottle:
        app = bottle.Bottle()
        app.config["catchall"] = False
        for route in self.routes:
            app.route(route.rule, method=route.method, callback=self._callback(route), lane=route.lane)
        app.default_error_handler = self._refuse_unrouted
        return app

    def lanes(self, threads: int) -> tuple[Lane, ...]:
        """Every lane; the general one has as many threads as the settings or an option say."""
        return tuple(replace(lane, threads=threads, share=threads) if lane is GENERAL else lane for lane in LANES)

    def lane_of(self, method: str, path: str, signed: bool) -> Lane:
        """Where a request runs, ``signed`` with any credential; what no route answers runs in general.

        Without one the copilot streams nothing, unless the settings say that it may ask a provider.
        """
        literal = self._literal.get((method, path))
        if literal is not None:
            lane = literal.lane
        else:
            try:
                route, _ = self._rules.router.match({"REQUEST_METHOD": method, "PATH_INFO": path})
            except bottle.HTTPError:
                return GENERAL
            lane = route.config["lane"]
        settings = self.services.settings
        if lane is STREAMS and not signed and settings.session_auth and not settings.copilot_anonymous:
            return GENERAL
        return lane

    def _callback(self, route: Route) -> Callable[..., bytes | Iterable[bytes]]:
        """What Bottle calls. HEAD comes here as well as GET: Bottle sends the same headers, and no body."""

        def call(**arguments: str) -> bytes | Iterable[bytes]:
            environ = bottle.request.environ
            ready = take_answer(environ)
            if ready is not None:
                return self._send(ready[1], ready[0])
            identifier = request_id(environ)
            if environ["REQUEST_METHOD"] != route.method and (environ["REQUEST_METHOD"], route.method) != (
                "HEAD",
                "GET",
            ):
                refused = error_response(self._not_allowed(environ), identifier)  # Bottle takes get for GET
                return self._send(refused, identifier)
            if (
                "\0" in environ["PATH_INFO"] and not route.forwards
            ):  # no store keeps it, and not all can be asked for it
                nowhere = NotFound("There is nothing under a path with the character U+0000.")
                return self._send(error_response(nowhere, identifier), identifier)
            return self._send(self._responder.answer(route, environ, arguments, identifier), identifier)

        return call

    def compute(self, method: str, path: str, request: Request) -> Response:
        """What the handler of a route answers in a worker; the checks were made where the request came in."""
        route = next(route for route in self.routes if (route.method, route.path) == (method, path))
        arguments = () if route.body is None else route.body.arguments(request)
        with request_patience():
            return route.respond(request, *arguments)

    def _refuse_unrouted(self, error: _Refusal) -> bytes:
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
        response = error_response(problem, identifier)
        if isinstance(problem, NotFound) and browses(Headers(environ), environ["REQUEST_METHOD"]):
            path = environ.get("PATH_INFO", "").encode("latin-1", "replace").decode("utf-8", "replace")
            response = missing_page(self.services.settings, path, problem)
        body = self._send(response, identifier)
        return body if isinstance(body, bytes) else b"".join(body)

    def _not_allowed(self, environ: WSGIEnvironment) -> MethodNotAllowed:
        path = environ["PATH_INFO"]
        methods = {route.method for route in self.routes if _matches(route.path, path)}
        allowed = sorted(methods | ({"HEAD"} if "GET" in methods else set()))
        method = environ["REQUEST_METHOD"][:20]
        if method == "HEAD":  # as long as the answer to GET
            method = "GET"
        return MethodNotAllowed(
            f"This path answers {_and(allowed)}; got {method}.", headers={"Allow": ", ".join(allowed)}
        )

    def _send(self, response: Response, identifier: str) -> bytes | Iterable[bytes]:
        out = bottle.response
        out.status = response.status
        out._headers = self._headers_of(response, identifier)
        return response.body

    def _headers_of(self, response: Response, identifier: str) -> dict[str, list[str]]:
        headers = {**self._headers, **{name: [value] for name, value in response.headers.items()}}
        headers["Content-Type"] = [response.content_type]
        headers["Cache-Control"] = [response.cache]
        headers["X-Request-Id"] = [identifier]
        return headers


def _and(words: Sequence[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if words[1:] else words)


def _matches(pattern: str, path: str) -> bool:
    expression = re.escape(pattern).replace(r"\{id\}", "[^/]+").replace(r"/\*", "/.+")
    return re.fullmatch(expression, path) is not None
