"""Every report as of a revision has the bytes that it had when that revision was the head."""

import random
from datetime import UTC, datetime, timedelta

import pytest

from engine.model.as_of import AsOf
from engine.reporting.artifacts import Artifacts
from engine.reporting.past import VERSIONED
from engine.reporting.replica import Replica
from engine.reporting.snapshots import Snapshots
from engine.store import EventRow, Store
from engine.store.migrations import migrate
from engine.store.rows import all_rows
from reports import CATALOGUE, REPORTS
from tests.demo import demo
from tests.frames import import_frames
from tests.reporting.test_snapshots import lighter

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
ORG = "cobalt"
WRITES, EVERY = 40, 10
SOME = tuple(report.name for report in REPORTS[::7])
FIXED = {"organizations", "chain_cuts", "bundles", "bundle_files"}


@pytest.fixture(scope="module")
def lived(tmp_path_factory):
    """A demo organization in whose tables values change places for ten days."""
    url = f"sqlite:///{tmp_path_factory.mktemp('lived')}/hq.db"
    migrate(url)
    store = Store(url)
    import_frames(store, lighter(demo(ORG, NOW.date())), org_id=ORG, actor="demo", now=NOW)
    yield store
    store.close()


def change(store, draw, now):
    """Values of a few rows take those of others of their table, and an event happens once more."""
    tables = [VERSIONED[name] for name in sorted(VERSIONED.keys() - FIXED)]
    with store.revision(ORG, "me", now=now) as revision:
        changed = 0
        while changed < 5:
            table = draw.choice(tables)
            rows = list(all_rows(revision.connection, table, ORG))
            free = [c.name for c in table.columns if c.name not in ("org_id", "revision", *table.info["primary"])
                    and not any(c.name in index.columns for index in table.indexes if index.unique)]  # fmt: skip
            if len(rows) > 1 and free:
                one, other, name = draw.choice(rows), draw.choice(rows), draw.choice(free)
                key = {name: one[name] for name in table.info["primary"]}
                changed += revision.update(table, key, {name: other[name]})
        action = draw.choice(["backup.completed", "backup.failed", "access.review.completed", "vuln.scan.completed"])
        revision.append_events([EventRow(f"again-{now}", now, "me", action)])


@pytest.fixture
def snapshots(lived, tmp_path):
    """Makes snapshots with a replica and a folder of their own."""
    made = []

    def make():
        replica = Replica(lived.url, None)
        made.append(Snapshots(lived, replica, Artifacts(tmp_path / f"artifacts{len(made)}"), CATALOGUE))
        return made[-1]

    yield make
    for each in made:
        each.close()
        each.replica.close()


@pytest.mark.parametrize("names", [SOME, pytest.param(tuple(CATALOGUE), marks=pytest.mark.soak)], ids=["some", "all"])
def test_a_report_has_the_bytes_that_it_had(lived, snapshots, names):
    draw, heads, saved = random.Random(7), snapshots(), {}
    stepwise = snapshots()
    start = NOW + timedelta(days=1 if names is SOME else 20)
    for number in range(WRITES):
        now = start + timedelta(hours=6 * number)
        change(lived, draw, now)
        if number % EVERY == EVERY - 1:
            with heads.open(ORG, now=now) as snapshot:
                position = snapshot.revision
                saved[position.seq, snapshot.as_of] = {name: snapshot.bytes(name, {}).data for name in names}
            stepwise.replica.sync([ORG], with_past=True)
    later = start + timedelta(days=15)
    wrong = []
    for opened in (stepwise, snapshots()):
        for (seq, day), bytes_then in saved.items():
            with opened.open(ORG, now=later, at=AsOf(revision=seq)) as snapshot:
                assert snapshot.as_of == day
                wrong += [(seq, name) for name, data in bytes_then.items() if snapshot.bytes(name, {}).data != data]
    assert wrong == []
    with heads.open(ORG, now=later, at=AsOf(day=start.date() - timedelta(days=1))) as before:
        assert before.revision.seq < min(seq for seq, _ in saved)
