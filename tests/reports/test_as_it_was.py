"""Every report as of a revision has the bytes that it had when that revision was the head; and what a life leaves holds."""

import random
from datetime import UTC, datetime, timedelta

import pytest

from engine.model.declarations.as_of import AsOf
from engine.replica.replica import Replica
from engine.reporting.artifacts.artifacts import Artifacts
from engine.reporting.difference.tables import diff
from engine.reporting.snapshot.snapshots import Snapshots
from engine.store import EventRow, Store
from engine.store.rows import all_rows
from engine.store.schema import LOGGED
from reports import CATALOGUE, REPORTS
from tests.demo import demo, lighter
from tests.frames import import_frames
from tests.laws import WHOLE, share_of
from tests.reporting.difference.application import apply

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
FIXED = {"organizations", "chain_cuts", "bundles", "bundle_files"}
MANY = "cobalt", 200 if WHOLE else 20, 10, share_of(CATALOGUE, 2)
# each week; tests/replica/test_past.py looks at the past on both engines each time
SMALL = "dune", 6, 3, tuple(report.name for report in REPORTS[::9])
TWIN = "cobalt", 100, 10, tuple(CATALOGUE)
WEEKLY = [
    pytest.param("sqlite", *SMALL, id="small"),
    pytest.param("postgresql", *TWIN, id="many-postgresql", marks=pytest.mark.postgresql),
]


@pytest.fixture
def changed_store(database_url, org):
    """A demo organization in whose tables values will change places."""
    store = Store(database_url)
    frames = demo(org, NOW.date())
    import_frames(store, frames if org == "dune" else lighter(frames), org_id=org, actor="demo", now=NOW)
    yield store
    store.close()


def change(store, org, draw, now):
    """Values of a few rows take those of others of their table, and an event happens once more."""
    tables = [LOGGED[name] for name in sorted(LOGGED.keys() - FIXED)]
    with store.revision(org, "me", now=now) as revision:
        changed = 0
        while changed < 5:
            table = draw.choice(tables)
            rows = list(all_rows(revision.connection, table, org))
            free = [
                c.name
                for c in table.columns
                if c.name not in ("org_id", "revision", *table.info["primary"])
                and not any(c.name in index.columns for index in table.indexes if index.unique)
            ]
            if len(rows) > 1 and free:
                one, other, name = draw.choice(rows), draw.choice(rows), draw.choice(free)
                key = {name: one[name] for name in table.info["primary"]}
                changed += revision.update(table, key, {name: other[name]})
        action = draw.choice(["backup.completed", "backup.failed", "access.review.completed", "vuln.scan.completed"])
        revision.append_events([EventRow(f"again-{now}", now, "me", action)])


@pytest.fixture
def snapshots(changed_store, tmp_path):
    """Makes snapshots with a replica and a folder of their own, or the folder of others."""
    made = []

    def make(before=None):
        replica = Replica(changed_store.url, None)
        folder = tmp_path / f"artifacts{len(made)}" if before is None else before.artifacts.folder
        made.append(Snapshots(changed_store, replica, Artifacts(folder), CATALOGUE))
        return made[-1]

    yield make
    for each in made:
        each.close()
        each.replica.close()


def wrongly_led(before, after):
    """The tables of reports that their difference does not lead to."""
    wrong = []
    for name in before:
        tables = {table.name: table.frame for table in after[name].tables}
        for table in before[name].tables:
            if table.name in tables:
                found = apply(diff(table.frame, tables[table.name]), table.frame)
                if found.schema != tables[table.name].schema or not found.equals(tables[table.name]):
                    wrong.append((name, table.name))
    return wrong


@pytest.mark.real
@pytest.mark.parametrize(
    ("database_url", "org", "writes", "every", "names"),
    [pytest.param("sqlite", *MANY, id="many"), *(WEEKLY if WHOLE else [])],
    indirect=["database_url"],
)
def test_a_report_has_the_bytes_that_it_had(changed_store, snapshots, org, writes, every, names):
    """A difference of two of its documents leads from the one to the other, and rows and events are as logged."""
    draw, heads, saved, wrong, before = random.Random(7), snapshots(), {}, [], {}
    stepwise = snapshots()
    start = NOW + timedelta(days=1)
    for number in range(writes):
        now = start + timedelta(hours=6 * number)
        change(changed_store, org, draw, now)
        if number % every == every - 1:
            with heads.open(org, now=now) as snapshot:
                bytes_now, documents = {}, {}
                for name in names:
                    bytes_now[name] = snapshot.bytes(name, {}).data
                    documents[name] = snapshot.edition(name, {}).document
                saved[snapshot.revision.seq, snapshot.as_of] = bytes_now
            stepwise.replica.sync([org], with_past=True)
            wrong += wrongly_led(before, documents)
            before = documents
    assert wrong == []
    later = start + timedelta(hours=6 * writes, days=5)
    for opened, some in (
        (stepwise, list(saved.items())),
        (snapshots(), list(saved.items())[:: max(2, len(saved) // 4)]),
    ):
        for (seq, day), bytes_then in some:
            with opened.open(org, now=later, at=AsOf(revision=seq)) as snapshot:
                assert snapshot.as_of == day
                wrong += [(seq, name) for name, data in bytes_then.items() if snapshot.bytes(name, {}).data != data]
    assert wrong == []
    with heads.open(org, now=later, at=AsOf(day=start.date() - timedelta(days=1))) as first:
        assert first.revision.seq < min(seq for seq, _ in saved)
    assert (changed_store.verify(org).problem, changed_store.verify_rows(org).problem) == (None, None)
