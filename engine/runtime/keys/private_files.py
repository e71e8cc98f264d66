"""What is written is for the account that runs the program: no bits for group and others."""

import fcntl
import logging
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from engine.reporting.artifacts.durable_files import file_in_place, flush, flush_folder, new_file, sweep_abandoned

log = logging.getLogger("hq.files")
OTHERS = 0o077
LONGEST_LINE = 65_536  # bytes that are looked back for the end of the line before


def write_privately() -> None:
    """From now on, whatever this process and its children make has no bits for group and others."""
    os.umask(OTHERS)


def narrow(*folders: Path) -> int:
    """Take the bits of group and others from the folders and all that is below; returns from how many.

    Links are left alone. What cannot be changed (a read-only copy, another owner) is said once in the log.
    """
    narrowed, left = 0, []
    for folder in folders:
        for path, mode in wide_files(folder):
            try:
                path.chmod(stat.S_IMODE(mode) & ~OTHERS)
                narrowed += 1
            except OSError as error:
                left.append(f"{path} ({error.strerror})")
    if left:
        log.warning("others may be able to read %s; %d in all cannot be closed to them", left[0], len(left))
    return narrowed


def sweep_keys(*paths: Path) -> None:
    """Take away what processes that were killed left beside keys: it may hold private ones. What cannot be taken away
    is said in the log."""
    for path in paths:
        try:
            for left in sweep_abandoned(path):
                log.warning("%s was left by a process that was killed; it is taken away", left)
        except OSError as error:
            log.warning("what a process that was killed left beside %s cannot be taken away: %s", path, error.strerror)


def write_new(path: Path, data: bytes) -> None:
    """Make a file that only we read, whole and on the disk. What another process made first stays. OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with suppress(FileExistsError), new_file(path) as file:
        file.write(data)


def write_over(path: Path, data: bytes) -> None:
    """The same in place of what there is: whoever reads sees the one or the other, whole. OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with file_in_place(path) as file:
        file.write(data)


def append_line(path: Path, line: bytes) -> None:
    """Add a line to a file that only we read; it is on the disk afterwards. OSError.

    What a process that ended left of a line is taken away.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    new = not path.exists()
    with os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        end = file.seek(0, os.SEEK_END)
        start = file.seek(max(0, end - LONGEST_LINE))
        whole = start + file.read().rfind(b"\n") + 1
        file.seek(whole)
        file.truncate()
        file.write(line + b"\n")
        flush(file)
    if new:
        flush_folder(path.parent)


def wide_files(folder: Path) -> Iterator[tuple[Path, int]]:
    """Path and mode of what has bits for group or others, the folder first: then nobody gets at the rest meanwhile."""
    try:
        mode = folder.lstat().st_mode
        if mode & stat.S_ISVTX:  # a folder that everybody shares, such as /tmp, is not ours to close
            return
        if mode & OTHERS and not stat.S_ISLNK(mode):
            yield folder, mode
        dir_entries = list(os.scandir(folder)) if stat.S_ISDIR(mode) else []
    except OSError:  # gone meanwhile, or nobody's to look into
        return
    for entry in dir_entries:
        if entry.is_symlink():
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from wide_files(Path(entry.path))
            continue
        try:
            mode = entry.stat(follow_symlinks=False).st_mode
        except FileNotFoundError:
            continue
        if mode & OTHERS:
            yield Path(entry.path), mode
