"""Files on their way into an archive: hashed and compressed as they come, so that memory does not grow with them."""

import os
import tempfile
import zlib
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import IO

from engine.archives.errors import disk
from engine.archives.sealing.zip_writer import CHUNK, LEVEL, NAME

IN_MEMORY = 1 << 20
LARGE, AHEAD = 1 << 18, 2  # pieces worth handing over, and how many may wait


@dataclass(frozen=True)
class Part:
    """A file of an archive. ``rows`` are its records, where it has any; ``stored``: its bytes are as they are."""

    name: str
    about: str
    size: int
    sha256: str
    rows: int | None
    crc: int
    compressed: int
    stored: bool
    _file: IO[bytes] = field(repr=False, compare=False)

    def pieces(self) -> Iterator[bytes]:
        """The compressed bytes."""
        self._file.seek(0)
        while piece := self._file.read(CHUNK):
            yield piece


class PartWriter:
    """A part that is being written. ``Part`` it is once ``finish`` ran.

    Large pieces are hashed and compressed on a thread of their own, while the next ones are read.
    """

    def __init__(self, name: str, about: str, folder: Path, *, stored: bool = False) -> None:
        self.name = name
        self._stored = stored
        self.about = about
        self._file: IO[bytes] = tempfile.SpooledTemporaryFile(IN_MEMORY, dir=str(folder))  # noqa: SIM115 - closed by the spool
        self._deflate = zlib.compressobj(LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
        self._digest, self._crc, self._size = sha256(), 0, 0
        self._thread: ThreadPoolExecutor | None = None
        self._pending: deque[Future[None]] = deque()

    def write(self, data: bytes) -> None:
        """Take the next bytes."""
        if self._thread is None and len(data) < LARGE:
            self._take(data)
            return
        self._thread = self._thread or ThreadPoolExecutor(1, "spool")
        self._pending.append(self._thread.submit(self._take, data))
        if len(self._pending) > AHEAD:
            self._pending.popleft().result()

    def _take(self, data: bytes) -> None:
        self._digest.update(data)
        self._crc, self._size = zlib.crc32(data, self._crc), self._size + len(data)
        self._file.write(data if self._stored else self._deflate.compress(data))

    def finish(self, rows: int | None) -> Part:
        """No more bytes come."""
        while self._pending:
            self._pending.popleft().result()
        if not self._stored:
            self._file.write(self._deflate.flush())
        digest, compressed = self._digest.hexdigest(), self._file.tell()
        return Part(self.name, self.about, self._size, digest, rows, self._crc, compressed, self._stored, self._file)

    def close(self) -> None:
        """Let go of the bytes."""
        if self._thread is not None:
            self._thread.shutdown(cancel_futures=True)
        with suppress(OSError):  # what it could not write is not wanted any more
            self._file.close()


class ArchiveSpool:
    """The parts of an archive, large ones in nameless files below ``folder``, until the archive is written.

    Where nothing can be made there, in the system's folder of temporary files.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._opened: list[PartWriter] = []
        self._parts: dict[str, Part] = {}

    def __enter__(self) -> "ArchiveSpool":
        with suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
        if not os.access(self._folder, os.W_OK | os.X_OK):
            self._folder = Path(tempfile.gettempdir())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for writing in self._opened:
            writing.close()

    @property
    def parts(self) -> list[Part]:
        """All that was added, by name."""
        return [self._parts[name] for name in sorted(self._parts)]

    @contextmanager
    def writing(
        self, name: str, about: str, rows: Callable[[], int | None], *, stored: bool = False
    ) -> Iterator[PartWriter]:
        """A file that is written bit by bit; ``rows`` is asked in the end. ``stored``: it is not compressed.

        ValueError for a name that cannot be.
        """
        if name in self._parts or not NAME.fullmatch(name):
            raise ValueError(f"{name!r} cannot be a further file of this archive")
        with disk("The archive"):
            writing = PartWriter(name, about, self._folder, stored=stored)
            self._opened.append(writing)
            yield writing
            self._parts[name] = writing.finish(rows())

    def add(self, name: str, about: str, data: bytes, rows: int | None = None) -> None:
        """A file as it stands."""
        with self.writing(name, about, lambda: rows) as writing:
            writing.write(data)

    def without(self, *names: str) -> None:
        """Forget files, so that they can be added anew."""
        for name in names:
            self._parts.pop(name, None)
