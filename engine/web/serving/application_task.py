"""The answer of the application to one request."""

from typing import Protocol
from wsgiref.types import WSGIEnvironment

from waitress.task import WSGITask

from engine.model import event_stream


class Outgoing(Protocol):
    """The connection that an answer leaves by."""

    def begin_answer(self, task: "ApplicationTask") -> None:
        """The application begins to answer."""

    def cork(self, corked: bool) -> None:
        """Whether what is written next waits for what follows it."""


class ApplicationTask(WSGITask):  # type: ignore[misc] # waitress has no types
    """waitress's answer of the application; its channel knows it while it runs."""

    channel: Outgoing

    def start(self) -> None:
        """Begin."""
        super().start()
        self.channel.begin_answer(self)

    def get_environment(self) -> WSGIEnvironment:
        """The request as WSGI has it, with its method as it came: waitress would write it in capitals."""
        fresh = self.environ is None
        environ: WSGIEnvironment = super().get_environment()
        if fresh:
            environ["REQUEST_METHOD"] = self.request.command
        return environ

    def write(self, data: bytes) -> None:
        """Header and the first part of the body leave together."""
        self.channel.cork(bool(data) and not self.wrote_header and self.has_body)
        super().write(data)

    @property
    def streams_events(self) -> bool:
        """Whether the answer that began is a stream of events without a length."""
        return self.chunked_response and ("Content-Type", event_stream.CONTENT_TYPE) in self.response_headers
