"""Rendered reports as files, named by everything that they were computed from.

A file is either right or absent: nothing is ever invalidated. Those that nobody used for days are pruned, and those
used least go when there is no space for another. A file ends with the SHA-256 of its key and its bytes, an archive has
it beside it; one of which that does not hold is removed, and built anew. One build at a time per artifact, across
threads and processes; the others wait for it. A bucket, where there is one, has what other machines built.
"""

import fcntl
import logging
import os
import tempfile
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from engine.model.errors import Unavailable
from engine.model.file_errors import file_problem
from engine.reporting.artifacts.artifact_names import Name
from engine.reporting.artifacts.artifact_seals import bytes_of, seal, sum_file, sum_line
from engine.reporting.artifacts.artifact_space import UNFINISHED, ArtifactSpace, Quota
from engine.reporting.artifacts.bucket import Bucket, bucket_at
from engine.reporting.artifacts.durable_files import file_sum, flush, flush_names
from engine.store.database.patience import wait_allowed

log = logging.getLogger(__name__)
MEMORY_BYTES = 48 * 1024 * 1024
QUOTA = Quota(organization=1 << 30, total=8 << 30)
USE_NOTED_SECONDS = 3600.0  # a file's time is when it was last used, as closely as this


@dataclass(frozen=True)
class ArtifactStorage:
    """Where artifacts are kept. Other processes and machines may be given it: what opens a bucket is with them."""

    folder: Path
    quota: Quota = QUOTA
    bucket_url: str = ""

    def open(self, *, memory_bytes: int = MEMORY_BYTES) -> "Artifacts":
        """The artifacts that are kept there."""
        bucket = bucket_at(self.bucket_url) if self.bucket_url else None
        return Artifacts(self.folder, memory_bytes=memory_bytes, quota=self.quota, bucket=bucket)


def always() -> bool:
    """Whether an artifact is wanted still, where nothing takes that away."""
    return True


class Artifacts:
    """Files below ``folder``, the hot ones in memory. Threads and processes may share one folder.

    With a ``bucket``, what is built is put there, too, and what is not in the folder may be there.
    """

    def __init__(
        self, folder: Path, *, memory_bytes: int = MEMORY_BYTES, quota: Quota = QUOTA, bucket: Bucket | None = None
    ) -> None:
        self.folder = folder
        self._bucket = bucket
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
            data = self._read(name, key)
            if data is None:
                return None
            self._remember(key, data)
        self._note_use(name, key)
        return data

    def read_aside(self, name: Name) -> bytes | None:
        """What ``put_aside`` kept."""
        return self._read(name, name.key)

    def _read(self, name: Name, key: str) -> bytes | None:
        """The bytes of a file; None where there is none, or it is damaged or cannot be read, and is built anew."""
        wait_allowed()
        path = self._path(name, key)
        try:
            data = bytes_of(path.read_bytes(), key)
            if data is None:
                log.warning("The kept report %s is damaged and is built anew.", path)
                path.unlink(missing_ok=True)
            return data
        except FileNotFoundError:
            return None
        except OSError as error:
            self._warn_unreadable(error)
            return None

    def file_of(self, name: Name) -> Path | None:
        """The file of an artifact that was built: for those that are too large to be held in memory."""
        path = self._path(name, name.key)
        try:
            if not path.is_file():
                return None
            beside = sum_file(path)
            if not beside.is_file() or beside.read_bytes() != sum_line(file_sum(path), name.key):
                log.warning("The kept archive %s is damaged and is made anew.", path)
                beside.unlink(missing_ok=True)
                path.unlink()
                return None
        except OSError as error:  # it is made anew
            self._warn_unreadable(error)
            return None
        self._note_use(name, name.key)
        with suppress(OSError):
            os.utime(beside)
        return path

    def fetch(self, name: Name, key: str | None = None, is_wanted: Callable[[], bool] = always) -> bytes | None:
        """What ``get`` gives, or what another machine put into the bucket; that is kept here from then on."""
        key = key or name.key
        data = self.get(name, key)
        if data is not None or self._bucket is None:
            return data
        stored = self._bucket.read(_place(name, key))
        if stored is None:
            return None
        data = bytes_of(stored, key)
        if data is None:
            log.warning("The kept report %s/%s is damaged and is built anew.", self._bucket.url, _place(name, key))
            self._bucket.remove(_place(name, key))
            return None
        self._remember(key, data)
        with suppress(Unavailable):  # is said in the log; the next one reads it from the bucket again
            self._keep(name, key, data, is_wanted)
        return data

    def prefetch(self, org_id: str, names: Iterable[tuple[Name, str]], is_wanted: Callable[[], bool]) -> None:
        """Fetch many of an organization at a time; what is nowhere is not looked for again for a while."""
        if self._bucket is None:
            return
        missing = {_place(*one): one for one in names if not self._path(*one).exists()}
        if missing:
            there = [missing[place] for place in self._bucket.present(org_id, missing)]
            self._bucket.for_each(lambda one: self.fetch(*one, is_wanted), there)

    def put(self, name: Name, data: bytes, is_wanted: Callable[[], bool] = always) -> None:
        """Keep the bytes: whole or not at all. Unavailable when the disk does not take them.

        Where they are not wanted any more once they are kept, they go again.
        """
        key = name.key
        if self._bucket is not None:
            self._bucket.send(_place(name, key), data + seal(data, key), is_wanted)
        self._remember(key, data)
        self._keep(name, key, data, is_wanted)

    def put_aside(self, name: Name, data: bytes, is_wanted: Callable[[], bool] = always) -> None:
        """The same of what only a process that starts reads, on this machine: it is not held in memory."""
        self._keep(name, name.key, data, is_wanted)

    def _keep(self, name: Name, key: str, data: bytes, is_wanted: Callable[[], bool]) -> None:
        path = self._path(name, key)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=UNFINISHED)
            try:
                with os.fdopen(handle, "wb") as file:  # not flushed: what a power cut leaves half fails its seal
                    file.write(data)
                    file.write(seal(data, key))
                self.space.keep(name.org_id, Path(temporary), path, now=time.time())
            except BaseException:
                Path(temporary).unlink(missing_ok=True)
                raise
        except OSError as error:
            problem = file_problem("Reports cannot be kept", error)
            self._warn(problem, error)
            raise problem from error
        self._said = ""
        if not is_wanted():
            path.unlink(missing_ok=True)

    def _warn(self, problem: Unavailable, error: OSError) -> None:
        """Tell the operator, with the place; once, until something is kept again or another thing is wrong."""
        if self._said != problem.message:
            self._said = problem.message
            log.warning("%s (below %s: %s)", problem.message, self.folder, error.strerror or error)

    def _warn_unreadable(self, error: OSError) -> None:
        self._warn(file_problem("Kept reports cannot be read", error), error)

    def take(self, name: Name, temporary: Path) -> Path:
        """Keep a file that was written beside its place; Unavailable when the disk does not take it."""
        path = self._path(name, name.key)
        try:
            line, beside = sum_line(file_sum(temporary), name.key), sum_file(temporary)
            with beside.open("wb") as file:
                file.write(line)
                flush(file)
            self.space.keep(name.org_id, beside, sum_file(path), now=time.time())
            self.space.keep(name.org_id, temporary, path, now=time.time())
            flush_names(path.parent)
        except OSError as error:
            for left in (temporary, sum_file(temporary)):
                left.unlink(missing_ok=True)
            problem = file_problem("Reports cannot be kept", error)
            self._warn(problem, error)
            raise problem from error
        return path

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

    @property
    def storage(self) -> ArtifactStorage:
        """Where they are kept, for other processes."""
        return ArtifactStorage(self.folder, self.space.quota, "" if self._bucket is None else self._bucket.url)

    def flush(self, seconds: float | None = None) -> None:
        """Wait for what is on its way to the bucket, for so long at most."""
        if self._bucket is not None:
            self._bucket.flush(seconds)

    def clear_bucket(self, org_id: str) -> None:
        """Remove all of an organization from the bucket, if there is one. Unavailable where something may be left."""
        if self._bucket is not None:
            self._bucket.clear(org_id)

    def prune(self, days: int, *, now: float | None = None) -> int:
        """Delete artifacts that nobody used for ``days`` days; returns how many. They are rebuilt on demand."""
        now = time.time() if now is None else now
        return self.space.prune(now - days * 86_400, now=now)

    def place(self, name: Name) -> Path:
        """Where the file of an artifact is, or is to be put: for those that are too large to be held in memory."""
        return self._path(name, name.key)

    def _path(self, name: Name, key: str) -> Path:
        return self.folder / _place(name, key)

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


def _place(name: Name, key: str) -> str:
    """Where it is below the folder, and in a bucket below its prefix."""
    return f"{name.org_id}/{name.report}/{key}.{name.format}"
