"""Cached reports over HTTP beside a bare Bottle route that returns the same bytes."""

import contextlib
import os
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.bench import load
from tests.bench.step import HQ
from tests.bench.table import Figure

BASE = "/api/governance/compliance/"
REPORTS = {"posture-score": 0.75, "gap-remediations": 0.9}  # and how fast beside the bare route they should be
CONNECTIONS = 8


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


@contextlib.contextmanager
def serving(command: Sequence[str], port: int, environment: dict[str, str]) -> Iterator[int]:
    """A server process that answers on ``port``, stopped in the end; its id. What it says goes to a file: a pipe fills."""
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
        try:
            while not listening(port):
                if process.poll() is not None:
                    log.seek(0)
                    raise RuntimeError(log.read().decode())
                time.sleep(0.1)
            yield process.pid
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(60)


def peak_mb(process: int) -> float:
    """The most memory that a running process has held; Linux tells."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) / 1024  # type: ignore[index]


def memory_mb(process: int) -> float:
    """What a running process holds, of what it shares its share."""
    rollup = Path(f"/proc/{process}/smaps_rollup").read_text()
    return int(re.search(r"Pss:\s+(\d+) kB", rollup)[1]) / 1024  # type: ignore[index]


def cpu_seconds(process: int) -> float:
    """What a running process has taken of the processors."""
    fields = _stat(process)
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def children(process: int) -> list[int]:
    """The processes that a running one has started."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if int(_stat(int(folder.name))[1]) == process:
                found.append(int(folder.name))
    return found


def _stat(process: int) -> list[str]:
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()


def listening(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


def rate(port: int, path: str, cookie: str, seconds: float) -> float:
    """Answers per second, asked for by a process of its own."""
    return load.run(port, path, f"Cookie: svc_session={cookie}", CONNECTIONS, seconds).rate


def console(port: int, threads: int) -> list[str]:
    """The command that serves the product alone."""
    return [str(HQ), "serve", "--port", str(port), "--threads", str(threads), "--no-scheduler"]


def bare(port: int, threads: int, file: Path) -> list[str]:
    """The command that serves the baselines; ``file`` is the page, and names the store of the findings."""
    return [sys.executable, "-m", "tests.bench.bare", str(port), str(threads), str(file)]


def figures(folder: Path, cookie: str, *, threads: int, rounds: int, seconds: float = 1.0) -> Iterator[Figure]:
    """One figure for each report. Product and baseline take turns; the ratio is the median of the turns' ratios."""
    environment = {**os.environ, "SVC_DATA_DIR": str(folder)}
    port = free_port()
    with serving(console(port, threads), port, environment):
        for name, target in REPORTS.items():
            data = _page(port, name, cookie)
            copy = folder / "page"
            copy.write_bytes(data)
            bare_port = free_port()
            with serving(bare(bare_port, threads, copy), bare_port, environment):
                rate(port, BASE + name, cookie, 0.5)
                rate(bare_port, "/page", cookie, 0.5)
                turns = [
                    (rate(port, BASE + name, cookie, seconds), rate(bare_port, "/page", cookie, seconds))
                    for _ in range(rounds)
                ]
            ours, theirs = (statistics.median(side) for side in zip(*turns, strict=True))
            yield Figure(
                f"GET {name}, {len(data) / 1000:,.0f} kB of JSON, cached, {threads} threads (target {target})",
                f"{ours:,.0f}/s",
                "bare Bottle route, same bytes and threads",
                f"{theirs:,.0f}/s",
                statistics.median(mine / bares for mine, bares in turns),
            )


def _page(port: int, name: str, cookie: str) -> bytes:
    address = f"http://127.0.0.1:{port}{BASE}{name}"
    with urllib.request.urlopen(urllib.request.Request(address, headers={"Cookie": f"svc_session={cookie}"})) as answer:
        data: bytes = answer.read()
        return data
