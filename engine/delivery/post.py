"""One request over one connection to an address chosen before: no proxy, no redirect, bounded time and size."""

import http.client
import io
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.delivery.addresses import AddressRefusal, WebhookTarget, vet
from engine.delivery.outside import Outside

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

DEADLINE_SECONDS = 15.0  # for all of it, once the name is resolved
MOST_BYTES = 16_384  # of an answer's body that are read


@dataclass(frozen=True)
class PostAnswer:
    """Status, headers by lower-case name, and the beginning of the body."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def post(
    outside: Outside, target: WebhookTarget, headers: Mapping[str, str], body: bytes, *, public: bool
) -> PostAnswer:
    """Send and read the answer. ``public``: only to addresses of the public internet, else AddressRefusal.

    OSError (a timeout and a wrong certificate included) or http.client.HTTPException when there is no sound answer.
    """
    sent = {**headers, "Content-Length": str(len(body))}
    return _request(outside, target, "POST", sent, body, public=public, seconds=DEADLINE_SECONDS, most=MOST_BYTES)


def get(
    outside: Outside, target: WebhookTarget, headers: Mapping[str, str], *, public: bool, seconds: float, most: int
) -> PostAnswer:
    """Ask for what is there, up to ``most`` bytes within ``seconds``. Refusals and errors as of ``post``."""
    return _request(outside, target, "GET", headers, b"", public=public, seconds=seconds, most=most)


def _request(
    outside: Outside,
    target: WebhookTarget,
    method: str,
    headers: Mapping[str, str],
    body: bytes,
    *,
    public: bool,
    seconds: float,
    most: int,
) -> PostAnswer:
    addresses = outside.resolve(target.host, target.port)
    if public:
        addresses = vet(addresses)
    elif not addresses:
        raise AddressRefusal("its name has no address.")
    deadline = time.monotonic() + seconds
    with _connect(outside, target, list(addresses), deadline) as plain:
        stream = plain
        if target.tls:
            plain.settimeout(_remaining(deadline))
            stream = outside.trust().wrap_socket(plain, server_hostname=target.host)
        with stream:
            return _exchange(_DeadlineSocket(stream, deadline), target, method, headers, body, most)


def _connect(outside: Outside, target: WebhookTarget, addresses: list[str], deadline: float) -> socket.socket:
    """The first address that lets us in; OSError of the last one when none does."""
    for address in addresses[:-1]:
        try:
            return outside.connect(address, target.port)
        except OSError:
            _remaining(deadline)
    return outside.connect(addresses[-1], target.port)


def _exchange(
    stream: "_DeadlineSocket", target: WebhookTarget, method: str, headers: Mapping[str, str], body: bytes, most: int
) -> PostAnswer:
    connection = http.client.HTTPConnection(target.host, target.port)
    connection.sock = stream
    connection.putrequest(method, target.path, skip_host=True, skip_accept_encoding=True)
    complete = {
        "Host": target.host_header,
        "User-Agent": "hq-console",
        "Accept": "*/*",
        "Connection": "close",
        **headers,
    }
    for name, value in complete.items():
        connection.putheader(name, value)
    connection.endheaders(body or None)
    answer = connection.getresponse()
    try:
        found = {name.lower(): value for name, value in answer.getheaders()}
        return PostAnswer(answer.status, found, answer.read(most))
    finally:
        answer.close()


def _remaining(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError("no complete answer in time")
    return left


class _DeadlineSocket:
    """A socket under one deadline, however slowly the other side drips: each wait lasts what is left at most."""

    def __init__(self, stream: socket.socket, deadline: float) -> None:
        self._stream = stream
        self._deadline = deadline

    def sendall(self, data: bytes) -> None:
        """What http.client writes the request with."""
        self._stream.settimeout(_remaining(self._deadline))
        self._stream.sendall(data)

    def makefile(self, mode: str) -> io.BufferedReader:
        """What http.client reads the answer from."""
        return io.BufferedReader(_Incoming(self._stream, self._deadline))

    def close(self) -> None:
        """http.client lets go as soon as the headers are read; the socket is closed by whoever opened it."""


class _Incoming(io.RawIOBase):
    """The reading side of ``_DeadlineSocket``."""

    def __init__(self, stream: socket.socket, deadline: float) -> None:
        self._stream = stream
        self._deadline = deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        self._stream.settimeout(_remaining(self._deadline))
        return self._stream.recv_into(buffer)
