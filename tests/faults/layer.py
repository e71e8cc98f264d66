"""A layer under the product in which the n-th call of files or of the database fails.

    with failing(n, OSError(errno.ENOSPC, "…"), below=folder) as calls: …     the n-th file call below a folder
    with failing_store(n, "SQLITE_FULL") as calls: …                          the n-th statement or commit of SQLite
    with failing_sends(n, ConnectionResetError(…), port=port) as calls: …     the n-th call on a socket to a port

``calls.count`` says how many there were, so that a test goes through them until an operation meets no fault any more.
"""

import io
import os
import signal
import socket
import sqlite3
import ssl
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from unittest.mock import patch

from engine.model.errors import Problem


@dataclass
class Calls:
    """How many calls there were, of which the ``fails``-th raises ``error``, or ends the process if it ``kills``."""

    fails: int
    error: BaseException
    count: int = 0
    kills: bool = False

    @property
    def met(self):
        return self.count >= self.fails

    def step(self):
        self.count += 1
        if self.count == self.fails:
            if self.kills:
                os.kill(os.getpid(), signal.SIGKILL)
            raise self.error


NONE = Calls(-1, AssertionError("nothing is to fail"))


def _place(target):
    """The path that a call is about."""
    if isinstance(target, int):
        return Path(f"/proc/self/fd/{target}").readlink()
    return os.fspath(target)


class _CountingWriter(io.BufferedWriter):
    """A file of which each write is a call."""

    def __init__(self, raw, calls):
        super().__init__(raw)
        self._calls = calls

    def write(self, data):
        self._calls.step()
        return super().write(data)


@contextmanager
def failing(number, error, *, below):
    """The ``number``-th call that changes files below a folder raises the error: open, write, fsync, replace, mkdir…"""
    calls, root = Calls(number, error), str(below)
    real_open = io.open

    def ours(target):
        try:
            return str(_place(target)).startswith(root)
        except (OSError, TypeError):
            return False

    def watch(function):
        @wraps(function)
        def call(target, *arguments, **options):
            if ours(target) or (function.__name__ == "link" and ours(arguments[0])):
                calls.step()
            return function(target, *arguments, **options)

        return call

    def open_low(path, flags, *arguments, **options):
        if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT) and ours(options.get("dir_fd") or path):
            calls.step()
        return os_open(path, flags, *arguments, **options)

    def open_high(file, mode="r", *arguments, **options):
        if not set(mode) & set("wax+") or not ours(file):
            return real_open(file, mode, *arguments, **options)
        if not isinstance(file, int):
            calls.step()
        if mode in ("wb", "xb"):
            return _CountingWriter(io.FileIO(file, mode), calls)
        return real_open(file, mode, *arguments, **options)

    os_open = os.open
    with ExitStack() as stack:
        for name in ("replace", "rename", "link", "mkdir", "fsync"):
            stack.enter_context(patch.object(os, name, watch(getattr(os, name))))
        stack.enter_context(patch.object(os, "open", open_low))
        stack.enter_context(patch.object(io, "open", open_high))
        yield calls


class _Statements(sqlite3.Connection):
    """A connection of which each statement and each commit is a call."""

    calls = NONE  # a connection may live on

    def execute(self, *arguments):
        self.calls.step()
        return super().execute(*arguments)

    def cursor(self, factory=None):
        return super().cursor(_Cursor)

    def commit(self):
        self.calls.step()
        return super().commit()


class _Cursor(sqlite3.Cursor):
    def execute(self, *arguments):
        _Statements.calls.step()
        return super().execute(*arguments)

    def executemany(self, *arguments):
        _Statements.calls.step()
        return super().executemany(*arguments)


def sqlite_error(name):
    """An error as SQLite raises it."""
    error = sqlite3.OperationalError(f"injected {name}")
    error.sqlite_errorname, error.sqlite_errorcode = name, getattr(sqlite3, name)
    return error


@contextmanager
def failing_store(number, error):
    """The ``number``-th statement or commit on a connection that is opened meanwhile raises the error."""
    calls = Calls(number, error)
    real = sqlite3.connect
    with (
        patch.object(_Statements, "calls", calls),
        patch.object(sqlite3, "connect", lambda *given, **options: real(*given, **{**options, "factory": _Statements})),
    ):
        yield calls


@contextmanager
def failing_sends(number, error, *, port):
    """The ``number``-th connection, send or receipt on a socket of ours to that port raises the error."""
    calls = Calls(number, error)

    def is_ours(stream, name, given):
        try:
            return (given[0] if name == "connect" else stream.getpeername())[1] == port
        except OSError:
            return False

    def watch(function, name):
        @wraps(function)
        def call(stream, *given, **options):
            if is_ours(stream, name, given):
                calls.step()
            return function(stream, *given, **options)

        return call

    with ExitStack() as stack:
        for kind in (socket.socket, ssl.SSLSocket):
            for name in ("connect", "send", "sendall", "recv_into"):
                stack.enter_context(patch.object(kind, name, watch(getattr(kind, name), name)))
        yield calls


def problem_of(operation, kind=Problem):
    """What an operation raises of this kind; None where it goes through."""
    try:
        operation()
    except kind as error:
        return error
    return None
