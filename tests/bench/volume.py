"""Many audit events in one file: import, replica, verification, each beside the simplest program for that job."""

import os
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from tests.bench.events import ACTOR
from tests.bench.http import console, free_port, peak_mb, serving
from tests.bench.step import Step, hq, module
from tests.bench.table import Figure


def figures(scratch: Path, count: int) -> Iterator[Figure]:
    """Makes its own store below ``scratch``; every step is a process of its own."""
    folder, files = scratch / "events", scratch / "files"
    files.mkdir()
    (files / "organizations.csv").write_text("name,time_zone\nBench,UTC\n")
    (files / "memberships.csv").write_text(f"email,role\n{ACTOR},owner\n")
    events = files / "audit_log.csv"
    module(folder, "events", f"write:{count}", events)
    million = f"{count:,} events"

    ours = hq(folder, "import", files, "--org", "bench")
    plain = module(folder, "events", "load", events, scratch / "plain.db")
    yield _beside(
        f"import {million} from one CSV, chained", ours, "csv and sqlite3.executemany, no chain", plain, count
    )
    again = hq(folder, "import", files, "--org", "bench")
    yield _beside("import the same file again: nothing is new", again, "importing it first", ours, count)
    synced = module(folder, "sync", "bench")
    copied = module(folder, "events", "columnar", events, scratch / "plain.duckdb")
    yield _beside("copy them to the analytics store", synced, "DuckDB reading the CSV itself", copied, count)
    checked = hq(folder, "verify", "--org", "bench")
    hashed = module(folder, "events", "hash", scratch / "plain.db")
    yield _beside("verify their chain", checked, "sqlite3 rows through sha256, unchecked", hashed, count)
    yield _export(folder, events, count)
    built = hq(folder, "build", "--org", "bench")
    yield Figure("build all reports over them", f"{built.seconds:.1f} s", peak_mb=built.peak_mb)


def _export(folder: Path, events: Path, count: int) -> Figure:
    """The export of a person who did all of it, streamed from a serving console; its peak memory beside an idle one's."""
    cookie = hq(folder, "session", "--email", ACTOR).output.strip()
    port = free_port()
    with serving(console(port, 4), port, {**os.environ, "SVC_DATA_DIR": str(folder)}) as process:
        idle = peak_mb(process)
        request = urllib.request.Request(f"http://127.0.0.1:{port}/api/audit/export?window=all")
        request.add_header("Cookie", f"svc_session={cookie}")
        start, size = time.perf_counter(), 0
        with urllib.request.urlopen(request) as answer:
            while piece := answer.read(1 << 20):
                size += len(piece)
        seconds = time.perf_counter() - start
        peak = peak_mb(process)
    plain = module(folder, "events", "export", events, folder.with_name("plain.db"))
    return Figure(
        f"GET audit export, {count:,} rows, {size / 1e6:,.0f} MB of CSV ({idle:,.0f} MB before it)",
        f"{seconds:.1f} s, {count / seconds:,.0f} rows/s",
        "sqlite3 rows through csv.writer into a file",
        f"{plain.seconds:.1f} s, {count / plain.seconds:,.0f} rows/s",
        plain.seconds / seconds,
        peak,
    )


def _beside(what: str, ours: Step, baseline: str, theirs: Step, count: int) -> Figure:
    def step_text(step: Step) -> str:
        return f"{step.seconds:.1f} s, {count / step.seconds:,.0f} rows/s"

    return Figure(what, step_text(ours), baseline, step_text(theirs), theirs.seconds / ours.seconds, ours.peak_mb)
