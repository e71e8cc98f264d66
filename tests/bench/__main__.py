"""``make bench``: figures of one run, each beside a named baseline, written to docs/performance.md with a picture.

``--quick`` takes a tenth of the rows and writes nothing; ``--part NAME`` measures that part alone. It ends with 1 and
names them where figures miss their targets by more than a tenth, or cost more than at the last release by that much;
``--release`` writes down what they cost now in docs/performance-release.json, as those of this version.
"""

import argparse
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from functools import cached_property
from pathlib import Path

from tests.bench import (
    archives,
    attacks,
    availability,
    batch,
    causes,
    cold,
    copilot,
    felt,
    growth,
    http,
    ingest,
    plans,
    processes,
    release,
    reports,
    results,
    volume,
    writers,
)
from tests.bench.step import hq, module
from tests.bench.table import Figure, Point, growth_text, table_text
from tests.bench.targets import misses

THREADS = 4


class Bench:
    """One run: its folder, and the store of the demo organization that several parts use."""

    def __init__(self, scratch: Path, *, quick: bool, explain: bool = True) -> None:
        self.scratch = scratch
        self.quick = quick
        self.explain = explain
        self.release = release.read()
        self.costs: dict[str, release.Cost] = {}

    @cached_property
    def aurora(self) -> Path:
        """The folder of a store with the demo organization."""
        folder = self.scratch / "aurora"
        if not folder.exists():
            module(folder, "aurora")
        return folder

    @cached_property
    def cookie(self) -> str:
        """The session of its owner."""
        return hq(self.aurora, "session", "--email", "owner@aurora.example").output.strip()

    def of(self, quick: float, whole: float) -> float:
        """A measure of a quick run, or of a whole one."""
        return quick if self.quick else whole

    def many(self, quick: int, whole: int) -> int:
        """The same of a number."""
        return quick if self.quick else whole


def _nightly(bench: Bench) -> Iterator[Figure]:
    folder = bench.scratch / "nightly"
    module(folder, "aurora")
    yield from batch.figures(folder, bench.many(5, 50))


PARTS: Mapping[str, Callable[[Bench], Iterable[Figure | Point]]] = {
    "what people feel": lambda b: felt.figures(
        b.aurora, b.scratch, b.many(30_000, 300_000), b.release, b.costs, explain=b.explain
    ),
    "reports": lambda b: reports.figures(b.scratch / "aurora"),
    "reading": lambda b: http.figures(b.aurora, b.cookie, threads=THREADS, rounds=b.many(3, 7)),
    "alerts": lambda b: ingest.figures(b.aurora, b.cookie, seconds=b.of(1, 2)),
    "availability": lambda b: availability.figures(b.aurora, b.cookie, seconds=b.of(3, 10)),
    "processes": lambda b: processes.figures(b.aurora, b.cookie, seconds=b.of(1, 3)),
    "writers": lambda b: writers.figures(b.scratch, seconds=b.of(0.5, 2)),
    "bundles": lambda b: archives.figures(b.aurora, b.cookie),
    "attacks": lambda b: attacks.figures(),
    "causes": lambda b: causes.figures(b.scratch),
    "copilot": lambda b: copilot.figures(("cobalt",) if b.quick else copilot.ORGANIZATIONS),
    "after a write": lambda b: cold.figures(b.scratch, b.many(100_000, 1_000_000)),
    "a million events": lambda b: volume.figures(b.scratch, b.many(100_000, 1_000_000)),
    "nightly batch": _nightly,
    "cluster": lambda b: batch.cluster_times(b.scratch, b.many(10, 50)),
    "plans": lambda b: plans.figures(),
    "growth of events": lambda b: growth.of_events(b.scratch, growth.EVENTS[: b.many(1, 3)]),
    "growth of organizations": lambda b: growth.of_organizations(
        b.scratch, (3, 10) if b.quick else growth.ORGANIZATIONS
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows, fewer rounds, nothing is written")
    parser.add_argument("--part", action="append", choices=PARTS, help="this part alone; may be said again")
    parser.add_argument("--release", action="store_true", help="what rows cost now is what the next runs are held to")
    asked = parser.parse_args()
    start, machine = time.perf_counter(), _machine()
    known, found = results.read(), []
    print(machine)
    with tempfile.TemporaryDirectory(prefix="hq-bench-") as scratch:
        bench = Bench(Path(scratch), quick=asked.quick, explain=not asked.release)
        for name in asked.part or PARTS:
            measured = _measure(PARTS[name](bench))
            figures = tuple(one for one in measured if isinstance(one, Figure))
            points = tuple(one for one in measured if isinstance(one, Point))
            found += figures
            print(
                *([table_text(figures)] if figures else []),
                *([growth_text(points)] if points else []),
                sep="\n",
                flush=True,
            )
            if not asked.quick:
                known[name] = results.Part(date.today(), machine, figures, points)  # noqa: DTZ011 - the reader's own day
                results.keep({part: known[part] for part in PARTS if part in known})
    print(
        f"\nratio: how many times as fast as the baseline; above 1 is faster.\n"
        f"Times include the start of the program. {time.perf_counter() - start:,.0f} s in all."
    )
    worse, dearer = misses(found), release.worse_rows(bench.costs, bench.release)
    if worse:
        print("\nworse than the target by more than a tenth:", *worse, sep="\n  ")
    if asked.release and bench.costs:
        release.keep(bench.costs)
    elif dearer:
        print("\ndearer than at the last release by more than a tenth:", *dearer, sep="\n  ")
    if worse or (dearer and not asked.release):
        sys.exit(1)


def _machine() -> str:
    return f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}, Python {platform.python_version()}"


def _measure(figures: Iterable[Figure | Point]) -> list[Figure | Point]:
    """All of them, each said as it comes: a later one may fail."""
    measure = []
    for figure in figures:
        text = figure.ours if isinstance(figure, Figure) else f"{figure.size:,} {figure.of}: {figure.seconds:.2f} s"
        print(f"{figure.what}: {text}", file=sys.stderr)
        measure.append(figure)
    return measure


if __name__ == "__main__":
    main()
