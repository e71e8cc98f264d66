"""Demo organizations of one day, generated once for all workers of a run: the first that asks leaves them in a file."""

import fcntl
import pickle
from datetime import date
from functools import cache
from pathlib import Path

import polars as pl

from data.demo import generate

DAY = date(2026, 11, 20)
SHARED: list[Path] = []  # the folder that the workers of this run share, once it is known


@cache
def demo(org: str, today: date = DAY) -> dict[str, pl.DataFrame]:
    """The importable tables of a demo organization."""
    path = SHARED[-1] / f"{org}-{today}.pickle"
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            path.write_bytes(pickle.dumps(generate(org, today), protocol=pickle.HIGHEST_PROTOCOL))
    frames: dict[str, pl.DataFrame] = pickle.loads(path.read_bytes())
    return frames
