"""Cached reports over HTTP beside a bare Bottle route that returns the same bytes."""

import contextlib
import os
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

from tests.bench.step import HQ
from tests.bench.table import Figure

BASE = "/api/governance/compliance/"
REPORTS = ("posture-score", "gap-remediations")
CONNECTIONS = 8


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


@contextlib.contextmanager
def serving(command: Sequence[str], port: int, environment: dict[str, str]) -> Iterator[None]:
    """A server process that answers on ``port``, stopped in the end. What it says goes to a file, as a pipe fills."""
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
        try:
            while not listening(port):
                if process.poll() is not None:
                    log.seek(0)
                    raise RuntimeError(log.read().decode())
                time.sleep(0.1)
            yield
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(60)


def listening(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


def rate(port: int, path: str, cookie: str, seconds: float) -> float:
    """Answers per second, asked for by a process of its own."""
    command = [sys.executable, "-m", "tests.bench.load", str(port), path, cookie, str(CONNECTIONS), str(seconds)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return int(done.stdout) / seconds


def figures(folder: Path, cookie: str, *, threads: int, rounds: int, seconds: float = 1.0) -> Iterator[Figure]:
    """One figure for each report. Product and baseline take turns; the ratio is the median of the turns' ratios."""
    environment = {**os.environ, "SVC_DATA_DIR": str(folder)}
    port = free_port()
    command = [str(HQ), "serve", "--port", str(port), "--threads", str(threads), "--no-scheduler"]
    with serving(command, port, environment):
        for name in REPORTS:
            data = _page(port, name, cookie)
            copy = folder / "page"
            copy.write_bytes(data)
            bare_port = free_port()
            bare = [sys.executable, "-m", "tests.bench.bare", str(bare_port), str(threads), str(copy)]
            with serving(bare, bare_port, environment):
                rate(port, BASE + name, cookie, 0.5)
                rate(bare_port, "/page", cookie, 0.5)
                turns = [
                    (rate(port, BASE + name, cookie, seconds), rate(bare_port, "/page", cookie, seconds))
                    for _ in range(rounds)
                ]
            ours, theirs = (statistics.median(side) for side in zip(*turns, strict=True))
            yield Figure(
                f"GET {name}, {len(data) / 1000:,.0f} kB of JSON, cached, {threads} threads",
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
