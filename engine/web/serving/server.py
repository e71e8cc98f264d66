"""The server: one loop for all connections, lanes of threads for what they ask, a clean end."""

import errno
import ipaddress
import logging
import socket
import time
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any
from wsgiref.types import WSGIApplication

from waitress import wasyncore
from waitress.adjustments import Adjustments

from engine.model.errors import Usage
from engine.web.app import Console
from engine.web.lanes import GENERAL, Lane
from engine.web.serving.answering import DispatchServer, FastPath, LaneOf, credential_of
from engine.web.serving.channel import ClientChannel
from engine.web.serving.dispatcher import LaneDispatcher
from engine.web.serving.incoming import BodyRoom, Reservation
from engine.web.serving.refusals import HttpRefusal, RefusalPage, busy, stopping

log = logging.getLogger("hq.web")
GRACE_SECONDS = 10.0
LAST_SECONDS = 1.0  # after the grace, for the last answers to be sent
MAX_REQUEST = 16 * 1024 * 1024  # beyond the largest body that is read: so far the application itself says 413
CONNECTIONS = 1000
CONNECTIONS_OF_ADDRESS = 256
MAX_HEADER = 64 * 1024
INCOMING_BYTES = 256 * 1024 * 1024  # of all bodies that are not answered yet
INCOMING_BYTES_OF_ADDRESS = 96 * 1024 * 1024
OUTGOING_BYTES = 2 * 1024 * 1024 * 1024  # of all answers that are not read yet; they lie on the disk
SECONDS_BETWEEN_CHECKS = 0.5
SECONDS_BETWEEN_WARNINGS = 60.0


class ConsoleServer(DispatchServer):
    """waitress's server with our channels and lanes. ``lane_of`` a method and a path, with
    or without a credential, says where a request runs; ``refusal_page`` what people see where a browser asks."""

    channel_class = ClientChannel
    task_dispatcher: LaneDispatcher

    def __init__(
        self,
        application: WSGIApplication,
        listening: socket.socket,
        lanes: Collection[Lane],
        lane_of: LaneOf,
        proxies: Collection[str] = (),
        largest: int = 0,
        foresight: FastPath | None = None,
        spool: Path | None = None,
        refusal_page: RefusalPage | None = None,
    ) -> None:
        self._checked = 0.0
        self.refusal_page = refusal_page
        self.spool = spool  # the folder of bodies and answers that memory does not take; without one the system's
        self.bodies = BodyRoom(INCOMING_BYTES_OF_ADDRESS, INCOMING_BYTES)
        self._stops = 0  # how often it was told to
        self._grace = GRACE_SECONDS
        self._full_until = self._full_said = 0.0
        settings = Adjustments(
            sockets=[listening],
            ident=None,
            max_request_header_size=MAX_HEADER,
            max_request_body_size=MAX_REQUEST + largest,
            channel_request_lookahead=1,  # a client that hangs up is noticed while its request runs
            outbuf_high_watermark=OUTGOING_BYTES,  # an answer goes to the loop whole: who reads slowly holds no thread
            recv_bytes=65536,
            clear_untrusted_proxy_headers=False,
        )
        about = listening.family, listening.type, listening.proto, listening.getsockname()
        super().__init__(application, listening, settings, about, lanes, lane_of, proxies, foresight)

    # -- who may come in -----------------------------------------------------------------------------------------------

    def admit(self, channel: ClientChannel, coming: Any) -> HttpRefusal | None:
        """What to say to a request at the end of its header, and whenever more of its body came. Any: waitress has no
        types."""
        first = coming.reserved is None
        if first:
            address = self.address_of(channel, coming.headers)
            coming.reserved = Reservation(self.bodies, None if address in self.proxies else address)
        if not coming.reserved.grow(max(coming.content_length, coming.body_bytes_received)):
            return busy("large bodies", 2, closes=True)
        if not first:
            return None
        return self.task_dispatcher.full(self.lane_of(coming.command, coming.path, credential_of(coming.headers) != ""))

    def accept(self) -> tuple[socket.socket, Any] | None:
        """The next connection; None where there is none, or no file is left to hold it.

        Then the one that has said nothing for longest goes, and nobody else comes in for a moment: the loop would turn
        for nothing.
        """
        try:
            found: tuple[socket.socket, Any] | None = super().accept()
        except OSError as error:
            if error.errno not in (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM):
                raise
            now = time.monotonic()
            if now >= self._full_said + SECONDS_BETWEEN_WARNINGS:
                self._full_said = now
                log.warning("no connection can be let in: %s (ulimit -n)", error.strerror)
            self._full_until = now + SECONDS_BETWEEN_CHECKS
            idle = [channel for channel in self.active_channels.values() if channel.pending]
            for channel in sorted(idle, key=lambda channel: channel.quiet_since)[:1]:
                channel.handle_close()
            return None
        return found

    def handle_accept(self) -> None:
        """Let a connection in. Where there are too many, the one that has said nothing for longest goes."""
        before = len(self.active_channels)
        super().handle_accept()
        everybody = list(self.active_channels.values())
        if len(everybody) == before:  # another process took it, or it is gone already
            return
        newest: ClientChannel = everybody[-1]
        address = newest.addr[0]
        own = [] if address in self.proxies else [one for one in everybody if one.addr[0] == address]
        if len(own) > CONNECTIONS_OF_ADDRESS:
            _let_go(own, newest)
        elif len(everybody) > CONNECTIONS:
            _let_go(everybody, newest)

    # -- the loop ------------------------------------------------------------------------------------------------------

    def readable(self) -> bool:
        """Whether another connection may come in."""
        return bool(self.accepting) and time.monotonic() >= self._full_until

    def _turn(self) -> None:
        """Before the loop waits: the moment for deadlines and refusals."""
        now = time.monotonic()
        self.poll.look_at(self)
        for connection, refusal in self.task_dispatcher.take_refused(now):
            connection.refuse(refusal)
        if now - self._checked <= SECONDS_BETWEEN_CHECKS:
            return
        self._checked = now
        channels: list[ClientChannel] = list(self.active_channels.values())
        if sum(channel.total_outbufs_len for channel in channels) > OUTGOING_BYTES:
            max(channels, key=lambda channel: channel.total_outbufs_len).handle_close()
        for channel in channels:
            channel.check(now)
            self.poll.look_at(channel)

    def maintenance(self, now: float) -> None:
        """waitress's own look for idle channels; ``check`` does more."""

    def stop(self, grace: float | None = None) -> None:
        """End: from a signal's handler or any thread. What runs has ``grace`` seconds, or none once said again."""
        self._stops += 1
        if grace is not None:
            self._grace = grace
        self.pull_trigger()

    def serve(self, until: Callable[[], bool] = lambda: False) -> bool:
        """Turn the loop until ``until`` or ``stop``, then answer what is under way. Whether all came to its end."""
        self.run_here()
        while not (self._stops or until()):
            self.poll.turn(SECONDS_BETWEEN_CHECKS, self._turn)
        log.info("stopping: finishing the requests under way")
        return self._finish()

    def _finish(self) -> bool:
        """Accept nothing more; answer what runs, refuse what waits, hang up on the others. What runs for longer than
        the grace is given up with an answer, too."""
        begun = time.monotonic()
        self.task_dispatcher.close()
        self._accept_the_rest()
        wasyncore.dispatcher.close(self)
        self._read_the_rest()
        while self.active_channels and self._stops < 2 and time.monotonic() < begun + self._grace:
            self._last_turn()
        for channel in list(self.active_channels.values()):
            channel.give_up(stopping())
        until = time.monotonic() + LAST_SECONDS
        while any(channel.total_outbufs_len for channel in self.active_channels.values()) and time.monotonic() < until:
            self._last_turn()
        for channel in list(self.active_channels.values()):
            channel.handle_close()
        patience = begun + self._grace - time.monotonic() if self._stops < 2 else 0.0
        ended = self.task_dispatcher.shutdown(timeout=max(0.1, patience))
        self.is_over = True
        self.trigger.close()
        self._map.clear()
        return ended

    def _accept_the_rest(self) -> None:
        """Those who are connected already, as far as the kernel is concerned, are told as well."""
        for _ in range(CONNECTIONS):
            before = len(self.active_channels)
            self.handle_accept()
            if len(self.active_channels) <= before:
                return

    def _read_the_rest(self) -> None:
        """Whatever came whole by now is a request that gets an answer; so does one whose body is still coming."""
        self.poll.turn(0, self._turn)
        for channel in list(self.active_channels.values()):
            if channel.pending and channel.request is not None and channel.request.headers_finished:
                channel.refuse_incoming(stopping())

    def _last_turn(self) -> None:
        for channel in list(self.active_channels.values()):
            if channel.pending:
                channel.handle_close()
        self.poll.turn(0.05, self._turn)


def _let_go(channels: Collection[ClientChannel], newest: ClientChannel) -> None:
    """Hang up on the one of which nothing whole came for longest; on the newest where all others have requests."""
    idle = [channel for channel in channels if channel.pending and channel is not newest]
    min(idle, key=lambda channel: channel.quiet_since, default=newest).handle_close()


def bind(console: Console, listening: socket.socket, threads: int) -> ConsoleServer:
    """The server of a console on a socket that listens already."""
    settings = console.services.settings
    return ConsoleServer(
        console.wsgi,
        listening,
        console.lanes(threads),
        console.lane_of,
        settings.trusted_proxies,
        settings.ingest_max_bytes,
        console,
        settings.data_dir,
    )


def serve_simply(application: WSGIApplication, host: str, port: int, threads: int) -> ConsoleServer:
    """A server for any WSGI application, in one lane."""
    lane = Lane(GENERAL.name, threads, threads)
    return ConsoleServer(application, listen(host, port), [lane], lambda method, path, signed: lane)


def listen(host: str, port: int, *, private: bool = False, option: str = "--port") -> socket.socket:
    """A socket that listens. Usage when the port is taken, or a ``private`` console would be reachable from outside."""
    if private and not _loopback(host):
        raise Usage(f"SVC_SESSION_AUTH=off serves one local user: bind to 127.0.0.1 or ::1, not to {host}.")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=1024)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise Usage(f"Port {port} on {host} is in use; choose another with {option}.") from error
        raise Usage(f"Cannot listen on {host}:{port}: {error.strerror or error}.") from error


def _loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" and ipaddress.ip_address(socket.gethostbyname(host)).is_loopback
