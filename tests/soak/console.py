"""A real ``hq serve`` in a process of its own, with its data in a folder that is removed in the end."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from engine.store import Store
from engine.store.schema import outputs, services
from engine.store.schema.organizations import memberships, organization_frameworks
from engine.web.admission.credentials import digest, new_secret
from tests.bench.availability import memory_mb
from tests.bench.http import free_port
from tests.web import attacks

HQ = (sys.executable, "-m", "engine.cli")
SECRET = "0123456789abcdef0123456789abcdef"
ORG, OWNER = "acme", "owner@acme.example"
READY = 90.0


@dataclass
class Console:
    """Where a console listens and keeps its records. ``start`` and ``kill`` as often as one likes."""

    folder: Path
    url: str
    port: int = field(default_factory=free_port)
    more: dict[str, str] = field(default_factory=dict)  # further settings
    options: tuple[str, ...] = ()
    command: tuple[str, ...] = HQ  # that starts the server
    token: str = ""
    cookie: str = ""
    process: subprocess.Popen[bytes] | None = None

    @property
    def environment(self) -> dict[str, str]:
        """Settings of the console's commands."""
        own = {name: value for name, value in os.environ.items() if not name.startswith("SVC_")}
        return {
            **own,
            "SVC_DATA_DIR": str(self.folder),
            "SVC_DATABASE_URL": self.url,
            "SVC_SESSION_SECRET": SECRET,
            "SVC_INGEST_PER_MINUTE": "1000000",
            "SVC_BASE_URL": "http://localhost:8080",
            "SVC_REPORT_PROCESSES": "1",
            **self.more,
        }

    def prepare(self) -> None:
        """An organization with its people, a service, and an ingest token."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self.hq("migrate")
        secret, now = new_secret("ingest"), datetime.now(UTC)
        with (
            contextlib.closing(Store(self.url)) as store,
            store.revision(ORG, "setup", now=now, create={"name": "Acme"}) as revision,
        ):
            revision.insert(memberships, [{"email": OWNER, "role": "owner"}])
            revision.insert(organization_frameworks, [{"framework": "soc2"}])
            revision.insert(services.services, [{"id": "checkout", "name": "checkout", "criticality": 5}])
            row = {
                "id": "ingest",
                "kind": "ingest",
                "label": "soak",
                "created_at": now - timedelta(days=3),
                "owner": OWNER,
                "prefix": secret[:7],
                "last_four": secret[-4:],
                "secret_sha256": digest(secret),
            }
            revision.insert(outputs.credentials, [row])
            revision.record("organization.prepared")
        self.token = secret
        self.cookie = self.hq("session", "--email", OWNER).strip()

    def hq(self, *arguments: str, seconds: float = 120.0) -> str:
        """What a command printed; RuntimeError with what it said where it failed."""
        done = subprocess.run([*HQ, *arguments], env=self.environment, capture_output=True, text=True, timeout=seconds)
        if done.returncode:
            raise RuntimeError(f"hq {' '.join(arguments)}: {done.returncode}: {(done.stdout + done.stderr)[-2000:]}")
        return done.stdout

    def start(self) -> float:
        """Start it and wait until it answers; after how many seconds it did."""
        began = time.monotonic()
        with (self.folder.parent / "serve.log").open("ab") as log:
            self.process = subprocess.Popen(
                [*self.command, "serve", "--port", str(self.port), *self.options],
                env=self.environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        while not self.healthy():
            if self.process.poll() is not None or time.monotonic() - began > READY:
                raise RuntimeError(f"hq serve did not start: {self.last_output()}")
            time.sleep(0.05)
        return time.monotonic() - began

    def last_output(self) -> str:
        """The end of what it wrote."""
        return (self.folder.parent / "serve.log").read_text(errors="replace")[-3000:]

    def healthy(self, path: str = "/api/health/db") -> bool:
        """Whether it answers, its store included."""
        with contextlib.suppress(OSError, ValueError, IndexError):
            return attacks.ask_once(self.port, path, seconds=5.0)[0] == 200
        return False

    def kill(self) -> None:
        """The server and all that it started, at once."""
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(30)
            self.process = None

    def stop(self) -> int | None:
        """Ask it to end; its exit code, None where it had to be killed."""
        if self.process is None:
            return 0
        process = self.process
        process.send_signal(signal.SIGTERM)
        try:
            return process.wait(30)
        except subprocess.TimeoutExpired:
            return None
        finally:
            self.kill()

    def workers(self) -> list[int]:
        """The processes that it started and that live."""
        return [] if self.process is None else children(self.process.pid)

    def memory_mb(self) -> float:
        """What it and its children hold."""
        return 0.0 if self.process is None else memory_mb(self.process.pid)


def children(process: int) -> list[int]:
    """The children of a process; Linux tells."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            rest = status.read_text().rpartition(")")[2].split()
            if int(rest[1]) == process and rest[0] != "Z":
                found.append(int(status.parent.name))
    return sorted(found)


@contextlib.contextmanager
def console(scratch: Path, url: str | None = None, options: Sequence[str] = (), **more: str) -> Iterator[Console]:
    """A prepared console below a folder; SQLite where no other store is named. Whatever still runs is killed."""
    folder = scratch / "data"
    made = Console(folder, url or f"sqlite:///{folder / 'hq.db'}", more=more, options=tuple(options))
    try:
        made.prepare()
        yield made
    finally:
        made.kill()
