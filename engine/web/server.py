"""waitress around the console: a bounded number of threads, a clean end."""

import errno
import gc
import ipaddress
import logging
import signal
import socket
from types import FrameType
from typing import Protocol
from wsgiref.types import WSGIApplication

import waitress

from engine.model.errors import Usage
from engine.web.app import Console

log = logging.getLogger("hq.web")
GRACE_SECONDS = 10
MAX_REQUEST = 16 * 1024 * 1024  # beyond the largest body that is read: so far the application itself says 413


class _Loop(Protocol):
    def loop(self, timeout: float, map: object, *, use_poll: bool) -> None: ...


class _Dispatcher(Protocol):
    def shutdown(self, *, cancel_pending: bool, timeout: float) -> None: ...


class WebServer(Protocol):
    """What we use of waitress, which declares no types."""

    asyncore: _Loop
    task_dispatcher: _Dispatcher
    _map: object

    def close(self) -> None:
        """Listen no longer."""


def bind(console: Console, host: str, port: int, threads: int) -> WebServer:
    """A server that listens already. Usage when the port is taken or the address must not be served."""
    if not console.services.settings.session_auth and not _loopback(host):
        raise Usage(f"SVC_SESSION_AUTH=off serves one local user: bind to 127.0.0.1 or ::1, not to {host}.")
    return listen(console.wsgi, host, port, threads, console.services.settings.ingest_max_bytes)


def listen(application: WSGIApplication, host: str, port: int, threads: int, largest: int = 0) -> WebServer:
    """A server for any WSGI application, that listens already; ``largest`` is the largest body that it reads."""
    server: WebServer = waitress.create_server(
        application,
        sockets=[_listening(host, port)],
        threads=threads,
        ident=None,
        max_request_body_size=MAX_REQUEST + largest,
        channel_timeout=60,
        cleanup_interval=15,
        clear_untrusted_proxy_headers=False,
    )
    return server


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise Usage(f"Port {port} on {host} is in use; choose another with --port.") from error
        raise Usage(f"Cannot listen on {host}:{port}: {error.strerror or error}.") from error


class BackgroundJobs(Protocol):
    """Work that runs beside the server."""

    def start(self) -> None:
        """Begin, on threads of its own."""

    def shutdown(self, *, wait: bool) -> None:
        """Begin nothing more; let what runs come to its end."""


def run(server: WebServer, jobs: BackgroundJobs | None = None) -> None:
    """Serve until SIGTERM or Ctrl-C, then finish the requests and the work under way."""
    if jobs is None:
        return _run(server)
    jobs.start()
    try:
        _run(server)
    finally:
        jobs.shutdown(wait=True)


def _run(server: WebServer) -> None:

    def stop(number: int, frame: FrameType | None) -> None:
        raise SystemExit

    previous = signal.signal(signal.SIGTERM, stop)
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # a request that waits for a thread is no news
    gc.collect()
    gc.freeze()  # what is loaded by now stays: looking through it again and again finds nothing
    try:
        server.asyncore.loop(timeout=1, map=server._map, use_poll=True)
    except (SystemExit, KeyboardInterrupt):
        log.info("stopping: finishing the requests under way")
    finally:
        signal.signal(signal.SIGTERM, previous)
        server.task_dispatcher.shutdown(cancel_pending=True, timeout=GRACE_SECONDS)
        server.close()
        gc.unfreeze()  # else DuckDB complains on the way out of objects that were never freed


def _loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" and ipaddress.ip_address(socket.gethostbyname(host)).is_loopback
