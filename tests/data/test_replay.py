"""The diary is replayed: one revision for each day, and what stands in the end is what was told."""

import shutil
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from itertools import pairwise

import polars as pl
import pytest
from polars.testing import assert_frame_equal
from sqlalchemy import func, select

from data.demo import generate_days
from data.demo.cast.organizations import PROFILES
from data.demo.frames import columns, frame, ordered_frame
from data.demo.programme.snapshots import TABLES
from data.demo.replay import ends_early, replay
from engine.archives.contents import contents
from engine.intake.imports.days import DayRows, DaysImport
from engine.model.days import local_day, midnight
from engine.model.declarations.as_of import AsOf
from engine.programme.snapshots import take_snapshot
from engine.replica.replica import Replica
from engine.reporting.artifacts.artifacts import Artifacts
from engine.reporting.snapshot.snapshots import Snapshots
from engine.runtime.services import open_services
from engine.runtime.settings import Settings
from engine.store import Store
from engine.store.log.row_log import salts_from
from engine.store.queries.history import bundles as queries
from engine.store.schema import IMPORTABLE, metadata
from engine.store.schema.audit import audit_log
from reports import CATALOGUE
from tests.data.test_demo import DAY, demo, problems
from tests.laws import WHOLE

NOW = datetime(2026, 11, 20, 20, 30, tzinfo=UTC)


@cache
def days_of(org):
    return generate_days(org, DAY)


@pytest.fixture(scope="module", params=[*([pytest.param("cobalt", marks=pytest.mark.real)] if WHOLE else []), "dune"])
def replay_store(request, tmp_path_factory, sqlite_template):
    """An organization and the store in which its diary was replayed."""
    path = tmp_path_factory.mktemp("replay") / "hq.db"
    shutil.copy(sqlite_template, path)
    store = Store(f"sqlite:///{path}")
    DaysImport(store, days_of(request.param), org_id=request.param, actor="demo").write(DAY, now=NOW)
    yield request.param, store
    store.close()


def importable_rows(store, org, name):
    """The importable columns of a table as the store has them now, in the order of ``generate``."""
    table, names = metadata.tables[name], [column.name for column in columns(IMPORTABLE[name])]
    owner = table.c.id if name == "organizations" else table.c.org_id
    query = select(*(table.c[column] for column in names)).where(owner == org)
    if name == "audit_log":
        query = query.where(table.c.event_id.not_like("hq:%")).order_by(table.c.occurred_at, table.c.event_id)
    with store.reader() as connection:
        rows = [dict(row) for row in connection.execute(query).mappings()]
    return (ordered_frame if name == "audit_log" else frame)(name, rows)


def test_what_stands_in_the_end_is_what_was_told(replay_store):
    org, store = replay_store
    for name, told in demo(org).items():
        assert_frame_equal(importable_rows(store, org, name), told)


def test_each_day_is_one_revision_recorded_at_its_end_and_holds_its_own_events(replay_store):
    org, store = replay_store
    zone = PROFILES[org].time_zone
    c = audit_log.c
    query = select(c.revision, c.recorded_at, func.min(c.occurred_at), func.max(c.occurred_at)).where(
        c.org_id == org, c.event_id.not_like("hq:%")
    )
    with store.reader() as connection:
        days = connection.execute(select(c.revision, c.recorded_at).where(c.org_id == org).distinct()).all()
        spans = connection.execute(query.group_by(c.revision, c.recorded_at)).all()
    local = [local_day(at, zone) for _, at in days]
    assert local == sorted(set(local))
    assert local[0] == DAY - timedelta(PROFILES[org].days)
    ends = {
        at: midnight(day + timedelta(1), zone) - timedelta(seconds=1) for (_, at), day in zip(days, local, strict=True)
    }
    assert [at for at, end in ends.items() if at != min(end, NOW)] == []
    assert [
        at
        for _, at, first, last in spans[1:]
        if {local_day(first, zone), local_day(last, zone)} != {local_day(at, zone)}
    ] == []
    assert len(days) > (300 if org == "cobalt" else 8)


def test_the_chain_and_the_change_log_hold(replay_store):
    org, store = replay_store
    assert (store.verify(org).problem, store.verify_rows(org).problem) == (None, None)


def as_of(org, day):
    """Every table as it stood at the end of a day."""
    found = {}
    for name, dated in days_of(org).items():
        primary = list(IMPORTABLE[name].info["primary"]) or [column.name for column in columns(IMPORTABLE[name])][:1]
        there = dated.rows.with_columns(day=dated.days).filter(pl.col("day") <= day).sort("day", maintain_order=True)
        found[name] = there.unique(primary, keep="last", maintain_order=True).drop("day")
    return found


@pytest.mark.parametrize(
    ("org", "ago"), [("cobalt", ago) for ago in (400, 399, 333, 200, 95, 21, 1, 0)] + [("dune", 22), ("dune", 9)]
)
def test_on_any_past_day_every_cell_was_what_its_column_asks_for(org, ago):
    assert problems(as_of(org, DAY - timedelta(ago))) == []


def test_the_same_moment_gives_the_same_chain(sqlite_template, tmp_path):
    heads = set()
    for name in ("one", "two"):
        shutil.copy(sqlite_template, tmp_path / name)
        store = Store(f"sqlite:///{tmp_path / name}")
        with salts_from(b"demo"):
            DaysImport(store, days_of("dune"), org_id="dune", actor="demo").write(DAY, now=NOW)
        heads.add(store.head("dune").hash)
        store.close()
    assert len(heads) == 1


# the bundles that are sealed on the way


def short_story(days):
    """An organization that signed in on each of the last days."""
    on = [DAY - timedelta(days=ago) for ago in reversed(range(days))]
    logins = pl.DataFrame(
        {
            "event_id": [f"e-{number}" for number in range(days)],
            "occurred_at": [datetime.combine(day, time(12), UTC) for day in on],
            "actor": ["ann"] * days,
            "action": ["login.succeeded"] * days,
        }
    )
    made = DayRows(organization("beta"), pl.Series([on[0]]))
    return {"organizations": made, "audit_log": DayRows(logins, pl.Series(on))}


def organization(name):
    return pl.DataFrame({"id": [name], "name": [name], "time_zone": ["Europe/Dublin"]})


@pytest.mark.real
@pytest.mark.parametrize(("days", "expected"), [(100, [(DAY - timedelta(90), 10), (DAY, 102)]), (22, [(DAY, 23)])])
def test_a_bundle_is_sealed_on_the_way_and_one_today(tmp_path, monkeypatch, days, expected):
    monkeypatch.setattr(contents, "BUNDLE", (contents.LINEAGE,))
    monkeypatch.setattr(contents, "FRAMEWORKS", ())
    settings = Settings.of({"SVC_DATA_DIR": str(tmp_path)})
    with open_services(settings, CATALOGUE, now=NOW, begin=True) as services:
        replay(services, "beta", short_story(days), now=NOW)
        with services.store.reader() as connection:
            sealed = [(row["window_end_on"], row["sealed_seq"]) for row in queries.every(connection, "beta")][::-1]
        assert services.store.verify("beta").ok
    assert sealed == expected


@pytest.mark.real
def test_a_replay_that_was_interrupted_is_told_from_a_whole_one(tmp_path, monkeypatch):
    monkeypatch.setattr(contents, "BUNDLE", (contents.LINEAGE,))
    monkeypatch.setattr(contents, "FRAMEWORKS", ())
    story = short_story(100) | {"organizations": DayRows(organization("aurora"), pl.Series([DAY - timedelta(99)]))}
    with open_services(Settings.of({"SVC_DATA_DIR": str(tmp_path)}), CATALOGUE, now=NOW, begin=True) as services:
        assert ends_early(services.store, "aurora") is None
        with monkeypatch.context() as patched:
            patched.setattr("data.demo.replay.bundles.create", interrupt)
            with pytest.raises(KeyboardInterrupt):
                replay(services, "aurora", story, now=NOW)
        assert ends_early(services.store, "aurora") == DAY - timedelta(91)
        story["organizations"] = DayRows(organization("brightline"), story["organizations"].days)
        replay(services, "brightline", story, now=NOW)
        assert ends_early(services.store, "brightline") is None


def interrupt(*arguments, **options):
    raise KeyboardInterrupt


# what the reports make of it


@pytest.fixture(scope="module")
def snapshots(replay_store, tmp_path_factory):
    """Reports of the replayed organization, as it is and as it was."""
    _, store = replay_store
    replica = Replica(store.url, None)
    found = Snapshots(store, replica, Artifacts(tmp_path_factory.mktemp("artifacts")), CATALOGUE)
    yield found
    found.close()
    replica.close()


def snapshot_rows(org, day):
    """The rows of a snapshot, as the diary has them."""
    frames = []
    for name, on in zip(TABLES, ("taken_on", "observed_on", "taken_on"), strict=True):
        rows = demo(org)[name].filter(pl.col(on) == day)
        frames.append(rows.sort(IMPORTABLE[name].info["primary"]))
    return frames


@pytest.mark.parametrize("count", [1, pytest.param(5, marks=pytest.mark.real)])
def test_snapshots_of_the_past_are_what_reports_compute_as_of_their_days(replay_store, snapshots, count):
    org, _ = replay_store
    days = demo(org)["posture_snapshots"]["taken_on"].sort().to_list()
    for day in days[1 :: max(1, len(days) // count)]:  # the first knows nothing of the weeks before it
        with snapshots.open(org, now=NOW, at=AsOf(day=day)) as then:
            computed = take_snapshot(then)
        for name, rows, told in zip(
            TABLES, (computed.readiness, computed.changes, computed.posture), snapshot_rows(org, day), strict=True
        ):
            assert_frame_equal(frame(name, rows), told)


def months(count):
    """The first days of the last months, oldest first."""
    this = DAY.year * 12 + DAY.month - 1
    return [date(number // 12, number % 12 + 1, 1) for number in range(this - count + 1, this + 1)]


@pytest.mark.real
@pytest.mark.skipif(not WHOLE, reason="the weekly job replays a whole year")
@pytest.mark.parametrize("replay_store", ["cobalt"], indirect=True)
def test_a_board_sees_growth_from_a_weaker_start_and_a_dip_in_the_end(replay_store, snapshots):
    org, _ = replay_store
    seen = []
    for day in months(12):
        with snapshots.open(org, now=NOW, at=AsOf(day=day)) as then:
            seen.append((round(then.fact("posture")["contribution"].sum(), 1), then.fact("gaps").height))
    scores, gaps = [score for score, _ in seen], [count for _, count in seen]
    assert max(abs(later - earlier) for earlier, later in pairwise(scores)) < 6
    assert scores.index(max(scores)) in range(7, 11)
    assert max(scores) - scores[0] > 7
    assert max(scores) - scores[-1] > 3
    assert gaps[0] - min(gaps) > 100
    assert gaps[:9] == sorted(gaps[:9], reverse=True)
