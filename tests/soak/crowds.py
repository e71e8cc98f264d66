"""Parts "slow" and "overload": clients that hold what they have, and more clients than can be served."""

import asyncio
import threading
import time
from pathlib import Path

from tests.bench.availability import ATTACKS, CLIENTS, Crowd, crowd
from tests.soak.console import Console, console
from tests.soak.kills import check_ledger
from tests.soak.load import Load
from tests.soak.table import Line
from tests.web import attacks

HEALTH_MS = 1000.0  # p99 under attack; on idle cores it is far below
MEMORY_MB = 150.0
AGAIN = 5.0  # seconds after which all is as before


def slow(scratch: Path, seed: int, budget: float) -> list[Line]:
    """Each attack in turn while everything is written."""
    lines = []
    with console(scratch) as server:
        server.start()
        for number, (name, attack) in enumerate(ATTACKS.items()):
            began = time.monotonic()
            line = Line("slow clients", name)
            before = server.memory_mb()
            with Load(server, seed * 100 + number, pause=0.02) as load:
                with attack(server.port, f"svc_session={server.cookie}"):
                    time.sleep(max(1.0, budget * 0.8 / len(ATTACKS)))
                _again(line, server)
            check_ledger(line, server, load)
            line.memory_mb, line.seconds = server.memory_mb() - before, time.monotonic() - began
            if line.health_ms is None or line.health_ms > HEALTH_MS:
                line.broken.append(f"health takes longer than {HEALTH_MS:.0f} ms")
            lines.append(line.judge())
    return lines


def overload(scratch: Path, seed: int, budget: float) -> list[Line]:
    """Alerts and reports of many clients at once, beside writers whose every acknowledged write is looked for."""
    began = time.monotonic()
    line = Line("overload", f"{CLIENTS} clients with alerts, {CLIENTS} with reports")
    with console(scratch) as server:
        server.start()
        session = f"svc_session={server.cookie}"

        def everybody(seconds: float) -> Crowd:
            asked = crowd(server.port, server.token, session, alerts=CLIENTS, reports=CLIENTS, seconds=seconds)
            return asyncio.run(asked)

        everybody(max(1.0, budget * 0.2))  # warm: the reports' first look, and the first ten seconds' memory
        before, crowds = server.memory_mb(), list[Crowd]()
        with Load(server, seed, pause=0.02) as load:
            other = threading.Thread(target=lambda: crowds.append(everybody(max(1.0, budget * 0.5))))
            other.start()
            other.join()
            line.memory_mb = server.memory_mb() - before
            _again(line, server)
        check_ledger(line, server, load)
        for kind, statuses in crowds[0].statuses.items() if crowds else ():
            line.faults = (line.faults or 0) + sum(
                n for status, n in statuses.items() if status >= 500 and status != 503
            )
            line.notes.append(f"{kind}: {', '.join(f'{status}: {n:,}' for status, n in sorted(statuses.items()))}")
        if not crowds:
            line.broken.append("a client was not answered")
    if line.memory_mb > MEMORY_MB:
        line.broken.append(f"memory grew by {line.memory_mb:.0f} MB; at most {MEMORY_MB:.0f} MB")
    line.seconds = time.monotonic() - began
    return [line.judge()]


def _again(line: Line, server: Console) -> None:
    """Health as at rest soon after, within what the machine allows."""
    began = time.monotonic()
    while time.monotonic() - began < AGAIN:
        status, seconds, _ = attacks.ask_once(server.port)
        if status == 200 and seconds < HEALTH_MS / 1000:
            return
    line.broken.append(f"health is not as before {AGAIN:.0f} s afterwards")
