"""The evidence store: bytes by their SHA-256, those of an organization below its own folder, equal bytes once.

Bytes come first and rows that name them second, so that no row names what was never there. What no row names is swept
once it is a day old. Who reads bytes has them checked against their name before the first is handed out.
"""

import fcntl
import hashlib
import os
import re
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from engine.evidence.places import UNFINISHED, EvidenceBucket, EvidenceFolder, EvidencePlace, StoredFile, temporary_copy
from engine.model.errors import Conflict, Usage
from engine.model.file_errors import file_problem
from engine.model.vocabulary import EvidenceState
from engine.reporting.artifacts.bucket import bucket_at
from engine.reporting.artifacts.durable_files import flush
from engine.runtime.settings import Settings

PIECE = 1 << 20
SWEEP_SECONDS = 86_400.0  # for which bytes may wait for the row that names them
_DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class EvidenceBytes:
    """What bytes are called by, and how many they are."""

    sha256: str
    size: int


@dataclass(frozen=True)
class UnnamedFiles:
    """Files that no row names: how many, and their bytes."""

    files: int
    size: int


class EvidenceStore:
    """Bytes of evidence in one place. Threads, processes and, with a bucket or a shared folder, machines may share it.

    ``locks`` is a folder of this machine, where files are written until they are whole. ``most`` bounds the bytes of a
    file, ``quota`` those of an organization.
    """

    def __init__(self, place: EvidencePlace, locks: Path, *, most: int, quota: int) -> None:
        self.place = place
        self._locks = locks
        self.most = most
        self.quota = quota

    def put(self, org_id: str, source: bytes | Path | BinaryIO, name: str = "The file") -> EvidenceBytes:
        """Keep bytes, whole and on the disk; equal ones are kept once. ``name`` is what messages call them.

        Usage where they are more than a file or the organization may have, and then nothing is kept; Unavailable where
        the disk or the bucket does not take them.
        """
        with temporary_copy(self._locks) as copy:
            found = self._copy_in(source, copy, name)
            path = evidence_path(org_id, found.sha256)
            with self._lock(org_id):
                if self.check(org_id, found.sha256) != "whole":
                    self.must_fit(org_id, [(name, found)])
                self.place.put(path, copy)  # also where they are there: from now on a day passes before a sweep
            return found

    def _copy_in(self, source: bytes | Path | BinaryIO, copy: Path, name: str) -> EvidenceBytes:
        digest, size = hashlib.sha256(), 0
        try:
            with _reading(source) as file, copy.open("wb") as target:
                while piece := file.read(PIECE):
                    size += len(piece)
                    if size > self.most:
                        raise too_large(name, self.most)
                    digest.update(piece)
                    target.write(piece)
                flush(target)
        except OSError as error:
            raise file_problem("Evidence cannot be kept", error) from error
        return EvidenceBytes(digest.hexdigest(), size)

    def must_fit(self, org_id: str, files: Sequence[tuple[str, EvidenceBytes]]) -> None:
        """Usage where one of these files, each with its name, is too large, or all are too much beside what is held."""
        held = {file.name: file.size for file in self.files(org_id)}
        new: dict[str, tuple[str, int]] = {}
        for name, found in files:
            if found.size > self.most:
                raise too_large(name, self.most)
            if found.sha256 not in held:
                new.setdefault(found.sha256, (name, found.size))
        used, more = sum(held.values()), sum(size for _, size in new.values())
        if new and used + more > self.quota:
            first = next(name for name, _ in new.values())
            what = f"{first} has" if len(new) == 1 else f"{len(new)} files, {first} among them, have"
            raise Usage(
                f"{what} {more:,} bytes, and of the {self.quota:,} that {org_id} may hold {used:,} are used: "
                "nothing was kept. SVC_EVIDENCE_QUOTA is the limit.",
                word="evidence_quota",
            )

    @contextmanager
    def open(self, org_id: str, sha256: str) -> Iterator[BinaryIO]:
        """The bytes of that name, checked before the first is handed out.

        Conflict where they are not here, or are not what was put here: they are no evidence then.
        """
        try:
            file = self.place.open(evidence_path(org_id, sha256))
        except FileNotFoundError as error:
            raise Conflict(
                f"The bytes of {sha256} are not in the evidence store of {org_id}: put them back from a backup.",
                word="evidence_missing",
            ) from error
        with file:
            if measure(file).sha256 != sha256:
                raise Conflict(
                    f"The bytes under {sha256} are not those that were put there: they are no evidence. Put the file "
                    "back from a backup.",
                    word="evidence_changed",
                )
            file.seek(0)
            yield file

    def read(self, org_id: str, sha256: str) -> bytes:
        """All bytes of that name; Conflict as for ``open``."""
        with self.open(org_id, sha256) as file:
            return file.read()

    def check(self, org_id: str, sha256: str) -> EvidenceState:
        """Whether the bytes of that name are here and are what was put here. Unavailable where nobody can tell."""
        try:
            with self.place.open(evidence_path(org_id, sha256)) as file:
                return "whole" if measure(file).sha256 == sha256 else "changed"
        except FileNotFoundError:
            return "missing"

    def files(self, org_id: str) -> list[StoredFile]:
        """All files of an organization, by name."""
        return [file for file in self.place.files(org_id) if _DIGEST.fullmatch(file.name)]

    def unnamed_files(self, org_id: str, named: Collection[str]) -> UnnamedFiles:
        """What is here of an organization and in no row; ``named`` are the hashes that rows name."""
        return _total([file for file in self.files(org_id) if file.name not in named])

    def remove(self, org_id: str, sha256: str) -> None:
        """Take bytes away that nothing may name any more."""
        with self._lock(org_id):
            self.place.remove(evidence_path(org_id, sha256))

    def sweep(self, org_id: str, named: Callable[[], Collection[str]], *, now: float | None = None) -> UnnamedFiles:
        """Take away what no row names and was put here a day ago or longer; returns how much that was.

        ``named`` reads the hashes that rows name; it is called while nobody puts anything here.
        """
        before = (time.time() if now is None else now) - SWEEP_SECONDS
        with self._lock(org_id):
            keep = set(named())
            old = [file for file in self.files(org_id) if file.name not in keep and file.modified < before]
            for file in old:
                self.place.remove(file.path)
        for path in self._locks.glob(f"{UNFINISHED}*"):  # what a process left that was killed
            if path.stat().st_mtime < before:
                path.unlink(missing_ok=True)
        return _total(old)

    @contextmanager
    def _lock(self, org_id: str) -> Iterator[None]:
        """Alone in changing the files of an organization: its folder is the lock."""
        folder = self._locks / org_id
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            lock = os.open(folder, os.O_RDONLY)
        except OSError as error:
            raise file_problem("Evidence cannot be kept", error) from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)


def open_evidence(settings: Settings) -> EvidenceStore:
    """The evidence store that the settings name."""
    place: EvidencePlace
    if settings.evidence_bucket:
        place = EvidenceBucket(bucket_at(settings.evidence_bucket))
    else:
        place = EvidenceFolder(settings.evidence_folder)
    locks = settings.data_dir / "evidence" if settings.evidence_bucket else settings.evidence_folder
    return EvidenceStore(place, locks, most=settings.evidence_max_bytes, quota=settings.evidence_quota)


def too_large(name: str, most: int) -> Usage:
    """What is said of a file with more bytes than one may have."""
    return Usage(
        f"{name} has more than {most:,} bytes, the most that a file of evidence may have: nothing was kept. "
        "SVC_EVIDENCE_MAX_BYTES is the limit.",
        word="evidence_too_large",
    )


def evidence_path(org_id: str, sha256: str) -> str:
    """Where bytes lie below the evidence store; ValueError for what is no SHA-256, which no row may name."""
    if not _DIGEST.fullmatch(sha256):
        raise ValueError(f"expected 64 hexadecimal digits, got {sha256!r}")
    return f"{org_id}/{sha256[:2]}/{sha256}"


def _reading(source: bytes | Path | BinaryIO) -> AbstractContextManager[BinaryIO]:
    if isinstance(source, bytes):
        return BytesIO(source)
    return source.open("rb") if isinstance(source, Path) else _as_it_is(source)


@contextmanager
def _as_it_is(file: BinaryIO) -> Iterator[BinaryIO]:
    yield file


def measure(file: BinaryIO) -> EvidenceBytes:
    """What the bytes from here to the end of a file are called by, and how many they are."""
    digest, size = hashlib.sha256(), 0
    while piece := file.read(PIECE):
        size += len(piece)
        digest.update(piece)
    return EvidenceBytes(digest.hexdigest(), size)


def _total(files: Collection[StoredFile]) -> UnnamedFiles:
    return UnnamedFiles(len(files), sum(file.size for file in files))
