"""Whole consoles as targets: the application without a network, the server's channel, the copilot's own answers."""

import hmac
import json
import socket
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import api
from engine.replica.replica import Replica
from engine.reporting.artifacts.artifacts import Artifacts
from engine.reporting.snapshot.snapshots import Snapshots
from engine.runtime.services import Services
from engine.runtime.settings import Settings
from engine.store import Store
from engine.store.database import database
from engine.store.database.migrations import migrate
from engine.store.schema import outputs
from engine.web.admission.credentials import digest, new_secret
from engine.web.admission.limits import Limit, Limiter
from engine.web.app import Console
from engine.web.handlers.reports import ReportHandler
from reports import CATALOGUE
from tests.soak.fuzz import seeds
from tests.soak.fuzz.seeds import SECRET
from tests.soak.fuzz.targets import Fault, refusals
from tests.web.client import Client
from tests.web.conftest import people

BUILT = ("workbook", "committee-meeting-pack", "committee-digest", "bundles", "digest", "evidence-request-sla")
GET = "GET"


class NoLimit(Limiter):
    """Lets everybody: else most inputs would be refused for their number."""

    def __init__(self) -> None:
        super().__init__("memory://")

    def check(self, limit: Limit, caller: str, count: int | None = None) -> None:
        """Nothing is counted."""


def _console(folder: Path, **environment: str) -> Console:
    settings = Settings.of(
        {
            "SVC_DATA_DIR": str(folder),
            "SVC_SESSION_SECRET": SECRET,
            "SVC_CHAT_SIGNING_SECRET": "s3cret",
            "SVC_PLATFORM_ADMIN_EMAILS": "owner@acme.example",
            "SVC_LEMONSQUEEZY_SIGNING_SECRET": "s3cret",
            "SVC_LEMONSQUEEZY_VARIANTS": "pro=111,team=222",
            "SVC_BASE_URL": "http://localhost:8080",
            "SVC_LEMONSQUEEZY_TEST_MODE": "on",
            "SVC_CONTACT_MIN_SECONDS": "0",
            **environment,
        }
    )
    database.SYNCHRONOUS = "OFF"  # nothing here outlives the process
    url = f"sqlite:///{folder / 'hq.db'}"
    migrate(url)
    store = Store(url)
    now = datetime.now(UTC)
    for org in ("acme", "other"):
        with store.revision(org, "setup", now=now, create={"name": org.title()}) as revision:
            revision.record("organization.created")
    people(store)
    replica = Replica(url, None)
    console = Console(
        api.ROUTES,
        Services(settings, store, Snapshots(store, replica, Artifacts(folder / "artifacts"), CATALOGUE), now),
    )
    console.gate = replace(console.gate, limiter=NoLimit())
    return console


def doors(folder: Path) -> tuple[Callable[[bytes], None], list[bytes]]:
    """Asks as the owner of acme, with whatever the route wants to see; builds of archives are left out."""
    console = _console(folder)
    secret = new_secret("ingest")
    token = {
        "id": "ingest",
        "kind": "ingest",
        "label": "x",
        "created_at": datetime.now(UTC),
        "owner": "owner@acme.example",
        "prefix": secret[:7],
        "last_four": secret[-4:],
        "secret_sha256": digest(secret),
    }
    with console.services.store.revision("acme", "setup", now=datetime.now(UTC)) as revision:
        revision.insert(outputs.credentials, [token])
        revision.record("credential.created")
    client = Client(console, console.gate.sessions.issue("owner@acme.example", "acme", now=datetime.now(UTC)))
    left_out = {route.path for route in api.ROUTES if isinstance(route.handler, ReportHandler)}
    left_out |= {f"/api/governance/compliance/{name}" for name in BUILT}

    def ask(data: bytes) -> None:
        head, _, body = data.partition(b"\n")
        method, _, path = head.decode("latin-1").partition(" ")
        if path.partition("?")[0] in left_out or path.endswith("/scheduled") or not path.startswith("/"):
            return
        if "[" in path or "]" in path:
            return  # the client of the tests cannot send it; the target http does
        stamp = str(int(datetime.now(UTC).timestamp()))
        signed = hmac.new(b"s3cret", b"v0:" + stamp.encode() + b":" + body, sha256).hexdigest()
        headers = {
            "authorization": f"Bearer {secret}",
            "x_slack_signature": f"v0={signed}",
            "x_slack_request_timestamp": stamp,
            "x_signature": hmac.new(b"s3cret", body, sha256).hexdigest(),
            "content_type": "application/x-www-form-urlencoded"
            if path.endswith("slack/approvals")
            else "application/json",
        }
        if body.startswith(b"<"):
            headers["content_type"] = "application/xml"
        elif path.endswith("vulnerabilities") and body[:1] not in b"[{":
            headers["content_type"] = "text/csv"
        answer = client.call(method, path, body, **headers)
        unset = answer.status == 503 and json.loads(answer.body)["error"].endswith("_not_configured")
        if answer.status >= 500 and not unset:
            raise Fault(f"{method} {path}: {answer.status} {answer.body[:300]!r}")

    return ask, [f"{name}\n".encode() + body for name, body in seeds.doors()]


def connection(folder: Path) -> Callable[[bytes], None]:
    """A channel of the server with its other end: the first half of the bytes, then the rest, then what is answered."""
    from engine.web.serving.server import bind, listen

    console = _console(folder, SVC_SESSION_AUTH="off")
    server: Any = bind(console, listen("127.0.0.1", 0), 1)
    waiting: list[Any] = []
    server.add_task = waiting.append
    server.pull_trigger = lambda: None  # nobody runs the loop that would be woken: its pipe would fill up
    channels: dict[int, object] = {}

    def feed(data: bytes) -> None:
        ours, theirs = socket.socketpair()
        channel = server.channel_class(server, ours, ("127.0.0.1", 1), server.adj, map=channels)
        half = len(data) // 2
        for piece in (data[:half], data[half:]):
            if piece and channel.connected and not channel.close_when_flushed:
                channel.received(piece)
            while waiting:
                waiting.pop(0).service()
        theirs.settimeout(0)
        answered = b""
        while channel.total_outbufs_len and channel.connected:
            channel.handle_write()
            answered += _read(theirs)
        answered += _read(theirs)
        channel.handle_close()
        theirs.close()
        for status in answered.split(b"HTTP/1.")[1:]:
            if status[2:3] == b"5" and b"_not_configured" not in status and status[2:5] != b"501":
                raise Fault(status[:300].decode("latin-1"))

    return feed


def _read(side: socket.socket) -> bytes:
    try:
        return side.recv(1 << 20)
    except BlockingIOError:
        return b""


def copilot_library(folder: Path) -> Callable[[str], None]:
    """Answers from the records of a demonstration organization."""
    from data.demo import generate
    from engine.copilot.answers.library import Library
    from engine.copilot.answers.offline import answer
    from tests.frames import import_frames
    from tests.soak.fuzz.seeds import RECEIVED

    url = f"sqlite:///{folder / 'hq.db'}"
    migrate(url)
    store = Store(url)
    import_frames(store, generate("dune", RECEIVED.date()), org_id="dune", actor="demo", now=RECEIVED)
    library = Library(
        Snapshots(store, Replica(url, None), Artifacts(folder / "artifacts"), CATALOGUE), "dune", now=RECEIVED
    )
    before: list[str] = []
    answer("How are we doing, and which incidents are open?", library, asker="owner@dune.example")  # reads the records

    def ask(question: str) -> None:
        with refusals():
            answer(question, library, asker="owner@dune.example", before=before[-1:])
        before[:] = [question]

    return ask
