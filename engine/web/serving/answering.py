"""Who answers a request: the loop where the answer is in memory, else a thread of its lane, for several at once where
these write together."""

import socket
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol
from wsgiref.types import WSGIApplication, WSGIEnvironment

from waitress.adjustments import Adjustments
from waitress.server import TcpWSGIServer

from engine.web.lanes import Lane
from engine.web.serving.channel import ClientChannel
from engine.web.serving.dispatcher import Connection, LaneDispatcher
from engine.web.serving.socket_poll import SocketPoll

JOINT_BYTES = 65536  # of a body that is answered together with others
LaneOf = Callable[[str, str, bool], Lane]


class FastPath(Protocol):
    """What finds answers before they are sent, and leaves them with their requests: a console."""

    def cacheable(self, method: str, path: str) -> bool:
        """Whether ``serve_from_cache`` is worth a try."""

    def serve_from_cache(self, environ: WSGIEnvironment) -> bool:
        """Whether the answer was found in memory; it waits for nothing."""

    def batchable(self, method: str, path: str) -> bool:
        """Whether a request is answered together with others."""

    def answer_together(self, environs: Sequence[WSGIEnvironment]) -> None:
        """Find the answers to several requests."""


class _Serving(threading.local):
    """Which channel's request a thread answers, and whether it is the loop's."""

    channel: ClientChannel | None = None
    is_loop = False


class DispatchServer(TcpWSGIServer):  # type: ignore[misc] # waitress has no types
    """The part of the server that knows who answers."""

    channel_class = ClientChannel
    task_dispatcher: LaneDispatcher

    def __init__(
        self,
        application: WSGIApplication,
        listening: socket.socket,
        settings: Adjustments,
        about: tuple[Any, ...],  # what waitress wants to know of the socket
        lanes: Collection[Lane],
        lane_of: LaneOf,
        proxies: Collection[str],
        foresight: FastPath | None,
    ) -> None:
        self.lane_of = lane_of
        self.proxies = frozenset(proxies)
        self._foresight = foresight
        self._serving = _Serving()
        self.is_over = False  # whether the loop is at its end: nothing wakes it any more
        sockets: dict[int, Any] = {}  # of waitress
        self.poll = SocketPoll(sockets)
        dispatcher = LaneDispatcher(lanes, self._whose, self._serve_together)
        super().__init__(
            application,
            sockets,
            True,
            listening,
            dispatcher=dispatcher,
            adj=settings,
            bind_socket=False,
            sockinfo=about,
        )
        self.poll.look_at(self.trigger)

    def run_here(self) -> None:
        """This thread is the loop's from now on."""
        self._serving.is_loop = True

    def add_task(self, task: ClientChannel) -> None:
        """A request is complete. One that was just read is looked at once it is put in its place."""
        if task.reading and self._serving.is_loop:
            task.complete = True
        else:
            super().add_task(task)

    def take_request(self, channel: ClientChannel) -> None:
        """Answer a request here, where that needs nothing but what is in memory; else a thread of its lane does."""
        request = channel.requests[0]
        fast_path = self._foresight if request.error is None else None
        if fast_path is not None and fast_path.cacheable(request.command, request.path):
            environ = channel.prepare()
            if environ is not None and fast_path.serve_from_cache(environ):
                channel.service()
                return
        super().add_task(channel)

    def _serve_together(self, connections: Sequence[Connection]) -> None:
        """Answer requests that join: what is found for all of them at once, each says itself."""
        channels: Sequence[Any] = connections  # of waitress, which has no types
        environs = [environ for channel in channels if (environ := channel.prepare()) is not None]
        if self._foresight is not None:
            self._foresight.answer_together(environs)
        for channel in channels:
            channel.service()

    @contextmanager
    def serving(self, channel: ClientChannel) -> Iterator[None]:
        """While the block runs, this thread answers a request of the channel."""
        self._serving.channel = channel
        try:
            yield
        finally:
            self._serving.channel = None

    def pull_trigger(self) -> None:
        """Wake the loop; by whoever answers a request only where the loop has something to do for it."""
        channel = self._serving.channel
        if self.is_over:
            return
        if channel is None:
            super().pull_trigger()
        elif self._serving.is_loop:
            self.poll.look_at(channel)
        elif not self.poll.is_settled(channel) and self.poll.touch(channel):
            super().pull_trigger()

    def _whose(self, connection: Connection) -> tuple[Lane, str, bool]:
        """The lane of a connection's oldest request, who counts as its caller (a credential, else an address), and
        whether it is answered together with others."""
        request = connection.requests[0]  # type: ignore[attr-defined] # it is a channel
        credential = credential_of(request.headers)
        caller = credential or self.address_of(connection, request.headers)
        if request.error is not None:  # its header may not even name a path
            return self.lane_of("GET", "/", False), caller, False
        joins = (
            self._foresight is not None
            and request.body_bytes_received <= JOINT_BYTES
            and self._foresight.batchable(request.command, request.path)
        )
        return self.lane_of(request.command, request.path, credential != ""), caller, joins

    def address_of(self, channel: Any, headers: dict[str, str]) -> str:
        """The client's address; behind a trusted proxy the one that it tells. Any: waitress has no types."""
        address: str = channel.addr[0]
        if address not in self.proxies:
            return address
        hops = [hop.strip() for hop in headers.get("X_FORWARDED_FOR", "").split(",")]
        return next((hop for hop in reversed(hops) if hop and hop not in self.proxies), address)


def credential_of(headers: dict[str, str]) -> str:
    """Whatever a request shows to be let in, unchecked."""
    return headers.get("AUTHORIZATION") or headers.get("X_SVC_API_KEY") or headers.get("COOKIE") or ""
