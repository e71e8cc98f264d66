"""The end of scheduled work: what runs has the grace, then its worker is ended and the job says nothing any more."""

import threading

import pytest

from engine.model.errors import Unavailable
from engine.runtime.scheduled_work import Interruption, ScheduledWork


class Signals:
    """A signal that the test gives; of the grace so much is left."""

    def __init__(self, left):
        self.asked = threading.Event()
        self.grace_remaining = left


class Jobs:
    """A scheduler whose job runs until it is let go; ``unwell``: it cannot say that it ended."""

    def __init__(self, unwell=False):
        self.seen, self.go, self.unwell = [], threading.Event(), unwell

    def start(self):
        self.seen.append("started")

    def shutdown(self, *, wait):
        self.seen.append(("shut down", wait))
        self.go.wait(20)
        if self.unwell:
            raise Unavailable("The operational store does not answer.", word="store_unavailable")


def end_work(jobs, left=5.0):
    """What comes of the end, and how often work was interrupted."""
    signals, interrupted = Signals(left), []

    def interrupt():
        interrupted.append(1)
        jobs.go.set()

    work = ScheduledWork(jobs, signals, interrupt)
    work.start()
    signals.asked.set()
    return work.end(), len(interrupted)


def test_work_that_comes_to_its_end_is_not_interrupted():
    jobs = Jobs()
    threading.Timer(0.3, jobs.go.set).start()
    assert end_work(jobs) == (True, 0)
    assert jobs.seen == ["started", ("shut down", True)]


def test_work_that_does_not_is_interrupted():
    assert end_work(Jobs(), left=0.0) == (True, 1)


def test_a_store_that_is_gone_is_one_line(caplog):
    jobs = Jobs(unwell=True)
    jobs.go.set()
    assert end_work(jobs) == (True, 0)
    assert [record.getMessage() for record in caplog.records] == [
        "scheduled work ended, and could not say so: The operational store does not answer."
    ]


def test_an_interrupted_call_never_returns():
    interruption, found = Interruption(), []

    def fail():
        raise Unavailable("The console is stopping.", word="stopping")

    def call():
        found.append(interruption.call(fail))

    assert interruption.call(lambda: 3) == 3
    with pytest.raises(Unavailable):
        interruption.call(fail)
    interruption.begin()
    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    thread.join(0.3)
    assert (thread.is_alive(), found) == (True, [])
