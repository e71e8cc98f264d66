"""The store is moved to PostgreSQL while no server works on it."""

from datetime import datetime

from engine.model.errors import Conflict
from engine.runtime.lead import LEASE
from engine.store import Store
from engine.store.copy.store_copy import Counting, StoreCopy, copy_store
from engine.store.writing import leases


def move_store(source: str, target: str, *, now: datetime, progress: Counting) -> StoreCopy:
    """``copy_store`` where no process schedules work; Conflict names the one that does."""
    store = Store(source)
    try:
        held = leases.look(store, LEASE)
    finally:
        store.close()
    if held is not None and held.until > now:
        raise Conflict(
            f"A server works on this store ({held.holder}, until {held.until:%H:%M:%S} UTC at least): stop it, so that "
            "nothing is written that the copy lacks.",
            word="store_in_use",
        )
    return copy_store(source, target, progress)
