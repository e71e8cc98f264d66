"""How much space artifacts take, and which of them go when it is too much.

What is taken is counted in two files of numbers, of an organization and in all, under one lock that every process
takes. Something is counted before it bears its name: a process that is killed leaves the count too high, never too
low, and each sweep measures anew.
"""

import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

BLOCK = 4096  # a file takes whole blocks
LEFT_PCT = 90  # what a sweep leaves, so that the next artifact needs no other
ABANDONED_SECONDS = 3600  # after which a file that was never finished is nobody's
UNFINISHED = ".new-"
IN_ALL = "*"  # no organization's identifier


@dataclass(frozen=True)
class Quota:
    """Bytes on disk that the artifacts of one organization may take, and those of all."""

    organization: int
    total: int


@dataclass(frozen=True, order=True)
class _Artifact:
    used_at: float
    path: Path
    size: int


@dataclass(frozen=True)
class _Reservation:
    """What is about to get its name: it counts already, and no sweep takes it."""

    org_id: str
    path: Path
    more: int

    def of(self, org_id: str) -> int:
        """What it adds to the files of an organization."""
        return self.more if org_id == self.org_id else 0


class ArtifactSpace:
    """The space below ``folder``, shared by all processes that keep artifacts there.

    Whoever keeps an artifact makes room for it first. Beyond the quota there are at most the files that other
    processes are writing at that moment, and an artifact that is itself larger than the quota.
    """

    def __init__(self, folder: Path, quota: Quota) -> None:
        self.folder = folder
        self.quota = quota
        self._counts = folder / ".space"

    def keep(self, org_id: str, temporary: Path, path: Path, *, now: float) -> None:
        """Give a finished file its name; others that were used least go where it would be too much. OSError."""
        with self._lock():
            more = _disk_size(temporary) - _disk_size(path)
            before, total = self._read_count(org_id), self._read_count(IN_ALL)
            self._count(IN_ALL, total + more)
            self._count(org_id, before + more)
            coming = _Reservation(org_id, path, more)
            left = before + more
            if left > self.quota.organization:
                left = self._sweep(org_id, self.quota.organization * LEFT_PCT // 100, coming, now)
                self._count(IN_ALL, total + left - before)
            if total + left - before > self.quota.total:
                self._sweep_all(coming, now)
            temporary.replace(path)

    def prune(self, oldest: float, *, now: float) -> int:
        """Remove what was last used before ``oldest``, and count anew; returns how many."""
        removed = 0
        for org_id in self._organizations():
            with self._lock():
                before, total = self._read_count(org_id), self._read_count(IN_ALL)
                kept = self._measure(org_id, now)
                old = [file for file in kept if file.used_at < oldest]
                for file in old:
                    file.path.unlink(missing_ok=True)
                left = sum(file.size for file in kept) - sum(file.size for file in old)
                self._count(org_id, left)
                self._count(IN_ALL, total + left - before)
                removed += len(old)
        with self._lock():
            self._count(IN_ALL, sum(self._read_count(org_id) for org_id in self._organizations()))
        return removed

    def clear(self, org_id: str) -> int:
        """Remove all of an organization, what is being written included; returns how many there were."""
        with self._lock():
            before, total = self._read_count(org_id), self._read_count(IN_ALL)
            files = list(self._files(org_id))
            for file in files:
                file.path.unlink(missing_ok=True)
            self._count(org_id, 0)
            self._count(IN_ALL, total - before)
        return len(files)

    def _sweep(self, org_id: str, wanted: int, coming: _Reservation, now: float) -> int:
        """Leave ``wanted`` bytes to an organization, least used out first; returns what is left."""
        kept = self._measure(org_id, now)
        left = sum(file.size for file in kept) + coming.of(org_id)
        for file in kept:
            if left <= wanted:
                break
            if file.path != coming.path:
                file.path.unlink(missing_ok=True)
                left -= file.size
        self._count(org_id, left)
        return left

    def _sweep_all(self, coming: _Reservation, now: float) -> None:
        """Leave nine tenths of the quota to all: those that hold most are cut to one size, the others keep all."""
        held = {
            org_id: sum(file.size for file in self._measure(org_id, now)) + coming.of(org_id)
            for org_id in self._organizations()
        }
        share = _even_share(sorted(held.values()), self.quota.total * LEFT_PCT // 100)
        for org_id, size in held.items():
            if size > share:
                held[org_id] = self._sweep(org_id, share, coming, now)
            else:
                self._count(org_id, size)
        self._count(IN_ALL, sum(held.values()))

    def _measure(self, org_id: str, now: float) -> list[_Artifact]:
        """The finished files of an organization, least used first; what was left unfinished long ago is removed."""
        artifacts = []
        for file in self._files(org_id):
            if not file.path.name.startswith(UNFINISHED):
                artifacts.append(file)
            elif file.used_at < now - ABANDONED_SECONDS:
                file.path.unlink(missing_ok=True)
        return sorted(artifacts)

    def _files(self, org_id: str) -> Iterator[_Artifact]:
        for report in _entries(self.folder / org_id):
            for entry in _entries(report):
                with suppress(FileNotFoundError):
                    state = entry.stat(follow_symlinks=False)
                    if stat.S_ISREG(state.st_mode):
                        yield _Artifact(state.st_mtime, Path(entry.path), _blocks(state.st_size))

    def _organizations(self) -> list[str]:
        return sorted(entry.name for entry in _entries(self.folder) if not entry.name.startswith("."))

    def _read_count(self, name: str) -> int:
        """The count, or a measurement where there is none yet or it cannot be read."""
        try:
            return int((self._counts / name).read_text())
        except (FileNotFoundError, ValueError):
            owners = self._organizations() if name == IN_ALL else [name]
            return sum(file.size for org_id in owners for file in self._measure(org_id, 0.0))

    def _count(self, name: str, size: int) -> None:
        """Numbers have one length, so that none is half another's."""
        file = os.open(self._counts / name, os.O_WRONLY | os.O_CREAT, 0o600)
        try:
            os.pwrite(file, b"%020d" % max(size, 0), 0)
        finally:
            os.close(file)

    @contextmanager
    def _lock(self) -> Iterator[None]:
        self._counts.mkdir(parents=True, exist_ok=True)
        with (self._counts / ".lock").open("wb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield


def _even_share(held: list[int], wanted: int) -> int:
    """The most that each may keep so that all together keep ``wanted``; ``held`` from small to large."""
    left = wanted
    for number, size in enumerate(held):
        share = left // (len(held) - number)
        if size > share:
            return share
        left -= size
    return wanted


def _entries(folder: os.PathLike[str]) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as iterator:
            return list(iterator)
    except (FileNotFoundError, NotADirectoryError):
        return []


def _disk_size(path: Path) -> int:
    """What a file takes on disk; nothing where there is none."""
    with suppress(FileNotFoundError):
        return _blocks(path.stat().st_size)
    return 0


def _blocks(size: int) -> int:
    return -(-size // BLOCK) * BLOCK
