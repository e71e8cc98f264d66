"""Demo organizations of one day, made once for all workers of a run: the first that wants them leaves them in a file."""

import fcntl
import pickle
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import date, datetime
from functools import cache
from pathlib import Path

import polars as pl

from data.demo import generate
from engine.store import Store
from engine.store.database.migrations import migrate
from tests.frames import import_frames

DAY = date(2026, 11, 20)
SHARED: list[Path] = []  # the folder that the workers of this run share


def shared_file(name: str, make: Callable[[Path], object]) -> Path:
    """The file of this name, which ``make`` writes for the first worker that wants it. Nobody changes it."""
    path = SHARED[-1] / name
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            begun = path.with_suffix(".begun")
            make(begun)
            begun.rename(path)
    return path


@cache
def demo(org: str, today: date = DAY) -> dict[str, pl.DataFrame]:
    """The importable tables of a demo organization."""
    path = shared_file(
        f"{org}-{today}.pickle",
        lambda path: path.write_bytes(pickle.dumps(generate(org, today), protocol=pickle.HIGHEST_PROTOCOL)),
    )
    frames: dict[str, pl.DataFrame] = pickle.loads(path.read_bytes())
    return frames


def lighter(frames: dict[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """A demo organization with a tenth of its events: as varied, faster to load."""
    return {
        **frames,
        "audit_log": frames["audit_log"].gather_every(10),
        "slo_buckets": frames["slo_buckets"].head(3000),
    }


def empty_store(path: Path) -> None:
    """A migrated SQLite store without rows, at this path."""
    shutil.copy(shared_file("empty.db", lambda path: migrate(f"sqlite:///{path}")), path)


def demo_store(folder: Path, *orgs: str, now: datetime, light: bool = True) -> str:
    """The URL of a SQLite store of one's own, in ``folder``, with these demo organizations as they were imported then."""

    def fill(path: Path) -> None:
        beside = path.with_suffix(".filled")
        empty_store(beside)
        with closing(Store(f"sqlite:///{beside}")) as store:
            for org in orgs:
                frames = lighter(demo(org)) if light else demo(org)
                import_frames(store, frames, org_id=org, actor="demo", now=now)
        with closing(sqlite3.connect(beside)) as source, closing(sqlite3.connect(path)) as target:
            source.backup(target)  # with what still stands in the journal beside the file

    name = f"{'light' if light else 'whole'}-{'-'.join(orgs)}-{now:%H%M}.db"
    shutil.copy(shared_file(name, fill), folder / "hq.db")
    return f"sqlite:///{folder / 'hq.db'}"
