"""What answers and its worker processes: what each opens, and how many there are."""

import logging
import os
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar, cast

from engine.cli.common import now, open_console_services
from engine.runtime.epoch_watch import watch_epoch
from engine.runtime.processes.stop_signals import StopSignals
from engine.runtime.processes.worker_process import Assignment, WorkerProcess, workers_ahead
from engine.runtime.processes.workers import Workers
from engine.runtime.scheduled_work import Interruption, ScheduledWork
from engine.runtime.settings import Settings
from engine.web.app import Console
from engine.web.computing import ComputeConsole, with_services
from engine.web.lanes import ARCHIVES, DESK, REPORTS
from engine.web.warming import warm

if TYPE_CHECKING:
    from engine.runtime.services import Services
    from engine.store import Store
    from engine.web.serving.server import ConsoleServer

T = TypeVar("T")
log = logging.getLogger("hq.store")
IDLE_SECONDS = 60.0
ARCHIVES_REPLICA = "analytics-archives.duckdb"
DESK_IDLE_SECONDS = 1800.0
DESK_END_SECONDS = 12.0
ARCHIVE_SECONDS = 1800.0


@contextmanager
def open_console(settings: Settings, replica: str, shared: bool) -> Iterator[Console]:
    """The console of one worker process, with an analytics store of its own."""
    import api
    from engine.reporting.index import index
    from engine.runtime.services import open_services

    catalogue = index().catalogue
    with open_services(settings, catalogue, now=now(), replica=replica, memory_bytes=0, shared=shared) as services:
        yield Console(api.ROUTES, services)


def _opens(settings: Settings, shared: bool) -> Mapping[str, Callable[[], AbstractContextManager[ComputeConsole]]]:
    """What the first worker for reports, and the one for archives, opens."""
    from engine.runtime.services import REPLICA

    replicas = {str(REPORTS.workers): REPLICA, str(ARCHIVES.workers): ARCHIVES_REPLICA}
    return {name: partial(open_console, settings, replica, shared) for name, replica in replicas.items()}


@contextmanager
def worker_pools(
    settings: Settings,
    *,
    shared: bool = False,
    desk: bool = False,
    ahead: Mapping[str, WorkerProcess[ComputeConsole]] | None = None,
) -> Iterator[Mapping[str, Workers[ComputeConsole]]]:
    """The workers by name; none runs before there is work for it, but those that are there ``ahead``.

    ``desk``: with one that reads its forms and files.
    """
    from engine.runtime.services import REPLICA

    first = ahead or {}
    others = [f"analytics-{number}.duckdb" for number in range(1, settings.report_processes)]
    workers: dict[str, Workers[ComputeConsole]] = {
        str(REPORTS.workers): Workers(
            "reports",
            [partial(open_console, settings, replica, shared) for replica in (REPLICA, *others)],
            deadline=settings.report_deadline_seconds,
            ahead=first.get(str(REPORTS.workers)),
        ),
        str(ARCHIVES.workers): Workers(
            "archives",
            [partial(open_console, settings, ARCHIVES_REPLICA, shared)],
            deadline=ARCHIVE_SECONDS,
            idle=IDLE_SECONDS,
            ahead=first.get(str(ARCHIVES.workers)),
        ),
    }
    if desk:
        workers[str(DESK.workers)] = Workers(
            "desk",
            [partial(open_console, settings, "analytics-desk.duckdb", shared)],
            deadline=settings.report_deadline_seconds,
            idle=DESK_IDLE_SECONDS,
        )
    try:
        yield workers
    finally:
        for one in workers.values():
            one.close()


def _in_worker(
    workers: Workers[ComputeConsole], interruption: Interruption, function: Callable[..., T], *arguments: object
) -> T:
    work: Assignment[ComputeConsole] = Assignment(with_services, (function, arguments))
    return cast(T, interruption.call(partial(workers.run, work, place="")))


def _scheduled_work(
    services: "Services", workers: Mapping[str, Workers[ComputeConsole]], signals: StopSignals
) -> ScheduledWork:
    """The scheduler, whose long work is done by the workers of archives."""
    from scheduler import new_scheduler

    interruption = Interruption()

    def interrupt() -> None:
        interruption.begin()
        for one in workers.values():
            one.close()

    background = partial(_in_worker, workers[str(ARCHIVES.workers)], interruption)
    return ScheduledWork(new_scheduler(replace(services, background=background)), signals, interrupt)


@contextmanager
def desk_beside(
    services: "Services",
    workers: Mapping[str, Workers[ComputeConsole]],
    listening: socket.socket | None,
    signals: StopSignals,
) -> Iterator[None]:
    """While the block runs, the desk answers on its own socket, in a thread of its own; without one, nothing does."""
    if listening is None:
        yield
        return
    server = desk_server(services, workers, listening)
    loop = threading.Thread(target=server.serve, args=(signals.asked.is_set,), name="desk", daemon=True)
    loop.start()
    try:
        yield
    finally:
        server.stop(signals.grace_remaining if signals.asked.is_set() else None)
        loop.join(timeout=DESK_END_SECONDS)


def desk_server(
    services: "Services", workers: Mapping[str, Workers[ComputeConsole]], listening: socket.socket
) -> "ConsoleServer":
    """The server of the desk on a socket that listens already."""
    from engine.desk.application import Desk, refusal_page
    from engine.web.serving.server import ConsoleServer

    settings = services.settings
    desk = Desk(services, workers[str(DESK.workers)], workers[str(REPORTS.workers)])
    return ConsoleServer(
        desk.wsgi,
        listening,
        desk.lanes(),
        desk.lane_of,
        settings.trusted_proxies,
        spool=settings.data_dir,
        refusal_page=refusal_page,
    )


def warn_of_losses(store: "Store") -> None:
    """Say in the log by which settings of a PostgreSQL server a crash loses what was acknowledged."""
    from engine.store.queries.accounts.installation import durability_problems

    with store.reader() as connection:
        for problem in durability_problems(connection):
            log.warning("the PostgreSQL server loses what was committed when it crashes: %s", problem)


def serve_desk(settings: Settings, listening: socket.socket, announce: Callable[[], None]) -> None:
    """The desk alone, until SIGTERM or Ctrl-C; SchemaChanged as for the console."""
    from engine.web.serving.running import run

    with (
        StopSignals() as signals,
        open_console_services(settings, shared=True, begin=True) as services,
        watch_epoch(services.store),
        worker_pools(settings, shared=True, desk=True) as workers,
    ):
        services.store.must_be_writable()
        warn_of_losses(services.store)
        whole = run(desk_server(services, workers, listening), signals, ready=announce)
    if not whole:
        os._exit(0)


def serve_console(
    settings: Settings,
    listening: socket.socket,
    said: Callable[[], None],
    *,
    threads: int,
    scheduled: bool,
    processes: int = 1,
    desk: socket.socket | None = None,
) -> None:
    """Answer on a socket that listens already, until SIGTERM or Ctrl-C; ``said`` is called once it answers.

    With several ``processes`` this one has the workers and the scheduler, and those answer. ``desk`` is where the desk
    answers, in this process. SchemaChanged where the store was migrated meanwhile.
    """
    import api
    from engine.cli.installation.processes import serve_in_processes
    from engine.delivery.endpoint_changes import encrypt_secrets
    from engine.delivery.secret_keys import SecretKeys
    from engine.reporting.artifacts.artifact_names import code_fingerprint
    from engine.web.serving.running import run
    from engine.web.serving.server import bind

    shared = processes > 1
    code_fingerprint()  # once for this process and its copies
    with (
        workers_ahead(_opens(settings, shared), [one for one in (listening, desk) if one is not None]) as ahead,
        StopSignals() as signals,
        open_console_services(settings, shared=shared, begin=True) as services,
        watch_epoch(services.store),
        worker_pools(settings, shared=shared, desk=desk is not None, ahead=ahead) as workers,
        desk_beside(services, workers, desk, signals),
    ):
        services.store.must_be_writable()
        warn_of_losses(services.store)
        encrypt_secrets(services.store, SecretKeys(settings.webhook_key_path), now=now())
        work = _scheduled_work(services, workers, signals) if scheduled else None

        def announce() -> None:
            said()
            ahead = services, workers[str(REPORTS.workers)], signals.asked, services.started_at
            threading.Thread(target=warm, args=ahead, name="warming", daemon=True).start()

        if processes == 1:
            server = bind(Console(api.ROUTES, services, workers), listening, threads)
            announce()
            whole = run(server, signals, work)
        else:
            whole = serve_in_processes(services, workers, listening, threads, processes, signals, work, announce)
        if not whole and services.store.outdated.is_set():
            os._exit(1)
    if not whole:  # a thread of it is not over, and need not be: what was acknowledged is in the store
        os._exit(0)
