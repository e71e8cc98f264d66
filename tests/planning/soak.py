"""The law of plans over many drawn organizations, with what it took: `python -m tests.planning.soak --count 500`.

On facts in memory; with ``--through sqlite`` or ``postgresql`` through import and HTTP, at the end of every week of a plan.
"""

import argparse
import shutil
import tempfile
import time
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings

from engine.replica.replica import Replica
from tests import demo
from tests.conftest import POSTGRESQL
from tests.databases import Databases
from tests.facts.conftest import Versions, facts_with
from tests.planning.doors import check
from tests.planning.drawn import organizations
from tests.planning.test_law import holds

THROUGH = ("facts", "sqlite", "postgresql")


@contextmanager
def law_on_facts():
    """The law on the facts of rows in memory."""
    with closing(Replica("sqlite:///nowhere", None, threads=1)) as replica:

        def law(drawn):
            generator = facts_with.__wrapped__(replica, Versions(200))
            try:
                plan = holds(next(generator), drawn)
            finally:
                generator.close()
            return {"pieces of work": len(plan.steps), "reached": int(plan.is_reached)}

        yield law


@contextmanager
def law_through_doors(engine):
    """The law through import and HTTP, each organization in an empty store of its own."""
    with tempfile.TemporaryDirectory(prefix="hq-plans-") as scratch:
        demo.SHARED.append(Path(scratch))
        demo.empty_store(Path(scratch) / "empty.sqlite")
        with closing(Databases(POSTGRESQL)) if engine == "postgresql" else nullcontext() as databases:

            def law(drawn):
                folder = Path(tempfile.mkdtemp(dir=scratch))
                if engine == "postgresql":
                    url = databases.take()
                else:
                    shutil.copy(Path(scratch) / "empty.sqlite", folder / "hq.db")
                    url = f"sqlite:///{folder / 'hq.db'}"
                try:
                    return check(folder, url, drawn, every_week=True)
                finally:
                    shutil.rmtree(folder)
                    if engine == "postgresql":
                        databases.give_back(url)

            yield law


def run(count, number, through, report=lambda tried: None):
    """Try the law on so many organizations; counts of what they were."""
    tried = {"organizations": 0, "with work": 0, "reached": 0, "pieces of work": 0}
    with law_on_facts() if through == "facts" else law_through_doors(through) as law:

        @seed(number)
        @settings(
            max_examples=count,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.generate],
        )
        @given(drawn=organizations())
        def every(drawn):
            tried["organizations"] += 1
            for name, value in law(drawn).items():
                tried[name] = tried.get(name, 0) + value
                tried["with work"] += name == "pieces of work" and value > 0
            report(tried)

        every()
    return tried


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--through", choices=THROUGH, default="facts")
    asked = parser.parse_args()
    began, spent = time.monotonic(), time.process_time()

    def report(tried):
        numbers = ", ".join(f"{number:,} {name}" for name, number in tried.items())
        print(f"{numbers}; processor seconds: {time.process_time() - spent:.0f}", flush=True)

    run(asked.count, asked.seed, asked.through, report)
    print(f"seconds: {time.monotonic() - began:.0f}")


if __name__ == "__main__":
    main()
