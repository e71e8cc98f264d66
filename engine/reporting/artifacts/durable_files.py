"""Files that bear a name only when they are whole and on the disk, and their sums.

Until then they have no name at all where the file system knows such files, so that a process that is killed leaves
nothing. Elsewhere (NFS, FUSE) they lie beside their place as ``.<name>.<process>.<random>``, locked as long as somebody
writes them: ``abandoned_files`` are those that nobody does.
"""

import errno
import fcntl
import os
import re
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

PIECE = 1 << 20
BEGINNING = 60.0  # seconds for which an empty file may not be locked yet
_NO_NAMELESS = (errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL, errno.ENOSYS)
_NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)


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


@contextmanager
def new_file(path: Path) -> Iterator[BinaryIO]:
    """A file that only we read, whole and on the disk once it has its name; gone when the block raises.

    OSError; FileExistsError where there is something of that name, which stays as it is.
    """
    with _file_on_disk_of(path) as (file, beside):
        yield file
        flush(file)
        if beside is None:
            _name(file, path)
        else:
            link_new(beside, path)
        try:
            flush_folder(path.absolute().parent)
        except OSError:
            path.unlink(missing_ok=True)
            raise


@contextmanager
def file_in_place(path: Path) -> Iterator[BinaryIO]:
    """The same in the place of what there is: whoever reads sees the one or the other, whole. OSError."""
    with _file_on_disk_of(path) as (file, beside):
        yield file
        flush(file)
        named = beside or _beside(path)
        try:
            if beside is None:
                _name(file, named)
            named.replace(path)
        except OSError:
            named.unlink(missing_ok=True)
            raise
        flush_names(path.absolute().parent)


def write_whole(path: Path, data: bytes) -> None:
    """The bytes in the place of what there is, with its permissions, whole or not at all. OSError.

    What is no file (a terminal, a pipe) gets them as they come; of a link what it leads to is replaced.
    """
    target = path.resolve()
    if target.exists() and not target.is_file():
        target.write_bytes(data)
        return
    with file_in_place(target) as file:
        if target.exists():
            os.fchmod(file.fileno(), stat.S_IMODE(target.stat().st_mode))
        file.write(data)


def link_new(made: Path, path: Path) -> None:
    """Give a finished file the name ``path`` as well, or instead where the file system has no hard links.

    OSError; FileExistsError where there is something of that name.
    """
    try:
        os.link(made, path)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        if os.path.lexists(path):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path)) from error
        made.replace(path)


def abandoned_files(path: Path) -> list[Path]:
    """What processes that were killed left beside ``path`` of what should have become it. Nothing is changed."""
    pattern = re.compile(rf"\.{re.escape(path.name)}\.\d+(\.[0-9a-f]{{8}})?")
    try:
        names = [entry.name for entry in path.absolute().parent.iterdir()]
    except OSError:  # no folder, or one that this account may not look into
        return []
    return [
        path.with_name(name) for name in sorted(names) if pattern.fullmatch(name) and is_abandoned(path.with_name(name))
    ]


def is_abandoned(path: Path) -> bool:
    """Whether nobody writes a file that somebody began."""
    try:
        opened = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        stat_result = os.fstat(opened)
        return stat.S_ISREG(stat_result.st_mode) and (
            stat_result.st_size > 0 or stat_result.st_mtime < time.time() - BEGINNING
        )
    except OSError:  # somebody writes it
        return False
    finally:
        os.close(opened)


def sweep_abandoned(path: Path) -> list[Path]:
    """Take them away; returns which they were. OSError."""
    paths = abandoned_files(path)
    for each in paths:
        each.unlink(missing_ok=True)
    return paths


@contextmanager
def _file_on_disk_of(path: Path) -> Iterator[tuple[BinaryIO, Path | None]]:
    """A file on the disk of ``path``, and where it lies: None where it has no name."""
    number = _nameless(path.absolute().parent)
    if number is not None:
        with os.fdopen(number, "wb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield file, None
        return
    beside = _beside(path)
    try:
        with os.fdopen(os.open(beside, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield file, beside
    finally:
        beside.unlink(missing_ok=True)


def _beside(path: Path) -> Path:
    return path.with_name(f".{path.name}.{os.getpid()}.{os.urandom(4).hex()}")


def _nameless(folder: Path) -> int | None:
    """A file without a name, open to be written; None where there are none."""
    flag = getattr(os, "O_TMPFILE", 0)
    if not flag or not os.path.exists("/proc/self/fd"):  # noqa: PTH110 - no path of ours
        return None
    try:
        return os.open(folder, flag | os.O_RDWR, 0o600)
    except OSError as error:
        if error.errno in _NO_NAMELESS:
            return None
        raise


def _name(file: BinaryIO, path: Path) -> None:
    """Give a file without a name its first. FileExistsError where there is something of that name."""
    folder = os.open(path.absolute().parent, os.O_RDONLY | os.O_DIRECTORY)
    try:  # a folder has to be named, or the link is taken instead of what it leads to
        os.link(f"/proc/self/fd/{file.fileno()}", path.absolute(), src_dir_fd=folder, follow_symlinks=True)
    finally:
        os.close(folder)


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
