"""From a request to its answer: one order of checks, the handler, what it writes, one shape of errors."""

import logging
import traceback
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any, TypeAlias, TypeVar
from wsgiref.types import WSGIEnvironment

import msgspec

from engine.model.errors import Problem, Unauthorized
from engine.model.file_errors import door_problem
from engine.store import WriteResult
from engine.store.database.patience import NotInMemory, request_patience
from engine.web.admission.gate import Gate
from engine.web.admission.limits import Limit
from engine.web.admission.local_mode import check_local
from engine.web.admission.sign_in_page import sign_in_page, wants_page
from engine.web.computing import Computing
from engine.web.environ import body_of, query_of, request_id
from engine.web.http import Headers, PendingWrite, Request, Response
from engine.web.parameters import parameters
from engine.web.ready_answers import ReadyAnswer
from engine.web.routes import WITH_BODY, Route

log = logging.getLogger("hq.web")
T = TypeVar("T")
Found: TypeAlias = Response | PendingWrite[Any]  # a write of any type


class Responder:
    """Answers requests whose routes are known."""

    def __init__(self, gate: Gate, computing: Computing) -> None:
        self.gate = gate
        self._services = gate.services
        self._computing = computing
        self._proxies = frozenset(gate.services.settings.trusted_proxies)

    def answer(self, route: Route, environ: WSGIEnvironment, arguments: Mapping[str, str], identifier: str) -> Response:
        """The answer, noted where the route keeps a log: nothing leaves that could not be noted."""
        request = self._request(route, environ, arguments, identifier)
        with request_patience():
            pending_write = self._answer_problem(route, request, partial(self._check, route, request))
            if isinstance(pending_write, PendingWrite):
                (result,) = self._services.store.write_all([pending_write.write])
                pending_write = self._finish(route, request, pending_write, result)
            return self._note(route, request, pending_write)

    def answer_together(self, routes: Sequence[Route], environs: Sequence[WSGIEnvironment]) -> list[ReadyAnswer]:
        """The same for several requests whose small writes share a transaction."""
        requests = [
            self._request(route, environ, {}, request_id(environ))
            for route, environ in zip(routes, environs, strict=True)
        ]
        answers = []
        with request_patience():
            begun = [
                (route, request, self._answer_problem(route, request, partial(self._check, route, request)))
                for route, request in zip(routes, requests, strict=True)
            ]
            writes = [write.write for _, _, write in begun if isinstance(write, PendingWrite)]
            results = iter(self._services.store.write_all(writes))
            for route, request, pending_write in begun:
                if isinstance(pending_write, PendingWrite):
                    pending_write = self._finish(route, request, pending_write, next(results))
                answers.append((request.id, self._note(route, request, pending_write)))
        return answers

    def _request(
        self, route: Route, environ: WSGIEnvironment, arguments: Mapping[str, str], identifier: str
    ) -> Request:
        return Request(
            method=route.method,
            path=environ["PATH_INFO"],
            arguments=arguments,
            query={},
            headers=Headers(environ),
            read_body=lambda: body_of(environ, route.size, self._services.settings),
            address=self._address(environ),
            id=identifier,
            now=datetime.now(UTC),
            services=self._services,
            computing=self._computing,
            raw_path=environ.get("REQUEST_URI", "").partition("?")[0],
            raw_query=environ.get("QUERY_STRING", ""),
            gone=environ.get("waitress.client_disconnected", _never_disconnected),
        )

    def _check(self, route: Route, request: Request) -> Found:
        """The checks in their order: credential and role, rate, size and form of what came; then the handler."""
        if not self._services.settings.session_auth:
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

    def _finish(self, route: Route, request: Request, pending: PendingWrite[T], result: WriteResult[T]) -> Response:
        return self._answer_problem(route, request, lambda: pending.answer(result.get()))

    def _answer_problem(self, route: Route, request: Request, find: Callable[[], T]) -> T | Response:
        """What ``find`` finds, or the answer to what went wrong."""
        try:
            return find()
        except NotInMemory:
            raise
        except Problem as problem:
            recheck = self._recheck(route, request, problem)
            if isinstance(recheck, Unauthorized) and wants_page(request):
                return sign_in_page(request, recheck)
            return error_response(recheck, request.id)
        except Exception as error:
            # The last resort of the door: the trace goes to the log under the request's id, the client gets no inside.
            log.error("request %s failed\n%s", request.id, traceback.format_exc())
            fault = door_problem(error) or Problem(
                f"Something went wrong on our side; the log has it under request {request.id}."
            )
            return error_response(self._recheck(route, request, fault), request.id)

    def _recheck(self, route: Route, request: Request, problem: Problem) -> Problem:
        """What to answer: a credential that is not good any more is said before anything else."""
        if route.access.recheck is not None and request.principal is not None:
            try:
                route.access.recheck(self.gate, request)
            except Unauthorized as refusal:
                return refusal
            except Problem as unknown:  # what was wrong first is still true
                log.warning("request %s: the credential was not looked at again: %s", request.id, unknown.message)
        return problem

    def _note(self, route: Route, request: Request, response: Response) -> Response:
        if route.access.note is None:
            return response
        try:
            route.access.note(request, response)
        except Problem as problem:
            return error_response(problem, request.id)
        return response

    def _limit(self, limit: Limit, request: Request) -> None:
        count = limit.count if limit.setting is None else limit.setting(self._services.settings)
        who = request.address
        if limit.by == "caller" and request.principal is not None:
            who = f"{request.principal.org_id} {request.principal.actor} {request.address}"
        self.gate.limiter.check(limit, who, count)

    def _address(self, environ: WSGIEnvironment) -> str:
        """The client's address: the socket's, or behind a trusted proxy the last one that it did not add itself."""
        address: str = environ.get("REMOTE_ADDR", "")
        if address not in self._proxies:
            return address
        for hop in reversed(environ.get("HTTP_X_FORWARDED_FOR", "").split(",")):
            if hop.strip() and hop.strip() not in self._proxies:
                return str(hop.strip())
        return address


def error_response(problem: Problem, identifier: str) -> Response:
    """The answer to a request that failed."""
    content: dict[str, object] = {**problem.members, "error": problem.word, "message": problem.message}
    if problem.details:
        content["details"] = problem.details
    if "Retry-After" in problem.headers:
        content["retry_after"] = int(problem.headers["Retry-After"])
    if problem.status >= 500:
        log.warning("request %s: %s %s", identifier, problem.status, problem.word)
    return Response(msgspec.json.encode(content) + b"\n", status=problem.status, headers=dict(problem.headers))


def _never_disconnected() -> bool:
    """For a client whose disconnecting cannot be noticed."""
    return False
