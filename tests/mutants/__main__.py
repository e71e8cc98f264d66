"""``python -m tests.mutants [--named [WORD]] [--sample N] [--seed N]``: changes that the suite must notice.

Ends with 1 where a named one is not noticed, or fewer of the drawn ones than the floor.
"""

import argparse
import sys
from pathlib import Path

from tests.mutants import drawn, named


def try_named(word: str) -> int:
    """A line for each."""
    unnoticed = 0
    for mutant, noticed in named.trial(word):
        unnoticed += not noticed
        print(f"{'noticed' if noticed else 'NOT NOTICED':<12} {mutant.what}", flush=True)
    print(f"{unnoticed} not noticed")
    return int(unnoticed > 0)


def try_drawn(seed: int, of_each_room: int) -> int:
    """A line for each, and the share that was noticed."""
    outcomes = []
    for mutant, noticed in drawn.trial(seed, of_each_room):
        outcomes.append(noticed)
        place = f"{'/'.join(Path(mutant.file).parts[-3:])}:{mutant.line}"
        print(f"{'noticed' if noticed else 'NOT NOTICED':<12} {mutant.room:<8} {place} {mutant.operator}", flush=True)
    floor = named.settings()["floor_pct"]
    pct = 100 * sum(outcomes) / len(outcomes) if outcomes else 0
    print(f"{sum(outcomes)} of {len(outcomes)} noticed: {pct:.0f} %; the floor is {floor} %")
    return int(pct < floor)


def main() -> int:
    """What was asked for."""
    arguments = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    arguments.add_argument("--named", nargs="?", const="", metavar="WORD", help="those of the list, or some of them")
    arguments.add_argument(
        "--sample", type=int, default=named.settings()["of_each_room"], help="drawn ones of each room"
    )
    arguments.add_argument("--seed", type=int, default=named.settings()["seed"])
    asked = arguments.parse_args()
    return try_drawn(asked.seed, asked.sample) if asked.named is None else try_named(asked.named)


if __name__ == "__main__":
    sys.exit(main())
