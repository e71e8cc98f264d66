"""A client that asks one address again and again: ``python -m tests.bench.load PORT PATH COOKIE CONNECTIONS SECONDS``.

Prints the answers received in that time. Bare sockets with keep-alive, one thread, one request under way on each
connection: the client must cost less than the server that it measures.
"""

import selectors
import socket
import sys
import time

BUFFER = bytearray(1 << 20)


class Exchange:
    """One connection, and how much of the present answer is still to come."""

    def __init__(self, port: int, request: bytes) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.request = request
        self.head = b""
        self.missing = 0

    def ask(self) -> None:
        self.head = b""
        self.missing = 0
        self.socket.sendall(self.request)

    def received(self) -> bool:
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
        if not self.head.startswith(b"HTTP/1.1 200 "):
            raise ConnectionError(self.head[:300].decode("latin-1"))
        start = self.head.lower().index(b"content-length:") + 15
        length = int(self.head[start : self.head.index(b"\r\n", start)])
        self.missing = end + 4 + length - len(self.head)
        return self.missing == 0


def answers(port: int, path: str, cookie: str, connections: int, seconds: float) -> int:
    """How many whole answers 200 came within ``seconds``."""
    request = (
        f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAccept: */*\r\nCookie: svc_session={cookie}\r\n\r\n"
    ).encode()
    exchanges = [Exchange(port, request) for _ in range(connections)]
    with selectors.DefaultSelector() as ready:
        for exchange in exchanges:
            ready.register(exchange.socket, selectors.EVENT_READ, exchange)
            exchange.ask()
        count, end = 0, time.perf_counter() + seconds
        while time.perf_counter() < end:
            for key, _ in ready.select(1):
                if key.data.received():
                    count += 1
                    key.data.ask()
    for exchange in exchanges:
        exchange.socket.close()
    return count


if __name__ == "__main__":
    _, port, path, cookie, connections, seconds = sys.argv
    print(answers(int(port), path, cookie, int(connections), float(seconds)))
