"""What a request is (RFC 9112, sections 2 to 7), over waitress's parser: what is malformed is refused."""

import re
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from waitress.parser import HTTPRequestParser, ParsingError, split_uri
from waitress.receiver import FixedStreamReceiver

from engine.web.serving.chunked_body import ChunkedBody, SyntaxFault, field_of
from engine.web.serving.incoming import Reservation, SpooledBody

LENGTH_DIGITS = 18
_REQUEST_LINE = re.compile(rb"([!#$%&'*+\-.^_`|~0-9A-Za-z]+) ([\x21-\x7e]+) HTTP/([0-9])\.([0-9])")
_HOST = re.compile(r"(?:[A-Za-z0-9\-._~%!$&'()*+;=]+|\[[0-9A-Fa-f:.]+\])?(?::[0-9]*)?")
_ONCE = ("HOST", "CONTENT_LENGTH", "TRANSFER_ENCODING")


class RequestParser(HTTPRequestParser):  # type: ignore[misc] # waitress has no types
    """A request as it comes in. ``new_body`` is where a body is kept, ``reserved`` the room that it takes."""

    command = "GET"  # as long as no other is read
    path = "/"
    query = fragment = proxy_scheme = proxy_netloc = request_uri = ""
    first_line = b""
    headers: dict[str, str]

    def __init__(self, adj: Any, new_body: Callable[[], SpooledBody] = SpooledBody) -> None:
        super().__init__(adj)
        self.url_scheme = adj.url_scheme
        self.reserved: Reservation | None = None
        self._new_body = new_body

    def parse_header(self, header_plus: bytes) -> None:
        """Read a header; one that is malformed has an ``error`` then, and no body."""
        first, _, rest = header_plus.partition(b"\r\n")
        try:
            self._read_first_line(first)
            self._read_fields(rest)
            self._check_host()
            self._expect_body()
        except SyntaxFault as fault:
            self.error = fault.refusal

    def close(self) -> None:
        """It is answered, or given up: its body and the room for it are free."""
        super().close()
        if self.reserved is not None:
            self.reserved.release()

    def _read_first_line(self, line: bytes) -> None:
        self.first_line = line
        match = _REQUEST_LINE.fullmatch(line)
        if match is None:
            raise SyntaxFault("the first line is a method, a path in ASCII without blanks, and HTTP/1.1")
        method, target, major, minor = match.groups()
        if major != b"1":
            raise SyntaxFault(
                f"expected HTTP/1.1, found HTTP/{major.decode()}.{minor.decode()}",
                HTTPStatus.HTTP_VERSION_NOT_SUPPORTED,
                "http_version_not_supported",
            )
        self.command, self.request_uri = method.decode(), target.decode()
        self.version = "1.0" if minor == b"0" else "1.1"
        try:
            self.proxy_scheme, self.proxy_netloc, path, self.query, self.fragment = split_uri(target)
        except (ParsingError, ValueError) as error:
            raise SyntaxFault("the path is none of a URL") from error
        if not path and self.proxy_netloc:
            path = "/"
        if not path.startswith("/") and not (path == "*" and method == b"OPTIONS"):
            raise SyntaxFault("a path begins with a slash")
        self.path = path

    def _read_fields(self, rest: bytes) -> None:
        headers = self.headers
        for line in rest.split(b"\r\n"):
            if not line:
                continue
            name, value = field_of(line)
            if b"_" in name:  # another's hyphen, as far as an application can see
                continue
            key = name.upper().replace(b"-", b"_").decode()
            if key not in headers:
                headers[key] = value.decode("latin-1")
            elif key in _ONCE:
                raise SyntaxFault(f"{name.decode()} comes once; it came twice")
            else:
                headers[key] += f", {value.decode('latin-1')}"

    def _check_host(self) -> None:
        host = self.headers.get("HOST")
        if host is None:
            if self.version != "1.0":
                raise SyntaxFault("HTTP/1.1 needs a Host")
        elif _HOST.fullmatch(host) is None:
            raise SyntaxFault("Host is a name or an address, and a port after a colon")

    def _expect_body(self) -> None:
        headers = self.headers
        options = [option.strip(" \t").lower() for option in headers.get("CONNECTION", "").split(",")]
        self.connection_close = "close" in options or (self.version == "1.0" and "keep-alive" not in options)
        codings = headers.pop("TRANSFER_ENCODING", None)
        length = headers.get("CONTENT_LENGTH")
        if codings is not None:
            self._check_codings(codings, length)
            self.chunked = True
            self.body_rcv = ChunkedBody(self._new_body())
        elif length is not None:
            self.content_length = _length(length)
            if self.content_length:
                self.body_rcv = FixedStreamReceiver(self.content_length, self._new_body())
        self.expect_continue = self.version == "1.1" and headers.get("EXPECT", "").lower() == "100-continue"

    def _check_codings(self, codings: str, length: str | None) -> None:
        if self.version == "1.0":
            raise SyntaxFault("HTTP/1.0 has no Transfer-Encoding")
        if length is not None:
            raise SyntaxFault("a body has a Content-Length or a Transfer-Encoding; this has both")
        listed = [coding.strip(" \t").lower() for coding in codings.split(",")]
        if listed.count("chunked") > 1 or "" in listed or "chunked" in listed[:-1]:
            raise SyntaxFault("Transfer-Encoding is chunked, once and last")
        if listed != ["chunked"]:
            raise SyntaxFault(
                "expected Transfer-Encoding: chunked, found another coding",
                HTTPStatus.NOT_IMPLEMENTED,
                "not_implemented",
            )


def _length(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise SyntaxFault("Content-Length is a number of digits alone")
    if len(text) > LENGTH_DIGITS:
        raise SyntaxFault(f"Content-Length has at most {LENGTH_DIGITS} digits; it has {len(text)}")
    return int(text)
