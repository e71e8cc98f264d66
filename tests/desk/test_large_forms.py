"""What the server of the desk refuses before the desk is asked is a page, as every other refusal is."""

import http.client
import re
import socket
import threading
from html import unescape

import pytest

from engine.cli.installation.workers import desk_server
from engine.desk.visits import LARGE_FORM, MOST_BYTES
from engine.web.lanes import DESK, REPORTS
from engine.web.serving.server import listen


@pytest.fixture
def port(desk):
    """The desk behind a real port, as the commands open it."""
    with listen("127.0.0.1", 0) as listening:
        server = desk_server(desk.services, {str(DESK.workers): None, str(REPORTS.workers): None}, listening)
        over = threading.Event()
        loop = threading.Thread(target=server.serve, args=(over.is_set,))
        loop.start()
        yield listening.getsockname()[1]
        over.set()
        loop.join(timeout=15)
        assert not loop.is_alive()


def test_a_form_that_is_too_large_is_answered_with_a_page_that_says_the_limit_and_what_to_do(port):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.putrequest("POST", "/import")
    connection.putheader("Content-Length", str(MOST_BYTES + 1))
    connection.endheaders()
    answer = connection.getresponse()
    text = answer.read().decode()
    assert (answer.status, answer.headers["Content-Type"]) == (413, "text/html; charset=utf-8")
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert (answer.headers["X-Content-Type-Options"], answer.headers["Cache-Control"]) == ("nosniff", "no-store")
    assert [unescape(found) for found in re.findall(r"<p>([^<]*)</p>", text)] == [LARGE_FORM]
    assert "16 MiB" in LARGE_FORM


def test_a_request_that_cannot_be_read_is_answered_with_a_page_too(port):
    with socket.create_connection(("127.0.0.1", port), timeout=20) as client:
        client.sendall(b"GET / HTTP/1.1\r\nbroken\r\n\r\n")
        answer = b"".join(iter(lambda: client.recv(65536), b"")).decode()
    assert answer.startswith("HTTP/1.1 400 ")
    assert "<h1>Bad Request</h1>" in answer
    assert "The request cannot be read:" in answer
