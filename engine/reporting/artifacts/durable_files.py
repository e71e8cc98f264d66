"""Files that bear a name only when they are whole and on the disk, and their sums."""

import os
from contextlib import suppress
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

PIECE = 1 << 20


def flush(file: BinaryIO) -> None:
    """Bring what was written to the disk. OSError."""
    file.flush()
    os.fsync(file.fileno())


def flush_folder(folder: Path) -> None:
    """Bring the names in a folder to the disk. OSError."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def flush_names(folder: Path) -> None:
    """The same for files that can be computed again: one whose name is forgotten was never there."""
    with suppress(OSError):
        flush_folder(folder)


def file_sum(path: Path) -> str:
    """The SHA-256 of a file, read once for as long as it stays as it is. OSError."""
    state = path.stat()
    return _read_sum(path, state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns)


@lru_cache(maxsize=4096)
def _read_sum(path: Path, *state: int) -> str:
    digest = sha256()
    with path.open("rb") as file:
        while piece := file.read(PIECE):
            digest.update(piece)
    return digest.hexdigest()
