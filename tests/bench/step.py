"""One step in a process of its own: how long it took, and the most memory that it held."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

LOOK_SECONDS = 0.3
HQ = Path(sys.executable).with_name("hq")


@dataclass(frozen=True)
class Step:
    """``seconds`` on the wall clock, start of the interpreter included; ``peak_mb`` is the resident set at its peak.

    ``sum_mb`` is what it and all processes below it hold together at their peak, what they share counted once (PSS);
    0 where that was not asked for, or cannot be told.
    """

    seconds: float
    peak_mb: float
    output: str
    cpu_seconds: float = 0.0
    sum_mb: float = 0.0


def step(command: Sequence[str | Path], folder: Path, *, whole: bool = False, **settings: str) -> Step:
    """Run a command with ``folder`` as its data; RuntimeError with what it said when it fails.

    ``whole``: look at the memory of all its processes meanwhile.
    """
    environment = {**os.environ, "SVC_DATA_DIR": str(folder), **settings}
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        start = time.perf_counter()
        process = subprocess.Popen([str(part) for part in command], env=environment, stdout=out, stderr=err)
        most = 0.0
        while whole and os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
            most = max(most, sum(map(_share, _tree(process.pid))))
            time.sleep(LOOK_SECONDS)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        if process.returncode:
            raise RuntimeError(f"{' '.join(str(part) for part in command)}: {err.read()[-2000:]}")
        unit = 1024 if sys.platform == "linux" else 1024 * 1024
        cpu = usage.ru_utime + usage.ru_stime  # of its children, too, that it waited for
        return Step(seconds, usage.ru_maxrss / unit, out.read(), cpu, most)


def _tree(pid: int) -> list[int]:
    """A process and all below it, where the kernel tells."""
    with suppress(OSError):
        below = [each.read_text().split() for each in Path(f"/proc/{pid}/task").glob("*/children")]
        return [pid, *(one for children in below for child in children for one in _tree(int(child)))]
    return []


def _share(pid: int) -> float:
    """Megabytes of a process, its share of what it has together with others included."""
    with suppress(OSError):
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024
    return 0.0


def hq(folder: Path, *arguments: str | Path, whole: bool = False, **settings: str) -> Step:
    """A command of the product."""
    return step([HQ, *arguments], folder, whole=whole, **settings)


def module(folder: Path, name: str, *arguments: str | Path, **settings: str) -> Step:
    """A module of the bench."""
    return step([sys.executable, "-m", f"tests.bench.{name}", *arguments], folder, **settings)
