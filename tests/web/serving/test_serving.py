"""The server below the application: lanes, deadlines, caps, the end. Each test has an application of a few lines."""

import json
import select
import socket
import threading
import time
from contextlib import ExitStack, contextmanager, suppress

import pytest

from engine.web.lanes import Lane
from engine.web.serving import channel, server
from tests.web import served
from tests.web.attacks import HOST, ask_once, connect, head

FAST, SLOW = Lane("fast", threads=1, share=1), Lane("slow", threads=2, share=1, queue=2)
LARGE = b"x" * 30_000_000


def until(check, seconds=10):
    served.until(check, seconds)


class Application:
    """``/hold`` answers when it is let go, ``/large`` with much, ``/gone`` when its client hung up, else at once."""

    def __init__(self):
        self.held = threading.Semaphore(0)
        self.entered = []
        self.noticed = threading.Event()

    def __call__(self, environ, start):
        path = environ["PATH_INFO"]
        self.entered.append(path)
        body = path.encode()
        if path == "/hold":
            self.held.acquire(timeout=10)
        elif path == "/large":
            body = LARGE
        elif path == "/gone":
            until(environ["waitress.client_disconnected"], seconds=10)
            self.noticed.set()
        elif path == "/echo":
            body = environ["wsgi.input"].read()
        start("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(len(body)))])
        return [body]


@contextmanager
def listening(application, lanes=(FAST, SLOW), largest=0):
    """A server in which everything but ``/`` and ``/echo`` runs in the slow lane; its port."""
    own = server.listen(HOST, 0)
    by_name = {lane.name: lane for lane in lanes}

    def lane_of(method, path, signed):
        return by_name["fast" if path in ("/", "/echo") else "slow"]

    found = server.ConsoleServer(application, own, lanes, lane_of, largest=largest)
    over = threading.Event()
    loop = threading.Thread(target=found.serve, args=(over.is_set,))
    loop.start()
    try:
        yield own.getsockname()[1]
    finally:
        over.set()
        loop.join(timeout=20)
        assert not loop.is_alive()


@pytest.fixture
def application(monkeypatch):
    monkeypatch.setattr(server, "GRACE_SECONDS", 5.0)
    return Application()


def ask(closing, port, path, *headers):
    """A connection on which ``path`` was asked for."""
    client = connect(closing, port)
    client.sendall(head("GET", path, *headers))
    return client


def answer(client):
    """Status and body of one answer."""
    data = b""
    while b"\r\n\r\n" not in data and (piece := client.recv(65536)):
        data += piece
    top, _, body = data.partition(b"\r\n\r\n")
    length = next(int(line.split(b":")[1]) for line in top.split(b"\r\n") if line.lower().startswith(b"content-length"))
    while len(body) < length and (piece := client.recv(65536)):
        body += piece
    return int(top.split(b" ")[1]), body, top.decode()


@pytest.mark.real
def test_readers_that_do_not_read_hold_no_thread(application):
    wide = Lane("slow", threads=2, share=2)
    with listening(application, (FAST, wide)) as port, ExitStack() as closing:
        for number in range(6):
            client = connect(closing, port, receive=4096)
            client.sendall(head("GET", "/large", f"Cookie: {number}"))
        until(lambda: application.entered.count("/large") == 6)
        assert ask_once(port, "/large", headers=("Cookie: 7",))[2] == LARGE


def test_one_caller_has_its_share_of_a_lane(application):
    with listening(application) as port, ExitStack() as closing:
        mine = [ask(closing, port, "/hold", "Cookie: mine") for _ in range(2)]
        until(lambda: application.entered == ["/hold"])
        assert ask_once(port, "/other", headers=("Cookie: other",))[::2] == (200, b"/other")
        application.held.release(2)
        assert [answer(client)[:2] for client in mine] == [(200, b"/hold")] * 2


def test_a_lane_that_is_full_says_when_to_come_back_and_others_go_on(application):
    with listening(application) as port, ExitStack() as closing:
        clients = [ask(closing, port, "/hold", f"Cookie: {number}") for number in range(2)]
        until(lambda: len(application.entered) == 2)
        clients += [ask(closing, port, "/hold", f"Cookie: {number}") for number in range(2, 5)]
        (refused,), _, _ = select.select(clients, [], [], 10)
        status, body, top = answer(refused)
        assert (status, json.loads(body)["error"], json.loads(body)["retry_after"]) == (503, "busy", 5)
        assert {"Retry-After: 5", "Cache-Control: no-store"} <= set(top.split("\r\n"))
        assert "Connection: close" not in top
        assert ask_once(port, "/")[0] == 200
        application.held.release(4)
        assert {answer(client)[0] for client in clients if client is not refused} == {200}


def test_whoever_waits_too_long_is_told_to_come_back(application):
    impatient = Lane("slow", threads=1, share=1, patience=0.2)
    with listening(application, (FAST, impatient)) as port, ExitStack() as closing:
        first = ask(closing, port, "/hold")
        until(lambda: application.entered == ["/hold"])
        second = ask(closing, port, "/hold")
        assert answer(second)[0] == 503
        application.held.release()
        assert answer(first)[0] == 200
        second.sendall(head("GET", "/"))  # the connection goes on
        assert answer(second)[:2] == (200, b"/")


@pytest.mark.parametrize(
    ("setting", "sent", "expected"),
    [
        ("HEADER_SECONDS", b"GET / HTTP/1.1\r\nHost: here\r\nX-", "header"),
        ("BODY_SECONDS", b"POST /echo HTTP/1.1\r\nHost: here\r\nContent-Length: 5000\r\n\r\nabc", "body"),
    ],
)
def test_what_does_not_come_in_time_is_408(setting, sent, expected, application, monkeypatch):
    monkeypatch.setattr(channel, setting, 0.3)
    monkeypatch.setattr(channel, "BYTES_PER_SECOND", 1_000_000)
    with listening(application) as port, ExitStack() as closing:
        client = connect(closing, port)
        client.sendall(sent)
        status, body, _ = answer(client)
        assert (status, json.loads(body)["error"]) == (408, "request_timeout")
        assert f"The {expected} did not come in time" in json.loads(body)["message"]
        assert client.recv(1) == b""


def test_a_long_body_may_take_its_time_while_it_comes(application, monkeypatch):
    monkeypatch.setattr(channel, "BODY_SECONDS", 0.2)
    with listening(application) as port, ExitStack() as closing:
        client = connect(closing, port)
        client.sendall(head("POST", "/echo", "Content-Length: 20000"))
        for _ in range(20):
            client.sendall(b"y" * 1000)
            time.sleep(0.05)
        assert answer(client)[:2] == (200, b"y" * 20000)


def test_whoever_does_not_read_for_long_is_hung_up_on(application, monkeypatch):
    monkeypatch.setattr(channel, "READ_SECONDS", 0.5)
    with listening(application) as port, ExitStack() as closing:
        client = connect(closing, port, receive=4096)
        client.sendall(head("GET", "/large"))
        until(lambda: application.entered == ["/large"])
        time.sleep(2)
        received = 0
        while piece := client.recv(65536):
            received += len(piece)
        assert received < len(LARGE)


def test_an_address_with_too_many_connections_loses_the_one_that_said_least(application, monkeypatch):
    monkeypatch.setattr(server, "CONNECTIONS_OF_ADDRESS", 4)
    with listening(application) as port, ExitStack() as closing:
        busy = ask(closing, port, "/hold")
        until(lambda: application.entered == ["/hold"])
        silent = [connect(closing, port) for _ in range(3)]
        for client in silent:
            client.sendall(b"GET / HT")
        assert ask_once(port, "/")[0] == 200
        with suppress(ConnectionResetError):  # as it is for whoever is closed before what it sent was read
            assert silent[0].recv(1) == b""
        application.held.release()
        assert answer(busy)[0] == 200
        silent[2].sendall(b"TP/1.1\r\nHost: here\r\n\r\n")
        assert answer(silent[2])[:2] == (200, b"/")


def test_a_client_that_closed_its_side_gets_its_answer(application):
    with listening(application) as port, ExitStack() as closing:
        client = ask(closing, port, "/hold")
        client.shutdown(socket.SHUT_WR)
        until(lambda: application.entered == ["/hold"])
        application.held.release()
        assert answer(client)[:2] == (200, b"/hold")
        assert client.recv(1) == b""


def test_a_client_that_hung_up_is_noticed_while_its_request_runs(application):
    with listening(application) as port:
        with ExitStack() as closing:
            ask(closing, port, "/gone")
            until(lambda: application.entered == ["/gone"])
        assert application.noticed.wait(20)


def test_two_requests_on_one_connection_are_answered_in_order(application):
    with listening(application) as port, ExitStack() as closing:
        client = connect(closing, port)
        client.sendall(head("GET", "/hold") + head("GET", "/"))
        until(lambda: application.entered == ["/hold"])
        application.held.release()
        both = b""
        while not both.endswith(b"\r\n\r\n/"):
            both += client.recv(65536)
        assert [part.rpartition(b"\r\n")[2] for part in both.split(b"HTTP/1.1 200 OK")[1:]] == [b"/hold", b"/"]


@pytest.mark.parametrize(
    ("sent", "status", "word"),
    [
        (b"GET / HTTP/1.1\r\nbroken\r\n\r\n", 400, "bad_request"),
        (b"GET / HTTP/1.1\r\nX: " + b"y" * 300_000, 431, "header_too_large"),
        (head("POST", "/echo", "Content-Length: 99999999"), 413, "body_too_large"),
        (head("POST", "/echo", "Transfer-Encoding: gzip"), 501, "not_implemented"),
    ],
)
def test_what_cannot_be_read_is_answered_like_every_error(sent, status, word, application):
    with listening(application) as port, ExitStack() as closing:
        client = connect(closing, port)
        client.sendall(sent)
        got, body, top = answer(client)
        assert (got, json.loads(body)["error"]) == (status, word)
        assert {"Content-Type: application/json", "Connection: close"} <= set(top.split("\r\n"))
    assert application.entered == []


def test_at_the_end_what_runs_is_answered_and_what_waits_is_told(application):
    alone = Lane("slow", threads=1, share=1)
    with ExitStack() as closing:
        with listening(application, (FAST, alone)) as port:
            running = ask(closing, port, "/hold")
            until(lambda: application.entered == ["/hold"])
            waiting = ask(closing, port, "/hold")
            half = connect(closing, port)
            half.sendall(b"GET / HT")
            time.sleep(0.2)
            threading.Timer(1, application.held.release).start()
        assert answer(running)[:2] == (200, b"/hold")
        status, body, _ = answer(waiting)
        assert (status, json.loads(body)["error"]) == (503, "stopping")
        assert half.recv(1) == b""


def streaming(environ, start):
    """An endless stream: of the copilot's events under ``/events``, of plain text under ``/text``."""
    kind = "text/event-stream; charset=utf-8" if environ["PATH_INFO"] == "/events" else "text/plain"
    start("200 OK", [("Content-Type", kind)])
    while True:
        yield b"data: 1\n\n"
        time.sleep(0.02)


def rest(client):
    received = b""
    while piece := client.recv(65536):
        received += piece
    return received


def test_what_still_runs_after_the_grace_is_told_and_its_answer_is_thrown_away(application, monkeypatch):
    monkeypatch.setattr(server, "GRACE_SECONDS", 0.3)
    with ExitStack() as closing:
        with listening(application) as port:
            running = ask(closing, port, "/hold")
            until(lambda: application.entered == ["/hold"])
        status, body, top = answer(running)
        assert (status, json.loads(body)["error"]) == (503, "stopping")
        assert {"Retry-After: 5", "Connection: close"} <= set(top.split("\r\n"))
        application.held.release()
        assert rest(running) == b""


@pytest.mark.parametrize(("path", "last"), [("/events", b"0\r\n\r\n"), ("/text", b"data: 1\n\n\r\n")])
def test_at_the_end_a_stream_of_events_says_so_and_another_breaks_off(path, last, monkeypatch):
    monkeypatch.setattr(server, "GRACE_SECONDS", 0.3)
    with ExitStack() as closing:
        with listening(streaming) as port:
            client = ask(closing, port, path)
            assert client.recv(15) == b"HTTP/1.1 200 OK"
        received = rest(client)
    assert received.endswith(last)
    assert (b'"code":"stopping"' in received) == (path == "/events")


def test_a_body_that_is_still_coming_at_the_end_is_told(application):
    with ExitStack() as closing:
        with listening(application) as port:
            client = connect(closing, port)
            client.sendall(head("POST", "/echo", "Content-Length: 5000") + b"abc")
            time.sleep(0.2)
        status, body, _ = answer(client)
        assert (status, json.loads(body)["error"]) == (503, "stopping")


def test_a_connection_that_another_process_took_is_no_harm(application):
    own = server.listen(HOST, 0)
    lane = {lane.name: lane for lane in (FAST, SLOW)}
    found = server.ConsoleServer(application, own, (FAST, SLOW), lambda method, path, signed: lane["fast"])
    found.handle_accept()
    assert found.active_channels == {}
    assert found.serve(lambda: True)


def test_a_signal_after_the_end_wakes_nothing():
    """The number of what woke the loop may be another file's by then."""
    lane = {lane.name: lane for lane in (FAST, SLOW)}
    found = server.ConsoleServer(
        Application(), server.listen(HOST, 0), (FAST, SLOW), lambda method, path, signed: lane["fast"]
    )
    assert found.serve(lambda: True)
    found.stop()
    found.stop(0.0)
