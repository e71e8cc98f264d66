"""Where bytes of evidence lie: files below a folder, or objects below the prefix of a bucket.

A place knows paths such as ``acme/ab/ab12…`` and whole files. What is there under a path is whole: it was
written beside it and moved, or is put by one request.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, Protocol

from engine.model.errors import Unavailable
from engine.model.file_errors import file_problem
from engine.reporting.artifacts.bucket import Bucket
from engine.reporting.artifacts.durable_files import flush_folder

TRANSFER_SECONDS = 600.0
UNFINISHED = ".new-"


@dataclass(frozen=True)
class StoredFile:
    """What lies under a path; ``modified`` in seconds since 1970."""

    path: str
    size: int
    modified: float

    @property
    def name(self) -> str:
        """The last part of the path: a SHA-256."""
        return self.path.rpartition("/")[2]


class EvidencePlace(Protocol):
    """Files by path. Unavailable where the place does not answer or does not take what it is given."""

    def open(self, path: str) -> BinaryIO:
        """The bytes under a path. FileNotFoundError where there are none."""

    def put(self, path: str, temporary: Path) -> None:
        """Move a finished file of this machine there, in the place of what there is."""

    def remove(self, path: str) -> None:
        """Take a file away, if it is there."""

    def files(self, folder: str) -> list[StoredFile]:
        """All that lies below a folder, by path."""


class EvidenceFolder:
    """Files below a folder of this machine, or of one that several machines mount."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __str__(self) -> str:
        return str(self.folder)

    def open(self, path: str) -> BinaryIO:
        """The file. FileNotFoundError where there is none, also where a link lies in its place."""
        try:
            return os.fdopen(os.open(self.folder / path, os.O_RDONLY | os.O_NOFOLLOW), "rb")
        except FileNotFoundError:
            raise
        except OSError as error:
            raise file_problem("Evidence cannot be read", error) from error

    def put(self, path: str, temporary: Path) -> None:
        """Move a finished file there and bring its name to the disk."""
        target = self.folder / path
        try:
            target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            temporary.replace(target)
            os.utime(target)
            flush_folder(target.parent)
        except OSError as error:
            raise file_problem("Evidence cannot be kept", error) from error

    def remove(self, path: str) -> None:
        """Take a file away, if it is there."""
        try:
            (self.folder / path).unlink(missing_ok=True)
        except OSError as error:
            raise file_problem("Evidence cannot be removed", error) from error

    def files(self, folder: str) -> list[StoredFile]:
        """All that lies below a folder, by path."""
        stored_files = []
        for parent, _, names in os.walk(self.folder / folder):
            for name in names:
                path = Path(parent, name)
                state = path.lstat()
                stored_files.append(StoredFile(path.relative_to(self.folder).as_posix(), state.st_size, state.st_mtime))
        return sorted(stored_files, key=lambda file: file.path)


class EvidenceBucket:
    """Objects below a prefix of a bucket, which several machines share."""

    def __init__(self, bucket: Bucket) -> None:
        self._bucket = bucket

    def __str__(self) -> str:
        return self._bucket.url

    def open(self, path: str) -> BinaryIO:
        """The object as a file that goes when it is closed. FileNotFoundError where there is none."""
        file = tempfile.NamedTemporaryFile(prefix="hq-evidence-")  # noqa: SIM115 -- whoever asked closes it
        try:
            self._bucket.request("get_file", path, file.name, seconds=TRANSFER_SECONDS)
            return Path(file.name).open("rb")
        except FileNotFoundError as error:
            if self._bucket.is_absent(error):
                raise Unavailable(f"{self._bucket.url} cannot be read: there is no such bucket.") from error
            raise
        finally:
            file.close()

    def put(self, path: str, temporary: Path) -> None:
        """Send a finished file there; it goes from this machine."""
        try:
            self._bucket.send_file(path, temporary, seconds=TRANSFER_SECONDS)
        except FileNotFoundError as error:
            raise Unavailable(f"Evidence cannot be kept in {self._bucket.url}: there is no such bucket.") from error
        temporary.unlink(missing_ok=True)

    def remove(self, path: str) -> None:
        """Take an object away, if it is there."""
        try:
            self._bucket.request("rm_file", path)
        except FileNotFoundError:
            return

    def files(self, folder: str) -> list[StoredFile]:
        """All objects below a folder, by path."""
        return sorted(self._files(folder), key=lambda file: file.path)

    def _files(self, folder: str) -> Iterator[StoredFile]:
        for path, size, modified in self._bucket.listing(folder):
            at = modified.timestamp() if isinstance(modified, datetime) else modified
            yield StoredFile(path, size, at if isinstance(at, float) else 0.0)


@contextmanager
def temporary_copy(folder: Path) -> Iterator[Path]:
    """The path of a new file in a folder that only we read; it goes in the end unless it was moved."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle, name = tempfile.mkstemp(dir=folder, prefix=UNFINISHED)
    os.close(handle)
    try:
        yield Path(name)
    finally:
        Path(name).unlink(missing_ok=True)
