"""Several processes that answer on one socket; the process that started them has the workers and the scheduler."""

import os
import socket
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from multiprocessing.process import BaseProcess
from typing import TYPE_CHECKING, cast

import click

from engine.cli.common import write_log
from engine.model.errors import Problem
from engine.reporting.batch.child_process import start_child
from engine.runtime.processes.broker import Broker, Line, LinkedWorkers, OfferedWork
from engine.runtime.processes.process_names import show_name
from engine.runtime.processes.stop_signals import StopSignals
from engine.runtime.processes.supervisor import Supervisor
from engine.runtime.processes.worker_process import Assignment
from engine.runtime.processes.workers import Workers
from engine.runtime.scheduled_work import ScheduledWork
from engine.runtime.settings import Settings
from engine.web.admission.limits import Limiter
from engine.web.admission.linked_limits import NAME as LIMITS
from engine.web.admission.linked_limits import LinkedLimits, counting
from engine.web.app import Console
from engine.web.computing import ComputeConsole
from engine.web.lanes import ARCHIVES, REPORTS

if TYPE_CHECKING:
    from engine.runtime.services import Services

ORPHAN_SECONDS = 1.0  # for what runs once the main process is gone, and with it whatever computes


def serve_in_processes(
    services: "Services",
    workers: Mapping[str, Workers[ComputeConsole]],
    listening: socket.socket,
    threads: int,
    count: int,
    signals: StopSignals,
    work: ScheduledWork | None,
    announce: Callable[[], None],
) -> bool:
    """Serve until SIGTERM or Ctrl-C, then finish the requests and the work under way; whether all of it was over.

    Unavailable where no process comes up.
    """
    offered: dict[str, OfferedWork] = {name: _computing(one) for name, one in workers.items()}
    broker = Broker({**offered, LIMITS: counting(Limiter(services.settings.rate_limit_url))})

    def start(number: int, ready: Callable[[], None]) -> BaseProcess:
        with broker.line(ready) as far:
            arguments = services.settings, listening, far, threads, number, services.started_at
            return start_child(_serve, arguments, f"serving {number}")

    supervisor = Supervisor(start, count)
    signals.on_signal(supervisor.stop)
    if work is not None:
        work.start()
    supervisor.run(announce, listening.close)
    return work is None or work.end()


def _computing(workers: Workers[ComputeConsole]) -> OfferedWork:
    def run(gone: Callable[[], bool], *arguments: object) -> object:
        work, place, caller = cast(tuple[Assignment[ComputeConsole], str, str], arguments)
        return workers.run(work, place=place, caller=caller, gone=gone)

    return run


def _serve(
    settings: Settings, listening: socket.socket, far: socket.socket, threads: int, number: int, started_at: datetime
) -> None:
    """One process that answers, from its start to its end."""
    show_name(f"hq serving {number}")
    write_log()
    line, code = Line(far), 0
    stops: list[Callable[[float], None]] = []
    threading.Thread(target=_follow, args=(line, stops), name="follow", daemon=True).start()
    try:
        _answer(settings, listening, line, threads, started_at, stops)
    except Problem as problem:
        click.echo(f"hq: {problem.message}", err=True)
        code = problem.exit_code
    os._exit(code)  # all is put away; taking the interpreter down as well takes time and tells nothing


def _answer(
    settings: Settings,
    listening: socket.socket,
    line: Line,
    threads: int,
    started_at: datetime,
    stops: list[Callable[[float], None]],
) -> None:
    import api
    from engine.reporting.index import index
    from engine.runtime.services import open_services
    from engine.web.serving.running import run
    from engine.web.serving.server import bind

    workers = {
        str(lane.workers): LinkedWorkers[ComputeConsole](line, str(lane.workers)) for lane in (REPORTS, ARCHIVES)
    }
    limiter = LinkedLimits(line) if settings.rate_limit_url == "memory://" else None
    catalogue = index().catalogue
    with StopSignals() as signals, open_services(settings, catalogue, now=started_at, shared=True) as services:
        server = bind(Console(api.ROUTES, services, workers, limiter), listening, threads)
        stops.append(server.stop)
        run(server, signals, ready=line.ready)


def _follow(line: Line, stops: Sequence[Callable[[float], None]]) -> None:
    """End this process soon after the main process."""
    line.wait_for_end()
    for stop in stops:
        stop(ORPHAN_SECONDS)
        time.sleep(1.5 * ORPHAN_SECONDS)
    os._exit(1)
