"""The serving process and its worker processes: what each opens, and how many there are."""

import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TypeVar, cast

import click

from engine.cli.common import now, open_console_services
from engine.runtime.settings import Settings
from engine.runtime.worker_process import Assignment
from engine.runtime.workers import Workers
from engine.web.app import Console
from engine.web.computing import Answering, with_services
from engine.web.lanes import ARCHIVES, REPORTS

T = TypeVar("T")
IDLE_SECONDS = 60.0
ARCHIVE_SECONDS = 1800.0


@contextmanager
def open_console(settings: Settings, replica: str) -> Iterator[Console]:
    """The console of one worker process, with an analytics store of its own."""
    import api
    from engine.runtime.services import open_services
    from reports import CATALOGUE

    with open_services(settings, CATALOGUE, now=now(), replica=replica, memory_bytes=0) as services:
        yield Console(api.ROUTES, services)


@contextmanager
def worker_pools(settings: Settings) -> Iterator[Mapping[str, Workers[Answering]]]:
    """The workers by name; none runs before there is work for it."""
    from engine.runtime.services import REPLICA

    others = [f"analytics-{number}.duckdb" for number in range(1, settings.report_processes)]
    workers: dict[str, Workers[Answering]] = {
        str(REPORTS.workers): Workers(
            "reports",
            [partial(open_console, settings, replica) for replica in (REPLICA, *others)],
            deadline=settings.report_deadline_seconds,
        ),
        str(ARCHIVES.workers): Workers(
            "archives",
            [partial(open_console, settings, "analytics-archives.duckdb")],
            deadline=ARCHIVE_SECONDS,
            idle=IDLE_SECONDS,
        ),
    }
    try:
        yield workers
    finally:
        for one in workers.values():
            one.close()


def _aside(workers: Workers[Answering], function: Callable[..., T], *arguments: object) -> T:
    return cast(T, workers.run(Assignment(with_services, (function, arguments)), place=""))


def serve_console(settings: Settings, listening: socket.socket, address: str, *, threads: int, scheduled: bool) -> None:
    """Answer on a socket that listens already, until SIGTERM or Ctrl-C."""
    import api
    from engine.delivery.endpoint_changes import encrypt_secrets
    from engine.delivery.secret_keys import SecretKeys
    from engine.web.serving.server import bind, run
    from scheduler import new_scheduler

    with open_console_services(settings) as opened, worker_pools(settings) as workers:
        opened.store.must_be_writable()
        encrypt_secrets(opened.store, SecretKeys(settings.webhook_key_path), now=now())
        services = replace(opened, background=partial(_aside, workers[str(ARCHIVES.workers)]))
        server = bind(Console(api.ROUTES, services, workers), listening, threads)
        click.echo(f"Serving on {address} (Ctrl-C stops)", err=True)
        run(server, new_scheduler(services) if scheduled else None)
