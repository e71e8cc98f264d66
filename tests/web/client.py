"""A client that calls the WSGI application as a server would, without a network."""

import io
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes, urlsplit

import msgspec

import api
from tests.web.answers import check


@dataclass
class Answer:
    status: int
    headers: dict
    body: bytes

    @property
    def json(self):
        return msgspec.json.decode(self.body)


class Client:
    def __init__(self, console, cookie=None):
        self.console = console
        self.cookie = cookie
        self.declared = tuple(console.routes) == api.ROUTES

    def call(self, method, url, body=b"", *, cookie=True, length=None, **headers):
        """``headers`` are given as ``if_none_match="…"``; ``cookie=False`` sends none."""
        parts = urlsplit(url)
        data = body if isinstance(body, bytes) else msgspec.json.encode(body)
        environ = {
            "REQUEST_METHOD": method,
            "PATH_INFO": unquote_to_bytes(parts.path).decode("latin-1"),
            "QUERY_STRING": parts.query,
            "SERVER_NAME": "localhost",
            "SERVER_PORT": "8080",
            "SERVER_PROTOCOL": "HTTP/1.1",
            "HTTP_HOST": "localhost:8080",
            "REMOTE_ADDR": "127.0.0.1",
            "wsgi.url_scheme": "http",
            "wsgi.input": io.BytesIO(data),
            "CONTENT_LENGTH": str(len(data) if length is None else length),
            "SCRIPT_NAME": "",
        }
        if self.cookie and cookie:
            environ["HTTP_COOKIE"] = f"other=1; svc_session={self.cookie}"
        names = {name: name.upper() if name == "content_type" else f"HTTP_{name.upper()}" for name in headers}
        environ |= {names[name]: value for name, value in headers.items()}
        seen = {}

        def start_response(status, given, exc_info=None):
            seen["status"] = int(status.split()[0])
            seen["headers"] = {name.lower(): value for name, value in given}

        answer = self.console.wsgi(environ, start_response)
        body = b"".join(answer)
        if hasattr(answer, "close"):
            answer.close()
        if self.declared:
            check(method, environ["PATH_INFO"], seen["status"], seen["headers"].get("content-type", ""), body)
        return Answer(seen["status"], seen["headers"], body)

    def get(self, url, **headers):
        return self.call("GET", url, **headers)

    def post(self, url, body=b"", **headers):
        return self.call("POST", url, body, **headers)
