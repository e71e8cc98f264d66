"""Snapshots of the week: a week in which nothing ran gets its own later, as it would have been then."""

from datetime import date, timedelta

import pytest

from engine.programme import snapshots
from engine.replica.replica import Replica
from engine.reporting.artifacts.artifacts import Artifacts
from engine.reporting.snapshot.snapshots import Snapshots
from engine.runtime.services import Services
from engine.runtime.settings import Settings
from engine.store import EventRow, rows
from engine.store.schema.organizations import organization_frameworks
from engine.store.schema.outputs import posture_snapshots, readiness_snapshots
from reports import CATALOGUE
from tests.conftest import NOW

DAY = timedelta(days=1)
MONDAY = NOW + 10 * DAY  # 30 November; NOW is a Friday
LATER = NOW + 21 * DAY  # a Friday


@pytest.fixture
def services(store, tmp_path):
    replica = Replica(store.url, None)
    made = Snapshots(store, replica, Artifacts(tmp_path / "artifacts"), CATALOGUE)
    yield Services(Settings.of({"SVC_DATA_DIR": str(tmp_path)}), store, made, NOW)
    made.close()
    replica.close()


def happens(store, org, action, at):
    with store.revision(org, "me", now=at, create={"name": org}) as revision:
        if action == "framework.adopted":
            revision.insert(organization_frameworks, [{"framework": "soc2"}])
        revision.append_events([EventRow(f"{action} {at}", at, "me", action)])


def three_weeks(services, org, *also):
    """Three weeks in which evidence comes and goes; snapshots on the first day, the last one, and ``also``."""
    events = [("framework.adopted", NOW), ("access.review.completed", NOW + 5 * DAY), ("backup.failed", NOW + 11 * DAY)]
    taken = [(None, at) for at in (NOW, LATER, *also)]
    for action, at in sorted([*events, *taken], key=lambda one: (one[1], one[0] is None)):
        if action is None:
            take = snapshots.take(services, org, "me", now=at)
        else:
            happens(services.store, org, action, at)
    with services.store.reader() as connection:
        return (take, rows.many(connection, readiness_snapshots, org), rows.many(connection, posture_snapshots, org))


def snapshot_rows(found, day):
    """What was kept of a day."""
    left_out = {"org_id", "revision"}
    return [{name: row[name] for name in row.keys() - left_out} for row in found if row["taken_on"] == day]


@pytest.mark.real
def test_a_week_without_a_snapshot_gets_that_of_its_monday(services):
    said, known, scores = three_weeks(services, "late")
    days = [date(2026, 11, 20), date(2026, 11, 23), date(2026, 11, 30), date(2026, 12, 11)]
    assert [row["taken_on"] for row in known] == [row["taken_on"] for row in scores] == days
    assert said.endswith("; weeks without a snapshot: 2")
    again = snapshots.take(services, "late", "me", now=LATER)
    assert (again.startswith("0 rows written"), "weeks" in again) == (True, False)


@pytest.mark.real
def test_it_says_what_it_had_said_on_that_day(services):
    _, *late = three_weeks(services, "late")
    _, *on_time = three_weeks(services, "prompt", MONDAY - 7 * DAY, MONDAY)
    made_up = [snapshot_rows(found, MONDAY.date()) for found in late]
    assert made_up == [snapshot_rows(found, MONDAY.date()) for found in on_time]
    assert made_up != [snapshot_rows(found, NOW.date()) for found in late]
    assert [len(found) for found in made_up] == [1, 1]


@pytest.mark.real
def test_an_organization_without_snapshots_has_no_missing_ones(services):
    for at in (NOW, LATER):
        assert snapshots.take(services, "acme", "me", now=at) == "0 rows written, 0 controls in another state"
