"""Building every report of the demo organization aurora: cold, after one change, and when all is there."""

import csv
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from tests.bench.step import Step, hq, module
from tests.bench.table import Figure


def figures(folder: Path) -> Iterator[Figure]:
    """Fills ``folder`` with the store of aurora and builds its reports."""
    filled = module(folder, "aurora")
    yield Figure("generate and import aurora, 400 days", f"{filled.seconds:.1f} s", peak_mb=filled.peak_mb)
    start = hq(folder, "config")
    yield Figure("start of the program (hq config)", f"{start.seconds:.2f} s", peak_mb=start.peak_mb)
    cold = hq(folder, "build", "--org", "aurora")
    yield Figure("build all reports of aurora, nothing there", f"{cold.seconds:.1f} s", peak_mb=cold.peak_mb)
    change = folder / "attestations.csv"
    with change.open("w", newline="") as file:
        csv.writer(file).writerows(
            [
                ("framework", "control_id", "owner", "due_on", "outcome", "attested_at"),
                ("soc2", "CC6.1", "owner@aurora.example", "2020-01-31", "attested", _now()),
            ]
        )
    one = hq(folder, "import", change, "--org", "aurora")
    yield Figure("import one attestation", f"{one.seconds:.2f} s", peak_mb=one.peak_mb)
    yield _beside(cold, "build again after that change", hq(folder, "build", "--org", "aurora"))
    yield _beside(cold, "build again, nothing changed", hq(folder, "build", "--org", "aurora"))
    shutil.rmtree(folder / "artifacts")
    yield _beside(cold, "build again, artifacts lost, replica there", hq(folder, "build", "--org", "aurora"))


def _beside(cold: Step, what: str, again: Step) -> Figure:
    return Figure(
        what,
        f"{again.seconds:.1f} s",
        "build with nothing there",
        f"{cold.seconds:.1f} s",
        cold.seconds / again.seconds,
        again.peak_mb,
    )


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
