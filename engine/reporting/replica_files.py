"""The files of replicas, where the rows of before an erasure must not stay: DuckDB leaves the bytes of what goes."""

import fcntl
import os
from pathlib import Path

_MARK = ".renewed-"


def successor(path: Path) -> Path:
    """A file in place of ``path``, whose name is not free as long as this process reads what it was."""
    base = path.name.partition(_MARK)[0]
    return path.with_name(f"{base}{_MARK}{os.getpid()}-{os.urandom(4).hex()}")


def remove_successors(path: Path) -> None:
    """Remove what processes that have ended left in place of ``path``."""
    for file in _replicas(path.parent, f"{path.name}{_MARK}*"):
        if not _is_open(file):
            remove(file)


def remove(path: Path) -> None:
    """Remove a replica with its log."""
    for file in (path, Path(f"{path}.wal")):
        file.unlink(missing_ok=True)


def remove_unused(folder: Path) -> list[Path]:
    """Remove all replicas in a folder that no process holds; those that are left are removed by who holds them."""
    held = []
    for path in _replicas(folder, "*.duckdb*"):
        if _is_open(path):
            held.append(path)
        else:
            remove(path)
    return held


def _replicas(folder: Path, pattern: str) -> list[Path]:
    """The files of that name but for logs, which go with theirs."""
    return sorted(file for file in folder.glob(pattern) if file.is_file() and file.suffix != ".wal")


def _is_open(path: Path) -> bool:
    """Whether another process has the database open: DuckDB locks it."""
    try:
        with path.open("r+b") as file:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return path.exists()
    return False
