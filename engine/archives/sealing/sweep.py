"""Seals that a killed process did not bring to their end: marked while they last, swept up a day later.

An archive without a mark is never touched, whatever the store knows of it: after a restore from a backup the records
may be older than the archives that assessors hold.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from engine.archives.errors import disk
from engine.store import Store
from engine.store.rows import first
from engine.store.schema.outputs import bundles

MARK = ".sealing"
GRACE = timedelta(days=1)  # longer than any seal takes


def temporary(folder: Path, bundle_id: str) -> Path:
    """Where the archive of a bundle is written."""
    return folder / f".{bundle_id}.new"


@contextmanager
def mark(folder: Path, bundle_id: str) -> Iterator[None]:
    """While the block runs, a mark beside the archive says that it is being sealed."""
    mark = folder / f".{bundle_id}{MARK}"
    with disk("The bundle"):
        folder.mkdir(parents=True, exist_ok=True)
        mark.touch()
    try:
        yield
    finally:
        mark.unlink(missing_ok=True)


def sweep(store: Store, folder: Path, org_id: str, *, now: datetime) -> int:
    """Remove what seals of the organization left that died with their process; returns how many there were.

    The archive itself goes only where no bundle of that name was recorded. Whoever seals at the time is held off, and
    finds its archive gone or recorded, never half of it.
    """
    with disk("The bundle folder"):
        old = [mark for mark in folder.glob(f".*{MARK}") if _since(mark) < now - GRACE]
        if not old:
            return 0
        with store.revision(org_id, "pruning", now=now) as revision:  # changes nothing
            for mark in old:
                bundle_id = mark.name[1 : -len(MARK)]
                if first(revision.connection, bundles, org_id, id=bundle_id) is None:
                    (folder / f"{bundle_id}.zip").unlink(missing_ok=True)
                temporary(folder, bundle_id).unlink(missing_ok=True)
                mark.unlink(missing_ok=True)
    return len(old)


def _since(mark: Path) -> datetime:
    """When a seal began; never, for one that ended meanwhile."""
    try:
        return datetime.fromtimestamp(mark.stat().st_mtime, UTC)
    except FileNotFoundError:
        return datetime.max.replace(tzinfo=UTC)
