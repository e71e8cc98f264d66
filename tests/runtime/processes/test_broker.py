"""What processes ask of the main process. Here the other processes are lines of this one."""

import socket
import threading
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from engine.model.errors import NotFound, Problem, TooManyRequests, Unavailable
from engine.runtime.processes.broker import Broker, Line, LinkedWorkers
from engine.runtime.processes.worker_process import Assignment
from engine.runtime.processes.workers import NobodyWaits, Workers
from engine.web.admission.limits import Limit, Limiter
from engine.web.admission.linked_limits import LinkedLimits, counting
from tests.runtime.processes.test_workers import in_thread, note, notes, open_folder
from tests.web.served import until


def echo(gone, *arguments):
    return arguments


def refuse(gone):
    raise NotFound("There is no such thing.", word="unknown_thing", details=[{"got": 1}])


def fail(gone):
    raise ZeroDivisionError("a secret")


class Waiting:
    """Waits until whoever asked is gone."""

    def __init__(self):
        self.asked, self.noticed = threading.Event(), threading.Event()

    def __call__(self, gone):
        self.asked.set()
        until(gone)
        self.noticed.set()
        raise NobodyWaits("gone")


def handles():
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


@contextmanager
def lines(number=1, **offered):
    """Lines of as many processes to one broker, and how often one of them said that it is ready."""
    ready = []
    broker = Broker(offered)
    ends = [broker.line(partial(ready.append, 1)) for _ in range(number)]
    try:
        yield [Line(end) for end in ends], ready
    finally:
        for end in ends:
            end.close()


def test_what_is_asked_for_is_answered_over_and_over():
    with lines(echo=echo) as ((line,), _):
        assert [line.ask("echo", number, b"x" * 300_000) for number in range(3)] == [
            (number, b"x" * 300_000) for number in range(3)
        ]


def test_many_threads_ask_at_once_and_each_gets_its_own():
    with lines(echo=echo) as ((line,), _):
        asked = [in_thread(line.ask, "echo", number) for number in range(20)]
        for _, thread in asked:
            thread.join()
    assert [found for found, _ in asked] == [[(number,)] for number in range(20)]


def test_a_problem_arrives_whole_and_another_error_shows_nothing_of_its_inside():
    with lines(refuse=refuse, fail=fail, echo=echo) as ((line,), _):
        with pytest.raises(NotFound) as raised:
            line.ask("refuse")
        assert (raised.value.word, raised.value.details) == ("unknown_thing", [{"got": 1}])
        with pytest.raises(Problem, match=r"^Something went wrong on our side; the log has it\.$"):
            line.ask("fail")
        assert line.ask("echo", 1) == (1,)


def test_whoever_waits_for_nobody_is_told():
    waiting = Waiting()
    with lines(wait=waiting, echo=echo) as ((line,), _):
        with pytest.raises(NobodyWaits):
            line.ask("wait", gone=waiting.asked.is_set)
        assert waiting.noticed.wait(10)
        assert line.ask("echo", gone=lambda: False) == ()


def test_readiness_is_said_and_the_end_of_the_main_process_is_noticed():
    with lines(2, echo=echo) as ((first, second), ready):
        first.ready()
        second.ready()
        until(lambda: ready == [1, 1])
    near, far = socket.socketpair()
    near.close()
    alone = Line(far)
    alone.wait_for_end()
    with pytest.raises(Unavailable) as raised:
        alone.ask("echo")
    assert (raised.value.word, raised.value.headers) == ("stopping", {"Retry-After": "5"})
    far.close()


@pytest.mark.real
def test_the_same_work_of_two_processes_is_done_once(tmp_path):
    workers = Workers("test", [partial(open_folder, tmp_path)], deadline=20.0)

    def run(gone, work, place, caller):
        return workers.run(work, place=place, caller=caller, gone=gone)

    try:
        with lines(2, workers=run) as (both, _):
            asked = [
                in_thread(
                    partial(LinkedWorkers(line, "workers").run, Assignment(note, ("w", 1.0), key="k"), place="acme")
                )
                for line in both
            ]
            for _, thread in asked:
                thread.join()
    finally:
        workers.close()
    assert ([found for found, _ in asked], notes(tmp_path)) == ([["w"], ["w"]], ["w"])


def test_two_processes_have_one_limit():
    limit = Limit("few", 3, 600)
    with lines(2, limits=counting(Limiter("memory://"))) as (both, _):
        first, second = (LinkedLimits(line) for line in both)
        first.check(limit, "a")
        second.check(limit, "a")
        first.check(limit, "a")
        with pytest.raises(TooManyRequests, match="At most 3 requests in 600 seconds"):
            second.check(limit, "a")
        second.check(limit, "b", 1)
        with pytest.raises(TooManyRequests, match="At most 1 requests"):
            first.check(limit, "b", 1)


def test_no_descriptor_stays_open_once_a_process_is_gone():
    before = handles()
    with lines(echo=echo) as ((line,), _):
        for _, thread in [in_thread(line.ask, "echo") for _ in range(5)]:
            thread.join()
        line.close()
    until(lambda: handles() <= before)
