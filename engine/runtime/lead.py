"""The lead: of the processes that schedule, one runs the jobs."""

import os
import socket
import threading
import time
from collections.abc import Callable
from datetime import datetime, timedelta

from engine.store import Store
from engine.store.ids import new_id
from engine.store.writing import leases
from engine.store.writing.leases import Lease

LEASE = "scheduler"
LEASE_SECONDS = 25.0  # of silence, after which another takes over
RENEW_SECONDS = 10.0


class Lead:
    """The lead, or the wait for it.

    The holder renews its lease; the others watch. One that did not change for ``LEASE_SECONDS`` of the watcher's own
    monotonic clock is of a process that is gone. So clocks that are set, that differ between machines, or that stood
    still while a machine was suspended neither keep the lead nor take it from anybody. Threads may share it.
    """

    def __init__(self, store: Store, clock: Callable[[], datetime], monotonic: Callable[[], float] = time.monotonic):
        self.holder = f"{socket.gethostname()}:{os.getpid()}:{new_id('proc')}"
        self.terms = 0  # how often this process came to lead
        self._store = store
        self._clock = clock
        self._monotonic = monotonic
        self._renewed: float | None = None
        self._seen: tuple[Lease | None, float] = (None, 0.0)
        self._guard = threading.Lock()

    def take(self) -> bool:
        """Take or renew the lead where that is needed; whether this process leads."""
        with self._guard:
            at = self._monotonic()
            if self._renewed is not None and at - self._renewed < RENEW_SECONDS:
                return True
            return self._keep(at) or self._succeed(at)

    def lease(self) -> Lease:
        """What this process writes while it leads."""
        return Lease(self.holder, self._clock() + timedelta(seconds=LEASE_SECONDS))

    def resign(self) -> None:
        """Let another process lead at once."""
        with self._guard:
            self._renewed = None
            leases.release(self._store, LEASE, self.holder)

    def _keep(self, at: float) -> bool:
        if self._renewed is None:
            return False
        kept = leases.renew(self._store, LEASE, self.lease())
        self._renewed = at if kept else None
        return kept

    def _succeed(self, at: float) -> bool:
        """Take the place of nobody, or of one that is gone."""
        lease = leases.look(self._store, LEASE)
        if lease is not None:
            seen, since = self._seen
            if lease != seen:
                self._seen = lease, at
                return False
            if at - since < LEASE_SECONDS:
                return False
        if not leases.take(self._store, LEASE, self.lease(), after=lease):
            return False
        self._renewed, self._seen = at, (None, at)
        self.terms += 1
        return True
