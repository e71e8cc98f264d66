"""Processes that write to one store at once: the turn by SQLite's own busy timeout beside the turn by a lock file.

``python -m tests.bench.writers URL TURN SECONDS`` writes with threads of its own and prints what it saw as JSON.
"""

import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from engine.store import Store
from engine.store.database.migrations import migrate
from tests.bench.table import Figure

THREADS = 4  # as the lane of alerts has
ROUNDS = 5
NOW = datetime(2026, 11, 20, tzinfo=UTC)


class Writes(msgspec.Struct):
    """Latencies of revisions, in milliseconds."""

    times: list[float]


def figures(folder: Path, *, seconds: float, counts: tuple[int, ...] = (1, 2, 4)) -> Iterator[Figure]:
    """Revisions a second of one, two and four processes together; the turns alternate, the ratio is the median's."""
    for count in counts:
        rounds = [{turn: _together(folder, count, turn, seconds) for turn in ("file", "busy")} for _ in range(ROUNDS)]
        yield Figure(
            f"revisions of {count} processes with {THREADS} threads each, SQLite, a lock file",
            _text([one["file"] for one in rounds]),
            "SQLite's busy timeout",
            _text([one["busy"] for one in rounds]),
            statistics.median(one["file"][0] / one["busy"][0] for one in rounds),
        )


def _text(rounds: list[tuple[float, float, float]]) -> str:
    rate, p50, p99 = (statistics.median(column) for column in zip(*rounds, strict=True))
    return f"{rate:,.0f}/s, p50 {p50:.0f} ms, p99 {p99:.0f} ms"


def _together(folder: Path, count: int, turn: str, seconds: float) -> tuple[float, float, float]:
    """Revisions a second, and their latencies at the median and at 99 in 100, of all processes."""
    url = f"sqlite:///{folder / 'writers.db'}"
    for left in folder.glob("writers.db*"):
        left.unlink()
    migrate(url)
    store = Store(url)
    with store.revision("acme", "setup", now=NOW, create={"name": "Acme"}) as revision:
        revision.record("organization.created")
    store.close()
    command = [sys.executable, "-m", "tests.bench.writers", url, turn, str(seconds)]
    processes = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(count)]
    for process in processes:
        process.stdout.read(1)  # type: ignore[union-attr] # it is ready
    for process in processes:
        process.stdin.write(b"x")  # type: ignore[union-attr]
        process.stdin.flush()  # type: ignore[union-attr]
    times = [time for process in processes for time in msgspec.json.decode(process.communicate()[0], type=Writes).times]
    times.sort()
    return len(times) / seconds, times[len(times) // 2], times[len(times) * 99 // 100]


def _write(store: Store, until: float, times: list[float]) -> None:
    while time.perf_counter() < until:
        began = time.perf_counter()
        store.write("acme", "bench", lambda revision: revision.record("bench.written"), now=NOW)
        times.append(1000 * (time.perf_counter() - began))


def _main(url: str, turn: str, seconds: float) -> None:
    store = Store(url, shared=turn == "file")
    sys.stdout.write("r")
    sys.stdout.flush()
    sys.stdin.read(1)
    times: list[float] = []
    until = time.perf_counter() + seconds
    threads = [threading.Thread(target=_write, args=(store, until, times)) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sys.stdout.buffer.write(msgspec.json.encode(Writes(times)))


if __name__ == "__main__":
    _main(sys.argv[1], sys.argv[2], float(sys.argv[3]))
