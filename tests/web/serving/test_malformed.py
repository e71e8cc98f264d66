"""Over raw sockets: what is malformed is one answer in the shape of every error, and one line of log."""

import json
import logging
from contextlib import ExitStack

import pytest

from tests.web.attacks import connect, head
from tests.web.served import behind_waitress
from tests.web.serving.test_serving import Application, answer, listening

POST = "POST /echo HTTP/1.1\r\nHost: here\r\n"
CHUNKED = f"{POST}Transfer-Encoding: chunked\r\n\r\n".encode()


@pytest.fixture(scope="module")
def port():
    with listening(Application()) as found:
        yield found


def ask(port, sent):
    """Status, content and header of the first answer to these bytes; the server closes then, if it refuses."""
    with ExitStack() as closing:
        client = connect(closing, port)
        client.sendall(sent)
        status, body, top = answer(client)
        if status != 200:
            assert client.recv(1) == b""
    return status, body, top


@pytest.mark.parametrize(
    ("sent", "status", "says"),
    [
        (b"GET / HTTP/1.1\r\nHost: here\r\nX Y: z\r\n\r\n", 400, "a header is a name"),
        (b"GET / HTTP/1.1\r\nHost: here\r\nX : z\r\n\r\n", 400, "a header is a name"),
        (b"GET / HTTP/1.1\r\nHost: here\r\n: z\r\n\r\n", 400, "a header is a name"),
        (b"GET / HTTP/1.1\r\nHost: here\r\n z\r\n\r\n", 400, "a header is a name"),
        (b"GET / HTTP/1.1\r\nHost: here\r\nX: y\rz\r\n\r\n", 400, "control characters"),
        (b"GET / HTTP/1.1\r\nHost: here\r\nX: y\nZ: z\r\n\r\n", 400, "control characters"),
        (b"GET / HTTP/1.1\r\nHost: here\r\nX: y\0z\r\n\r\n", 400, "control characters"),
        (b"GET / HTTP/1.1\r\nHost: here\r\nX:" + b" " * 60_000 + b"\0\r\n\r\n", 400, "control characters"),
        (b"GET /\0 HTTP/1.1\r\nHost: here\r\n\r\n", 400, "the first line"),
        (b"GET /\r HTTP/1.1\r\nHost: here\r\n\r\n", 400, "the first line"),
        (b"GET /\xff HTTP/1.1\r\nHost: here\r\n\r\n", 400, "the first line"),
        (b"GET  / HTTP/1.1\r\nHost: here\r\n\r\n", 400, "the first line"),
        (b"GET /\r\n\r\n", 400, "the first line"),
        (b"GET / HTTP/1.10\r\nHost: here\r\n\r\n", 400, "the first line"),
        (b"GET / HTTP/2.0\r\nHost: here\r\n\r\n", 505, "expected HTTP/1.1, found HTTP/2.0"),
        (b"GET http://[/ HTTP/1.1\r\nHost: here\r\n\r\n", 400, "none of a URL"),
        (b"GET elsewhere HTTP/1.1\r\nHost: here\r\n\r\n", 400, "begins with a slash"),
        (b"GET / HTTP/1.1\r\n\r\n", 400, "needs a Host"),
        (b"GET / HTTP/1.1\r\nHost: here\r\nhost: here\r\n\r\n", 400, "came twice"),
        (b"GET / HTTP/1.1\r\nHost: he re\r\n\r\n", 400, "Host is a name"),
        (f"{POST}Content-Length: {'9' * 4301}\r\n\r\n".encode(), 400, "at most 18 digits; it has 4301"),
        (f"{POST}Content-Length: +5\r\n\r\nhello".encode(), 400, "digits alone"),
        (f"{POST}Content-Length: -5\r\n\r\nhello".encode(), 400, "digits alone"),
        (f"{POST}Content-Length: 1 2\r\n\r\nhello".encode(), 400, "digits alone"),
        (f"{POST}Content-Length:\r\n\r\nhello".encode(), 400, "digits alone"),
        (f"{POST}Content-Length: 5, 5\r\n\r\nhello".encode(), 400, "digits alone"),
        (f"{POST}Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello".encode(), 400, "came twice"),
        (f"{POST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n".encode(), 400, "this has both"),
        (b"POST /echo HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400, "HTTP/1.0 has no"),
        (f"{POST}Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n".encode(), 400, "once and last"),
        (f"{POST}Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n".encode(), 400, "once and last"),
        (f"{POST}Transfer-Encoding: ,chunked\r\n\r\n0\r\n\r\n".encode(), 400, "once and last"),
        (f"{POST}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n".encode(), 501, "another coding"),
        (CHUNKED + b"5;" + b"x" * 300, 400, "at most 256 bytes"),
        (CHUNKED + b"0" * 300, 400, "at most 256 bytes"),
        (CHUNKED + b"0" * 17 + b"\r\n", 400, "hexadecimal"),
        (CHUNKED + b"0x5\r\nhello\r\n", 400, "hexadecimal"),
        (CHUNKED + b"-5\r\nhello\r\n", 400, "hexadecimal"),
        (CHUNKED + b"5\n\r\nhello\r\n", 400, "hexadecimal"),
        (CHUNKED + b"\r\n5\r\nhello\r\n", 400, "hexadecimal"),
        (CHUNKED + b"5\r\nhello, world", 400, "as many bytes as its line says"),
        (CHUNKED + b"0\r\n" + b"X: y\r\n" * 2000, 400, "at most 8192 bytes"),
        (CHUNKED + b"0\r\nX y\r\n\r\n", 400, "a header is a name"),
        (
            CHUNKED + b"1;" + b"x" * 200 + b"\r\ny\r\n" + (b"1;" + b"x" * 200 + b"\r\ny\r\n") * 90,
            400,
            "extensions of all",
        ),
    ],
)
def test_what_is_malformed_is_answered_and_logged_once(sent, status, says, port, caplog):
    caplog.set_level(logging.INFO)
    got, body, top = ask(port, sent)
    content = json.loads(body)
    assert (got, set(content)) == (status, {"error", "message"})
    assert says in content["message"]
    assert {"Content-Type: application/json", "Connection: close"} <= set(top.split("\r\n"))
    assert "\r\nX-Request-Id: " in top
    assert [(line.levelname, says in line.getMessage()) for line in caplog.records] == [("INFO", True)]


@pytest.mark.parametrize(
    ("sent", "body"),
    [
        (b"GET / HTTP/1.1\r\nHost: here:80\r\n\r\n", b"/"),
        (b"\r\nGET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n", b"/"),
        (b"GET / HTTP/1.0\r\n\r\n", b"/"),
        (b"GET / HTTP/1.2\r\nHost:\r\n\r\n", b"/"),
        (b"GET http://here HTTP/1.1\r\nHost: here\r\n\r\n", b"/"),
        (b"OPTIONS * HTTP/1.1\r\nHost: here\r\n\r\n", b"*"),
        (b"GET / HTTP/1.1\r\nHost: here\r\nX: \xff \t\r\nX:\r\n\r\n", b"/"),
        (f"{POST}Content-Length: 005\r\n\r\nhello".encode(), b"hello"),
        (f"{POST}Content-Length: 0\r\n\r\n".encode(), b""),
        (CHUNKED + b"0\r\n\r\n", b""),
        (CHUNKED + b'5;a="b;c" ; d\r\nhello\r\n00\r\nX: y\r\n\r\n', b"hello"),
        (CHUNKED.replace(b"chunked", b"Chunked") + b"A\r\n0123456789\r\n1\r\na\r\n0\r\n\r\n", b"0123456789a"),
    ],
)
def test_what_is_odd_but_well_formed_is_answered(sent, body, port):
    assert ask(port, sent)[:2] == (200, body)


def test_a_chunked_body_that_comes_byte_by_byte_is_whole(port):
    with ExitStack() as closing:
        client = connect(closing, port)
        for one in CHUNKED + b"3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nX: y\r\n\r\n":
            client.sendall(bytes([one]))
        assert answer(client)[:2] == (200, b"abcde")


def test_a_chunk_line_without_an_end_is_refused_while_it_comes(port):
    assert ask(port, CHUNKED + b"5;" + b"x" * 256)[0] == 400


@pytest.mark.parametrize("method", ["get", "Get", "FOO", "M-SEARCH"])
def test_a_method_that_nobody_knows_is_405_with_those_that_are(method, console):
    with behind_waitress(console) as port, ExitStack() as closing:
        client = connect(closing, port)
        for path in ("/api/health", "/api/incidents/some/export"):
            client.sendall(head(method, path))
            status, body, top = answer(client)
            assert (status, json.loads(body)["error"]) == (405, "method_not_allowed")
            assert "\r\nAllow: GET, HEAD\r\n" in top
