"""Part "kills": the server, its workers and commands are killed at random moments while everything is written."""

import contextlib
import os
import random
import signal
import subprocess
import threading
import time
from pathlib import Path

from sqlalchemy import func, select

from engine.store import Store
from engine.store.schema import metadata
from tests.soak.console import HQ, ORG, Console, console
from tests.soak.databases import database
from tests.soak.load import Load, account
from tests.soak.table import Line, impossible
from tests.web import attacks

KILLS = 100
RESTART = 30.0  # seconds
IMPORTED = 3000  # rows of the file that is imported when the command is killed


def lines(scratch: Path, seed: int, budget: float) -> list[Line]:
    """SQLite, PostgreSQL, a worker, and three commands."""
    made = [sqlite(scratch / "sqlite", seed, budget * 0.42)]
    with database() as url:
        if url is None:
            made.append(impossible("kills, PostgreSQL", "no PostgreSQL server answers"))
        else:
            made.append(_kill("kills, PostgreSQL", scratch / "postgresql", seed, budget * 0.42, url))
    made.append(workers(scratch / "workers", seed, budget * 0.06))
    made.append(commands(scratch / "commands", seed, budget * 0.1))
    return made


def sqlite(scratch: Path, seed: int, budget: float) -> Line:
    """The server on a SQLite store."""
    return _kill("kills, SQLite", scratch, seed, budget, None)


def _kill(part: str, scratch: Path, seed: int, budget: float, url: str | None) -> Line:
    """Kill and start again until it was done often enough or the time is over; then account for everything."""
    began, chance, starts, sealed = time.monotonic(), random.Random(seed), [], list[str]()
    line = Line(part, "")
    with console(scratch, url) as server:
        server.start()
        with Load(server, seed) as load:
            kills = 0
            while kills < KILLS and (time.monotonic() - began < budget * 0.92 or not kills):
                sealing = threading.Thread(target=lambda: sealed.extend(filter(None, [load.seal()])), daemon=True)
                if kills % 10 == 0:
                    sealing.start()
                time.sleep(chance.uniform(0.05, 1.5 if kills % 10 else 8.0))
                server.kill()
                kills += 1
                starts.append(server.start())
                if kills % 10 == 1:
                    sealing.join(120)
            sealed.extend(filter(None, [load.seal()]))
        line.done = f"{kills} kills"
        check_ledger(line, server, load)
        for identifier in sealed:
            with contextlib.suppress(RuntimeError):
                status, _, found = attacks.ask_once(
                    server.port,
                    f"/api/governance/compliance/bundles/{identifier}/download",
                    headers=(f"Cookie: svc_session={server.cookie}",),
                    seconds=60.0,
                )
                file = scratch / "bundle.zip"
                file.write_bytes(found)
                if status != 200 or not server.hq("verify", str(file)).startswith("ok"):
                    line.broken.append(f"the sealed bundle {identifier} answers {status}")
                continue
            line.broken.append(f"the sealed bundle {identifier} does not verify")
        server.stop()
        if not server.hq("verify", "--org", ORG).startswith("ok"):
            line.broken.append("hq verify")
    if not sealed:
        line.broken.append("no bundle was sealed after the last kill")
    line.notes.append(
        f"restart {max(starts):.1f} s at most, {sorted(starts)[len(starts) // 2]:.1f} s typically; "
        f"{len(sealed)} bundles acknowledged and verified"
    )
    if max(starts) > RESTART:
        line.broken.append(f"a restart took {max(starts):.0f} s; at most {RESTART:.0f} s")
    if kills < KILLS:
        line.notes.append(f"the time allowed {kills} of {KILLS} kills")
    line.seconds = time.monotonic() - began
    return line.judge()


def check_ledger(line: Line, server: Console, load: Load) -> None:
    """Everything acknowledged, looked for in the store."""
    told = account(server.url, load.ledger)
    line.acknowledged = (line.acknowledged or 0) + load.ledger.count
    line.found = (line.found or 0) + told.found
    line.lost, line.doubled = (line.lost or 0) + len(told.lost), (line.doubled or 0) + len(told.doubled)
    line.faults = (line.faults or 0) + len(load.ledger.faults)
    line.broken += [*told.half, *told.lost[:3], *told.doubled[:3], *load.ledger.faults[:3]]
    if load.ledger.health:
        line.health_ms = 1000 * attacks.p99(load.ledger.health)
    if load.ledger.unavailable_without:
        line.broken.append(f"{load.ledger.unavailable_without} times 503 without Retry-After")
    if not load.ledger.count:
        line.broken.append("nothing was acknowledged")


def workers(scratch: Path, seed: int, budget: float) -> Line:
    """Worker processes are killed while reports are asked for: nobody waits for ever, and the next report comes."""
    began, chance = time.monotonic(), random.Random(seed)
    line, kills, statuses = Line("kills, workers", ""), 0, list[int]()
    over = threading.Event()
    with console(scratch) as server:
        server.start()

        def ask(first: int) -> None:
            days = first
            while not over.is_set():
                days = days % 700 + 4
                path = f"/api/governance/compliance/executive-summary?periodDays={days}"
                with contextlib.suppress(OSError, ValueError, IndexError):
                    status, *_ = attacks.ask_once(server.port, path, headers=(f"Cookie: svc_session={server.cookie}",))
                    statuses.append(status)

        clients = [threading.Thread(target=ask, args=(number + 1,), daemon=True) for number in range(4)]
        for client in clients:
            client.start()
        with Load(server, seed, pause=0.05) as load:
            while time.monotonic() - began < budget * 0.8 or not kills:
                time.sleep(chance.uniform(0.1, 1.5))
                if found := server.workers():
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(chance.choice(found), signal.SIGKILL)
                        kills += 1
                elif time.monotonic() - began > 60:
                    break
        over.set()
        for client in clients:
            client.join(60)
        line.done = f"{kills} kills"
        check_ledger(line, server, load)
        path = "/api/governance/compliance/executive-summary?periodDays=30"
        status, *_ = attacks.ask_once(
            server.port, path, headers=(f"Cookie: svc_session={server.cookie}",), seconds=90.0
        )
        if status != 200:
            line.broken.append(f"a report after the last kill is answered with {status}")
        server.stop()
    line.faults = (line.faults or 0) + sum(status >= 500 and status != 503 for status in statuses)
    line.notes.append(f"{statuses.count(200)} reports meanwhile, {statuses.count(503)} times 503")
    line.seconds = time.monotonic() - began
    return line.judge()


def commands(scratch: Path, seed: int, budget: float) -> Line:
    """``hq import``, ``hq migrate`` and ``hq build`` are killed; done again, each comes to its end."""
    began, chance = time.monotonic(), random.Random(seed)
    line, kills = Line("kills, commands", ""), 0
    with console(scratch) as server:
        file = scratch / "vendors.csv"
        turn = 0
        while time.monotonic() - began < budget * 0.7 or turn < 1:
            turn += 1
            rows = "".join(f"i{turn}-{number},cloud,low,2026-11-20\n" for number in range(IMPORTED))
            file.write_text(f"name,category,tier,onboarded_on\n{rows}")
            fresh = Console(scratch / f"fresh-{turn}", f"sqlite:///{scratch / f'fresh-{turn}'}/hq.db")
            fresh.folder.mkdir()
            kills += _interrupt(server, ("import", str(file), "--org", ORG), chance.uniform(0.5, 3.0))
            if (vendors := _vendors(server, f"i{turn}-")) not in (0, IMPORTED):
                line.broken.append(f"{vendors} of {IMPORTED} rows of a killed import are there")
            server.hq("import", str(file), "--org", ORG)
            line.acknowledged = (line.acknowledged or 0) + IMPORTED
            line.found = (line.found or 0) + _vendors(server, f"i{turn}-")
            kills += _interrupt(fresh, ("migrate",), chance.uniform(0.3, 2.0))
            fresh.hq("migrate")
            if not fresh.hq("migrate").startswith("already"):
                line.broken.append("hq migrate after a kill does not come to its end")
            kills += _interrupt(server, ("build", "--org", ORG), chance.uniform(1.0, 6.0))
            _check_processes(line, server)
        server.hq("build", "--org", ORG, seconds=300)
        if not server.hq("verify", "--org", ORG).startswith("ok"):
            line.broken.append("hq verify")
    line.done = f"{kills} kills"
    line.lost = (line.acknowledged or 0) - (line.found or 0)
    line.seconds = time.monotonic() - began
    return line.judge()


def _interrupt(server: Console, command: tuple[str, ...], after: float) -> int:
    """Kill a command, and it alone; 1 where it still ran."""
    process = subprocess.Popen(
        [*HQ, *command],
        env=server.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        process.wait(after)
        return 0
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(30)
        return 1


def _check_processes(line: Line, server: Console) -> None:
    """A killed build leaves no process behind that works on in this folder."""
    until = time.monotonic() + 10
    while (left := _working_in(server.folder)) and time.monotonic() < until:
        time.sleep(0.2)
    if left:
        line.broken.append(f"{len(left)} processes of a killed build live on after ten seconds")
        for process in left:
            os.kill(process, signal.SIGKILL)


def _working_in(folder: Path) -> list[int]:
    found = []
    for environ in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if f"SVC_DATA_DIR={folder}\0".encode() in environ.read_bytes():
                found.append(int(environ.parent.name))
    return found


def _vendors(server: Console, start: str) -> int:
    vendors = metadata.tables["vendors"]
    with contextlib.closing(Store(server.url)) as store, store.reader() as connection:
        return int(
            connection.scalar(select(func.count()).where(vendors.c.org_id == ORG, vendors.c.name.startswith(start)))
            or 0
        )
