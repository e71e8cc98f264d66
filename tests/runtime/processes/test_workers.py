"""Worker processes. What they do is here, at the top of the module, so that they can import it."""

import os
import signal
import threading
import time
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from engine.model.errors import NotFound, Problem, Unavailable
from engine.runtime.processes.worker_process import Assignment
from engine.runtime.processes.workers import Workers
from tests.web.served import until


@contextmanager
def open_folder(folder):
    yield folder


def double(folder, number):
    return 2 * number


def pid(folder):
    return os.getpid()


def note(folder, word, seconds=0.0):
    with (folder / "notes").open("a") as file:
        file.write(f"{word}\n")
    time.sleep(seconds)
    return word


def refuse(folder):
    raise NotFound("There is no such thing.", word="unknown_thing", details=[{"got": 1}])


def fail(folder):
    raise ZeroDivisionError("a secret")


def crash(folder):
    os._exit(9)


class Unreadable:
    """It can be sent, and not be read where it arrives."""

    def __reduce__(self):
        return _unreadable, (os.getpid(),)


def _unreadable(pid):
    if pid != os.getpid():
        raise MemoryError
    return Unreadable()


def unreadable(folder):
    return Unreadable()


class Place:
    """Where it arrives, it is whether that was in the main thread."""

    def __reduce__(self):
        return _in_main_thread, ()


def _in_main_thread():
    return threading.current_thread() is threading.main_thread()


def pass_on(folder, thing):
    return thing


def unsendable(folder):
    return threading.Lock()


@pytest.fixture
def workers(tmp_path):
    """Workers whose process is there, which a busy machine may take longer for than their deadline is."""
    found = Workers("test", [partial(open_folder, tmp_path)], deadline=2.0)
    run_once_started(found, pid)
    yield found
    found.close()


@pytest.fixture
def patient(tmp_path):
    """Workers that wait for a process as long as a busy machine takes."""
    found = Workers("test", [partial(open_folder, tmp_path)], deadline=60.0)
    yield found
    found.close()


def notes(folder):
    path = Path(folder) / "notes"
    return path.read_text().split() if path.exists() else []


def in_thread(function, *arguments):
    """Call it on a thread of its own; what came of it is in the list, the thread beside it."""
    found = []

    def call():
        try:
            found.append(function(*arguments))
        except Problem as problem:
            found.append(problem)

    thread = threading.Thread(target=call)
    thread.start()
    return found, thread


def run(workers, function, *arguments, **named):
    return workers.run(Assignment(function, arguments), place="acme", **named)


def run_once_started(workers, function):
    """The same where a process has to start first."""
    for _ in range(30):
        try:
            return run(workers, function)
        except Unavailable as problem:
            if problem.word != "busy":
                raise
    raise AssertionError("no process came within a minute")


@pytest.mark.real
def test_a_function_is_called_with_what_the_worker_opened_and_the_process_is_kept(workers):
    assert run(workers, double, 21) == 42
    assert run(workers, pid) == run(workers, pid) != os.getpid()


@pytest.mark.real
def test_a_problem_arrives_whole_and_another_error_shows_nothing_of_its_inside(workers):
    with pytest.raises(NotFound) as raised:
        run(workers, refuse)
    assert (raised.value.word, raised.value.message, raised.value.details) == (
        "unknown_thing",
        "There is no such thing.",
        [{"got": 1}],
    )
    with pytest.raises(Problem, match=r"^Something went wrong on our side; the log has it\.$"):
        run(workers, fail)
    assert run(workers, double, 1) == 2


@pytest.mark.real
def test_a_process_that_ends_is_started_again(workers):
    first = run(workers, pid)
    with pytest.raises(Unavailable) as raised:
        run(workers, crash)
    assert (raised.value.word, raised.value.headers) == ("worker_ended", {"Retry-After": "5"})
    assert run_once_started(workers, pid) != first


@pytest.mark.real
@pytest.mark.parametrize(("sent", "seen"), [(signal.SIGKILL, "(zombie)"), (signal.SIGSTOP, "(stopped)")])
def test_a_process_that_was_killed_or_stopped_at_rest_is_noticed_before_the_next_work(patient, sent, seen):
    first = run(patient, pid)
    os.kill(first, sent)
    until(lambda: not Path(f"/proc/{first}").exists() or seen in Path(f"/proc/{first}/status").read_text())
    assert run(patient, pid) != first
    assert not Path(f"/proc/{first}").exists()


@pytest.mark.real
def test_what_takes_longer_than_its_deadline_is_ended_and_the_next_goes_on(workers):
    first = run(workers, pid)
    with pytest.raises(Unavailable, match="longer than 2 s") as raised:
        run(workers, note, "long", 60.0)
    assert raised.value.word == "deadline_passed"
    assert run_once_started(workers, pid) != first


@pytest.mark.real
def test_preparing_does_not_count(workers, tmp_path):
    assert run(workers, double, 1) == 2  # its process is there by now
    work = Assignment(note, ("done", 1.2), prepare=partial(note, word="prepared", seconds=1.2))
    workers.run(work, place="acme")
    assert notes(tmp_path) == ["prepared", "done"]


@pytest.mark.real
def test_the_same_work_is_done_once_for_all_who_wait(workers, tmp_path):
    first = in_thread(run, workers, note, "first", 1.0)
    until(lambda: notes(tmp_path) == ["first"])
    same = [
        in_thread(partial(workers.run, Assignment(note, ("same",), key="k", position=at), place="acme"))
        for at in (3, 5, 4)
    ]
    for _, thread in (first, *same):
        thread.join()
    assert [found for found, _ in same] == [["same"]] * 3
    assert notes(tmp_path) == ["first", "same"]


@pytest.mark.real
def test_work_that_runs_is_joined_only_from_the_same_position(workers, tmp_path):
    def at(position):
        return in_thread(partial(workers.run, Assignment(note, ("w", 0.8), key="k", position=position), place="acme"))

    first = at(1)
    until(lambda: notes(tmp_path) == ["w"])
    again, later = at(1), at(2)
    for _, thread in (first, again, later):
        thread.join()
    assert notes(tmp_path) == ["w", "w"]


@pytest.mark.real
def test_what_nobody_waits_for_is_not_begun(workers, tmp_path):
    first = in_thread(run, workers, note, "first", 1.0)
    until(lambda: notes(tmp_path) == ["first"])
    with pytest.raises(Unavailable) as raised:
        run(workers, note, "second", gone=lambda: True)
    assert raised.value.word == "client_gone"
    first[1].join()
    assert run(workers, double, 2) == 4
    assert notes(tmp_path) == ["first"]


@pytest.mark.real
def test_another_caller_goes_before_the_next_of_the_same(workers, tmp_path):
    threads = [in_thread(partial(run, workers, note, "a0", 1.0, caller="a"))]
    until(lambda: notes(tmp_path) == ["a0"])
    for word in ("a1", "a2", "b1"):
        threads.append(in_thread(partial(run, workers, note, word, caller=word[0])))
        time.sleep(0.1)
    for _, thread in threads:
        thread.join()
    assert notes(tmp_path) == ["a0", "b1", "a1", "a2"]


@pytest.mark.real
def test_a_worker_without_work_ends_and_comes_back(tmp_path):
    workers = Workers("test", [partial(open_folder, tmp_path)], deadline=5.0, idle=0.2)
    first = run(workers, pid)
    until(lambda: not Path(f"/proc/{first}").exists())
    assert run(workers, pid) != first
    workers.close()


@pytest.mark.real
def test_closing_ends_what_runs(tmp_path):
    workers = Workers("test", [partial(open_folder, tmp_path)], deadline=60.0)
    found, thread = in_thread(run, workers, note, "long", 60.0)
    until(lambda: notes(tmp_path) == ["long"])
    workers.close()
    thread.join()
    assert found[0].word == "stopping"
    with pytest.raises(Unavailable):
        run(workers, double, 1)


@pytest.mark.real
def test_whoever_waits_for_the_preparation_too_long_is_told_and_it_goes_on(workers, tmp_path):
    assert run(workers, double, 1) == 2  # its process is there by now
    work = Assignment(double, (4,), prepare=partial(note, word="prepared", seconds=2.3))
    with pytest.raises(Unavailable) as raised:
        workers.run(work, place="acme")
    assert (raised.value.word, notes(tmp_path)) == ("busy", ["prepared"])
    assert run(workers, double, 5) == 10


@pytest.mark.real
def test_work_that_cannot_be_sent_is_answered_and_the_next_goes_on(patient, caplog):
    with pytest.raises(Problem, match=r"^Something went wrong on our side; the log has it\.$"):
        run(patient, double, threading.Lock())
    assert [record.getMessage() for record in caplog.records] == ["test-0: work could not be handed out"]
    assert "cannot pickle" in caplog.text
    assert run(patient, double, 2) == 4


@pytest.mark.real
def test_a_result_that_cannot_be_read_is_answered_and_the_next_goes_on(patient, caplog):
    with pytest.raises(Problem, match=r"^Something went wrong on our side; the log has it\.$"):
        run(patient, unreadable)
    assert "MemoryError" in caplog.text
    assert run(patient, double, 2) == 4


@pytest.mark.real
def test_a_result_that_cannot_be_sent_ends_the_process_and_the_next_goes_on(patient):
    with pytest.raises(Unavailable, match="The process that computed this ended"):
        run(patient, unsendable)
    assert run(patient, double, 2) == 4


@pytest.mark.real
def test_what_a_work_holds_is_imported_by_the_main_thread_alone(patient):
    assert patient.run(Assignment(pass_on, (Place(),)), place="acme") is True


@pytest.mark.real
def test_a_work_that_cannot_be_read_is_a_problem_and_the_next_is_done(patient):
    with pytest.raises(Problem, match="there is not enough memory"):
        patient.run(Assignment(pass_on, (Unreadable(),)), place="acme")
    assert patient.run(Assignment(double, (4,)), place="acme") == 8
