"""What keeps the operational store from answering, told by the codes of the engines and never by their text.

The text, which may name paths, goes to the log; what is raised says what it is and what to do.
"""

import logging
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from sqlalchemy.engine import make_url
from sqlalchemy.exc import DatabaseError, DBAPIError, IntegrityError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from engine.model.errors import Unavailable
from engine.model.file_errors import NO_MEMORY
from engine.store.database.sqlite_files import is_there

log = logging.getLogger("hq.store")


class StoreFault(NamedTuple):
    """One kind of fault: its word, what it is and what to do, and when to come back."""

    word: str
    message: str
    retry_after: int

    def problem(self) -> Unavailable:
        """The error for a person."""
        return Unavailable(self.message, word=self.word, headers={"Retry-After": str(self.retry_after)})


BUSY = StoreFault(
    "store_busy",
    "The operational store is locked by another writer, such as an import or a backup: nothing was changed; try again "
    "when that is done.",
    5,
)
EXHAUSTED = StoreFault(
    "store_connections_exhausted",
    "All connections to the operational store are taken: try again, and raise the limit of the database "
    "(max_connections) or of open files (ulimit -n) where this goes on.",
    5,
)
FULL = StoreFault(
    "disk_full",
    "The disk of the operational store is full, or a limit of size is reached: nothing was changed; free some space, "
    "then try again.",
    30,
)
READ_ONLY = StoreFault(
    "store_read_only",
    "The operational store is read-only: nothing can be written. Mount or copy it so that the console may write it and "
    "its folder, or, for PostgreSQL, name the primary server in SVC_DATABASE_URL.",
    60,
)
FORBIDDEN = StoreFault(
    "store_no_permission",
    "The account that runs the console may not use the operational store: give it the rights on the file and its "
    "folder, or on the database.",
    60,
)
DAMAGED = StoreFault(
    "store_damaged",
    "The operational store is damaged. It is the record of truth: stop the console, keep the damaged file, and restore "
    "a backup.",
    60,
)
BROKEN = StoreFault(
    "store_io_error",
    "The disk of the operational store reports an input or output error: look at the disk, then try again; what was "
    "acknowledged before is kept.",
    60,
)
UNREADABLE_LOG = StoreFault(
    "store_read_only",
    "The operational store is a read-only copy with a write-ahead log (-wal) that is not folded in, and without its "
    "index (-shm) it cannot be read here: copy the file and its -wal to a folder that can be written.",
    60,
)
MISSING = StoreFault(
    "store_missing",
    "The operational store is gone from its place: restore it there, or name its place in SVC_DATABASE_URL.",
    60,
)
AWAY = StoreFault(
    "store_unavailable",
    "The operational store does not answer: its server restarts, is gone, or refuses us; try again, and check "
    "SVC_DATABASE_URL where this goes on.",
    5,
)
MEMORY = StoreFault(NO_MEMORY.word, "There is not enough memory for the operational store to answer.", 5)

_SQLITE = {
    sqlite3.SQLITE_BUSY: BUSY,
    sqlite3.SQLITE_LOCKED: BUSY,
    sqlite3.SQLITE_PROTOCOL: BUSY,
    sqlite3.SQLITE_FULL: FULL,
    sqlite3.SQLITE_READONLY: READ_ONLY,
    sqlite3.SQLITE_PERM: FORBIDDEN,
    sqlite3.SQLITE_AUTH: FORBIDDEN,
    sqlite3.SQLITE_CORRUPT: DAMAGED,
    sqlite3.SQLITE_NOTADB: DAMAGED,
    sqlite3.SQLITE_IOERR: BROKEN,
    sqlite3.SQLITE_NOMEM: MEMORY,
}
_POSTGRESQL = {
    "25006": READ_ONLY,  # a standby, or default_transaction_read_only
    "40001": BUSY,
    "40P01": BUSY,
    "42501": FORBIDDEN,
    "53100": FULL,
    "53200": MEMORY,
    "53300": EXHAUSTED,
    "55P03": BUSY,
    "57014": BUSY,
    "58030": BROKEN,
    "58P01": DAMAGED,
    "XX001": DAMAGED,
    "XX002": DAMAGED,
}
_POSTGRESQL_CLASSES = {"08": AWAY, "28": FORBIDDEN, "53": EXHAUSTED, "57": AWAY, "58": BROKEN}
# of a connection that was refused libpq keeps the text alone
_REFUSED = (("too many clients", EXHAUSTED), ("connection slots", EXHAUSTED), ("password authentication", FORBIDDEN))


@contextmanager
def store_faults(url: str) -> Iterator[None]:
    """Unavailable for whatever keeps the store at ``url`` from answering; constraints and our mistakes pass."""
    try:
        yield
    except IntegrityError:
        raise
    except PoolTimeout as error:
        raise log_problem(url, EXHAUSTED, error) from error
    except DBAPIError as error:
        fault = fault_of(url, error.orig or error, lost=isinstance(error, OperationalError | InterfaceError))
        if fault is None or not isinstance(error, DatabaseError | InterfaceError):
            raise
        raise log_problem(url, fault, error.orig or error) from error
    except sqlite3.IntegrityError:
        raise
    except sqlite3.DatabaseError as error:
        fault = fault_of(url, error, lost=isinstance(error, sqlite3.OperationalError))
        if fault is None:
            raise
        raise log_problem(url, fault, error) from error


def log_problem(url: str, fault: StoreFault, error: BaseException) -> Unavailable:
    """The error for a person; the log gets the driver's own words and where the store is."""
    parsed = make_url(url)
    code = getattr(error, "sqlite_errorname", None) or getattr(error, "sqlstate", None) or type(error).__name__
    text = str(error).strip().partition("\n")[0]
    log.warning("%s at %s: %s: %s", fault.word, parsed.database if _is_file(url) else parsed.host, code, text)
    return fault.problem()


def fault_of(url: str, error: BaseException, *, lost: bool) -> StoreFault | None:
    """The kind of a driver's error; ``lost`` where one without a known code means that nobody answers."""
    if not _is_file(url):
        return _of_postgresql(error) or (AWAY if lost else None)
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:
        return AWAY if lost else None
    return _of_sqlite(Path(make_url(url).database or ""), code) or (AWAY if lost else None)


def _of_sqlite(path: Path, code: int) -> StoreFault | None:
    """By primary code. Where one has several causes, the file system tells which."""
    primary = code & 0xFF
    if primary == sqlite3.SQLITE_CANTOPEN:
        return _cannot_open(path)
    if code == sqlite3.SQLITE_IOERR_NOMEM:
        return MEMORY
    if primary == sqlite3.SQLITE_IOERR and _is_full(path):
        return FULL
    if code == sqlite3.SQLITE_READONLY_DBMOVED:
        return MISSING
    return _SQLITE.get(primary)


def _cannot_open(path: Path) -> StoreFault:
    """Why a file does not open. The file itself is not touched: closing it would drop this process's locks on it."""
    try:
        os.close(os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY))
    except FileNotFoundError:
        return MISSING
    except PermissionError:
        return FORBIDDEN
    except OSError:
        return EXHAUSTED
    if not os.access(path.parent, os.X_OK):
        return FORBIDDEN
    if not is_there(path):
        return MISSING if os.access(path.parent, os.W_OK | os.X_OK) else _folder_fault(path.parent)
    if not os.access(path, os.R_OK):
        return FORBIDDEN
    if not os.access(path, os.W_OK) or not os.access(path.parent, os.W_OK):
        return UNREADABLE_LOG if is_there(Path(f"{path}-wal")) else _folder_fault(path.parent)
    return FULL if _is_full(path) else BROKEN


def _folder_fault(folder: Path) -> StoreFault:
    """Of a folder that takes no new file: its disk takes none at all, or none of ours."""
    return READ_ONLY if os.statvfs(folder).f_flag & os.ST_RDONLY else FORBIDDEN


def _is_full(path: Path) -> bool:
    """Whether the disk has no room, or a file may not grow as it would have to."""
    try:
        disk = os.statvfs(path.parent)
    except OSError:
        return False
    return disk.f_bavail * disk.f_frsize < 1 << 16


def _of_postgresql(error: BaseException) -> StoreFault | None:
    state = getattr(error, "sqlstate", None)
    if state:
        return _POSTGRESQL.get(state) or _POSTGRESQL_CLASSES.get(state[:2])
    text = str(error)
    return next((fault for words, fault in _REFUSED if words in text), None)


def _is_file(url: str) -> bool:
    return url.startswith("sqlite")
