"""Sealing, checking and making archives over HTTP, each beside zipfile and hashlib at the same files.

``python -m tests.bench.archives STEP ZIP [OUT]`` where STEP is zip or check: the baselines.
"""

import json
import os
import sys
import time
import urllib.request
import zipfile
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from tests.bench.http import BASE, console, free_port, serving
from tests.bench.step import Step, hq, module
from tests.bench.table import Figure


def figures(folder: Path, cookie: str) -> Iterator[Figure]:
    """A bundle of every event, its verification, and the workbook of the last 30 days, of the store in ``folder``."""
    port = free_port()
    with serving(console(port, 4), port, {**os.environ, "SVC_DATA_DIR": str(folder)}):
        _ask(port, f"{BASE}posture-score", cookie)
        sealing, answer = _ask(port, f"{BASE}bundles", cookie, {"window": "all"})
        bundle = json.loads(answer)["bundle"]
        checking, answer = _ask(port, f"{BASE}bundles/{bundle['id']}", cookie)
        assert json.loads(answer)["verification"]["ok"]
        archive, workbook = folder / "bundle.zip", folder / "workbook.zip"
        archive.write_bytes(_ask(port, bundle["download"], cookie)[1])
        making, answer = _ask(port, f"{BASE}workbook", cookie)
        workbook.write_bytes(answer)
    size = f"{bundle['counts']['events']:,} events, {bundle['size_bytes'] / 1e6:,.0f} MB"
    plain = _baseline(folder, "zip", archive, folder / "plain.zip")
    yield _beside(f"seal a bundle: {size}", sealing, "the same files hashed and zipped", plain)
    read = _baseline(folder, "check", archive)
    yield _beside("check every part of it: GET bundles/{id}", checking, "zipfile and hashlib at each file", read)
    command = hq(folder, "verify", archive)
    yield Figure("hq verify of it", f"{command.seconds:.2f} s", peak_mb=command.peak_mb)
    plain = _baseline(folder, "zip", workbook, folder / "plain.zip")
    yield _beside("make the workbook after a write", making, "the same files hashed and zipped", plain)


def _ask(port: int, path: str, cookie: str, body: object = None) -> tuple[float, bytes]:
    """Seconds until the whole answer is there, and the answer."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data, {"Content-Type": "application/json"})
    request.add_header("Cookie", f"svc_session={cookie}")
    start = time.perf_counter()
    with urllib.request.urlopen(request) as answer:
        content = answer.read()
    return time.perf_counter() - start, content


def _baseline(folder: Path, name: str, *paths: Path) -> Step:
    return module(folder, "archives", name, *paths)


def _beside(what: str, seconds: float, baseline: str, theirs: Step) -> Figure:
    spent = float(theirs.output)
    return Figure(what, f"{seconds:.2f} s", baseline, f"{spent:.2f} s", spent / seconds)


def main() -> None:
    """Print the seconds that the work itself took."""
    name, archive, *rest = sys.argv[1:]
    with zipfile.ZipFile(archive) as opened:
        files = {file: opened.read(file) for file in opened.namelist()} if name == "zip" else {}
        start = time.perf_counter()
        if name == "zip":
            with zipfile.ZipFile(rest[0], "w", zipfile.ZIP_DEFLATED) as out:
                for file, data in files.items():
                    sha256(data).hexdigest()
                    out.writestr(file, data)
        else:
            for file in opened.namelist():
                sha256(opened.read(file)).hexdigest()
    print(time.perf_counter() - start)


if __name__ == "__main__":
    main()
