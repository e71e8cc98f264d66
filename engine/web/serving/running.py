"""A server from its start to its end, in the process that is told to stop."""

import resource
from collections.abc import Callable

from engine.runtime.processes.garbage import rare_collections
from engine.runtime.processes.stop_signals import StopSignals
from engine.runtime.scheduled_work import ScheduledWork
from engine.web.serving.server import ConsoleServer

OBJECTS_BETWEEN_COLLECTIONS = 20_000  # requests leave few cycles, and a look stops all of them


def run(
    server: ConsoleServer,
    signals: StopSignals,
    work: ScheduledWork | None = None,
    ready: Callable[[], None] | None = None,
) -> bool:
    """Serve until SIGTERM or Ctrl-C, then finish the requests and the work under way.

    Whether all of it came to its end within the grace; a second signal ends it at once. ``ready`` is called before
    the first request.
    """
    signals.on_signal(server.stop)
    if work is not None:
        work.start()
    _allow_files()
    with rare_collections(OBJECTS_BETWEEN_COLLECTIONS):
        if ready is not None:
            ready()
        served = server.serve()
    return (work is None or work.end()) and served


def _allow_files() -> None:
    """As many open files as the system lets this process have: connections, and answers that are not read yet."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if hard != resource.RLIM_INFINITY:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
