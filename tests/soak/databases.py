"""PostgreSQL for consoles under fire: a database of a server that runs, or a cluster of one's own that may be broken."""

import contextlib
import os
import pwd
import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy import create_engine, make_url, text
from sqlalchemy.exc import OperationalError

from tests.bench.http import free_port

SERVER = os.environ.get("SVC_TEST_POSTGRESQL_URL", "postgresql+psycopg://postgres@127.0.0.1:5432/test")


@contextlib.contextmanager
def database() -> Iterator[str | None]:
    """The URL of an empty database of the tests' server, dropped in the end; None where no server answers."""
    admin = create_engine(SERVER, isolation_level="AUTOCOMMIT")
    name = f"hq_soak_{uuid.uuid4().hex[:12]}"
    try:
        with admin.connect() as connection:
            connection.execute(text(f"CREATE DATABASE {name}"))
    except OperationalError:
        yield None
        return
    try:
        yield make_url(SERVER).set(database=name).render_as_string(hide_password=False)
    finally:
        with admin.connect() as connection:
            connection.execute(text(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)"))
        admin.dispose()


class Cluster:
    """A PostgreSQL server of one's own."""

    def __init__(self, folder: Path, binaries: Path, user: str | None) -> None:
        self.port = free_port()
        self._folder, self._binaries, self._user = folder, binaries, user
        self.url = f"postgresql+psycopg://postgres@127.0.0.1:{self.port}/postgres"
        self._run("initdb", "--auth", "trust", "--username", "postgres", "--no-sync", "-D", str(folder / "data"))

    def start(self) -> None:
        """Start it, and wait until it answers."""
        options = f"-p {self.port} -k {self._folder} -c listen_addresses=127.0.0.1 -c max_connections=100"
        self._control("start", "-o", options, "-l", str(self._folder / "log"))

    def stop(self, mode: str) -> None:
        """Stop it: ``fast`` ends sessions, ``immediate`` is a crash."""
        self._control("stop", "-m", mode)

    def restart(self) -> None:
        """Stop and start."""
        self._control("restart", "-m", "fast", "-l", str(self._folder / "log"))

    def signal(self, number: int) -> None:
        """Send a signal to all of its processes."""
        from tests.soak.console import children

        head = int((self._folder / "data" / "postmaster.pid").read_text().split()[0])
        for process in (head, *children(head)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, number)

    def _control(self, *arguments: str) -> None:
        self._run("pg_ctl", "-w", "-D", str(self._folder / "data"), *arguments)

    def _run(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [str(self._binaries / program), *arguments],
            check=True,
            user=self._user,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=self._folder,
            timeout=120,
        )


@contextlib.contextmanager
def cluster() -> Iterator[Cluster | None]:
    """A running cluster in a temporary folder; None where PostgreSQL is not installed, or root has nobody to run it."""
    paths = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    on_path = shutil.which("initdb")
    binaries = paths[-1].parent if paths else Path(on_path).parent if on_path else None
    user = "postgres" if os.getuid() == 0 else None
    try:
        if user is not None:
            pwd.getpwnam(user)
    except KeyError:
        binaries = None
    if binaries is None:
        yield None
        return
    folder = Path(tempfile.mkdtemp(prefix="hq-soak-pg-"))
    try:
        if user is not None:
            shutil.chown(folder, user)
        made = Cluster(folder, binaries, user)
        made.start()
        try:
            yield made
        finally:
            with contextlib.suppress(OSError):
                made.signal(18)  # SIGCONT
            with contextlib.suppress(subprocess.CalledProcessError):
                made.stop("immediate")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
