"""What can be wrong with the files of an installation and the disks that they are on."""

import os
import shutil
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from engine.operations.data_folder import key_files
from engine.operations.install import abandoned_workplaces, journal_path
from engine.operations.migration_backup import abandoned_backups
from engine.reporting.artifacts.durable_files import abandoned_files
from engine.runtime.keys.private_files import wide_files
from engine.runtime.keys.session_secret import secret_fault
from engine.runtime.settings import Settings
from engine.store.database.database import sqlite_path

LEAST = 256 << 20  # bytes that a disk should have free for logs, spools and reports


def permissions(settings: Settings, now: datetime) -> Iterator[str]:
    """What is written is for the account that runs the console alone, and that account may write it."""
    keys = {path for path in key_files(settings).values() if path.exists()}
    for folder in _folders(settings):
        if not folder.exists():
            continue
        if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
            yield f"{folder} cannot be written by this account: give it the owner's rights on it and all that is below."
        wide = [path for path, _ in wide_files(folder) if path not in keys]
        if wide:
            rest = f" and {len(wide) - 1} more" if len(wide) > 1 else ""
            yield f"Others may read or change {wide[0]}{rest}: chmod -R go= {folder}."
    for path in sorted(keys):
        if path.stat().st_mode & 0o077:
            yield f"Others may read the key {path}: chmod 600 {path}."


def leftovers(settings: Settings, now: datetime) -> Iterator[str]:
    """Nothing lies about of what processes that were killed were writing: it may hold private keys, and people."""
    for path in key_files(settings).values():
        for left in abandoned_files(path):
            yield (
                f"{left} was left by a process that was killed and may hold a private key: delete it; the next command "
                "that opens the store does."
            )
    for left in abandoned_backups(settings):
        yield f"{left} was left by a migration that was killed, a copy of the store: delete it; the next one does."
    for left in abandoned_workplaces(settings):
        yield (
            f"{left} was left by a restore that was killed, and may hold keys and rows: run `hq restore` again, or "
            f"delete it and {journal_path(left).name}."
        )


def session_secret(settings: Settings, now: datetime) -> Iterator[str]:
    """The secret that signs sessions is one; one that is not there is made when it is needed."""
    path = settings.data_dir / "session.secret"
    if settings.session_secret or not path.exists():
        return
    try:
        fault = secret_fault(path.read_bytes())
    except OSError as error:
        fault = f"{path} cannot be read: {error}."
    if fault is not None:
        yield fault


def space(settings: Settings, now: datetime) -> Iterator[str]:
    """Each disk has room for as much again as the store takes: a migration and the log of a long read need it."""
    store = sqlite_path(settings.store_url)
    size = store.stat().st_size if store is not None and store.exists() else 0
    disks: set[int] = set()
    for folder in _folders(settings):
        if not folder.exists() or folder.stat().st_dev in disks:
            continue
        disks.add(folder.stat().st_dev)
        holds_store = store is not None and store.exists() and store.stat().st_dev == folder.stat().st_dev
        needed, free = LEAST + (size if holds_store else 0), shutil.disk_usage(folder).free
        if free < needed:
            yield f"The disk of {folder} has {free:,} bytes free, and should have {needed:,}: free some space."


def _folders(settings: Settings) -> list[Path]:
    store = sqlite_path(settings.store_url)
    every = [settings.data_dir, settings.bundle_folder, settings.artifact_folder, settings.evidence_folder]
    every += [] if store is None else [store.parent]
    paths: list[Path] = []
    for folder in (path.absolute() for path in every):
        if not any(folder.is_relative_to(other) for other in paths):
            paths.append(folder)
    return paths
