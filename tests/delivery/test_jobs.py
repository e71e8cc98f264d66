"""Jobs: due when they say, run once in one process of several, and what became of them."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

import scheduler
from engine.model.errors import Unavailable
from engine.runtime.jobs import (
    LEASE_SECONDS,
    Daily,
    Every,
    Job,
    Runner,
)
from engine.runtime.services import Services
from engine.runtime.settings import Settings
from engine.store import PLATFORM, Store, leases
from engine.store.queries import jobs as runs
from engine.store.queries.deliveries import claim
from engine.store.rows import many
from engine.store.schema.audit import audit_log
from engine.store.schema.outputs import delivery_contents, job_runs
from tests.conftest import NOW
from tests.delivery.conftest import message

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
BERLIN = {"SVC_TIME_ZONE": "Europe/Berlin", "SVC_BUILD_AT": "02:30"}


class Process:
    """A process that runs jobs on a clock of its own; ``done`` is when it ran which."""

    def __init__(self, url, environment=None, fail=None):
        self.store = Store(url)
        self.now = NOW
        self.done = []
        self.fail = fail
        self.build = Job("nightly-build", Daily(lambda settings: settings.build_at), self._did("nightly-build"))
        self.outbox = Job("outbox", Every(1), self._did("outbox"))
        self.checkpoint = Job("checkpoint", Every(60), self._did("checkpoint"), alone=False)
        services = Services(Settings.of(environment or {}), self.store, None, NOW)
        jobs = (self.build, self.outbox, self.checkpoint)
        self.runner = Runner(services, jobs, lambda: self.now)

    def _did(self, name):
        def run(services, now):
            if self.fail:
                raise self.fail
            self.done.append((name, now))
            self.now += timedelta(seconds=2)
            return "done"

        return run

    def at(self, now):
        self.now = now
        return self


@pytest.fixture
def process(any_store):
    opened = []

    def start(**options):
        opened.append(Process(any_store.url, **options))
        return opened[-1]

    yield start
    for one in opened:
        one.store.close()


def listed(process):
    with process.store.reader() as connection:
        rows = many(connection, job_runs, PLATFORM, order=("started_at",))
    return [(row["job"], row["started_at"], row["finished_at"], row["outcome"], row["message"]) for row in rows]


def test_a_run_is_a_row_with_outcome_and_duration(process):
    one = process()
    assert one.runner.run(one.outbox) == "done"
    assert listed(one) == [("outbox", NOW, NOW + timedelta(seconds=2), "succeeded", "done")]


def test_a_job_that_raises_is_noted_audited_and_raises(process):
    one = process(fail=Unavailable("The disk is full."))
    with pytest.raises(Unavailable):
        one.runner.run(one.build)
    assert listed(one) == [("nightly-build", NOW, NOW, "failed", "The disk is full.")]
    with one.store.reader() as connection:
        (event,) = many(connection, audit_log, PLATFORM, action="job.failed")
    assert (event["object_id"], event["outcome"]) == ("nightly-build", "failure")


def test_a_fault_of_ours_is_named_without_what_it_says(process):
    one = process(fail=ValueError("ann@acme.example"))
    with pytest.raises(ValueError, match="ann@"):
        one.runner.run(one.build)
    assert [message for *_, message in listed(one)] == ["ValueError"]


def test_of_two_schedulers_that_fire_together_one_runs_the_job(process):
    one, two = process(), process()
    assert [one.runner.run(one.outbox), two.runner.run(two.outbox)] == ["done", None]
    assert len(listed(one)) == 1


def test_the_same_scheduler_runs_a_job_once_for_each_time_that_it_is_due(process):
    one = process()
    assert one.at(NOW).runner.run(one.outbox) == "done"
    assert one.at(NOW + 59 * timedelta(seconds=1)).runner.run(one.outbox) is None
    assert one.at(NOW + MINUTE).runner.run(one.outbox) == "done"


def test_what_each_process_does_for_itself_runs_in_each(process):
    one, two = process(), process()
    assert [one.runner.run(one.checkpoint), two.runner.run(two.checkpoint)] == ["done", "done"]


def test_another_process_takes_over_when_the_first_is_silent_or_resigns(process):
    one, two = process(), process()
    one.runner.lead()
    assert two.at(NOW + timedelta(seconds=LEASE_SECONDS - 1)).runner.run(two.outbox) is None
    assert two.at(NOW + timedelta(seconds=LEASE_SECONDS)).runner.run(two.outbox) == "done"
    two.runner.resign()
    assert one.at(NOW + 2 * MINUTE).runner.run(one.outbox) == "done"


def test_whoever_leads_stays_in_the_lead_while_it_renews(process):
    one, two = process(), process()
    for step in range(20):
        at = NOW + step * timedelta(seconds=LEASE_SECONDS // 4)
        one.at(at).runner.lead()
        assert two.at(at).runner.run(two.outbox) is None


def test_a_lease_of_a_clock_that_ran_ahead_is_void(any_store):
    def take(holder, now):
        return leases.take(any_store, "x", holder, now=now, until=now + timedelta(seconds=LEASE_SECONDS))

    assert take("a", NOW + timedelta(days=7))
    assert take("b", NOW)
    assert not take("a", NOW + timedelta(seconds=1))
    leases.release(any_store, "x", "a")
    assert not take("a", NOW + timedelta(seconds=1))
    leases.release(any_store, "x", "b")
    assert take("a", NOW + timedelta(seconds=1))


def test_a_daily_job_that_was_missed_is_owed_to_whoever_leads_next(process):
    one, two = process(), process()
    due = NOW.replace(hour=2, minute=30)
    one.at(due).runner.run(one.build)
    one.runner.resign()
    assert two.at(due + 8 * HOUR).runner.lead() == []
    two.runner.resign()
    three = process().at(due + DAY + 8 * HOUR)  # nobody was there in the night
    assert [job.name for job in three.runner.lead()] == ["nightly-build"]
    assert three.runner.run(three.build) == "done"
    assert three.runner.run(three.build) is None
    three.runner.resign()
    assert process().at(due + DAY + 9 * HOUR).runner.lead() == []


def test_a_week_without_a_scheduler_is_one_run(process):
    one, two = process(), process()
    one.at(NOW.replace(hour=2, minute=30)).runner.run(one.build)
    two.at(NOW + 7 * DAY)
    assert [job.name for job in two.runner.lead()] == ["nightly-build"]
    assert [two.runner.run(two.build), two.runner.run(two.build)] == ["done", None]


def test_a_job_that_never_ran_begins_at_its_own_time(process):
    assert process().runner.lead() == []


def test_a_run_that_died_with_its_process_is_closed_and_owed_again(process):
    one, two = process(), process()
    due = NOW.replace(hour=2, minute=30)
    one.at(due).runner.lead()
    runs.begin(one.store, "run_1", "nightly-build", now=due)  # here the process is killed
    at = due + timedelta(seconds=LEASE_SECONDS)
    assert [job.name for job in two.at(at).runner.lead()] == ["nightly-build"]
    assert listed(two) == [("nightly-build", due, at, "failed", runs.INTERRUPTED)]
    assert two.runner.run(two.build) == "done"


def test_a_run_that_goes_on_in_this_process_is_not_closed(process):
    one = process()
    outcomes = []

    def run(services, now):
        one.runner._leads = False  # as after a lease that ended meanwhile
        one.runner.lead()
        outcomes.append([outcome for _, _, _, outcome, _ in listed(one)])
        return "done"

    one.runner.run(Job("nightly-build", Daily(lambda settings: settings.build_at), run))
    assert (outcomes, [row[3] for row in listed(one)]) == ([[None]], ["succeeded"])


def dues(when, environment, *moments):
    settings = Settings.of(environment)
    return [when.due(settings, datetime.fromisoformat(moment)).astimezone(UTC).isoformat()[:16] for moment in moments]


def test_a_daily_job_is_due_at_the_local_time():
    assert dues(
        Daily(lambda settings: settings.build_at), BERLIN, "2026-11-20T01:29:59+00:00", "2026-11-20T01:30:00+00:00", "2026-07-01T12:00+00:00"
    ) == ["2026-11-19T01:30", "2026-11-20T01:30", "2026-07-01T00:30"]  # fmt: skip


def test_it_is_due_once_in_the_night_in_which_the_hour_is_left_out_and_in_which_it_comes_twice():
    spring = dues(Daily(lambda settings: settings.build_at), BERLIN, "2026-03-29T01:00+00:00", "2026-03-29T01:30+00:00")
    assert spring == ["2026-03-28T01:30", "2026-03-29T01:30"]  # 02:30 is skipped: half past three
    autumn = dues(Daily(lambda settings: settings.build_at), BERLIN, "2026-10-25T00:30+00:00", "2026-10-25T01:30+00:00")
    assert autumn == ["2026-10-25T00:30"] * 2


def test_every_so_many_minutes_counts_from_the_hour():
    assert dues(Every(15), {}, "2026-11-20T08:44:59+00:00", "2026-11-20T08:45:00+00:00") == [
        "2026-11-20T08:30",
        "2026-11-20T08:45",
    ]


@pytest.mark.parametrize("year", [2026, 2027])
def test_over_a_year_with_both_changes_of_the_clock_the_build_runs_once_a_day(store, year):
    """The trigger of APScheduler wakes it, twice on one night in autumn; the runner decides."""
    one = Process(store.url, BERLIN)
    trigger = scheduler.trigger(one.build, one.runner.services)
    zone = ZoneInfo("Europe/Berlin")
    at, end, woken = None, datetime(year, 11, 10, tzinfo=zone), 0
    now = datetime(year, 10, 15, tzinfo=zone) if year == 2026 else datetime(year, 3, 15, tzinfo=zone)
    end = now + 20 * DAY
    while (at := trigger.get_next_fire_time(at, now)) < end:
        one.at(at.astimezone(UTC)).runner.run(one.build)
        now, woken = at, woken + 1
    days = [ran.astimezone(zone).date() for _, ran in one.done]
    one.store.close()
    assert (len(days), len(set(days)), woken) == (20, 20, 21 if year == 2026 else 20)


def test_every_job_has_a_trigger_and_a_name_of_its_own():
    settings = Settings()
    assert [f"{job.name}: {job.when.said(settings)}" for job in scheduler.JOBS][:1] == ["outbox: every minute"]
    names = [job.name for job in scheduler.JOBS]
    assert len(names) == len(set(names))
    for job in scheduler.JOBS:
        trigger = scheduler.trigger(job, Services(settings, None, None, NOW))
        fire = trigger.get_next_fire_time(None, NOW)
        assert job.when.due(settings, fire) == fire


def test_old_runs_are_dropped_but_never_the_latest_of_a_job_of_an_organization(any_store):
    one = Process(any_store.url)
    for day in range(3):
        one.at(NOW + day * DAY).runner.run(one.outbox)
    theirs = [
        {"org_id": "acme", "id": f"run_{job}{day}", "job": job, "started_at": NOW + day * DAY, "revision": 0}
        for job, day in (("a", 0), ("a", 2), ("b", 1))
    ]
    with any_store.aside() as connection:
        connection.execute(job_runs.insert(), theirs)
    assert runs.prune(any_store, platform=NOW + 2 * DAY, organizations=NOW, now=NOW) == 2
    assert runs.prune(any_store, platform=NOW + 99 * DAY, organizations=NOW + 99 * DAY, now=NOW) == 1
    with any_store.reader() as connection:
        kept = [(row["org_id"], row["id"]) for row in many(connection, job_runs, "acme")]
        assert len(many(connection, job_runs, PLATFORM)) == 1
    assert kept == [("acme", "run_a2"), ("acme", "run_b1")]
    one.store.close()


def test_pruning_drops_texts_and_runs_and_keeps_the_ledger(house, mailbox):
    house.mail(mailbox.port)
    house.queue(message(), now=NOW)
    house.drain(NOW)
    house.queue(message(period="2026-W48"), now=NOW)
    claim(house.store, now=NOW, until=NOW + 200 * DAY)  # never settled
    one = Process(house.store.url)
    for day in range(3):
        one.at(NOW + day * DAY).runner.run(one.outbox)
    one.store.close()
    said = [scheduler.pruning(house.services, NOW + days * DAY) for days in (90, 91)]
    assert said == [
        "texts of 0 deliveries, 2 runs and 0 unfinished seals removed",
        "texts of 1 deliveries, 0 runs and 0 unfinished seals removed",
    ]
    with house.store.reader() as connection:
        assert len(many(connection, delivery_contents, "acme")) == 1
        assert len(many(connection, job_runs, PLATFORM)) == 1
        (event,) = many(connection, audit_log, "acme", action="delivery.pruned")
    assert (event["details"], house.ledger("status")) == ({"removed": 1}, [("sent",), ("pending",)])
