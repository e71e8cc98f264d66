"""``make bench``: figures of one run, each beside a named baseline. ``--quick`` takes a tenth of the rows.

It ends with 1 and names them where figures miss their targets by more than a tenth.
"""

import argparse
import os
import platform
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from tests.bench import (
    archives,
    attacks,
    availability,
    batch,
    causes,
    cold,
    copilot,
    http,
    ingest,
    processes,
    reports,
    volume,
    writers,
)
from tests.bench.step import hq, module
from tests.bench.table import Figure, printed
from tests.bench.targets import missed

THREADS = 4


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows, and fewer rounds")
    quick = parser.parse_args().quick
    start = time.perf_counter()
    print(f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}, Python {platform.python_version()}")
    with tempfile.TemporaryDirectory(prefix="hq-bench-") as scratch:
        folder = Path(scratch) / "aurora"
        figures = _measured(reports.figures(folder))
        cookie = hq(folder, "session", "--email", "owner@aurora.example").output.strip()
        figures += _measured(http.figures(folder, cookie, threads=THREADS, rounds=3 if quick else 7))
        figures += _measured(ingest.figures(folder, cookie, seconds=1 if quick else 2))
        figures += _measured(availability.figures(folder, cookie, seconds=3 if quick else 10))
        figures += _measured(processes.figures(folder, cookie, seconds=1 if quick else 3))
        figures += _measured(writers.figures(Path(scratch), seconds=0.5 if quick else 2))
        figures += _measured(archives.figures(folder, cookie))
        figures += _measured(attacks.figures())
        figures += _measured(causes.figures(Path(scratch)))
        figures += _measured(copilot.figures(("cobalt",) if quick else copilot.ORGANIZATIONS))
        figures += _measured(cold.figures(Path(scratch), 100_000 if quick else 1_000_000))
        figures += _measured(volume.figures(Path(scratch), 100_000 if quick else 1_000_000))
        nightly = Path(scratch) / "nightly"
        module(nightly, "aurora")
        figures += _measured(batch.figures(nightly, 5 if quick else 50))
        figures += _measured(batch.growth(Path(scratch), *((5, 20) if quick else (50, 1000))))
        figures += _measured(batch.clustered(Path(scratch), 10 if quick else 50))
    print(printed(figures))
    print(f"\nratio: how many times as fast as the baseline; above 1 is faster.\n"
          f"Times include the start of the program. {time.perf_counter() - start:,.0f} s in all.")  # fmt: skip
    if found := missed(figures):
        print("\nworse than the target by more than a tenth:", *found, sep="\n  ")
        sys.exit(1)


def _measured(figures: Iterable[Figure]) -> list[Figure]:
    """All of them, each said as it comes: a later one may fail."""
    found = []
    for figure in figures:
        print(f"{figure.what}: {figure.ours}", file=sys.stderr)
        found.append(figure)
    return found


if __name__ == "__main__":
    main()
