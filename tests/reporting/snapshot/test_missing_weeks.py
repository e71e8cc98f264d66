"""Weeks without a snapshot: reports that look back read what one would have said, from the records as they were."""

import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, date, datetime, timedelta

import pytest

from engine.model.declarations.as_of import AsOf
from engine.programme import snapshots as weekly
from engine.replica.replica import Replica
from engine.reporting.artifacts.artifacts import Artifacts, ArtifactStorage
from engine.reporting.batch import batch
from engine.reporting.batch.report_batch import ReportBatch
from engine.reporting.snapshot.snapshots import Snapshots
from engine.runtime.services import Services
from engine.runtime.settings import Settings
from engine.store import EventRow, Store
from engine.store.log.history import BEGUN
from engine.store.removal.retention import purge_audit_log
from engine.store.schema.controls import attestations
from engine.store.schema.organizations import organization_frameworks
from engine.store.schema.risk import vendors
from reports import CATALOGUE
from reports.programme.digest.compliance_digest import REPORT as DIGEST
from tests.laws import WHOLE

pytestmark = pytest.mark.real

KNOWN = {**CATALOGUE, DIGEST.name: DIGEST}
BEGIN = datetime(2026, 8, 5, 9, tzinfo=UTC)  # a Wednesday
DAY = timedelta(days=1)
MONDAYS = [date(2026, 8, 10) + number * 7 * DAY for number in range(6)]
NOW = datetime(2026, 9, 22, 9, tzinfo=UTC)  # the Tuesday of the seventh week
SIGNED = {"framework": "soc2", "owner": "ada@acme.example"}
VENDOR = {"id": "v", "name": "Vault", "tier": "high", "category": "cloud", "onboarded_on": BEGIN.date()}


def attest(revision, control, outcome=None):
    decided = {"outcome": outcome, "attested_at": revision.now} if outcome else {}
    row = {"id": control, "control_id": control, "due_on": date(2026, 9, 1), **SIGNED, **decided}
    revision.upsert(attestations, [row])
    revision.record("attestation.made")


def adopt(revision, framework):
    revision.upsert(organization_frameworks, [{"framework": framework, "adopted_on": revision.now.date()}])
    revision.record("framework.adopted")


def buy(revision):
    revision.insert(vendors, [VENDOR])
    revision.record("vendor.added")


def happen(revision, action):
    revision.append_events([EventRow(f"{action} {revision.now}", revision.now, "me", action)])


LIFE = [
    (0, adopt, "soc2"), (1, attest, "CC6.1"), (2, happen, "access.review.completed"), (8, happen, "backup.failed"),
    (9, buy), (15, attest, "CC6.1", "attested"), (20, happen, "backup.completed"), (24, adopt, "iso27001"),
    (30, happen, "vuln.scan.completed"), (31, attest, "CC7.2"), (38, happen, "backup.failed"),
    (41, happen, "alert.ingested"), (43, happen, "backup.completed"), (46, attest, "CC7.2", "rejected"),
]  # fmt: skip


@pytest.fixture(scope="module")
def lives(tmp_path_factory, sqlite_template):
    """Makes stores of the same life, each with the snapshots of some Mondays; the others note that they ran."""
    made = {}

    def live(taken):
        if taken not in made:
            folder = tmp_path_factory.mktemp("life")
            shutil.copy(sqlite_template, folder / "hq.db")
            made[taken] = _live(folder, taken)
        return made[taken]

    yield live
    for services in made.values():
        services.snapshots.close()
        services.replica.close()
        services.store.close()


def open_services(folder):
    store = Store(f"sqlite:///{folder}/hq.db")
    snapshots = Snapshots(store, Replica(store.url, None), Artifacts(folder / "artifacts"), KNOWN)
    return Services(Settings.of({"SVC_DATA_DIR": str(folder)}), store, snapshots, NOW)


def copy_services(services, folder):
    paths = (services.store.url.removeprefix("sqlite:///"), folder / "hq.db")
    with closing(sqlite3.connect(paths[0])) as one, closing(sqlite3.connect(paths[1])) as other:
        one.backup(other)
    return open_services(folder)


def _live(folder, taken):
    services = open_services(folder)
    steps = [(BEGIN + days * DAY, what, rest) for days, what, *rest in LIFE]
    steps += [(datetime(day.year, day.month, day.day, 20, tzinfo=UTC), None, [day]) for day in MONDAYS]
    with services.store.revision("acme", "me", now=BEGIN, create={"name": "Acme"}) as revision:
        revision.record("organization.created")
    for now, what, rest in sorted(steps, key=lambda step: step[0]):
        if what is None and rest[0] in taken:
            weekly.take(services, "acme", "me", now=now)
            continue
        with services.store.revision("acme", "me", now=now) as revision:
            if what is None:
                revision.record("snapshot.taken")
            else:
                what(revision, *rest)
    return services


EVERY = frozenset(MONDAYS)
OF_EVENTS = {"summary", "evidence-lineage", "deployment-retention"}  # they count events, or name them by their hash
ALL = tuple(name for name in KNOWN if name not in OF_EVENTS)
TRENDS = ("kpi-trends", "posture-score", "baseline-comparison", DIGEST.name, "type-ii")


def documents(services, names, at=None):
    with services.snapshots.open("acme", now=NOW, at=at) as snapshot:
        return {name: snapshot.edition(name, {}).document for name in names}


def different(one, other):
    return [name for name in one if not same(one[name], other[name])]


def same(one, other):
    mine, theirs = ({table.name: table.frame for table in each.tables} for each in (one, other))
    return (
        one.summary == other.summary
        and mine.keys() == theirs.keys()
        and all(frame.equals(theirs[name]) for name, frame in mine.items())
    )


@pytest.mark.parametrize(
    ("taken", "names"),
    [
        (frozenset(MONDAYS[:2]), ALL if WHOLE else TRENDS),
        (frozenset(), ALL),
        (frozenset({MONDAYS[2]}), ALL if WHOLE else TRENDS),
        (EVERY - set(MONDAYS[2:4]), ALL if WHOLE else TRENDS),
    ],
    ids=["the first two", "none", "one", "made up for later"],
)
def test_reports_say_what_they_say_with_the_snapshots_of_all_weeks(lives, taken, names):
    for at in (None, AsOf(NOW.date() - DAY)) if names is ALL else (None,):
        assert different(documents(lives(EVERY), names, at), documents(lives(taken), names, at)) == []


def weeks(services, at=None):
    """The weeks that trends have readiness of."""
    with services.snapshots.open("acme", now=NOW, at=at) as snapshot:
        return sorted(set(snapshot.fact("readiness_weeks")["taken_on"]))


def test_the_present_week_and_what_was_before_the_records_are_absent(lives):
    gaps = lives(frozenset())
    assert weeks(gaps) == MONDAYS
    assert weeks(gaps, AsOf(MONDAYS[3])) == MONDAYS[:3]
    assert weeks(gaps, AsOf(BEGIN.date())) == []
    with gaps.snapshots.open("acme", now=NOW) as snapshot:
        states = snapshot.fact("state_changes")
    assert set(states["observed_on"]) <= EVERY
    assert states["previous"].null_count() == states.select("framework", "control_id").n_unique()


def test_an_imported_event_moves_no_beginning(lives, tmp_path):
    services = copy_services(lives(frozenset()), tmp_path)
    with services.store.revision("acme", "me", now=NOW) as revision:
        happen(revision, BEGUN)
    assert weeks(services) == MONDAYS
    for each in (services.snapshots, services.replica, services.store):
        each.close()


def test_where_nothing_is_missing_nobody_looks_into_the_past(lives, tmp_path):
    found = {}
    for taken in (EVERY, frozenset(MONDAYS[:2])):
        replica = Replica(lives(taken).store.url, None)
        snapshots = Snapshots(lives(taken).store, replica, Artifacts(tmp_path / str(len(taken))), CATALOGUE)
        with snapshots.open("acme", now=NOW) as snapshot:
            snapshot.edition("kpi-trends", {})
        with replica._using() as copy:
            found[taken] = copy.marks.read(["acme"])["acme"].has_past
        snapshots.close()
        replica.close()
    assert found == {EVERY: False, frozenset(MONDAYS[:2]): True}


def test_an_alert_leaves_no_stale_trend_and_the_batch_says_the_same(lives, tmp_path):
    """From what was kept, from scratch, and in the batch of all the bytes are the same."""
    services, some = (
        copy_services(lives(frozenset(MONDAYS[:2])), tmp_path),
        {name: CATALOGUE[name] for name in ("kpi-trends", "posture-score")},
    )

    def report_bytes(snapshots):
        with snapshots.open("acme", now=NOW) as snapshot:
            return {name: snapshot.bytes(name, {}).data for name in some}

    before = report_bytes(services.snapshots)
    with services.store.revision("acme", "me", now=NOW) as revision:
        happen(revision, "alert.ingested")
    replica = Replica(services.store.url, None)
    anew = Snapshots(services.store, replica, Artifacts(tmp_path / "anew"), CATALOGUE)
    after = report_bytes(services.snapshots)
    assert after["kpi-trends"] == before["kpi-trends"]
    assert after == report_bytes(anew)
    batch.build(
        services.store, ReportBatch(services.store.url, ArtifactStorage(tmp_path / "batch"), some, NOW), ["acme"]
    )
    kept = Snapshots(services.store, replica, Artifacts(tmp_path / "batch"), CATALOGUE)
    with kept.open("acme", now=NOW) as snapshot:
        assert {name: snapshot.from_cache(name, {}).data for name in some} == after
    for each in (services.snapshots, anew, kept):
        each.close()
    for each in (replica, services.replica, services.store):
        each.close()


def test_behind_a_cut_nothing_is_made_up(lives, tmp_path):
    services = copy_services(lives(frozenset()), tmp_path)
    assert weeks(services) == MONDAYS
    with services.store.revision("acme", "retention", now=NOW) as revision:
        purge_audit_log(revision, BEGIN + 20 * DAY)
    assert weeks(services) == [day for day in MONDAYS if day > (BEGIN + 20 * DAY).date()]
    for each in (services.snapshots, services.replica, services.store):
        each.close()
