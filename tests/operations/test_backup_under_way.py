"""A backup of a console that serves, and of one that is killed or has no room."""

import errno
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import urllib.request
from contextlib import closing
from datetime import UTC, datetime

import pytest

from engine.model.errors import InvalidData, Unavailable
from engine.operations.check import check_installation
from engine.reporting.site import write_site
from engine.runtime.services import open_services
from engine.runtime.settings import Settings
from engine.store import Store
from engine.store.schema.outputs import credentials
from engine.store.schema.services import services
from engine.web.admission.credentials import digest, new_secret
from reports import CATALOGUE, SECTIONS
from tests.conftest import NOW
from tests.faults.layer import failing
from tests.operations.test_backup import back_up, quiet, restore, small  # noqa: F401 - small is a fixture
from tests.web.processes import serving
from tests.web.served import until

ENDLESS = 10**9


@pytest.mark.real
def test_wherever_the_disk_is_full_there_is_a_sentence_and_no_file(small, tmp_path):  # noqa: F811 - the fixture
    """One call of files below the folder of the backup fails: the first ones, the last ones and some between."""
    folder = tmp_path / "backups"
    folder.mkdir()
    error = OSError(errno.ENOSPC, "no space")
    with failing(ENDLESS, error, below=folder) as calls:
        back_up(small, folder / "whole")
    for number in sorted({*range(1, 6), *range(1, calls.count, 97), *range(calls.count - 6, calls.count + 1)}):
        with (
            failing(number, error, below=folder) as broken,
            pytest.raises(Unavailable, match="The backup cannot be written: the disk is full"),
        ):
            back_up(small, folder / "b")
        assert broken.met
        assert [path.name for path in folder.iterdir()] == ["whole"]
    restore(folder / "whole", tmp_path / "new")


def _backing_up(folder, path, pause=None):
    """A process that backs up; with ``pause`` it waits after each table."""
    code = (
        "import sys, time; from engine.operations import backup; from engine.cli import hq\n"
        "real = backup.read_table\n"
        "def slow(*given):\n    print('table', flush=True); time.sleep(float(sys.argv[2])); yield from real(*given)\n"
        "backup.read_table = slow\n"
        "hq(['backup', sys.argv[1]])"
    )
    return subprocess.Popen(
        [sys.executable, "-c", code, str(path), str(pause or 0)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "SVC_DATA_DIR": str(folder)},
        text=True,
    )


@pytest.mark.real
def test_a_backup_that_is_killed_leaves_nothing_that_is_restored(small, tmp_path):  # noqa: F811 - the fixture
    folder = tmp_path / "backups"
    folder.mkdir()
    process = _backing_up(small, folder / "b", 0.05)
    for _ in range(20):
        process.stdout.readline()
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=30)
    assert not (folder / "b").exists()
    for left in folder.iterdir():
        with pytest.raises(InvalidData):
            restore(left, tmp_path / "new")
    assert not (tmp_path / "new").exists()


def _with_sender(folder):
    """An ingest token of acme, which has a service that alerts may be about."""
    secret = new_secret("ingest")
    row = {
        "id": "tok",
        "kind": "ingest",
        "label": "monitor",
        "owner": "ann@acme.example",
        "prefix": "svc_ingest_",
        "last_four": secret[-4:],
        "secret_sha256": digest(secret),
        "created_at": NOW,
    }
    store = Store(f"sqlite:///{folder}/hq.db")
    with store.revision("acme", "setup", now=NOW) as revision:
        revision.insert(credentials, [row])
        revision.insert(services, [{"id": "svc-db", "name": "Database", "criticality": 5}])
        revision.record("token.created")
    store.close()
    return secret


@pytest.mark.real
def test_every_alert_acknowledged_before_a_backup_began_is_in_it(small, tmp_path):  # noqa: F811 - the fixture
    """Alerts come in over HTTP all the while; what is restored holds, by every check."""
    folder = tmp_path / "var"
    shutil.copytree(small, folder)
    secret = _with_sender(folder)
    acknowledged, over = [], threading.Event()

    def send(port):
        while not over.is_set():
            name = f"alert-{len(acknowledged)}"
            body = json.dumps({"dedupe_key": name, "title": name, "severity": "high", "status": "firing"}).encode()
            headers = {"Content-Type": "application/json", "Authorization": f"Bearer {secret}"}
            request = urllib.request.Request(f"http://127.0.0.1:{port}/api/integrations/alerts", body, headers)
            with urllib.request.urlopen(request, timeout=30) as answer:
                assert answer.status in (200, 202)
            acknowledged.append(name)

    with serving(folder, "--no-scheduler", SVC_INGEST_PER_MINUTE="1000000") as served:
        thread = threading.Thread(target=send, args=(served.port,))
        thread.start()
        until(lambda: len(acknowledged) > 50)
        before = list(acknowledged)
        process = _backing_up(folder, tmp_path / "b", 0.02)
        communicate = process.communicate(timeout=60)
        during = len(acknowledged) - len(before)
        over.set()
        thread.join(30)
    assert process.returncode == 0, communicate
    assert during > 0
    restore(tmp_path / "b", tmp_path / "new")
    with closing(sqlite3.connect(tmp_path / "new" / "hq.db")) as connection:
        titles = {title for (title,) in connection.execute("SELECT title FROM incidents")}
    assert set(before) <= titles
    settings = Settings.of({"SVC_DATA_DIR": str(tmp_path / "new")})
    for path in [tmp_path / "new", *(tmp_path / "new").rglob("*")]:
        path.chmod(0o700 if path.is_dir() else 0o600)
    assert check_installation(settings, now=datetime.now(UTC), progress=quiet) == []


@pytest.mark.real
def test_reports_of_a_restored_store_have_equal_bytes(tmp_path, small):  # noqa: F811 - the fixture
    """Every report in every format, on the same day at the same revision."""
    shutil.copytree(small, tmp_path / "var")
    back_up(tmp_path / "var", tmp_path / "b")
    restore(tmp_path / "b", tmp_path / "new")
    sites = [_site(tmp_path / name, tmp_path / f"site-of-{name}") for name in ("var", "new")]
    assert len(sites[0]) > 100
    assert sites[0] == sites[1]


def _site(folder, root):
    """Every file of the exported site of acme."""
    settings = Settings.of({"SVC_DATA_DIR": str(folder)})
    with open_services(settings, CATALOGUE, now=NOW) as found, found.snapshots.open("acme", now=NOW) as snapshot:
        write_site(snapshot, root, sections=SECTIONS)
    return {path.relative_to(root): path.read_bytes() for path in root.rglob("*") if path.is_file()}
