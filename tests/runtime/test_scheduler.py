"""`hq scheduler` as a process: it keeps the time, another takes over when it is killed, and it ends when it is told to."""

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest
from freezegun import freeze_time

import scheduler
from engine.model.errors import Unavailable
from engine.runtime.lead import LEASE
from engine.runtime.services import Services
from engine.runtime.settings import Settings
from engine.store import PLATFORM, Store
from engine.store.queries.sending import jobs as runs
from engine.store.rows import many
from engine.store.schema.outputs import job_runs
from engine.store.writing import leases
from tests.conftest import NOW

pytestmark = pytest.mark.real

FASTER = """
import time
import scheduler
from engine.cli import hq
from engine.runtime import lead
from engine.runtime.jobs import Every, Job

lead.LEASE_SECONDS, lead.RENEW_SECONDS, scheduler.TICK_SECONDS, scheduler.STOP_SECONDS = 1.5, 0.3, 0.1, 0.3
"""
SLOW = "scheduler.JOBS = (Job('slow', Every(60), lambda services, now: time.sleep(600)),)\n"
QUICK = "scheduler.JOBS = (Job('quick', Every(1), lambda services, now: 'done'),)\n"


@pytest.fixture
def start(database_url, tmp_path):
    """Starts `hq scheduler`, after some lines of Python."""
    started = []
    names = {"SVC_DATABASE_URL": database_url, "SVC_DATA_DIR": str(tmp_path / "data")}

    def run(before=FASTER + QUICK):
        code = before + "\nfrom engine.cli import hq\nhq(['scheduler'])\n"
        process = subprocess.Popen([sys.executable, "-c", code], env=os.environ | names, stderr=subprocess.PIPE)
        started.append(process)
        return process

    yield run
    for process in started:
        process.kill()
        process.communicate()


@contextmanager
def open_store(url):
    store = Store(url)
    try:
        yield store
    finally:
        store.close()


def until(ask, seconds=60.0):
    """What ``ask`` says once it says anything, and how long that took."""
    began = time.monotonic()
    while not (found := ask()):
        assert time.monotonic() - began < seconds
        time.sleep(0.02)
    return found, time.monotonic() - began


def leader(store, among):
    """The process that leads."""
    lease = leases.look(store, LEASE)
    pid = lease and int(lease.holder.split(":")[1])
    return next((process for process in among if process.pid == pid), None)


def run_rows(store):
    with store.reader() as connection:
        rows = many(connection, job_runs, PLATFORM, order=("started_at", "id"))
    return [(row["job"], row["outcome"], row["message"]) for row in rows]


def killed_leader(start, url, before, seconds):
    """How long after a leader was killed another leads."""
    with open_store(url) as store:
        both = [start(before), start(before)]
        first, _ = until(lambda: leader(store, both))
        (other,) = (process for process in both if process is not first)
        until(lambda: any(outcome == "succeeded" for _, outcome, _ in run_rows(store)))
        assert any(b"Scheduled work runs" in line for line in other.stderr)  # it watches the lease from now on
        first.send_signal(signal.SIGKILL)
        first.wait()
        _, took = until(lambda: leader(store, [other]), seconds)
        other.send_signal(signal.SIGTERM)
        assert other.wait(30) == 0
        assert leases.look(store, LEASE) is None
        return took, run_rows(store)


def test_when_the_leader_is_killed_another_leads_after_its_silence(start, database_url):
    took, rows = killed_leader(start, database_url, FASTER + QUICK, 20.0)
    assert took > 0.5
    ended = ("quick", "failed", "The process ended before the job did.")  # one that it was at when it was killed
    assert set(rows) - {ended} == {("quick", "succeeded", "done")}
    assert rows.count(ended) <= 1


def test_within_45_seconds_by_the_figures_of_the_product(start, database_url):
    took, _ = killed_leader(start, database_url, "", 60.0)
    assert 15 < took < 45


def test_at_sigterm_it_waits_for_a_while_and_leaves_what_runs_to_the_next(start, database_url):
    with open_store(database_url) as store:
        process = start(FASTER + SLOW)
        until(lambda: run_rows(store))
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=30)
        assert (process.returncode, b"Traceback" in said) == (0, False)
        assert b"jobs that still ran are interrupted; they are owed again" in said
        assert run_rows(store) == [("slow", "failed", runs.INTERRUPTED)]
        assert leases.look(store, LEASE) is None
        start(FASTER + SLOW)
        found, _ = until(lambda: run_rows(store)[1:])
        assert found == [("slow", None, None)]


def test_it_looks_every_few_seconds_whatever_the_clock_shows(monkeypatch):
    monkeypatch.setattr(scheduler, "TICK_SECONDS", 0.02)
    looked = threading.Semaphore(0)
    keeper = scheduler.Timekeeper(timezone=UTC, job_defaults={"coalesce": True, "misfire_grace_time": None})
    keeper.add_job(looked.release, "interval", seconds=0.02, next_run_time=datetime.now(UTC))
    with freeze_time(NOW, tick=True) as clock:
        keeper.start()
        for moment in (NOW - timedelta(days=1), NOW + timedelta(days=1), NOW - timedelta(days=9999), NOW):
            clock.move_to(moment)
            for _ in range(3):
                assert looked.acquire(timeout=10)
        keeper.shutdown()


def test_a_store_that_does_not_answer_is_told_once(store, caplog, monkeypatch):
    one = scheduler.Scheduler(Services(Settings(), store, None, NOW))
    answers = [Unavailable("It is away."), Unavailable("It is away."), [], Unavailable("Again.")]

    def due_answer():
        answer = answers.pop(0)
        if isinstance(answer, Unavailable):
            raise answer
        return answer

    monkeypatch.setattr(one.runner, "due_jobs", due_answer)
    while answers:
        one._tick()
    assert [record.getMessage() for record in caplog.records] == ["no job begins: It is away.", "no job begins: Again."]


def test_a_job_that_is_still_being_added_has_no_time_and_stops_nothing(monkeypatch):
    keeper = scheduler.Timekeeper(timezone=UTC)
    monkeypatch.setattr(keeper, "get_jobs", lambda: [object()])
    assert keeper._process_jobs() == scheduler.TICK_SECONDS


def test_a_job_that_a_shutdown_removed_already_ends_no_clock():
    planned = scheduler.Timekeeper(timezone=UTC)
    planned.start(paused=True)
    planned.add_job(lambda: None, id="heads")
    planned.remove_job("heads")
    planned.remove_job("heads")
    assert planned.get_jobs() == []
    planned.shutdown(wait=False)


def test_a_signal_that_another_thread_takes_ends_it_as_well():
    """A main thread that waits on a lock is not woken by one; nor by one that came just before it waited."""
    kept = signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)
    waited = []

    class Idle:
        interrupted = False

        def start(self):
            def deliver():
                time.sleep(0.05)
                signal.pthread_kill(threading.get_ident(), signal.SIGTERM)
                time.sleep(2)
                if not waited:
                    signal.pthread_kill(threading.main_thread().ident, signal.SIGTERM)
                    waited.append("only the second ended it")

            threading.Thread(target=deliver, daemon=True).start()

        def shutdown(self, *, wait):
            waited.append(wait)

    try:
        scheduler.run_until_stopped(Idle())
    finally:
        signal.signal(signal.SIGTERM, kept[0])
        signal.signal(signal.SIGINT, kept[1])
    assert waited == [True]
