"""What organizations are owed, asked of a real store: each at its own time, each once, whoever asks and however late."""

import threading
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from freezegun import freeze_time

import scheduler
from engine.delivery import Message, enqueue
from engine.digests import Task, chain, deliver, tasks, tick
from engine.digests.deliver import Run, key, run_name
from engine.model.declarations.digest import When
from engine.model.errors import Problem
from engine.store.queries.sending.digests import record_run, runs_within
from engine.store.schema.organizations import memberships, organizations
from engine.store.schema.outputs import job_runs, obligation_snapshots, readiness_snapshots
from reports.digests import DIGESTS
from scheduler import TASKS
from tests.digests.conftest import NOW, evidence_requests, request
from tests.digests.registry import CHAIN, DIGEST

SLA = DIGEST["evidence-request-sla"]
WEEKLY = tuple(task for task in TASKS if task.name in ("digest:evidence-request-sla", "digest:committee-digest"))


@pytest.fixture
def two(house):
    """acme in Berlin, other in New York; both have an open request that is answered by nobody."""
    zones = {"acme": "Europe/Berlin", "other": "America/New_York"}
    for org, zone in zones.items():
        with house.store.revision(org, "t", now=NOW, create={"name": org, "time_zone": zone}) as revision:
            if org == "acme":
                revision.update(organizations, {}, {"time_zone": zone})
            else:
                revision.insert(memberships, [{"email": "owner@other.example", "role": "owner"}])
            revision.record("organization.prepared")
        house.write((evidence_requests, [request(1, days=60)]), org=org)
    return house


def deliveries_of(house, org, kind):
    rows = house.rows(org=org, kind=kind)
    return sorted({(row["period"], row["created_at"], row["late"]) for row in rows})


QUARTER = [date(2026, 10, 1) + timedelta(days=number) for number in range(92)]
DOWN = {
    day
    for day in QUARTER
    if day in (date(2026, 11, 9), date(2026, 11, 10), date(2026, 11, 11))
    or date(2026, 11, 23) <= day <= date(2026, 11, 29)
}


def pass_the_quarter(services):
    """The scheduler of one process wakes at 08:30 in Berlin; clocks change on 25 October, and it is down on ``DOWN``."""
    runner = scheduler.Scheduler(services).runner
    (owed,) = (job for job in scheduler.JOBS if job.name == "owed")
    with freeze_time(NOW) as clock:
        for day in QUARTER:
            if day not in DOWN:
                clock.move_to(datetime.combine(day, time(8, 30), ZoneInfo("Europe/Berlin")).astimezone(UTC))
                assert runner.run(owed) is not None


@pytest.mark.real
def test_the_calendar_of_every_digest_over_a_quarter_is_exactly_this_one(house, monkeypatch):
    """Each has something to tell whenever it is asked: what leaves is a matter of the calendar and the ledger alone."""
    with house.store.revision("acme", "t", now=NOW) as revision:
        revision.update(organizations, {}, {"time_zone": "Europe/Berlin"})
        revision.record("organization.prepared")

    def fake_delivery(services, digest, org_id, actor, *, now, scheduled):
        period = key(digest, now.astimezone(ZoneInfo("Europe/Berlin")).date(), {})
        message = Message(digest.name, period, "email", "owner@acme.example", "hash", "Digest", {}, "Digest.")
        house.store.write(org_id, actor, lambda revision: enqueue(revision, [message]), now=now)
        record_run(
            house.store,
            org_id,
            run_name(digest.name),
            started_at=now,
            finished_at=now,
            outcome="succeeded",
            message="delivered",
        )
        return Run(org_id, digest.name, period, "delivered")

    for module in (tasks, chain):
        monkeypatch.setattr(module, "deliver", fake_delivery)
    given = (*(tasks.digest_task(digest) for digest in DIGESTS if not digest.chained), tasks.chain_task(CHAIN))
    monkeypatch.setattr(scheduler, "TASKS", given)
    pass_the_quarter(house.services)
    awake = [day for day in QUARTER if day not in DOWN]
    weekly = [date(2026, 10, 1), *(day for day in awake if day.weekday() == 0), date(2026, 11, 12)]
    expected = {"day": awake, "week": sorted(weekly), "quarter": [date(2026, 12, 7)], "catalogue": [date(2026, 10, 1)]}
    rows = house.rows()
    found = {
        digest.name: sorted(row["created_at"].date() for row in rows if row["kind"] == digest.name)
        for digest in DIGESTS
    }
    assert found == {digest.name: expected[digest.period] for digest in DIGESTS}
    assert {row["created_at"].hour for row in rows} == {6, 7}  # 08:30, of summer and of winter


@pytest.mark.real
def test_the_deliveries_of_a_quarter_are_exactly_these(two, monkeypatch):
    """Built and queued for two organizations; nothing else has anything to tell."""
    monkeypatch.setattr(scheduler, "TASKS", WEEKLY)
    pass_the_quarter(two.services)
    expected = {
        f"2026-W{41 + number}": (date(2026, 10, 5) + timedelta(weeks=number), False)
        for number in range(13)
        if number != 7
    }
    expected |= {"2026-W40": (date(2026, 10, 1), True), "2026-W46": (date(2026, 11, 12), True)}
    found = {period: (at.date(), late) for period, at, late in deliveries_of(two, "acme", SLA.name)}
    assert found == expected
    assert {at.hour for _, at, _ in deliveries_of(two, "acme", SLA.name)} == {6, 7}  # 08:30, of summer and of winter
    committee = deliveries_of(two, "acme", "committee-digest")
    assert [(period, at.date(), late) for period, at, late in committee] == [("2026-Q4", date(2026, 12, 7), False)]
    new_york = deliveries_of(two, "other", SLA.name)  # 08:30 in Berlin is before its 08:00: a day later there
    assert [at.astimezone(ZoneInfo("America/New_York")).weekday() for _, at, late in new_york][1:4] == [1, 1, 1]


@pytest.mark.real
def test_the_clock_jumps_over_a_week_and_back_again(two):
    monday = datetime(2026, 11, 16, 14, tzinfo=UTC)
    for now in (monday, monday + timedelta(days=8), monday, monday + timedelta(days=8, hours=1)):
        tick(two.services, WEEKLY, now=now)
    assert [period for period, _, _ in deliveries_of(two, "acme", SLA.name)] == ["2026-W47", "2026-W48"]
    assert [late for _, _, late in deliveries_of(two, "acme", SLA.name)] == [False, True]


@pytest.mark.real
def test_two_schedulers_a_cron_and_a_person_at_once_are_one_delivery(two):
    monday = datetime(2026, 11, 16, 14, tzinfo=UTC)
    start, failures = threading.Barrier(4), []

    def work(call):
        start.wait()
        try:
            call()
        except Exception as error:
            failures.append(error)

    calls = [
        lambda: tick(two.services, WEEKLY, now=monday),
        lambda: tick(two.services, WEEKLY, now=monday),
        lambda: deliver(two.services, SLA, "acme", "cron", now=monday),
        lambda: deliver(two.services, SLA, "acme", "owner@acme.example", now=monday),
    ]
    threads = [threading.Thread(target=work, args=[call]) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    rows = two.rows(kind=SLA.name)
    assert len(rows) == len({(row["channel"], row["recipient"]) for row in rows}) == 3


def test_one_organization_that_fails_keeps_nothing_from_the_others(two, caplog):
    done = []

    def run(services, org_id, now):
        if org_id == "acme":
            raise ValueError("no figures")
        done.append(org_id)
        return "done"

    task = Task("digest:sample", When("day"), run, lambda *given: True, lambda *given: False, notes="all")
    with pytest.raises(Problem, match=r"^1 of 2 tasks failed: digest:sample for acme: ValueError$"):
        tick(two.services, [task], now=NOW)
    assert done == ["other"]
    with two.store.reader() as connection:
        outcomes = [
            runs_within(connection, org, task.name, NOW, NOW + timedelta(1))[0]["outcome"] for org in ("acme", "other")
        ]
    assert outcomes == ["failed", "succeeded"]
    assert tick(two.services, [task], now=NOW + timedelta(minutes=5)) == "0 tasks done"
    with pytest.raises(Problem):
        tick(two.services, [task], now=NOW + timedelta(minutes=30))
    assert (done, "no figures" in caplog.text) == (["other"], True)


def test_an_organization_that_nothing_could_leave_for_is_owed_nothing(two):
    two.environment["SVC_SMTP_URL"] = ""
    head = two.store.head("acme")
    assert tick(two.services, WEEKLY, now=NOW) == "0 tasks done"
    assert (two.store.head("acme"), two.rows(job_runs)) == (head, [])


@pytest.mark.real
def test_snapshots_are_taken_once_a_week_as_it_begins_at_home(two):
    tasks = [task for task in TASKS if task.name.startswith("snapshot:")]
    night = datetime(2026, 11, 22, 23, 0, tzinfo=UTC)  # Monday in Berlin, Sunday in New York
    tick(two.services, tasks, now=night)
    days = {org: {row["taken_on"] for row in two.rows(readiness_snapshots, org=org)} for org in ("acme", "other")}
    assert days == {"acme": {date(2026, 11, 23)}, "other": set()}
    weeks = [row["week"] for row in two.rows(obligation_snapshots)]
    assert weeks == ["2026-W48", "2026-W52"]
    assert tick(two.services, tasks, now=night + timedelta(days=3)).startswith("2 tasks")
    assert {row["taken_on"] for row in two.rows(readiness_snapshots)} == {date(2026, 11, 23)}


@pytest.mark.parametrize(
    ("now", "sent"),
    [
        (
            datetime(2026, 11, 16, 6, tzinfo=UTC),
            [],
        ),  # 07:00 on Monday: last week is over, this week's hour has not come
        (datetime(2026, 11, 16, 7, tzinfo=UTC), [("2026-W47", False)]),
        (datetime(2026, 11, 22, 22, tzinfo=UTC), [("2026-W47", True)]),
        (datetime(2026, 11, 22, 23, tzinfo=UTC), []),  # Monday, midnight
    ],
)
def test_a_period_that_is_over_is_owed_nothing_and_the_next_waits_for_its_hour(now, sent, two):
    tick(two.services, WEEKLY, now=now)
    assert [(period, late) for period, _, late in deliveries_of(two, "acme", SLA.name)] == sent
