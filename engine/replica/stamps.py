"""The state in which a process left the file of a replica, so that the next one need not read all of it through.

A stamp is what the kernel says of the file and of its log: device, inode, size, times of the last change of bytes and
of anything, the latter of which nobody can set; with the tables that this program makes and the boot that wrote it,
because what was not flushed is lost with a machine. A file that is otherwise by a single write is read through as ever:
also that of a process which was killed while it wrote.
"""

import json
import os
import time
from contextlib import suppress
from functools import cache
from io import FileIO
from pathlib import Path

from engine.replica.replica_tables import FINGERPRINT

BOOT = Path("/proc/sys/kernel/random/boot_id")
MOST_BYTES = 4096


def put_stamp(path: Path, held: FileIO) -> None:
    """Write down how the file at ``path`` is now, into the lock file that is ``held``. OSError.

    The time of its bytes is set to the nanosecond first: the kernel's own clock stands still for some milliseconds, in
    which another write would show nowhere.
    """
    at = time.time_ns()
    for one in (path, Path(f"{path}.wal")):
        with suppress(FileNotFoundError):
            os.utime(one, ns=(at, at))
    stamp = _stamp(path)
    os.pwrite(held.fileno(), stamp, 0)
    os.ftruncate(held.fileno(), len(stamp))


def has_stamp(path: Path, held: FileIO) -> bool:
    """Whether the file at ``path`` is in the state that was written down last; never where a boot cannot be told."""
    stamp = _stamp(path)
    return stamp != b"" and stamp == os.pread(held.fileno(), MOST_BYTES, 0)


def _stamp(path: Path) -> bytes:
    boot = _boot()
    if not boot or path.is_symlink():
        return b""
    return json.dumps([FINGERPRINT, boot, _state(path), _state(Path(f"{path}.wal"))]).encode()


def _state(path: Path) -> list[int] | None:
    try:
        state = path.lstat()
    except FileNotFoundError:
        return None
    return [state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns]


@cache
def _boot() -> str:
    """What tells this run of the machine from every other one; empty where the system does not say."""
    try:
        return BOOT.read_text().strip()
    except OSError:
        return ""
