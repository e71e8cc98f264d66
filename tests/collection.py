"""Workers of one run load the test modules from different places on, so that what one has compiled the others find.

All of them load all modules. Where nothing is compiled yet, in a fresh clone, workers that go through them side by side
compile each module as often as there are workers.
"""

import importlib
import os
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest

TESTS = Path(__file__).parent


def module_names():
    files = sorted(TESTS.rglob("test_*.py"))
    return [".".join(file.relative_to(TESTS.parent).with_suffix("").parts) for file in files]


def from_own_place(names, worker, workers):
    """``names`` from where the share of ``worker`` begins, counted from 0, round to the one before it."""
    begin = len(names) * worker // workers
    return names[begin:] + names[:begin]


def load_modules(config):
    """Load what a whole run will, in a worker's own order; nothing where one was asked for a part of the tests."""
    if "PYTEST_XDIST_WORKER" not in os.environ or config.args != config.getini("testpaths"):
        return
    worker = int(os.environ["PYTEST_XDIST_WORKER"].removeprefix("gw"))
    for name in from_own_place(module_names(), worker, int(os.environ["PYTEST_XDIST_WORKER_COUNT"])):
        with suppress(pytest.skip.Exception):  # a module that lacks something on this machine
            importlib.import_module(name)


def spared_twins(of_postgresql, every, share):
    """Of tests on PostgreSQL that are there on SQLite, too, all but each ``share``-th of a module."""
    seen, spared = Counter(), set()
    for name in of_postgresql:
        if (twin := name.replace("postgresql", "sqlite")) != name and twin in every:
            module = name.partition("::")[0]
            if seen[module] % share:
                spared.add(name)
            seen[module] += 1
    return spared


def spared_cases(names, share):
    """Of the cases of a test, by what stands before the bracket, all but each ``share``-th, always the same ones."""
    seen, spared = Counter(), set()
    for name in names:
        test, bracket, _ = name.partition("[")
        if bracket:
            if seen[test] % share:
                spared.add(name)
            seen[test] += 1
    return spared
