"""The law of plans over many drawn organizations: `python -m tests.planning.soak --count 500`, with what it took."""

import argparse
import time

from hypothesis import HealthCheck, given, seed, settings

from engine.replica.replica import Replica
from tests.facts.conftest import Versions, facts_with
from tests.planning.drawn import organizations
from tests.planning.test_law import holds


def run(count, number):
    """Try the law on so many organizations; counts of what they were."""
    replica = Replica("sqlite:///nowhere", None, threads=1)
    tried = {"organizations": 0, "with work": 0, "reached": 0, "pieces of work": 0}

    @seed(number)
    @settings(max_examples=count, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(drawn=organizations())
    def law(drawn):
        generator = facts_with.__wrapped__(replica, Versions(200))
        known = next(generator)
        try:
            plan = holds(known, drawn)
        finally:
            generator.close()
        tried["organizations"] += 1
        tried["with work"] += bool(plan.chosen)
        tried["reached"] += plan.is_reached
        tried["pieces of work"] += len(plan.steps)

    law()
    return tried


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    began, spent = time.monotonic(), time.process_time()
    for name, number in run(asked.count, asked.seed).items():
        print(f"{name}: {number:,}")
    print(f"processor seconds: {time.process_time() - spent:.0f}; seconds: {time.monotonic() - began:.0f}")


if __name__ == "__main__":
    main()
