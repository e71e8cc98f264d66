"""Server-sent events (WHATWG HTML, 9.2), as chat completions use them: one JSON value an event, then ``[DONE]``."""

from collections.abc import Iterable, Iterator

import msgspec

CONTENT_TYPE = "text/event-stream; charset=utf-8"
END = "[DONE]"
LONGEST = 1024 * 1024


def event(value: object) -> bytes:
    """One event on the wire. JSON has no line breaks of its own, so that one data line is enough."""
    return b"data: " + msgspec.json.encode(value) + b"\n\n"


def error_event(message: str, kind: str, code: str) -> bytes:
    """The event with which a stream breaks off, in the shape that clients of chat completions read."""
    return event({"error": {"message": message, "type": kind, "code": code}})


def end_event() -> bytes:
    """The event that ends a completion."""
    return f"data: {END}\n\n".encode()


def data(chunks: Iterable[bytes]) -> Iterator[str]:
    """The data of each event, however its bytes were cut; comments and other fields are passed over.

    Lines are cut before they are decoded: a line separator of Unicode inside a text is no end of a line. ValueError
    for a line or an event over a mebibyte.
    """
    lines: list[str] = []
    size = 0
    for line in _lines(chunks):
        if not line:
            if lines:
                yield "\n".join(lines)
            lines, size = [], 0
        elif line.startswith(b"data:"):
            text = line[5:].decode("utf-8", errors="replace").removeprefix(" ")
            size += len(text)
            if size > LONGEST:
                raise ValueError(f"an event may have {LONGEST:,} characters; it has more")
            lines.append(text)
    if lines:
        yield "\n".join(lines)


def _lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Lines that end in LF, CRLF or CR; the last one may end with the stream."""
    rest = b""
    after_cr = False
    for chunk in chunks:
        if after_cr and chunk.startswith(b"\n"):
            chunk = chunk[1:]
        if not chunk:
            continue
        after_cr = chunk.endswith(b"\r")
        *lines, rest = (rest + chunk).replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        yield from lines
        if len(rest) > LONGEST:
            raise ValueError(f"a line may have {LONGEST:,} bytes; it has more")
    if rest:
        yield rest
