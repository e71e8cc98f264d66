"""Root causes: how many are found, beside a walk of twenty lines over the same rows, and how long a run takes.

Each line counts the cases whose first candidate is the cause (where there is none: nothing is called the cause), those
with the cause among the first three, those where something else was called the cause, and those where the cause was.
"""

import time
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from random import Random

from engine.incidents.rootcause.analysis import explain
from engine.store import Store
from engine.store.database.migrations import migrate
from engine.store.schema import services as tables
from tests.bench.table import Figure
from tests.incidents.causes.cases import NOW, Case, draw
from tests.incidents.causes.demo import demo_cases
from tests.incidents.causes.judging import Verdict, judge, judge_baseline, score
from tests.incidents.causes.strangers import strangers
from tests.incidents.causes.wordings import FIRST, SECOND

DRAWN = 300
SERVICES, NEEDS, DEPLOYS = 1_000, 5, 10_000
ROUNDS = 5


def figures(scratch: Path) -> Iterator[Figure]:
    """In this process, through a store of its own."""
    url = f"sqlite:///{scratch / 'causes.db'}"
    migrate(url)
    store = Store(url)
    sets: tuple[tuple[str, Sequence[Case]], ...] = (
        (f"{DRAWN} drawn, words that the tests know", [draw(seed, FIRST) for seed in range(DRAWN)]),
        (f"{DRAWN} drawn, other words", [draw(seed, SECOND) for seed in range(DRAWN, 2 * DRAWN)]),
        ("26 written by hand", [*strangers()]),
        ("the demo's services and past", [*demo_cases()]),
    )
    for number, (what, cases) in enumerate(sets):
        ours, theirs = judge(store, cases, f"set{number}-"), judge_baseline(cases)
        yield Figure(f"root causes, {what}", _counts(ours), "a walk of twenty lines", _counts(theirs))
    yield _speed(store)
    store.close()


def _counts(verdicts: Sequence[Verdict]) -> str:
    found = score(verdicts)
    return (
        f"first {_share(found.first, found.cases)}, among three {_share(found.third, found.cases)}, "
        f"sure and wrong {_share(found.wrong, found.cases)}, sure and right {_share(found.settled, found.known)}"
    )


def _share(part: int, whole: int) -> str:
    return f"{part}/{whole} ({part / whole:.0%})"


def _speed(store: Store) -> Figure:
    """One run in a large organization, the middle one of several."""
    rng = Random(7)
    with store.revision("large", "bench", now=NOW, create={"name": "Large"}) as revision:
        revision.insert(
            tables.services, [{"id": f"s{n}", "name": f"service {n}", "criticality": 3} for n in range(SERVICES)]
        )
        pairs = {(n, rng.randrange(n + 1, SERVICES)) for n in range(SERVICES - 1) for _ in range(NEEDS)}
        edges = [{"service_id": f"s{one}", "depends_on_id": f"s{two}"} for one, two in sorted(pairs)]
        revision.insert(tables.service_dependencies, edges)
        ago = [rng.uniform(0, 30 * 24 * 60) for _ in range(DEPLOYS)]
        revision.insert(
            tables.deploys,
            [
                {
                    "id": f"d{n}",
                    "service_id": f"s{rng.randrange(SERVICES)}",
                    "actor": "ci",
                    "deployed_at": NOW - timedelta(minutes=minutes),
                }
                for n, minutes in enumerate(ago)
            ],
        )
        revision.insert(
            tables.incidents,
            [
                {
                    "id": f"i{n}",
                    "title": "errors",
                    "severity": "high",
                    "status": "open",
                    "service_id": f"s{n * 7}",
                    "opened_at": NOW - timedelta(minutes=n),
                }
                for n in range(100)
            ],
        )
        revision.record("import.completed")
    took = []
    for _ in range(ROUNDS):
        start = time.process_time()
        with store.reader() as connection:
            analysis = explain(connection, "large", "i0", NOW)
        took.append(time.process_time() - start)
    return Figure(
        f"root-cause run, {SERVICES:,} services, {DEPLOYS:,} deploys",
        f"{sorted(took)[ROUNDS // 2] * 1000:.0f} ms of processor time, {len(analysis.candidates)} candidates",
    )
