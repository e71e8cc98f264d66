"""Clients that try to keep a server from answering others: each holds what it holds until it is left."""

import json
import socket
import threading
import time
from contextlib import ExitStack, contextmanager

HOST = "127.0.0.1"


def connect(closing, port, *, receive=None):
    """A connection that ends with ``closing``; ``receive`` bounds what the kernel takes in for it."""
    client = closing.enter_context(socket.socket())
    if receive:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive)
    client.settimeout(30)
    client.connect((HOST, port))
    return client


def head(method, path, *headers):
    """The header of a request."""
    return "\r\n".join([f"{method} {path} HTTP/1.1", f"Host: {HOST}", *headers, "", ""]).encode()


@contextmanager
def readers_that_do_not_read(port, path, cookie, number):
    """Ask for a large answer and never read it."""
    with ExitStack() as closing:
        for _ in range(number):
            connect(closing, port, receive=4096).sendall(head("GET", path, f"Cookie: {cookie}"))
        yield


@contextmanager
def half_headers(port, number):
    """Begin a header and say nothing more."""
    with ExitStack() as closing:
        clients = [connect(closing, port) for _ in range(number)]
        for client in clients:
            client.sendall(b"GET /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-")
        yield clients


@contextmanager
def half_bodies(port, number):
    """Announce a body and send its first bytes."""
    with ExitStack() as closing:
        clients = [connect(closing, port) for _ in range(number)]
        for client in clients:
            client.sendall(
                head("POST", "/api/integrations/alerts", "Content-Type: application/json", "Content-Length: 900000")
                + b'{"title":'
            )
        yield clients


@contextmanager
def slow_streams(port, number):
    """Ask the copilot for streams, without any credential, and do not read them."""
    body = json.dumps({"messages": [{"role": "user", "content": "hello"}], "stream": True}).encode()
    with ExitStack() as closing:
        for _ in range(number):
            connect(closing, port, receive=4096).sendall(
                head("POST", "/api/copilot/chat", "Content-Type: application/json", f"Content-Length: {len(body)}")
                + body
            )
        yield


@contextmanager
def reports_with_changing_parameters(port, cookie, number):
    """One member asks for reports as fast as they come, each over another period."""
    over = threading.Event()
    statuses = []

    def ask(first):
        days = first
        while not over.is_set():
            days = days % 700 + number
            path = f"/api/governance/compliance/executive-summary?periodDays={days}"
            with ExitStack() as closing:
                client = connect(closing, port)
                client.sendall(head("GET", path, f"Cookie: {cookie}", "Connection: close"))
                statuses.append(client.recv(12))
                while not over.is_set() and client.recv(65536):
                    pass

    threads = [threading.Thread(target=ask, args=(one + 1,)) for one in range(number)]
    for thread in threads:
        thread.start()
    try:
        yield statuses
    finally:
        over.set()
        for thread in threads:
            thread.join()


def ask_once(port, path="/api/health", *, method="GET", headers=(), body=b"", seconds=30.0, source=""):
    """Status, seconds and content of one answer over a connection of its own; ``source`` is the address it comes from."""
    began = time.perf_counter()
    length = (f"Content-Length: {len(body)}",) if body else ()
    with socket.create_connection((HOST, port), seconds, source_address=(source, 0) if source else None) as client:
        client.sendall(head(method, path, "Connection: close", *length, *headers) + body)
        answer = b""
        while piece := client.recv(65536):
            answer += piece
    return int(answer.split(b" ", 2)[1]), time.perf_counter() - began, answer.partition(b"\r\n\r\n")[2]


def p99(values):
    """The value that one in a hundred exceeds."""
    return sorted(values)[min(len(values) - 1, len(values) * 99 // 100)]
