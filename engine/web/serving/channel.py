"""A client's connection: what it may take in time and bytes, and that reading slowly holds no thread."""

import logging
import socket
import time
from dataclasses import dataclass
from typing import Any
from wsgiref.types import WSGIEnvironment

from waitress.channel import ClientDisconnected

from engine.model.file_errors import file_fault
from engine.web.serving.application_task import ApplicationTask
from engine.web.serving.incoming import Pace, SpooledBody
from engine.web.serving.outgoing import SendingChannel
from engine.web.serving.refusals import HttpRefusal, RefusalTask, last_chunks, no_room, too_slow
from engine.web.serving.request_parser import RequestParser

log = logging.getLogger("hq.web")

HEADER_SECONDS = 20.0
BODY_SECONDS = 60.0
BYTES_PER_SECOND = 1000  # below which a body that takes longer, or an answer that is read, has come to a standstill
READ_SECONDS = 60.0
IDLE_SECONDS = 60.0  # between two requests
GONE_SECONDS = 2.0  # after which one that closed its side is not waited for with costly work
LINGER_SECONDS = 2.0  # for which the rest of a refused request is read, so that its answer arrives


@dataclass
class _Progress:
    """How an answer is read: since when, and how much had been sent by then."""

    since: float
    sent: int


class ClientChannel(SendingChannel):
    """waitress's channel with deadlines.

    The loop calls ``check`` about twice a second. A client that closed its side while a request runs still gets its
    answer; after a moment the application may take it for gone.
    """

    error_task_class = RefusalTask
    request: Any  # what is coming in, of waitress's parser

    def __init__(self, server: Any, sock: socket.socket, addr: Any, adj: Any, map: Any = None) -> None:
        # Any: waitress has no types
        self._came_bytes = 0
        self._began: float | None = None  # when the first byte of the request that is coming in was read
        self._pace = Pace(0.0)
        self._progress: _Progress | None = None
        self._ended: float | None = None  # when the client closed its side
        self._lingers: float | None = None
        self._task: ApplicationTask | None = None  # which answers, or did last
        self._prepared: ApplicationTask | None = None  # whose answer is there before it begins
        self.reading = False  # whether bytes are taken in
        self.complete = False  # whether they were the end of a request that nobody is told of yet
        self._answered = False  # whether any of its answer is handed out
        self._given_up = False
        super().__init__(server, sock, addr, adj, map)

    # -- what the loop asks --------------------------------------------------------------------------------------------

    def readable(self) -> bool:
        """Whether bytes of the client are wanted."""
        if self._lingers is not None:
            return True
        return self._ended is None and bool(super().readable())

    def writable(self) -> bool:
        """Whether there is something to send, or to close."""
        return self._lingers is None and bool(super().writable())

    def handle_read(self) -> None:
        """Read what came; an end of what the client sends does not end what it is owed."""
        if self._lingers is not None:
            self._discard()
            return
        try:
            data = self.socket.recv(self.adj.recv_bytes)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            self.handle_close()
            return
        if data:
            self.last_activity = time.time()
            self.received(data)
        elif self.requests or self.total_outbufs_len:
            self._ended = time.monotonic()
        else:
            self.handle_close()

    def received(self, data: bytes) -> bool:
        """Take in bytes; the clock of a request starts with its first."""
        if self.request is None:
            self._began, self._came_bytes = time.monotonic(), 0
            self._pace = Pace(self._began)
        self._came_bytes += len(data)
        self.reading = True
        try:
            taken = bool(super().received(data))
        except OSError as error:  # a body that is larger than memory takes lies in a file
            fault = file_fault(error)
            if fault is None:
                raise
            log.warning("a body cannot be taken in: %s", error.strerror)
            self.refuse_incoming(no_room(fault))
            return False
        finally:
            self.reading = False
        with self.requests_lock:
            malformed = bool(self.requests) and self.requests[-1].error is not None
        if self.complete:
            self.complete = False
            self.server.take_request(self)
        coming = self.request
        if coming is None:
            self._began = self._began if malformed else None  # what follows a refused request is read, for a moment
        elif coming.headers_finished and coming.error is None and self._began is not None:
            refusal = self.server.admit(self, coming)
            if refusal is not None:
                self.refuse_incoming(refusal)
        return taken

    def handle_write(self) -> None:
        """Send; then close, or first read on for a moment what a refused client still sends."""
        if self.close_when_flushed and not self.total_outbufs_len and self._began is not None:
            self.close_when_flushed = False
            self._linger()
            return
        super().handle_write()

    # -- deadlines -----------------------------------------------------------------------------------------------------

    def check(self, now: float) -> None:
        """End what takes too long: 408 for what does not come, a closed connection for what is not read."""
        if not self.total_outbufs_len:
            self._progress = None
        if self._lingers is not None:
            if now > self._lingers:
                self.handle_close()
        elif self.total_outbufs_len:
            self._check_reader(now)
        elif self.requests:
            return
        elif self._ended is not None:
            self.handle_close()
        elif self._began is not None:
            self._check_sender(now, self._began)
        elif now - self.quiet_since > (HEADER_SECONDS if not self.sent_bytes else IDLE_SECONDS):
            self.handle_close()

    def _check_sender(self, now: float, began: float) -> None:
        spent = now - began
        if self.request is None or not self.request.headers_finished:
            if spent > HEADER_SECONDS:
                self.refuse_incoming(too_slow("header", f"it has {HEADER_SECONDS:.0f} s"))
        elif self._pace.is_slow(now, self._came_bytes, BODY_SECONDS, BYTES_PER_SECOND):
            expected = f"it has {BODY_SECONDS:.0f} s, and longer only while it brings {BYTES_PER_SECOND} bytes a second"
            self.refuse_incoming(too_slow("body", expected))

    def _check_reader(self, now: float) -> None:
        if self._progress is None:
            self._progress = _Progress(now, self.sent_bytes)
        elif now - self._progress.since > READ_SECONDS:
            if self.sent_bytes - self._progress.sent < BYTES_PER_SECOND * READ_SECONDS:
                self.handle_close()
            self._progress = _Progress(now, self.sent_bytes)

    @property
    def pending(self) -> bool:
        """Whether nothing but a part of a request came so far: it may be let go for one that says more."""
        return not self.requests and not self.total_outbufs_len and self._lingers is None

    def parser_class(self, adj: Any) -> RequestParser:
        """A request that begins to come in. Any: waitress has no types."""
        return RequestParser(adj, lambda: SpooledBody(self.server.spool))

    def prepare(self) -> WSGIEnvironment | None:
        """The environment of the oldest complete request, to leave its answer there; None for one that is refused."""
        request = self.requests[0]
        if request.error is not None or not self.connected:
            return None
        if self._prepared is None or self._prepared.request is not request:
            self._prepared = ApplicationTask(self, request)
        environ: WSGIEnvironment = self._prepared.get_environment()
        return environ

    def task_class(self, channel: "ClientChannel", request: Any) -> ApplicationTask:
        """The task that answers a request. Any: waitress has no types."""
        prepared, self._prepared = self._prepared, None
        return prepared if prepared is not None and prepared.request is request else ApplicationTask(channel, request)

    def service(self) -> None:
        """Answer the oldest request."""
        with self.server.serving(self):
            super().service()

    def handle_close(self) -> None:
        """Close, and let go of what came of a request."""
        coming, self.request = self.request, None
        if coming is not None:
            coming.close()
        super().handle_close()

    def add_channel(self, map: Any = None) -> None:
        """It is open. Any: waitress has no types."""
        super().add_channel(map)
        self.server.poll.look_at(self)

    def del_channel(self, map: Any = None) -> None:
        """It is about to be closed. Any: waitress has no types."""
        self.server.poll.forget(self)
        super().del_channel(map)

    def check_client_disconnected(self) -> bool:
        """Whether nobody waits for the answer, as far as can be told; the application is handed this."""
        ended = self._ended
        return not self.connected or (ended is not None and time.monotonic() - ended > GONE_SECONDS)

    # -- refusing ------------------------------------------------------------------------------------------------------

    def refuse(self, refusal: HttpRefusal) -> None:
        """Answer the oldest complete request without the application. The loop's thread calls this."""
        if self.requests:
            self.requests[0].error = refusal
            self.service()

    def refuse_incoming(self, refusal: HttpRefusal) -> None:
        """Answer the request that is coming in; the rest of it is read and thrown away for a moment."""
        with self.requests_lock:
            coming = self.request or self.parser_class(self.adj)
            coming.error, coming.completed = refusal, True
            self.request = None
            self.requests.append(coming)
            first = len(self.requests) == 1
        if first:
            self.service()

    # -- the end -------------------------------------------------------------------------------------------------------

    def begin_answer(self, task: ApplicationTask) -> None:
        """The application begins to answer the oldest request."""
        with self.outbuf_lock:
            self._task, self._answered = task, False

    def write_soon(self, data: Any) -> int:
        """Take a part of an answer, unless it was given up. Any: bytes or a buffer; waitress has no types.

        A large answer for which there is no file ends with its connection: its header may be on its way.
        """
        with self.outbuf_lock:
            if self._given_up or not self.connected:
                raise ClientDisconnected
            self._answered = True
            try:
                self._flush_outbufs_below_high_watermark()
                self.hold(data)
            except OSError as error:
                if file_fault(error) is None:
                    raise
                log.warning("an answer cannot be kept until it is read: %s", error.strerror)
                self.will_close = True  # what was sent and what waits do not add up any more
                self.server.pull_trigger()
                raise ClientDisconnected from error
            self.send_buffered()
            return len(data)

    def give_up(self, refusal: HttpRefusal) -> None:
        """Answer in place of the application, which goes on for too long: what it says from now on goes nowhere.

        Of an answer that began, a stream of events ends with one that says why; any other breaks off.
        """
        with self.outbuf_lock:
            if self._given_up or not self.requests:
                return
            task = self._task
            if not self._answered:
                self.requests[0].error = refusal
                RefusalTask(self, self.requests[0]).service()
            elif task is not None and task.streams_events:
                self.write_soon(last_chunks(refusal))
            self._given_up = True

    def _linger(self) -> None:
        try:
            self.socket.shutdown(socket.SHUT_WR)
        except OSError:
            self.handle_close()
            return
        self._lingers = time.monotonic() + LINGER_SECONDS

    def _discard(self) -> None:
        try:
            over = not self.socket.recv(65536)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            over = True
        if over:
            self.handle_close()
