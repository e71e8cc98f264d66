"""Clocks that are set while jobs run: nothing is lost, nothing is done twice for the same due instant."""

from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete

from engine.digests import Task, tick
from engine.model.declarations.digest import When
from engine.store.queries.sending.digests import record_run, runs_within
from engine.store.schema.outputs import job_runs, leases
from tests.conftest import NOW
from tests.databases import raw_transaction
from tests.delivery.conftest import message
from tests.delivery.processes import BERLIN, DAY, HOUR, MINUTE, SILENCE, Process
from tests.laws import examples

NIGHT = datetime(2026, 11, 20, 1, 30, tzinfo=UTC)  # half past two in Berlin


def pass_time(process, until, every=MINUTE):
    """A process asks again and again what is owed, and runs it."""
    while process.now < until:
        process.now = min(process.now + every, until)
        for job in process.runner.due_jobs():
            process.runner.run(job)


def start_times(process, name):
    return [at for job, at in process.done if job == name]


@pytest.mark.parametrize("step", [-DAY, -HOUR, HOUR, DAY])
def test_what_runs_every_minute_goes_on_after_the_clock_was_set(process, step):
    one = process()
    pass_time(one, NOW + 10 * MINUTE)
    one.done.clear()
    one.set_clock(step)
    pass_time(one, one.now + 10 * MINUTE)
    assert 10 <= len(start_times(one, "outbox")) <= 11


@pytest.mark.real
def test_so_it_does_where_the_process_ended_while_the_clock_was_wrong(process):
    one = process().at(NOW + DAY)
    pass_time(one, NOW + DAY + 3 * HOUR)
    one.runner.resign()
    two = process().at(NOW + DAY - 5 * MINUTE)  # the clock shows for the second time what the first process saw
    pass_time(two, NOW + DAY + 10 * MINUTE)
    assert len(start_times(two, "outbox")) >= 14


@pytest.mark.parametrize("step", [-DAY, DAY])
def test_a_daily_job_runs_once_for_each_night_that_the_clock_shows(process, step):
    one = process(environment=BERLIN).at(NIGHT - HOUR)
    one.runner.run(one.build)
    pass_time(one, NIGHT + HOUR, 20 * MINUTE)
    one.set_clock(step)
    pass_time(one, one.now + HOUR, 20 * MINUTE)
    one.set_clock(-step)
    pass_time(one, NIGHT + DAY + 2 * HOUR, HOUR)
    nights = Counter((at - NIGHT) // DAY for at in start_times(one, "nightly-build"))
    assert nights == {-1: 1, 0: 1, 1: 1}  # forward: the night after was built early, and is not built again


def test_a_run_that_lies_in_the_future_keeps_no_night_from_its_own(process):
    one = process(environment=BERLIN).at(NIGHT + 30 * DAY)
    one.runner.run(one.build)
    one.set_clock(-30 * DAY)
    for night in range(3):
        pass_time(one, NIGHT + night * DAY + MINUTE, 2 * HOUR)
    assert [(at - NIGHT) // DAY for at in start_times(one, "nightly-build")] == [30, 0, 1, 2]


def test_a_suspended_machine_does_once_what_came_due_meanwhile(process):
    one = process(environment=BERLIN).at(NIGHT - HOUR)
    one.runner.run(one.build)
    one.set_clock(8 * HOUR)  # its own seconds stood still
    pass_time(one, one.now + 5 * MINUTE)
    assert start_times(one, "nightly-build")[1:] == [NIGHT + 7 * HOUR + timedelta(seconds=2) + MINUTE]


STEPS = st.lists(
    st.tuples(
        st.sampled_from([0, 0, -24, -7, -1, 1, 7, 24, 24 * 8]),  # hours by which the clock is set
        st.sampled_from(["goes on", "is killed", "ends", "is suspended"]),
        st.integers(1, 30),  # hours that pass
    ),
    min_size=1,
    max_size=6,
)


@pytest.mark.real
@given(STEPS)
@settings(
    max_examples=examples(12),
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_whatever_becomes_of_clocks_and_processes_each_night_is_built_once(store, steps):
    with raw_transaction(store) as connection:
        connection.execute(delete(job_runs))
        connection.execute(delete(leases))
    running, built = Process(store.url, BERLIN).at(NIGHT - HOUR), []
    running.runner.run(running.build)
    for hours, fate, passing in steps:
        running.set_clock(hours * HOUR)
        if fate == "is suspended":
            running.set_clock(9 * HOUR)
        elif fate != "goes on":
            if fate == "ends":
                running.runner.resign()
            built += start_times(running, "nightly-build")
            running.store.close()
            running = Process(store.url, BERLIN).at(running.now)
            running.runner.due_jobs()  # it sees the lease for the first time
            running.at(running.now + SILENCE)
        until = running.now + passing * HOUR
        while running.now < until:
            pass_time(running, running.now + 2 * HOUR, 2 * HOUR)
            pass_time(running, running.now + MINUTE)
            due = running.runner._due(running.build, running.now)
            done = built + start_times(running, "nightly-build")
            assert [at for at in done if due.since <= at < due.until] != []
            assert running.now - start_times(running, "outbox")[-1] <= MINUTE
    built += start_times(running, "nightly-build")
    running.store.close()
    assert set(Counter((at - NIGHT) // DAY for at in built).values()) == {1}


@pytest.fixture
def weekly(house):
    """A weekly task of acme, asked for at moments: how often it ran by then."""
    ran = []

    def run(services, org_id, now):
        ran.append(now)
        return "done"

    task = Task("weekly", When("week", 8, 1), run, lambda *given: True, lambda *given: False, notes="all")

    def ask(now):
        tick(house.services, (task,), now=now)
        return len(ran)

    return ask


def test_a_task_of_a_week_is_done_once_for_each_week_that_the_clock_shows(weekly):
    assert [weekly(NOW), weekly(NOW + HOUR)] == [1, 1]
    assert [weekly(NOW + 7 * DAY), weekly(NOW + 8 * DAY)] == [2, 2]  # set forward by a week
    assert [weekly(NOW + 2 * HOUR), weekly(NOW - DAY)] == [2, 2]  # and back
    assert [weekly(NOW - 7 * DAY), weekly(NOW + 7 * DAY), weekly(NOW + 14 * DAY)] == [3, 3, 4]


def test_a_run_of_a_week_to_come_does_not_stand_for_this_one(house, weekly):
    later = NOW + 7 * DAY
    record_run(house.store, "acme", "weekly", started_at=later, finished_at=later, outcome="succeeded", message="early")
    assert [weekly(NOW), weekly(later)] == [1, 1]
    with house.store.reader() as connection:
        assert len(runs_within(connection, "acme", "weekly", NOW, later + DAY)) == 2


def test_what_was_queued_by_a_clock_that_was_set_back_leaves_now_and_once(house, mailbox):
    house.mail(mailbox.port)
    house.queue(message(), now=NOW + DAY)
    assert [house.drain(NOW).sent, house.drain(NOW + MINUTE).sent, house.drain(NOW + DAY).sent] == [1, 0, 0]


def test_what_waits_for_its_hour_goes_on_waiting(house, mailbox):
    house.mail(mailbox.port)
    house.queue(message(), now=NOW)
    with raw_transaction(house.store) as connection:
        connection.exec_driver_sql("UPDATE deliveries SET next_attempt_at = '2026-11-20T20:30:00.000000Z'")
    assert house.drain(NOW).sent == 0
