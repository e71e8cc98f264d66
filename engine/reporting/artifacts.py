"""Rendered reports as files, named by everything that they were computed from.

A file is either right or absent: nothing is ever invalidated. Those that nobody used for days are pruned, and those
used least go when there is no space for another. A file ends with the SHA-256 of its key and its bytes, an archive has
it beside it; one of which that does not hold is removed, and built anew. One build at a time per artifact, across
threads and processes; the others wait for it.
"""

import fcntl
import logging
import os
import tempfile
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path

from engine.model.errors import Unavailable
from engine.model.file_errors import file_problem
from engine.reporting.artifact_names import Name
from engine.reporting.artifact_space import UNFINISHED, ArtifactSpace, Quota
from engine.reporting.durable_files import file_sum, flush, flush_names
from engine.store.patience import wait_allowed

log = logging.getLogger(__name__)
MEMORY_BYTES = 48 * 1024 * 1024
QUOTA = Quota(organization=1 << 30, total=8 << 30)
USE_NOTED_SECONDS = 3600.0  # a file's time is when it was last used, as closely as this
SEAL_BYTES = 32
SUM = ".sum"


class Artifacts:
    """Files below ``folder``, the hot ones in memory. Threads and processes may share one folder."""

    def __init__(self, folder: Path, *, memory_bytes: int = MEMORY_BYTES, quota: Quota = QUOTA) -> None:
        self.folder = folder
        self.space = ArtifactSpace(folder, quota)
        self._limit = memory_bytes
        self._hot: OrderedDict[str, bytes] = OrderedDict()
        self._noted: dict[str, float] = {}  # when the use of those in memory was last written down
        self._size = 0
        self._guard = threading.Lock()
        self._building: dict[str, tuple[threading.Lock, int]] = {}
        self._said = ""  # what the operator was told last

    def get(self, name: Name, key: str | None = None) -> bytes | None:
        """The bytes of an artifact that was built, from memory or from its file."""
        key = key or name.key
        data = self._hot.get(key)
        if data is None:
            wait_allowed()
            path = self._path(name, key)
            try:
                data = _sound(path.read_bytes(), key)
                if data is None:
                    log.warning("The kept report %s is damaged and is built anew.", path)
                    path.unlink(missing_ok=True)
                    return None
            except FileNotFoundError:
                return None
            except OSError as error:  # it is built anew
                self._say_unreadable(error)
                return None
            self._remember(key, data)
        self._note_use(name, key)
        return data

    def found(self, name: Name) -> Path | None:
        """The file of an artifact that was built: for those that are too large to be held in memory."""
        path = self._path(name, name.key)
        try:
            if not path.is_file():
                return None
            beside = _beside(path)
            if not beside.is_file() or beside.read_bytes() != _sum_line(file_sum(path), name.key):
                log.warning("The kept archive %s is damaged and is made anew.", path)
                beside.unlink(missing_ok=True)
                path.unlink()
                return None
        except OSError as error:  # it is made anew
            self._say_unreadable(error)
            return None
        self._note_use(name, name.key)
        with suppress(OSError):
            os.utime(beside)
        return path

    def put(self, name: Name, data: bytes) -> None:
        """Keep the bytes: whole or not at all. Unavailable when the disk does not take them."""
        key = name.key
        path = self._path(name, key)
        self._remember(key, data)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=UNFINISHED)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(data)
                    file.write(_seal(data, key))
                    flush(file)
                self.space.keep(name.org_id, Path(temporary), path, now=time.time())
                flush_names(path.parent)
            except BaseException:
                Path(temporary).unlink(missing_ok=True)
                raise
        except OSError as error:
            problem = file_problem("Reports cannot be kept", error)
            self._say(problem, error)
            raise problem from error
        self._said = ""

    def _say(self, problem: Unavailable, error: OSError) -> None:
        """Tell the operator, with the place; once, until something is kept again or another thing is wrong."""
        if self._said != problem.message:
            self._said = problem.message
            log.warning("%s (below %s: %s)", problem.message, self.folder, error.strerror or error)

    def _say_unreadable(self, error: OSError) -> None:
        self._say(file_problem("Kept reports cannot be read", error), error)

    def take(self, name: Name, temporary: Path) -> Path:
        """Keep a file that was written beside its place; Unavailable when the disk does not take it."""
        path = self._path(name, name.key)
        try:
            line, beside = _sum_line(file_sum(temporary), name.key), Path(f"{temporary}{SUM}")
            with beside.open("wb") as file:
                file.write(line)
                flush(file)
            self.space.keep(name.org_id, beside, _beside(path), now=time.time())
            self.space.keep(name.org_id, temporary, path, now=time.time())
            flush_names(path.parent)
        except OSError as error:
            for left in (temporary, Path(f"{temporary}{SUM}")):
                left.unlink(missing_ok=True)
            problem = file_problem("Reports cannot be kept", error)
            self._say(problem, error)
            raise problem from error
        return path

    def drop(self, name: Name) -> None:
        """Remove one that must not stay; whoever has its bytes keeps them."""
        with suppress(FileNotFoundError):
            self._path(name, name.key).unlink()

    @contextmanager
    def building(self, name: Name) -> Iterator[None]:
        """Alone in building this artifact, among the threads and processes that share the folder."""
        key = name.key
        with self._guard:
            lock, users = self._building.get(key, (threading.Lock(), 0))
            self._building[key] = (lock, users + 1)
        try:
            with lock, self._file_lock(key):
                yield
        finally:
            with self._guard:
                lock, users = self._building[key]
                if users == 1:
                    del self._building[key]
                else:
                    self._building[key] = (lock, users - 1)

    @contextmanager
    def _file_lock(self, key: str) -> Iterator[None]:
        """One of 256 lock files, chosen by the key: enough for many builds at once, and nothing to clean up."""
        folder = self.folder / ".locks"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            file = (folder / key[:2]).open("wb")
        except OSError as error:  # where none can lie, nothing can be kept either: others build their own
            log.debug("no lock below %s: %s", folder, error)
            yield
            return
        with file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def prune(self, days: int, *, now: float | None = None) -> int:
        """Delete artifacts that nobody used for ``days`` days; returns how many. They are rebuilt on demand."""
        now = time.time() if now is None else now
        return self.space.prune(now - days * 86_400, now=now)

    def place(self, name: Name) -> Path:
        """Where the file of an artifact is, or is to be put: for those that are too large to be held in memory."""
        return self._path(name, name.key)

    def _path(self, name: Name, key: str) -> Path:
        return self.folder / name.org_id / name.report / f"{key}.{name.format}"

    def _note_use(self, name: Name, key: str) -> None:
        """Set the file's time, where it is older than an hour; a folder that takes nothing is read all the same."""
        now = time.time()
        if now - self._noted.get(key, 0.0) < USE_NOTED_SECONDS:
            return
        path = self._path(name, key)
        with suppress(OSError):
            if now - path.stat().st_mtime >= USE_NOTED_SECONDS:
                os.utime(path, (now, now))
        if key in self._hot:
            self._noted[key] = now

    def _remember(self, key: str, data: bytes) -> None:
        with self._guard:
            if key in self._hot or len(data) > self._limit // 4:
                return
            self._hot[key] = data
            self._size += len(data)
            while self._size > self._limit:
                oldest, dropped = self._hot.popitem(last=False)
                self._noted.pop(oldest, None)
                self._size -= len(dropped)


def _seal(data: bytes, key: str) -> bytes:
    digest = sha256(key.encode())
    digest.update(data)
    return digest.digest()


def _beside(path: Path) -> Path:
    """Where the sum of an archive is: nothing can be put behind it."""
    return Path(f"{path}{SUM}")


def _sum_line(digest: str, key: str) -> bytes:
    return sha256(f"{key}{digest}".encode()).hexdigest().encode()


def _sound(stored: bytes, key: str) -> bytes | None:
    """What a file was given to keep; None where it is not what was written."""
    data = stored[:-SEAL_BYTES]
    return data if stored[-SEAL_BYTES:] == _seal(data, key) else None
