"""Jobs: due when they say, run once in one process of several, and what became of them."""

from datetime import UTC, date, datetime, timedelta

import pytest

import scheduler
from engine.model.days import local_day, midnight
from engine.model.errors import Unavailable
from engine.runtime.jobs import Daily, Every, Job
from engine.runtime.settings import Settings
from engine.store import PLATFORM
from engine.store.queries.sending import jobs as runs
from engine.store.queries.sending.claims import claim
from engine.store.rows import many
from engine.store.schema.audit import audit_log
from engine.store.schema.outputs import delivery_contents, job_runs
from tests.conftest import NOW
from tests.databases import raw_transaction
from tests.delivery.conftest import message
from tests.delivery.processes import BERLIN, DAY, HOUR, MINUTE, SILENCE, Process, job_rows


def test_a_run_is_a_row_with_outcome_and_duration(process):
    one = process()
    assert one.runner.run(one.outbox) == "done"
    assert job_rows(one) == [("outbox", NOW, NOW + timedelta(seconds=2), "succeeded", "done")]


def test_a_job_that_raises_is_noted_audited_and_raises(process):
    one = process(fail=Unavailable("The disk is full."))
    with pytest.raises(Unavailable):
        one.runner.run(one.build)
    assert job_rows(one) == [("nightly-build", NOW, NOW, "failed", "The disk is full.")]
    with one.store.reader() as connection:
        (event,) = many(connection, audit_log, PLATFORM, action="job.failed")
    assert (event["object_id"], event["outcome"]) == ("nightly-build", "failure")


def test_a_fault_of_ours_is_named_without_what_it_says(process):
    one = process(fail=ValueError("ann@acme.example"))
    with pytest.raises(ValueError, match="ann@"):
        one.runner.run(one.build)
    assert [message for *_, message in job_rows(one)] == ["ValueError"]


def test_of_two_schedulers_that_fire_together_one_runs_the_job(process):
    one, two = process(), process()
    assert [one.runner.run(one.outbox), two.runner.run(two.outbox)] == ["done", None]
    assert len(job_rows(one)) == 1


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
    one.runner.run(one.outbox)
    assert two.runner.run(two.outbox) is None
    assert two.at(NOW + SILENCE - timedelta(seconds=1)).runner.run(two.outbox) is None
    assert two.at(NOW + MINUTE).runner.run(two.outbox) == "done"
    two.runner.resign()
    assert one.at(NOW + 2 * MINUTE).runner.run(one.outbox) == "done"


def test_a_daily_job_that_was_missed_is_owed_to_whoever_leads_next(process):
    one, two = process(), process()
    due = NOW.replace(hour=2, minute=30)
    one.at(due).runner.run(one.build)
    one.runner.resign()
    assert "nightly-build" not in two.at(due + 8 * HOUR).due_jobs()
    two.runner.resign()
    three = process().at(due + DAY + 8 * HOUR)  # nobody was there in the night
    assert "nightly-build" in three.due_jobs()
    assert [three.runner.run(three.build), three.runner.run(three.build)] == ["done", None]
    three.runner.resign()
    assert "nightly-build" not in process().at(due + DAY + 9 * HOUR).due_jobs()


def test_a_week_without_a_scheduler_is_one_run(process):
    one, two = process(), process()
    one.at(NOW.replace(hour=2, minute=30)).runner.run(one.build)
    one.runner.resign()
    two.at(NOW + 7 * DAY)
    assert "nightly-build" in two.due_jobs()
    assert [two.runner.run(two.build), two.runner.run(two.build)] == ["done", None]


def test_a_daily_job_that_never_ran_begins_at_its_own_time(process):
    one = process(environment=BERLIN)
    assert one.due_jobs() == ["outbox"]
    assert one.at(datetime(2026, 11, 21, 1, 29, 59, tzinfo=UTC)).due_jobs() == ["outbox", "checkpoint"]
    assert one.at(datetime(2026, 11, 21, 1, 30, tzinfo=UTC)).due_jobs() == ["nightly-build", "outbox", "checkpoint"]


def test_a_run_that_died_with_its_process_is_closed_and_owed_again(process):
    one, two = process(), process()
    due = NOW.replace(hour=2, minute=30)
    one.at(due).due_jobs()
    runs.begin(one.store, "run_1", "nightly-build", now=due)  # here the process is killed
    assert "nightly-build" not in two.at(due).due_jobs()
    at = due + SILENCE
    assert "nightly-build" in two.at(at).due_jobs()
    assert job_rows(two) == [("nightly-build", due, at, "failed", runs.INTERRUPTED)]
    assert two.runner.run(two.build) == "done"


def test_a_run_that_goes_on_in_this_process_is_neither_closed_nor_begun_again(process):
    one = process()
    found = []

    def run(services, now):
        one.runner.resign()  # as after a lease that somebody else had meanwhile
        found.append((one.due_jobs(), one.runner.run(slow), [row[3] for row in job_rows(one)]))
        return "done"

    slow = Job("nightly-build", Daily(lambda settings: settings.build_at), run)
    one.runner.jobs = (slow,)
    one.runner.run(slow)
    assert (found, [row[3] for row in job_rows(one)]) == ([([], None, [None])], ["succeeded"])


def test_the_end_waits_for_what_runs(process):
    one = process()
    assert one.runner.stop(0)
    assert [one.due_jobs(), one.runner.run(one.outbox), job_rows(one)] == [[], None, []]


def test_what_runs_at_the_end_is_noted_as_interrupted_and_owed_to_the_next(process):
    one, two = process(), process()
    due = NOW.replace(hour=2, minute=30)
    ended = []

    def run(services, now):
        ended.append(one.runner.stop(0.01))
        return "too late"

    one.at(due).runner.run(Job("nightly-build", one.build.when, run))
    assert ended == [False]
    assert job_rows(one) == [("nightly-build", due, due, "failed", runs.INTERRUPTED)]
    assert "nightly-build" in two.at(due + MINUTE).due_jobs()


def dues(when, environment, *moments):
    settings = Settings.of(environment)
    return [when.due(settings, datetime.fromisoformat(moment)).since.isoformat()[:16] for moment in moments]


def test_a_daily_job_is_due_at_the_local_time():
    assert dues(
        Daily(lambda settings: settings.build_at),
        BERLIN,
        "2026-11-20T01:29:59+00:00",
        "2026-11-20T01:30:00+00:00",
        "2026-07-01T12:00+00:00",
    ) == ["2026-11-19T01:30", "2026-11-20T01:30", "2026-07-01T00:30"]


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


@pytest.mark.real
@pytest.mark.parametrize("first", [date(2026, 10, 15), date(2027, 3, 15)])
def test_over_weeks_with_a_change_of_the_clock_the_build_runs_once_a_day(store, first):
    begins = midnight(first, "Europe/Berlin")
    one = Process(store.url, BERLIN)
    one.at(begins).runner.run(one.build)
    for quarter in range(1, 20 * 96):
        one.at(begins + 15 * quarter * MINUTE)
        if "nightly-build" in one.due_jobs():
            one.runner.run(one.build)
    days = [local_day(ran, "Europe/Berlin") for _, ran in one.done]
    one.store.close()
    assert days == [first + day * DAY for day in (0, *range(20))]


def test_every_job_has_a_name_of_its_own_and_says_when():
    settings = Settings()
    assert [f"{job.name}: {job.when.schedule_text(settings)}" for job in scheduler.JOBS][:1] == ["outbox: every minute"]
    names = [job.name for job in scheduler.JOBS]
    assert len(names) == len(set(names))


def test_old_runs_are_dropped_but_never_the_latest_of_a_job_of_an_organization(any_store):
    one = Process(any_store.url)
    for day in range(3):
        one.at(NOW + day * DAY).runner.run(one.outbox)
    theirs = [
        {"org_id": "acme", "id": f"run_{job}{day}", "job": job, "started_at": NOW + day * DAY, "revision": 0}
        for job, day in (("a", 0), ("a", 2), ("b", 1))
    ]
    with raw_transaction(any_store) as connection:
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
    prunings = [scheduler.pruning(house.services, NOW + days * DAY) for days in (90, 91)]
    assert prunings == [
        "texts of 0 deliveries, 2 runs, 0 ended sessions and 0 unfinished seals removed",
        "texts of 1 deliveries, 0 runs, 0 ended sessions and 0 unfinished seals removed",
    ]
    with house.store.reader() as connection:
        assert len(many(connection, delivery_contents, "acme")) == 1
        assert len(many(connection, job_runs, PLATFORM)) == 1
        (event,) = many(connection, audit_log, "acme", action="delivery.pruned")
    assert (event["details"], house.ledger("status")) == ({"removed": 1}, [("sent",), ("pending",)])
