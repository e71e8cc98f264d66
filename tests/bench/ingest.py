"""Alerts and findings over HTTP, durable when they are answered, beside bare Bottle routes that read the same JSON."""

import os
import statistics
import time
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from tests.bench import load
from tests.bench.http import bare, console, free_port, serving
from tests.bench.table import Figure

ALERTS, VULNERABILITIES = "/api/integrations/alerts", "/api/integrations/vulnerabilities"
CONNECTIONS = 32  # a monitoring estate posts from many places at once
FEW, MANY = 200, 1 << 30
FINDINGS = 1000
GROUP = 20_000  # alerts in one body: the limit
TURNS = 5


def figures(folder: Path, cookie: str, *, seconds: float) -> Iterator[Figure]:
    """Serves the store in ``folder`` and posts to it with an ingest token of its own.

    Both sides have a thread for each connection: writes that wait together share one commit.
    """
    page = folder / "page"
    page.touch()
    environment = {**os.environ, "SVC_DATA_DIR": str(folder), "SVC_INGEST_PER_MINUTE": "1000000"}
    port, bare_port = free_port(), free_port()
    with (
        serving(console(port, CONNECTIONS), port, environment),
        serving(bare(bare_port, CONNECTIONS, page), bare_port, environment),
    ):
        made = post(port, "/api/user/alert-ingest-tokens", f"svc_session={cookie}", "Cookie", {"label": "bench"})
        bearer = f"Bearer {made['secret']}"
        yield from _alerts(port, bare_port, bearer, seconds)
        yield _findings(port, bare_port, bearer)
        yield _group(port, bare_port, bearer)


def _alerts(port: int, bare_port: int, bearer: str, seconds: float) -> Iterator[Figure]:
    for keys, what in ((FEW, f"{FEW} keys again and again"), (MANY, "every one opens an incident")):
        turns = [
            (
                load.run(port, ALERTS, f"Authorization: {bearer}", CONNECTIONS, seconds, keys),
                load.run(bare_port, "/alert", "X: y", CONNECTIONS, seconds, keys),
            )
            for _ in range(TURNS)
        ]
        ours, theirs = zip(*turns, strict=True)
        yield Figure(
            f"POST alerts, one each, {what} (target 0.45)",
            _text(ours),
            "bare Bottle route that parses the same JSON",
            _text(theirs),
            statistics.median(mine.rate / bares.rate for mine, bares in turns),
        )
        peaks = [statistics.median(one.rate for one in side) for side in (ours, theirs)]
        turns = [
            (
                load.run(port, ALERTS, f"Authorization: {bearer}", CONNECTIONS, seconds, keys, peaks[0] / 2),
                load.run(bare_port, "/alert", "X: y", CONNECTIONS, seconds, keys, peaks[1] / 2),
            )
            for _ in range(TURNS)
        ]
        ours, theirs = zip(*turns, strict=True)
        yield Figure(
            f"the same at half of that, p99 beside p99 (target 0.67), {what}",
            _text(ours),
            "bare Bottle route at half of its own",
            _text(theirs),
            statistics.median(bares.p99_ms / mine.p99_ms for mine, bares in turns),
        )


def _text(loads: Sequence[load.Load]) -> str:
    rate, p50, p99 = (statistics.median(getattr(one, name) for one in loads) for name in ("rate", "p50_ms", "p99_ms"))
    return f"{rate:,.0f}/s, p50 {p50:.0f} ms, p99 {p99:.0f} ms"


def _findings(port: int, bare_port: int, bearer: str) -> Figure:
    def scan(turn: int) -> list[dict[str, object]]:
        return [
            {
                "finding_id": f"F-{turn}-{n}",
                "title": f"Outdated library {n}",
                "host": f"host{n % 50}",
                "severity": "high" if n % 50 == 0 else "medium",
                "cvss": 5.0,
                "cve": f"CVE-2026-{n:04}",
                "first_seen": "2026-11-01T00:00:00Z",
                "status": "open",
            }
            for n in range(FINDINGS)
        ]

    times: list[tuple[float, float]] = []
    for turn in range(5):
        body = scan(turn)
        start = time.perf_counter()
        counts = post(port, VULNERABILITIES, bearer, "Authorization", body)
        between = time.perf_counter()
        post(bare_port, "/findings", "y", "X", body)
        times.append((between - start, time.perf_counter() - between))
        if counts["created"] != FINDINGS:
            raise RuntimeError(f"{FINDINGS} findings were posted, and the answer is {counts}")
    ours, theirs = (statistics.median(side) for side in zip(*times, strict=True))
    return Figure(
        f"POST {FINDINGS:,} new findings in one body, 20 incidents",
        f"{ours * 1000:.0f} ms",
        "bare Bottle route, executemany, no upsert or audit",
        f"{theirs * 1000:.0f} ms",
        theirs / ours,
    )


def _group(port: int, bare_port: int, bearer: str) -> Figure:
    """A monitor's whole group in one body, every alert a new incident, then every one resolved."""

    def group(status: str, at: str) -> list[dict[str, object]]:
        return [
            {
                "title": f"web{n} is down",
                "status": status,
                "severity": "high",
                "dedupe_key": f"group-{n}",
                "service": "checkout",
                "host": f"web{n}",
                "description": "No answer for ten minutes.",
                at: 1795000000,
            }
            for n in range(GROUP)
        ]

    times = []
    for status, at, outcome in (("firing", "started_at", "created"), ("resolved", "ended_at", "resolved")):
        body = group(status, at)
        start = time.perf_counter()
        counts = post(port, ALERTS, bearer, "Authorization", {"alerts": body})
        between = time.perf_counter()
        post(bare_port, "/findings", "y", "X", body)
        times.append((between - start, time.perf_counter() - between))
        if counts[outcome] != GROUP:
            raise RuntimeError(f"{GROUP:,} alerts were posted, and {counts[outcome]} are {outcome}")
    ours, theirs = (sum(side) / len(times) for side in zip(*times, strict=True))
    return Figure(
        f"POST {GROUP:,} alerts in one body, opened or resolved",
        f"{ours:.1f} s, {GROUP / ours:,.0f} alerts/s",
        "bare Bottle route, executemany, no incident or audit",
        f"{theirs * 1000:.0f} ms",
        theirs / ours,
    )


def post(port: int, path: str, credential: str, header: str, body: object) -> dict[str, object]:
    """The answer to one POST."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}{path}",
        msgspec.json.encode(body),
        {"Content-Type": "application/json", header: credential},
    )
    with urllib.request.urlopen(request) as answer:
        document: dict[str, object] = msgspec.json.decode(answer.read())
        return document
