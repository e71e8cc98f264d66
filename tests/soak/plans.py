"""The law of plans: drawn organizations do their plans through import and HTTP, and each week's reports say what the plan said."""

import time
from pathlib import Path

from sqlalchemy.exc import OperationalError

from tests.planning.soak import run
from tests.soak.table import Line, impossible

SECONDS_OF_ONE = {"sqlite": 3.5, "postgresql": 4.0}  # processor seconds of an organization, about
SHARES = {"sqlite": 0.85, "postgresql": 0.15}  # of the budget


def lines(scratch: Path, seed: int, budget: float) -> list[Line]:
    """A line for each engine: organizations, weeks and pieces of work; what is broken is what the law says."""
    return [_line(engine, seed, max(int(budget * SHARES[engine] / one), 1)) for engine, one in SECONDS_OF_ONE.items()]


def _line(engine: str, seed: int, count: int) -> Line:
    began, tried, broken = time.process_time(), dict[str, int](), []
    try:
        run(count, seed, engine, tried.update)
    except OperationalError as error:
        if engine == "sqlite" or tried:
            raise
        return impossible(f"plans: {engine}", f"no server: {error.orig}")
    except AssertionError as error:
        broken.append(str(error).splitlines()[0] if str(error) else "the law does not hold")
    seconds = time.process_time() - began
    parts = ", ".join(f"{number:,} {name}" for name, number in tried.items() if name != "organizations")
    done = f"{tried.get('organizations', 0):,} organizations"
    return Line(
        f"plans: {engine}", done, seconds=seconds, broken=broken, notes=[f"{parts}; seconds are of the processor."]
    )
