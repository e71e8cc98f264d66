"""How cost grows: with the events of one organization, and with the number of organizations of 20,000 events."""

import os
import shutil
import statistics
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.bench import cold
from tests.bench.http import console, free_port, peak_mb, serving
from tests.bench.ingest import post
from tests.bench.step import hq, module
from tests.bench.table import Point

EVENTS = (100_000, 1_000_000, 10_000_000)
ORGANIZATIONS = (3, 50, 1000)
SHOWN = ("posture-score", "gap-remediations", "program", "iso-assessment", "control-health")
ROUNDS = 3


def of_events(scratch: Path, sizes: Sequence[int] = EVENTS) -> Iterator[Point]:
    """Each size in a store of its own, of the demo organization and so many more events."""
    for size in sizes:
        folder, files = scratch / f"events-{size}", scratch / f"files-{size}"
        files.mkdir()
        module(folder, "aurora")
        module(folder, "events", f"write:{size}", files / "audit_log.csv")
        imported = hq(folder, "import", files, "--org", cold.ORG)
        yield Point("import", "events", size, imported.seconds, imported.peak_mb)
        shutil.rmtree(files)
        synced = module(folder, "sync", cold.ORG)
        yield Point("copy to the analytics store", "events", size, synced.seconds, synced.peak_mb)
        verified = hq(folder, "verify", "--org", cold.ORG)
        yield Point("verify the chain", "events", size, verified.seconds, verified.peak_mb)
        yield from _serve(folder, size)
        shutil.rmtree(folder)


def _serve(folder: Path, size: int) -> Iterator[Point]:
    cookie = hq(folder, "session", "--email", "owner@aurora.example").output.strip()
    port = free_port()
    environment = {**os.environ, "SVC_DATA_DIR": str(folder), "SVC_INGEST_PER_MINUTE": "1000000"}
    with serving(console(port, 4), port, environment) as process:
        made = post(port, "/api/user/alert-ingest-tokens", f"svc_session={cookie}", "Cookie", {"label": "bench"})
        write, get = cold.writer(port, f"Bearer {made['secret']}"), cold.reader(port, cookie)
        paths = cold.paths()
        for what in ("all reports for the first time", "all reports after an alert"):
            write()
            seconds = sum(map(get, paths))
            yield Point(what, "events", size, seconds, peak_mb(process))
        alone = []
        for path in [path for path in paths if path.rpartition("/")[2] in SHOWN] * ROUNDS:
            write()
            alone.append(get(path))
        yield Point("one report after an alert", "events", size, statistics.median(alone), peak_mb(process))


def of_organizations(scratch: Path, counts: Sequence[int] = ORGANIZATIONS) -> Iterator[Point]:
    """Every report and format of so many organizations; one store that grows."""
    folder = scratch / "growing"
    module(folder, "aurora", "5")
    for count in counts:
        module(folder, "batch", "clone", str(count))
        shutil.rmtree(folder / "artifacts", ignore_errors=True)
        built = hq(folder, "build", "--all", whole=True, SVC_ARTIFACT_BYTES=str(1 << 40))
        yield Point("batch, each organization", "organizations", count, built.seconds / count, built.sum_mb)
    shutil.rmtree(folder)
