"""A server from its start to its end, in the process that is told to stop."""

import gc
import resource
from collections.abc import Callable

from engine.runtime.scheduled_work import ScheduledWork
from engine.runtime.stop_signals import StopSignals
from engine.web.serving.server import ConsoleServer

OBJECTS_BETWEEN_COLLECTIONS = 20_000


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
    signals.tell(server.stop)
    if work is not None:
        work.start()
    _allow_files()
    gc.collect()
    gc.freeze()  # what is loaded by now stays: looking through it again and again finds nothing
    before = gc.get_threshold()
    gc.set_threshold(
        OBJECTS_BETWEEN_COLLECTIONS, *before[1:]
    )  # requests leave few cycles, and a look stops all of them
    try:
        if ready is not None:
            ready()
        served = server.serve()
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()  # else DuckDB complains on the way out of objects that were never freed
    return (work is None or work.end()) and served


def _allow_files() -> None:
    """As many open files as the system lets this process have: connections, and answers that are not read yet."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if hard != resource.RLIM_INFINITY:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
