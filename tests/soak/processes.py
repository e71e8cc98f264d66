"""Part "two": two servers on one store, one of them killed now and then; and the processes of one server."""

import contextlib
import os
import random
import signal
import subprocess
import time
from dataclasses import replace
from pathlib import Path

from tests.bench.http import free_port
from tests.soak.console import HQ, ORG, Console, console
from tests.soak.databases import database
from tests.soak.kills import check_ledger
from tests.soak.load import Load
from tests.soak.table import Line, impossible


def lines(scratch: Path, seed: int, budget: float) -> list[Line]:
    """On SQLite, on PostgreSQL, and with --processes where hq serve knows it."""
    made = [_two("two servers, SQLite", scratch / "sqlite", seed, budget / 3, None)]
    with database() as url:
        if url is None:
            made.append(impossible("two servers, PostgreSQL", "no PostgreSQL server answers"))
        else:
            made.append(_two("two servers, PostgreSQL", scratch / "postgresql", seed, budget / 3, url))
    text = subprocess.run([*HQ, "serve", "--help"], capture_output=True, text=True, check=True).stdout
    if "--processes" in text:
        made.append(_several(scratch / "several", seed, budget / 3))
    else:
        made.append(impossible("hq serve --processes", "hq serve has no --processes"))
    return made


def _two(part: str, scratch: Path, seed: int, budget: float, url: str | None) -> Line:
    began, chance, kills = time.monotonic(), random.Random(seed), 0
    line = Line(part, "")
    with console(scratch, url) as first:
        second: Console = replace(first, port=free_port(), options=("--no-scheduler",), process=None)
        first.start()
        try:
            second.start()
            with Load(first, seed, ports=(first.port, second.port)) as load:
                while time.monotonic() - began < budget * 0.8 or not kills:
                    time.sleep(chance.uniform(0.3, 3.0))
                    second.kill()
                    kills += 1
                    time.sleep(chance.uniform(0.0, 0.5))
                    second.start()
        finally:
            second.kill()
        line.done = f"{kills} kills of one"
        check_ledger(line, first, load)
        first.stop()
        if not first.hq("verify", "--org", ORG).startswith("ok"):
            line.broken.append("hq verify")
    line.seconds = time.monotonic() - began
    return line.judge()


def _several(scratch: Path, seed: int, budget: float) -> Line:
    """The processes of one server are killed one by one; the others answer on."""
    began, chance, kills = time.monotonic(), random.Random(seed), 0
    line = Line("hq serve --processes", "")
    with console(scratch, options=("--processes", "2")) as server:
        server.start()
        with Load(server, seed) as load:
            while time.monotonic() - began < budget * 0.7 or not kills:
                time.sleep(chance.uniform(0.5, 3.0))
                if workers := server.workers():
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(chance.choice(workers), signal.SIGKILL)
                        kills += 1
        line.done = f"{kills} kills of one of its processes"
        check_ledger(line, server, load)
        if not server.healthy():
            line.broken.append("it does not answer after the last kill")
        server.stop()
        if not server.hq("verify", "--org", ORG).startswith("ok"):
            line.broken.append("hq verify")
    line.seconds = time.monotonic() - began
    return line.judge()
