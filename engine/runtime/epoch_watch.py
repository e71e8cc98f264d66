"""A process that serves ends itself where its store was migrated: it could neither write nor read aright any more."""

import logging
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from engine.model.errors import Problem
from engine.store import Store
from engine.store.database.epoch import EPOCH, SchemaChanged

LOOK_SECONDS = 2.0
log = logging.getLogger("hq.processes")


@contextmanager
def watch_epoch(store: Store, *, seconds: float = LOOK_SECONDS) -> Iterator[None]:
    """While the block runs, look now and then, and at once after a write that was refused, which schema the store has.

    Where it is another, the process is told to end as by SIGTERM; SchemaChanged at the end of the block.
    """
    ended = threading.Event()
    watcher = threading.Thread(target=_watch, args=(store, ended, seconds), name="epoch", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        ended.set()
    if store.outdated.is_set():
        raise SchemaChanged(_epoch(store))


def _watch(store: Store, ended: threading.Event, seconds: float) -> None:
    while not store.outdated.wait(seconds) and not ended.is_set():
        if _epoch(store) != EPOCH:
            store.outdated.set()
    if not ended.is_set():
        log.error("%s", SchemaChanged(_epoch(store)).message)
        os.kill(os.getpid(), signal.SIGTERM)


def _epoch(store: Store) -> str | None:
    """What the store has; while it does not answer, what is expected: whoever asks it next is told so."""
    try:
        return store.epoch()
    except Problem:
        return EPOCH
