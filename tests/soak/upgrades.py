"""Part "upgrades": earlier versions serve and are written to while ``hq migrate`` of this one brings their store on.

Each version is taken out of the history of the repository as it was. It prepares its own store and serves it; clients
write; this version migrates meanwhile, and where ``killed`` says so it is killed before at moments of its way.
"""

import contextlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from engine.store.database.epoch import EPOCH
from engine.web.admission.credentials import digest, new_secret
from tests.soak.console import ORG, OWNER, Console
from tests.soak.databases import database
from tests.soak.load import Load, account
from tests.soak.table import Line, impossible

ROOT = Path(__file__).resolve().parents[2]
VERSIONS: Mapping[str, str] = {  # commit, and the migration that its stores are at
    "7caa7e0": "0019",
    "ebe4a97": "0031",
    "09f82a5": "0042",  # one that knows of the epoch
    "45358f3": "0045",
}
OWN_COMMAND = (sys.executable, "-c", "from engine.cli import main; main()")
MOMENTS = (0.25, 0.4, 0.55)  # of the time that a migration takes, at which it is killed
NO_BACKUP = "0019"  # of this version and before: a PostgreSQL store is not backed up by today's
TRAFFIC = 2.0  # seconds of it, before and after

# run by the earlier version: an organization with its owner, a service and an ingest token
SETUP = """
import json, sys
from datetime import datetime
from engine.store import Store
from engine.store.schema import metadata
given = json.load(sys.stdin)
now = datetime.fromisoformat(given["now"])
store = Store(given["url"])
with store.revision(given["org"], "setup", now=now, create={"name": "Acme"}) as revision:
    for name, row in given["rows"]:
        table = metadata.tables[name]
        known = {column: value for column, value in row.items() if column in table.c}
        instants = {name: datetime.fromisoformat(known[name]) for name in known if name.endswith("_at")}
        revision.insert(table, [{**known, **instants}])
    revision.record("organization.prepared")
store.close()
"""


@dataclass
class EarlierConsole(Console):
    """A console of a tree of its own: the same settings, another program."""

    tree: Path = ROOT
    at: str = EPOCH

    @property
    def migrate(self) -> tuple[str, ...]:
        """The command that brings its store on."""
        without = self.url.startswith("postgresql") and self.at <= NO_BACKUP
        return ("migrate", "--no-backup") if without else ("migrate",)

    def prepare(self) -> None:
        """As a console of this version has it, written by the earlier one."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self.old("migrate")
        secret, now = new_secret("ingest"), datetime.now(UTC)
        token = {
            "id": "ingest",
            "kind": "ingest",
            "label": "soak",
            "created_at": (now - timedelta(days=3)).isoformat(),
            "owner": OWNER,
            "prefix": secret[:7],
            "last_four": secret[-4:],
            "secret_sha256": digest(secret),
        }
        rows = [
            ("memberships", {"email": OWNER, "role": "owner"}),
            ("organization_frameworks", {"framework": "soc2"}),
            ("services", {"id": "checkout", "name": "checkout", "criticality": 5}),
            ("credentials", token),
        ]
        given = {"now": now.isoformat(), "url": self.url, "org": ORG, "rows": rows}
        self._run((sys.executable, "-c", SETUP), json.dumps(given))
        self.token, self.cookie = secret, self.old("session", "--email", OWNER).strip()

    def old(self, *arguments: str) -> str:
        """What a command of the earlier version printed."""
        return self._run((*OWN_COMMAND, *arguments))

    def serve_earlier(self) -> None:
        """The earlier version serves."""
        with contextlib.chdir(self.tree):
            self.command = OWN_COMMAND
            self.start()

    def _run(self, command: Sequence[str], given: str | None = None) -> str:
        done = subprocess.run(
            command, cwd=self.tree, env=self.environment, input=given, capture_output=True, text=True, timeout=180
        )
        if done.returncode:
            raise RuntimeError(f"{command[-1]}: {done.returncode}: {(done.stdout + done.stderr)[-2000:]}")
        return done.stdout


def lines(scratch: Path, seed: int, budget: float) -> list[Line]:
    """Every version, the newest first, on both engines: a migration that runs through; then ones that are killed before."""
    made, began = list[Line](), time.monotonic()
    trees = {commit: scratch / commit for commit in VERSIONS if take_out(commit, scratch / commit)}
    for commit in VERSIONS.keys() - trees.keys():
        made.append(impossible(f"upgrade from {commit}", "the history of the repository is not here"))
    for kills in ((), MOMENTS):
        for commit, tree in reversed(trees.items()):
            for engine in ("SQLite", "PostgreSQL"):
                part = f"{VERSIONS[commit]} to {EPOCH}, {engine}"
                if time.monotonic() - began > budget:
                    made.append(impossible(part, "the time was over before"))
                    continue
                folder = scratch / f"{commit}-{engine}-{len(kills)}"
                made.append(_upgrade(part, folder, tree, seed, kills, engine))
    return made


def take_out(commit: str, tree: Path) -> bool:
    """The files of a version, as they were."""
    done = subprocess.run(["git", "archive", commit], cwd=ROOT, capture_output=True, check=False)
    if done.returncode:
        return False
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        archive.extractall(tree, filter="data")
    return True


def _upgrade(part: str, folder: Path, tree: Path, seed: int, kills: Sequence[float], engine: str) -> Line:
    with contextlib.ExitStack() as stack:
        url = f"sqlite:///{folder / 'data' / 'hq.db'}"
        if engine == "PostgreSQL":
            found = stack.enter_context(database())
            if found is None:
                return impossible(part, "no PostgreSQL server answers")
            url = found
        server = EarlierConsole(folder / "data", url, tree=tree, at=part.split()[0])
        stack.callback(server.kill)
        return _with_traffic(part, server, seed, kills)


def _with_traffic(part: str, server: EarlierConsole, seed: int, kills: Sequence[float]) -> Line:
    began, line = time.monotonic(), Line(part, "")
    server.prepare()
    server.serve_earlier()
    with Load(server, seed) as load:
        time.sleep(TRAFFIC)
        seconds = 0.0
        for moment in kills:
            seconds = seconds or _time_of_migration(server)
            left = _kill_migration(server, line, moment * seconds)
            line.notes.append(f"killed at {moment:.0%}: the store is at {left}")
            if left == EPOCH:
                break
            before = load.ledger.count
            time.sleep(TRAFFIC)
            if load.ledger.count == before:
                line.broken.append(f"the earlier version writes nothing after a kill at {moment:.0%}")
        before = load.ledger.count
        text = server.hq(*server.migrate, seconds=300.0)
        during = load.ledger.count - before
        fenced = load.ledger.count
        statuses = load.ledger.statuses.copy()
        time.sleep(TRAFFIC)
        late = load.ledger.count - fenced
        refused = load.ledger.statuses - statuses
    ended = server.process is not None and server.process.poll() is not None
    server.kill()
    killed = f"killed at {', '.join(f'{moment:.0%}' for moment in kills)}" if kills else "not killed"
    line.done = f"{killed}; {during} writes while it ran, {late} acknowledged after"
    line.notes.append(
        f"{text.strip().splitlines()[-1]}; then {_counts(refused)}; the earlier server {'ended' if ended else 'ran on'}"
    )
    load.ledger.faults.clear()  # the earlier version answers what it knows where the store refuses it
    _account(line, server, load)
    line.seconds = time.monotonic() - began
    return line.judge()


def _time_of_migration(server: EarlierConsole) -> float:
    """How long the migration of another store of that version takes, its backup included."""
    with contextlib.ExitStack() as stack:
        folder = server.folder.parent / "measured"
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        found = stack.enter_context(database()) if server.url.startswith("postgresql") else None
        other = EarlierConsole(folder, found or f"sqlite:///{folder / 'hq.db'}", tree=server.tree)
        other.prepare()
        began = time.monotonic()
        other.hq(*server.migrate, seconds=300.0)
        return time.monotonic() - began


def _kill_migration(server: EarlierConsole, line: Line, seconds: float) -> str:
    """Start a migration and kill it after some time; the schema that it leaves: that before or after, and no other."""
    before = _at(server)
    process = subprocess.Popen(
        [sys.executable, "-m", "engine.cli", *server.migrate],
        cwd=ROOT,
        env=server.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, 9)
    process.wait(30)
    after = _at(server)
    if after not in (before, EPOCH):
        line.broken.append(f"a killed migration left the store at {after}")
    return after


def _at(server: EarlierConsole) -> str:
    """The migration that the store is at."""
    done = subprocess.run(
        [sys.executable, "-m", "engine.cli", "migrate", "--check"],
        cwd=ROOT,
        env=server.environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    match = re.match(r"found (\S+),", done.stdout)
    if match is None:
        raise RuntimeError(f"hq migrate --check: {(done.stdout + done.stderr)[-2000:]}")
    return match[1]


def _account(line: Line, server: EarlierConsole, load: Load) -> None:
    """All that was acknowledged is there, chain and rows hold, this version serves, and what it finds is named."""
    told = account(server.url, load.ledger)
    line.acknowledged, line.found = load.ledger.count, told.found
    line.doubled, line.lost = len(told.doubled), len(told.lost)
    line.broken += told.half
    if not server.hq("verify", "--org", ORG).startswith("ok"):
        line.broken.append("hq verify")
    line.notes += [f"hq check: {finding}" for finding in _findings(server)]
    server.command = (sys.executable, "-m", "engine.cli")
    server.start()
    with Load(server, 7) as later:
        time.sleep(TRAFFIC)
    if not later.ledger.count:
        line.broken.append(f"this version writes nothing afterwards: {_counts(later.ledger.statuses)}")
    server.stop()
    if not server.hq("verify", "--org", ORG).startswith("ok"):
        line.broken.append("hq verify after new writes")


def _findings(server: EarlierConsole) -> list[str]:
    """What ``hq check`` says of the store; space, permissions and keys of the place aside."""
    done = subprocess.run(
        [sys.executable, "-m", "engine.cli", "check", "--json"],
        cwd=ROOT,
        env=server.environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    rows = [row for row in json.loads(done.stdout) if row["check"] not in ("space", "permissions")]
    return [f"{row['check']}: {row['sentence']}" for row in rows]


def _counts(statuses: Mapping[int, int]) -> str:
    return ", ".join(f"{count} answers of {status}" for status, count in sorted(statuses.items())) or "no answer"
