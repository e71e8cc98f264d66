"""Opening a SQLite file as far as the file system lets us: to write, or a copy that can only be read."""

import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import Literal
from urllib.parse import quote

from engine.store.database.patience import patience

Access = Literal["rw", "ro", "immutable"]
STATEMENTS = 512  # kept prepared: a statement of many rows is one for each number of them


def access(path: str) -> Access:
    """How the file can be used: ``rw``, or of one that cannot be written ``immutable``, ``ro`` with a log beside it.

    A write-ahead log is kept beside the file, so its folder has to take new files as well, unless log and index are
    there already. A file that nobody can write is read without locks; without a log nobody else has it open.
    """
    file, log, index = Path(path), Path(f"{path}-wal"), Path(f"{path}-shm")
    if not is_there(file):
        return "rw"
    beside = is_there(log) and is_there(index) and os.access(log, os.W_OK) and os.access(index, os.W_OK)
    if os.access(file, os.W_OK) and (beside or os.access(file.parent, os.W_OK | os.X_OK)):
        return "rw"
    return "ro" if is_there(log) and log.stat().st_size else "immutable"


def is_there(file: Path) -> bool:
    """Whether a file is there for us: one in a folder that we may not enter is not."""
    return os.path.exists(file)  # noqa: PTH110 - Path.exists raises where it may not look


class ThreadConnection(sqlite3.Connection):
    """A connection that ends with the thread that it belongs to, which has no other end to close it at."""

    def __del__(self) -> None:
        with suppress(sqlite3.ProgrammingError):  # collected by another thread: SQLite closes it all the same
            self.close()


def connect(
    path: str, *, shared: bool = False, create: bool = False, factory: type[sqlite3.Connection] = sqlite3.Connection
) -> sqlite3.Connection:
    """A connection in autocommit mode; ``shared``: threads hand it on. Only with ``create`` it makes the file."""
    options = {"rw": "mode=rw", "ro": "mode=ro", "immutable": "mode=ro&immutable=1"}[access(path)]
    return sqlite3.connect(
        f"file:{quote(str(Path(path).absolute()))}?{'mode=rwc' if create else options}",
        uri=True,
        isolation_level=None,
        timeout=patience(),
        check_same_thread=not shared,
        cached_statements=STATEMENTS,
        factory=factory,
    )


def rewrite(path: str) -> bool:
    """Write the file anew, without what rows that went left in it, and fold the log into it; returns as ``fold``."""
    with closing(connect(path)) as connection:
        connection.execute("VACUUM")
    return fold(path)


def fold(path: str) -> bool:
    """Fold the log into the file. False where it stays for now, because another process reads an earlier state."""
    with closing(connect(path)) as connection:
        (busy, _, _) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not busy
