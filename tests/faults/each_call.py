"""Whole commands of which the n-th call fails, or ends the process, for every n: afterwards the installation holds.

    python -m tests.faults.each_call backup erase --most 20

A command runs in a process that is forked over a copy of a prepared installation. Calls are those on files below it
(open, write, fsync, rename, link, mkdir) and the statements and commits of SQLite; an error is a full disk, a kill is
SIGKILL in the place of the call. Prints a line of JSON for each command and kind of fault.
"""

import argparse
import errno
import importlib
import io
import json
import os
import shutil
import signal
import sqlite3
import sys
import tempfile
import traceback
from collections.abc import Callable
from contextlib import closing, redirect_stderr, redirect_stdout
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path

import msgspec

from engine.archives.contents import contents
from engine.archives.contents.windows import days
from engine.archives.sealing import bundles
from engine.archives.verification.seal_check import seal_problems
from engine.cli import hq
from engine.cli.common import now, open_console_services
from engine.model.errors import Problem
from engine.operations.store_checks import history_problems
from engine.reporting import index
from engine.runtime.settings import Settings
from engine.store import Store
from engine.store.copy.table_copy import store_snapshot
from engine.store.database.migrations import ensure_schema
from engine.store.schema.organizations import memberships, organization_frameworks, users
from engine.store.schema.risk import vendors
from tests.faults import pull
from tests.faults.layer import failing, failing_store, sqlite_error
from tests.web.handlers.test_health import downgrade

ANN, BEN = "ann@acme.example", "ben@acme.example"
BYTES = f"whom it is about: {ANN}".encode()
DONE = {"erase": "there is nothing to erase", "restore": "is not empty"}  # what a repetition says of what is finished
LOCKS = (".lock", "-wal", "-shm", ".sealing")  # files that are empty by their nature
INDEX = "few.json"
FEW = ("posture-score", "obligation-ics", "fedramp-poam")
FIRST = 40  # of a command with many calls, each of the first, then one of so many as ``--every`` says
KEY = b"PRIVATE KEY-----"
KEYS = {"signing.key"}


@dataclass(frozen=True)
class Command:
    """A command that writes, and whether it is done after it was repeated (``done``: an answer of the repetition)."""

    run: tuple[str, ...] | Callable[[], None]
    folder: str = "var"
    repeat: tuple[str, ...] = ()
    finished: Callable[[Path], bool] = lambda folder: True


def _seal() -> None:
    contents.FRAMEWORKS, contents.BUNDLE = (), (contents.LINEAGE,)
    with open_console_services() as services:
        bundles.create(services, "acme", "console", days("7d"), now=now())


def _build() -> None:
    """``hq build`` of a few reports, which have all formats between them: of each artifact the calls are the same."""
    index.INDEX = Path(INDEX).resolve()
    index.index.cache_clear()
    hq(["build", "--org", "acme", "--jobs", "1"])


def _verify() -> None:
    """What ``hq verify --org acme`` looks at, in this process."""
    settings = Settings.of_process()
    with store_snapshot(settings.store_url) as connection:
        later = partial(store_snapshot, settings.store_url)
        found = [
            *history_problems(connection, settings, "acme", later),
            *seal_problems(connection, settings, "acme", _quiet),
        ]
    if found:
        raise SystemExit("\n".join(found))


def _quiet(*_: object) -> None:
    """Progress that nobody looks at."""


def _is_erased(folder: Path) -> bool:
    noted = (folder / "var" / "erasures.log").read_text().splitlines()
    files = [path for path in (folder / "var" / "evidence").rglob("*") if path.is_file()]
    return len(noted) == 1 and not any(BYTES in path.read_bytes() for path in files)


def _is_sealed(folder: Path) -> bool:
    with closing(sqlite3.connect(folder / "var" / "hq.db")) as store:
        rows = store.execute("SELECT id FROM bundles").fetchall()
    return {f"{name}.zip" for (name,) in rows} <= {
        path.name for path in (folder / "var" / "bundles" / "acme").iterdir()
    }


ADD = ("evidence", "add", "note.txt", "--org", "acme", "--control", "soc2:CC6.2", "--owner", BEN)
COMMANDS = {
    "keys --rotate": Command(("keys", "--rotate")),
    "erase": Command(("erase", "--org", "acme", "--person", ANN), finished=_is_erased),
    "backup": Command(("backup", "copy.zip"), repeat=("restore", "copy.zip", "--check")),
    "restore": Command(("restore", "kept.zip"), folder="new"),
    "seal": Command(_seal, finished=_is_sealed),
    "evidence add": Command(ADD),
    "pull": Command(("pull", "pulls.toml", "--org", "acme"), finished=pull.is_done),
    "heads": Command(("heads", "--org", "acme")),
    "migrate": Command(("migrate",), folder="behind"),
    "build": Command(_build),
}
LOADED = (  # before anything is forked: what commands load when they are called
    "engine.accounts.erasure",
    "engine.archives.verification.bundle_check",
    "engine.evidence.items",
    "engine.operations.backup",
    "engine.operations.check",
    "engine.operations.pulls",
    "engine.operations.restore",
    "engine.reporting.batch.batch",
    "engine.runtime.keys.key_rotations",
    "engine.store.database.migrations",
    "alembic.command",
    "rich.console",
    "engine.runtime.store_move",
    "engine.archives.contents.contents",
    "engine.archives.sealing.archive",
    "reports",
)
FAULTS = ("files full", "files kill", "store full", "store kill")


@dataclass
class Outcome:
    """What came of a command under one kind of fault, for each n that was tried."""

    command: str
    fault: str
    calls: int = 0
    tried: int = 0
    failed: int = 0  # the command said so and ended
    killed: int = 0
    as_usual: int = 0  # went on in spite of it
    broken: list[str] = field(default_factory=list)


def prepare(base: Path) -> None:
    """An installation with a sealed bundle, evidence, heads and keys, a backup of it, and one of an earlier schema."""
    os.environ["SVC_DATA_DIR"] = str(base / "var")
    os.chdir(base)
    (base / "var").mkdir()
    (base / "note.txt").write_bytes(b"a note")
    (base / "about.txt").write_bytes(BYTES)
    (base / "people.csv").write_text(pull.PEOPLE)
    every = index.index()
    few = replace(every, sections={"Few": FEW}, reports=tuple(entry for entry in every.reports if entry.name in FEW))
    (base / INDEX).write_bytes(msgspec.json.encode(few))
    (base / "pulls.toml").write_text(pull.FILE)
    url = f"sqlite:///{base / 'var' / 'hq.db'}"
    ensure_schema(url, begin=True)
    with closing(Store(url)) as store:
        with store.revision("acme", "setup", now=now(), create={"name": "Acme"}) as revision:
            revision.record("organization.created")
        for table, row in (
            (organization_frameworks, {"framework": "soc2", "in_scope": True}),
            (users, {"email": ANN, "name": "Ann Nguyen"}),
            (memberships, {"email": ANN, "role": "owner"}),
            (memberships, {"email": BEN, "role": "owner"}),
            (vendors, {"id": "v", "name": "Cumulus", "category": "cloud", "tier": "high", "owner": ANN}),
        ):
            with store.revision("acme", "setup", now=now()) as revision:
                revision.insert(table, [row])
                revision.record("row.created")
    shutil.copytree(base / "var", base / "behind")  # before there is anything that an earlier schema has no place for
    with closing(Store(f"sqlite:///{base / 'behind' / 'hq.db'}")) as store:
        downgrade(store, "0036")
    for command in (
        ("evidence", "add", "about.txt", "--org", "acme", "--control", "soc2:CC6.1", "--owner", ANN),
        ("session", "--org", "acme", "--email", BEN),
        ("backup", "kept.zip"),
    ):
        code, text = _hq(command)
        if code:
            raise SystemExit(f"{command}: {text}")
    _seal()


def _hq(command: tuple[str, ...] | Callable[[], None]) -> tuple[int, str]:
    """Exit code and what was written."""
    out = io.StringIO()
    try:
        with redirect_stdout(out), redirect_stderr(out):
            hq(list(command)) if isinstance(command, tuple) else command()
    except SystemExit as end:
        return (end.code or 0, out.getvalue()) if isinstance(end.code, int | None) else (1, str(end.code))
    except Problem as problem:  # a sentence, as a door would answer it
        return 1, problem.message
    except Exception as error:  # what a command lets through is what is looked for
        return 3, f"{out.getvalue()}{''.join(traceback.format_exception(error))}"
    return 0, out.getvalue()


def _fork(folder: Path, command: tuple[str, ...] | Callable[[], None], data: str, fault: str = "", n: int = 0):
    """(exit code, what was written, calls) of a command in a process of its own; 137 where it was killed."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.close(read)
        os.chdir(folder)
        os.environ["SVC_DATA_DIR"] = str(folder / data)
        code, sentence, count = 4, "", 0
        try:
            if not fault:
                code, sentence = _hq(command)
            else:
                where, what = fault.split()
                if where == "files":
                    layer = failing(n, OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), below=folder)
                else:
                    layer = failing_store(n, sqlite_error("SQLITE_FULL"))
                with layer as calls:
                    calls.kills = what == "kill"
                    code, sentence = _hq(command)
                    count = calls.count
        except BaseException as error:
            sentence += "".join(traceback.format_exception(error))
        with os.fdopen(write, "w") as file:
            json.dump([code, sentence, count], file)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as file:
        text = file.read()
    os.waitpid(child, 0)
    return tuple(json.loads(text)) if text else (128 + signal.SIGKILL, "", n)


def strays(folder: Path) -> list[str]:
    """Files beside the key that hold a private key."""
    found = []
    for path in folder.rglob("*"):
        if path.is_file() and path.name not in KEYS and path.suffix != ".zip" and KEY in path.read_bytes():
            found.append(path.relative_to(folder).as_posix())
    return found


def empty_files(folder: Path) -> list[str]:
    """Empty files under a final name."""
    return [
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file()
        and not path.stat().st_size
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)  # not under its final name yet
        and not path.name.endswith(LOCKS)
        and not {".locks", ".space", "artifacts", "bucket-erasures"} & set(path.relative_to(folder).parts)
    ]


def _after(folder: Path, name: str, command: Command) -> list[str]:
    """What does not hold once the command was cut; what a repetition does not finish."""
    broken = [f"empty: {one}" for one in empty_files(folder)]
    known = {one for path in folder.glob(".*.restoring.*") for one in [path.name]}
    lying = [one for one in strays(folder) if one.split("/")[0] not in known]
    findings = ""
    if lying or known:
        findings = _fork(folder, ("check", "--json"), command.folder)[1]
    broken += [f"hq check does not name {one}" for one in lying if Path(one).name not in findings]
    if name not in ("restore", "migrate"):
        code, said, _ = _fork(folder, _verify, command.folder)
        broken += [f"verify: {said.strip()[-300:]}"] if code else []
    code, said = 0, ""
    if name == "backup" and (folder / "copy.zip").exists():
        code, said, _ = _fork(folder, command.repeat, command.folder)
    elif not (name == "restore" and (folder / "new").exists() and not known):
        code, said, _ = _fork(folder, command.run, command.folder)
        if name in DONE and DONE[name] in said:
            code = 0
    broken += [f"again: {said.strip()[-300:]}"] if code else []
    code, said, _ = _fork(folder, _verify, command.folder)
    broken += [f"verify after it was repeated: {said.strip()[-300:]}"] if code else []
    broken += [f"a private key lies about: {one}" for one in strays(folder)]
    broken += [f"left: {path.name}" for path in folder.glob(".*.restoring.*")]
    if not broken and not command.finished(folder):
        broken.append("a repetition does not finish it")
    return broken


def through(base: Path, scratch: Path, name: str, fault: str, most: int, every: int) -> Outcome:
    """A command under one kind of fault, for each n until it meets none any more."""
    command, outcome, n = COMMANDS[name], Outcome(name, fault), 1
    while outcome.tried < most:
        folder = scratch / "one"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(base, folder, symlinks=True)
        if command.folder == "new":
            shutil.rmtree(folder / "var")
        code, said, count = _fork(folder, command.run, command.folder, fault, n)
        if code != 128 + signal.SIGKILL and count < n:
            outcome.calls = count
            if code:
                outcome.broken.append(f"without a fault: {said.strip()[-300:]}")
            break
        outcome.tried, outcome.calls = outcome.tried + 1, max(n, outcome.calls)
        outcome.killed += code == 128 + signal.SIGKILL
        outcome.as_usual += code == 0
        outcome.failed += code in (1, 2)
        broken = [f"code {code}: {said.strip()[-400:]}"] if code in (3, 4) else []
        outcome.broken += [f"n = {n}: {one}" for one in broken + _after(folder, name, command)]
        n += 1 if n < FIRST else every
    return outcome


def main() -> None:
    """Run the commands that are named, else all."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults.each_call", description=__doc__)
    parser.add_argument("commands", nargs="*", metavar="COMMAND", help=f"{', '.join(COMMANDS)}; all without")
    parser.add_argument("--faults", default=",".join(FAULTS), help=f"of {', '.join(FAULTS)}")
    parser.add_argument("--most", type=int, default=10**6, help="tries of a command and kind of fault")
    parser.add_argument("--every", type=int, default=9, help="of calls beyond the first 40, one of so many")
    asked = parser.parse_args()
    for module in LOADED:
        importlib.import_module(module)
    with tempfile.TemporaryDirectory(prefix="hq-faults-") as text:
        base, scratch = Path(text) / "base", Path(text) / "scratch"
        base.mkdir()
        scratch.mkdir()
        child = os.fork()  # threads that the preparation starts are not to be there when others are forked
        if not child:
            try:
                prepare(base)
            except BaseException:
                traceback.print_exc()
                os._exit(1)
            os._exit(0)
        if os.waitpid(child, 0)[1]:
            sys.exit("the installation cannot be prepared")
        for name in asked.commands or COMMANDS:
            for fault in asked.faults.split(","):
                outcome = through(base, scratch, name, fault, asked.most, asked.every)
                print(json.dumps(asdict(outcome)), flush=True)


if __name__ == "__main__":
    main()
