"""One console that answers with several processes, beside the same with one."""

import os
import statistics
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from tests.bench import load
from tests.bench.http import console, free_port, serving
from tests.bench.ingest import ALERTS, post
from tests.bench.table import Figure

REPORT = "/api/governance/compliance/posture-score"
ROUNDS = 3


def figures(folder: Path, cookie: str, *, seconds: float, count: int | None = None) -> Iterator[Figure]:
    """Kept reports and alerts with as many processes as there are cores, two at least; one and several take turns."""
    count = count or max(2, os.cpu_count() or 2)
    rounds = [(_measure(folder, cookie, count, seconds), _measure(folder, cookie, 1, seconds)) for _ in range(ROUNDS)]
    for number, what in enumerate(("GET a kept report, 16 connections", "POST alerts, 32 connections")):
        ours, theirs = ([side[number] for side in column] for column in zip(*rounds, strict=True))
        yield Figure(
            f"{what}, {count} processes",
            _text(ours),
            "one process",
            _text(theirs),
            statistics.median(mine.rate / other.rate for mine, other in zip(ours, theirs, strict=True)),
        )


def _text(loads: list[load.Load]) -> str:
    rate, p99 = (statistics.median(getattr(one, name) for one in loads) for name in ("rate", "p99_ms"))
    return f"{rate:,.0f}/s, p99 {p99:.0f} ms"


def _measure(folder: Path, cookie: str, count: int, seconds: float) -> tuple[load.Load, load.Load]:
    environment = {**os.environ, "SVC_DATA_DIR": str(folder), "SVC_INGEST_PER_MINUTE": "1000000"}
    port, session = free_port(), f"svc_session={cookie}"
    with serving([*console(port, 4), "--processes", str(count)], port, environment):
        made = post(port, "/api/user/alert-ingest-tokens", session, "Cookie", {"label": "bench"})
        load.run(port, "/api/health", "X: y", 16, 2.0)  # until all of them are there
        asked = urllib.request.Request(f"http://127.0.0.1:{port}{REPORT}", headers={"Cookie": session})
        urllib.request.urlopen(asked).close()  # computed now, and kept
        reports = load.run(port, REPORT, f"Cookie: {session}", 16, seconds)
        bearer = f"Authorization: Bearer {made['secret']}"
        return reports, load.run(port, ALERTS, bearer, 32, seconds, 200)
