"""Part "fuzzing": every target in a process of its own, as many at a time as there are cores."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from tests.soak.fuzz.targets import TARGETS
from tests.soak.table import Line

FOUND = Path("var/fuzz")  # where inputs that crash are kept: they become tests


def lines(scratch: Path, seed: int, budget: float, names: Sequence[str] = tuple(TARGETS)) -> list[Line]:
    """A line for each target."""
    cores = min(os.cpu_count() or 1, len(names))
    share = max(0.0, budget * cores / len(names) - 8.0)  # a process takes some seconds to begin
    with ThreadPoolExecutor(cores) as pool:
        return list(pool.map(partial(_line, scratch, seed=seed, seconds=share), names))


def _line(scratch: Path, name: str, *, seed: int, seconds: float) -> Line:
    began = time.monotonic()
    command = [
        sys.executable,
        "-m",
        "tests.soak.fuzz",
        name,
        f"--seconds={seconds}",
        f"--seed={seed}",
        f"--found={FOUND}",
        f"--scratch={scratch}",
    ]
    line = Line("fuzzing", name)
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=seconds + 120)
    except subprocess.TimeoutExpired:
        line.broken.append(f"{name} came to a standstill: an input takes for ever")
        return line
    line.seconds = time.monotonic() - began
    text = done.stdout.strip().rpartition("\n")[2]
    if done.returncode or not text.startswith("{"):
        line.broken.append(f"{name} ended with {done.returncode}: {done.stderr[-300:]}")
        return line
    document = json.loads(text)
    crashes = document["crashes"]
    line.done = f"{name}: {document['inputs']:,} inputs"
    line.faults = sum(crashes.values())
    line.memory_mb = None
    line.broken += [f"{name}: {place} ({count} times); see {FOUND}/" for place, count in crashes.items()]
    if document["memory"]:
        line.broken.append(f"{name} took {document['peak_mb']} MB")
    if document["way"] != "coverage":
        line.notes.append("atheris is not installed: seeds are changed at random, unguided")
    return line
