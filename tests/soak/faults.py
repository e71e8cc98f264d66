"""Parts "postgresql" and "disk": what a console needs goes away while it is written to, and comes back."""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.soak.console import ORG, Console, console
from tests.soak.databases import Cluster, cluster
from tests.soak.kills import check_ledger
from tests.soak.load import Load
from tests.soak.table import Line, impossible

BACK = 30.0  # seconds after which writes are acknowledged again
DISK_MB = 64


def postgresql(scratch: Path, seed: int, budget: float) -> list[Line]:
    """Crash, restart and standstill of the database, on a cluster of one's own, turn and turn about."""
    with cluster() as server:
        if server is None:
            return [impossible("PostgreSQL", "PostgreSQL is not installed, or root has no user postgres to run it")]
        began, rounds = time.monotonic(), 0
        line = Line("PostgreSQL", "")
        with console(scratch, server.url) as opened:
            opened.start()
            memory = opened.memory_mb()
            with Load(opened, seed) as load:
                while rounds < 3 or time.monotonic() - began < budget * 0.7:
                    name, harm = _HARMS[rounds % len(_HARMS)]
                    rounds += 1
                    time.sleep(1.0)
                    harm(server)
                    _back(line, load, name)
                    if time.monotonic() - began > budget * 2:
                        break
            line.memory_mb = opened.memory_mb() - memory
            _end(line, opened, load)
        line.done = f"{rounds} times stopped, restarted, halted"
        line.seconds = time.monotonic() - began
        return [line.judge()]


def _crash(server: Cluster) -> None:
    server.stop("immediate")
    time.sleep(1.0)
    server.start()


def _halt(server: Cluster) -> None:
    server.signal(signal.SIGSTOP)
    time.sleep(4.0)
    server.signal(signal.SIGCONT)


_HARMS: tuple[tuple[str, Callable[[Cluster], None]], ...] = (
    ("a crash", _crash),
    ("a restart", Cluster.restart),
    ("a standstill", _halt),
)


def _back(line: Line, load: Load, after: str) -> None:
    """Wait until a write that began later is acknowledged."""
    began = time.monotonic()
    while load.ledger.last_success <= began + 0.2:
        if time.monotonic() - began > BACK:
            line.broken.append(f"no write is acknowledged {BACK:.0f} s after {after}")
            return
        time.sleep(0.05)


def _end(line: Line, opened: Console, load: Load) -> None:
    """Account for what was written, and see that the server itself went on."""
    check_ledger(line, opened, load)
    line.notes.append(f"{load.ledger.statuses[503]} times 503")
    if opened.process is None or opened.process.poll() is not None:
        line.broken.append("the server ended")
    opened.stop()
    if not opened.hq("verify", "--org", ORG).startswith("ok"):
        line.broken.append("hq verify")


@contextlib.contextmanager
def small_disk(folder: Path, megabytes: int) -> Iterator[str | None]:
    """A file system of that size at ``folder``; yields why there is none, None where there is."""
    folder.mkdir(parents=True)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=700", "tmpfs", str(folder)]
    try:
        done = subprocess.run(mount, capture_output=True, text=True)
        why = done.stderr.strip() if done.returncode else None
    except OSError as error:
        why = str(error)
    if why is not None:
        yield f"no small file system can be mounted: {why}"
        return
    try:
        yield None
    finally:
        if subprocess.run(["umount", str(folder)], capture_output=True).returncode:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)


def disk(scratch: Path, seed: int, budget: float) -> list[Line]:
    """The file system of the data folder is filled during load and freed again, several times."""
    began, rounds = time.monotonic(), 0
    with small_disk(scratch / "data", DISK_MB) as why:
        if why is not None:
            return [impossible("disk full", why)]
        line = Line("disk full", "")
        with console(scratch) as opened:
            opened.start()
            memory = opened.memory_mb()
            with Load(opened, seed) as load:
                while rounds < 2 or time.monotonic() - began < budget * 0.7:
                    rounds += 1
                    time.sleep(1.0)
                    _fill(opened.folder / "other")
                    time.sleep(3.0)
                    (opened.folder / "other").unlink()
                    _back(line, load, "room was made again")
                    if _free(opened.folder) < DISK_MB * 2**20 // 4 or time.monotonic() - began > budget * 2:
                        break
            line.memory_mb = opened.memory_mb() - memory
            _end(line, opened, load)
        line.done = f"{rounds} times full"
        line.seconds = time.monotonic() - began
        return [line.judge()]


def _free(folder: Path) -> int:
    result = os.statvfs(folder)
    return result.f_bavail * result.f_frsize


def _fill(path: Path) -> None:
    """Take all the room there is."""
    with contextlib.suppress(OSError), path.open("wb", buffering=0) as file:
        while True:
            if file.write(b"\0" * 65536) < 65536:
                file.write(b"\0" * 4096)
