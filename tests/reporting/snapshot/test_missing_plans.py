"""Weeks whose plan nobody wrote down: reports on weeks read what would have been, from the records as they were."""

import shutil
from datetime import UTC, date, datetime

import pytest

from engine.model.declarations.as_of import AsOf
from engine.programme import week_plans
from engine.replica.replica import Replica
from engine.reporting.artifacts.artifacts import Artifacts
from engine.reporting.snapshot.snapshots import Snapshots
from engine.store.schema.controls import attestations
from reports import CATALOGUE
from tests.reporting.snapshot.test_missing_weeks import (
    BEGIN,
    DAY,
    MONDAYS,
    NOW,
    adopt,
    attest,
    happen,
    open_services,
    same,
)

pytestmark = pytest.mark.real

EVERY = frozenset(MONDAYS)
REPORTS = ("obligation-density-trend-history", "obligation-forecast", "obligation-density-alerts")
COLUMNS = ("week", "planned", "planned_hours", "completed", "slipped", "forecast")


def due(revision, control, on, outcome=None):
    attest(revision, control, outcome)
    revision.update(attestations, {"id": control}, {"due_on": on})
    revision.record("attestation.moved")


# three are due in the second week: one is done in time, one late, one moved away; one comes up at the end
LIFE = [
    (0, adopt, "soc2"),
    (1, due, "CC6.1", date(2026, 8, 19)),
    (2, due, "CC6.2", date(2026, 8, 20)),
    (2, due, "CC6.3", date(2026, 8, 23)),
    (6, due, "CC7.1", date(2026, 9, 18)),
    (14, due, "CC6.1", date(2026, 8, 19), "attested"),
    (15, due, "CC6.3", date(2026, 9, 16)),
    (20, due, "CC6.2", date(2026, 8, 20), "attested"),
    (30, happen, "x"),
    (40, due, "CC7.2", date(2026, 9, 17)),
    (43, due, "CC7.1", date(2026, 9, 18), "attested"),
]


@pytest.fixture(scope="module")
def lives(tmp_path_factory, sqlite_template):
    """Makes stores of the same life, with the plans of some Mondays; on the others something else runs."""
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


def _live(folder, taken):
    services = open_services(folder)
    steps = [(BEGIN + days * DAY, what, rest) for days, what, *rest in LIFE]
    steps += [
        (datetime(day.year, day.month, day.day, 20, tzinfo=UTC), None, [day]) for day in [*MONDAYS, NOW.date() - DAY]
    ]
    with services.store.revision("acme", "me", now=BEGIN, create={"name": "Acme"}) as revision:
        revision.record("organization.created")
    for now, what, rest in sorted(steps, key=lambda step: step[0]):
        if what is None and (rest[0] in taken or (taken == EVERY and rest[0] not in EVERY)):
            week_plans.take(services, "acme", "me", now=now)
            continue
        with services.store.revision("acme", "me", now=now) as revision:
            if what is None:
                revision.record("nothing.taken")
            else:
                what(revision, *rest)
    return services


def weeks(services, at=None):
    with services.snapshots.open("acme", now=NOW, at=at) as snapshot:
        return snapshot.fact("obligation_weeks").select(COLUMNS).rows()


def test_the_plans_of_weeks_that_nobody_wrote_down_are_those_of_the_records(lives):
    assert weeks(lives(frozenset())) == [
        ("2026-W33", 0, 0.0, 0, 0, None),
        ("2026-W34", 3, 1.5, 1, 2, None),
        ("2026-W35", 0, 0.0, 0, 0, None),
        ("2026-W36", 0, 0.0, 0, 0, None),
        ("2026-W37", 0, 0.0, 0, 0, 0),
        ("2026-W38", 3, 1.5, 1, 2, 1),
    ]


@pytest.mark.parametrize(
    "taken",
    [frozenset(), frozenset(MONDAYS[:2]), frozenset({MONDAYS[1], MONDAYS[4]}), EVERY - {MONDAYS[5]}],
    ids=["none", "the first two", "two apart", "all but the last"],
)
def test_what_is_stored_and_what_is_made_up_for_say_the_same(lives, taken):
    assert weeks(lives(taken)) == weeks(lives(EVERY))
    with lives(taken).snapshots.open("acme", now=NOW) as some, lives(EVERY).snapshots.open("acme", now=NOW) as every:
        for name in REPORTS:
            assert same(some.edition(name, {}).document, every.edition(name, {}).document), name


def test_of_a_past_day_the_weeks_are_those_that_were_over(lives):
    at = AsOf(MONDAYS[3])  # a Monday: the week before is over since its Sunday
    assert weeks(lives(frozenset()), at) == weeks(lives(EVERY), at) == weeks(lives(EVERY))[:3]
    assert weeks(lives(frozenset()), AsOf(BEGIN.date())) == []


def test_where_all_is_written_nobody_looks_into_the_past(lives, tmp_path):
    found = {}
    for taken in (EVERY, frozenset()):
        replica = Replica(lives(taken).store.url, None)
        snapshots = Snapshots(lives(taken).store, replica, Artifacts(tmp_path / str(len(taken))), CATALOGUE)
        with snapshots.open("acme", now=NOW) as snapshot:
            snapshot.edition(REPORTS[0], {})
        with replica._using() as copy:
            found[taken] = copy.marks.read(["acme"])["acme"].has_past
        snapshots.close()
        replica.close()
    assert found == {EVERY: False, frozenset(): True}
