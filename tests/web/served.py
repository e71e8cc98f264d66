"""The console, and stand-ins for what it talks with, behind real ports."""

import socket
import threading
import time
import urllib.error
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from engine.web.serving.server import bind, listen


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def until(check, seconds=30):
    """Wait until ``check`` holds; a server that does not answer yet is waited for, too."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if check():
                return
        except (urllib.error.URLError, ConnectionError):
            pass
        time.sleep(0.1)
    pytest.fail("it did not happen in time")


@contextmanager
def behind_waitress(console):
    """The port on which the console answers."""
    listening = listen("127.0.0.1", 0)
    port = listening.getsockname()[1]
    server = bind(console, listening, 4)
    over = threading.Event()
    loop = threading.Thread(target=server.serve, args=(over.is_set,))
    loop.start()
    yield port
    over.set()
    loop.join(timeout=15)


@contextmanager
def stand_in(answer):
    """A server of somebody else: ``answer(method, path, headers, body)`` gives its bytes, or None for 404."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            found = answer(self.command, self.path, self.headers, body)
            self.send_response(404 if found is None else 200)
            self.send_header("Content-Length", str(len(found or b"")))
            self.end_headers()
            self.wfile.write(found or b"")

        do_POST = do_GET

        def log_message(self, *args):
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    loop = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    loop.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    loop.join(timeout=5)
