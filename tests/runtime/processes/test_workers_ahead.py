"""Workers that are copies of the process that starts them: what they have, what they let go, how they end."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from engine.reporting.batch.child_process import can_fork
from engine.runtime.processes.worker_process import workers_ahead
from tests.web.served import until

PROGRAM = """
import contextlib, json, os, socket, sys
from engine.runtime.processes.worker_process import Assignment, workers_ahead
from engine.runtime.processes.workers import Workers

@contextlib.contextmanager
def open_nothing():
    yield None

def state(nothing, number):
    import multiprocessing, signal
    with contextlib.suppress(OSError):
        return os.getpid(), os.fstat(number) and "open"
    return os.getpid(), "let go", multiprocessing.current_process().name, len(signal.pthread_sigmask(signal.SIG_BLOCK, ()))

listening = socket.create_server(("127.0.0.1", 0))
with workers_ahead({"reports": open_nothing, "archives": open_nothing}, [listening]) as ahead:
    pools = {name: Workers(name, [open_nothing], deadline=60.0, ahead=one) for name, one in ahead.items()}
    work = Assignment(state, (listening.fileno(),))
    print(json.dumps({name: pool.run(work, place="acme") for name, pool in pools.items()}), flush=True)
    sys.stdin.readline()
    for pool in pools.values():
        pool.close()
print("over", flush=True)
os._exit(0)
"""


@pytest.fixture
def program():
    """A process with two such workers, and what they said of themselves."""
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    yield process, json.loads(process.stdout.readline())
    process.kill()
    process.communicate()


def is_there(pid):
    """Whether a process runs; one that is over and not yet fetched does not."""
    path = Path(f"/proc/{pid}/stat")
    return path.exists() and path.read_text().rpartition(")")[2].split()[0] != "Z"


@pytest.mark.skipif(sys.platform != "linux", reason="copies are made on Linux alone")
def test_a_copy_has_a_name_is_deaf_and_holds_no_socket_of_the_server(program):
    _, workers = program
    pids = {name: state.pop(0) for name, state in workers.items()}
    assert workers == {"reports": ["let go", "reports-0", 2], "archives": ["let go", "archives-0", 2]}
    assert len(set(pids.values())) == 2


@pytest.mark.skipif(sys.platform != "linux", reason="copies are made on Linux alone")
@pytest.mark.parametrize("end", ["at its end", "killed"])
def test_copies_end_with_the_process_that_made_them(program, end):
    process, workers = program
    pids = [pid for pid, *_ in workers.values()]
    assert [is_there(pid) for pid in pids] == [True, True]
    if end == "killed":
        process.send_signal(signal.SIGKILL)
    else:
        process.stdin.write("\n")
        process.stdin.flush()
        assert process.stdout.readline() == "over\n"
    until(lambda: not any(is_there(pid) for pid in pids))


def test_a_process_with_libraries_that_start_threads_makes_no_copies():
    assert "polars" in sys.modules
    assert not can_fork()
    with workers_ahead({"reports": list}, []) as ahead:
        assert ahead == {}
