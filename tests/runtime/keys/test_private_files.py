"""What is written can be read by the account that runs the program, and by nobody else."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from engine.runtime.keys.private_files import narrow
from tests.cli.test_cli import free_port

pytestmark = pytest.mark.real

ROOT = Path(__file__).parents[3]


def wide(folder):
    """What group or others may do anything with, below a folder and the folder itself."""
    paths = [path for path in (folder, *folder.rglob("*")) if not path.is_symlink()]
    return {path.relative_to(folder).as_posix() for path in paths if path.stat().st_mode & 0o077}


@pytest.fixture
def run(tmp_path):
    """Runs a door in a process whose umask lets everybody read and write, until it ends or serves."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("SVC_")}
    environment = {**inherited, "SVC_DATA_DIR": str(tmp_path / "var"), "SVC_BUNDLE_DIR": str(tmp_path / "bundles")}

    def start(*command, until=None):
        process = subprocess.Popen(
            [sys.executable, *command],
            cwd=ROOT,
            env=environment,
            umask=0,
            text=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        said = next((line for line in process.stderr if until and until in line), None)
        if said:
            process.terminate()
        process.stderr.close()
        process.wait()
        return said

    return start


PORT = "0 until the test runs"
DOORS = {
    "a command": (("-m", "engine.cli", "migrate"), None),
    "api.py": (("api.py", "--port", PORT), "Serving on"),
    "scheduler.py": (("scheduler.py",), "Scheduled work runs"),
}


@pytest.mark.parametrize("door", DOORS)
def test_every_door_writes_for_its_own_account_alone(door, run, tmp_path):
    command, until = DOORS[door]
    if door == "scheduler.py":  # begins no store
        run("-m", "engine.cli", "migrate")
    given = [str(free_port()) if word == PORT else word for word in command]
    assert bool(run(*given, until=until)) is bool(until)
    assert {path.name for path in (tmp_path / "var").iterdir()} >= {"hq.db"}
    assert wide(tmp_path / "var") == set()


def test_what_was_open_to_others_is_closed_at_the_next_start(run, tmp_path):
    """As an earlier version, a copy or a restored backup left it."""
    run("-m", "engine.cli", "migrate")
    (tmp_path / "bundles" / "acme").mkdir(parents=True)
    (tmp_path / "bundles" / "acme" / "bundle.zip").write_bytes(b"")
    (tmp_path / "var" / "artifacts").mkdir(exist_ok=True)
    (tmp_path / "var" / "artifacts" / "report.json").write_bytes(b"")
    for folder in ("bundles", "var"):
        for path in (tmp_path / folder, *(tmp_path / folder).rglob("*")):
            path.chmod(0o777 if path.is_dir() else 0o444)
    (tmp_path / "var" / "hq.db").chmod(0o644)
    run("-m", "engine.cli", "scheduler", "--list")
    assert (wide(tmp_path / "var"), wide(tmp_path / "bundles")) == (set(), set())
    assert stat.S_IMODE((tmp_path / "bundles" / "acme" / "bundle.zip").stat().st_mode) == 0o400


def test_links_and_folders_that_all_share_are_left_alone(tmp_path):
    outside, shared = tmp_path / "outside", tmp_path / "shared"
    outside.write_bytes(b"")
    outside.chmod(0o644)
    (tmp_path / "var").mkdir(mode=0o700)
    (tmp_path / "var" / "link").symlink_to(outside)
    shared.mkdir()
    shared.chmod(0o1777)
    assert narrow(tmp_path / "var", shared, tmp_path / "nowhere") == 0
    assert (outside.stat().st_mode & 0o777, shared.stat().st_mode & 0o7777) == (0o644, 0o1777)


def test_what_cannot_be_closed_is_said_once_and_stops_nothing(tmp_path, monkeypatch, caplog):
    for name in ("a", "b"):
        (tmp_path / name).write_bytes(b"")
        (tmp_path / name).chmod(0o644)
    tmp_path.chmod(0o700)

    def read_only(self, mode):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(Path, "chmod", read_only)
    assert narrow(tmp_path) == 0
    assert [record.message.partition(" read ")[2][-33:] for record in caplog.records] == [
        "2 in all cannot be closed to them"
    ]
