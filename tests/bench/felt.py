"""What people feel, in processor seconds with all child processes: starts, first pages, attestations, imports, archives.

Each row begins from a copy of one store and is measured between two yardsticks. One that costs more than at the last
release by over a tenth is measured again, twice at most, and the least counts: a busy machine makes nothing dearer
than it is.
"""

import json
import os
import pstats
import shutil
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from tests.bench.http import BASE, children, console, free_port, peak_mb, serving
from tests.bench.ingest import ALERTS, post
from tests.bench.release import Cost, Release, is_worse
from tests.bench.step import HQ, Step, hq, module, step
from tests.bench.table import Figure
from tests.bench.yardstick import yard

ORG = "aurora"
AIM_YARD = 0.04  # processor seconds of a yard on the machine that the aims are meant for
TRIES, PROFILE_LINES = 3, 12
REST_SECONDS, RESTING_SECONDS = 3.0, 0.1
PAGE = f"{BASE}posture-score"
Spent = tuple[float, float]
"""Processor seconds, and megabytes at the peak."""


@dataclass(frozen=True)
class Row:
    """Something to measure in a folder of its own, what it should cost, and the command whose profile tells why not."""

    what: str
    measure: Callable[[Path], Spent]
    aim_seconds: float
    profiled: Sequence[str | Path]


def rows(more: Path, count: int) -> list[Row]:
    """Every row; ``more`` is a folder with so many further events as CSV."""
    many = f"{count:,} events"
    report, pages = [HQ, "report", "posture-score", "--org", ORG], ["-m", "tests.bench.pages", ORG]
    return [
        Row("hq report, kept", lambda folder: _again(folder, report), 0.4, report),
        Row("hq report after a write", partial(_after_import, report), 1.5, report),
        Row("first page after a start: serve, write, GET", _first_page, 0.6, [*pages, "first"]),
        Row("first page of a console that has warmed up: write, GET", _warm_page, 0.6, [*pages, "one"]),
        Row("one page after one's own attestation", partial(_pages, "one"), 0.1, [*pages, "one"]),
        Row("all pages after it", partial(_pages, "all"), 1.2, [*pages, "all"]),
        Row("all pages after a sign-in", partial(_pages, "login"), 0.6, [*pages, "login"]),
        Row(
            f"import {many}",
            lambda folder: _spent(hq(folder, "import", more, "--org", ORG)),
            5.0 * count / 300_000,
            [HQ, "import", more, "--org", ORG],
        ),
        Row("copy the log to the analytics store", _sync, 2.0, ["-m", "tests.bench.sync", ORG]),
        Row(
            "hq verify --org",
            lambda folder: _spent(hq(folder, "verify", "--org", ORG)),
            1.2,
            [HQ, "verify", "--org", ORG],
        ),
        Row("seal every event", _seal, 4.0, [*pages, "seal"]),
        Row("export the log as CSV", _export, 0.5, [*pages, "export"]),
        Row("build all reports, nothing there", _build, 2.0, [HQ, "build", "--org", ORG, "--jobs", "1"]),
        Row("rows of a demo organization", _generate, 2.0, ["-m", "tests.bench.generator", ORG]),
        Row("hq demo", _demo, 40.0, [HQ, "demo", "--no-serve"]),
    ]


def figures(
    store: Path, scratch: Path, count: int, release: Release | None, costs: dict[str, Cost], *, explain: bool
) -> Iterator[Figure]:
    """One figure for each row, its cost put into ``costs``; ``explain``: a profile of each that misses its aim.

    ``store``: the folder of a store with the demo organization.
    """
    more, base = scratch / "felt-more", scratch / "felt"
    more.mkdir()
    module(base, "events", f"write:{count}", more / "audit_log.csv")
    shutil.copytree(store, base, dirs_exist_ok=True)
    size = f", {count:,} events" if count < 300_000 else ""
    for row in rows(more, count):
        name = f"{row.what}{size}" if size and "events" not in row.what else row.what
        cost = _cost(row, base, scratch)
        for _ in range(TRIES - 1):
            if is_worse(name, cost, release):
                cost = min(cost, _cost(row, base, scratch), key=lambda found: found.yards)
        costs[name] = cost
        known = None if release is None else release.rows.get(name)
        at_aim = cost.yards * AIM_YARD
        if explain and at_aim > row.aim_seconds:
            print(f"\n{name}: {at_aim:.2f} s, aim {row.aim_seconds:.2f} s; what is left:", file=sys.stderr)
            print(*_profile(row, base, scratch), sep="\n", file=sys.stderr)
        yield Figure(
            name,
            f"{cost.cpu_seconds:.2f} s of CPU, {cost.yards:,.1f} yards (aim {row.aim_seconds / AIM_YARD:,.1f})",
            "" if known is None or release is None else f"version {release.version}",
            "" if known is None else f"{known.yards:,.1f} yards",
            None if known is None else known.yards / cost.yards,
            cost.peak_mb,
        )


def _cost(row: Row, base: Path, scratch: Path) -> Cost:
    """One measurement in a folder of its own, which is gone afterwards."""
    with _copy(base, scratch) as folder:
        before = yard()
        cpu, peak = row.measure(folder)
        return Cost(cpu, cpu / ((before + yard()) / 2), peak)


@contextmanager
def _copy(base: Path, scratch: Path) -> Iterator[Path]:
    """A copy of a store for the time of the block."""
    folder = scratch / "felt-copy"
    shutil.copytree(base, folder)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def _spent(found: Step) -> Spent:
    return found.cpu_seconds, found.peak_mb


def _again(folder: Path, command: Sequence[str | Path]) -> Spent:
    step(command, folder)
    return _spent(step(command, folder))


def _after_import(command: Sequence[str | Path], folder: Path) -> Spent:
    step(command, folder)
    change = folder / "attestations.csv"
    at = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    change.write_text(
        f"framework,control_id,owner,due_on,outcome,attested_at\nsoc2,CC6.1,owner@{ORG}.example,2020-01-31,attested,{at}\n"
    )
    hq(folder, "import", change, "--org", ORG)
    return _spent(step(command, folder))


def _pages(what: str, folder: Path) -> Spent:
    found = module(folder, "pages", ORG, what)
    return float(found.output), found.peak_mb


def _sync(folder: Path) -> Spent:
    return _spent(module(folder, "sync", ORG))


def _build(folder: Path) -> Spent:
    return _spent(hq(folder, "build", "--org", ORG, "--jobs", "1"))


def _generate(folder: Path) -> Spent:
    return _spent(module(folder, "generator", ORG))


def _demo(folder: Path) -> Spent:
    empty = folder / "demo"
    empty.mkdir()
    return _spent(hq(empty, "demo", "--no-serve"))


def _tree_seconds(process: int) -> float:
    """What a running process and all that it started have taken of the processors."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    own = sum(int(field) for field in fields[11:15]) / os.sysconf("SC_CLK_TCK")
    return own + sum(map(_tree_seconds, children(process)))


def _let_rest(process: int) -> None:
    """Wait until a console has computed ahead: its worker is there, and takes next to nothing of the processors."""
    before = -1.0
    while not children(process) or _tree_seconds(process) - before > RESTING_SECONDS:
        before = _tree_seconds(process)
        time.sleep(REST_SECONDS)


def _console_cost(folder: Path, ask: Callable[[int, str], object], *, whole: bool, warm: bool = False) -> Spent:
    """What an answer costs a console that serves ``folder``; ``whole``: with its start, ``warm``: once it rests."""
    hq(folder, "report", "posture-score", "--org", ORG)
    cookie = hq(folder, "session", "--email", f"owner@{ORG}.example").output.strip()
    port = free_port()
    with serving(console(port, 4), port, {**os.environ, "SVC_DATA_DIR": str(folder)}) as process:
        if warm:
            _let_rest(process)
        start = 0.0 if whole else _tree_seconds(process)
        ask(port, cookie)
        return _tree_seconds(process) - start, peak_mb(process)


def _get(port: int, cookie: str, path: str, body: Mapping[str, str] | None = None) -> None:
    data = None if body is None else json.dumps(body).encode()
    headers = {"Cookie": f"svc_session={cookie}", **({"Content-Type": "application/json"} if data else {})}
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data, headers)
    with urllib.request.urlopen(request) as answer:
        while answer.read(1 << 20):
            pass


def _write_and_get(port: int, cookie: str) -> None:
    made = post(port, "/api/user/alert-ingest-tokens", f"svc_session={cookie}", "Cookie", {"label": "bench"})
    alert = {"title": "A write that moves the revision", "status": "firing", "severity": "low"}
    post(port, ALERTS, f"Bearer {made['secret']}", "Authorization", alert)
    _get(port, cookie, PAGE)


def _first_page(folder: Path) -> Spent:
    return _console_cost(folder, _write_and_get, whole=True)


def _warm_page(folder: Path) -> Spent:
    return _console_cost(folder, _write_and_get, whole=False, warm=True)


def _seal(folder: Path) -> Spent:
    return _console_cost(
        folder, lambda port, cookie: _get(port, cookie, f"{BASE}bundles", {"window": "all"}), whole=False
    )


def _export(folder: Path) -> Spent:
    return _console_cost(folder, lambda port, cookie: _get(port, cookie, "/api/audit/export?window=all"), whole=False)


def _profile(row: Row, base: Path, scratch: Path) -> list[str]:
    """The functions that take most of the time of its command, themselves."""
    out = scratch / "profile"
    with _copy(base, scratch) as folder:
        step([sys.executable, "-m", "cProfile", "-o", str(out), *row.profiled], folder)
    found: list[tuple[float, str]] = []
    for (file, line, name), (_, _, own, _, _) in pstats.Stats(str(out)).stats.items():  # type: ignore[attr-defined]
        found.append((own, f"  {own:6.2f} s  {name} ({'/'.join(Path(file).parts[-3:])}:{line})"))
    return [text for _, text in sorted(found, reverse=True)[:PROFILE_LINES]]
