"""``make soak``: a real console is harmed in every way that is promised to be harmless; ends with a table.

Parts may be named to run them alone. ``--scale`` shortens or lengthens all budgets. The seed is printed first; the same
seed does the same harm at the same moments, as far as the machine lets it. Exit code 1: a promise is broken.
"""

import argparse
import os
import platform
import random
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path

from tests.soak import (
    claims,
    clocks,
    crowds,
    faults,
    figures,
    fuzzing,
    injection,
    kills,
    plans,
    processes,
    proxies,
    strangers,
    upgrades,
)
from tests.soak.table import Line, table_text

Part = Callable[[Path, int, float], list[Line]]
PARTS: dict[str, tuple[Part, float]] = {  # and its budget in seconds; all of them stay below three quarters of an hour
    "kills": (kills.lines, 480),
    "postgresql": (faults.postgresql, 60),
    "disk": (faults.disk, 60),
    "faults": (injection.lines, 235),
    "slow": (crowds.slow, 45),
    "overload": (crowds.overload, 40),
    "two": (processes.lines, 90),
    "clocks": (clocks.lines, 180),
    "claims": (claims.lines, 125),
    "figures": (figures.lines, 60),
    "plans": (plans.lines, 90),
    "strangers": (strangers.lines, 180),
    "proxies": (proxies.lines, 60),
    "upgrades": (upgrades.lines, 600),
    "fuzzing": (fuzzing.lines, 220),
}


def run(names: list[str], seed: int, scale: float) -> list[Line]:
    """The lines of these parts. One that cannot come to its end says so, and the next one begins."""
    lines: list[Line] = []
    for name in names:
        part, budget = PARTS[name]
        print(f"{name} …", file=sys.stderr, flush=True)
        scratch, began = Path(tempfile.mkdtemp(prefix=f"hq-soak-{name}-")), time.monotonic()
        try:
            lines += part(scratch, seed, budget * scale)
        except Exception as error:  # a fault of the runner is told in the table, not taken for a promise that held
            traceback.print_exc()
            broken = [f"{type(error).__name__}: {error}"]
            lines.append(Line(name, "came to no end", seconds=time.monotonic() - began, broken=broken))
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
    return lines


def main() -> None:
    """Run the parts that are named, else all."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)}; all without")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="repeat a run")
    parser.add_argument("--scale", type=float, default=1.0, help="factor of all budgets, such as 0.1")
    asked = parser.parse_args()
    for name in asked.parts:
        if name not in PARTS:
            parser.error(f"there is no part {name!r}; there are {', '.join(PARTS)}")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # what was started is ended, too
    began = time.monotonic()
    print(
        f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}, Python {platform.python_version()}, "
        f"--seed {asked.seed}, --scale {asked.scale:g}",
        flush=True,
    )
    lines = run(asked.parts or list(PARTS), asked.seed, asked.scale)
    print(table_text(lines))
    print(f"{time.monotonic() - began:,.0f} s in all")
    sys.exit(any(line.broken for line in lines))


if __name__ == "__main__":
    main()
