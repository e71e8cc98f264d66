"""One pull of an organization at a time on a machine: the next waits for half a minute, then says so."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engine.model.errors import Conflict

WAIT_SECONDS = 30.0
_LOOK_SECONDS = 0.1


@contextmanager
def turn(folder: Path, org_id: str, wait: float = WAIT_SECONDS) -> Iterator[None]:
    """In the block, no other pull of the organization runs. Conflict when one still does after ``wait`` seconds."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    lock = os.open(folder / f"{org_id}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        until = time.monotonic() + wait
        while not _take(lock):
            if time.monotonic() >= until:
                raise Conflict(f"Another pull of {org_id} runs; it was waited for {wait:.0f} s. Try again later.")
            time.sleep(_LOOK_SECONDS)
        yield
    finally:
        os.close(lock)


def _take(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
