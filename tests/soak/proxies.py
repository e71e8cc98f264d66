"""Part "proxies": odd requests, drawn, through nginx and HAProxy as ``deploy/`` has them, in front of our server.

Behind each a request follows that would be hidden if proxy and console cut differently. Whatever the console takes has
been seen by the proxy as a request of its own, which it marks in a header; and it is what h11 reads.
"""

import contextlib
import shutil
import socket
import ssl
import subprocess
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

from engine.web.serving.server import serve_simply
from tests.bench.http import free_port
from tests.soak.table import Line, impossible
from tests.web.serving.test_against_h11 import draw, of_h11
from tests.web.serving.test_deploy import NAME, configuration, running

PROXIES = {"nginx": "nginx.conf", "haproxy": "haproxy.cfg"}
AT_ONCE, SILENCE = 32, 0.4  # connections; seconds without a byte after which a request is taken for unfinished
Taken = tuple[str, str, bytes, bool]  # method, path, body, and whether the proxy marked it


class Recorder:
    """An application that remembers what reached it, by the trial that it is of."""

    def __init__(self) -> None:
        self.taken: dict[str, list[Taken]] = defaultdict(list)
        self._guard = threading.Lock()

    def __call__(self, environ: dict[str, Any], start: Callable[..., object]) -> Iterable[bytes]:
        body = environ["wsgi.input"].read()
        with self._guard:
            trial = environ.get("HTTP_X_TRIAL", "")
            marked = environ.get("HTTP_X_FORWARDED_PROTO") == "https"
            self.taken[trial].append((environ["REQUEST_METHOD"], environ["PATH_INFO"], body, marked))
        start("200 OK", [("Content-Type", "text/plain"), ("Content-Length", "4")])
        return [b"okay"]


def lines(scratch: Path, seed: int, budget: float) -> list[Line]:
    """A line for each proxy that this machine has."""
    return [
        _proxy(name, file, scratch / name, seed, budget / len(PROXIES))
        if shutil.which(name)
        else impossible(f"requests through {name}", f"{name} is not installed")
        for name, file in PROXIES.items()
    ]


def _proxy(name: str, file: str, folder: Path, seed: int, budget: float) -> Line:
    began, line, random = time.monotonic(), Line(f"requests through {name}", ""), Random(seed)
    folder.mkdir()
    recorder, plain, secured = Recorder(), free_port(), free_port()
    certificate = _certificate(folder)
    with _console(recorder) as port:
        command = configuration(file, folder, certificate, port, plain, secured)
        with running(command, folder, secured), ThreadPoolExecutor(AT_ONCE) as pool:
            _wait_for_health(secured)
            trials: dict[str, bytes] = {}
            while time.monotonic() - began < budget:
                drawn = {f"{len(trials) + number}": draw(random) for number in range(AT_ONCE * 8)}
                asked = {trial: _with_hidden(request, trial) for trial, request in drawn.items()}
                list(pool.map(lambda request: _answer(secured, request), asked.values()))
                trials |= asked
    for trial, taken in recorder.taken.items():
        request = trials.get(trial, b"")
        line.broken += [
            f"{one!r} was not seen by the proxy: {request!r}"
            for one in taken
            if not one[3] and (request or not one[1].startswith("/api/health"))  # HAProxy asks about health itself
        ]
        if request and not _is_as_read(taken[0], request):
            line.broken.append(f"{taken[0]!r} was taken of {request!r}")
    reached = len(trials.keys() & recorder.taken.keys())
    line.done = f"{len(trials):,} requests, {reached:,} reached the console"
    line.seconds = time.monotonic() - began
    return line.judge()


def _with_hidden(request: bytes, trial: str) -> bytes:
    """The request with its trial in a header, and another one behind it."""
    first, separator, rest = request.partition(b"\r\nHost: here\r\n")
    named = f"\r\nHost: {NAME}\r\nX-Trial: {trial}\r\n".encode()
    hidden = f"GET /hidden HTTP/1.1\r\nHost: {NAME}\r\nX-Trial: {trial}\r\nConnection: close\r\n\r\n".encode()
    return (first + named + rest if separator else request) + hidden


def _is_as_read(taken: Taken, request: bytes) -> bool:
    """Whether h11 reads the same of the request, where it reads it; a proxy may mend what h11 refuses."""
    read = of_h11(request.lstrip(b"\r\n"))
    if read is None or read[1] is None or read[2] is None or taken[1] == "/hidden":
        return True
    return (taken[0], taken[2]) == (read[0], read[2])


def _answer(port: int, request: bytes) -> bytes:
    """What came on one connection until it was closed, or was silent."""
    trust = ssl.create_default_context()
    trust.check_hostname, trust.verify_mode = False, ssl.VerifyMode.CERT_NONE
    answer = b""
    with contextlib.suppress(OSError):
        plain = socket.create_connection(("127.0.0.1", port), timeout=10)
        with plain, trust.wrap_socket(plain, server_hostname=NAME) as stream:
            stream.settimeout(SILENCE)
            stream.sendall(request)
            while piece := stream.recv(65_536):
                answer += piece
    return answer


def _wait_for_health(port: int) -> None:
    """Until the proxy found out that the console is there."""
    asked = f"GET /api/health HTTP/1.1\r\nHost: {NAME}\r\nX-Trial: \r\nConnection: close\r\n\r\n".encode()
    until = time.monotonic() + 20
    while b" 200 " not in _answer(port, asked)[:20] and time.monotonic() < until:
        time.sleep(0.2)


@contextlib.contextmanager
def _console(application: Recorder) -> Iterator[int]:
    port, over = free_port(), threading.Event()
    server = serve_simply(application, "127.0.0.1", port, 8)
    loop = threading.Thread(target=server.serve, args=(over.is_set,))
    loop.start()
    try:
        yield port
    finally:
        over.set()
        loop.join(timeout=15)


def _certificate(folder: Path) -> tuple[Path, Path, Path]:
    """A key and its certificate, apart and in one file."""
    key, chain, both = (folder / name for name in ("key.pem", "chain.pem", "both.pem"))
    kind = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2")
    names = ("-subj", f"/CN={NAME}", "-keyout", str(key), "-out", str(chain))
    subprocess.run(["openssl", "req", "-x509", *kind, *names], check=True, capture_output=True)
    both.write_bytes(chain.read_bytes() + key.read_bytes())
    return key, chain, both
