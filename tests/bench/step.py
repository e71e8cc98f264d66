"""One step in a process of its own: how long it took, and the most memory that it held."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

HQ = Path(sys.executable).with_name("hq")


@dataclass(frozen=True)
class Step:
    """``seconds`` on the wall clock, start of the interpreter included; ``peak_mb`` is the resident set at its peak."""

    seconds: float
    peak_mb: float
    output: str


def step(command: Sequence[str | Path], folder: Path) -> Step:
    """Run a command with ``folder`` as its data; RuntimeError with what it said when it fails."""
    environment = {**os.environ, "SVC_DATA_DIR": str(folder)}
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        start = time.perf_counter()
        process = subprocess.Popen([str(part) for part in command], env=environment, stdout=out, stderr=err)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        if process.returncode:
            raise RuntimeError(f"{' '.join(str(part) for part in command)}: {err.read()[-2000:]}")
        unit = 1024 if sys.platform == "linux" else 1024 * 1024
        return Step(seconds, usage.ru_maxrss / unit, out.read())


def hq(folder: Path, *arguments: str | Path) -> Step:
    """A command of the product."""
    return step([HQ, *arguments], folder)


def module(folder: Path, name: str, *arguments: str | Path) -> Step:
    """A module of the bench."""
    return step([sys.executable, "-m", f"tests.bench.{name}", *arguments], folder)
