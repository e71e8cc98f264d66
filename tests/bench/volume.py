"""Many audit events in one file: import, replica, verification, each beside the simplest program for that job."""

from collections.abc import Iterator
from pathlib import Path

from tests.bench.step import Step, hq, module
from tests.bench.table import Figure


def figures(scratch: Path, count: int) -> Iterator[Figure]:
    """Makes its own store below ``scratch``; every step is a process of its own."""
    folder, files = scratch / "events", scratch / "files"
    files.mkdir()
    (files / "organizations.csv").write_text("name,time_zone\nBench,UTC\n")
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
    built = hq(folder, "build", "--org", "bench")
    yield Figure("build all reports over them", f"{built.seconds:.1f} s", peak_mb=built.peak_mb)


def _beside(what: str, ours: Step, baseline: str, theirs: Step, count: int) -> Figure:
    def said(step: Step) -> str:
        return f"{step.seconds:.1f} s, {count / step.seconds:,.0f} rows/s"

    return Figure(what, said(ours), baseline, said(theirs), theirs.seconds / ours.seconds, ours.peak_mb)
