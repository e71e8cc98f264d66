"""The copilot's answers to the questions of tests/copilot over the demo: share right, wrong, and wrong with "high"."""

import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from data.demo import generate
from engine.copilot.answers.library import Library
from engine.copilot.answers.offline import answer
from engine.replica.replica import Replica
from engine.reporting.artifacts.artifacts import Artifacts
from engine.reporting.snapshot.snapshots import Snapshots
from engine.store import Store
from engine.store.database.migrations import migrate
from reports import CATALOGUE
from tests.bench.table import Figure
from tests.copilot.asked_everywhere import EVERYWHERE
from tests.copilot.asked_later import LATER
from tests.copilot.asked_operations import OPERATIONS
from tests.copilot.asked_programme import ANSWERED, THREADS
from tests.copilot.asked_small import SMALL
from tests.copilot.asked_turned import TURNED
from tests.copilot.conftest import NOW
from tests.copilot.truth import Demo
from tests.frames import import_frames

SETS = {
    "cobalt": (
        ("written before the planner", [(q, (), r) for q, r in (*OPERATIONS, *ANSWERED)]),
        ("written after it", [(q, (), r) for q, r in LATER]),
        (
            "in threads",
            [(q, tuple(p for p, _ in thread[:n]), r) for thread in THREADS for n, (q, r) in enumerate(thread)],
        ),
    ),
    "dune": (("of a small organization", [(q, (), r) for q, r in SMALL]),),
}
EVERY = ("of any organization", [(q, (), r) for q, r in EVERYWHERE])


TURNING = ("that turn a word round, compare, sum up and look back", [(q, (), r) for q, r in TURNED])
ORGANIZATIONS = ("cobalt", "aurora", "brightline", "dune")


def figures(orgs: Iterable[str] = ORGANIZATIONS) -> Iterator[Figure]:
    """Each organization in a store of its own."""
    for org in orgs:
        folder = Path(tempfile.mkdtemp(prefix="hq-bench-copilot-"))
        try:
            yield from _ask_all(org, folder)
        finally:
            shutil.rmtree(folder)


def _ask_all(org: str, folder: Path) -> Iterator[Figure]:
    url = f"sqlite:///{folder / 'hq.db'}"
    migrate(url)
    frames = generate(org, NOW.date())
    store, replica = Store(url), Replica(url, None)
    import_frames(store, frames, org_id=org, actor="demo", now=NOW)
    snapshots = Snapshots(store, replica, Artifacts(folder / "artifacts"), CATALOGUE)
    demo, library = Demo(frames, NOW.date(), org), Library(snapshots, org, now=NOW)
    for name, questions in (*SETS.get(org, ()), *(() if org == "dune" else (EVERY, TURNING))):
        yield _judge(f"copilot, {org}, {len(questions)} questions {name}", questions, demo, library)
    snapshots.close()
    replica.close()
    store.close()


def _judge(what: str, questions: list[Any], demo: Demo, library: Library) -> Figure:
    right = sure = 0
    for question, before, expected in questions:
        got = answer(question, library, asker=demo.mail("dina.abrams"), before=before)
        holds = expected(demo).is_met(got)
        right += holds
        sure += not holds and got.confidence == "high"
    wrong = len(questions) - right
    return Figure(
        what, f"{right} right ({100 * right / len(questions):.0f} %), {wrong} wrong, {sure} of them with high"
    )


def main() -> None:
    for figure in figures():
        print(f"{figure.what}: {figure.ours}")


if __name__ == "__main__":
    main()
