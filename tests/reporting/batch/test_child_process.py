"""A child process has a name, does not hear Ctrl-C, and has as few threads of Polars as its parent."""

import os
import signal
from multiprocessing import Pipe, current_process

import pytest

from engine.reporting.batch.child_process import start_child


def report_state(far):
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    far.send((current_process().name, mask, os.environ["POLARS_MAX_THREADS"]))


@pytest.mark.parametrize("signals", [(signal.SIGINT,), (signal.SIGINT, signal.SIGTERM)])
def test_a_child_is_deaf_and_has_a_name(monkeypatch, signals):
    monkeypatch.delenv("POLARS_MAX_THREADS")
    near, far = Pipe()
    with near, far:
        child = start_child(report_state, (far,), "reader", signals)
        child.join(30)
        assert near.poll()
        assert near.recv() == ("reader", set(signals), "1")
    assert (child.exitcode, child.daemon) == (0, True)
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())
