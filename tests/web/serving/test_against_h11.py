"""Odd requests, drawn: what h11 refuses is refused, and what both take has the same method, target and body."""

from random import Random

import h11
import pytest
from waitress.adjustments import Adjustments

from engine.web.serving.request_parser import RequestParser

ADJUSTMENTS = Adjustments()
METHODS = ("GET", "POST", "get", "M-SEARCH", "G(T", "", "G\0T")
TARGETS = ("/", "/a?b=c", "*", "http://here/a", "/\xff", "/\0", "/a b", "", "//a", "/%00", "/\x7f", "here:80")
VERSIONS = ("HTTP/1.1", "HTTP/1.0", "HTTP/1.2", "HTTP/1.10", "HTTP/2.0", "http/1.1", "HTTP/1.", "HTTP/1.1 ", "")
HOSTS = ("Host: here\r\n", "", "Host: here\r\nHost: here\r\n", "Host : here\r\n", "Host:\r\n", "hOST:here\r\n")
FIELDS = (
    "",
    "X: y\r\n",
    "X:\t y \t\r\n",
    "X Y: z\r\n",
    "X\r\n",
    ": y\r\n",
    "X: y\0\r\n",
    "X: y\rz\r\n",
    "X: y\nZ: z\r\n",
    "X: \xff\r\n",
    "X: \x01\r\n",
    "X: y\r\n z\r\n",
    "X: \x7f\r\n",
    "X_Y: z\r\n",
    "Connection: close\r\n",
    "Expect: 100-continue\r\n",
)
FRAMINGS = (
    "",
    "Content-Length: 5\r\n",
    "Content-Length: 0\r\n",
    "Content-Length: +5\r\n",
    "Content-Length: -5\r\n",
    "Content-Length: 5 5\r\n",
    "Content-Length: 5, 5\r\n",
    "Content-Length: 5\r\nContent-Length: 5\r\n",
    "Content-Length: 5\r\nContent-Length: 6\r\n",
    "Content-Length: 0x5\r\n",
    f"Content-Length: {'9' * 4301}\r\n",
    "Transfer-Encoding: chunked\r\n",
    "Transfer-Encoding: CHUNKED\r\n",
    "Transfer-Encoding: chunked, chunked\r\n",
    "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
    "Transfer-Encoding: gzip\r\n",
    "Transfer-Encoding: gzip, chunked\r\n",
    "Transfer-Encoding: \r\n",
    "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
)
BODIES = (
    "",
    "hello",
    "5\r\nhello\r\n0\r\n\r\n",
    "5;a=b\r\nhello\r\n0\r\nX: y\r\n\r\n",
    "5 \r\nhello\r\n0\r\n\r\n",
    " 5\r\nhello\r\n0\r\n\r\n",
    "0x5\r\nhello\r\n0\r\n\r\n",
    "5\r\nhello0\r\n\r\n",
    "5\r\nhell\r\n0\r\n\r\n",
    "-5\r\nhello\r\n0\r\n\r\n",
    "\r\n5\r\nhello\r\n0\r\n\r\n",
    "5\r\nhello\r\n0\r\nX Y: z\r\n\r\n",
    "5\r\nhello\r\n0\r\n X\r\n\r\n",
    "FFFFFFFFFFFFFFFFFFFFF\r\nhello\r\n0\r\n\r\n",
    "5\n\r\nhello\r\n0\r\n\r\n",
    "5;\0\r\nhello\r\n0\r\n\r\n",
    "G\r\n",
)
PREFIXES = ("", "\r\n", "\r\n\r\n", " ", "\t", "\0")
BLANKS = (
    b" ",
    b"\t",
    b"\r",
    b"\n",
)  # before a request: h11 refuses them; they are dropped here, and nothing is guessed


def draw(random):
    """One request, most of its parts as they should be."""

    def one(parts):
        return parts[0] if random.random() < 0.9 else random.choice(parts)

    first = f"{one(METHODS)} {one(TARGETS)} {one(VERSIONS)}"
    fields = [one(HOSTS), one(FIELDS), random.choice(FRAMINGS)]
    random.shuffle(fields)
    return f"{one(PREFIXES)}{first}\r\n{''.join(fields)}\r\n{random.choice(BODIES)}".encode("latin-1")


def of_h11(request):
    """What h11 reads: method, target, body, and whether it is whole; None for what it refuses."""
    connection = h11.Connection(h11.SERVER)
    found, body = None, b""
    try:
        connection.receive_data(request)
        while True:
            event = connection.next_event()
            if isinstance(event, h11.Request):
                found = event
            elif isinstance(event, h11.Data):
                body += bytes(event.data)
            else:
                break
    except h11.RemoteProtocolError:
        return None
    whole = isinstance(event, h11.EndOfMessage)
    return (found and found.method.decode(), found and found.target.decode(), body if whole else None)


def of_ours(request):
    """The same of ours."""
    parser = RequestParser(ADJUSTMENTS)
    rest = request
    while rest and not parser.completed:
        rest = rest[parser.received(rest) :]
        if parser.empty:
            parser = RequestParser(ADJUSTMENTS)
    try:
        if parser.error is not None:
            return None
        body = parser.get_body_stream().read() if parser.completed else None
        return parser.command, parser.request_uri, body
    finally:
        parser.close()


def test_the_plainest_request_is_read_by_both():
    request = b"POST /a HTTP/1.1\r\nHost: here\r\nContent-Length: 5\r\n\r\nhello"
    assert of_ours(request) == of_h11(request) == ("POST", "/a", b"hello")


@pytest.mark.real
def test_what_h11_refuses_is_refused_and_what_both_take_is_the_same():
    random = Random(20261124)
    requests = {draw(random) for _ in range(30_000)}
    pairs = {request: (of_h11(request), of_ours(request)) for request in requests}
    taken = {request: ours for request, (theirs, ours) in pairs.items() if theirs is None and ours is not None}
    listed = {request for request in taken if request.startswith(BLANKS)}
    differing = {r: pair for r, pair in pairs.items() if None not in pair and pair[0] != pair[1]}
    assert set(taken) - listed == set()
    assert {request for request in listed if of_h11(request.lstrip()) != taken[request]} == set()
    assert differing == {}
    refused_by_both = sum(pair == (None, None) for pair in pairs.values())
    taken_by_both = sum(None not in pair for pair in pairs.values())
    assert (refused_by_both > 1000, taken_by_both > 100) == (True, True)
