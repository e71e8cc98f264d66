"""A body in chunks (RFC 9112, section 7.1): all that is no data has a bound."""

import re
from http import HTTPStatus
from typing import IO, Protocol

from engine.web.serving.refusals import HttpRefusal

CHUNK_LINE_BYTES = 256  # a size with its extensions
EXTENSION_BYTES = 16 * 1024  # of all extensions of a body
TRAILER_BYTES = 8 * 1024

_TOKEN = rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"
_QUOTED = rb'"(?:[\t \x21\x23-\x5b\x5d-\x7e\x80-\xff]|\\[\t \x21-\x7e\x80-\xff])*"'
_CHUNK_LINE = re.compile(
    rb"([0-9A-Fa-f]{1,16})((?:[ \t]*;[ \t]*%b(?:[ \t]*=[ \t]*(?:%b|%b))?)*)" % (_TOKEN, _TOKEN, _QUOTED)
)
_NAME = re.compile(_TOKEN)
_VALUE = re.compile(rb"[\t\x20-\x7e\x80-\xff]*")


class BodyFile(Protocol):
    """Where a body is kept until it is whole."""

    def __len__(self) -> int: ...

    def append(self, data: bytes) -> None:
        """Keep what comes next."""

    def getfile(self) -> IO[bytes]:
        """All of it, from its beginning."""


class SyntaxFault(Exception):
    """What cannot be read, and the answer to it."""

    def __init__(self, expected: str, status: HTTPStatus = HTTPStatus.BAD_REQUEST, word: str = "bad_request") -> None:
        super().__init__(expected)
        self.refusal = HttpRefusal(status, word, f"The request cannot be read: {expected}.")


def field_of(line: bytes) -> tuple[bytes, bytes]:
    """Name and value of a header's or a trailer's line; SyntaxFault."""
    name, colon, value = line.partition(b":")
    if not colon or _NAME.fullmatch(name) is None:
        raise SyntaxFault("a header is a name of letters, digits and hyphens, a colon and a value")
    value = value.strip(b" \t")
    if _VALUE.fullmatch(value) is None:
        raise SyntaxFault("the value of a header has no control characters, CR, LF and NUL included")
    return name, value


class ChunkedBody:
    """waitress's receiver of chunks, with bounds: a line that is too long is refused before it has an end."""

    def __init__(self, kept: BodyFile) -> None:
        self.completed = False
        self.error: HttpRefusal | None = None
        self._kept = kept
        self._step = self._take_line
        self._rest = b""  # of a line or trailer that has no end yet
        self._left = 0  # bytes of the chunk
        self._extensions = 0

    def __len__(self) -> int:
        return len(self._kept)

    def getfile(self) -> IO[bytes]:
        """All of the body."""
        return self._kept.getfile()

    def getbuf(self) -> BodyFile:
        """Where it is kept."""
        return self._kept

    def take(self, data: bytes) -> int:
        """Take in what came; how much of it belongs to this body."""
        rest = memoryview(self._rest + data if self._rest else data)
        self._rest = b""
        pieces: list[memoryview] = []
        try:
            while rest and not self.completed:
                rest = self._step(rest, pieces)
        except SyntaxFault as fault:
            self.error = fault.refusal
            return len(data)
        if pieces:
            self._kept.append(b"".join(pieces))
        return len(data) - len(rest)

    received = take  # waitress's name

    def _take_line(self, came: memoryview, pieces: list[memoryview]) -> memoryview:
        head = bytes(came[: CHUNK_LINE_BYTES + 2])
        line, end, _ = head.partition(b"\r\n")
        if not end:
            if len(head) >= CHUNK_LINE_BYTES + 2:
                raise SyntaxFault(f"the line before a chunk has at most {CHUNK_LINE_BYTES} bytes")
            self._rest = head
            return came[len(head) :]
        match = _CHUNK_LINE.fullmatch(line)
        if match is None:
            raise SyntaxFault("the line before a chunk is its size in hexadecimal digits and perhaps extensions")
        self._extensions += len(match[2])
        if self._extensions > EXTENSION_BYTES:
            raise SyntaxFault(f"the extensions of all chunks have at most {EXTENSION_BYTES} bytes")
        self._left = int(match[1], 16)
        self._step = self._take_data if self._left else self._take_trailer
        return came[len(line) + 2 :]

    def _take_data(self, came: memoryview, pieces: list[memoryview]) -> memoryview:
        piece = came[: self._left]
        pieces.append(piece)
        self._left -= len(piece)
        if not self._left:
            self._step = self._take_end
        return came[len(piece) :]

    def _take_end(self, came: memoryview, pieces: list[memoryview]) -> memoryview:
        end = bytes(came[:2])
        if not b"\r\n".startswith(end):
            raise SyntaxFault("a chunk ends with CR and LF after as many bytes as its line says")
        if len(end) < 2:
            self._rest = end
        else:
            self._step = self._take_line
        return came[len(end) :]

    def _take_trailer(self, came: memoryview, pieces: list[memoryview]) -> memoryview:
        """Its fields are checked and thrown away."""
        head = bytes(came[: TRAILER_BYTES + 4])
        if head.startswith(b"\r\n"):
            self.completed = True
            return came[2:]
        fields, end, _ = head.partition(b"\r\n\r\n")
        if not end:
            if len(head) >= TRAILER_BYTES + 4:
                raise SyntaxFault(f"what follows the last chunk has at most {TRAILER_BYTES} bytes")
            self._rest = head
            return came[len(head) :]
        for line in fields.split(b"\r\n"):
            field_of(line)
        self.completed = True
        return came[len(fields) + 4 :]
