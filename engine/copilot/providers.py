"""Servers that speak OpenAI's chat completions: asked in the order of the settings, until one begins to answer."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import httpx
import msgspec

from engine.model import event_stream
from engine.runtime.settings import Settings

TIMEOUT = httpx.Timeout(30.0, connect=5.0)  # for each read: the first token may take that long
TOTAL_SECONDS = 120.0
LONGEST_BODY = 2 * 1024 * 1024
LONGEST_ANSWER = 100_000


class ProviderError(Exception):
    """A provider did not answer; ``reason`` is a machine word and never holds what it said."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True)
class Provider:
    """Where chat completions are asked for: ``POST <url>/chat/completions``."""

    name: str
    url: str
    token: str
    model: str


def providers_of(settings: Settings) -> tuple[Provider, ...]:
    """The providers that are set, in the order in which they are asked."""
    known = (
        Provider("llm", settings.llm_url, settings.llm_api_key, settings.llm_model),
        Provider("reasoning", settings.reasoning_url, settings.reasoning_token, "default"),
    )
    return tuple(provider for provider in known if provider.url)


@cache
def client() -> httpx.Client:
    """The connections of this process to its providers."""
    return httpx.Client(timeout=TIMEOUT, trust_env=False, follow_redirects=False)


class _Delta(msgspec.Struct):
    content: str | None = None


class _ChunkChoice(msgspec.Struct):
    delta: _Delta | None = None
    finish_reason: str | None = None


class _Chunk(msgspec.Struct):
    """An event of a streamed completion."""

    choices: list[_ChunkChoice] = []
    error: object = None


class _Message(msgspec.Struct):
    content: str | None


class _Choice(msgspec.Struct):
    message: _Message
    finish_reason: str | None = None


class _Answer(msgspec.Struct):
    """A completion that came in one piece."""

    choices: list[_Choice]


class Completion:
    """The text of an answer, piece by piece as it arrives; ProviderError where it breaks off.

    ``finish`` is the provider's reason for ending, known when the text is over.
    """

    def __init__(self, provider: Provider, messages: Sequence[dict[str, str]], *, stream: bool) -> None:
        self.provider = provider
        self.finish = "stop"
        self._until = time.monotonic() + TOTAL_SECONDS
        self._response = self._request(messages, stream)
        streamed = self._response.headers.get("content-type", "").lower().startswith("text/event-stream")
        self._pieces = self._bounded_pieces(self._stream() if streamed else self._single_answer())

    def __iter__(self) -> Iterator[str]:
        return self._pieces

    def close(self) -> None:
        """Hang up; the provider may stop writing."""
        self._response.close()

    def _request(self, messages: Sequence[dict[str, str]], stream: bool) -> httpx.Response:
        provider = self.provider
        headers = {"Accept": "text/event-stream" if stream else "application/json"}
        if provider.token:
            headers["Authorization"] = f"Bearer {provider.token}"
        body = {"model": provider.model, "messages": list(messages), "stream": stream}
        request = client().build_request("POST", f"{provider.url}/chat/completions", json=body, headers=headers)
        try:
            response = client().send(request, stream=True)
        except httpx.TransportError as error:
            raise ProviderError(_reason(error)) from error
        if response.status_code != 200:
            response.close()
            raise ProviderError(f"http_{response.status_code}")
        return response

    def _bounded_pieces(self, pieces: Iterator[str]) -> Iterator[str]:
        """The pieces with a bound on their length, and one kind of error."""
        left = LONGEST_ANSWER
        try:
            for piece in pieces:
                yield piece[:left]
                left -= len(piece)
                if left <= 0:
                    self.finish = "length"
                    return
        except httpx.TransportError as error:
            raise ProviderError(_reason(error)) from error
        except (ValueError, TypeError, LookupError, AttributeError, httpx.DecodingError) as error:
            raise ProviderError("invalid_answer") from error
        finally:
            self.close()

    def _body(self) -> Iterator[bytes]:
        size = 0
        for chunk in self._response.iter_bytes():
            size += len(chunk)
            if size > LONGEST_BODY:
                raise ProviderError("answer_too_large")
            if time.monotonic() > self._until:
                raise ProviderError("timeout")
            yield chunk

    def _stream(self) -> Iterator[str]:
        for data in event_stream.data(self._body()):
            if data.strip() == event_stream.END:
                return
            chunk = msgspec.json.decode(data, type=_Chunk)
            if chunk.error:
                raise ProviderError("provider_error")
            for choice in chunk.choices[:1]:
                self.finish = choice.finish_reason or self.finish
                if choice.delta is not None and choice.delta.content:
                    yield choice.delta.content

    def _single_answer(self) -> Iterator[str]:
        choice = msgspec.json.decode(b"".join(self._body()), type=_Answer).choices[0]
        self.finish = choice.finish_reason or "stop"
        if choice.message.content:
            yield choice.message.content


def _reason(error: httpx.TransportError) -> str:
    return "timeout" if isinstance(error, httpx.TimeoutException) else "unreachable"
