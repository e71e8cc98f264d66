"""A backup of a console that serves, and of one that is killed or has no room."""

import errno
import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
import urllib.request
from contextlib import closing

import pytest

from engine.model.errors import InvalidData, Unavailable
from engine.operations.check import check_installation
from engine.runtime.settings import Settings
from engine.store import Store
from tests.conftest import NOW
from tests.faults.layer import failing
from tests.operations.test_backup import back_up, quiet, restore, small  # noqa: F401 - small is a fixture
from tests.web.processes import serving

ENDLESS = 10**9


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
        [sys.executable, "-c", code, str(path), str(pause or 0)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**os.environ, "SVC_DATA_DIR": str(folder)}, text=True,
    )  # fmt: skip


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


@pytest.mark.soak
def test_every_alert_acknowledged_before_a_backup_began_is_in_it(small, tmp_path):  # noqa: F811 - the fixture
    """Alerts come in over HTTP all the while."""
    folder = tmp_path / "var"
    folder.mkdir(mode=0o700)
    with closing(sqlite3.connect(small / "hq.db")) as source, closing(sqlite3.connect(folder / "hq.db")) as target:
        source.backup(target)
    acknowledged, running = [], threading.Event()

    def send(port, token):
        number = 0
        while not running.is_set():
            number += 1
            name = f"alert-{number}"
            body = json.dumps({"source": "tests", "alert_id": name, "title": name, "severity": "high"}).encode()
            request = urllib.request.Request(
                f"http://127.0.0.1:{port}/api/incidents/ingest", body,
                {"Content-Type": "application/json", "Authorization": f"Bearer {token}"},
            )  # fmt: skip
            with urllib.request.urlopen(request, timeout=30) as answer:
                assert answer.status < 300
            acknowledged.append(name)
