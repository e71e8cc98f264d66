"""Part "strangers": who has no credential tries to occupy the console; the same is done to the version before its bounds.

Each attack goes on from one address while another asks for health and sends bodies of 100 kB, which are alerts. A line
says how both were answered, what the server's memory grew by and what it took of a core, and what lay on its disk.
"""

import contextlib
import json
import os
import re
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from tests.bench.availability import memory_mb
from tests.soak.console import Console, children, console
from tests.soak.table import Line, impossible
from tests.soak.upgrades import EarlierConsole, take_out
from tests.web import attacks

BEFORE = "ebe4a97"  # the last version that knew no bound for chunks, and no room for bodies
MB = 1_000_000
MIB = 1 << 20
VISITOR = "127.0.0.2"  # who does no harm; the attacks come from 127.0.0.1
ALERTS = "/api/integrations/alerts"
HEALTH_MS, MEMORY_MB, ROOM_MIB = 1000.0, 150.0, 256.0  # what is promised now: p99, growth, and bytes of bodies in all
POST = f"POST {ALERTS} HTTP/1.1\r\nHost: here\r\n"
CHUNKED = f"{POST}Transfer-Encoding: chunked\r\n\r\n".encode()
MALFORMED: Mapping[str, tuple[bytes, int]] = {
    "a blank in a header's name": (b"GET / HTTP/1.1\r\nHost: here\r\nX Y: z\r\n\r\n", 400),
    "a bare CR": (b"GET / HTTP/1.1\r\nHost: here\r\nX: y\rz\r\n\r\n", 400),
    "NUL": (b"GET / HTTP/1.1\r\nHost: here\r\nX: y\0z\r\n\r\n", 400),
    "HTTP/1.10": (b"GET / HTTP/1.10\r\nHost: here\r\n\r\n", 400),
    "/\\xff": (b"GET /\xff HTTP/1.1\r\nHost: here\r\n\r\n", 400),
    "a length of 4,301 digits": (f"{POST}Content-Length: {'9' * 4301}\r\n\r\n".encode(), 400),
    "an unknown method": (b"FOO /api/health HTTP/1.1\r\nHost: here\r\n\r\n", 405),
    "a method in small letters": (b"get /api/health HTTP/1.1\r\nHost: here\r\n\r\n", 405),
    "Content-Length with Transfer-Encoding": (
        f"{POST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n".encode(),
        400,
    ),
    "Transfer-Encoding in HTTP/1.0": (
        f"POST {ALERTS} HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n".encode(),
        400,
    ),
    "chunked, chunked": (f"{POST}Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n".encode(), 400),
    "no Host": (b"GET / HTTP/1.1\r\n\r\n", 400),
    "two Hosts": (b"GET / HTTP/1.1\r\nHost: here\r\nHost: there\r\n\r\n", 400),
}


Run = Callable[[int, threading.Event], None]


@dataclass
class Sight:
    """What the visitor saw meanwhile, and the machine's tables."""

    health: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    bodies: Counter[int] = field(default_factory=Counter)
    memory_mb: float = 0.0
    processor: float = 0.0  # of a core
    inside_mib: float = 0.0  # of files without a name in the data folder
    elsewhere_mib: float = 0.0
    ends: list[float] = field(default_factory=list)  # seconds after which the server ended a client

    def words(self) -> str:
        """A line's words."""
        took = sorted(1000 * one for one in self.health)
        bodies = ", ".join(f"{count} × {status or 'none'}" for status, count in sorted(self.bodies.items()))
        files = f"{self.inside_mib:.0f} MiB in files" + (f" + {self.elsewhere_mib:.0f}" if self.elsewhere_mib else "")
        ends = f", {len(self.ends)} ended after {median(self.ends):.0f} s" if self.ends else ""
        health = f"health {median(took):.0f} / {attacks.p99(took):.0f} ms"
        return f"{health}, bodies {bodies}, {self.processor:.0%} of a core, {files}{ends}"


def lines(scratch: Path, seed: int, budget: float) -> list[Line]:
    """What is malformed, then each attack, on the version before and on this one."""
    tree, share = scratch / BEFORE, budget / 2 / (len(ATTACKS) + 19)
    made = list[Line]()
    if take_out(BEFORE, tree):
        folder = scratch / "before"
        earlier = EarlierConsole(folder / "data", f"sqlite:///{folder / 'data' / 'hq.db'}", tree=tree)
        try:
            earlier.prepare()
            made += [line for line, _ in _lines_of("before", earlier, earlier.serve_earlier, share)]
        finally:
            earlier.kill()
    else:
        made.append(impossible(f"strangers of {BEFORE}", "the history of the repository is not here"))
    with console(scratch / "now") as server:
        for line, seen in _lines_of("now", server, server.start, share):
            made.append(_judge(line, seen))
    return made


def _lines_of(
    when: str, server: Console, start: Callable[[], object], seconds: float
) -> Iterator[tuple[Line, Sight | None]]:
    start()
    yield _odd_requests(when, server), None
    for name, (clients, run, longer) in ATTACKS.items():
        began, line = time.monotonic(), Line(f"{when}: {name}", "")
        if not _at_rest(server):
            line.notes.append("the server was started again, for it answered nobody any more")
            server.kill()
            start()
            _at_rest(server)
        seen = _watch(server, clients, run, max(2.0, seconds * longer))
        line.done, line.memory_mb, line.seconds = seen.words(), seen.memory_mb, time.monotonic() - began
        line.health_ms = 1000 * float(attacks.p99(seen.health))
        yield line, seen


# -- attacks -----------------------------------------------------------------------------------------------------------


def _body_without_end(head: bytes, size: int) -> Callable[[int, threading.Event], None]:
    def run(port: int, over: threading.Event) -> None:
        """A body of 31 MB but for its last byte; whoever is refused stays away."""
        with socket.create_connection((attacks.HOST, port), timeout=30) as client:
            client.sendall(head)
            piece, left = b"x" * MB, size - 1
            while left and not over.is_set():
                client.sendall(piece[:left])
                left -= len(piece[:left])
            over.wait()

    return run


def _chunk_line(port: int, over: threading.Event) -> None:
    """27 MB of a line before a chunk, in pieces; again where the server ends it."""
    with socket.create_connection((attacks.HOST, port), timeout=30) as client:
        client.sendall(CHUNKED + b"5;")
        for _ in range(27 * 16):
            if over.is_set():
                return
            client.sendall(b"x" * (MB // 16))
        over.wait()


def _header_line(port: int, over: threading.Event) -> None:
    """A header of 60 kB without an end, byte for byte at first, then whole."""
    with socket.create_connection((attacks.HOST, port), timeout=30) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: here\r\nX: ")
        for _ in range(600):
            if over.is_set():
                return
            client.sendall(b" " * 100)
            time.sleep(0.001)
        client.sendall(b"\0\r\n\r\n")
        client.recv(1)


def _slow_body(port: int, over: threading.Event) -> None:
    """600 kB at once, which at 1 kB a second is ten minutes' worth; then a byte a second until the server ends it."""
    with socket.create_connection((attacks.HOST, port), timeout=5) as client:
        client.sendall(f"{POST}Content-Length: 900000\r\n\r\n".encode() + b"x" * 600_000)
        client.settimeout(1)
        while not over.is_set():
            with contextlib.suppress(TimeoutError):
                if client.recv(65_536):
                    return
            client.sendall(b"x")


LONG = 31 * MB
ATTACKS: Mapping[str, tuple[int, Run, float]] = {  # clients, what each does again and again, times the share of a line
    "nothing": (0, _slow_body, 1.0),
    "14 bodies of 31 MB without an end": (
        14,
        _body_without_end(f"{POST}Content-Length: {LONG}\r\n\r\n".encode(), LONG),
        1.0,
    ),
    "the same in chunks": (14, _body_without_end(CHUNKED + f"{LONG:x}\r\n".encode(), LONG), 1.0),
    "4 lines of 27 MB before a chunk": (4, _chunk_line, 1.0),
    "8 headers of 60 kB, 100 bytes at a time": (8, _header_line, 1.0),
    "80 bodies that begin fast, then a byte a second": (80, _slow_body, 20.0),  # beyond the minute of the window
}


# -- what is seen ------------------------------------------------------------------------------------------------------


def _watch(server: Console, clients: int, run: Run, seconds: float) -> Sight:
    """Ask for health, and with each fifth turn send 100 kB, while it goes on."""
    seen, over = Sight(), threading.Event()
    process = server.process.pid if server.process is not None else 0
    memory, processor, began = memory_mb(process), _processor(process), time.monotonic()

    def again() -> None:
        while not over.is_set():
            since = time.monotonic()
            with contextlib.suppress(OSError):
                run(server.port, over)
            if not over.is_set():
                seen.ends.append(time.monotonic() - since)
            over.wait(0.05)

    threads = [threading.Thread(target=again, daemon=True) for _ in range(clients)]
    for thread in threads:
        thread.start()
    try:
        turn = 0
        while time.monotonic() - began < seconds:
            _look(server, seen, with_body=turn % 5 == 0, turn=turn)
            if turn % 10 == 0:
                seen.memory_mb = max(seen.memory_mb, memory_mb(process) - memory)
                inside, elsewhere = _unnamed_mib(process, server.folder)
                seen.inside_mib, seen.elsewhere_mib = max(seen.inside_mib, inside), max(seen.elsewhere_mib, elsewhere)
            turn += 1
            time.sleep(0.02)
        seen.processor = (_processor(process) - processor) / (time.monotonic() - began)
    finally:
        over.set()
        for thread in threads:
            thread.join(35)
    return seen


def _look(server: Console, seen: Sight, *, with_body: bool, turn: int) -> None:
    try:
        status, took, _ = attacks.ask_once(server.port, seconds=10.0, source=VISITOR)
        seen.health.append(took)
        seen.statuses[status] += 1
    except (OSError, ValueError, IndexError):
        seen.health.append(10.0)
        seen.statuses[0] += 1
    if with_body:
        alert = {"title": "large", "dedupe_key": f"large-{turn % 3}", "severity": "low", "description": "y" * 100_000}
        headers = (f"Authorization: Bearer {server.token}", "Content-Type: application/json")
        try:
            body = json.dumps(alert).encode()
            ask_once = attacks.ask_once(
                server.port, ALERTS, method="POST", headers=headers, body=body, seconds=10.0, source=VISITOR
            )
            seen.bodies[ask_once[0]] += 1
        except (OSError, ValueError, IndexError):
            seen.bodies[0] += 1


def _at_rest(server: Console) -> bool:
    """Whether it answers again, once what an attack left is gone, and its memory grows no more."""
    process = server.process.pid if server.process is not None else 0
    until, before = time.monotonic() + 20, -1.0
    while time.monotonic() < until:
        time.sleep(2.5)
        before, now = memory_mb(process), before
        if abs(before - now) < 2 and server.healthy():
            return True
    return server.healthy()


def _processor(process: int) -> float:
    """Seconds of it that the process that answers took."""
    ticks = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(ticks[11]) + int(ticks[12])) / os.sysconf("SC_CLK_TCK")


def _unnamed_mib(process: int, folder: Path) -> tuple[float, float]:
    """Of files that are open and have no name: on the disk of the folder, and elsewhere."""
    inside = elsewhere = 0
    for one in (process, *children(process)):
        for link in Path(f"/proc/{one}/fd").iterdir():
            with contextlib.suppress(OSError):
                name = str(link.readlink())
                if name.startswith("/") and name.endswith(" (deleted)"):
                    size = link.stat().st_size
                    inside, elsewhere = (
                        (inside + size, elsewhere) if name.startswith(f"{folder}/") else (inside, elsewhere + size)
                    )
    return inside / MIB, elsewhere / MIB


def _judge(line: Line, seen: Sight | None) -> Line:
    """What is promised of a console under attack."""
    if seen is not None:
        promises = (
            (line.health_ms is not None and line.health_ms <= HEALTH_MS, f"health beyond {HEALTH_MS:.0f} ms"),
            (set(seen.statuses) == {200}, f"health is {dict(seen.statuses)}"),
            (set(seen.bodies) == {200}, f"bodies of others are answered with {dict(seen.bodies)}"),
            (seen.memory_mb <= MEMORY_MB, f"memory grew by {seen.memory_mb:.0f} MB; at most {MEMORY_MB:.0f} MB"),
            (seen.inside_mib <= ROOM_MIB, f"{seen.inside_mib:.0f} MiB lie in files; at most {ROOM_MIB:.0f} MiB"),
            (seen.elsewhere_mib < 1, f"{seen.elsewhere_mib:.0f} MiB lie in files outside of the data folder"),
        )
        line.broken += [what for kept, what in promises if not kept]
    return line.judge()


# -- what is malformed -------------------------------------------------------------------------------------------------


def _odd_requests(when: str, server: Console) -> Line:
    began, log = time.monotonic(), server.folder.parent / "serve.log"
    length = log.stat().st_size
    statuses = {name: _status(server.port, sent) for name, (sent, _) in MALFORMED.items()}
    time.sleep(0.5)
    errors = len(re.findall(r"\bERROR\b|Traceback", log.read_bytes()[length:].decode(errors="replace")))
    answers = ", ".join(f"{count} × {what}" for what, count in sorted(Counter(statuses.values()).items()))
    line = Line(f"{when}: what is malformed", f"{answers}; {errors} errors in the log")
    line.notes.append("; ".join(f"{name}: {what}" for name, what in statuses.items()))
    if when == "now":
        wrong = {name: what for name, what in statuses.items() if what != f"{MALFORMED[name][1]}"}
        line.broken += [f"{name}: expected {MALFORMED[name][1]}, found {what}" for name, what in wrong.items()]
        line.broken += [f"{errors} errors in the log"] if errors else []
    line.seconds = time.monotonic() - began
    return line


def _status(port: int, sent: bytes) -> str:
    """The status of the first answer; "closed" without one, "waits" where nothing comes."""
    content = b""
    try:
        with socket.create_connection((attacks.HOST, port), timeout=2) as client:
            client.sendall(sent)
            while b"\r\n" not in content and (piece := client.recv(65_536)):
                content += piece
    except TimeoutError:
        return "waits"
    except ConnectionError:
        return "closed"
    match = re.match(rb"HTTP/1\.[01] ([0-9]{3}) ", content)
    return match[1].decode() if match else "closed"
