"""Part "clocks": the clock of a running server is set forward and back by a day while scheduled work is due."""

import contextlib
import shutil
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy import func, select

from engine.store import Store
from engine.store.schema import metadata
from tests.soak.console import Console, console
from tests.soak.kills import check_ledger
from tests.soak.load import Load
from tests.soak.table import Line, impossible

MINUTE = 70.0
RUNS = 150.0  # seconds after a step in which the job of every minute must have run again
SHARE = 0.45  # of the budget, for each of two waits
DAILY = ("billing", "nightly-build", "retention", "pruning")


def lines(scratch: Path, seed: int, budget: float) -> list[Line]:
    """A day forward, then a day back: the jobs go on, those of a day run once a day, nothing is lost."""
    library = _library()
    if library is None:
        return [impossible("clocks", "libfaketime is not installed (Debian: faketime)")]
    if budget * SHARE < MINUTE:
        return [impossible("clocks", f"a job of every minute takes longer to see than {budget * SHARE:.0f} s")]
    steps = {"a day forward": 86400, "a day back": -86400}
    with ThreadPoolExecutor(len(steps)) as pool:  # they mostly wait
        begun = [
            pool.submit(_step, scratch / str(number), seed, budget, name, step, library)
            for number, (name, step) in enumerate(steps.items())
        ]
        return [one.result() for one in begun]


def _step(scratch: Path, seed: int, budget: float, name: str, step: int, library: str) -> Line:
    scratch.mkdir(parents=True)
    offset = scratch / "faketime"
    offset.write_text("+0")
    faked = {
        "LD_PRELOAD": library,
        "FAKETIME_TIMESTAMP_FILE": str(offset),
        "FAKETIME_CACHE_DURATION": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }
    began = time.monotonic()
    line = Line("clocks", name)
    wait = min(RUNS, budget * SHARE)
    with console(scratch) as server:
        server.command = (sys.executable, "-m", "tests.soak.moved")
        server.more = {**server.more, **faked}
        server.start()
        with Load(server, seed, pause=0.05) as load:
            if not _more_runs(server, "outbox", {}, wait):
                line.broken.append("the job of every minute did not run before the step")
            before = _runs(server)
            stepped = server_time(step)
            _replace(offset, f"{step:+d}")
            went_on = _more_runs(server, "outbox", before, wait)
        check_ledger(line, server, load)
        line.done = f"{name}; {sum(_runs(server).values())} runs of jobs"
        if not went_on:
            line.broken.append(f"the job of every minute did not run within {wait:.0f} s of the step")
        line.broken += _twice(server)
        line.notes.append(f"stepped to {stepped:%Y-%m-%d %H:%M} UTC")
        server.more = {key: value for key, value in server.more.items() if key not in faked}
        if server.stop() is None:
            line.broken.append("the server did not end within 30 s")
    line.seconds = time.monotonic() - began
    return line.judge()


def server_time(step: int) -> datetime:
    """What the server takes for now."""
    return datetime.now(UTC) + timedelta(seconds=step)


def _replace(offset: Path, step: str) -> None:
    fresh = offset.with_suffix(".new")
    fresh.write_text(step)
    fresh.replace(offset)


def _runs(server: Console) -> dict[str, int]:
    runs = metadata.tables["job_runs"]
    with closing(Store(server.url)) as store, store.reader() as connection:
        query = select(runs.c.job, func.count()).where(runs.c.finished_at.is_not(None)).group_by(runs.c.job)
        return {str(job): int(count) for job, count in connection.execute(query)}


def _more_runs(server: Console, job: str, before: dict[str, int], seconds: float) -> bool:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if _runs(server).get(job, 0) > before.get(job, 0):
            return True
        time.sleep(1.0)
    return False


def _twice(server: Console) -> list[str]:
    """Jobs of a day that ran twice for one, and digests that were queued twice for a period."""
    runs, deliveries = metadata.tables["job_runs"], metadata.tables["deliveries"]
    with closing(Store(server.url)) as store, store.reader() as connection:
        query = select(runs.c.job, runs.c.started_at).where(runs.c.job.in_(DAILY), runs.c.outcome == "succeeded")
        days = [(str(job), started.date()) for job, started in connection.execute(query)]
        key = [deliveries.c[name] for name in ("org_id", "kind", "period", "channel", "recipient")]
        doubled = select(*key).group_by(*key).having(func.count() > 1)
        queued = connection.execute(doubled).all()
    told = [
        f"{job} ran {days.count((job, day))} times for {day}"
        for job, day in sorted(set(days))
        if days.count((job, day)) > 1
    ]
    return [*told, *(f"queued twice: {row}" for row in queued)]


def _library() -> str | None:
    """The library for programs with threads, where it is installed."""
    with contextlib.suppress(IndexError):
        return str(sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))[0])
    found = shutil.which("faketime")
    nearby = Path(found).parent.parent / "lib/faketime/libfaketimeMT.so.1" if found else None
    return str(nearby) if nearby and nearby.exists() else None
