"""Every report of an organization with many audit events over HTTP: computed after a write, then from the cache."""

import os
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

import api
from engine.web.handlers.reports import ReportHandler
from reports import CATALOGUE
from tests.bench.http import children, console, cpu_seconds, free_port, memory_mb, peak_mb, serving
from tests.bench.ingest import ALERTS, post
from tests.bench.step import hq, module
from tests.bench.table import Figure

ORG = "aurora"


def figures(scratch: Path, count: int) -> Iterator[Figure]:
    """Makes a store with the demo organization and ``count`` more events below ``scratch``."""
    folder, files = scratch / "cold", scratch / "more"
    files.mkdir()
    module(folder, "aurora")
    cookie = hq(folder, "session", "--email", "owner@aurora.example").output.strip()
    module(folder, "events", f"write:{count}", files / "audit_log.csv")
    hq(folder, "import", files, "--org", ORG)
    port = free_port()
    asked = paths()
    environment = {**os.environ, "SVC_DATA_DIR": str(folder), "SVC_INGEST_PER_MINUTE": "1000000"}
    with serving(console(port, 4), port, environment) as process:
        ready, idle = cpu_seconds(process), memory_mb(process)
        made = post(port, "/api/user/alert-ingest-tokens", f"svc_session={cookie}", "Cookie", {"label": "bench"})
        write = writer(port, f"Bearer {made['secret']}")
        get = reader(port, cookie)
        write()
        get(asked[0])  # the replica takes in what was imported
        write()
        together = [get(path) for path in asked]
        cached = [get(path) for path in asked]
        alone = []
        for path in asked:
            write()
            alone.append(get(path))
        peak, used = peak_mb(process), memory_mb(process)
        together_mb = used + sum(map(memory_mb, children(process)))
    many = f"{len(asked)} reports, {count:,} events and the demo"
    yield Figure(
        f"hq serve, until it listens, {count:,} events and the demo",
        f"{ready:.2f} s of CPU, then {idle:.0f} MB",
        "after every report",
        f"{used:.0f} MB, with its workers {together_mb:.0f} MB",
    )
    yield Figure(f"GET all one after another after a write, {many}", f"{sum(together):.2f} s", peak_mb=peak)
    warm = _text(cached)
    for what, times in (("cold: after a write all in turn", together), ("cold: each after a write of its own", alone)):
        yield Figure(f"GET {what}", _text(times), "the same from the cache", warm, _p95(cached) / _p95(times))


def _text(times: list[float]) -> str:
    ordered = sorted(times)
    return f"p50 {1000 * ordered[len(ordered) // 2]:.1f} ms, p95 {1000 * _p95(times):.1f} ms"


def _p95(times: list[float]) -> float:
    return sorted(times)[int(0.95 * (len(times) - 1))]


def paths() -> list[str]:
    """The route of each report."""
    named = {route.handler.report: route.path for route in api.ROUTES if isinstance(route.handler, ReportHandler)}
    return [named[name] for name in CATALOGUE]


def reader(port: int, cookie: str) -> Callable[[str], float]:
    def get(path: str) -> float:
        request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers={"Cookie": f"svc_session={cookie}"})
        start = time.perf_counter()
        with urllib.request.urlopen(request) as answer:
            answer.read()
        return time.perf_counter() - start

    return get


def writer(port: int, bearer: str) -> Callable[[], None]:
    def write() -> None:
        alert = {"title": "A write that moves the revision", "status": "firing", "severity": "low"}
        post(port, ALERTS, bearer, "Authorization", msgspec.to_builtins(alert))

    return write
