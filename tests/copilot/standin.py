"""Backends to test against: real servers on the loopback, each request answered by a function."""

import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import msgspec


@dataclass
class WireRequest:
    """A request as it came over the wire."""

    method: str
    target: str
    headers: list
    body: bytes

    def header(self, name):
        return next((value for given, value in self.headers if given.lower() == name), None)

    @property
    def json(self):
        return msgspec.json.decode(self.body)


@dataclass
class Backend:
    """``url`` to reach it, ``seen`` what came; ``left`` is set when a client hung up while it was answered."""

    url: str = ""
    seen: list = field(default_factory=list)
    left: threading.Event = field(default_factory=threading.Event)


class Wire:
    """What a responder writes with: a status line and headers as given, then bytes."""

    def __init__(self, handler):
        self.handler = handler

    def start(self, status=200, *headers):
        self.handler.send_response_only(status)
        for name, value in headers:
            self.handler.send_header(name, value)
        self.handler.end_headers()

    def send(self, data):
        self.handler.wfile.write(data)
        self.handler.wfile.flush()

    def chunk(self, data):
        self.send(b"%x\r\n%s\r\n" % (len(data), data))

    def answer(self, body=b"", status=200, *headers):
        self.start(status, ("Content-Length", str(len(body))), *headers)
        self.send(body)

    def json(self, value, status=200):
        self.answer(msgspec.json.encode(value), status, ("Content-Type", "application/json"))

    def hang_up(self):
        self.handler.close_connection = True


@contextmanager
def backend(respond):
    """A server that answers with ``respond(seen, wire)`` until the block ends."""
    made = Backend()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def handle_one_request(self):
            try:
                super().handle_one_request()
            except OSError:
                made.left.set()
                self.close_connection = True

        def _any(self):
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            seen = WireRequest(self.command, self.path, list(self.headers.items()), body)
            made.seen.append(seen)
            respond(seen, Wire(self))

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _any

        def log_message(self, format, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    made.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield made
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def serve(console, threads=4):
    """The console behind its real server; gives its address."""
    import waitress

    server = waitress.create_server(console.wsgi, host="127.0.0.1", port=0, threads=threads, ident=None)
    over = threading.Event()

    def loop():
        while not over.is_set():
            server.asyncore.loop(timeout=0.05, count=1, map=server._map)

    thread = threading.Thread(target=loop, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.effective_port}"
    finally:
        server.task_dispatcher.shutdown(timeout=5)
        over.set()
        thread.join(5)
        for connection in list(server._map.values()):
            connection.close()
        server.close()
