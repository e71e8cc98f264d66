"""Processes that are kept running. Here they are forks that do nothing: quick to start, and to end."""

import os
import signal
import threading
import time
from multiprocessing import get_context

import pytest

from engine.model.errors import Problem
from engine.runtime.processes import supervisor
from engine.runtime.processes.supervisor import Supervisor
from tests.web.served import until


def sleep():
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    time.sleep(60)


def resist():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(60)


def fail():
    os._exit(3)


class Starter:
    """Starts what ``targets`` say in turn, the last of them for ever; ``ready`` where they say so at once."""

    def __init__(self, *targets, ready=True):
        self.targets, self.ready, self.processes = targets, ready, []

    def __call__(self, number, ready):
        target = self.targets[min(len(self.processes), len(self.targets) - 1)]
        process = get_context("fork").Process(target=target, name=f"serving {number}", daemon=True)
        process.start()
        self.processes.append(process)
        if self.ready:
            ready()
        return process

    def alive(self):
        return [process for process in self.processes if process.is_alive()]


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    monkeypatch.setattr(supervisor, "FIRST_PAUSE", 0.05)
    monkeypatch.setattr(supervisor, "GRACE_SECONDS", 0.5)
    monkeypatch.setattr(supervisor, "LAST_SECONDS", 0.5)


class Running:
    """A supervisor on a thread of its own, and what it said."""

    def __init__(self, started, count):
        self.said = []
        self.supervisor = Supervisor(started, count)
        self.thread = threading.Thread(target=self._run)
        self.thread.start()

    def _run(self):
        try:
            self.supervisor.run(lambda: self.said.append("up"), lambda: self.said.append("ending"))
        except Problem as problem:
            self.said.append(problem.message)

    def stop(self):
        self.supervisor.stop()
        self.thread.join(20)
        assert not self.thread.is_alive()


def test_one_that_ends_is_started_again_and_all_end_together(caplog):
    started = Starter(sleep)
    running = Running(started, 2)
    until(lambda: len(started.alive()) == 2)
    started.processes[0].kill()
    until(lambda: len(started.processes) == 3 and len(started.alive()) == 2)
    running.stop()
    assert (running.said, started.alive()) == (["up", "ending"], [])
    assert caplog.records[0].getMessage() == "serving process 1 was ended by signal 9; it is started again in 0.1 s"


def test_whoever_ignores_the_signal_is_killed_after_the_grace():
    started = Starter(resist)
    running = Running(started, 1)
    until(lambda: len(started.alive()) == 1)
    running.stop()
    assert started.alive() == []


def test_the_pause_grows_where_they_end_at_once(caplog):
    started = Starter(fail, fail, fail, sleep)
    running = Running(started, 1)
    until(lambda: len(started.alive()) == 1 and len(started.processes) == 4)
    pauses = [record.getMessage().rpartition("in ")[2] for record in caplog.records]
    running.stop()
    assert pauses == ["0.1 s", "0.1 s", "0.2 s"]
    assert running.said == ["up", "ending"]


def test_where_none_comes_up_it_ends_with_a_sentence():
    started = Starter(fail, ready=False)
    running = Running(started, 2)
    running.thread.join(20)
    assert running.said == ["ending", "No serving process came up; what is said above says why."]
    assert len(started.processes) >= 4
