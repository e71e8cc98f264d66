"""What others see while somebody tries to occupy the console, and while it is asked for more than it can do."""

import asyncio
import contextlib
import json
import os
import time
import urllib.request
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from tests.bench.http import console, free_port, serving
from tests.bench.table import Figure
from tests.web import attacks

EXPORT = "/api/audit/export?window=all"
REPORTS = (
    "summary", "program", "posture-score", "executive-summary", "risk-heatmap", "gap-remediations", "kpi-trends",
    "control-ownership", "evidence-freshness", "attestations", "calendar", "obligation-heatmap",
)  # fmt: skip
CLIENTS = 32  # of each kind
Attack = Callable[[int, str], AbstractContextManager[object]]
ATTACKS: dict[str, Attack] = {
    "20 connections that do not read an export": lambda port, cookie: attacks.readers_that_do_not_read(
        port, EXPORT, cookie, 20
    ),
    "110 half-sent headers": lambda port, cookie: attacks.half_headers(port, 110),
    "600 half-sent headers": lambda port, cookie: attacks.half_headers(port, 600),
    "110 half-sent bodies": lambda port, cookie: attacks.half_bodies(port, 110),
    "16 streams of the copilot without a credential": lambda port, cookie: attacks.slow_streams(port, 16),
    "one member, 8 connections, changing parameters": lambda port, cookie: attacks.reports_with_changing_parameters(
        port, cookie, 8
    ),
}


def figures(folder: Path, cookie: str, *, looks: int = 100, seconds: float = 10.0) -> Iterator[Figure]:
    """Health under each attack beside health at rest; then alerts, reports and health of 64 clients."""
    environment = {**os.environ, "SVC_DATA_DIR": str(folder), "SVC_INGEST_PER_MINUTE": "1000000"}
    port, session = free_port(), f"svc_session={cookie}"
    with serving(console(port, 4), port, environment) as process:
        _health(port, nullcontext(), 1)  # which waits until it is ready
        rest = _health(port, nullcontext(), looks)
        for name, attack in ATTACKS.items():
            health = _health(port, attack(port, session), looks)
            yield Figure(f"health, p99, under {name}", f"{health:.0f} ms", "health at rest", f"{rest:.0f} ms")
        token = _token(port, session)
        asyncio.run(crowd(port, token, session, alerts=CLIENTS, reports=0, seconds=seconds / 5))
        alone = asyncio.run(crowd(port, token, session, alerts=CLIENTS, reports=0, seconds=seconds))
        before = memory_mb(process)
        both = asyncio.run(crowd(port, token, session, alerts=CLIENTS, reports=CLIENTS, seconds=2 * seconds))
        yield Figure(
            f"alerts of {CLIENTS} clients beside {CLIENTS} that ask for reports (target 0.6)",
            f"{both.rate('alert'):.0f}/s",
            "the same clients alone",
            f"{alone.rate('alert'):.0f}/s",
            both.rate("alert") / alone.rate("alert"),
        )
        yield Figure("reports meanwhile (target 10/s)", f"{both.rate('report'):.1f}/s")
        yield Figure(
            "answers to reports meanwhile", ", ".join(f"{status}: {n}" for status, n in both.status_counts("report"))
        )
        yield Figure("health meanwhile, p99 (target 200 ms)", f"{1000 * attacks.p99(both.times['health']):.0f} ms")
        yield Figure("memory of all processes meanwhile", f"+{memory_mb(process) - before:.0f} MB")


def _health(port: int, attack: AbstractContextManager[object], looks: int) -> float:
    """Milliseconds that one look in a hundred takes longer than."""
    with attack:
        time.sleep(1)
        took = []
        for _ in range(looks):
            status, seconds, _ = attacks.ask_once(port)
            assert status == 200, status
            took.append(seconds)
            time.sleep(0.02)
    return 1000 * float(attacks.p99(took))


def _token(port: int, session: str) -> str:
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/api/user/alert-ingest-tokens",
        data=b'{"label": "crowd"}',
        headers={"Cookie": session, "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request) as answer:
        return str(json.load(answer)["secret"])


def memory_mb(process: int) -> float:
    """What a process and its children hold."""
    kilobytes = 0
    for status in Path("/proc").glob("[0-9]*/status"):
        with contextlib.suppress(OSError):
            lines = dict(line.split(":\t", 1) for line in status.read_text().splitlines() if ":\t" in line)
            if process in (int(lines["Pid"]), int(lines["PPid"])) and "VmRSS" in lines:
                kilobytes += int(lines["VmRSS"].split()[0])
    return kilobytes / 1024


@dataclass
class Crowd:
    """What clients saw, by kind: how often which status, and how long each answer took in seconds."""

    seconds: float
    statuses: dict[str, Counter[int]] = field(default_factory=lambda: defaultdict(Counter))
    times: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    def rate(self, kind: str) -> float:
        """Successes a second."""
        return self.statuses[kind][200] / self.seconds

    def status_counts(self, kind: str) -> list[tuple[int, int]]:
        """Statuses and how often each came."""
        return sorted(self.statuses[kind].items())


async def crowd(port: int, token: str, session: str, *, alerts: int, reports: int, seconds: float) -> Crowd:
    """What so many clients that send alerts, and so many that ask for reports, see meanwhile, and one that asks for health."""
    seen, until = Crowd(seconds), time.monotonic() + seconds

    def alert(client: int, turn: int) -> tuple[str, str, str, bytes]:
        body = {"title": f"load {client}-{turn}", "dedupe_key": f"load-{client}-{turn % 50}", "severity": "low"}
        headers = f"Authorization: Bearer {token}\r\nContent-Type: application/json\r\n"
        return "POST", "/api/integrations/alerts", headers, json.dumps(body).encode()

    def report(client: int, turn: int) -> tuple[str, str, str, bytes]:
        name = REPORTS[(client + turn) % len(REPORTS)]
        return "GET", f"/api/governance/compliance/{name}", f"Cookie: {session}\r\n", b""

    def health(client: int, turn: int) -> tuple[str, str, str, bytes]:
        return "GET", "/api/health", "", b""

    clients = [("alert", alert)] * alerts + [("report", report)] * reports + [("health", health)]
    await asyncio.gather(*(_client(port, kind, ask, n, until, seen) for n, (kind, ask) in enumerate(clients)))
    return seen


async def _client(
    port: int, kind: str, ask: Callable[[int, int], tuple[str, str, str, bytes]], client: int, until: float, seen: Crowd
) -> None:
    turn = 0
    while time.monotonic() < until:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        ends = False
        while not ends and time.monotonic() < until:
            turn += 1
            began = time.perf_counter()
            method, path, headers, body = ask(client, turn)
            head = f"{method} {path} HTTP/1.1\r\nHost: x\r\n{headers}Content-Length: {len(body)}\r\n\r\n"
            writer.write(head.encode() + body)
            answer = (await reader.readuntil(b"\r\n\r\n")).lower()
            length = int(answer.partition(b"content-length:")[2].split(b"\r\n")[0])
            await reader.readexactly(length)
            seen.statuses[kind][int(answer[9:12])] += 1
            seen.times[kind].append(time.perf_counter() - began)
            ends = b"connection: close" in answer
            if kind == "health":
                await asyncio.sleep(0.05)
        writer.close()
