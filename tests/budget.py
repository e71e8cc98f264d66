"""What a run of the tests takes of the processor, beside what ``budget.toml`` allows. Time of day says nothing here."""

import resource
import tomllib
from pathlib import Path

import pytest

ALLOWED = tomllib.loads((Path(__file__).parent / "budget.toml").read_text())
FAILING = ("test", "real")  # of CI; elsewhere it is said and no more: another machine takes another time


def pytest_addoption(parser):
    parser.addoption("--budget", choices=ALLOWED, help="print the processor seconds of this run beside its budget")


def spent():
    """Processor seconds of this process and of those that it waited for, which the workers are by now."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def is_beyond(name, seconds):
    return seconds > ALLOWED[name]


def line(name, seconds):
    return f"{seconds:.0f} of {ALLOWED[name]} processor seconds, the budget {name!r} of tests/budget.toml"


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    name = session.config.getoption("budget")
    if name in FAILING and not hasattr(session.config, "workerinput") and is_beyond(name, spent()):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter, config):
    name = config.getoption("budget")
    if name:
        terminalreporter.write_line(line(name, spent()), red=is_beyond(name, spent()))
