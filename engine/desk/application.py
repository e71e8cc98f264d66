"""The desk as a WSGI application: its routes, who may come in, one shape of pages and of errors."""

import logging
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from http import HTTPStatus
from typing import TypeAlias
from wsgiref.types import StartResponse, WSGIEnvironment

import bottle

from engine.desk.forms import act_form, do_act, edit_form, new_form, save
from engine.desk.lists import table_list, tables
from engine.desk.pages import SECURITY_POLICY, page, style
from engine.desk.sign_in import how_to_sign_in, sign_in_page, sign_out, spend_link
from engine.desk.uploads import correct, drop, drop_page
from engine.desk.visits import LARGE_FORM, Reply, Visit, query_of
from engine.desk.work import my_work
from engine.model.errors import BadRequest, MethodNotAllowed, NotFound, Problem, Unauthorized
from engine.model.file_errors import door_problem
from engine.runtime.services import Services
from engine.store.database.patience import request_patience
from engine.web.admission.access import SAFE, session_caller
from engine.web.admission.gate import Gate
from engine.web.admission.limits import Limiter
from engine.web.admission.local_mode import check_local
from engine.web.admission.sessions import Sessions
from engine.web.computing import Computing, WorkerPool
from engine.web.environ import request_id
from engine.web.http import Headers, Request
from engine.web.lanes import DESK, HEALTH, Lane

log = logging.getLogger("hq.desk")
Handler: TypeAlias = Callable[..., Reply]
HEADERS = (
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Content-Security-Policy", SECURITY_POLICY),
)
STYLE = "/desk.css"
ROUTES: tuple[tuple[str, str, Handler], ...] = (
    ("GET", "/", my_work),
    ("GET", "/tables", tables),
    ("GET", "/tables/<name>", table_list),
    ("GET", "/tables/<name>/new", new_form),
    ("POST", "/tables/<name>/new", save),
    ("GET", "/tables/<name>/row", edit_form),
    ("POST", "/tables/<name>/row", save),
    ("GET", "/tables/<name>/act/<act_name>", act_form),
    ("POST", "/tables/<name>/act/<act_name>", do_act),
    ("GET", "/import", drop_page),
    ("POST", "/import", drop),
    ("POST", "/import/apply", correct),
    ("POST", "/sign-out", sign_out),
)
"""What only somebody signed in may ask for; every POST carries the token of its session's forms."""
OPEN: tuple[tuple[str, str, Handler], ...] = (
    ("GET", "/sign-in", sign_in_page),
    ("POST", "/sign-in", spend_link),
    ("GET", STYLE, lambda visit: Reply(style(), content_type="text/css; charset=utf-8", cache="max-age=3600")),
    ("GET", "/health", lambda visit: Reply(b'{"status":"ok"}\n', content_type="application/json")),
)


class Desk:
    """The application over the services of one process. ``wsgi`` answers; ``worker`` reads cells and writes, and
    ``reports`` computes what reports say."""

    def __init__(
        self,
        services: Services,
        worker: WorkerPool | None = None,
        reports: WorkerPool | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.services = services
        self._clock = clock
        self.gate = Gate(services, Sessions(services.settings), Limiter(services.settings.rate_limit_url))
        self._worker = worker
        self._reports = reports
        self._bottle = self._bottle_app()

    def wsgi(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """The application."""
        found: Iterable[bytes] = self._bottle(environ, start_response)
        return found

    def lanes(self) -> tuple[Lane, ...]:
        """The desk's own threads."""
        return HEALTH, DESK

    def lane_of(self, method: str, path: str, signed: bool) -> Lane:
        """Where a request runs."""
        return HEALTH if path == "/health" else DESK

    def _bottle_app(self) -> bottle.Bottle:
        app = bottle.Bottle()
        app.config["catchall"] = False
        for method, path, handler in ROUTES:
            app.route(path, method=method, callback=self._callback(handler, signed=True))
        for method, path, handler in OPEN:
            app.route(path, method=method, callback=self._callback(handler, signed=False))
        app.default_error_handler = self._refuse_unrouted
        return app

    def _callback(self, handler: Handler, *, signed: bool) -> Callable[..., bytes]:
        def call(**arguments: str) -> bytes:
            environ = bottle.request.environ
            visit = self._visit(environ)
            with request_patience():
                return self._send(self._answer(visit, handler, arguments, signed=signed), visit)

        return call

    def _visit(self, environ: WSGIEnvironment) -> Visit:
        request = Request(
            method=environ["REQUEST_METHOD"],
            path=environ["PATH_INFO"],
            arguments={},
            query={},
            headers=Headers(environ),
            read_body=bytes,
            computing=Computing({}),
            address=environ.get("REMOTE_ADDR", ""),
            id=request_id(environ),
            now=self._clock(),
            services=self.services,
            raw_query=environ.get("QUERY_STRING", ""),
            gone=environ.get("waitress.client_disconnected", bool),
        )
        return Visit(self.gate, request, environ, self._worker, self._reports)

    def _answer(self, visit: Visit, handler: Handler, arguments: Mapping[str, str], *, signed: bool) -> Reply:
        """The page, or the page of what went wrong."""
        try:
            visit.query = _query(visit.request.raw_query)
            if not self.services.settings.session_auth:
                check_local(visit.request)
            if signed:
                visit.principal = session_caller(self.gate, visit.request)
                if visit.request.method not in SAFE:
                    visit.check_token()
            return handler(visit, **arguments)
        except Unauthorized as refusal:
            message = refusal.message if visit.request.headers.get("cookie") else "Sign in to use the desk."
            return how_to_sign_in(visit, message, status=401)
        except Problem as problem:
            return error_page(visit, problem)
        except Exception as error:
            # The last resort of the door: the trace goes to the log under the request's id, the person gets no inside.
            log.error("request %s failed\n%s", visit.request.id, traceback.format_exc())
            text = f"Something went wrong on our side; the log has it under request {visit.request.id}."
            return error_page(visit, door_problem(error) or Problem(text))

    def _refuse_unrouted(self, error: bottle.HTTPError) -> bytes:
        visit = self._visit(bottle.request.environ)
        problem: Problem = NotFound(f"There is no page {visit.request.path[:200]}.", word="no_such_route")
        if error.status_code == 405:
            problem = MethodNotAllowed("This page is not asked in that way.")
        elif error.status_code != 404:
            problem = BadRequest("The request line cannot be read.")
        return self._send(error_page(visit, problem), visit)

    def _send(self, reply: Reply, visit: Visit) -> bytes:
        out = bottle.response
        out.status = reply.status
        headers: list[tuple[str, str]] = [*HEADERS, ("Content-Type", reply.content_type)]
        headers += [("Cache-Control", reply.cache), ("X-Request-Id", visit.request.id), *reply.headers]
        if self.services.settings.desk_url.startswith("https://"):
            headers.append(("Strict-Transport-Security", "max-age=31536000"))
        if reply.to:
            headers.append(("Location", reply.to))
        out._headers = {name: [text for other, text in headers if other == name] for name, _ in headers}
        return reply.body


def error_page(visit: Visit, problem: Problem) -> Reply:
    """What went wrong, with the way back."""
    if problem.status >= 500:
        log.warning("request %s: %s %s", visit.request.id, problem.status, problem.word)
    content = _sorry(HTTPStatus(problem.status), problem.message)
    return Reply(content, problem.status, headers=tuple(problem.headers.items()))


def refusal_page(status: HTTPStatus, message: str) -> tuple[Sequence[tuple[str, str]], bytes]:
    """The same for what the server refuses before the desk is asked."""
    told = LARGE_FORM if status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE else message
    return (*HEADERS, ("Content-Type", Reply.content_type)), _sorry(status, told)


def _sorry(status: HTTPStatus, message: str) -> bytes:
    return page("error.html", phrase=status.phrase, message=message)


def _query(raw: str) -> dict[str, str]:
    try:
        return query_of(raw)
    except ValueError as error:
        raise BadRequest("The query must be at most 200 parameters.", word="invalid_parameter") from error
