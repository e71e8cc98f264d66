"""What was restored moved to where the settings say, if there is nothing yet, and back out where that fails."""

import os
import shutil
from pathlib import Path

from engine.model.errors import Conflict
from engine.operations.backup_file import BackupReader
from engine.operations.data_folder import key_files
from engine.reporting.artifacts.durable_files import flush_folder
from engine.runtime.settings import STORE_FILE, Settings
from engine.store.database.database import sqlite_path


def must_be_free(settings: Settings, backup: BackupReader, work: Path | None = None) -> None:
    """Conflict where something is in the way of what the backup holds, but for our own workplace."""
    folder = settings.data_dir
    if folder.exists() and (not folder.is_dir() or _entries(folder) - {"" if work is None else work.name}):
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


class Placement:
    """The way of a restored installation from its workplace to where the settings say."""

    def __init__(self, settings: Settings, backup: BackupReader, work: Path) -> None:
        self._settings, self._backup, self._work = settings, backup, work
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
                self._placed.append(folder / entry.name)
                entry.rename(folder / entry.name)
        else:
            empty = folder.exists()
            if not empty:
                self._placed.append(folder)
            self._work.rename(folder)
            if empty:
                self._placed += folder.iterdir()
        flush_folder(folder.parent)

    def _move(self, source: Path, target: Path) -> None:
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._placed.append(target)
        shutil.move(source, target)

    def undo(self) -> None:
        """Take away what was moved."""
        for path in self._placed:
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)

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
