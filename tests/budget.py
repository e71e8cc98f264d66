"""What a run of the tests takes of the processor, beside what ``budget.toml`` allows. Time of day says nothing here.

Processors differ, and one that is shared differs from minute to minute: a fixed piece of work is timed again and again while
the tests run, and what they took is counted as on a machine where that piece takes ``PIECE_SECONDS``. The dearest tests are named, so that whoever
is over the budget knows where to look.
"""

import resource
import threading
import time
import tomllib
from pathlib import Path
from statistics import fmean

import pytest

ALLOWED = tomllib.loads((Path(__file__).parent / "budget.toml").read_text())
FAILING = ("test", "real")  # of CI; elsewhere it is printed and no more
PIECE_SECONDS = 0.050
PAUSE_SECONDS = 10.0
DEAREST = 10  # so many tests are named
SPENT: dict[str, float] = {}  # by this process before the test that runs
SECONDS_OF: dict[str, float] = {}  # processor seconds of each test that has run


def pytest_addoption(parser):
    parser.addoption("--budget", choices=ALLOWED, help="print the processor seconds of this run beside its budget")


class Yardstick:
    """Processor seconds of one fixed piece of work, drawn all through a run."""

    def __init__(self, pause=PAUSE_SECONDS):
        self.pause = pause
        self.pieces = [piece()]
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._draw, name="yardstick", daemon=True)

    def start(self):
        self._thread.start()

    def stop(self):
        """Nothing more is drawn afterwards; may be called again."""
        self._end.set()
        if self._thread.is_alive():
            self._thread.join()

    def slowness(self):
        """How many times longer work takes here than where the budget was measured; never below 1."""
        return max(1.0, fmean(self.pieces) / PIECE_SECONDS)

    def _draw(self):
        while not self._end.wait(self.pause):
            self.pieces.append(piece())


def piece():
    """Processor seconds of some arithmetic, texts and look-ups, as the tests are made of."""
    begin = time.thread_time()
    counts = {}
    for number in range(200_000):
        key = number % 997
        counts[key] = counts.get(key, 0) + len(str(number))
    return time.thread_time() - begin


def spent():
    """Processor seconds of this process and of those that it waited for, which the workers are by now."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def dearest(seconds_of, most=DEAREST):
    """Lines of the tests that took most, by identifier and processor seconds, the dearest first."""
    order = sorted(seconds_of.items(), key=lambda item: (-item[1], item[0]))
    return [f"{seconds:8.1f}  {test}" for test, seconds in order[:most]]


def is_beyond(name, seconds, slowness=1.0):
    return seconds / slowness > ALLOWED[name]


def line(name, seconds, slowness=1.0):
    budget = f"{seconds / slowness:.0f} of {ALLOWED[name]} processor seconds, the budget {name!r} of tests/budget.toml"
    return budget if slowness == 1 else f"{budget} ({seconds:.0f} here, where work takes {slowness:.2f} times as long)"


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logstart(nodeid):
    SPENT["before"] = spent()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(call):
    """What a test took, its fixtures and the processes that it waited for as well, goes with its last report to whoever prints."""
    outcome = yield
    if call.when == "teardown":
        outcome.get_result().processor_seconds = spent() - SPENT["before"]


def pytest_runtest_logreport(report):
    if report.when == "teardown":
        SECONDS_OF[report.nodeid] = report.processor_seconds


def pytest_configure(config):
    if config.getoption("budget") and not hasattr(config, "workerinput"):
        config.yardstick = Yardstick()
        config.yardstick.start()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    name = session.config.getoption("budget")
    if not name or hasattr(session.config, "workerinput"):
        return
    session.config.yardstick.stop()
    if name in FAILING and is_beyond(name, spent(), session.config.yardstick.slowness()):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter, config):
    name = config.getoption("budget")
    if name:
        slowness = config.yardstick.slowness()
        for text in dearest(SECONDS_OF):
            terminalreporter.write_line(text)
        terminalreporter.write_line(line(name, spent(), slowness), red=is_beyond(name, spent(), slowness))
