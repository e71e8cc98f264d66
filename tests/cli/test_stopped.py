"""Commands that start processes take them with them, however they end, and leave nothing half written."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures.process import _ExecutorManagerThread
from pathlib import Path

import pytest

import engine.cli
from engine.model.errors import Unavailable
from engine.reporting.batch.process_pool import process_pool
from engine.store import Store
from tests.conftest import NOW

ORGANIZATIONS = ("one", "two")
POOL = """
import os, sys, time
import polars  # takes Ctrl-C over, and would let whoever waits wait on
from engine.reporting.batch.process_pool import process_pool

def work(number):
    os.write(1, b"child %d\\n" % os.getpid())  # in one piece: two of them say it at once
    time.sleep(600)

if __name__ == "__main__":
    from engine.cli import main
    import click, engine.cli
    @engine.cli.commands.command()
    def wait():
        with process_pool(2) as pool:
            [future.result() for future in [pool.submit(work, number) for number in range(4)]]
    sys.argv = ["hq", "wait"]
    main()
"""


def children(pid):
    """The processes that a process started, and those of these."""
    found = []
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            parent = next(line for line in status.read_text().splitlines() if line.startswith("PPid:"))
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(parent.split()[1]) == pid:
            child = int(status.parent.name)
            found += [child, *children(child)]
    return found


def is_alive(pid):
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


def until(ask, seconds=60):
    ends = time.monotonic() + seconds
    while not (found := ask()):
        assert time.monotonic() < ends
        time.sleep(0.02)
    return found


def stop(process, number):
    """Signals a process as a terminal or a supervisor does; exit code, what it said, and that nothing lives on."""
    started = children(process.pid)
    assert started
    if number == signal.SIGINT:
        os.killpg(process.pid, number)  # Ctrl-C reaches the children as well
    else:
        process.send_signal(number)
    _, said = process.communicate(timeout=60)
    until(lambda: not any(map(is_alive, started)), 10)
    return process.returncode, said


ENDS = [(signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGKILL, -9)]


@pytest.mark.real
@pytest.mark.parametrize(("number", "code"), ENDS)
def test_processes_of_a_command_end_with_it(number, code, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(POOL)
    process = subprocess.Popen(
        [sys.executable, script],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert [process.stdout.readline()[:6] for _ in range(2)] == ["child "] * 2
    ended, said = stop(process, number)
    assert (ended, "Traceback" in said, said) == (code, False, said)


def test_ctrl_c_within_a_query_ends_the_command(monkeypatch, capsys):
    """DuckDB makes a RuntimeError of it."""

    def interrupt(**options):
        raise RuntimeError("Query interrupted")

    monkeypatch.setattr(engine.cli.commands.commands["tables"], "callback", interrupt)
    with pytest.raises(SystemExit) as end:
        engine.cli.hq(["tables"])
    assert (end.value.code, capsys.readouterr().err) == (130, "")


def begin(command, folder):
    names = {"SVC_DATA_DIR": str(folder), "SVC_DATABASE_URL": f"sqlite:///{folder}/hq.db"}
    return subprocess.Popen(
        [sys.executable, "-m", "engine.cli", *command],
        env=os.environ | names,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


@pytest.mark.real
def test_a_build_that_is_stopped_leaves_whole_artifacts_and_is_done_the_next_time(sqlite_url, tmp_path):
    """Stopped in each way, one after the other: each goes on where the one before it ended."""
    store = Store(sqlite_url)
    for org_id in ORGANIZATIONS:
        with store.revision(org_id, "t", now=NOW, create={"name": org_id}) as revision:
            revision.record("organization.created")
    store.close()

    def files_now():
        return {path: path.read_bytes() for path in (tmp_path / "artifacts").glob("[!.]*/*/*") if path.is_file()}

    before = {}
    for number, code in ENDS:
        process = begin(("build", "--all", "--jobs", "2"), tmp_path)
        until(lambda known=len(before): len(files_now()) > known)
        ended, said = stop(process, number)
        assert (ended, "Traceback" in said, said) == (code, False, said)
        left = files_now()
        assert {path: left[path] for path in before} == before
        before = left
    again = begin(("build", "--all", "--jobs", "2"), tmp_path)
    made, said = again.communicate(timeout=300)
    assert (again.returncode, "Traceback" in said) == (0, False)
    whole = files_now()
    assert {path: whole[path] for path in before} == before
    assert len(whole) > len(before)
    assert [line.partition(":")[0] for line in made.splitlines()] == list(ORGANIZATIONS)


@pytest.mark.real
@pytest.mark.parametrize(("number", "code"), ENDS)
def test_so_does_the_demo(number, code, tmp_path):
    process = begin(("demo", "--no-serve"), tmp_path)
    until(lambda: len(children(process.pid)) >= 2)  # one keeps count of what multiprocessing uses
    ended, said = stop(process, number)
    assert (ended, "Traceback" in said, said) == (code, False, said)


def test_a_pool_gives_back_what_was_computed():
    with process_pool(2) as pool:
        assert [one.result() for one in [pool.submit(abs, number) for number in (-1, 2, -3)]] == [1, 2, 3]


def test_a_block_that_raises_ends_what_runs_at_once():
    began = time.monotonic()

    def leave():
        with process_pool(1) as pool:
            pool.submit(time.sleep, 600)
            raise KeyError

    with pytest.raises(KeyError):
        leave()
    assert time.monotonic() - began < 60


def test_a_signal_while_a_pool_starts_waits_until_it_has(monkeypatch):
    """Half started, its thread is none that the end of the pool could wait for."""
    start = _ExecutorManagerThread.start

    def start_under_signal(thread):
        signal.raise_signal(signal.SIGTERM)
        start(thread)

    monkeypatch.setattr(_ExecutorManagerThread, "start", start_under_signal)
    before = signal.signal(signal.SIGTERM, engine.cli._terminate)
    try:
        with pytest.raises(SystemExit) as end, process_pool(1) as pool:
            pool.submit(time.sleep, 600)
    finally:
        restored = signal.signal(signal.SIGTERM, before)
    assert (end.value.code, restored) == (143, engine.cli._terminate)


def test_a_process_of_the_pool_that_is_ended_from_outside_is_told():
    def kill():
        with process_pool(1) as pool:
            pool.submit(signal.raise_signal, signal.SIGKILL).result()

    with pytest.raises(Unavailable, match="ended from outside"):
        kill()


@pytest.mark.real
def test_a_profiler_gets_to_write_what_it_saw(tmp_path):
    command = [sys.executable, "-m", "cProfile", "-o", str(tmp_path / "profile"), "-m", "engine.cli", "tables"]
    subprocess.run(command, env=os.environ | {"SVC_DATA_DIR": str(tmp_path)}, check=True, capture_output=True)
    assert (tmp_path / "profile").stat().st_size > 0
