"""A bucket that shares artifacts between machines: objects below a prefix, through fsspec.

It helps and is never needed. What cannot be read there is computed, and what cannot be written stays in the folder of
this machine. Trouble is said once, and while it lasts one try every few seconds is all that waits for it.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from engine.model.errors import Unavailable

T = TypeVar("T")
log = logging.getLogger(__name__)
CONNECT_SECONDS = 1.5
ANSWER_SECONDS = 4.0
CLEAR_SECONDS = 60.0  # for a listing, or the removal of what it lists
PAUSE_SECONDS = 20.0  # after trouble nobody tries for so long
ABSENT_SECONDS = 60.0  # for which what was not there is not looked for again: who asks builds it
ABSENT_NAMES = 10_000
THREADS = 8
WAITING = 32  # objects that wait to be sent, at most: they are in memory


class _Files(NamedTuple):
    """A file system of fsspec, and what it raises where the bucket does not do as asked."""

    system: Any  # fsspec has no types
    errors: tuple[type[Exception], ...]


class Bucket:
    """Objects below ``url``, such as ``s3://bucket/prefix``. Threads may share one; it connects when first asked."""

    def __init__(self, url: str) -> None:
        self.url = url.rstrip("/")
        self._root = self.url.partition("://")[2]
        self._guard = threading.Lock()
        self._files: _Files | None = None
        self._absent_until: dict[str, float] = {}
        self._reading = _Circuit(f"Kept reports cannot be read from {self.url}", self.url)
        self._writing = _Circuit(f"Reports cannot be kept in {self.url}", self.url)
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="bucket")
        self._room = threading.BoundedSemaphore(WAITING)
        self._sending: set[Future[None]] = set()

    def read(self, path: str) -> bytes | None:
        """The bytes of an object; None where there is none, and where the bucket does not answer."""
        if time.monotonic() < self._absent_until.get(path, 0.0) or not self._reading.passes:
            return None
        try:
            data: bytes = self.request("cat_file", path)
        except FileNotFoundError:
            self._reading.mend()
            self._note_absent(path)
            return None
        except Unavailable as problem:
            self._reading.fail(problem.message)
            return None
        self._reading.mend()
        return data

    def present(self, folder: str, paths: Iterable[str]) -> set[str]:
        """Which of the objects of a folder are there, by one listing; a while long nobody looks for the others."""
        if not self._reading.passes:
            return set()
        try:
            there = {path[path.index(f"{self._root}/") + len(self._root) + 1 :] for path in self._below(folder)}
        except Unavailable as problem:
            self._reading.fail(problem.message)
            return set()
        self._reading.mend()
        wanted = set(paths)
        for path in wanted - there:
            self._note_absent(path)
        return wanted & there

    def _note_absent(self, path: str) -> None:
        if len(self._absent_until) >= ABSENT_NAMES:
            self._absent_until.clear()
        self._absent_until[path] = time.monotonic() + ABSENT_SECONDS

    def send(self, path: str, data: bytes, is_wanted: Callable[[], bool]) -> None:
        """Write an object, beside what the caller does next; remove it again where it is not wanted any more then."""
        self._room.acquire()
        with self._guard:
            sent = self._threads.submit(self._send, path, data, is_wanted)
            self._sending.add(sent)
        sent.add_done_callback(self._let_go)

    def _let_go(self, sent: "Future[None]") -> None:
        self._room.release()
        with self._guard:
            self._sending.discard(sent)

    def _send(self, path: str, data: bytes, is_wanted: Callable[[], bool]) -> None:
        if not self._writing.passes:
            return
        try:
            self.request("pipe_file", path, data)
        except (FileNotFoundError, Unavailable) as problem:  # the first: there is no such bucket
            self._writing.fail(str(problem))
            return
        self._writing.mend()
        self._absent_until.pop(path, None)
        try:
            stays = is_wanted()
        except Unavailable:  # nobody can tell
            stays = False
        if not stays:
            self.remove(path)

    def for_each(self, function: Callable[[T], object], items: Iterable[T]) -> None:
        """Call a function that waits for the bucket, of several items at a time."""
        for _ in self._threads.map(function, items):
            pass

    def remove(self, path: str) -> None:
        """Remove an object that must not stay, if the bucket lets us."""
        try:
            self.request("rm_file", path)
        except (FileNotFoundError, Unavailable) as problem:
            log.warning("%s/%s should go and stays: %s", self.url, path, problem)

    def clear(self, folder: str) -> int:
        """Remove every object below ``folder``; returns how many there were. Unavailable where some may be left."""
        there = self._below(folder)
        if there:
            self.request("rm", there, seconds=CLEAR_SECONDS)
            if not set(there).isdisjoint(self._below(folder)):  # others may put new ones there
                raise Unavailable(f"{self.url} does not let its objects be removed.")
        return len(there)

    def _below(self, folder: str) -> list[str]:
        try:
            request: list[str] = self.request("find", folder, seconds=CLEAR_SECONDS)
        except FileNotFoundError:
            return []
        return request

    def send_file(self, path: str, file: Path, seconds: float) -> None:
        """Write a file of this machine as an object. FileNotFoundError where there is no such bucket; Unavailable."""
        self._call("put_file", str(file), f"{self._root}/{path}", seconds=seconds)

    def listing(self, folder: str) -> list[tuple[str, int, object]]:
        """Path, size and time of change of every object below ``folder``. Unavailable."""
        try:
            there: dict[str, dict[str, Any]] = self._call(
                "find", f"{self._root}/{folder}", None, False, True, seconds=CLEAR_SECONDS
            )
        except FileNotFoundError:
            return []
        return [
            (
                path[path.index(f"{self._root}/") + len(self._root) + 1 :],
                int(about["size"]),
                about.get("LastModified") or about.get("mtime") or about.get("created") or 0.0,
            )
            for path, about in there.items()
        ]

    def problem(self) -> str | None:
        """What keeps us from reading there; None where nothing does."""
        try:
            self.request("cat_file", "none")
        except FileNotFoundError as error:
            return str(error) if self.is_absent(error) else None
        except Unavailable as problem:
            return problem.message
        return None

    def is_absent(self, error: FileNotFoundError) -> bool:
        """Whether what was not found is the bucket itself."""
        answer = getattr(error.__cause__, "response", {})
        return bool(answer.get("Error", {}).get("Code") == "NoSuchBucket")

    def flush(self, seconds: float | None = None) -> None:
        """Wait for what is being sent, for so long at most."""
        with self._guard:
            sending = list(self._sending)
        wait(sending, seconds)

    def request(self, method: str, where: str | list[str], *arguments: object, seconds: float | None = None) -> Any:
        """What the file system's method answers. FileNotFoundError, or Unavailable with what went wrong."""
        place = where if isinstance(where, list) else f"{self._root}/{where}"
        return self._call(method, place, *arguments, seconds=seconds or ANSWER_SECONDS)

    def _call(self, method: str, *arguments: object, seconds: float) -> Any:
        files = self._files_opened()
        limit = {"timeout": seconds} if files.system.async_impl else {}
        try:
            return getattr(files.system, method)(*arguments, **limit)
        except FileNotFoundError:
            raise
        except files.errors as error:
            raise Unavailable(str(error) or type(error).__name__) from error

    def _files_opened(self) -> _Files:
        with self._guard:
            if self._files is None:
                self._files = _open_files(self.url.partition("://")[0])
            return self._files


@cache
def bucket_at(url: str) -> Bucket:
    """The bucket, one in a process: connecting takes a tenth of a second, and its trouble is said once."""
    return Bucket(url)


class _Circuit:
    """Whether a try is worth its time: while there is trouble, one in a few seconds is."""

    def __init__(self, trouble: str, url: str) -> None:
        self._trouble = trouble
        self._url = url
        self._broken = False
        self._again_at = 0.0
        self._guard = threading.Lock()

    @property
    def passes(self) -> bool:
        """Whether the caller may try; of several while there is trouble, the first."""
        with self._guard:
            if self._broken:
                if time.monotonic() < self._again_at:
                    return False
                self._again_at = time.monotonic() + PAUSE_SECONDS
            return True

    def fail(self, reason: str) -> None:
        with self._guard:
            if not self._broken:
                log.warning("%s (%s): until that is mended, each machine goes on with its own.", self._trouble, reason)
            self._broken = True
            self._again_at = time.monotonic() + PAUSE_SECONDS

    def mend(self) -> None:
        with self._guard:
            if self._broken:
                log.warning("%s does its part again.", self._url)
            self._broken = False


def _open_files(protocol: str) -> _Files:
    """Imported here: it takes 40 MB and a third of a second, and only who asks a bucket needs it."""
    import fsspec

    if protocol != "s3":
        return _Files(fsspec.filesystem(protocol), (OSError,))
    from aiohttp import ClientError as BrokenAnswer
    from botocore.exceptions import BotoCoreError, ClientError

    system = fsspec.filesystem(
        "s3",
        skip_instance_cache=True,
        use_listings_cache=False,
        max_concurrency=1,  # more of it asks for the size before it reads
        config_kwargs={
            "connect_timeout": CONNECT_SECONDS,
            "read_timeout": ANSWER_SECONDS,
            "retries": {"max_attempts": 0},
            # objects bear their own, and not every bucket takes those of others
            "request_checksum_calculation": "when_required",
            "response_checksum_validation": "when_required",
        },
    )
    system.retries = 2  # a connection that was kept open may be closed on the other side
    # ValueError: an endpoint or a region that is none
    return _Files(system, (OSError, BotoCoreError, ClientError, BrokenAnswer, ValueError))
