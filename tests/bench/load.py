"""A client that asks one address again and again, and what it saw: bare sockets with keep-alive, one thread, one request
under way on each connection. It must cost less than the server that it measures.

``python -m tests.bench.load PORT PATH CREDENTIAL CONNECTIONS SECONDS [KEYS [RATE]]``: CREDENTIAL is a whole header line.
With KEYS it posts alerts with that many dedupe keys in turn instead of getting the page; with RATE so many a second,
else as many as it can. Prints a ``Load`` as JSON.
"""

import selectors
import socket
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable
from itertools import count

import msgspec

BUFFER = bytearray(1 << 20)


class Load(msgspec.Struct):
    """Whole answers with a status of success in ``seconds``; latencies in milliseconds."""

    answers: int
    seconds: float
    p50_ms: float
    p99_ms: float

    @property
    def rate(self) -> float:
        """Answers per second."""
        return self.answers / self.seconds


class Exchange:
    """One connection, and how much of the present answer is still to come."""

    def __init__(self, port: int, request: Callable[[], bytes]) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.request = request
        self.head = b""
        self.missing = 0
        self.asked = 0.0

    def ask(self) -> None:
        self.head = b""
        self.missing = 0
        self.asked = time.perf_counter()
        self.socket.sendall(self.request())

    def receive(self) -> bool:
        """Takes what has come; True when the answer is whole."""
        size = self.socket.recv_into(BUFFER)
        if not size:
            raise ConnectionError("the server closed the connection")
        if self.missing:
            self.missing -= size
            return self.missing == 0
        self.head += bytes(BUFFER[:size])
        end = self.head.find(b"\r\n\r\n")
        if end < 0:
            return False
        if not self.head.startswith(b"HTTP/1.1 20"):
            raise ConnectionError(self.head[:300].decode("latin-1"))
        start = self.head.lower().index(b"content-length:") + 15
        length = int(self.head[start : self.head.index(b"\r\n", start)])
        self.missing = end + 4 + length - len(self.head)
        return self.missing == 0


def measure(port: int, request: Callable[[], bytes], connections: int, seconds: float) -> Load:
    """Ask for so long."""
    exchanges = [Exchange(port, request) for _ in range(connections)]
    latencies = []
    with selectors.DefaultSelector() as ready:
        for exchange in exchanges:
            ready.register(exchange.socket, selectors.EVENT_READ, exchange)
            exchange.ask()
        start = time.perf_counter()
        while time.perf_counter() < start + seconds:
            for key, _ in ready.select(1):
                if key.data.receive():
                    latencies.append(time.perf_counter() - key.data.asked)
                    key.data.ask()
        took = time.perf_counter() - start
    for exchange in exchanges:
        exchange.socket.close()
    return _load(latencies, took)


def pace(port: int, request: Callable[[], bytes], connections: int, seconds: float, rate: float) -> Load:
    """Ask so often a second; a latency counts from when its request was due, sent or not."""
    exchanges = [Exchange(port, request) for _ in range(connections)]
    idle, latencies, sent = deque(exchanges), [], 0
    with selectors.DefaultSelector() as ready:
        for exchange in exchanges:
            ready.register(exchange.socket, selectors.EVENT_READ, exchange)
        start = time.perf_counter()
        while (now := time.perf_counter()) < start + seconds:
            while idle and (due := start + sent / rate) <= now:
                exchange, sent = idle.popleft(), sent + 1
                exchange.ask()
                exchange.asked = due
            wait = start + sent / rate - now if idle else 1.0
            for key, _ in ready.select(max(0.0, wait)):
                if key.data.receive():
                    latencies.append(time.perf_counter() - key.data.asked)
                    idle.append(key.data)
        took = time.perf_counter() - start
    for exchange in exchanges:
        exchange.socket.close()
    return _load(latencies, took)


def _load(latencies: list[float], took: float) -> Load:
    latencies.sort()
    p50, p99 = (1000 * latencies[int(share * (len(latencies) - 1))] for share in (0.5, 0.99))
    return Load(len(latencies), took, p50, p99)


def page(path: str, credential: str) -> Callable[[], bytes]:
    """Requests for one page."""
    request = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n{credential}\r\n\r\n".encode()
    return lambda: request


def alerts(path: str, credential: str, keys: int) -> Callable[[], bytes]:
    """One alert a request, as monitors send them, with so many dedupe keys in turn."""
    turn = count()

    def request() -> bytes:
        number = next(turn) % keys
        body = msgspec.json.encode(
            {
                "dedupe_key": f"disk-{number}",
                "title": f"Disk full on db{number}",
                "status": "firing",
                "severity": "high",
                "host": f"db{number}",
                "description": "97 % used",
                "started_at": "2026-11-20T08:30:00Z",
                "labels": {"team": "storage"},
            }
        )
        head = (
            f"POST {path} HTTP/1.1\r\nHost: localhost\r\n{credential}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        return head.encode() + body

    return request


def run(
    port: int,
    path: str,
    credential: str,
    connections: int,
    seconds: float,
    keys: int | None = None,
    rate: float | None = None,
) -> Load:
    """Measure from a process of its own."""
    more = [str(given) for given in (keys, rate) if given is not None]
    what = [str(port), path, credential, str(connections), str(seconds), *more]
    done = subprocess.run([sys.executable, "-m", "tests.bench.load", *what], capture_output=True, check=True)
    return msgspec.json.decode(done.stdout, type=Load)


if __name__ == "__main__":
    _, port, path, credential, connections, seconds, *more = sys.argv
    make = alerts(path, credential, int(more[0])) if more else page(path, credential)
    how = (int(port), make, int(connections), float(seconds))
    print(msgspec.json.encode(pace(*how, float(more[1])) if more[1:] else measure(*how)).decode())
