"""Part "faults": each call of each command that writes fails, or ends the process; logs are cut; syscalls fail.

A line is a command under one kind of fault: how many n were tried of how many calls, and how the command ended.
``strace -e inject`` has the calls of SQLite and DuckDB themselves fail where the machine allows it.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from engine.store import Store
from engine.store.database.migrations import ensure_schema
from engine.store.schema.services import services
from tests.faults.cut_logs import cut_copy, page_borders
from tests.soak.table import Line, impossible

FULL_RUN = 900  # seconds of budget with which every n is tried
CALLS = {"fdatasync": "EIO", "fsync": "EIO", "pwrite64": "ENOSPC", "rename": "EIO", "ftruncate": "EIO"}
TRACED = ("evidence", "add", "note.txt", "--org", "acme", "--control", "soc2:CC6.1", "--owner", "ann@acme.example")


def lines(scratch: Path, seed: int, budget: float) -> list[Line]:
    """All of it; a budget below that of a full run takes fewer n of each."""
    most = 10**6 if budget >= FULL_RUN else max(4, int(budget / 20))
    return [*_commands(most), _cut_sqlite(scratch), *_syscalls(scratch, 30 if budget >= FULL_RUN else 3)]


def _commands(most: int) -> list[Line]:
    runner = [sys.executable, "-m", "tests.faults.each_call", "--most", str(most)]
    found, began = [], time.monotonic()
    with subprocess.Popen(runner, stdout=subprocess.PIPE, text=True) as process:
        for text in process.stdout or ():
            one = json.loads(text)
            ends = f"{one['failed']} refused, {one['killed']} killed, {one['as_usual']} went on"
            line = Line(f"{one['command']}: {one['fault']}", f"{one['tried']} of {one['calls']} calls: {ends}")
            line.broken, line.seconds, began = one["broken"], time.monotonic() - began, time.monotonic()
            found.append(line.judge())
    if process.returncode:
        found.append(Line("commands", "came to no end", broken=[f"exit code {process.returncode}"]))
    return found


def _cut_sqlite(scratch: Path) -> Line:
    """The log of a store, cut after each of its pages and within it."""
    began, path = time.monotonic(), scratch / "hq.db"
    ensure_schema(f"sqlite:///{path}", begin=True)
    line = Line("log of SQLite, cut", "")
    with closing(Store(f"sqlite:///{path}")) as store:
        moment = datetime.now(UTC)
        with store.revision("acme", "ann", now=moment, create={"name": "Acme"}) as revision:
            revision.record("organization.created")
        for number in range(12):
            with store.revision("acme", "ann", now=moment) as revision:
                revision.insert(services, [{"id": f"s{number}", "name": "One", "criticality": 1}])
                revision.record("service.created")
        log = path.with_name("hq.db-wal")
        borders = page_borders(log)
        lengths = sorted({*borders, *(border - 7 for border in borders[1:])})
        copies = [cut_copy(path, log, scratch / f"cut-{length}", length) for length in lengths]
    seqs = []
    for copy in copies:
        with closing(Store(f"sqlite:///{copy}")) as store:
            there = [name for name, _ in store.organizations()]
            seqs.append(store.head("acme").seq if "acme" in there else 0)
            if there and not store.verify("acme").ok:
                line.broken.append(f"{copy.parent.name}: the chain does not hold")
        shutil.rmtree(copy.parent)
    if seqs != sorted(seqs) or seqs[-1] != 13:
        line.broken.append(f"positions {seqs}")
    line.done, line.seconds = f"{len(copies)} lengths, {len(set(seqs))} states", time.monotonic() - began
    return line.judge()


def _syscalls(scratch: Path, most: int) -> list[Line]:
    """The n-th call of each kind fails by ``strace``, of one command: it says so or goes on, and history holds."""
    why = _no_strace()
    if why is not None:
        return [impossible("strace -e inject", why)]
    base = scratch / "traced"
    base.mkdir()
    prepared = subprocess.run(
        [sys.executable, "-c", "import sys; from pathlib import Path; from tests.faults.each_call import prepare; "
         "prepare(Path(sys.argv[1]))", str(base)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
    )  # fmt: skip
    if prepared.returncode:
        return [Line("strace -e inject", "came to no end", broken=[prepared.stderr[-300:]])]
    return [_one_syscall(base, scratch, call, error, most) for call, error in CALLS.items()]


def _one_syscall(base: Path, scratch: Path, call: str, error: str, most: int) -> Line:
    began, line, ends = time.monotonic(), Line(f"evidence add: {call} is {error}", ""), {0: 0, 1: 0}
    tried = 0
    for n in range(1, most + 1):
        folder = scratch / "one"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(base, folder)
        inject = f"inject={call}:error={error}:when={n}"
        code, text, met = _run_with_fault(folder, call, inject)
        if not met:
            break
        tried += 1
        if code not in ends:
            line.broken.append(f"n = {n}: exit code {code}: {text[-300:]}")
            continue
        ends[code] += 1
        for command in (("verify", "--org", "acme"), TRACED, ("verify", "--org", "acme")):
            done = _hq(folder, command)
            if done.returncode:
                line.broken.append(f"n = {n}: hq {command[0]}: {done.stdout[-200:]}{done.stderr[-200:]}")
                break
    line.done = f"{tried} calls: {ends[1]} refused, {ends[0]} went on"
    line.seconds = time.monotonic() - began
    return line.judge()


def _run_with_fault(folder: Path, call: str, inject: str) -> tuple[int, str, bool]:
    """(exit code, standard error, whether the fault was met) of the command under ``strace``."""
    log = folder / "trace"
    tracer = ("strace", "-f", "-qq", "-e", f"trace={call}", "-e", inject, "-o", str(log))
    done = _hq(folder, TRACED, tracer)
    return done.returncode, done.stderr, "(INJECTED)" in log.read_text(errors="replace")


def _hq(folder: Path, command: tuple[str, ...], before: tuple[str, ...] = ()) -> "subprocess.CompletedProcess[str]":
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("SVC_")}
    environment = {**inherited, "SVC_DATA_DIR": str(folder / "var"), "PYTHONPATH": str(Path(__file__).parents[2])}
    arguments = [*before, sys.executable, "-m", "engine.cli", *command]
    return subprocess.run(arguments, cwd=folder, env=environment, capture_output=True, text=True)


def _no_strace() -> str | None:
    """Why calls cannot be made to fail here; None where they can."""
    if shutil.which("strace") is None:
        return "strace is not installed"
    with tempfile.NamedTemporaryFile() as log:
        done = subprocess.run(
            ["strace", "-qq", "-e", "inject=write:error=EIO:when=1", "-o", log.name, "true"],
            capture_output=True,
            text=True,
        )
    return None if done.returncode == 0 else f"strace may not: {done.stderr.strip()[:100]}"
