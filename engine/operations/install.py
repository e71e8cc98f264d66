"""What was restored moved to where the settings say, if there is nothing yet, and back out where that fails.

While a restore is at work, a journal beside its workplace says what was put where, so that what one that was killed
left can be taken away: by the next restore into the same folder, and `hq check` names it.
"""

import fcntl
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engine.model.errors import Conflict
from engine.operations.backup_file import BackupReader
from engine.operations.data_folder import key_files
from engine.reporting.artifacts.durable_files import flush, flush_folder
from engine.runtime.settings import STORE_FILE, Settings
from engine.store.copy.emptiness import emptiness
from engine.store.database.database import sqlite_path

JOURNAL = ".placed"


def must_be_free(settings: Settings, backup: BackupReader, work: Path | None = None) -> None:
    """Conflict where something is in the way of what the backup holds, but for our own workplace."""
    folder = settings.data_dir
    own = set() if work is None else {work.name, journal_path(work).name}
    if folder.exists() and (not folder.is_dir() or _entries(folder) - own):
        raise _in_the_way(f"SVC_DATA_DIR, {folder}, is not empty: name a folder that is, or that is not there")
    if settings.bundle_dir is not None and settings.bundle_dir.exists() and _entries(settings.bundle_dir):
        raise _in_the_way(f"SVC_BUNDLE_DIR, {settings.bundle_dir}, is not empty")
    evidence = settings.evidence_folder
    if settings.evidence_url and not settings.evidence_bucket and evidence.exists() and _entries(evidence):
        raise _in_the_way(f"SVC_EVIDENCE_URL, {evidence}, is not empty")
    store = sqlite_path(settings.store_url)
    for suffix in () if store is None else ("", "-wal", "-journal"):  # a log of another file would be read into ours
        if os.path.lexists(f"{store}{suffix}"):
            raise _in_the_way(f"SVC_DATABASE_URL names {store}, and {store}{suffix} is there already: move it away")
    for name, path in key_files(settings).items():
        if backup.has(name) and path.exists() and path.read_bytes() != b"".join(backup.pieces(name)):
            raise _in_the_way(f"{path} is another key than that of the backup: move it away")


def _entries(folder: Path) -> set[str]:
    """What is in a folder, but for what every new disk has."""
    return {entry.name for entry in folder.iterdir()} - ({"lost+found"} if folder.is_mount() else set())


def _in_the_way(what: str) -> Conflict:
    return Conflict(f"{what}. Nothing was restored.", word="not_empty")


class Journal:
    """What a restore put where, a line of JSON each, on the disk before it is put there."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = path.open("xb")
        fcntl.flock(self._file, fcntl.LOCK_EX)

    def note(self, path: Path) -> None:
        """Say that something is going to be put there. OSError."""
        self._file.write(json.dumps(str(path.absolute())).encode() + b"\n")
        flush(self._file)

    def end(self) -> None:
        """All is in its place, or taken away."""
        self.path.unlink(missing_ok=True)
        self._file.close()


@contextmanager
def journal(work: Path) -> Iterator[Journal]:
    """The journal of a workplace. It is gone in the end."""
    kept = Journal(journal_path(work))
    try:
        yield kept
    finally:
        kept.end()


def journal_path(work: Path) -> Path:
    """Where the journal of a workplace lies: beside it."""
    return work.with_name(work.name + JOURNAL)


def abandoned_workplaces(settings: Settings) -> list[Path]:
    """The workplaces of restores into the data folder that were killed, beside it and inside."""
    place = settings.data_dir.resolve()
    pattern = f".{place.name}.restoring.*{JOURNAL}"
    paths = [*place.parent.glob(pattern), *place.glob(pattern)]
    return [path.with_name(path.name.removesuffix(JOURNAL)) for path in sorted(paths) if _is_free(path)]


def clear_abandoned(settings: Settings) -> None:
    """Take away what restores that were killed left; of one that had come to its end, its journal alone. OSError."""
    for work in abandoned_workplaces(settings):
        if _is_unfinished(settings, work):
            _remove(_paths(journal_path(work)))
        if work.exists():
            shutil.rmtree(work)
        journal_path(work).unlink(missing_ok=True)


def _is_free(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # a restore is at work, or the account may not look
        return False
    return True


def _is_unfinished(settings: Settings, work: Path) -> bool:
    """Whether something was still to be moved, or the rows of PostgreSQL were not there yet."""
    if work.is_dir() and any(work.iterdir()):
        return True
    return sqlite_path(settings.store_url) is None and emptiness(settings.store_url) == "new"


def _paths(journal: Path) -> list[Path]:
    paths = []
    for line in journal.read_bytes().split(b"\n")[:-1]:
        paths.append(Path(json.loads(line)))
    return paths


def _remove(paths: list[Path]) -> None:
    for path in paths:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


class Placement:
    """The way of a restored installation from its workplace to where the settings say."""

    def __init__(self, settings: Settings, backup: BackupReader, work: Path, journal: Journal) -> None:
        self._settings, self._backup, self._work, self._journal = settings, backup, work, journal
        self._placed: list[Path] = []

    def move(self) -> None:
        """What lives outside of the data folder first, the folder last: until then there is nothing to start with.

        Conflict where something came in the way since.
        """
        must_be_free(self._settings, self._backup, self._work)
        folder = self._settings.data_dir.resolve()
        for source, target in self._outside():
            if source.is_dir() and target.is_dir():  # an empty one, which may be a disk of its own
                for entry in source.iterdir():
                    self._move(entry, target / entry.name)
                source.rmdir()
            elif source.exists() and target.exists():  # the same key
                source.unlink()
            elif source.exists():
                self._move(source, target)
        if self._work.parent == folder:
            for entry in sorted(self._work.iterdir(), key=lambda entry: entry.name == STORE_FILE):
                self._note(folder / entry.name)
                entry.rename(folder / entry.name)
        else:
            if folder.exists():
                for entry in self._work.iterdir():
                    self._note(folder / entry.name)
            else:
                self._note(folder)
            self._work.rename(folder)
        flush_folder(folder.parent)

    def _move(self, source: Path, target: Path) -> None:
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._note(target)
        shutil.move(source, target)

    def _note(self, target: Path) -> None:
        self._journal.note(target)
        self._placed.append(target)

    def undo(self) -> None:
        """Take away what was moved."""
        _remove(self._placed)

    def _outside(self) -> list[tuple[Path, Path]]:
        """What the settings keep elsewhere than in the data folder: where it is now, and where it belongs."""
        settings, pairs = self._settings, []
        store = sqlite_path(settings.store_url)
        if store is not None:
            pairs.append((self._work / STORE_FILE, store))
        pairs.append((self._work / "bundles", settings.bundle_folder))
        pairs.append((self._work / "evidence", settings.evidence_folder))
        pairs += [(self._work / Path(name).name, path) for name, path in key_files(settings).items()]
        return [(source, target) for source, target in pairs if self._is_elsewhere(source, target)]

    def _is_elsewhere(self, source: Path, target: Path) -> bool:
        within = self._settings.data_dir / source.relative_to(self._work)
        return os.path.abspath(target) != os.path.abspath(within)  # noqa: PTH100 - links are left as they are
