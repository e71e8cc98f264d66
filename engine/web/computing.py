"""Where answers are computed: in the worker processes that a lane names, or here where a console has none."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any, Protocol, TypeVar, cast

from engine.model.declarations.as_of import AsOf
from engine.model.documents.document import Position
from engine.reporting.artifacts.artifact_names import Name
from engine.reporting.snapshot.snapshot import Artifact
from engine.runtime.processes.worker_process import Assignment
from engine.runtime.services import Services
from engine.store.database.patience import wait_allowed
from engine.web.http import PendingWrite, Principal, Question, Request, Response
from engine.web.lanes import REPORTS, Lane
from engine.web.routes import Route

T = TypeVar("T")


class ComputeConsole(Protocol):
    """What a worker process opens: a console."""

    @property
    def services(self) -> Services: ...

    def compute(self, method: str, path: str, request: Request) -> Response:
        """What the route's handler answers; the checks were made where the request came in."""


class WorkerPool(Protocol):
    """Worker processes, of this process or of the main one."""

    def run(
        self, work: Assignment[ComputeConsole], *, place: str, caller: str = "", gone: Callable[[], bool] = bool
    ) -> object:
        """The result; a Problem that the work raised, or Unavailable. NobodyWaits once ``gone`` says so."""


@dataclass(frozen=True)
class _ArtifactAnswer:
    """The name of an artifact, with its bytes where no file has them, and the content's hash where it was asked for."""

    name: Name
    key: str
    data: bytes | None
    content_hash: str | None


@dataclass(frozen=True)
class _WorkerRequest:
    """A request on its way to a worker."""

    method: str
    rule: str
    path: str
    arguments: dict[str, str]
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes
    address: str
    id: str
    now: datetime
    principal: Principal | None
    options: dict[str, object]
    raw_path: str
    raw_query: str


@dataclass
class Computing:
    """The workers of a console by name; without them everything is computed where it is asked."""

    workers: Mapping[str, WorkerPool]

    def report(
        self, request: Request, question: Question, head: Position | None, *, sent: bool = False
    ) -> tuple[Artifact, str | None]:
        """A report's artifact, and the hash of what it says; from the artifacts, or computed now.

        Unavailable where it took too long, or the client hung up. ``sent``: a worker sends its bytes, whatever file
        there is.
        """
        services = request.services
        query = dict(question.query)
        with services.snapshots.open(question.org_id, now=request.now, head=head, at=question.at) as snapshot:
            if REPORTS.workers not in self.workers:
                artifact = snapshot.bytes(question.report, query, question.form)
                return artifact, snapshot.content_hash(question.report, query) if question.hashed else None
            kept = snapshot.from_cache(question.report, query, question.form)
            content_hash = snapshot.cached_hash(question.report, query) if question.hashed else None
            if kept is not None and (content_hash is not None or not question.hashed):
                return kept, content_hash
            position, day = snapshot.revision.seq, snapshot.as_of
        if question.at is not None:  # the same for all who mean the same moment
            question = replace(question, at=AsOf(day, position))
        if services.settings.artifact_bucket:
            prepare = partial(_prepare, question, request.now)
        else:
            prepare = partial(sync_replica, question.org_id, with_past=question.at is not None)
        work: Assignment[ComputeConsole] = Assignment(
            _build, (question, request.now, sent), prepare, (question, day, sent), position
        )
        built = cast(_ArtifactAnswer, self._run(REPORTS.workers, work, request, question.org_id))
        data = built.data if built.data is not None else services.artifacts.get(built.name, built.key)
        if data is None:  # pruned between the two looks, or a file that cannot be read here
            return self.report(request, question, None, sent=True)
        return Artifact(built.name, built.key, data, made=True), built.content_hash

    def call(
        self, request: Request, function: Callable[..., T], arguments: tuple[object, ...], lane: Lane = REPORTS
    ) -> T:
        """Call a function of a module with the services of the lane's workers and ``arguments``."""
        if lane.workers not in self.workers:
            return function(request.services, *arguments)
        org_id = request.caller.org_id
        work: Assignment[ComputeConsole] = Assignment(
            with_services, (function, arguments), partial(sync_replica, org_id)
        )
        return cast(T, self._run(lane.workers, work, request, org_id))

    def handle(
        self, route: Route, request: Request, arguments: tuple[object, ...]
    ) -> Response | PendingWrite[Any]:  # a write of any type
        """What the route's handler answers."""
        workers = route.lane.workers
        if not route.in_worker or workers not in self.workers:
            return route.handler(request, *arguments)
        sent = _WorkerRequest(
            route.method,
            route.path,
            request.path,
            dict(request.arguments),
            dict(request.query),
            dict(request.headers),
            request.body if route.body is not None else b"",
            request.address,
            request.id,
            request.now,
            request.principal,
            dict(request.options),
            request.raw_path,
            request.raw_query,
        )
        org_id = "" if request.principal is None else request.principal.org_id
        prepare = partial(sync_replica, org_id) if org_id else None
        return cast(Response, self._run(workers, Assignment(_answer, (sent,), prepare), request, org_id))

    def _run(self, workers: str | None, work: Assignment[ComputeConsole], request: Request, place: str) -> object:
        wait_allowed()
        caller = request.address if request.principal is None else request.principal.actor
        return self.workers[str(workers)].run(work, place=place, caller=caller, gone=request.gone)


def sync_replica(org_id: str, console: ComputeConsole, *, with_past: bool = False) -> None:
    """Bring the worker's replica up to date; what is new to it may take long, and is kept."""
    console.services.replica.sync([org_id], with_past=with_past)


def _prepare(question: Question, now: datetime, console: ComputeConsole) -> None:
    """The same for a report, unless another machine built it."""
    services, query = console.services, dict(question.query)
    with services.snapshots.open(question.org_id, now=now, at=question.at) as snapshot:
        there = snapshot.from_cache(question.report, query, question.form, shared=True) is not None
        if there and question.hashed:
            there = snapshot.cached_hash(question.report, query, shared=True) is not None
    if not there:
        sync_replica(question.org_id, console, with_past=question.at is not None)


def _build(console: ComputeConsole, question: Question, now: datetime, sent: bool) -> _ArtifactAnswer:
    services, query = console.services, dict(question.query)
    with services.snapshots.open(question.org_id, now=now, at=question.at) as snapshot:
        artifact = snapshot.bytes(question.report, query, question.form)
        content_hash = snapshot.content_hash(question.report, query) if question.hashed else None
    there = not sent and services.artifacts.place(artifact.name).is_file()
    return _ArtifactAnswer(artifact.name, artifact.etag, None if there else artifact.data, content_hash)


def with_services(console: ComputeConsole, function: Callable[..., T], arguments: tuple[object, ...]) -> T:
    """Call a function in a worker with its services."""
    return function(console.services, *arguments)


def _answer(console: ComputeConsole, sent: _WorkerRequest) -> Response:
    request = Request(
        method=sent.method,
        path=sent.path,
        arguments=sent.arguments,
        query=sent.query,
        headers=sent.headers,
        read_body=lambda: sent.body,
        computing=Computing({}),
        address=sent.address,
        id=sent.id,
        now=sent.now,
        services=console.services,
        principal=sent.principal,
        options=sent.options,
        raw_path=sent.raw_path,
        raw_query=sent.raw_query,
    )
    return console.compute(sent.method, sent.rule, request)
