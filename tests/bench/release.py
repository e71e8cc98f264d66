"""What rows cost at the last release, kept in the repository, and which cost more than that by over a tenth now."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import msgspec

from tests.bench.targets import SLACK

KEPT = Path(__file__).parents[2] / "docs" / "performance-release.json"


@dataclass(frozen=True)
class Cost:
    """Processor seconds of a process and all below it, the same in yards, and the most memory of one process."""

    cpu_seconds: float
    yards: float
    peak_mb: float


@dataclass(frozen=True)
class Release:
    """The costs of a version, by row."""

    version: str
    rows: Mapping[str, Cost]


def read() -> Release | None:
    """What is kept; None where no release was measured yet."""
    return msgspec.json.decode(KEPT.read_bytes(), type=Release) if KEPT.exists() else None


def keep(rows: Mapping[str, Cost]) -> None:
    """Write rows down as those of this version; what was measured of others rows stays."""
    before = read()
    known = {} if before is None else dict(before.rows)
    made = Release(version("hq-console"), dict(sorted({**known, **rows}.items())))
    KEPT.write_bytes(msgspec.json.format(msgspec.json.encode(made), indent=1) + b"\n")


def is_worse(row: str, cost: Cost, release: Release | None) -> bool:
    """Whether a row costs more yards than at the last release by over a tenth; one that is new there is not."""
    known = None if release is None else release.rows.get(row)
    return known is not None and cost.yards > known.yards * (1 + SLACK)


def worse_rows(rows: Mapping[str, Cost], release: Release | None) -> Sequence[str]:
    """A sentence for each such row."""
    if release is None:
        return []
    return [
        f"{row}: {cost.yards:,.1f} yards, {release.rows[row].yards:,.1f} at version {release.version}"
        for row, cost in rows.items()
        if is_worse(row, cost, release)
    ]
