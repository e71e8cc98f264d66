"""The backup that is made before a store is migrated, while nobody writes to it."""

import fcntl
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import datetime
from pathlib import Path

from engine.model.documents.document import Position
from engine.model.errors import Unavailable
from engine.model.file_errors import file_problem
from engine.operations.backup import write_backup
from engine.reporting.artifacts.durable_files import flush_folder, is_abandoned
from engine.runtime.backups import BackupNote, record_backup
from engine.runtime.settings import Settings
from engine.store.chain.heads import RENAMED_HEAD
from engine.store.database.database import sqlite_path
from engine.store.database.sqlite_files import connect

FOLDER = "backups"


def back_up_before_migrating(
    settings: Settings, at: str, *, now: datetime, progress: Callable[[str, int], None]
) -> Path:
    """A new file in the data folder: of SQLite a copy of the store's file, of PostgreSQL what ``hq backup`` writes.

    Unavailable where the disk keeps us from it: then there is no file.
    """
    folder = settings.data_dir / FOLDER
    file = sqlite_path(settings.store_url)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise file_problem("The folder of backups cannot be made", error) from error
    for left in abandoned_backups(settings):
        left.unlink(missing_ok=True)
    path = folder / f"{now:%Y%m%dT%H%M%S%fZ}-{at}.{'zip' if file is None else 'db'}"
    if file is None:
        write_backup(settings, path, now=now, passphrase=None, with_keys=True, progress=progress, schema=at)
        return path
    try:
        _copy(file, path)
    except OSError as error:
        raise file_problem("The backup before the migration cannot be written", error) from error
    except sqlite3.Error as error:
        raise Unavailable(
            f"The backup before the migration cannot be written: {error}; nothing was migrated. Free some space, or "
            "make a backup yourself and run `hq migrate --no-backup`.",
            word="backup_failed",
        ) from error
    record_backup(settings.data_dir, BackupNote(str(path.absolute()), now, _heads(path, at)))
    return path


def abandoned_backups(settings: Settings) -> list[Path]:
    """What migrations that were killed left of their backups."""
    return [path for path in sorted((settings.data_dir / FOLDER).glob(".*")) if is_abandoned(path)]


def _copy(source: Path, target: Path) -> None:
    """A file that gets its name once it is whole and on the disk, and is gone else."""
    temporary = target.with_name(f".{target.name}.{os.getpid()}")
    lock = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with closing(connect(str(source))) as store, closing(sqlite3.connect(temporary)) as copy:
            store.backup(copy)
            copy.execute("PRAGMA journal_mode=DELETE")  # one file, without a log beside it
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        temporary.replace(target)
        flush_folder(target.parent)
    finally:
        os.close(lock)
        temporary.unlink(missing_ok=True)


def _heads(path: Path, at: str) -> dict[str, Position]:
    column = "last_seq" if at >= RENAMED_HEAD else "seq"
    with closing(connect(str(path))) as copy:
        if not copy.execute("SELECT 1 FROM sqlite_master WHERE name = 'heads'").fetchone():
            return {}
        rows = copy.execute(f"SELECT org_id, {column}, hash FROM heads").fetchall()  # noqa: S608 - one of two names
    return {org_id: Position(seq, digest) for org_id, seq, digest in rows}
