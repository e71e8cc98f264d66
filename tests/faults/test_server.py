"""A server that can open no more files, or has no room for what comes and goes, says so and goes on."""

import errno
import http.client
import os
import tempfile
import threading
import time
from contextlib import contextmanager
from itertools import pairwise

import pytest
import waitress.buffers
from waitress import wasyncore

from engine.web.serving.server import serve_simply
from tests.web.served import free_port

pytestmark = pytest.mark.real

LARGE = b"x" * 3_000_000


def application(environ, start_response):
    body = LARGE if environ["PATH_INFO"] == "/large" else b"%d" % len(environ["wsgi.input"].read())
    start_response("200 OK", [("Content-Length", str(len(body)))])
    return [body]


@pytest.fixture
def port():
    number, over = free_port(), threading.Event()
    server = serve_simply(application, "127.0.0.1", number, 2)
    loop = threading.Thread(target=server.serve, args=(over.is_set,))
    loop.start()
    yield number
    over.set()
    loop.join(timeout=15)


def ask(port, method="GET", path="/", body=None):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        connection.request(method, path, body)
        answer = connection.getresponse()
        return answer.status, answer.getheader("Retry-After"), answer.read()
    finally:
        connection.close()


def test_a_server_without_free_files_waits_and_goes_on(port, monkeypatch, caplog):
    real, tries = wasyncore.dispatcher.accept, []

    def accept(self):
        tries.append(time.monotonic())
        if len(tries) <= 3:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        return real(self)

    monkeypatch.setattr(wasyncore.dispatcher, "accept", accept)
    assert ask(port) == (200, None, b"0")
    assert [later - earlier > 0.3 for earlier, later in pairwise(tries[:4])] == [True] * 3
    assert [record.message for record in caplog.records if "let in" in record.message] == [
        "no connection can be let in: Too many open files (ulimit -n)"
    ]


@contextmanager
def no_files(monkeypatch):
    """No file can be made for what is too large for memory."""

    def refuse(*arguments, **named):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(waitress.buffers.TempfileBasedBuffer, "__init__", refuse)  # of answers
        patched.setattr(tempfile, "TemporaryFile", refuse)  # of bodies
        yield


def test_a_body_for_which_there_is_no_room_is_refused(port, monkeypatch):
    with no_files(monkeypatch):
        status, retry_after, body = ask(port, "POST", "/", LARGE)
        assert (status, retry_after, b'"error":"disk_full"' in body) == (503, "30", True)
        assert ask(port, "POST", "/", b"small") == (200, None, b"5")
    assert ask(port, "POST", "/", LARGE) == (200, None, b"3000000")


def test_an_answer_for_which_there_is_no_room_ends_with_its_connection_alone(port, monkeypatch):
    with no_files(monkeypatch):
        with pytest.raises((http.client.IncompleteRead, ConnectionError)):
            ask(port, "GET", "/large")
        assert ask(port) == (200, None, b"0")
    assert ask(port, "GET", "/large") == (200, None, LARGE)
